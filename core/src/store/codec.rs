//! How times and words stand in columns: `timestamptz` in PostgreSQL, integer microseconds in SQLite.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef};
use sqlx::sqlite::{SqliteArgumentValue, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Postgres, Sqlite, Type};
use time::OffsetDateTime;

use super::StoreError;
use crate::time::Time;

impl Type<Sqlite> for Time {
    fn type_info() -> SqliteTypeInfo {
        <i64 as Type<Sqlite>>::type_info()
    }
    fn compatible(ty: &SqliteTypeInfo) -> bool {
        <i64 as Type<Sqlite>>::compatible(ty)
    }
}

impl<'q> Encode<'q, Sqlite> for Time {
    fn encode_by_ref(&self, args: &mut Vec<SqliteArgumentValue<'q>>) -> Result<IsNull, BoxDynError> {
        <i64 as Encode<'q, Sqlite>>::encode(self.micros(), args)
    }
}

impl<'r> Decode<'r, Sqlite> for Time {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        <i64 as Decode<'r, Sqlite>>::decode(value).map(Self::from_micros)
    }
}

impl Type<Postgres> for Time {
    fn type_info() -> PgTypeInfo {
        <OffsetDateTime as Type<Postgres>>::type_info()
    }
    fn compatible(ty: &PgTypeInfo) -> bool {
        <OffsetDateTime as Type<Postgres>>::compatible(ty)
    }
}

impl Encode<'_, Postgres> for Time {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <OffsetDateTime as Encode<'_, Postgres>>::encode(self.to_datetime(), buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Time {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        <OffsetDateTime as Decode<'r, Postgres>>::decode(value).map(Self::from_datetime)
    }
}

/// A row of some table, for errors that name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub table: &'static str,
    pub key: &'a str,
}

impl Place<'_> {
    /// A row that cannot be.
    pub(super) fn corrupt(self, column: &'static str, detail: impl std::fmt::Display) -> StoreError {
        StoreError::Corrupt {
            table: self.table,
            column,
            key: self.key.to_owned(),
            detail: detail.to_string(),
        }
    }

    /// A word, or anything else that has one spelling.
    pub(super) fn word<T: std::str::FromStr>(self, column: &'static str, text: &str) -> Result<T, StoreError>
    where
        T::Err: std::fmt::Display,
    {
        text.parse().map_err(|e| self.corrupt(column, e))
    }

    /// A word that may be missing.
    pub(super) fn maybe<T: std::str::FromStr>(
        self,
        column: &'static str,
        text: Option<String>,
    ) -> Result<Option<T>, StoreError>
    where
        T::Err: std::fmt::Display,
    {
        text.map(|text| self.word(column, &text)).transpose()
    }

    /// JSON that this program wrote.
    pub(super) fn json<T: serde::de::DeserializeOwned>(
        self,
        column: &'static str,
        text: &str,
    ) -> Result<T, StoreError> {
        serde_json::from_str(text).map_err(|e| self.corrupt(column, e))
    }

    /// A number that a column holds as a wider one.
    pub(super) fn number<T: TryFrom<i64>>(self, column: &'static str, value: i64) -> Result<T, StoreError> {
        T::try_from(value).map_err(|_| self.corrupt(column, format!("{value} is out of range")))
    }
}

/// JSON of this program's own types, for a column.
pub(super) fn to_json<T: serde::Serialize>(value: &T) -> Result<String, sqlx::Error> {
    serde_json::to_string(value).map_err(|e| sqlx::Error::Encode(Box::new(e)))
}
