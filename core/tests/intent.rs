//! What an intent takes and refuses beyond the key vectors: lengths, payloads and their hashes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use holdpoint::intent::{Intent, IntentParts, InvalidIntent, Key, MAX_PAYLOAD_BYTES, Payload, PayloadHash};

fn field_of(refused: Result<Intent, InvalidIntent>) -> &'static str {
    refused.unwrap_err().field
}

fn parts() -> IntentParts<'static> {
    IntentParts {
        run_id: "r".to_owned(),
        step: 1,
        kind: "send_email".to_owned(),
        target: "a@b.example".to_owned(),
        ..IntentParts::default()
    }
}

#[test]
fn lengths_are_bytes_and_the_limits_themselves_are_allowed() {
    let make = |run_id: String, kind: String, target: String| Intent::text(run_id, 1, kind, target, "x");
    assert!(make("é".repeat(100), "k".repeat(64), "é".repeat(500)).is_ok());
    assert_eq!(
        field_of(make("é".repeat(100) + "r", "k".to_owned(), "t".to_owned())),
        "run_id"
    );
    assert_eq!(
        field_of(make("r".to_owned(), "k".repeat(65), "t".to_owned())),
        "kind"
    );
    assert_eq!(
        field_of(make("r".to_owned(), "k".to_owned(), "é".repeat(500) + "t")),
        "target"
    );
    assert_eq!(field_of(Intent::text("r", 1 << 53, "k", "t", "x")), "step");
    assert_eq!(
        field_of(Intent::from_parts(IntentParts {
            step: i128::MAX,
            ..parts()
        })),
        "step"
    );

    let text = |length: usize| Intent::text("r", 1, "k", "t", "x".repeat(length));
    assert!(text(MAX_PAYLOAD_BYTES).is_ok());
    assert_eq!(field_of(text(MAX_PAYLOAD_BYTES + 1)), "payload_text");
    let json = |length: usize| Intent::json("r", 1, "k", "t", &"x".repeat(length - 2));
    assert!(json(MAX_PAYLOAD_BYTES).is_ok());
    assert_eq!(field_of(json(MAX_PAYLOAD_BYTES + 1)), "payload");
}

#[test]
fn a_payload_is_given_once_and_its_hash_has_to_match() {
    let (json, text) = (Some("{\"a\": 1.0}"), Some("{\"a\": 1.0}".to_owned()));
    let both = IntentParts {
        payload: json,
        payload_text: text.clone(),
        ..parts()
    };
    assert_eq!(field_of(Intent::from_parts(both)), "payload_text");
    assert_eq!(field_of(Intent::from_parts(parts())), "payload");

    let hash = |hash: PayloadHash| Some(hash.to_string());
    let canonical = hash(PayloadHash::of("{\"a\":1}"));
    let raw = hash(PayloadHash::of("{\"a\": 1.0}"));
    assert!(
        Intent::from_parts(IntentParts {
            payload: json,
            payload_hash: canonical.clone(),
            ..parts()
        })
        .is_ok()
    );
    let wrong = IntentParts {
        payload: json,
        payload_hash: raw.clone(),
        ..parts()
    };
    assert_eq!(field_of(Intent::from_parts(wrong)), "payload_hash");
    let matching = IntentParts {
        payload_text: text.clone(),
        payload_hash: raw,
        ..parts()
    };
    assert!(Intent::from_parts(matching).is_ok());
    let wrong = IntentParts {
        payload_text: text,
        payload_hash: canonical.clone(),
        ..parts()
    };
    assert_eq!(field_of(Intent::from_parts(wrong)), "payload_hash");

    let alone = Intent::from_parts(IntentParts {
        payload_hash: canonical,
        ..parts()
    })
    .unwrap();
    assert_eq!(alone.payload(), None);
    for not_a_hash in [
        "",
        "ABC",
        &"A".repeat(64),
        &"a".repeat(63),
        &"a".repeat(65),
        &"g".repeat(64),
    ] {
        let refused = IntentParts {
            payload_hash: Some(not_a_hash.to_owned()),
            ..parts()
        };
        assert_eq!(
            field_of(Intent::from_parts(refused)),
            "payload_hash",
            "{not_a_hash}"
        );
    }
    let null = Intent::from_parts(IntentParts {
        payload: Some("null"),
        ..parts()
    })
    .unwrap();
    assert_eq!(null.payload_hash(), &PayloadHash::of("null"), "null is a payload");
}

#[test]
fn a_key_reads_back_from_text_and_json_and_from_nothing_else() {
    let key = Intent::text("run-7", 3, "send_email", "ada@example.com", "Hello Ada")
        .unwrap()
        .key();
    assert_eq!(key.to_string().parse(), Ok(key.clone()));
    let json = serde_json::to_string(&key).unwrap();
    assert_eq!(json, format!("\"{key}\""));
    assert_eq!(serde_json::from_str::<Key>(&json).unwrap(), key);
    assert!(serde_json::from_str::<Key>("\"ABC\"").is_err());
    let refused = key.as_str().to_uppercase().parse::<Key>().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a key is the 64 lower-case hex digits of a SHA-256"
    );
}

#[test]
fn what_debugs_an_intent_spreads_no_payload() {
    let intent = Intent::text("r", 1, "send_email", "t", "a secret").unwrap();
    let parts = IntentParts {
        payload: Some("\"a secret\""),
        payload_text: Some("a secret".to_owned()),
        ..parts()
    };
    let shown = format!("{intent:?} {parts:?} {:?}", Payload::json_text("\"a secret\""));
    assert!(!shown.contains("secret"), "{shown}");
}
