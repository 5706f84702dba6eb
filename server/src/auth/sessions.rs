//! Sessions of people: a cookie, a row in the ledger's database, and the operator looked at again each time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use holdpoint::ledger::{self, NewSession, session_handle};
use holdpoint::{Actor, BeganBy, Ledger, StoreError};
use serde::{Deserialize, Serialize};
use tower_sessions::cookie::SameSite;
use tower_sessions::session::{Error as SessionError, Id, Record};
use tower_sessions::session_store::{Error as KeepError, Result as KeepResult};
use tower_sessions::{Expiry, Session, SessionManagerLayer, SessionStore};

use super::{Address, Peer};
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// What a session holds first of all: whose it is.
const SIGNED_IN: &str = "signed_in";
/// Where what changes is told.
const STREAM: &str = "/api/v1/events";
/// How the store begins to say that trying again helps.
const UNAVAILABLE: &str = "unavailable: ";

/// How long a session may live.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Without being used.
    pub idle: Duration,
    /// In all.
    pub lasts: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            idle: Duration::from_hours(2),
            lasts: Duration::from_hours(12),
        }
    }
}

impl Limits {
    /// Without being used, in seconds.
    pub const fn idle_s(self) -> i64 {
        self.idle.as_secs() as i64
    }
}

/// Whose session it is, from which epoch of theirs, and how it began.
#[derive(Debug, Serialize, Deserialize)]
struct SignedIn {
    name: String,
    epoch: i64,
    began_by: BeganBy,
    lasts_s: Option<u64>,
}

tokio::task_local! {
    /// From where the request comes that is being answered, and what its browser says of itself: whoever begins a
    /// session has nothing but the session in hand.
    static CALL: Call;
}

#[derive(Clone, Debug, Default)]
struct Call {
    from: Option<IpAddr>,
    agent: Option<String>,
    /// A stream is begun anew by the browser alone whenever its line breaks: that is no use of a session either.
    streams: bool,
}

/// Where sessions are kept: beside the actions, by the rules of the ledger and its clock.
#[derive(Clone, Debug)]
pub struct Store {
    ledger: Ledger,
    limits: Limits,
    /// What is read counts as used.
    uses: bool,
}

impl Store {
    /// In the ledger's database.
    pub const fn new(ledger: Ledger, limits: Limits) -> Self {
        Self {
            ledger,
            limits,
            uses: true,
        }
    }

    /// The same for what only asks whether a session still lives: it grows idle all the same.
    #[must_use]
    pub fn only_looking(&self) -> Self {
        Self {
            uses: false,
            ..self.clone()
        }
    }

    /// How long a session may live.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Deletes what has expired.
    ///
    /// # Errors
    /// What the ledger said.
    pub async fn sweep(&self) -> Result<u64, ledger::Error> {
        self.ledger.sweep_sessions(self.limits.idle_s()).await
    }

    /// The layer that reads and writes the cookie.
    pub fn layer(&self, address: &Address) -> SessionManagerLayer<Self> {
        let lasts = self.limits.lasts.as_secs() as i64;
        SessionManagerLayer::new(self.clone())
            .with_name(cookie(address))
            .with_path("/")
            .with_http_only(true)
            .with_secure(address.is_https())
            .with_same_site(SameSite::Lax)
            // The browser's copy of the longest there can be; what counts is the row.
            .with_expiry(Expiry::OnInactivity(
                tower_sessions::cookie::time::Duration::seconds(lasts),
            ))
    }
}

/// The cookie's name. Without https cookies know no ports, and a second server on the same host would overwrite it.
fn cookie(address: &Address) -> String {
    if address.is_https() {
        return "__Host-holdpoint".to_owned();
    }
    let port = address.public_url().rsplit(':').next().unwrap_or_default();
    let port: u16 = port.parse().unwrap_or(80);
    format!("holdpoint-{port}")
}

#[async_trait]
impl SessionStore for Store {
    async fn create(&self, record: &mut Record) -> KeepResult<()> {
        let signed_in = record.data.get(SIGNED_IN).cloned();
        let signed_in: SignedIn = signed_in
            .and_then(|value| serde_json::from_value(value).ok())
            .ok_or_else(|| KeepError::Backend("only who is signed in has a session".to_owned()))?;
        let call = CALL.try_with(Clone::clone).unwrap_or_default();
        let data = encoded(&record.data)?;
        let lasts = self.limits.lasts.as_secs();
        let new = NewSession {
            operator: &signed_in.name,
            epoch: signed_in.epoch,
            began_by: signed_in.began_by,
            lasts_s: signed_in.lasts_s.unwrap_or(lasts).min(lasts) as i64,
            address: call.from,
            agent: call.agent.as_deref(),
            data: &data,
        };
        if self
            .ledger
            .begin_session(&record.id.to_string(), &new)
            .await
            .map_err(kept)?
        {
            return Ok(());
        }
        // An id that is taken cannot be met by chance: their role or password was changed a moment ago.
        Err(KeepError::Backend(format!(
            "{UNAVAILABLE}the operator was changed while they signed in"
        )))
    }

    async fn save(&self, record: &Record) -> KeepResult<()> {
        let data = encoded(&record.data)?;
        let saved = self
            .ledger
            .save_session(&record.id.to_string(), self.limits.idle_s(), &data)
            .await
            .map_err(kept)?;
        if !saved {
            tracing::debug!("a session ended while a request of it was answered");
        }
        Ok(())
    }

    async fn load(&self, id: &Id) -> KeepResult<Option<Record>> {
        let (secret, idle_s) = (id.to_string(), self.limits.idle_s());
        let streams = CALL.try_with(|call| call.streams).unwrap_or_default();
        let found = if self.uses && !streams {
            self.ledger.session(&secret, idle_s).await
        } else {
            self.ledger.unused_session(&secret, idle_s).await
        };
        let Some(session) = found.map_err(kept)? else {
            return Ok(None);
        };
        let data: HashMap<_, _> =
            serde_json::from_str(&session.data).map_err(|error| KeepError::Decode(error.to_string()))?;
        Ok(Some(Record {
            id: *id,
            data,
            expiry_date: session.expires_at.to_datetime(),
        }))
    }

    async fn delete(&self, id: &Id) -> KeepResult<()> {
        self.ledger.end_session(&id.to_string()).await.map_err(kept)?;
        Ok(())
    }
}

fn encoded(data: &HashMap<String, serde_json::Value>) -> KeepResult<String> {
    serde_json::to_string(data).map_err(|error| KeepError::Encode(error.to_string()))
}

/// What the ledger said, as a store may say it.
#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn kept(error: ledger::Error) -> KeepError {
    let helps = matches!(
        error,
        ledger::Error::Store(StoreError::Busy(_) | StoreError::ReadOnly(_) | StoreError::Unavailable(_))
    );
    let before = if helps { UNAVAILABLE } else { "" };
    KeepError::Backend(format!("{before}{error}"))
}

/// Notes from where the request comes, and sees to the cookie of who signs out: with its prefix, a browser takes
/// nothing away that is not said to be secure.
pub async fn around(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let agent = request.headers().get(header::USER_AGENT);
    let call = Call {
        from: request.extensions().get::<Peer>().and_then(|peer| peer.0),
        agent: agent.map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned()),
        streams: request.uri().path() == STREAM,
    };
    let mut response = CALL.scope(call, next.run(request)).await;
    if state.address.is_https() {
        secure(response.headers_mut());
    }
    response
}

fn secure(headers: &mut HeaderMap) {
    for value in headers.iter_mut().filter(|(name, _)| *name == header::SET_COOKIE) {
        let text = value.1.to_str().unwrap_or_default();
        if text.starts_with("__Host-")
            && !text.contains("; Secure")
            && let Ok(secured) = HeaderValue::try_from(format!("{text}; HttpOnly; SameSite=Lax; Secure"))
        {
            *value.1 = secured;
        }
    }
}

/// Signs somebody in by their password, under a fresh id, so that an id known before is worth nothing.
///
/// # Errors
/// [`Problem`] where the session can't be kept.
pub async fn begin(session: &Session, name: &str, epoch: i64) -> Result<(), Problem> {
    begin_by(session, name, epoch, BeganBy::Password, None).await
}

/// The same by whatever means, for no longer than this.
///
/// # Errors
/// [`Problem`] where the session can't be kept.
pub async fn begin_by(
    session: &Session,
    name: &str,
    epoch: i64,
    began_by: BeganBy,
    lasts: Option<Duration>,
) -> Result<(), Problem> {
    session.cycle_id().await.map_err(unkept)?;
    session.clear().await;
    let signed_in = SignedIn {
        name: name.to_owned(),
        epoch,
        began_by,
        lasts_s: lasts.map(|lasts| lasts.as_secs()),
    };
    session.insert(SIGNED_IN, signed_in).await.map_err(unkept)?;
    // At once, and not with the answer: whatever is said after it, the row of the old id is gone and this one is there.
    session.save().await.map_err(unkept)
}

/// Signs them out, here and in the database.
///
/// # Errors
/// [`Problem`] where the session can't be deleted.
pub async fn end(session: &Session) -> Result<(), Problem> {
    session.flush().await.map_err(unkept)
}

/// The person whose session it is, as they stand now: a changed role or password, or a disabled name, ends it.
///
/// # Errors
/// [`Problem`] where the database can't be asked.
pub async fn person(
    session: &Session,
    ledger: &Ledger,
    from: Option<IpAddr>,
) -> Result<Option<Actor>, Problem> {
    let signed_in = session.get(SIGNED_IN).await.map_err(unkept)?;
    let Some((SignedIn { name, epoch, .. }, id)) = signed_in.zip(session.id()) else {
        return Ok(None);
    };
    let operator = ledger.operator_for_sign_in(&name).await?;
    let operator = operator.filter(|o| !o.disabled && o.epoch == epoch);
    Ok(operator.map(|o| {
        Actor::person(o.name, o.role)
            .calling_from(from)
            .in_session(session_handle(&id.to_string()))
    }))
}

fn unkept(error: SessionError) -> Problem {
    let inside = format!("a session can't be read or written: {error}");
    match error {
        SessionError::Store(KeepError::Backend(said)) if said.starts_with(UNAVAILABLE) => Problem::new(
            &kind::UNAVAILABLE,
            "The database does not answer, or all of its connections are at work. Try the same again.",
        )
        .retry_after(5)
        .inside(inside),
        _ => Problem::internal(inside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_https_the_cookie_s_name_says_the_port() {
        let name = |listen: &str, url: Option<&str>| {
            cookie(&Address::new(listen.parse().unwrap(), url, &[]).unwrap())
        };
        assert_eq!(name("127.0.0.1:3000", None), "holdpoint-3000");
        assert_eq!(name("[::1]:3001", None), "holdpoint-3001");
        assert_eq!(name("127.0.0.1:3000", Some("http://ledger.lan")), "holdpoint-80");
        assert_eq!(
            name("127.0.0.1:3000", Some("http://ledger.lan:8080")),
            "holdpoint-8080"
        );
        assert_eq!(
            name("127.0.0.1:3000", Some("https://ledger.example")),
            "__Host-holdpoint"
        );
    }
}
