//! What was read, judged: what could lose a claim, and what is worth knowing. No I/O.

use super::{Migrations, PostgresSettings, Reading, Setting, Settings, SqliteSettings};
use crate::ledger::Finding;
use crate::words::Severity;

/// A difference between two clocks that is worth knowing, in milliseconds.
const CLOCKS_APART_MS: i64 = 1_000;

/// The oldest PostgreSQL that the statements are tried on.
const OLDEST_POSTGRES: i64 = 130_000;

const CRASH: &str =
    "a claim that was granted before the power was cut or the host crashed: its effect may run twice";

/// Judges what was read.
pub(crate) fn judge(reading: &Reading) -> Vec<Finding> {
    let mut found = match &reading.settings {
        Settings::Sqlite(settings) => sqlite(settings),
        Settings::Postgres(settings) => postgres(settings),
    };
    found.extend(migrations(reading.migrations));
    found.extend(reading.clock_ahead_ms.and_then(clock));
    found.extend(reading.nobody_administers.then(nobody_administers));
    found
}

fn losing(code: &'static str, found: String, could_be_lost: &str, mend: String) -> Finding {
    Finding {
        code,
        severity: Severity::ClaimCouldBeLost,
        found,
        could_be_lost: could_be_lost.to_owned(),
        mend,
    }
}

fn worth_knowing(code: &'static str, found: String, could_be_lost: &str, mend: &str) -> Finding {
    Finding {
        code,
        severity: Severity::WorthKnowing,
        found,
        could_be_lost: could_be_lost.to_owned(),
        mend: mend.to_owned(),
    }
}

fn sqlite(settings: &SqliteSettings) -> Vec<Finding> {
    let mut found = Vec::new();
    if !settings.journal_mode.eq_ignore_ascii_case("wal") {
        found.push(losing(
            "sqlite_journal_mode",
            format!("the journal mode is {}, not wal", settings.journal_mode),
            CRASH,
            "run `PRAGMA journal_mode = WAL` on the file, on a file system that can share memory".to_owned(),
        ));
    }
    if settings.synchronous < 2 {
        let level = ["off", "normal"][usize::from(settings.synchronous == 1)];
        found.push(losing(
            "sqlite_synchronous",
            format!("synchronous is {level}: a commit does not wait for the disk"),
            CRASH,
            "set synchronous to full for every connection that writes".to_owned(),
        ));
    }
    found.extend(settings.file_system.as_deref().and_then(file_system));
    found
}

/// Kinds of file systems that lie on another machine, or on one that speaks for it.
const NETWORK: &[&str] = &[
    "nfs",
    "nfs4",
    "cifs",
    "smb",
    "smb3",
    "smbfs",
    "9p",
    "ceph",
    "glusterfs",
    "lustre",
    "afs",
    "beegfs",
    "gfs2",
    "ocfs2",
    "virtiofs",
    "vboxsf",
    "prl_fs",
    "drvfs",
    "davfs",
];

fn file_system(kind: &str) -> Option<Finding> {
    // Of those that a program provides, some lie on a local disk; none of them is known to lock and sync as SQLite
    // needs it.
    if NETWORK.contains(&kind) || kind == "fuse" || kind.starts_with("fuse.") {
        return Some(losing(
            "network_file_system",
            format!("the file is on {kind}, which is no local file system"),
            "claims, and the file itself: locks and syncs do not hold there as SQLite needs them",
            "move the file to a local disk, or use PostgreSQL".to_owned(),
        ));
    }
    match kind {
        "tmpfs" | "ramfs" => Some(losing(
            "volatile_file_system",
            format!("the file is on {kind}, which is kept in memory"),
            "every claim, as soon as the host or the container stops",
            "move the file to a disk".to_owned(),
        )),
        "overlay" | "aufs" => Some(worth_knowing(
            "container_file_system",
            format!("the file is on {kind}, as the inside of a container is"),
            "every claim, once the container is made anew",
            "put the file on a volume that outlives the container",
        )),
        _ => None,
    }
}

fn postgres(settings: &PostgresSettings) -> Vec<Finding> {
    let mut found = Vec::new();
    for (code, name, setting) in [
        ("postgres_fsync", "fsync", &settings.fsync),
        (
            "postgres_full_page_writes",
            "full_page_writes",
            &settings.full_page_writes,
        ),
    ] {
        if setting.value != "on" {
            found.push(losing(
                code,
                format!("{name} is {}, {}", setting.value, by_whom(setting)),
                "claims, and the whole database: a cut of the power can leave it damaged",
                format!("set {name} to on, and reload the server"),
            ));
        }
    }
    found.extend(synchronous_commit(settings));
    if settings.replicas > 0 && settings.synchronous_standby_names.value.is_empty() {
        found.push(losing(
            "postgres_asynchronous_replicas",
            match settings.replicas {
                1 => "a server follows this one, and no commit waits for it".to_owned(),
                n => format!("{n} servers follow this one, and no commit waits for any of them"),
            },
            "a claim that had not reached the follower before it took over: its effect may run twice",
            "set synchronous_standby_names, or never let a follower take over; reconcile if one did"
                .to_owned(),
        ));
    }
    if settings.version < OLDEST_POSTGRES {
        found.push(worth_knowing(
            "postgres_version",
            format!("the server is PostgreSQL {}", settings.version / 10_000),
            "nothing that is known of: Holdpoint is not tried on servers older than 13",
            "upgrade the server",
        ));
    }
    if settings.pooled {
        found.push(worth_knowing(
            "transaction_pooler",
            "a pooler hands each transaction to whichever session is free".to_owned(),
            "no claim; calls fail where the pooler does not follow prepared statements from session to session",
            "let it pool by session, or dial the server itself",
        ));
    }
    found
}

fn synchronous_commit(settings: &PostgresSettings) -> Option<Finding> {
    let setting = &settings.synchronous_commit;
    let followed = settings.replicas > 0 || !settings.synchronous_standby_names.value.is_empty();
    let found = format!("synchronous_commit is {}, {}", setting.value, by_whom(setting));
    match setting.value.as_str() {
        "on" | "remote_apply" => None,
        "local" | "remote_write" if !followed => Some(worth_knowing(
            "postgres_synchronous_commit",
            found,
            "nothing while no server follows this one",
            "set it to on before one does",
        )),
        "local" | "remote_write" => Some(losing(
            "postgres_synchronous_commit",
            found,
            "a claim that had not reached the follower's disk before it took over: its effect may run twice",
            mend_commit(setting),
        )),
        _ => Some(losing(
            "postgres_synchronous_commit",
            found,
            CRASH,
            mend_commit(setting),
        )),
    }
}

/// Who set it, as one looks for it.
fn by_whom(setting: &Setting) -> String {
    match setting.source.as_str() {
        "client" => "as the address of the database asks for".to_owned(),
        "database" => "set for this database".to_owned(),
        "user" => "set for this role".to_owned(),
        "database user" => "set for this role in this database".to_owned(),
        "configuration file" => "set in the server's configuration".to_owned(),
        "command line" => "set on the server's command line".to_owned(),
        other => format!("set by: {other}"),
    }
}

fn mend_commit(setting: &Setting) -> String {
    match setting.source.as_str() {
        "client" => "take synchronous_commit out of the address".to_owned(),
        "database" => "run ALTER DATABASE … RESET synchronous_commit".to_owned(),
        "user" => "run ALTER ROLE … RESET synchronous_commit".to_owned(),
        "database user" => "run ALTER ROLE … IN DATABASE … RESET synchronous_commit".to_owned(),
        _ => "set synchronous_commit to on, and reload the server".to_owned(),
    }
}

fn migrations(migrations: Migrations) -> Option<Finding> {
    match migrations {
        Migrations::UpToDate => None,
        Migrations::Pending => Some(worth_knowing(
            "migrations_pending",
            "the database is older than this program".to_owned(),
            "no claim: calls fail until it is migrated",
            "run `holdpoint migrate`",
        )),
        Migrations::Newer(version) => Some(worth_knowing(
            "migrations_newer",
            format!("the database was migrated by a newer version of Holdpoint (migration {version})"),
            "no claim that is known of: this program does not know what the newer one keeps",
            "run that version, or restore a backup from before",
        )),
    }
}

fn clock(ahead_ms: i64) -> Option<Finding> {
    if ahead_ms.abs() <= CLOCKS_APART_MS {
        return None;
    }
    let direction = if ahead_ms > 0 { "ahead of" } else { "behind" };
    let seconds = ahead_ms.abs() as f64 / 1000.0;
    Some(worth_knowing(
        "clocks_apart",
        format!("the database's clock is {seconds:.1} s {direction} this host's"),
        "no claim: the database's clock alone is believed; but times in logs do not fit, and a worker that compares \
         begin_before with a clock like this host's begins too late or too early",
        "let the hosts keep their clocks by NTP",
    ))
}

fn nobody_administers() -> Finding {
    worth_knowing(
        "nobody_administers",
        "none of the operators may sign in and administer".to_owned(),
        "no claim: but nobody adds people, ends tokens or changes policies on the pages; the identity provider takes \
         the last admin's role as well",
        "`holdpoint operator add NAME --role admin`: somebody of this place, who is there when the provider is not",
    )
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
