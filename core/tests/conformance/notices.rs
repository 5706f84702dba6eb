//! What webhooks are told: with the transition itself, each cause apart, gathered.

use holdpoint::ledger::{Became, Heard, Outgoing};
use holdpoint::notice::{Message, Says};
use holdpoint::{Decision, Effect, Event, Intent, OnUnknown, Policy, Recovery};

use crate::harness::*;

on_both!(
    each_event_is_told_with_its_cause_and_nothing_that_could_be_masked,
    who_wants_it_is_told_and_nobody_else,
    a_person_s_own_word_needs_no_telling,
    case_d29_one_outage_is_a_handful_of_messages,
    case_d29_an_action_that_flaps_is_gathered,
    case_d29_a_receiver_that_is_down_is_not_flooded_when_it_is_back,
    what_is_not_committed_is_not_told,
);

/// Gathers, and takes what is to be sent now.
pub async fn taken(db: &Db) -> Vec<Outgoing> {
    db.ledger.gather_notices().await.unwrap();
    db.ledger.take_deliveries(&[], 100).await.unwrap()
}

pub async fn became(db: &Db, sent: &Outgoing, heard: &Heard) -> Became {
    db.ledger.heard(sent, heard.clone()).await.unwrap()
}

/// The receiver did not answer.
pub fn silent() -> Heard {
    Heard {
        status: None,
        took_ms: 20_000,
        error: Some("no answer within 20 s".to_owned()),
    }
}

pub fn thanks() -> Heard {
    Heard {
        status: Some(204),
        took_ms: 12,
        error: None,
    }
}

/// Gathers and delivers; what was told.
pub async fn told(db: &Db) -> Vec<Message> {
    let mut told = Vec::new();
    for sent in taken(db).await {
        assert_eq!(became(db, &sent, &thanks()).await, Became::Delivered);
        told.push(sent.message);
    }
    told
}

pub fn nth(run: &str, n: u64) -> Intent {
    Intent::text(run, n, "send_email", format!("u{n}@example.com"), "Hello").unwrap()
}

/// Becomes stuck: its worker does not know what came of it.
pub async fn stick(db: &Db, intent: &Intent) {
    db.granted(intent, 1).await;
    db.fail(intent, 1, Effect::Unknown).await.unwrap();
}

async fn each_event_is_told_with_its_cause_and_nothing_that_could_be_masked(db: Db) {
    db.webhook("a", Event::ALL, None).await;
    let intent = Intent::text("run-1", 1, "send_email", "secret@example.com", "the payload").unwrap();
    stick(&db, &intent).await;
    let held = told(&db).await.remove(0);
    let said = (
        held.says,
        held.kind.as_deref(),
        held.reason.as_deref(),
        held.count,
    );
    assert_eq!(
        said,
        (
            Says::Happened(Event::Held),
            Some("send_email"),
            Some("outcome_unknown"),
            1
        )
    );
    let oldest = held.oldest.clone().unwrap();
    assert_eq!(
        (&oldest.key, oldest.run_id.as_deref()),
        (&intent.key(), Some("run-1"))
    );
    let kept = db.text("SELECT message FROM delivery").await.unwrap();
    for masked in ["secret@example.com", "the payload", "hung up"] {
        assert!(!kept.contains(masked), "{kept}");
    }
    // It was done after all, and a second worker had done it as well.
    db.decide("ada", &intent, Decision::Retry).await;
    db.granted(&intent, 2).await;
    db.succeed(&intent, 2, "1").await;
    db.succeed(&intent, 1, "2").await;
    // A person said that it happened, and every attempt surely did nothing.
    let second = nth("run-2", 2);
    stick(&db, &second).await;
    db.decide("ada", &second, Decision::Succeed).await;
    db.fail(&second, 1, Effect::None).await.unwrap();
    // Nobody claims it.
    let third = nth("run-3", 3);
    db.set(
        "send_email",
        Policy {
            claim_within_s: 60,
            ..swift(Recovery::Unverifiable)
        },
    )
    .await;
    db.granted(&third, 1).await;
    db.fail(&third, 1, Effect::None).await.unwrap();
    db.pass(61).await;
    db.reap().await;
    // The worker says for good that it did nothing.
    let fourth = nth("run-4", 4);
    db.granted(&fourth, 1).await;
    db.ledger
        .fail(&worker(), &fourth.key(), permanent(1))
        .await
        .unwrap();
    db.ledger
        .pause(&admin(), Some("send_email"), "the provider is down")
        .await
        .unwrap();
    db.ledger.pause(&admin(), None, "all of them are").await.unwrap();
    let mut causes: Vec<_> = told(&db)
        .await
        .into_iter()
        .map(|m| (format!("{:?}", m.says), m.kind, m.reason, m.count))
        .collect();
    causes.sort();
    let mail = Some("send_email".to_owned());
    let cause = |event, kind: &Option<String>, reason: Option<&str>| {
        (
            format!("{:?}", Says::Happened(event)),
            kind.clone(),
            reason.map(str::to_owned),
            1,
        )
    };
    let mut expected = vec![
        cause(Event::SuspectedDuplicate, &mail, None),
        cause(Event::SuspectedNoSend, &mail, None),
        cause(Event::Unclaimed, &mail, Some("unclaimed")),
        cause(Event::Failed, &mail, Some("worker")),
        cause(Event::Paused, &mail, None),
        cause(Event::Paused, &None, None),
        // The second hold was after the first one was told: its minute is over.
        cause(Event::Held, &mail, Some("outcome_unknown")),
    ];
    expected.sort();
    assert_eq!(causes, expected);
}

async fn who_wants_it_is_told_and_nobody_else(db: Db) {
    db.webhook("mails", &[Event::Held], Some(&["send_email", "send_sms"]))
        .await;
    db.webhook("invoices", &[Event::Held], Some(&["create_invoice"]))
        .await;
    db.webhook("failures", &[Event::Failed], None).await;
    db.webhook("everything", &[Event::Held, Event::Failed, Event::Paused], None)
        .await;
    stick(&db, &mail("run-1")).await;
    let who = async || {
        let mut who: Vec<_> = taken(&db).await.into_iter().map(|sent| sent.webhook).collect();
        who.sort();
        who
    };
    assert_eq!(who().await, ["everything", "mails"]);
    db.set(
        "create_invoice",
        Policy {
            on_unknown: OnUnknown::Fail,
            ..Policy::default()
        },
    )
    .await;
    let invoice = Intent::text("run-1", 2, "create_invoice", "cus_42", "380 EUR").unwrap();
    stick(&db, &invoice).await;
    assert_eq!(who().await, ["everything", "failures"]);
    // What pauses everything concerns whoever asked for a kind.
    db.webhook("pauses", &[Event::Paused], Some(&["send_email"]))
        .await;
    db.ledger
        .pause(&admin(), Some("create_invoice"), "why")
        .await
        .unwrap();
    assert_eq!(who().await, ["everything"]);
    db.ledger.pause(&admin(), None, "why").await.unwrap();
    assert_eq!(who().await, ["everything", "pauses"]);
    db.ledger.pause(&admin(), None, "once more").await.unwrap();
    assert!(who().await.is_empty(), "it was paused already");
}

async fn a_person_s_own_word_needs_no_telling(db: Db) {
    db.webhook("a", &[Event::Failed, Event::SuspectedNoSend], None)
        .await;
    stick(&db, &mail("run-1")).await;
    db.decide("ada", &mail("run-1"), Decision::Fail).await;
    assert!(told(&db).await.is_empty());
}

async fn case_d29_one_outage_is_a_handful_of_messages(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    let mut messages = Vec::new();
    for n in 0..500 {
        stick(&db, &nth("run-1", n)).await;
        // A server looks all the time, and another one takes over half-way.
        if n % 50 == 0 {
            db.pass(60).await;
            let ledger = db.another().await;
            ledger.gather_notices().await.unwrap();
            ledger.close().await;
            messages.extend(told(&db).await);
        }
    }
    let invoice = Intent::text("run-1", 1, "create_invoice", "cus_42", "380 EUR").unwrap();
    stick(&db, &invoice).await;
    let apart = told(&db).await;
    assert_eq!(apart.len(), 1, "another kind is told apart, and at once");
    assert_eq!(apart[0].kind.as_deref(), Some("create_invoice"));
    db.pass(600).await;
    messages.extend(told(&db).await);
    let counts: Vec<_> = messages.iter().map(|m| m.count).collect();
    assert_eq!(counts.iter().sum::<u64>(), 500, "none is forgotten: {counts:?}");
    assert!(messages.len() <= 4 && counts[0] == 1, "{counts:?}");
    assert!(
        messages
            .iter()
            .all(|m| m.keys.len() <= 20 && m.first_at <= m.last_at)
    );
    // The provider is back: all but 20 are resolved.
    for n in 20..500 {
        db.decide("ada", &nth("run-1", n), Decision::Succeed).await;
    }
    for _ in 0..4 {
        db.pass(600).await;
        messages.extend(
            told(&db)
                .await
                .into_iter()
                .filter(|m| matches!(m.says, Says::Recovered(..))),
        );
    }
    let last = messages.pop().unwrap();
    assert_eq!((last.says, last.count), (Says::Recovered(Event::Held, 20), 500));
    assert!(
        messages.iter().all(|m| m.says == Says::Happened(Event::Held)),
        "it is said once"
    );
    // What comes next is told at once again.
    stick(&db, &nth("run-2", 1)).await;
    assert_eq!(told(&db).await.len(), 1);
}

async fn case_d29_an_action_that_flaps_is_gathered(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    db.set("send_email", swift(Recovery::Unverifiable)).await;
    let intent = mail("run-1");
    let mut messages = Vec::new();
    for attempt in 1..=30 {
        db.granted(&intent, attempt).await;
        db.fail(&intent, attempt, Effect::Unknown).await.unwrap();
        messages.extend(told(&db).await);
        db.decide("ada", &intent, Decision::Retry).await;
        db.pass(20).await;
    }
    assert!(messages.len() <= 3, "{messages:?}");
    assert!(
        messages.iter().all(|m| m.count == 1),
        "it is one action: {messages:?}"
    );
}

async fn case_d29_a_receiver_that_is_down_is_not_flooded_when_it_is_back(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    stick(&db, &nth("run-1", 0)).await;
    let mut first = taken(&db).await.remove(0);
    for n in 1..20 {
        assert_eq!(became(&db, &first, &silent()).await, Became::Waits);
        stick(&db, &nth("run-1", n)).await;
        db.pass(3_600).await;
        let mut again = taken(&db).await;
        match (again.len(), n) {
            (0, _) => break,
            (1, _) => first = again.remove(0),
            _ => panic!("more than one message of one cause is on its way"),
        }
        assert!(first.number <= 9);
        if n == 8 {
            break;
        }
    }
    assert_eq!(became(&db, &first, &thanks()).await, Became::Delivered);
    db.pass(60).await;
    let rest = told(&db).await;
    assert_eq!(
        rest.iter().map(|m| m.count).collect::<Vec<_>>(),
        [db.number("SELECT count(*) FROM action_log").await as u64 - 1]
    );
    assert_eq!(
        db.number("SELECT count(*) FROM delivery").await,
        2,
        "failed tries make no notices"
    );
}

async fn what_is_not_committed_is_not_told(db: Db) {
    db.webhook("a", &[Event::Held], None).await;
    db.granted(&mail("run-1"), 1).await;
    db.refuse("no_room", "INSERT ON notice", "TRUE").await;
    assert!(db.fail(&mail("run-1"), 1, Effect::Unknown).await.is_err());
    assert!(db.action(&mail("run-1")).await.status == holdpoint::Status::InFlight);
    db.allow("no_room", "notice").await;
    db.fail(&mail("run-1"), 1, Effect::Unknown).await.unwrap();
    assert_eq!(told(&db).await.len(), 1);
}
