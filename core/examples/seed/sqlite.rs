//! Into SQLite, many rows a statement.

use sqlx::{QueryBuilder, Sqlite, SqlitePool};

use crate::life::Life;
use crate::rows::{self, Cell};

type Failure = Box<dyn std::error::Error>;

/// How many rows one statement takes: SQLite has places for 32,766 values.
const ROWS: usize = 500;

/// Writes so many lives in one transaction.
pub async fn write(pool: &SqlitePool, lives: &[Life]) -> Result<(), Failure> {
    let mut tx = pool.begin().await?;
    for table in rows::of(lives)? {
        for rows in table.rows.chunks(ROWS) {
            let into = format!("INSERT INTO {} ({}) ", table.name, table.columns.join(", "));
            let mut query = QueryBuilder::<Sqlite>::new(into);
            query.push_values(rows, |mut line, row| {
                for cell in row {
                    match cell {
                        Cell::Null => line.push("NULL"),
                        Cell::Number(n) => line.push_bind(*n),
                        Cell::Flag(yes) => line.push_bind(*yes),
                        Cell::Time(time) => line.push_bind(time.micros()),
                        Cell::Text(text) => line.push_bind(text.as_str()),
                        Cell::Bytes(bytes) => line.push_bind(bytes.as_slice()),
                    };
                }
            });
            query.build().persistent(false).execute(&mut *tx).await?;
        }
    }
    Ok(tx.commit().await?)
}

/// Tells the planner how large it has become.
pub async fn settle(pool: &SqlitePool) -> Result<(), Failure> {
    sqlx::query("ANALYZE").execute(pool).await?;
    Ok(())
}
