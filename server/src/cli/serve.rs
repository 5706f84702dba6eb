//! `holdpoint serve`: until a signal says to stop.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Failure;
use crate::config::Config;

/// Serves until SIGTERM or SIGINT.
pub async fn serve(config: Config) -> Result<(), Failure> {
    // Before the address is announced: who reads it may send the signal at once.
    let (terminate, interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(crate::run(config, first_of(terminate, interrupt)).await?)
}

fn listen(kind: SignalKind) -> Result<Signal, String> {
    signal(kind).map_err(|error: io::Error| format!("signals can't be listened to: {error}"))
}

async fn first_of(mut terminate: Signal, mut interrupt: Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
