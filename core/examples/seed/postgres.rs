//! Into PostgreSQL, by COPY.

use std::fmt::Write as _;

use sqlx::PgPool;

use crate::life::Life;
use crate::rows::{self, Cell};

type Failure = Box<dyn std::error::Error>;

/// Writes so many lives in one transaction.
pub async fn write(pool: &PgPool, lives: &[Life]) -> Result<(), Failure> {
    let mut tx = pool.begin().await?;
    for table in rows::of(lives)? {
        let mut text = String::new();
        for values in &table.rows {
            for (place, cell) in values.iter().enumerate() {
                if place > 0 {
                    text.push('\t');
                }
                field(&mut text, cell)?;
            }
            text.push('\n');
        }
        let statement = format!("COPY {} ({}) FROM STDIN", table.name, table.columns.join(", "));
        let mut copy = tx.copy_in_raw(&statement).await?;
        copy.send(text.as_bytes()).await?;
        copy.finish().await?;
    }
    Ok(tx.commit().await?)
}

/// Tells the planner how large it has become.
pub async fn settle(pool: &PgPool) -> Result<(), Failure> {
    sqlx::query("VACUUM ANALYZE").execute(pool).await?;
    Ok(())
}

/// As COPY's text format has it.
fn field(line: &mut String, cell: &Cell) -> std::fmt::Result {
    match cell {
        Cell::Null => line.push_str("\\N"),
        Cell::Number(n) => write!(line, "{n}")?,
        Cell::Flag(yes) => line.push(if *yes { 't' } else { 'f' }),
        Cell::Time(time) => write!(line, "{time}")?,
        Cell::Bytes(bytes) => {
            line.push_str("\\\\x");
            for byte in bytes {
                write!(line, "{byte:02x}")?;
            }
        }
        Cell::Text(text) => {
            for c in text.chars() {
                match c {
                    '\\' => line.push_str("\\\\"),
                    '\n' => line.push_str("\\n"),
                    '\r' => line.push_str("\\r"),
                    '\t' => line.push_str("\\t"),
                    other => line.push(other),
                }
            }
        }
    }
    Ok(())
}
