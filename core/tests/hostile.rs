//! Whatever strangers send to the core's readers: none panics, and what is printed reads back as it was.

use holdpoint::intent::IntentParts;
use holdpoint::ledger::Cursor;
use holdpoint::{
    Decision, Effect, HoldReason, Intent, Key, PayloadHash, Policy, Status, Time, Verdict, json,
};
use proptest::prelude::*;

/// Text that is nearly a time.
fn near_time() -> impl Strategy<Value = String> {
    let shaped = "[+-]?[0-9]{1,6}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,12})?(Z|z|[+-][0-9]{2}:[0-9]{2})?";
    let real = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9])";
    prop_oneof![shaped, real, any::<String>()]
}

/// What a cursor says once it is decoded, or nearly.
fn near_cursor() -> impl Strategy<Value = String> {
    use base64::Engine as _;
    let inside = "(-?[0-9]{1,20}|.{0,3}) ([0-9a-f]{64}|.{0,3}) ([bf]|.) ([0-9a-f]{8}|.{0,9})( .)?";
    let encoded = inside.prop_map(|text| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text));
    prop_oneof![encoded, "[A-Za-z0-9_=-]{0,120}", any::<String>()]
}

fn near_json() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\\[\\]{}:,\"0-9.eE+\\\\u-]{0,40}",
        "\\{(\"[a-z_]{1,14}\":(null|-?[0-9]{1,25}|\"[^\"]{0,9}\"|\\[\\]|\\{\\}|true),?){0,4}\\}",
    ]
}

proptest! {
    #[test]
    fn hostile_times_are_refused_or_read_back_as_they_are_printed(text in near_time()) {
        if let Ok(time) = text.parse::<Time>() {
            prop_assert_eq!(time.to_string().parse::<Time>().unwrap(), time, "{}", text);
        }
    }

    #[test]
    fn every_moment_of_a_thousand_years_reads_back(micros in -30_000_000_000_000_000_i64..30_000_000_000_000_000) {
        let time = Time::from_micros(micros);
        prop_assert_eq!(time.to_string().parse::<Time>().unwrap(), time);
    }

    #[test]
    fn arithmetic_on_any_moment_ends_at_the_ends_of_time(micros in any::<i64>(), seconds in any::<i64>()) {
        let time = Time::from_micros(micros);
        let _ = (time + seconds, time - seconds, time.to_string(), time.to_datetime());
        let _ = serde_json::to_string(&time).unwrap();
    }

    #[test]
    fn hostile_cursors_are_refused_or_read_back_as_they_are_printed(text in near_cursor()) {
        if let Ok(cursor) = text.parse::<Cursor>() {
            let printed = cursor.to_string();
            prop_assert!(printed.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(printed.parse::<Cursor>().unwrap(), cursor);
        }
    }

    #[test]
    fn hostile_keys_are_refused_or_read_back(text in prop_oneof![any::<String>(), "[0-9a-fA-F]{62,66}"]) {
        if let Ok(key) = text.parse::<Key>() {
            prop_assert_eq!(key.as_str(), &text);
        }
        if let Ok(hash) = text.parse::<PayloadHash>() {
            prop_assert_eq!(hash.as_str(), &text);
        }
    }

    #[test]
    fn hostile_words_are_none(text in prop_oneof![any::<String>(), "[a-z_]{1,26}"]) {
        macro_rules! each { ($($word:ty),+) => { $(
            if let Ok(word) = text.parse::<$word>() {
                prop_assert_eq!(word.as_str(), &text);
            }
        )+ } }
        each!(Status, HoldReason, Effect, Verdict, Decision);
    }

    #[test]
    fn hostile_policies_are_refused_or_in_range(text in near_json()) {
        if let Ok(policy) = serde_json::from_str::<Policy>(&text) {
            let _ = (policy.validate(), policy.warnings(), policy.sentence());
            let printed = serde_json::to_string(&policy).unwrap();
            prop_assert_eq!(serde_json::from_str::<Policy>(&printed).unwrap(), policy);
        }
    }

    /// A form that was made once is its own form: a worker that computes it again finds the same key.
    #[test]
    fn hostile_json_is_refused_or_has_a_form_that_stays(text in near_json()) {
        let _ = json::check(&text);
        if let Ok(form) = json::canonical(&text) {
            prop_assert_eq!(json::canonical(&form).unwrap(), form);
        }
    }

    #[test]
    fn hostile_intents_are_refused_by_a_member_that_they_have(
        run_id in any::<String>(),
        step in any::<i128>(),
        kind in prop_oneof![any::<String>(), "[a-z][a-z0-9_.-]{0,70}"],
        target in any::<String>(),
        payload in proptest::option::of(near_json()),
        payload_text in proptest::option::of(any::<String>()),
        payload_hash in proptest::option::of(prop_oneof![any::<String>(), "[0-9a-f]{64}"]),
    ) {
        let parts = IntentParts { run_id, step, kind, target, payload: payload.as_deref(), payload_text, payload_hash };
        match Intent::from_parts(parts) {
            Ok(intent) => prop_assert_eq!(intent.key().as_str().len(), 64),
            Err(wrong) => {
                let members = ["run_id", "step", "kind", "target", "payload", "payload_text", "payload_hash"];
                let member = wrong.field.split('/').next().unwrap_or_default();
                prop_assert!(members.contains(&member), "{}", wrong);
            }
        }
    }
}
