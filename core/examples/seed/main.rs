//! Fills a database with actions that have a past, to see how it does when it is large.
//!
//! `cargo xtask seed --actions 1000000 --url sqlite://large.db`. Every action lives its life through the product's
//! own transition function, so that no row is in a state that could not be; what is written past the ledger is only
//! how they get into the tables, many at once.

mod life;
mod postgres;
mod rows;
mod sqlite;

use std::error::Error;
use std::time::Instant;

use holdpoint::{Actor, Ledger, Pools};

/// How many lives are written at once.
const CHUNK: u64 = 20_000;

/// What was asked for.
struct Options {
    actions: u64,
    held: u64,
    url: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Options { actions, held, url } = options()?;
    let ledger = Ledger::open(&url).await?;
    for (kind, policy) in life::policies() {
        if ledger.policy(&Actor::CommandLine, kind).await?.is_none() {
            let reason = "made with the actions that fill this database";
            ledger
                .put_policy(&Actor::CommandLine, kind, None, &policy, reason)
                .await?;
        }
    }
    let world = life::World {
        now: ledger.now().await?,
        actions,
        held: held.min(actions),
        run: format!("seed-{}", ledger.now().await?.micros()),
    };
    let begun = Instant::now();
    let mut from = 0;
    while from < actions {
        let until = (from + CHUNK).min(actions);
        let lives: Vec<_> = (from..until)
            .map(|n| life::life(n, &world))
            .collect::<Result<_, _>>()?;
        match ledger.pools() {
            Pools::Sqlite(pool) => sqlite::write(&pool, &lives).await?,
            Pools::Postgres(pool) => postgres::write(&pool, &lives).await?,
        }
        from = until;
        eprint!("\r{from} of {actions}");
    }
    match ledger.pools() {
        Pools::Sqlite(pool) => sqlite::settle(&pool).await?,
        Pools::Postgres(pool) => postgres::settle(&pool).await?,
    }
    eprintln!(
        "\r{actions} actions, {} held, in {} s",
        world.held,
        begun.elapsed().as_secs()
    );
    ledger.close().await;
    Ok(())
}

fn options() -> Result<Options, Box<dyn Error>> {
    let (mut actions, mut held, mut url) = (None, None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} wants a value"))?;
        match word.as_str() {
            "--actions" => actions = Some(value.parse()?),
            "--held" => held = Some(value.parse()?),
            "--url" => url = Some(value),
            other => return Err(format!("there is no option {other}: give --actions, --held, --url").into()),
        }
    }
    let actions = actions.ok_or("say how many with --actions N")?;
    Ok(Options {
        actions,
        held: held.unwrap_or(actions / 500),
        url: url.ok_or("say into which database with --url")?,
    })
}
