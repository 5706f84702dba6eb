//! How many files the system lets this process open: each connection is one, and so are those of the database.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is kept for the database, its connections, webhooks and the log.
const KEPT: u64 = 128;

/// Asks the system for as many files as so many connections need, and returns how many connections there can be.
///
/// A database that finds no file left to open is worse than a connection that waits.
pub fn open_files(connections: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = connections as u64 + KEPT;
    let Some(now) = current.filter(|now| *now < wanted) else {
        return connections;
    };
    let raised = maximum.map_or(wanted, |most| most.min(wanted));
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    let files = match setrlimit(Resource::Nofile, limit) {
        Ok(()) => raised,
        Err(error) => {
            tracing::debug!(%error, "the system gives no more files");
            now
        }
    };
    let room = usize::try_from(files.saturating_sub(KEPT)).unwrap_or(usize::MAX);
    let fits = connections.min(room.max(1));
    if fits < connections {
        tracing::warn!(
            files,
            connections = fits,
            "the system lets this process open fewer files than it was told to take connections: raise `ulimit -n`"
        );
    }
    fits
}
