//! One signed POST to an address that may be dialled. Of the answer its status is read and nothing else.

use std::error::Error;
use std::time::{Duration, Instant};

use holdpoint::ledger::Heard;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderValue};

use super::Webhooks;
use super::guard::NotDialled;

/// A message as it goes out.
pub(crate) struct Signed<'a> {
    /// The same for every try.
    pub id: &'a str,
    /// When it is sent, in seconds since 1970.
    pub at: i64,
    /// By every secret that is valid now, separated by blanks.
    pub signatures: String,
    /// What was signed.
    pub body: String,
}

impl Webhooks {
    /// Posts a message. Whatever goes wrong is told in plain words, without what the receiver said.
    pub(crate) async fn tell(&self, url: &str, message: Signed<'_>) -> Heard {
        let began = Instant::now();
        let told = self.tell_now(url, message).await;
        let took: Duration = began.elapsed();
        let (status, error) = match told {
            Ok(status) => (Some(status.as_u16()), unheard(status)),
            Err(error) => (None, Some(error)),
        };
        Heard {
            status,
            took_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            error,
        }
    }

    async fn tell_now(&self, url: &str, message: Signed<'_>) -> Result<reqwest::StatusCode, String> {
        let url = Url::parse(url).map_err(|_| "the address can't be read".to_owned())?;
        self.guard.check_literal(&url)?;
        let mut signature = HeaderValue::try_from(message.signatures).map_err(|error| error.to_string())?;
        signature.set_sensitive(true);
        let answer = self
            .client
            .post(url)
            .header(standardwebhooks::HEADER_WEBHOOK_ID, message.id)
            .header(standardwebhooks::HEADER_WEBHOOK_TIMESTAMP, message.at)
            .header(standardwebhooks::HEADER_WEBHOOK_SIGNATURE, signature)
            .header(CONTENT_TYPE, "application/json")
            .body(message.body)
            .send()
            .await
            .map_err(|error| plain(&error))?;
        // Dropped unread: an answer without an end costs nothing, and tells nobody what stands inside a network.
        Ok(answer.status())
    }
}

/// What an answer that is no 2xx means.
fn unheard(status: reqwest::StatusCode) -> Option<String> {
    match status {
        status if status.is_success() => None,
        status if status.is_redirection() => Some(format!(
            "it was answered {}: redirects are not followed",
            status.as_u16()
        )),
        status => Some(format!("it was answered {}", status.as_u16())),
    }
}

/// What went wrong: people read it, so it says nothing of addresses inside.
pub(super) fn plain(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<NotDialled>() {
            return inner.to_string();
        }
        cause = inner.source();
    }
    if error.is_timeout() {
        "no answer within 20 s"
    } else if error.is_connect() {
        "it could not be reached"
    } else {
        "the connection broke"
    }
    .to_owned()
}
