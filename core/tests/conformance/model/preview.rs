//! At the end of a random life: what a preview says moves at once is what the reaper moves once the policy stands; and
//! under the policies that stood all the time, the past goes as it went.

use std::collections::BTreeMap;

use holdpoint::Policy;
use holdpoint::ledger::{Changed, Fate, Preview};
use proptest::prelude::*;

use super::lives::{Event, KINDS, lives, policies};
use super::world::World;
use super::{Life, happen, lived};
use crate::harness::*;

mod sqlite {
    use super::{Db, lead_moves, lead_past};

    #[test]
    fn what_a_preview_says_moves_at_once_is_what_the_reaper_moves() {
        lead_moves(Db::sqlite);
    }

    #[test]
    fn under_the_policies_that_stood_the_past_goes_as_it_went() {
        lead_past(Db::sqlite);
    }
}

mod postgres {
    use super::{Db, lead_moves, lead_past};

    #[test]
    fn what_a_preview_says_moves_at_once_is_what_the_reaper_moves() {
        lead_moves(Db::postgres);
    }

    #[test]
    fn under_the_policies_that_stood_the_past_goes_as_it_went() {
        lead_past(Db::postgres);
    }
}

fn lead_moves<Made: Future<Output = Db>>(database: fn() -> Made) {
    super::lead(&(lives(), policies()), database, moves);
}

fn lead_past<Made: Future<Output = Db>>(database: fn() -> Made) {
    let changes = |event: &Event| matches!(event, Event::Put(..) | Event::TakeAway(_));
    let unchanged = lives().prop_map(move |(mails, invoices, events)| {
        let events = events.into_iter().filter(|event| !changes(event)).collect();
        (mails, invoices, events)
    });
    super::lead(&unchanged, database, past);
}

async fn preview(db: &Db, kind: &str, policy: &Policy) -> Preview {
    db.ledger.preview(&admin(), kind, policy).await.unwrap()
}

type Moved = BTreeMap<(Fate, Fate), u32>;

async fn moves(db: Db, (life, policy): (Life, Policy)) {
    let mut world = lived(&db, life).await;
    let others = world.policy(KINDS[1]).cloned().unwrap_or_default();
    let told = [
        preview(&db, KINDS[0], &policy).await,
        preview(&db, KINDS[1], &others).await,
    ];
    happen(&db, &mut world, &Event::Put(0, policy, false)).await;
    let before = rows(&world);
    happen(&db, &mut world, &Event::Reap).await;
    let mut moved = [Moved::new(), Moved::new()];
    for (key, (kind, fate, events)) in rows(&world) {
        let (_, from, were) = before[&key];
        if events > were {
            let n = KINDS.iter().position(|k| *k == kind).unwrap();
            *moved[n].entry((from, fate)).or_default() += 1;
        }
    }
    assert_eq!(told.map(|preview| at_once(&preview)), moved);
}

/// What a preview says moves at once.
fn at_once(preview: &Preview) -> Moved {
    let mut moved = Moved::new();
    for group in &preview.open.groups {
        if let Changed::Moves { from, after, .. } = group.change {
            *moved.entry((from, after)).or_default() += group.count;
        }
    }
    moved
}

/// The kind of each row, where it is, and how much was noted of it.
fn rows(world: &World) -> BTreeMap<String, (String, Fate, usize)> {
    let row = |row: &super::world::Row| {
        let a = &row.action;
        (a.key.to_string(), (a.kind.clone(), Fate::of(a), row.events.len()))
    };
    world.rows.values().map(row).collect()
}

async fn past(db: Db, life: Life) {
    let stood = [life.0.clone(), life.1.clone()];
    let world = lived(&db, life).await;
    for (kind, policy) in KINDS.into_iter().zip(stood) {
        let replay = preview(&db, kind, &policy).await.replay;
        let events = world
            .rows
            .values()
            .filter(|row| row.action.kind == kind)
            .flat_map(|row| &row.events);
        let stopped = |event: &&holdpoint::HistoryEvent| {
            event.to == Some(holdpoint::Status::Held) || event.event == "went_stale"
        };
        assert_eq!(replay.stops as usize, events.filter(stopped).count());
        for would in replay.would {
            assert_eq!(would.before, would.after, "{kind}: {} of them", would.count);
        }
    }
}
