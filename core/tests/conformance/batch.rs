//! Many claims in one transaction: each answered as it would have been alone.

use holdpoint::ledger::{Claimed, Error, MAX_BATCH};
use holdpoint::transition::{Claim, ClaimAnswer};
use holdpoint::{Actor, Effect, HoldReason, Intent, OnDrift, Policy, Recovery, Status};

use crate::harness::*;
use crate::races::all_at_once;

on_both!(
    each_is_answered_as_it_would_have_been_alone,
    duplicates_are_as_one_after_the_other,
    payloads_that_differ_are_as_one_after_the_other,
    all_of_it_or_nothing_is_written,
    what_may_not_be_presented_refuses_the_whole,
    a_lost_answer_is_not_a_lost_batch,
    the_largest_batch,
    without_a_place_for_a_report_nothing_is_granted,
    batches_that_overlap_in_opposite_orders,
    batches_that_want_one_place_in_opposite_orders,
    a_batch_against_a_pause,
);

fn numbered(intents: &[Intent], mark: &str) -> Vec<(Intent, Claim)> {
    intents
        .iter()
        .enumerate()
        .map(|(n, intent)| (intent.clone(), under(&format!("{mark}-{n}"))))
        .collect()
}

impl Db {
    async fn batch(&self, claims: Vec<(Intent, Claim)>) -> Vec<Claimed> {
        self.ledger.claim_batch(&worker(), claims).await.unwrap()
    }
}

fn won(answer: &ClaimAnswer) -> Option<u32> {
    match answer {
        ClaimAnswer::Granted(grant) if !grant.replayed => Some(grant.attempt),
        _ => None,
    }
}

async fn each_is_answered_as_it_would_have_been_alone(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let runs = ["done", "running", "held", "failed", "released", "new-1", "new-2"];
    let intents = runs.map(mail);
    for intent in &intents[..5] {
        db.granted(intent, 1).await;
    }
    db.succeed(&intents[0], 1, r#"{"id": 7}"#).await;
    db.fail(&intents[2], 1, Effect::Unknown).await.unwrap();
    db.ledger
        .fail(&worker(), &intents[3].key(), permanent(1))
        .await
        .unwrap();
    db.fail(&intents[4], 1, Effect::None).await.unwrap();
    db.ledger
        .pause(&person("ada"), Some("create_invoice"), "down")
        .await
        .unwrap();
    let paused = Intent::text("run-1", 1, "create_invoice", "ada@example.com", "12 EUR").unwrap();
    let other_parts = intents
        .iter()
        .cloned()
        .chain([paused.clone()])
        .collect::<Vec<_>>();
    let answers = db.batch(numbered(&other_parts, "c")).await;
    let said: Vec<_> = answers.iter().map(|a| a.answer.clone()).collect();
    assert_eq!(
        said[..4],
        [
            ClaimAnswer::Succeeded,
            ClaimAnswer::InFlight,
            ClaimAnswer::Held,
            ClaimAnswer::Failed
        ]
    );
    assert_eq!(
        said[4..7].iter().map(won).collect::<Vec<_>>(),
        [Some(2), Some(1), Some(1)]
    );
    assert_eq!(said[7], ClaimAnswer::Paused);
    // Each with its own action, in the order of the claims.
    for (answer, intent) in answers.iter().zip(&intents) {
        let action = answer.action.as_ref().unwrap();
        assert_eq!(action, &db.action(intent).await);
    }
    assert_eq!(
        answers[0].action.as_ref().unwrap().result.as_deref(),
        Some(r#"{"id": 7}"#)
    );
    assert_eq!(answers[7].action, None);
    let detail = db.read(&intents[5]).await;
    assert!(detail.payload.is_some(), "the payload is kept");
    assert_eq!(detail.action.worker(), Some("mailer-1"));
    // What was granted in a batch goes on as any other.
    db.succeed(&intents[5], 1, "1").await;
    db.succeed(&intents[4], 2, "2").await;
}

async fn duplicates_are_as_one_after_the_other(db: Db) {
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let (a, b) = (mail("run-a"), mail("run-b"));
    let answers = db
        .batch(vec![
            (b.clone(), under("b1")),
            (a.clone(), under("a1")),
            (b.clone(), under("b2")),
            (b.clone(), under("b1")),
            (a.clone(), Claim::default()),
        ])
        .await;
    assert_eq!(
        (won(&answers[0].answer), won(&answers[1].answer)),
        (Some(1), Some(1))
    );
    assert_eq!(answers[2].answer, ClaimAnswer::InFlight);
    let again = grant_of(&answers[3]);
    assert_eq!((again.attempt, again.replayed), (1, true));
    assert_eq!(answers[4].answer, ClaimAnswer::InFlight);
    // One claim id for two keys wins one of them.
    let answers = db
        .batch(vec![(mail("run-c"), under("x")), (mail("run-d"), under("x"))])
        .await;
    let lost = answers
        .iter()
        .filter(|a| a.answer == ClaimAnswer::ClaimLost)
        .count();
    assert_eq!(
        (answers.iter().filter_map(|a| won(&a.answer)).count(), lost),
        (1, 1)
    );
}

async fn payloads_that_differ_are_as_one_after_the_other(db: Db) {
    for (run, on_drift) in [
        ("run-1", OnDrift::Hold),
        ("run-2", OnDrift::Reject),
        ("run-3", OnDrift::Allow),
    ] {
        db.set(
            "send_email",
            Policy {
                on_drift,
                ..swift(Recovery::Unverifiable)
            },
        )
        .await;
        let bodies = ["one", "two", "three"].map(|body| mail_saying(run, body));
        let answers = db.batch(numbered(&bodies, run)).await;
        assert_eq!(
            won(&answers[0].answer),
            Some(1),
            "the first that was presented is the first"
        );
        for later in &answers[1..] {
            match on_drift {
                OnDrift::Hold => {
                    let action = later.action.as_ref().unwrap();
                    assert_eq!(
                        (action.status, action.reason),
                        (Status::Held, Some(HoldReason::PayloadDrift))
                    );
                    assert_eq!(action.drift_of.as_ref(), Some(&bodies[0].key()));
                }
                OnDrift::Reject => {
                    assert_eq!(
                        later.answer,
                        ClaimAnswer::Rejected {
                            first_key: bodies[0].key()
                        }
                    );
                }
                OnDrift::Allow => assert_eq!(won(&later.answer), Some(1)),
            }
        }
    }
}

async fn all_of_it_or_nothing_is_written(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    let old = mail("run-0");
    db.granted(&old, 1).await;
    db.fail(&old, 1, Effect::None).await.unwrap();
    let mut intents: Vec<_> = (1..6).map(|n| mail(&format!("run-{n}"))).collect();
    intents.insert(2, old.clone());
    db.refuse("no_fourth", "INSERT ON action_log", "NEW.run_id = 'run-4'")
        .await;
    let refused = db.ledger.claim_batch(&worker(), numbered(&intents, "c")).await;
    assert!(matches!(refused, Err(Error::Store(_))), "{refused:?}");
    assert_eq!(db.number("SELECT count(*) FROM action_log").await, 1);
    assert_eq!(db.number("SELECT count(*) FROM spent_claim").await, 0);
    assert_eq!(
        (db.action(&old).await.attempt(), db.action(&old).await.status),
        (1, Status::Released)
    );
    db.allow("no_fourth", "action_log").await;
    let answers = db.batch(numbered(&intents, "c")).await;
    assert!(answers.iter().all(|a| won(&a.answer).is_some()));
}

async fn what_may_not_be_presented_refuses_the_whole(db: Db) {
    let good = (mail("run-1"), under("c"));
    let invoices = Actor::Worker {
        name: "i".to_owned(),
        kinds: Some(vec!["create_invoice".to_owned()]),
    };
    let refused = db.ledger.claim_batch(&invoices, vec![good.clone()]).await;
    assert!(matches!(refused, Err(Error::ForbiddenKind { .. })));
    for actor in [person("ada"), admin(), Actor::CommandLine] {
        let refused = db.ledger.claim_batch(&actor, vec![good.clone()]).await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })));
    }
    let refused = db
        .ledger
        .claim_batch(&worker(), vec![good.clone(), (mail("run-2"), under(""))])
        .await;
    assert!(matches!(
        refused,
        Err(Error::Invalid {
            field: "claim_id",
            ..
        })
    ));
    for many in [0, MAX_BATCH + 1] {
        let refused = db.ledger.claim_batch(&worker(), vec![good.clone(); many]).await;
        assert!(matches!(refused, Err(Error::Invalid { field: "intents", .. })));
    }
    assert_eq!(db.number("SELECT count(*) FROM action_log").await, 0);
}

async fn a_lost_answer_is_not_a_lost_batch(db: Db) {
    let intents: Vec<_> = (0..20).map(|n| mail(&format!("run-{n}"))).collect();
    db.batch(numbered(&intents, "c")).await;
    db.ledger.pause(&person("ada"), None, "down").await.unwrap();
    for answer in db.batch(numbered(&intents, "c")).await {
        let grant = grant_of(&answer);
        assert_eq!((grant.attempt, grant.replayed), (1, true));
    }
}

async fn the_largest_batch(db: Db) {
    let intents: Vec<_> = (0..MAX_BATCH).map(|n| mail(&format!("run-{n}"))).collect();
    let answers = db.batch(numbered(&intents, "c")).await;
    for (answer, intent) in answers.iter().zip(&intents) {
        assert_eq!(won(&answer.answer), Some(1));
        assert_eq!(answer.action.as_ref().unwrap().key, intent.key());
    }
    assert_eq!(db.number("SELECT count(*) FROM action_payload").await, 500);
}

async fn without_a_place_for_a_report_nothing_is_granted(db: Db) {
    db.granted(&mail("run-1"), 1).await;
    db.refuse("no_success", "UPDATE ON action_log", "NEW.status = 'succeeded'")
        .await;
    db.refuse("no_probe", "INSERT ON report_probe", "TRUE").await;
    let key = mail("run-1").key();
    assert!(db.ledger.succeed(&worker(), &key, success(1, "1")).await.is_err());
    let claims = numbered(&[mail("run-2")], "c");
    let refused = db.ledger.claim_batch(&worker(), claims.clone()).await;
    assert!(matches!(refused, Err(Error::NoPlace { .. })));
    db.allow("no_probe", "report_probe").await;
    assert_eq!(won(&db.batch(claims).await[0].answer), Some(1));
}

async fn batches_that_overlap_in_opposite_orders(db: Db) {
    db.set("send_email", swift(Recovery::Idempotent)).await;
    for round in 0..6 {
        let intents: Vec<_> = (0..60).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        // A third of them are there already and are claimed again.
        for intent in intents.iter().step_by(3) {
            db.granted(intent, 1).await;
            db.fail(intent, 1, Effect::None).await.unwrap();
        }
        let answers = all_at_once(&db, 6, |n, ledger| {
            let mut order = intents.clone();
            match n {
                0 | 1 => {}
                2 | 3 => order.reverse(),
                _ => order.rotate_left(n * 7),
            }
            let claims = numbered(&order, &format!("c-{round}-{n}"));
            async move {
                let answers = ledger.claim_batch(&worker(), claims).await.unwrap();
                let of = |a: Claimed| (a.action.unwrap().key, won(&a.answer));
                answers.into_iter().map(of).collect::<Vec<_>>()
            }
        })
        .await;
        for (n, intent) in intents.iter().enumerate() {
            let grants: Vec<_> = answers
                .iter()
                .flatten()
                .filter(|(key, _)| *key == intent.key())
                .filter_map(|(_, won)| *won)
                .collect();
            assert_eq!(grants, [if n % 3 == 0 { 2 } else { 1 }], "exactly one grant each");
        }
    }
}

async fn batches_that_want_one_place_in_opposite_orders(db: Db) {
    for on_drift in [OnDrift::Allow, OnDrift::Hold] {
        db.set(
            "send_email",
            Policy {
                on_drift,
                ..swift(Recovery::Unverifiable)
            },
        )
        .await;
        for round in 0..12 {
            let runs: Vec<_> = (0..8).map(|n| format!("run-{on_drift}-{round}-{n}")).collect();
            // In half of the rounds the place is taken before either of them comes.
            if round % 2 == 0 {
                for run in &runs {
                    db.granted(&mail_saying(run, "before"), 1).await;
                }
            }
            let answers = all_at_once(&db, 4, |n, ledger| {
                let mut intents: Vec<_> = runs
                    .iter()
                    .flat_map(|run| ["one", "two"].map(|body| mail_saying(run, body)))
                    .collect();
                if n % 2 == 1 {
                    intents.reverse();
                }
                let claims = numbered(&intents, &format!("c-{on_drift}-{round}-{n}"));
                async move { ledger.claim_batch(&worker(), claims).await.unwrap() }
            })
            .await;
            let grants = answers
                .iter()
                .flatten()
                .filter(|a| won(&a.answer).is_some())
                .count();
            let expected = match (on_drift, round % 2) {
                (OnDrift::Allow, _) => 16,
                (_, 0) => 0,
                (_, _) => 8,
            };
            assert_eq!(grants, expected, "{on_drift}, round {round}");
        }
    }
}

async fn a_batch_against_a_pause(db: Db) {
    for round in 0..10 {
        let what = (round % 2 == 0).then_some("send_email");
        let intents: Vec<_> = (0..40).map(|n| mail(&format!("run-{round}-{n}"))).collect();
        let claims = numbered(&intents, &format!("c-{round}"));
        let counted = format!("SELECT count(*) FROM action_log WHERE run_id LIKE 'run-{round}-%'");
        let stood = all_at_once(&db, 2, |n, ledger| {
            let (claims, db, counted) = (claims.clone(), db.clone(), counted.clone());
            async move {
                if n == 0 {
                    ledger.claim_batch(&worker(), claims).await.unwrap();
                    return None;
                }
                ledger.pause(&person("ada"), what, "stop").await.unwrap();
                Some(db.number(&counted).await)
            }
        })
        .await;
        let stood = stood.into_iter().flatten().next().unwrap();
        assert!(stood == 0 || stood == 40, "{stood}");
        assert_eq!(db.number(&counted).await, stood, "granted after the pause");
        db.ledger.resume(&person("ada"), what, "go on").await.unwrap();
    }
}
