//! Random lives of a few actions, led through the ledger on a real database and, in step, by the pure function alone.
//! After each event the rows, the answer and the history are what the function says.

use holdpoint::ledger::Error;
use holdpoint::{HistoryEvent, Intent, Policy, Time};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use self::both::text;
use self::lives::{Event, intents, lives};
use self::world::World;
use crate::harness::*;

mod both;
mod lives;
mod preview;
mod world;

mod sqlite {
    #[test]
    fn every_life_goes_as_the_pure_function_says() {
        super::lead(&super::lives(), super::Db::sqlite, super::live);
    }
}

mod postgres {
    #[test]
    fn every_life_goes_as_the_pure_function_says() {
        super::lead(&super::lives(), super::Db::postgres, super::live);
    }
}

/// Enough for every round; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default().cases,
        None => 16,
    }
}

/// Leads so many lives, each on a database of its own.
fn lead<S, Made, Led>(lives: &S, database: fn() -> Made, live: fn(Db, S::Value) -> Led)
where
    S: Strategy,
    Made: Future<Output = Db>,
    Led: Future<Output = ()> + Send + 'static,
{
    let config = ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 100,
        ..ProptestConfig::default()
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let led = TestRunner::new(config).run(lives, |life| {
        runtime.block_on(async {
            run(database().await, |db| live(db, life)).await;
        });
        Ok(())
    });
    if let Err(failed) = led {
        panic!("{failed}");
    }
}

type Life = (Policy, Policy, Vec<Event>);

async fn live(db: Db, life: Life) {
    lived(&db, life).await;
}

/// What a life came to.
async fn lived(db: &Db, (mails, invoices, events): Life) -> World {
    // A day ahead of the host, time moves when it is told to.
    let mut world = World::new(db.now().await + 86_400, &intents());
    db.stand_at(world.now).await;
    for (n, policy) in [mails, invoices].into_iter().enumerate() {
        happen(db, &mut world, &Event::Put(n, policy, false)).await;
    }
    for event in &events {
        happen(db, &mut world, event).await;
    }
    world
}

/// Lets one event happen to the database and to the model, and compares all there is.
async fn happen(db: &Db, world: &mut World, event: &Event) {
    let (found, expected) = both::happen(db, world, event).await;
    assert_eq!(found.answer, expected, "the answer to {event:?}");
    for intent in intents() {
        as_stored(db, world, &intent).await;
    }
    for row in found.rows {
        assert_eq!(
            Some(&row),
            world.action(&row.key),
            "the row that {event:?} was answered with"
        );
    }
}

/// The stored row and its history are the model's; when it is due is then what chance made of it.
async fn as_stored(db: &Db, world: &mut World, intent: &Intent) {
    let stored = match db.ledger.read(&admin(), &intent.key()).await {
        Ok(stored) => stored,
        Err(Error::NotFound { .. }) => return assert!(world.action(&intent.key()).is_none(), "no row"),
        Err(other) => panic!("{other:?}"),
    };
    let row = world.rows.get_mut(&intent.key()).expect("a row that nobody made");
    let later = match (row.action.due_at, stored.action.due_at) {
        (Some(soonest), Some(due)) => due.micros() - soonest.micros(),
        _ => 0,
    };
    assert!(
        (0..=row.slack).contains(&later),
        "{later} is not within 0..={}",
        row.slack
    );
    let moved = |at: Option<Time>| at.map(|at| Time::from_micros(at.micros() + later));
    row.action.due_at = moved(row.action.due_at);
    row.action.wake_at = moved(row.action.wake_at);
    row.slack = 0;
    assert_eq!(stored.action, row.action, "the stored row");
    // Grants are told by the row, which was compared.
    let (grants, events): (Vec<_>, Vec<_>) = stored.history.into_iter().partition(|e| e.event == "claimed");
    assert_eq!(grants.len(), row.action.attempts.len());
    assert_eq!(sorted(events), sorted(row.events.clone()), "the history");
    assert_eq!(
        (stored.now, stored.policy),
        (
            world.now,
            world.policy(intent.kind()).cloned().unwrap_or_default()
        )
    );
}

/// What happened at one moment may be told in either order.
fn sorted(mut events: Vec<HistoryEvent>) -> Vec<HistoryEvent> {
    events.sort_by_cached_key(|e| (e.at, text(e)));
    events
}
