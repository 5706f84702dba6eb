//! Random payloads, results and masks: no value that is masked is read anywhere by who may not operate.

use holdpoint::intent::Payload;
use holdpoint::mask::Mask;
use holdpoint::transition::Failure;
use holdpoint::{Decision, Effect, Intent};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value};

use super::{every_view, masking, reader, viewer};
use crate::harness::*;

on_both!(no_masked_value_is_read_in_any_view);

const NAMES: [&str; 5] = ["a", "b", "subject", "password", "x_token"];

/// JSON in which every leaf is told from every other, some of several words.
fn value() -> impl Strategy<Value = Value> {
    let leaf = (100_000..999_999_u32, any::<bool>()).prop_map(|(n, long)| {
        Value::from(if long {
            format!("leaf {n} of the tree")
        } else {
            format!("leaf{n}")
        })
    });
    leaf.prop_recursive(3, 16, 4, |inner| {
        let members =
            proptest::collection::btree_map(proptest::sample::select(&NAMES[..]), inner.clone(), 1..4);
        prop_oneof![
            proptest::collection::vec(inner, 1..3).prop_map(Value::from),
            members.prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

fn patterns() -> impl Strategy<Value = Vec<&'static str>> {
    let one = proptest::sample::select(&["/a", "/a/*", "/**/b", "sub*", "/b/0", "/*/a", "b", "/"][..]);
    proptest::collection::vec(one, 0..3)
}

fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Value::Object(members) => members.values().for_each(|member| leaves(member, out)),
        leaf => out.push(leaf.as_str().unwrap().to_owned()),
    }
}

type Case = (Value, Value, Value, Vec<&'static str>);

fn cases() -> Vec<Case> {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(24);
    let mut runner = TestRunner::default();
    let strategy = (value(), value(), value(), patterns());
    (0..cases)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

async fn no_masked_value_is_read_in_any_view(db: Db) {
    for (case, (payload, result, other, patterns)) in cases().into_iter().enumerate() {
        lead(&db, case, [&payload, &result, &other], &patterns).await;
    }
}

/// One life: a failure that quotes all, a decision that records a result, and another result that comes late.
async fn lead(db: &Db, case: usize, [payload, result, other]: [&Value; 3], patterns: &[&str]) {
    let mask = Mask::of(&patterns.iter().map(ToString::to_string).collect::<Vec<_>>());
    let (run, kind) = (format!("run-{case}"), format!("kind-{case}"));
    db.set(&kind, masking(patterns)).await;
    let intent = Intent::new(&run, 1, &kind, "ada", Payload::Json(payload.to_string())).unwrap();
    db.granted(&intent, 1).await;
    let all = |values: &[&Value]| {
        let mut all = Vec::new();
        for value in values {
            leaves(value, &mut all);
        }
        all.join(", ")
    };
    // Providers repeat what they were sent.
    let echoing = |answer: &Value| {
        let mut answer = answer.clone();
        if let Some(members) = answer.as_object_mut() {
            members.insert("echo".to_owned(), Value::from(all(&[payload])));
        }
        answer.to_string()
    };
    let failure = Failure {
        attempt: 1,
        error: format!("could not send: {}; gave up", all(&[payload])),
        effect: Effect::Unknown,
        permanent: false,
    };
    db.ledger.fail(&worker(), &intent.key(), failure).await.unwrap();
    let held = every_view(db, &viewer(), &intent).await;
    let version = db.action(&intent).await.version;
    let why = format!("the customer quoted {}", all(&[payload, result, other]));
    let decided = db
        .ledger
        .decide(
            &person("otto"),
            &intent.key(),
            Decision::Succeed,
            &why,
            version,
            Some(echoing(result)),
        )
        .await
        .unwrap();
    db.succeed(&intent, 1, &echoing(other)).await;
    let after = [
        every_view(db, &viewer(), &intent).await,
        every_view(db, &reader(), &intent).await,
        format!("{decided:?}"),
    ]
    .join("\n");
    let masked = |value: &Value| {
        let seen = mask.json(&value.to_string()).text;
        let mut gone = Vec::new();
        leaves(value, &mut gone);
        gone.retain(|leaf| !seen.contains(leaf.as_str()));
        gone
    };
    for gone in masked(payload) {
        assert!(!held.contains(&gone), "{gone} by {patterns:?} in {held}");
    }
    // Leaves of one text that another one shows by its own right are no secrets.
    let shown: String = [payload, result, other]
        .map(|value| mask.json(&value.to_string()).text)
        .concat();
    for gone in [payload, result, other].into_iter().flat_map(masked) {
        if !shown.contains(&gone) {
            assert!(!after.contains(&gone), "{gone} by {patterns:?} in {after}");
        }
    }
}
