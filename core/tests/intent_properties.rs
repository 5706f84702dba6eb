//! What holds for every intent and every JSON text, tried on many of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use holdpoint::Intent;
use holdpoint::intent::{Payload, StoredPayload};
use holdpoint::json;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::de::IgnoredAny;

/// Five parts as they are joined; few letters, so that parts shift into each other easily.
type Parts = (String, u64, String, String, String);

fn parts() -> impl Strategy<Value = Parts> {
    let step = prop_oneof![0..3_u64, Just((1 << 53) - 1)];
    (
        "[ab1|]{1,3}",
        step,
        "[ab][ab1_]{0,2}",
        "[ab1 ]{1,8}",
        "[ab ]{0,2}",
    )
}

/// Parts that are mostly wrong: white space, control characters and separators anywhere.
fn wild_parts() -> impl Strategy<Value = Parts> {
    let wild = "[a1 \u{a0}\u{feff}\n|]{0,4}";
    (wild, 0..3_u64, wild, wild, "[ab ]{0,2}")
}

fn intent((run_id, step, kind, target, body): &Parts) -> Option<Intent> {
    Intent::text(run_id, *step, kind, target, body).ok()
}

/// A JSON value, with numbers that doubles hold and names that sort differently by code point.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let name = || "[ab\"\\\\\u{e9}\u{20ac}\u{fb33}\u{1f600}]{0,3}";
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        any::<f64>()
            .prop_filter("JSON has no infinity", |x| x.is_finite())
            .prop_map(serde_json::Value::from),
        ".{0,4}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            btree_map(name(), inner, 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

fn form(value: &serde_json::Value) -> String {
    json::canonical(&value.to_string()).unwrap()
}

/// Whether two values are one to RFC 8785: numbers are doubles, and there is one zero.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => a.as_f64() == b.as_f64(),
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The value written with its members backwards and every character of its strings escaped.
fn written_otherwise(value: &serde_json::Value) -> String {
    let string = |text: &str| {
        text.encode_utf16()
            .map(|unit| format!("\\u{unit:04X}"))
            .collect::<Vec<_>>()
            .concat()
    };
    match value {
        serde_json::Value::String(text) => format!("\"{}\"", string(text)),
        serde_json::Value::Array(items) => {
            format!(
                "[ {} ]",
                items
                    .iter()
                    .map(written_otherwise)
                    .collect::<Vec<_>>()
                    .join(" ,\n")
            )
        }
        serde_json::Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .rev()
                .map(|(name, value)| format!("\"{}\"\t: {}", string(name), written_otherwise(value)))
                .collect();
            format!("{{\r\n{}}}", members.join(" , "))
        }
        other => other.to_string(),
    }
}

/// Texts near JSON: whole values with a few characters changed, and strings of its fragments.
fn near_json() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just(","),
        Just(":"),
        Just("\""),
        Just("\\"),
        Just("\\u00e"),
        Just("\\ud800"),
        Just("\\n"),
        Just("\\x"),
        Just("\"a\""),
        Just("\"a\":"),
        Just("0"),
        Just("01"),
        Just("-"),
        Just("1.5"),
        Just("1."),
        Just("1e400"),
        Just("e+"),
        Just("true"),
        Just("nul"),
        Just("null"),
        Just(" "),
        Just("\n"),
        Just("\u{c}"),
        Just("\u{feff}"),
        Just("\u{1}"),
        Just("é"),
        Just("//"),
        Just("'"),
    ];
    let fragments = vec(fragment.clone(), 0..12).prop_map(|fragments| fragments.concat());
    let changed =
        (value(), any::<prop::sample::Index>(), fragment, 0..2_usize).prop_map(|(value, place, new, cut)| {
            let mut text: Vec<char> = value.to_string().chars().collect();
            let place = place.index(text.len() + 1);
            text.splice(place..(place + cut).min(text.len()), new.chars());
            text.into_iter().collect()
        });
    prop_oneof![fragments, changed]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn intents_share_a_key_exactly_if_they_are_equal(a in parts(), b in parts()) {
        let (first, second) = (intent(&a).unwrap(), intent(&b).unwrap());
        prop_assert_eq!(first.key() == second.key(), a == b);
        prop_assert_eq!(first.key(), intent(&a).unwrap().key());
        let place = |parts: &Parts| (parts.0.clone(), parts.1, parts.2.clone(), parts.3.clone());
        prop_assert_eq!(first.slot() == second.slot(), place(&a) == place(&b));
    }

    /// Every way of cutting the joined text into other parts is refused, not merely unlikely.
    #[test]
    fn the_joined_text_can_be_taken_apart_in_one_way_only(parts in wild_parts()) {
        if let Some(intent) = intent(&parts) {
            let joined = format!("{} {} {} {} {}", parts.0, parts.1, parts.2, parts.3, intent.payload_hash());
            let step = intent.step().to_string();
            let (front, hash) = joined.rsplit_once(' ').unwrap();
            let mut front = front.splitn(4, ' ');
            prop_assert_eq!(front.next(), Some(intent.run_id()));
            prop_assert_eq!(front.next(), Some(step.as_str()));
            prop_assert_eq!(front.next(), Some(intent.kind()));
            prop_assert_eq!(front.next(), Some(intent.target()));
            prop_assert_eq!(hash, intent.payload_hash().as_str());
        }
    }

    #[test]
    fn one_value_has_one_form_however_it_is_written(value in value()) {
        let form = form(&value);
        prop_assert_eq!(&json::canonical(&written_otherwise(&value)).unwrap(), &form);
        prop_assert_eq!(&json::canonical(&form).unwrap(), &form, "a form is its own form");
    }

    #[test]
    fn two_values_have_two_forms(a in value(), b in value()) {
        prop_assert_eq!(form(&a) == form(&b), same(&a, &b));
    }

    /// One payload has one key however it is written, on its own and among all the others; two have two.
    #[test]
    fn json_payloads_share_a_key_exactly_if_they_are_one_value(a in value(), b in value()) {
        let key = |text: String| Intent::new("r", 1, "k", "t", Payload::json_text(text)).unwrap().key();
        prop_assert_eq!(key(a.to_string()), key(written_otherwise(&a)));
        prop_assert_eq!(key(a.to_string()) == key(b.to_string()), same(&a, &b));
    }

    #[test]
    fn a_payload_is_kept_as_it_came(value in value()) {
        let text = written_otherwise(&value);
        let intent = Intent::new("r", 1, "k", "t", Payload::json_text(&text)).unwrap();
        prop_assert_eq!(intent.payload(), Some(&StoredPayload::Json(text)));
    }

    #[test]
    fn check_gives_the_verdict_of_serde_json(text in near_json()) {
        let theirs = serde_json::from_str::<IgnoredAny>(&text);
        prop_assert_eq!(json::check(&text).is_ok(), theirs.is_ok(), "{}: {:?}", text, theirs);
    }

    #[test]
    fn check_gives_the_verdict_of_serde_json_on_anything(text in any::<String>()) {
        prop_assert_eq!(json::check(&text).is_ok(), serde_json::from_str::<IgnoredAny>(&text).is_ok());
    }

    /// What is refused is refused with a place inside the text, and what has a form is well-formed.
    #[test]
    fn canonical_is_stricter_than_check(text in near_json()) {
        match json::canonical(&text) {
            Ok(_) => prop_assert!(json::check(&text).is_ok()),
            Err(refused) => {
                prop_assert_eq!(refused.kind == json::JsonErrorKind::Malformed, json::check(&text).is_err());
                prop_assert!(refused.line <= text.matches('\n').count() + 1);
                prop_assert!(refused.column <= text.chars().count() + 1);
            }
        }
    }
}
