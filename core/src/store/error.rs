//! What can go wrong in a database, as its callers may hear it.

/// A statement failed. The inside is for the log, never for a caller.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is locked or its pool is full: try again.
    #[error("the database is busy")]
    Busy(#[source] sqlx::Error),
    /// The database refuses writes.
    #[error("the database can be read but not written")]
    ReadOnly(#[source] sqlx::Error),
    /// The database does not answer.
    #[error("the database does not answer")]
    Unavailable(#[source] sqlx::Error),
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

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code).map(|c| c.into_owned());
        // SQLite gives its extended result codes: the low byte is the class (5 busy, 6 locked, 8 read-only).
        let sqlite = code.as_deref().and_then(|c| c.parse::<i64>().ok()).map(|c| c & 0xff);
        match (&error, code.as_deref(), sqlite) {
            (sqlx::Error::PoolTimedOut, ..) | (_, _, Some(5 | 6)) | (_, Some("40001" | "40P01" | "55P03" | "53300"), _) => {
                Self::Busy(error)
            }
            (_, Some("25006"), _) | (_, _, Some(8)) => Self::ReadOnly(error),
            (sqlx::Error::Io(_) | sqlx::Error::PoolClosed | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed, ..)
            | (_, Some("57P01" | "57P02" | "57P03"), _) => Self::Unavailable(error),
            _ => Self::Database(error),
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
    #[error("migration {0} was changed after it had been applied to this database: use the release that made it")]
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
        let hint = match StoreError::from(clone_kind(&source)) {
            StoreError::Busy(_) => "another process holds its lock; stop that process or try again",
            StoreError::ReadOnly(_) => "it can be read but not written; mend the file's or the role's rights",
            StoreError::Unavailable(_) => "it does not answer; check that it runs and that the address is right",
            _ => return Self::Cannot { hint: plain(&source), source },
        };
        Self::Cannot { hint: hint.to_owned(), source }
    }
}

/// The message of what the database said, without the address it was dialled at.
fn plain(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(said) => said.message().to_owned(),
        other => other.to_string(),
    }
}

/// An error of the same class: `sqlx::Error` cannot be cloned, and only its class is asked for.
fn clone_kind(error: &sqlx::Error) -> sqlx::Error {
    match error {
        sqlx::Error::PoolTimedOut => sqlx::Error::PoolTimedOut,
        sqlx::Error::Io(io) => sqlx::Error::Io(io.kind().into()),
        sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => sqlx::Error::PoolClosed,
        _ => sqlx::Error::RowNotFound,
    }
}
