//! What can go wrong in a database, as its callers may hear it.

/// A statement failed. The inside is for the log, never for a caller.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is locked: try again.
    #[error("the database is busy")]
    Busy(#[source] sqlx::Error),
    /// The database refuses writes, or has no room left for them.
    #[error("the database can be read but not written")]
    ReadOnly(#[source] sqlx::Error),
    /// The database does not answer.
    #[error("the database does not answer")]
    Unavailable(#[source] sqlx::Error),
    /// A question that would have taken too long was called off.
    #[error("the question took too long")]
    TooLong(#[source] sqlx::Error),
    /// Anything else the database said.
    #[error("the database refused a statement")]
    Database(#[source] sqlx::Error),
    /// A row that cannot be.
    #[error("table {table}, column {column}, key {key}: {detail}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's key.
        key: String,
        /// What is wrong with it.
        detail: String,
    },
}

impl StoreError {
    /// PostgreSQL undid a transaction because it and another waited for each other.
    pub(crate) fn was_deadlock(&self) -> bool {
        matches!(self, Self::Busy(sqlx::Error::Database(said)) if said.code().as_deref() == Some("40P01"))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match Class::of(&error) {
            Class::Busy => Self::Busy(error),
            Class::ReadOnly => Self::ReadOnly(error),
            Class::Unavailable => Self::Unavailable(error),
            Class::TooLong => Self::TooLong(error),
            Class::CannotOpen | Class::Other => Self::Database(error),
        }
    }
}

/// What kind of trouble a database is in.
enum Class {
    Busy,
    ReadOnly,
    Unavailable,
    TooLong,
    CannotOpen,
    Other,
}

impl Class {
    fn of(error: &sqlx::Error) -> Self {
        match error {
            // No connection came in time: all of them are at work, or the database takes none.
            sqlx::Error::PoolTimedOut
            | sqlx::Error::Io(_)
            | sqlx::Error::PoolClosed
            | sqlx::Error::Tls(_)
            | sqlx::Error::WorkerCrashed => Self::Unavailable,
            sqlx::Error::Database(said) => Self::of_code(said.as_ref()),
            _ => Self::Other,
        }
    }

    /// SQLite gives its extended result codes in decimal, the low byte being the class; PostgreSQL five characters,
    /// some of which are digits alone.
    fn of_code(said: &dyn sqlx::error::DatabaseError) -> Self {
        let code = said.code().unwrap_or_default();
        if said
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .is_some()
        {
            return match &*code {
                "40001" | "40P01" | "55P03" | "53300" => Self::Busy,
                "25006" | "53100" => Self::ReadOnly,
                "57014" => Self::TooLong,
                // It stops, starts, is dropped, or lets nobody in; the connection was lost on the way (class 08).
                "57P01" | "57P02" | "57P03" | "57P04" | "55000" => Self::Unavailable,
                code if code.starts_with("08") => Self::Unavailable,
                _ => Self::Other,
            };
        }
        match code.parse::<i64>().map(|c| c & 0xff) {
            Ok(5 | 6) => Self::Busy,
            Ok(8 | 13) => Self::ReadOnly,
            Ok(14) => Self::CannotOpen,
            _ => Self::Other,
        }
    }
}

/// A database that cannot be opened as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Neither SQLite nor PostgreSQL.
    #[error("the database's address must begin with sqlite:// or postgres://")]
    UnknownUrl,
    /// An address that cannot be read.
    #[error("the database's address cannot be read: {0}")]
    BadUrl(String),
    /// No file there.
    #[error("there is no database at {0}: make it with `holdpoint migrate` or `holdpoint serve`")]
    Missing(String),
    /// Older than the binary.
    #[error("the database is older than this program: run `holdpoint migrate` first")]
    Behind,
    /// Newer than the binary.
    #[error(
        "the database was migrated by a newer version of Holdpoint (migration {0}): run that version, or restore a backup from before"
    )]
    Newer(i64),
    /// A migration that was changed after it ran.
    #[error(
        "migration {0} was changed after it had been applied to this database: use the release that made it"
    )]
    Changed(i64),
    /// Something in the way of opening or migrating.
    #[error("the database cannot be opened: {hint}")]
    Cannot {
        /// What to do.
        hint: String,
        /// What the database said.
        #[source]
        source: sqlx::Error,
    },
    /// Something in the way of a statement.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::migrate::MigrateError> for OpenError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        use sqlx::migrate::MigrateError as M;
        match error {
            M::VersionMissing(version) => Self::Newer(version),
            M::VersionMismatch(version) => Self::Changed(version),
            M::Execute(source) | M::ExecuteMigration(source, _) => source.into(),
            other => sqlx::Error::Migrate(Box::new(other)).into(),
        }
    }
}

impl From<sqlx::Error> for OpenError {
    fn from(source: sqlx::Error) -> Self {
        let hint = match Class::of(&source) {
            _ if matches!(source, sqlx::Error::PoolTimedOut) => {
                "it does not answer in time: another process holds its lock, or it does not run at this address"
            }
            Class::Busy => "another process holds its lock; stop that process or try again",
            Class::ReadOnly => "it can be read but not written; mend the file's or the role's rights",
            Class::Unavailable | Class::TooLong => {
                "it does not answer; check that it runs and that the address is right"
            }
            Class::CannotOpen => {
                "its file cannot be opened; check that the folder is there and may be written to"
            }
            Class::Other if unprepared(&source) => {
                "a pooler in between does not follow prepared statements; let it pool by session, or dial the server"
            }
            Class::Other => {
                return Self::Cannot {
                    hint: plain(&source),
                    source,
                };
            }
        };
        Self::Cannot {
            hint: hint.to_owned(),
            source,
        }
    }
}

/// A statement that was prepared in another session, as poolers mix them up.
fn unprepared(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    matches!(code.as_deref(), Some("42P05" | "26000"))
}

/// The message of what the database said, without the address it was dialled at.
fn plain(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(said) => said.message().to_owned(),
        other => other.to_string(),
    }
}
