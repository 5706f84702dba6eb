//! Sessions: how they begin, live and end, and what a person does with their own account.
//!
//! What a browser holds is a secret that only its hash is kept of; a handle, worked out from that hash, names the
//! session to people and opens nothing.

use std::net::IpAddr;

use super::NO_PASSWORD;
use super::{Actor, Entry, Error, Ledger, to_the_end};
use crate::intent::PayloadHash;
use crate::time::Time;
use crate::words::{AuditEvent, BeganBy, Role};

/// The longest description of a browser that is kept, in characters.
const AGENT_CHARS: usize = 256;
/// The most that a session holds, in bytes.
const MAX_DATA_BYTES: usize = 4096;

/// What a session begins with.
#[derive(Clone, Debug)]
pub struct NewSession<'a> {
    /// Whose it is.
    pub operator: &'a str,
    /// Their epoch when it was found out who they are.
    pub epoch: i64,
    /// How that was found out.
    pub began_by: BeganBy,
    /// After how many seconds it ends, whatever happens in it.
    pub lasts_s: i64,
    /// From where.
    pub address: Option<IpAddr>,
    /// What the browser says of itself.
    pub agent: Option<&'a str>,
    /// What it holds, as text.
    pub data: &'a str,
}

/// A session that lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// What people call it by.
    pub handle: String,
    /// Whose it is.
    pub operator: String,
    /// When it ends, whatever happens in it.
    pub expires_at: Time,
    /// What it holds.
    pub data: String,
}

/// A session as its person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSession {
    /// What it is called by, to end it.
    pub handle: String,
    /// How it began.
    pub began_by: BeganBy,
    /// When it began.
    pub created_at: Time,
    /// When it was seen last, to the minute.
    pub seen_at: Time,
    /// When it ends, whatever happens in it.
    pub expires_at: Time,
    /// From where it began.
    pub address: Option<String>,
    /// What the browser says of itself.
    pub agent: Option<String>,
    /// Whether it is the one that asks.
    pub this: bool,
}

/// A person's own account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Since when they may sign in.
    pub created_at: Time,
    /// Whether they have a password; who signs in through an identity provider has none.
    pub has_password: bool,
    /// Their living sessions, the one seen last first.
    pub sessions: Vec<OwnSession>,
}

/// What names a session to people: worked out from the secret, which cannot be worked out from it.
pub fn session_handle(secret: &str) -> String {
    handle_of(&PayloadHash::of(secret))
}

fn handle_of(hash: &PayloadHash) -> String {
    let handle = PayloadHash::of(format!("session {hash}"));
    handle.as_str()[..20].to_owned()
}

impl Ledger {
    /// Begins a session under a secret that nobody had before. False where this person may not sign in, or was
    /// changed since it was found out who they are.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more data than a session holds, [`Error::Store`].
    pub async fn begin_session(&self, secret: &str, new: &NewSession<'_>) -> Result<bool, Error> {
        check_data(new.data)?;
        let agent = new.agent.map(|agent| plain(agent, AGENT_CHARS));
        let new = NewSession {
            agent: agent.as_deref(),
            ..new.clone()
        };
        let hash = PayloadHash::of(secret);
        Ok(self
            .store
            .begin_session(hash.as_str(), &handle_of(&hash), &new)
            .await?)
    }

    /// The session under this secret, if it lives: neither ended nor expired, not idle for longer than `idle_s`
    /// seconds, and its person is as they were when it began. It counts as used.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn session(&self, secret: &str, idle_s: i64) -> Result<Option<Session>, Error> {
        let hash = PayloadHash::of(secret);
        Ok(self.store.session(hash.as_str(), idle_s, true).await?)
    }

    /// The same for what only asks whether it still lives, as a stream does that nobody may be looking at: a session
    /// that nobody uses grows idle under it.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn unused_session(&self, secret: &str, idle_s: i64) -> Result<Option<Session>, Error> {
        let hash = PayloadHash::of(secret);
        Ok(self.store.session(hash.as_str(), idle_s, false).await?)
    }

    /// Keeps what a living session holds. False where none lives under this secret: one that has ended is not begun
    /// again.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more data than a session holds, [`Error::Store`].
    pub async fn save_session(&self, secret: &str, idle_s: i64, data: &str) -> Result<bool, Error> {
        check_data(data)?;
        let hash = PayloadHash::of(secret);
        Ok(self.store.save_session(hash.as_str(), idle_s, data).await?)
    }

    /// Ends the session under this secret. False where there was none.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn end_session(&self, secret: &str) -> Result<bool, Error> {
        Ok(self.store.end_session(PayloadHash::of(secret).as_str()).await?)
    }

    /// Deletes the sessions that have ended, and what failed sign-ins do not count for any more. How many rows.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn sweep_sessions(&self, idle_s: i64) -> Result<u64, Error> {
        Ok(self.store.sweep_sessions(idle_s).await? + self.store.sweep_sign_ins().await?)
    }

    /// The caller's own account, with their living sessions.
    ///
    /// # Errors
    /// [`Error::NeedsBrowser`] for who is no person, [`Error::NotFound`].
    pub async fn account(&self, actor: &Actor, idle_s: i64) -> Result<Account, Error> {
        let (name, via) = actor.themselves()?;
        let Some(operator) = self.store.operator(name).await? else {
            return Err(Error::NotFound { what: "operator" });
        };
        let mut sessions = self.store.sessions_of(name, idle_s).await?;
        for session in &mut sessions {
            session.this = via.session.as_ref() == Some(&session.handle);
        }
        Ok(Account {
            name: operator.name,
            role: operator.role,
            created_at: operator.created_at,
            has_password: operator.password_hash != NO_PASSWORD,
            sessions,
        })
    }

    /// Ends one of the caller's own sessions, by its handle.
    ///
    /// # Errors
    /// [`Error::NotFound`] where they have no such session, [`Error::NeedsBrowser`] for who is no person.
    pub async fn end_own_session(&self, actor: &Actor, handle: &str) -> Result<(), Error> {
        let (name, _) = actor.themselves()?;
        // What cannot be a handle is not looked for: the database need not be able to hold it.
        if !is_handle(handle) {
            return Err(Error::NotFound { what: "session" });
        }
        let entry = Entry::by(actor, AuditEvent::SessionEnded)
            .about(name)
            .with("session", handle);
        let (ledger, name, handle) = (self.clone(), name.to_owned(), handle.to_owned());
        to_the_end(async move {
            if ledger.store.end_session_of(&name, &handle, &entry).await? {
                Ok(())
            } else {
                Err(Error::NotFound { what: "session" })
            }
        })
        .await
    }

    /// Ends all of the caller's sessions but the one that asks. How many.
    ///
    /// # Errors
    /// [`Error::NeedsBrowser`] for who is no person.
    pub async fn end_other_sessions(&self, actor: &Actor) -> Result<u64, Error> {
        let (name, via) = actor.themselves()?;
        let entry = Entry::by(actor, AuditEvent::SessionEnded).about(name);
        let this = via.session.clone().unwrap_or_default();
        let (ledger, name) = (self.clone(), name.to_owned());
        to_the_end(async move { Ok(ledger.store.end_sessions_but(&name, &this, &entry).await?) }).await
    }

    /// Gives the caller another password, hashed, and ends all of their sessions, this one included. `epoch` is theirs
    /// when their present password was looked at; the one from then on is answered, to begin a session anew.
    ///
    /// # Errors
    /// [`Error::NeedsBrowser`] for a token; [`Error::NotFound`] where they were changed meanwhile, are disabled, or
    /// have no password.
    pub async fn change_own_password(
        &self,
        actor: &Actor,
        epoch: i64,
        password_hash: &str,
    ) -> Result<i64, Error> {
        let (name, via) = actor.themselves()?;
        if via.token.is_some() || via.session.is_none() {
            return Err(Error::NeedsBrowser);
        }
        let entry = Entry::by(actor, AuditEvent::PasswordChanged).about(name);
        let (store, name, hash) = (self.store.clone(), name.to_owned(), password_hash.to_owned());
        to_the_end(async move {
            let changed = store.change_password(&name, epoch, &hash, &entry).await?;
            changed.ok_or(Error::NotFound { what: "password" })
        })
        .await
    }
}

fn check_data(data: &str) -> Result<(), Error> {
    if data.len() <= MAX_DATA_BYTES {
        return Ok(());
    }
    let detail = format!("a session holds {MAX_DATA_BYTES} bytes at most");
    Err(Error::Invalid {
        field: "data",
        detail,
    })
}

fn is_handle(text: &str) -> bool {
    text.len() == 20 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// One plain line of so many characters at most.
fn plain(text: &str, most: usize) -> String {
    text.chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .take(most)
        .collect()
}
