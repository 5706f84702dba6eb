//! What a policy masks is masked for everyone who looks, until an operator reveals it and the history says so.

use holdpoint::intent::{Payload, StoredPayload};
use holdpoint::ledger::{AuditFilter, Error, Filter, REVEALED_FOR_S};
use holdpoint::mask::MARK;
use holdpoint::transition::{ClaimAnswer, Failure};
use holdpoint::{Actor, AuditEvent, Decision, Effect, Intent, Policy, Recovery, Role, Status};

use crate::harness::*;

mod random;

on_both!(
    case_d51_what_is_masked_is_masked_in_every_view_and_search,
    workers_are_given_the_exact_bytes,
    what_quotes_a_masked_value_is_masked_as_well,
    a_result_that_repeats_its_payload_is_masked_there,
    the_audit_keeps_no_reason_that_quotes_what_is_masked,
    only_operators_reveal_and_never_without_a_trace,
    a_reveal_is_one_person_s_for_a_quarter_of_an_hour,
    patterns_that_cannot_be_are_refused_by_their_place,
    a_mask_holds_from_the_moment_it_is_put,
    a_damaged_policy_masks_everything,
);

pub fn viewer() -> Actor {
    Actor::person("vera", Role::Viewer)
}

pub fn reader() -> Actor {
    Actor::reader("tool")
}

pub fn masking(patterns: &[&str]) -> Policy {
    Policy {
        mask: patterns.iter().map(ToString::to_string).collect(),
        ..swift(Recovery::Unverifiable)
    }
}

/// The mail of the case: a secret that is one everywhere, and a body that is one for this kind.
fn letter(run: &str) -> Intent {
    let payload = r#"{"body":"PIN zq4711","headers":{"Authorization":"Bearer s3cr3t"},"to":"a@x.test"}"#;
    Intent::new(
        run,
        1,
        "send_email",
        "a@x.test",
        Payload::Json(payload.to_owned()),
    )
    .unwrap()
}

/// All that somebody who reads is given of an action, as text.
pub async fn every_view(db: &Db, actor: &Actor, intent: &Intent) -> String {
    let run = Filter {
        run_id: Some(intent.run_id().to_owned()),
        ..Filter::default()
    };
    let detail = db.ledger.read(actor, &intent.key()).await.unwrap();
    // How a payload is printed for a log does not tell what it holds.
    let payload = detail
        .payload
        .as_ref()
        .map(StoredPayload::as_str)
        .unwrap_or_default();
    format!(
        "{payload}\n{detail:?}\n{:?}\n{:?}",
        db.ledger.list(actor, &run).await.unwrap(),
        db.ledger.run(actor, intent.run_id()).await.unwrap(),
    )
}

async fn case_d51_what_is_masked_is_masked_in_every_view_and_search(db: Db) {
    let intent = letter("run-1");
    db.set("send_email", masking(&["/body"])).await;
    db.granted(&intent, 1).await;
    db.ledger
        .succeed(
            &worker(),
            &intent.key(),
            success(1, r#"{"id":7,"session_token":"t0ps3cret"}"#),
        )
        .await
        .unwrap();
    for actor in [viewer(), reader(), person("otto"), admin(), Actor::CommandLine] {
        let seen = every_view(&db, &actor, &intent).await;
        for secret in ["zq4711", "s3cr3t", "t0ps3cret"] {
            assert!(!seen.contains(secret), "{actor:?} sees {secret}: {seen}");
        }
        let detail = db.ledger.read(&actor, &intent.key()).await.unwrap();
        assert_eq!(detail.masked.payload, ["/body", "/headers/Authorization"]);
        assert_eq!(detail.masked.result, ["/session_token"]);
        assert_eq!(
            detail.action.result.as_deref(),
            Some(r#"{"id":7,"session_token":"••••••"}"#)
        );
        for q in ["zq4711", "s3cr3t", "PIN", "t0ps3cret"] {
            let filter = Filter {
                q: Some(q.to_owned()),
                ..Filter::default()
            };
            let found = db.ledger.list(&actor, &filter).await.unwrap().items;
            assert!(found.is_empty(), "a search for {q} tells that it is there");
        }
    }
}

async fn workers_are_given_the_exact_bytes(db: Db) {
    let result = r#"{ "token" : "t0ps3cret" }"#;
    let intent = letter("run-1");
    db.set("send_email", masking(&["/"])).await;
    db.granted(&intent, 1).await;
    let done = db.succeed(&intent, 1, result).await;
    assert_eq!(done.action.result.as_deref(), Some(result));
    let replay = db.claim(&intent).await;
    assert_eq!(replay.answer, ClaimAnswer::Succeeded);
    assert_eq!(replay.action.unwrap().result.as_deref(), Some(result));
    // A released action, and a question about one, carry the payload as it came.
    let second = letter("run-2");
    db.granted(&second, 1).await;
    db.fail(&second, 1, Effect::None).await.unwrap();
    let kinds = ["send_email".to_owned()];
    let next = db
        .ledger
        .next(&worker(), &kinds, &under("c-1"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(Some(&next.payload), second.payload());
    db.set(
        "send_email",
        Policy {
            recovery: Recovery::Verifiable,
            ..masking(&["/"])
        },
    )
    .await;
    let failed = db.fail(&second, 2, Effect::Unknown).await.unwrap();
    assert_eq!(failed.error.as_deref(), Some("the provider hung up"));
    let out = db
        .ledger
        .next_question(&worker(), &kinds, None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(out.payload.as_ref(), second.payload());
}

async fn what_quotes_a_masked_value_is_masked_as_well(db: Db) {
    let intent = letter("run-1");
    db.set("send_email", masking(&["body"])).await;
    db.granted(&intent, 1).await;
    let report = Failure {
        attempt: 1,
        error: "550 refused: 'PIN zq4711' looks like spam (auth was Bearer s3cr3t)".to_owned(),
        effect: Effect::Unknown,
        permanent: false,
    };
    db.ledger.fail(&worker(), &intent.key(), report).await.unwrap();
    let held = db.action(&intent).await;
    assert_eq!(
        held.error.as_deref(),
        Some("550 refused: '••••••' looks like spam (auth was ••••••)")
    );
    // A success that comes late with another result than the stored one stands in the history whole.
    let decided = db
        .ledger
        .decide(
            &person("otto"),
            &intent.key(),
            Decision::Succeed,
            "the customer read zq4711 to me",
            held.version,
            Some(r#"{"id":1,"body":"PIN zq4711"}"#.to_owned()),
        )
        .await
        .unwrap();
    assert_eq!(
        decided.action.result.as_deref(),
        Some(r#"{"id":1,"body":"••••••"}"#)
    );
    db.succeed(&intent, 1, r#"{"id":2,"body":"PIN 0815","secret":"n0tthis"}"#)
        .await;
    let changed = db
        .ledger
        .decide(
            &person("otto"),
            &intent.key(),
            Decision::Fail,
            "again",
            held.version,
            None,
        )
        .await
        .unwrap_err();
    let Error::Changed(fresh) = &changed else {
        panic!("{changed:?}")
    };
    assert_eq!(fresh.status, Status::Succeeded);
    let looked = db
        .ledger
        .acknowledge(&person("otto"), &intent.key(), fresh.version)
        .await
        .unwrap();
    let seen = format!(
        "{changed:?} {looked:?} {decided:?} {}",
        every_view(&db, &viewer(), &intent).await
    );
    for secret in ["zq4711", "0815", "n0tthis", "s3cr3t"] {
        assert!(!seen.contains(secret), "{secret} in {seen}");
    }
    assert!(
        seen.contains(
            r#"another result than the stored one: {\"id\":2,\"body\":\"••••••\",\"secret\":\"••••••\"}"#
        ),
        "{seen}"
    );
}

async fn a_result_that_repeats_its_payload_is_masked_there(db: Db) {
    let payload = r#"{"amount":47110,"body":"the pin of the card","cc":"eve"}"#;
    let payload = Payload::Json(payload.to_owned());
    let intent = Intent::new("run-1", 1, "send_email", "a@x.test", payload).unwrap();
    db.set("send_email", masking(&["amount", "body"])).await;
    db.granted(&intent, 1).await;
    let result = r#"{"id":7,"sent":47110,"log":["accepted: The pin of the card","queued for eve"]}"#;
    db.succeed(&intent, 1, result).await;
    let masked = r#"{"id":7,"sent":"••••••","log":["••••••","queued for eve"]}"#;
    let detail = db.ledger.read(&viewer(), &intent.key()).await.unwrap();
    assert_eq!(detail.action.result.as_deref(), Some(masked));
    assert_eq!(detail.masked.result, ["/sent", "/log/0"]);
    let run = db.ledger.run(&viewer(), "run-1").await.unwrap();
    assert_eq!(run.items[0].action.result.as_deref(), Some(masked));
}

async fn the_audit_keeps_no_reason_that_quotes_what_is_masked(db: Db) {
    let intent = letter("run-1");
    db.held(&intent).await;
    db.set("send_email", masking(&["body"])).await;
    let key = intent.key();
    let said = "she read PIN zq4711 to me";
    db.ledger.reveal(&person("otto"), &key, Some(said)).await.unwrap();
    let version = db.action(&intent).await.version;
    db.ledger
        .decide(&person("otto"), &key, Decision::Retry, said, version, None)
        .await
        .unwrap();
    for event in [AuditEvent::Revealed, AuditEvent::Decision] {
        let filter = AuditFilter {
            event: Some(event),
            ..AuditFilter::default()
        };
        let page = db.ledger.audit(&admin(), &filter).await.unwrap();
        let kept: Vec<_> = page.items.iter().map(|line| line.reason.as_deref()).collect();
        assert_eq!(kept, [Some("she read •••••• to me")], "{event:?}");
    }
    // Behind the mask the history says it as it was typed.
    let seen = db.ledger.reveal(&person("otto"), &key, None).await.unwrap();
    let reasons: Vec<_> = seen.detail.history.into_iter().filter_map(|e| e.reason).collect();
    assert_eq!(reasons.iter().filter(|reason| *reason == said).count(), 2);
}

async fn only_operators_reveal_and_never_without_a_trace(db: Db) {
    let intent = letter("run-1");
    db.granted(&intent, 1).await;
    let key = intent.key();
    for actor in [viewer(), reader(), worker()] {
        let refused = db.ledger.reveal(&actor, &key, None).await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })), "{actor:?}");
        let refused = db.ledger.revealed(&actor, &key, 1).await;
        assert!(matches!(refused, Err(Error::Forbidden { .. })), "{actor:?}");
    }
    assert!(!db.history(&intent).await.contains(&"revealed".to_owned()));
    let revealed = db
        .ledger
        .reveal(&person("otto"), &key, Some("the customer asks"))
        .await
        .unwrap();
    assert_eq!(revealed.detail.payload.as_ref(), intent.payload());
    assert!(revealed.detail.masked.is_empty());
    let last = db.read(&intent).await.history.pop().unwrap();
    assert_eq!(
        (last.event.as_str(), last.by.as_deref(), last.reason.as_deref()),
        ("revealed", Some("otto"), Some("the customer asks"))
    );
    // Where the trace cannot be kept, nothing is shown.
    db.refuse("no_trace", "INSERT ON action_event", "NEW.event = 'revealed'")
        .await;
    assert!(db.ledger.reveal(&person("otto"), &key, None).await.is_err());
    db.allow("no_trace", "action_event").await;
    let nothing = mail("run-9").key();
    let missing = db.ledger.reveal(&person("otto"), &nothing, None).await;
    assert!(matches!(missing, Err(Error::NotFound { .. })));
}

async fn a_reveal_is_one_person_s_for_a_quarter_of_an_hour(db: Db) {
    let (intent, other) = (letter("run-1"), letter("run-2"));
    db.granted(&intent, 1).await;
    db.granted(&other, 1).await;
    let (key, otto) = (intent.key(), person("otto"));
    let event = db.ledger.reveal(&otto, &key, None).await.unwrap().event;
    let again = db.ledger.revealed(&otto, &key, event).await.unwrap().unwrap();
    assert_eq!(again.detail.payload.as_ref(), intent.payload());
    // Not somebody else's, not another action's, not another event's.
    assert!(
        db.ledger
            .revealed(&person("eve"), &key, event)
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        db.ledger
            .revealed(&otto, &other.key(), event)
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        db.ledger
            .revealed(&otto, &key, event + 1)
            .await
            .unwrap()
            .is_none()
    );
    let version = db.action(&intent).await.version;
    let decided = db
        .ledger
        .decide(&otto, &key, Decision::Fail, "no", version, None)
        .await;
    assert!(matches!(decided, Err(Error::NotHeld(_))));
    db.pass(REVEALED_FOR_S - 5).await;
    assert!(db.ledger.revealed(&otto, &key, event).await.unwrap().is_some());
    db.pass(6).await;
    assert!(db.ledger.revealed(&otto, &key, event).await.unwrap().is_none());
}

async fn patterns_that_cannot_be_are_refused_by_their_place(db: Db) {
    for (patterns, place) in [
        (vec!["/a", "$.b"], 1),
        (vec!["/a~"], 0),
        (vec!["a"; 51], 50),
        (vec![" a"], 0),
    ] {
        let put = db
            .ledger
            .put_policy(&admin(), "k", None, &masking(&patterns), "try it")
            .await;
        assert!(
            matches!(&put, Err(Error::InvalidMask(wrong)) if wrong.index == place),
            "{patterns:?}: {put:?}"
        );
    }
}

async fn a_mask_holds_from_the_moment_it_is_put(db: Db) {
    let intent = letter("run-1");
    db.granted(&intent, 1).await;
    assert!(every_view(&db, &viewer(), &intent).await.contains("zq4711"));
    db.set("send_email", masking(&["/body"])).await;
    assert!(!every_view(&db, &viewer(), &intent).await.contains("zq4711"));
    let version = db
        .ledger
        .policy(&admin(), "send_email")
        .await
        .unwrap()
        .unwrap()
        .policy
        .version;
    db.ledger
        .delete_policy(&admin(), "send_email", version, "no more")
        .await
        .unwrap();
    let seen = every_view(&db, &viewer(), &intent).await;
    assert!(seen.contains("zq4711") && !seen.contains("s3cr3t"), "{seen}");
}

async fn a_damaged_policy_masks_everything(db: Db) {
    let intent = mail("run-1");
    db.set("send_email", masking(&[])).await;
    db.granted(&intent, 1).await;
    db.succeed(&intent, 1, r#""message 17""#).await;
    db.execute("UPDATE policy SET body = '{'").await.unwrap();
    let page = db.ledger.list(&viewer(), &Filter::default()).await.unwrap();
    assert_eq!(
        page.items[0].result.as_deref(),
        Some(format!("\"{MARK}\"").as_str())
    );
}
