//! What another policy would do: to open actions, and to what stopped in the last 30 days. Nothing is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use holdpoint::ledger::{AddressGuard, Changed, Error, Fate, Group, Preview, Purpose, Shift};
use holdpoint::{Actor, HoldReason, Intent, OnUnknown, Policy, Recovery, Status};

use crate::harness::*;

mod replay;

on_both!(
    what_moves_at_once_is_told_with_where_it_goes,
    what_becomes_of_a_claim_that_goes_stale_is_told,
    what_the_next_claim_leads_to_is_told,
    a_hold_s_deadline_and_who_must_agree_are_told,
    a_policy_that_stands_already_changes_nothing,
    what_a_shorter_retention_erases_is_told,
    who_may_look_and_at_what,
    who_may_not_put_an_address_has_nobody_look_at_it,
    a_preview_looks_at_the_oldest_and_says_that_there_are_more,
    a_preview_counts_what_was_begun_and_says_that_there_was_more,
);

const KIND: &str = "send_email";

const UNKNOWN: Fate = Fate::Held(HoldReason::OutcomeUnknown);
const AGAIN: Fate = Fate::Is(Status::Released);
const ASKED: Fate = Fate::Is(Status::Verifying);
const FAILED: Fate = Fate::Is(Status::Failed);

async fn preview(db: &Db, policy: &Policy) -> Preview {
    db.ledger
        .preview(&Actor::reader("grafana"), KIND, policy)
        .await
        .unwrap()
}

/// What changes, for how many.
async fn changes(db: &Db, policy: &Policy) -> Vec<(Changed, u32)> {
    let found = preview(db, policy).await.open.groups;
    found.iter().map(|group| (group.change, group.count)).collect()
}

async fn what_moves_at_once_is_told_with_where_it_goes(db: Db) {
    let held = db.held(&mail("run-1")).await;
    db.pass(3600).await;
    let over = Policy {
        hold_deadline_s: Some(3600),
        ..swift(Recovery::Unverifiable)
    };
    let fails = Changed::Moves {
        from: UNKNOWN,
        before: None,
        after: FAILED,
    };
    let found = preview(&db, &over).await.open;
    let expected = Group {
        change: fails,
        count: 1,
        examples: vec![held.key],
    };
    assert_eq!(
        (found.count, found.more, &found.groups[..]),
        (1, false, &[expected][..])
    );
    assert!(fails.is_grave() && fails.differs());
    assert_eq!(
        found.groups[0].sentence(),
        "1 held now fails at once: its deadline is over."
    );

    // A question is recovered where the kind is not verifiable any more, and ends sooner with less patience.
    let asked = mail("run-2");
    db.stale(&asked, swift(Recovery::Verifiable)).await;
    db.pass(10).await;
    let moves = |after| Changed::Moves {
        from: ASKED,
        before: None,
        after,
    };
    assert!(
        changes(&db, &swift(Recovery::Unverifiable))
            .await
            .contains(&(moves(UNKNOWN), 1))
    );
    let hasty = Policy {
        verify_patience_s: 10,
        ..swift(Recovery::Verifiable)
    };
    assert!(changes(&db, &hasty).await.contains(&(moves(ASKED), 1)));
    // A release waits too long.
    let released = mail("run-3");
    db.stale(&released, swift(Recovery::Idempotent)).await;
    db.pass(60).await;
    let soon = Policy {
        claim_within_s: 60,
        ..swift(Recovery::Idempotent)
    };
    let unclaimed = Changed::Moves {
        from: AGAIN,
        before: None,
        after: Fate::Held(HoldReason::Unclaimed),
    };
    assert!(changes(&db, &soon).await.contains(&(unclaimed, 1)));
    // What goes stale goes where both say.
    db.set(KIND, swift(Recovery::Idempotent)).await;
    db.granted(&mail("run-4"), 1).await;
    db.pass(61).await;
    let stale = Changed::Moves {
        from: Fate::Is(Status::InFlight),
        before: Some(AGAIN),
        after: UNKNOWN,
    };
    assert!(
        changes(&db, &swift(Recovery::Unverifiable))
            .await
            .contains(&(stale, 1))
    );
}

async fn what_becomes_of_a_claim_that_goes_stale_is_told(db: Db) {
    db.set(KIND, swift(Recovery::Unverifiable)).await;
    for run in ["run-1", "run-2"] {
        db.granted(&mail(run), 1).await;
    }
    for (policy, after) in [
        (swift(Recovery::Verifiable), ASKED),
        (
            Policy {
                on_unknown: OnUnknown::Fail,
                ..swift(Recovery::Unverifiable)
            },
            FAILED,
        ),
    ] {
        let goes = Changed::GoesStale {
            before: UNKNOWN,
            after,
        };
        assert_eq!(changes(&db, &policy).await, [(goes, 2)]);
        assert_eq!(goes.is_grave(), after == FAILED);
    }
    // An attempt keeps the recovery it was granted under: a kind that is idempotent now runs none of these again.
    assert_eq!(changes(&db, &swift(Recovery::Idempotent)).await, []);
}

async fn what_the_next_claim_leads_to_is_told(db: Db) {
    db.stale(&mail("run-1"), swift(Recovery::Idempotent)).await;
    let found = changes(&db, &swift(Recovery::Unverifiable)).await;
    let claimed = Changed::IsClaimed {
        before: Fate::Is(Status::InFlight),
        after: UNKNOWN,
    };
    assert_eq!(found, [(claimed, 1)]);
    // It is told while nothing is granted as well.
    db.ledger.pause(&person("ada"), Some(KIND), "why").await.unwrap();
    assert_eq!(changes(&db, &swift(Recovery::Unverifiable)).await, found);
}

async fn a_hold_s_deadline_and_who_must_agree_are_told(db: Db) {
    db.held(&mail("run-1")).await;
    let within = |seconds, approvals_needed| Policy {
        hold_deadline_s: seconds,
        approvals_needed,
        ..swift(Recovery::Unverifiable)
    };
    let deadline = |shift| Changed::Deadline {
        of: Status::Held,
        shift,
    };
    assert_eq!(
        changes(&db, &within(Some(3600), 1)).await,
        [(deadline(Shift::Set), 1)]
    );
    db.set(KIND, within(Some(3600), 2)).await;
    for (seconds, shift) in [
        (Some(600), Shift::Sooner),
        (Some(7200), Shift::Later),
        (None, Shift::Lifted),
    ] {
        assert_eq!(changes(&db, &within(seconds, 2)).await, [(deadline(shift), 1)]);
    }
    let people = |before, after| [(Changed::Approvals { before, after }, 1)];
    assert_eq!(changes(&db, &within(Some(3600), 3)).await, people(2, 3));
    // The hold began when one was enough.
    assert_eq!(changes(&db, &within(Some(3600), 1)).await, people(2, 1));
}

async fn a_policy_that_stands_already_changes_nothing(db: Db) {
    db.held(&mail("run-1")).await;
    db.granted(&mail("run-2"), 1).await;
    let found = preview(&db, &swift(Recovery::Unverifiable)).await;
    assert_eq!(
        (found.version, found.open.count, found.open.groups),
        (1, 2, vec![])
    );
}

async fn what_a_shorter_retention_erases_is_told(db: Db) {
    let keeps = |payload_retention_s, result_retention_s| Policy {
        payload_retention_s,
        result_retention_s,
        ..Policy::default()
    };
    db.set(KIND, keeps(Some(7_200), None)).await;
    for run in ["run-1", "run-2", "run-3"] {
        db.granted(&mail(run), 1).await;
        db.succeed(&mail(run), 1, "1").await;
        db.pass(3_600).await;
    }
    let told = async |policy: Policy| {
        let found = preview(&db, &policy).await.erases;
        (found.payloads.count, found.results.count)
    };
    // The first one's payload is over the time in any case.
    assert_eq!(told(keeps(Some(3_600), Some(7_200))).await, (1, 2));
    assert_eq!(told(keeps(Some(7_200), None)).await, (0, 0));
    assert_eq!(told(keeps(None, None)).await, (0, 0));
    let found = preview(&db, &keeps(Some(0), Some(0))).await.erases;
    assert_eq!(
        found.sentence().unwrap(),
        "1 payload and 3 results of what is over are erased by the next passes of the reaper; nothing brings that back."
    );
    let before = db.read(&mail("run-3")).await;
    assert!(before.payload.is_some());
    // It is as it was told.
    db.set(KIND, keeps(Some(0), Some(0))).await;
    assert_eq!(db.reap().await.erased, 3 + 3);
}

async fn who_may_look_and_at_what(db: Db) {
    db.held(&mail("run-1")).await;
    let (before, rows) = (
        db.action(&mail("run-1")).await,
        "SELECT count(*) FROM policy_version",
    );
    let refused = db.ledger.preview(&worker(), KIND, &Policy::default()).await;
    assert!(matches!(refused, Err(Error::Forbidden { .. })));
    let reader = Actor::reader("grafana");
    let bad = Policy {
        max_attempts: 101,
        ..Policy::default()
    };
    let refused = db.ledger.preview(&reader, KIND, &bad).await;
    assert!(matches!(refused, Err(Error::InvalidPolicy(e)) if e.field == "max_attempts"));
    let bad = Policy {
        mask: vec!["$.b".into()],
        ..Policy::default()
    };
    assert!(matches!(
        db.ledger.preview(&reader, KIND, &bad).await,
        Err(Error::InvalidMask(_))
    ));
    let refused = db.ledger.preview(&reader, "Send", &Policy::default()).await;
    assert!(matches!(refused, Err(Error::InvalidIntent(e)) if e.field == "kind"));
    let none = db
        .ledger
        .preview(&reader, "other", &Policy::default())
        .await
        .unwrap();
    assert_eq!((none.version, none.open.count, none.replay.stops), (0, 0, 0));
    let over = Policy {
        hold_deadline_s: Some(60),
        ..Policy::default()
    };
    preview(&db, &over).await;
    assert_eq!(db.action(&mail("run-1")).await, before, "nothing is written");
    assert_eq!(db.number(rows).await, 1);
}

/// Lets nothing through, and counts what it is asked.
#[derive(Default)]
struct Guard(AtomicU32);

#[async_trait::async_trait]
impl AddressGuard for Guard {
    async fn check(&self, _: &str, _: Purpose) -> Result<(), String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err("it is not asked from here".to_owned())
    }
}

async fn who_may_not_put_an_address_has_nobody_look_at_it(db: Db) {
    let guard = Arc::new(Guard::default());
    let ledger = db.ledger.clone().guarded(guard.clone());
    let policy = Policy {
        verify_url: Some("https://example.com/verify".into()),
        ..policy(Recovery::Verifiable)
    };
    for actor in [Actor::reader("grafana"), person("ada")] {
        ledger.preview(&actor, KIND, &policy).await.unwrap();
    }
    assert_eq!(guard.0.load(Ordering::Relaxed), 0, "a name was looked up");
    let refused = ledger.preview(&admin(), KIND, &policy).await;
    assert!(matches!(refused, Err(Error::InvalidPolicy(e)) if e.field == "verify_url"));
}

/// One more than a preview looks at.
async fn claim_one_too_many(db: &Db) {
    let intent = |n: u64| Intent::text("run-1", n, KIND, "ada@example.com", "Hello").unwrap();
    let mut claims = (0..1_001).map(|n| (intent(n), under(&format!("c-{n}"))));
    loop {
        let some: Vec<_> = claims.by_ref().take(500).collect();
        if some.is_empty() {
            break;
        }
        db.ledger.claim_batch(&worker(), some).await.unwrap();
    }
}

async fn a_preview_counts_what_was_begun_and_says_that_there_was_more(db: Db) {
    claim_one_too_many(&db).await;
    let first = Policy {
        approve_first: true,
        ..Policy::default()
    };
    let found = preview(&db, &first).await.replay;
    let would_wait = found.would_wait.unwrap();
    assert_eq!((would_wait.count, would_wait.more), (1_000, true));
    assert!(found.sentence().ends_with("for a person first: more than 1000."));
}

async fn a_preview_looks_at_the_oldest_and_says_that_there_are_more(db: Db) {
    let first = Policy {
        approve_first: true,
        ..Policy::default()
    };
    db.set(KIND, first.clone()).await;
    claim_one_too_many(&db).await;
    let found = preview(&db, &Policy::default()).await;
    assert_eq!((found.open.count, found.open.more), (1_000, true));
    let replay = found.replay;
    assert_eq!((replay.stops, replay.holds, replay.more), (1_000, 1_000, true));
    assert_eq!(replay.would.len(), 1);
    assert_eq!(
        (replay.would[0].before, replay.would[0].after),
        (
            Fate::Held(HoldReason::ApprovalRequired),
            Fate::Is(Status::InFlight)
        )
    );
    assert!(replay.would[0].is_grave());
    // The statement of the store: it goes by what stopped of this kind, and not by all that it or others ever did.
    let plan = db
        .plan(
            "SELECT * FROM action_event
                WHERE kind = 'send_email' AND (to_status = 'held' OR event = 'went_stale')
                AND at > (SELECT min(at) FROM action_event) ORDER BY at DESC, id DESC LIMIT 10",
        )
        .await;
    assert!(plan.contains("action_event_stops"), "{plan}");
}
