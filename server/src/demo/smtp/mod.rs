//! A mail server that truly receives and keeps mail, for the demonstration and for tests.
//!
//! The protocol is in [`session`] and does no I/O; this file moves bytes, and [`inbox`] keeps what came.

mod inbox;
mod session;
#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
    time::timeout,
};

pub use self::inbox::Mail;
use self::{
    inbox::Inbox,
    session::{Session, Step},
};

/// The largest message that is taken, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

/// RFC 5321, 4.5.3.2.7 asks a server to wait at least five minutes for the next command.
const IDLE: Duration = Duration::from_mins(5);

const READ_BYTES: usize = 8 * 1024;

/// A running mail server. Dropping it closes the listener and every connection; the mail is gone with it,
/// except for the files of a directory that was given.
pub struct SmtpServer {
    address: SocketAddr,
    inbox: Arc<Inbox>,
    accepting: JoinHandle<()>,
}

impl SmtpServer {
    /// Listens on a free port of the loopback address.
    ///
    /// With a directory, each mail is written there as `1.eml`, `2.eml`, … as well, for whoever wants to look.
    ///
    /// # Errors
    /// The port cannot be bound.
    pub async fn start(directory: Option<&Path>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let inbox = Arc::new(Inbox::new(directory));
        let accepting = tokio::spawn(accept(listener, Arc::clone(&inbox)));
        Ok(Self {
            address,
            inbox,
            accepting,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All mail that was kept so far, oldest first.
    pub fn mails(&self) -> Vec<Mail> {
        self.inbox.mails()
    }

    /// How many copies of the mail with this `Message-ID` (written with its angle brackets) are kept.
    pub fn copies(&self, message_id: &str) -> usize {
        self.inbox
            .count(|mail| mail.message_id.as_deref() == Some(message_id))
    }

    /// How many mails are kept for a recipient of the envelope.
    pub fn received_by(&self, recipient: &str) -> usize {
        self.inbox.count(|mail| mail.to.iter().any(|to| to == recipient))
    }

    /// Waits until at least `count` mails are kept.
    pub async fn wait_for(&self, count: usize) {
        self.inbox.wait_for(count).await;
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts until aborted; the set of connections is aborted with this task.
async fn accept(listener: TcpListener, inbox: Arc<Inbox>) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let inbox = Arc::clone(&inbox);
                connections.spawn(async move {
                    if let Err(error) = serve(stream, &inbox).await {
                        tracing::debug!(%peer, %error, "the mail server lost a connection");
                    }
                });
            }
            Err(error) => {
                // Out of file descriptors, most likely: others must end before it is any use to go on.
                tracing::warn!(%error, "the mail server could not accept a connection");
                connections.join_next().await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Speaks with one client until it quits, falls silent or is cut off.
async fn serve(mut stream: TcpStream, inbox: &Inbox) -> io::Result<()> {
    let mut session = Session::new();
    let mut input = vec![0; READ_BYTES];
    let mut output = session::greeting();
    loop {
        stream.write_all(&output).await?;
        output.clear();
        let Ok(read) = timeout(IDLE, stream.read(&mut input)).await else {
            return stream.write_all(session::IDLE_REPLY).await;
        };
        let mut bytes = match read? {
            0 => return Ok(()),
            length => input[..length].iter(),
        };
        loop {
            match session.advance(&mut bytes, &mut output) {
                Step::NeedsMore => break,
                // A mail is kept before anybody is told so: a 250 for a mail that is then lost would be a lie.
                Step::Received(envelope) => session::receipt(inbox.keep(envelope).await, &mut output),
                Step::Close => return stream.write_all(&output).await,
            }
        }
    }
}
