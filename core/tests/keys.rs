//! The key vectors, which every language that computes a key must pass, and the cases about keys.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use holdpoint::intent::{Intent, IntentParts, InvalidIntent, Payload, PayloadHash, StoredPayload};
use holdpoint::json;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The vectors, with payloads as raw JSON: a parser's numbers would lose the digits that they are about.
#[derive(Deserialize)]
struct Vectors {
    accepted: Vec<Vector>,
    rejected: Vec<Vector>,
    ambiguous_pairs: Vec<Pair>,
    rejected_json: Vec<JsonVector>,
    accepted_json: Vec<JsonVector>,
}

#[derive(Deserialize)]
struct Vector {
    #[serde(alias = "why", default)]
    name: String,
    run_id: String,
    step: i128,
    kind: String,
    target: String,
    payload: Option<Box<RawValue>>,
    payload_text: Option<String>,
    payload_hash: Option<String>,
    canonical_json: Option<String>,
    key: Option<String>,
    field: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    a: Vector,
    b: Vector,
}

#[derive(Deserialize)]
struct JsonVector {
    why: String,
    payload_json: String,
    canonical_json: Option<String>,
}

impl Vector {
    fn intent(&self) -> Result<Intent, InvalidIntent> {
        Intent::from_parts(IntentParts {
            run_id: self.run_id.clone(),
            step: self.step,
            kind: self.kind.clone(),
            target: self.target.clone(),
            payload: self.payload.as_deref().map(RawValue::get),
            payload_text: self.payload_text.clone(),
            payload_hash: self.payload_hash.clone(),
        })
    }
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("vectors/keys.json")).unwrap()
}

fn json_hash(text: &str) -> PayloadHash {
    PayloadHash::of_json(text).unwrap()
}

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
fn accepted_vectors_have_their_hash_and_key() {
    let accepted = vectors().accepted;
    assert_eq!(accepted.len(), 13);
    for vector in accepted {
        let intent = vector
            .intent()
            .unwrap_or_else(|refused| panic!("{}: {refused}", vector.name));
        assert_eq!(
            Some(intent.key().as_str()),
            vector.key.as_deref(),
            "{}",
            vector.name
        );
        assert_eq!(
            Some(intent.payload_hash().as_str()),
            vector.payload_hash.as_deref(),
            "{}",
            vector.name
        );
        if let (Some(payload), Some(form)) = (&vector.payload, &vector.canonical_json) {
            assert_eq!(&json::canonical(payload.get()).unwrap(), form, "{}", vector.name);
        }
        let by_hash = Vector {
            payload: None,
            payload_text: None,
            ..vector
        };
        assert_eq!(
            by_hash.intent().unwrap().key(),
            intent.key(),
            "the hash alone: {}",
            by_hash.name
        );
    }
}

#[test]
fn rejected_vectors_name_their_field() {
    let rejected = vectors().rejected;
    assert_eq!(rejected.len(), 17);
    for vector in rejected {
        let refused = vector.intent().expect_err(&vector.name);
        assert_eq!(
            Some(refused.field),
            vector.field.as_deref(),
            "{}: {refused}",
            vector.name
        );
        assert!(refused.detail.len() > 20, "a refusal says what to do: {refused}");
    }
}

#[test]
fn of_an_ambiguous_pair_the_second_is_refused() {
    let pairs = vectors().ambiguous_pairs;
    assert_eq!(pairs.len(), 1);
    for Pair { a, b } in pairs {
        assert!(a.intent().is_ok());
        assert_eq!(field_of(b.intent()), "run_id");
    }
}

#[test]
fn json_that_has_no_canonical_form_is_refused() {
    let rejected = vectors().rejected_json;
    assert_eq!(rejected.len(), 4);
    for vector in rejected {
        json::canonical(&vector.payload_json).expect_err(&vector.why);
        json::check(&vector.payload_json).expect("what is only kept may hold it");
        let payload = Payload::json_text(vector.payload_json);
        assert_eq!(
            field_of(Intent::new("r", 1, "send_email", "t", payload)),
            "payload",
            "{}",
            vector.why
        );
    }
}

#[test]
fn json_that_has_a_canonical_form_is_accepted() {
    let accepted = vectors().accepted_json;
    assert_eq!(accepted.len(), 1);
    for vector in accepted {
        assert_eq!(
            json::canonical(&vector.payload_json).ok(),
            vector.canonical_json,
            "{}",
            vector.why
        );
    }
}

#[test]
fn case_a03_the_order_of_members_makes_no_other_action() {
    let first = r#"{"name":"J","addr":{"street":"5th","no":123},"tags":[{"a":1,"b":2}]}"#;
    let reordered = r#"{"tags":[{"b":2,"a":1}],"addr":{"no":123,"street":"5th"},"name":"J"}"#;
    let spaced = "{ \"name\" : \"J\",\r\n\t\"addr\": {\"street\":\"5th\", \"no\":123}, \"tags\":[ {\"a\":1,\"b\":2} ] } ";
    let key = |json: &str| {
        Intent::new("r", 1, "send_email", "t", Payload::json_text(json))
            .map(|intent| intent.key())
            .unwrap()
    };
    assert_eq!(key(first), key(reordered));
    assert_eq!(key(first), key(spaced));
    assert_ne!(
        key(r#"{"tags":[2,1]}"#),
        key(r#"{"tags":[1,2]}"#),
        "the order of an array is meaning"
    );

    // The claim's body and the embedded call agree.
    let claimed = Intent::from_parts(IntentParts {
        payload: Some(spaced),
        ..parts()
    })
    .unwrap();
    let body: serde_json::Value = serde_json::from_str(reordered).unwrap();
    let embedded = Intent::json("r", 1, "send_email", "a@b.example", &body).unwrap();
    assert_eq!(claimed.key(), embedded.key());
    assert_eq!(
        claimed.payload(),
        Some(&StoredPayload::Json(spaced.to_owned())),
        "kept as it came"
    );
}

#[test]
fn case_a22_an_integer_is_hashed_exactly_or_refused() {
    for id in [
        "2512292042121000001",
        "9007199254740993",
        "-9007199254740993",
        "18446744073709551616",
    ] {
        let refused = json::canonical(&format!(r#"{{"id":{id}}}"#)).unwrap_err();
        assert_eq!(
            (refused.kind, refused.pointer.as_deref()),
            (json::JsonErrorKind::Number, Some("/id"))
        );
        assert!(refused.to_string().contains(id), "{refused}");
    }
    // The neighbour that RFC 8785 prints with the same digits stands for itself alone.
    assert_eq!(
        json::canonical("2512292042121000000").unwrap(),
        "2512292042121000000"
    );
    assert_eq!(
        json::canonical("0.30000000000000004").unwrap(),
        "0.30000000000000004"
    );
    assert_ne!(json_hash("0.30000000000000004"), json_hash("0.3"));
    for beyond in ["1e400", "-1e400", "1e-400", &"9".repeat(400)] {
        assert_eq!(
            json::canonical(beyond).unwrap_err().kind,
            json::JsonErrorKind::Number,
            "{beyond}"
        );
    }
    // As text, every digit counts.
    let text = |id| Intent::text("r", 1, "create_invoice", "c", id).unwrap().key();
    assert_ne!(text("2512292042121000001"), text("2512292042121000000"));
}

#[test]
fn case_a25_parts_that_would_join_to_one_text_are_refused() {
    let make = |run_id: &str, kind: &str, target: &str| Intent::text(run_id, 1, kind, target, "p");
    assert_eq!(field_of(make("r1 a", "email", "x")), "run_id");
    assert_eq!(field_of(make("r1", "email x", "y")), "kind");
    assert_eq!(make("r1", "email", "x y").unwrap().target(), "x y");
    for character in [
        '\n', '\0', '\u{a0}', '\u{85}', '\u{2028}', '\u{3000}', '\u{feff}', '\u{7f}',
    ] {
        assert_eq!(
            field_of(make(&format!("r{character}1"), "email", "x")),
            "run_id",
            "{character:?}"
        );
        assert_eq!(
            field_of(make("r1", &format!("e{character}m"), "x")),
            "kind",
            "{character:?}"
        );
    }
    for control in ['\n', '\t', '\0', '\u{85}', '\u{7f}'] {
        assert_eq!(
            field_of(make("r1", "email", &format!("x{control}y"))),
            "target",
            "{control:?}"
        );
    }
    for allowed in ["|", " ", "\u{a0}", "\u{2028}", "\u{feff}"] {
        assert!(make("r|1", "email", allowed).is_ok(), "{allowed:?}");
    }
    for kind in ["", "1st", "_x", ".x", "-x", "Email", "é", "e|m"] {
        assert_eq!(field_of(make("r1", kind, "x")), "kind", "{kind:?}");
    }
    assert!(make("r1", "a", "x").is_ok());
    assert!(make("r1", "a0_.-z", "x").is_ok());
}

#[test]
fn case_a40_escaped_and_raw_are_one_text_and_nothing_is_normalised() {
    assert_eq!(json_hash(r#"{"name":"é"}"#), json_hash(r#"{"name":"\u00e9"}"#));
    assert_eq!(
        json_hash(r#"{"name":"é"}"#),
        json_hash(r#"{"\u006eame":"\u00E9"}"#)
    );
    assert_ne!(json_hash(r#"{"name":"é"}"#), json_hash(r#"{"name":"e\u0301"}"#));
    assert_eq!(
        json::canonical(r#"{"\ufb33":2,"\ud83d\ude00":1}"#).unwrap(),
        "{\"😀\":1,\"\u{fb33}\":2}"
    );
    for lone in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800x""#,
        r#""\ud800\u0041""#,
        r#""\ud800\ud800""#,
        r#"{"\udfff":1}"#,
    ] {
        assert_eq!(
            json::canonical(lone).unwrap_err().kind,
            json::JsonErrorKind::LoneSurrogate,
            "{lone}"
        );
    }
    let twice = json::canonical(r#"{"b":{"a":1,"\u0061":2}}"#).unwrap_err();
    assert_eq!(
        (twice.kind, twice.pointer.as_deref()),
        (json::JsonErrorKind::Duplicate, Some("/b/a"))
    );

    let to = |target: &str| Intent::text("r", 1, "send_email", target, "x").unwrap().key();
    assert_ne!(to("Zo\u{eb}"), to("Zoe\u{308}"));
}
