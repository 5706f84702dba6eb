//! The client side: sends a mail over SMTP, and says of a failure whether the mail may be out.
//!
//! The commands are given one by one, not through lettre's transport, because only who knows how far the
//! conversation came can tell "surely not sent" from "nobody knows".

mod error;
#[cfg(test)]
mod tests;

use std::{iter, net::SocketAddr, time::Duration};

use lettre::{
    Address, Message,
    transport::smtp::{
        client::AsyncSmtpConnection,
        commands::{Data, Mail, Rcpt},
        extension::ClientId,
    },
};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

pub use self::error::{Certainty, Phase, SendError};

/// How long the good bye may take once the outcome is known.
const QUIT_LIMIT: Duration = Duration::from_secs(1);

/// A mail to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub from: String,
    pub to: String,
    pub subject: String,
    pub body: String,
    /// With its angle brackets; see [`message_id`].
    pub message_id: String,
}

/// What the mail server said when it took the mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub message_id: String,
    pub reply: String,
}

/// Sends to one server, a connection for each mail.
#[derive(Debug, Clone)]
pub struct Mailer {
    server: SocketAddr,
    limit: Duration,
}

/// The `Message-ID` of an action: the same for every attempt, so that copies can be counted.
pub fn message_id(key: &str) -> String {
    format!("<{key}@demo.holdpoint.invalid>")
}

impl Mailer {
    /// `limit` is what a whole conversation may take.
    pub fn new(server: SocketAddr, limit: Duration) -> Self {
        Self { server, limit }
    }

    /// Sends a letter; returns when the server said that it took it.
    ///
    /// # Errors
    /// [`SendError`] says how far it came and whether the mail may be out.
    pub async fn send(&self, letter: &Letter) -> Result<Receipt, SendError> {
        let (sender, recipient, message) = compose(letter)?;
        let mut phase = Phase::Connect;
        let conversation = self.converse(sender, recipient, &message, &mut phase);
        match timeout(self.limit, conversation).await {
            Ok(Ok((connection, reply))) => {
                good_bye(connection).await;
                Ok(Receipt {
                    message_id: letter.message_id.clone(),
                    reply,
                })
            }
            Ok(Err(error)) => Err(SendError::at(phase, &error)),
            Err(_) => Err(SendError::silent(phase, self.limit)),
        }
    }

    /// `phase` is always what was last begun, also when this is dropped half-way.
    async fn converse(
        &self,
        sender: Address,
        recipient: Address,
        message: &[u8],
        phase: &mut Phase,
    ) -> Result<(AsyncSmtpConnection, String), lettre::transport::smtp::Error> {
        let hello = ClientId::default();
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(self.server, None, &hello, None, None).await?;
        *phase = Phase::Sender;
        connection.command(Mail::new(Some(sender), vec![])).await?;
        *phase = Phase::Recipient;
        connection.command(Rcpt::new(recipient, vec![])).await?;
        *phase = Phase::Data;
        connection.command(Data).await?;
        *phase = Phase::Body;
        // The final dot is written once the iterator has nothing more to give: from then on the mail may be out.
        let end = iter::from_fn(|| {
            *phase = Phase::FinalDot;
            None
        });
        let reply = connection.message_iter(iter::once(message).chain(end)).await?;
        Ok((connection, reply.message().collect::<Vec<_>>().join(" ")))
    }
}

fn compose(letter: &Letter) -> Result<(Address, Address, Vec<u8>), SendError> {
    let sender: Address = letter
        .from
        .parse()
        .map_err(|error| SendError::unusable("sender", &error))?;
    let recipient: Address = letter
        .to
        .parse()
        .map_err(|error| SendError::unusable("recipient", &error))?;
    let message = Message::builder()
        .from(sender.clone().into())
        .to(recipient.clone().into())
        .subject(letter.subject.as_str())
        .message_id(Some(letter.message_id.clone()))
        .body(letter.body.clone())
        .map_err(|error| SendError::unusable("message", &error))?;
    Ok((sender, recipient, message.formatted()))
}

/// The mail is out by now: whatever goes wrong here changes nothing.
async fn good_bye(mut connection: AsyncSmtpConnection) {
    if !matches!(timeout(QUIT_LIMIT, connection.quit()).await, Ok(Ok(_))) {
        tracing::debug!("the mail server took the mail and did not say good bye");
    }
}
