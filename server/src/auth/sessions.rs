//! Sessions of people: a cookie, a row in the same database, and the operator looked at again each time.

use std::net::IpAddr;

use async_trait::async_trait;
use holdpoint::{Actor, Ledger, Pools};
use serde::{Deserialize, Serialize};
use tower_sessions::cookie::SameSite;
use tower_sessions::cookie::time::Duration;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{self, ExpiredDeletion};
use tower_sessions::{Expiry, Session, SessionManagerLayer, SessionStore};
use tower_sessions_sqlx_store::{PostgresStore, SqliteStore};

use crate::problem::Problem;

/// How long a sign-in lasts.
const LASTS: Duration = Duration::hours(12);
/// The one thing that a session holds.
const SIGNED_IN: &str = "signed_in";

/// Where sessions are kept: beside the actions, in tables of the session store's own.
#[derive(Clone, Debug)]
pub enum Store {
    /// In SQLite.
    Sqlite(SqliteStore),
    /// In PostgreSQL.
    Postgres(PostgresStore),
}

impl Store {
    /// In the ledger's database, with the table made where it is missing.
    ///
    /// # Errors
    /// What the database said.
    pub async fn open(ledger: &Ledger) -> Result<Self, sqlx::Error> {
        match ledger.pools() {
            Pools::Sqlite(pool) => {
                let store = SqliteStore::new(pool);
                store.migrate().await?;
                Ok(Self::Sqlite(store))
            }
            Pools::Postgres(pool) => {
                let store = PostgresStore::new(pool);
                // Servers that start together may trip over each other once: the table is there the second time.
                if store.migrate().await.is_err() {
                    store.migrate().await?;
                }
                Ok(Self::Postgres(store))
            }
        }
    }

    /// Deletes what has expired.
    ///
    /// # Errors
    /// What the database said.
    pub async fn sweep(&self) -> session_store::Result<()> {
        match self {
            Self::Sqlite(store) => store.delete_expired().await,
            Self::Postgres(store) => store.delete_expired().await,
        }
    }

    /// The layer that reads and writes the cookie.
    pub fn layer(&self, https: bool) -> SessionManagerLayer<Self> {
        let name = if https { "__Host-holdpoint" } else { "holdpoint" };
        SessionManagerLayer::new(self.clone())
            .with_name(name)
            .with_path("/")
            .with_http_only(true)
            .with_secure(https)
            .with_same_site(SameSite::Lax)
            .with_expiry(Expiry::OnInactivity(LASTS))
    }
}

#[async_trait]
impl SessionStore for Store {
    async fn create(&self, record: &mut Record) -> session_store::Result<()> {
        match self {
            Self::Sqlite(store) => store.create(record).await,
            Self::Postgres(store) => store.create(record).await,
        }
    }

    async fn save(&self, record: &Record) -> session_store::Result<()> {
        match self {
            Self::Sqlite(store) => store.save(record).await,
            Self::Postgres(store) => store.save(record).await,
        }
    }

    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        match self {
            Self::Sqlite(store) => store.load(id).await,
            Self::Postgres(store) => store.load(id).await,
        }
    }

    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        match self {
            Self::Sqlite(store) => store.delete(id).await,
            Self::Postgres(store) => store.delete(id).await,
        }
    }
}

/// Whose session it is, and from which epoch of theirs.
#[derive(Debug, Serialize, Deserialize)]
struct SignedIn {
    name: String,
    epoch: i64,
}

/// Signs somebody in under a fresh id, so that an id known before is worth nothing.
///
/// # Errors
/// [`Problem`] where the session can't be kept.
pub async fn begin(session: &Session, name: &str, epoch: i64) -> Result<(), Problem> {
    session.cycle_id().await.map_err(unkept)?;
    let signed_in = SignedIn {
        name: name.to_owned(),
        epoch,
    };
    session.insert(SIGNED_IN, signed_in).await.map_err(unkept)
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
    let Some(SignedIn { name, epoch }) = session.get(SIGNED_IN).await.map_err(unkept)? else {
        return Ok(None);
    };
    let operator = ledger.operator_for_sign_in(&name).await?;
    let operator = operator.filter(|o| !o.disabled && o.epoch == epoch);
    Ok(operator.map(|o| Actor::person(o.name, o.role).calling_from(from)))
}

fn unkept(error: impl std::fmt::Display) -> Problem {
    Problem::internal(format!("a session can't be read or written: {error}"))
}
