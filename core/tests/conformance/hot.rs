//! The two hot paths write what the transition function would have written.

use holdpoint::intent::Payload;
use holdpoint::transition::{self, Claim, Context, First, Success};
use holdpoint::{Action, Intent, OnDrift, Policy, Recovery, Time};

use crate::harness::*;

on_both!(
    the_first_claim_agrees_with_the_function,
    the_first_success_agrees_with_the_function,
    the_clock_s_index_is_used
);

fn context(policy: &Policy, now: Time) -> Context<'_> {
    Context {
        now,
        policy,
        everything_paused: false,
        jitter: 0.5,
    }
}

fn intents() -> Vec<Intent> {
    let payloads = [
        Payload::text("Hello\0 Ada"),
        Payload::json_text(r#"{ "b":1, "a":[] }"#),
        Payload::hash(mail("run-1").payload_hash().clone()),
    ];
    let targets = ["ada@example.com", "é \u{1f600} ' \" \\ %_", "0"];
    let steps = [0, 7, 9_007_199_254_740_991];
    payloads
        .into_iter()
        .zip(targets)
        .zip(steps)
        .map(|((payload, target), step)| Intent::new("run-1", step, "send_email", target, payload).unwrap())
        .collect()
}

fn policies() -> Vec<Option<Policy>> {
    vec![
        None,
        Some(Policy::default()),
        Some(Policy {
            stale_after_s: 604_800,
            approvals_needed: 5,
            ..policy(Recovery::Idempotent)
        }),
        Some(Policy {
            stale_after_s: 1,
            on_drift: OnDrift::Reject,
            lazy_completion: true,
            ..policy(Recovery::Verifiable)
        }),
    ]
}

/// What stands for a policy where there is none.
async fn policy_of_now(db: &Db) -> Policy {
    db.ledger
        .policy(&admin(), "send_email")
        .await
        .unwrap()
        .map_or_else(Policy::default, |record| record.policy)
}

async fn the_first_claim_agrees_with_the_function(db: Db) {
    for (n, policy) in policies().into_iter().enumerate() {
        if let Some(policy) = policy {
            db.set("send_email", policy).await;
        }
        let policy = policy_of_now(&db).await;
        for (m, intent) in intents().into_iter().enumerate() {
            let intent = renamed(&intent, &format!("run-{n}-{m}"));
            let claim = Claim {
                worker: Some("mailer-1".to_owned()),
                claim_id: (m > 0).then(|| format!("c-{n}-{m}")),
                summary: (m > 1).then(|| "Hello".to_owned()),
            };
            let claimed = db.claim_as(&intent, &claim).await;
            let stored = claimed.action.clone().unwrap();
            let First {
                action,
                events,
                answer,
            } = transition::first(&intent, &claim, None, &context(&policy, claimed.now));
            assert_eq!(Some(&stored), action.as_ref());
            assert_eq!(claimed.answer, answer);
            assert_eq!(events, []);
            let detail = db.read(&intent).await;
            assert_eq!(
                (detail.action, detail.payload.as_ref()),
                (stored, intent.payload())
            );
        }
    }
}

async fn the_first_success_agrees_with_the_function(db: Db) {
    let results = [
        success(1, r#"{ "id": 1 }"#),
        Success {
            attempt: 1,
            result: None,
            result_kept: true,
        },
        Success {
            attempt: 1,
            result: None,
            result_kept: false,
        },
    ];
    let mut n = 0;
    for before in policies() {
        for report in &results {
            // As it was claimed, after a heartbeat, and under a policy that changed in between.
            for between in 0..3 {
                n += 1;
                let intent = mail(&format!("run-{n}"));
                if let Some(before) = before.clone() {
                    db.set("send_email", before).await;
                }
                db.granted(&intent, 1).await;
                match between {
                    1 => drop(db.heartbeat(&intent, 1).await.unwrap()),
                    2 => db.set("send_email", swift(Recovery::Unverifiable)).await,
                    _ => {}
                }
                let claimed = db.action(&intent).await;
                let done = db
                    .ledger
                    .succeed(&worker(), &intent.key(), report.clone())
                    .await
                    .unwrap();
                let policy = policy_of_now(&db).await;
                let now = done.action.completed_at.unwrap();
                let step = transition::succeed(&claimed, report, None, &context(&policy, now));
                let expected = Action {
                    revision: claimed.revision + 1,
                    ..step.action
                };
                assert_eq!(done.action, expected, "run {n}");
                assert_eq!(Ok(done.answer), step.answer);
                let detail = db.read(&intent).await;
                assert_eq!(detail.action, expected);
                assert_eq!(
                    detail.history[1..],
                    step.events[..],
                    "the row tells what an event would have told"
                );
            }
        }
    }
    assert_eq!(db.number("SELECT count(*) FROM action_event").await, 0);
}

fn renamed(intent: &Intent, run: &str) -> Intent {
    let payload = match intent.payload() {
        Some(holdpoint::intent::StoredPayload::Json(text)) => Payload::json_text(text.as_str()),
        Some(holdpoint::intent::StoredPayload::Text(text)) => Payload::text(text.as_str()),
        None => Payload::hash(intent.payload_hash().clone()),
    };
    Intent::new(run, intent.step(), intent.kind(), intent.target(), payload).unwrap()
}

/// A pass looks at what is due and not at everything that is open.
async fn the_clock_s_index_is_used(db: Db) {
    let now = if db.is_sqlite() {
        "(SELECT now FROM database_clock)"
    } else {
        "(SELECT holdpoint_now())"
    };
    let query =
        format!("SELECT wake_at, key FROM action_log WHERE wake_at <= {now} ORDER BY wake_at, key LIMIT 100");
    let plan = db.plan(&query).await;
    assert!(plan.contains("action_log_wake"), "{plan}");
    assert!(
        plan.contains("Index Cond: (wake_at <=") || plan.contains("(wake_at<?)"),
        "{plan}"
    );
}
