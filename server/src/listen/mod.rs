//! The listener: who may connect, how long they may take, and how everybody leaves.

mod connection;
mod files;
pub(crate) mod patience;
mod peers;
mod pulse;
mod timed;
pub mod tls;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use futures::FutureExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::connection::Connection;
pub use self::files::open_files;
use self::peers::Peers;
use crate::limits::Limits;

/// How long a listener rests that the system gives no connection: it is out of files.
const REST: Duration = Duration::from_millis(500);
/// How long nothing more is said of a crowd after something was.
const QUIET: Duration = Duration::from_secs(10);
/// How long somebody who is turned away may take to read why.
const PARTING: Duration = Duration::from_secs(1);

/// What is listened on, and by which rules.
#[derive(Debug)]
pub struct Door {
    /// Bound already.
    pub listener: TcpListener,
    /// What TLS is served with; whoever holds the other end may change it while the server runs.
    pub tls: Option<watch::Receiver<tls::Served>>,
    /// The rules.
    pub limits: Limits,
}

impl Door {
    /// Serves until it is told to stop, then lets what is in flight end. `false` where some was cut off.
    pub async fn serve(self, app: Router, stopping: CancellationToken) -> bool {
        let Self {
            listener,
            tls,
            limits,
        } = self;
        let places = Arc::new(Semaphore::new(limits.connections));
        let peers = Peers::new(limits.connections_per_peer);
        let (crowded, full) = (Seldom::default(), Seldom::default());
        let (tasks, over) = (TaskTracker::new(), CancellationToken::new());
        let let_in = |stream: TcpStream, place: OwnedSemaphorePermit| {
            let Ok(peer) = stream.peer_addr() else { return };
            let Some(seat) = peers.take(peer.ip()) else {
                if crowded.now() {
                    tracing::warn!(%peer, "connections are refused: their address has as many as it may have");
                }
                let plain = tls.is_none();
                tasks.spawn(async move {
                    let _ = timeout(PARTING, turn_away(stream, plain)).await;
                    drop(place);
                });
                return;
            };
            let connection = Connection {
                app: app.clone(),
                peer,
                limits,
                tls: tls.as_ref().map(|tls| tls.borrow().clone()),
                stopping: stopping.clone(),
            };
            let over = over.clone();
            tasks.spawn(async move {
                tokio::select! {
                    () = connection.serve(stream) => {}
                    () = over.cancelled() => {}
                }
                drop((seat, place));
            });
        };
        while let Some(place) = next_place(&places, &full, &stopping).await {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => let_in(stream, place),
                    Err(error) => rest_after(&error).await,
                },
                () = stopping.cancelled() => break,
            }
        }
        // Whoever stands in the queue already is heard; whoever comes later finds nobody listening, and comes again.
        while let Some(Ok((stream, _))) = listener.accept().now_or_never() {
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                break;
            };
            let_in(stream, place);
        }
        drop(listener);
        tasks.close();
        let in_time = timeout(limits.last_call, tasks.wait()).await.is_ok();
        over.cancel();
        tasks.wait().await;
        in_time
    }
}

/// What is said now and then, however often it happens: a crowd must not fill the log as well.
#[derive(Debug, Default)]
struct Seldom(Mutex<Option<Instant>>);

impl Seldom {
    /// Whether it has not been said for a while.
    fn now(&self) -> bool {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = said.is_none_or(|said| said.elapsed() > QUIET);
        if quiet {
            *said = Some(Instant::now());
        }
        quiet
    }
}

/// A place for one more connection, once there is one; `None` where the server stops before.
async fn next_place(
    places: &Arc<Semaphore>,
    full: &Seldom,
    stopping: &CancellationToken,
) -> Option<OwnedSemaphorePermit> {
    if places.available_permits() == 0 && full.now() {
        tracing::warn!("as many connections stand as may: further ones wait until one ends");
    }
    tokio::select! {
        // It is never closed.
        place = Arc::clone(places).acquire_owned() => place.ok(),
        () = stopping.cancelled() => None,
    }
}

/// One connection that failed before it was taken says nothing of the next; a system without files needs time.
async fn rest_after(error: &io::Error) {
    use io::ErrorKind as K;
    if !matches!(
        error.kind(),
        K::ConnectionRefused | K::ConnectionAborted | K::ConnectionReset
    ) {
        tracing::error!(%error, "no connection can be taken now");
        sleep(REST).await;
    }
}

/// Says why there is no place, where it can be read: before a TLS handshake nothing can be said.
async fn turn_away(mut stream: TcpStream, plain: bool) -> io::Result<()> {
    const WHY: &str = r#"{"type":"urn:holdpoint:problem:overloaded","title":"The server has no room for this now","status":503,"detail":"Too many connections stand from this address: close some, or use them again for further requests."}"#;
    if plain {
        let length = WHY.len();
        let answer = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n\
             content-length: {length}\r\nretry-after: 5\r\ncache-control: no-store\r\n\
             x-content-type-options: nosniff\r\nconnection: close\r\n\r\n{WHY}"
        );
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // What they sent is read away: closing over it would take the answer back.
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await? > 0 {}
    }
    Ok(())
}
