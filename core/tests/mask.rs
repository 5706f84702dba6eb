//! What a mask hides, tried on many JSON texts and many patterns.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use holdpoint::mask::{self, MARK, Mask, Masked};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::Value;

fn json(patterns: &[&str], text: &str) -> Masked {
    let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
    Mask::of(&patterns).json(text)
}

#[test]
fn pointers_names_and_the_whole() {
    let text = r#"{"a": {"b": [1, {"c": "x"}], "Pin": 2}, "d": null, "pin_code": 3 }"#;
    for (patterns, seen) in [
        (vec![], text.to_owned()),
        (vec!["/a/b/1/c"], text.replace(r#""x""#, r#""••••••""#)),
        (vec!["/A/*/1"], text.replace(r#"{"c": "x"}"#, r#""••••••""#)),
        (vec!["/**/c"], text.replace(r#""x""#, r#""••••••""#)),
        (
            vec!["/a/**"],
            r#"{"a": "••••••", "d": null, "pin_code": 3 }"#.to_owned(),
        ),
        (vec!["pin"], text.replace(": 2", r#": "••••••""#)),
        (
            vec!["pin*"],
            text.replace(": 2", r#": "••••••""#)
                .replace(": 3", r#": "••••••""#),
        ),
        (vec!["/d"], text.replace("null", r#""••••••""#)),
        (vec!["/e", "/a/x", "b/c"], text.to_owned()),
        (vec![""], r#""••••••""#.to_owned()),
        (vec!["/"], r#""••••••""#.to_owned()),
        (vec!["/**"], r#""••••••""#.to_owned()),
    ] {
        assert_eq!(json(&patterns, text).text, seen, "{patterns:?}");
    }
}

#[test]
fn the_usual_secrets_are_masked_whatever_they_are() {
    let text = r#"{"to":"a","headers":{"Authorization":"Bearer s3cr3t"},"api_key":{"k":[1]},"tokens":12,"pass\u0077ord":1}"#;
    let masked = json(&[], text);
    assert_eq!(
        masked.text,
        r#"{"to":"a","headers":{"Authorization":"••••••"},"api_key":"••••••","tokens":12,"pass\u0077ord":"••••••"}"#
    );
    assert_eq!(
        masked.pointers,
        ["/headers/Authorization", "/api_key", "/password"]
    );
}

#[test]
fn json_lines_are_masked_line_by_line() {
    let text = "{\"to\":\"ada\",\"password\":\"s3cr3t\"}\n\n{\"to\":\"eve\",\"token\":\"t0p\"}\n";
    let masked = Mask::of(&[]).text(text);
    assert_eq!(
        masked.text,
        "{\"to\":\"ada\",\"password\":\"••••••\"}\n\n{\"to\":\"eve\",\"token\":\"••••••\"}\n"
    );
    assert_eq!(masked.pointers, ["/0/password", "/2/token"]);
}

#[test]
fn what_a_list_of_headers_names_a_secret_is_masked() {
    let text = r#"[{"name":"Authorization","value":"Bearer s3cr3t"},{"key":"To","value":"ada"},{"Name":"Cookie","Value":[1]}]"#;
    assert_eq!(
        json(&[], text).text,
        r#"[{"name":"Authorization","value":"••••••"},{"key":"To","value":"ada"},{"Name":"Cookie","Value":"••••••"}]"#
    );
}

#[test]
fn a_header_s_value_is_masked_before_its_name_and_in_any_spelling() {
    let text = r#"[{"value":"Bearer s3cr3t","name":"Authorization"},{"value":{"name":"To"},"key":"api_key"},{"n\u0061me":"Cookie","v\u0061lue":"a=b"},{"value":"ada","name":"To"}]"#;
    assert_eq!(
        json(&[], text).text,
        r#"[{"value":"••••••","name":"Authorization"},{"value":"••••••","key":"api_key"},{"n\u0061me":"Cookie","v\u0061lue":"••••••"},{"value":"ada","name":"To"}]"#
    );
}

#[test]
fn what_cannot_be_compared_or_looked_through_is_masked() {
    // A name that no text can hold, a doubled one, and one that is too long.
    assert_eq!(json(&[], r#"{"\ud800":1}"#).text, r#"{"\ud800":"••••••"}"#);
    assert_eq!(
        json(&["a"], r#"{"a":1,"a":2}"#).text,
        r#"{"a":"••••••","a":"••••••"}"#
    );
    let long = "x".repeat(1_001);
    assert_eq!(
        json(&[], &format!(r#"{{"{long}":1}}"#)).text,
        format!(r#"{{"{long}":"••••••"}}"#)
    );
    assert_eq!(json(&[], "no json").text, r#""••••••""#);
    let deep = format!("{}{}", "[".repeat(300_000), "]".repeat(300_000));
    assert_eq!(json(&[], &deep).text, deep, "nothing is named by names alone");
    assert!(
        json(&["/**/x"], &deep).text.len() < 3_000,
        "and a pointer is followed so far and no further"
    );
    let wide = format!("{{\"{}\":1}}", "*a".repeat(490));
    assert!(
        json(&[&"*a".repeat(100)], &wide).text.contains(MARK),
        "a hard pattern ends"
    );
}

#[test]
fn what_no_pattern_can_be_is_refused_by_its_place() {
    let refused = |patterns: &[String]| mask::check(patterns).unwrap_err().index;
    for wrong in [
        "$.a",
        "$[0]",
        " a",
        "a\n",
        "/a~2",
        "/a~",
        &"x".repeat(201),
        &"/a".repeat(33),
    ] {
        assert_eq!(refused(&["/a".to_owned(), wrong.to_owned()]), 1, "{wrong}");
    }
    assert_eq!(refused(&vec!["a".to_owned(); 51]), 50);
    for right in [
        "", "/", "/a/*/b", "**", "password", "*_token", "/a~1b/~0", "$ref", "ä",
    ] {
        assert_eq!(mask::check(&[right.to_owned()]), Ok(()), "{right}");
    }
}

const NAMES: [&str; 6] = ["a", "b", "ab", "A", "secret", "x_token"];

/// JSON in which every leaf is a text of its own kind: `leaf` and a number.
fn value() -> impl Strategy<Value = Value> {
    let leaf = (100_000..999_999_u32).prop_map(|n| Value::from(format!("leaf{n}")));
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(proptest::sample::select(&NAMES[..]), inner, 0..4).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

fn pattern() -> impl Strategy<Value = String> {
    let segment = proptest::sample::select(&["a", "b", "ab", "*", "**", "0", "1", "a*"][..]);
    prop_oneof![
        vec(segment, 1..4).prop_map(|segments| format!("/{}", segments.join("/"))),
        proptest::sample::select(&["a", "ab", "*b", "b*"][..]).prop_map(str::to_owned),
    ]
}

/// The same rule, said anew and slowly: the leaves that are hidden, and those that are not.
fn leaves(value: &Value, path: &[String], hidden: bool, patterns: &[String], out: &mut [Vec<String>; 2]) {
    let hit = |pattern: &String| match pattern.strip_prefix('/') {
        Some(pointer) => follows(&pointer.split('/').collect::<Vec<_>>(), path),
        None => path
            .last()
            .is_some_and(|name| name.parse::<usize>().is_err() && like(pattern, name)),
    };
    let secret = path
        .last()
        .is_some_and(|name| name == "secret" || name == "x_token");
    let hidden = hidden || secret || patterns.iter().any(hit);
    let below = |name: String| [path, &[name]].concat();
    match value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                leaves(item, &below(n.to_string()), hidden, patterns, out);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                leaves(member, &below(name.to_lowercase()), hidden, patterns, out);
            }
        }
        leaf => out[usize::from(hidden)].push(leaf.as_str().unwrap().to_owned()),
    }
}

fn follows(pointer: &[&str], path: &[String]) -> bool {
    match (pointer.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), None) => follows(rest, path),
        (Some((&"**", rest)), Some((_, deeper))) => follows(rest, path) || follows(pointer, deeper),
        (Some((first, rest)), Some((name, deeper))) => like(first, name) && follows(rest, deeper),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

proptest! {
    #[test]
    fn what_is_masked_is_gone_and_nothing_else_is(value in value(), patterns in vec(pattern(), 0..4)) {
        let text = value.to_string();
        let mut expected = [Vec::new(), Vec::new()];
        leaves(&value, &[], false, &patterns, &mut expected);
        let mask = Mask::of(&patterns);
        let masked = mask.json(&text);
        let read: Value = serde_json::from_str(&masked.text).unwrap();
        for gone in &expected[1] {
            prop_assert!(!masked.text.contains(gone), "{gone} in {} by {patterns:?}", masked.text);
            let quoted = masked.hidden.clear(&format!("refused: {gone}!"));
            prop_assert!(!quoted.contains(gone), "{quoted}");
        }
        for kept in &expected[0] {
            prop_assert!(masked.text.contains(kept), "{kept} not in {} by {patterns:?}", masked.text);
        }
        for pointer in &masked.pointers {
            prop_assert_eq!(read.pointer(pointer).and_then(Value::as_str), Some(MARK));
        }
        if text.starts_with(['{', '[']) {
            prop_assert_eq!(mask.text(&text).text, masked.text.clone());
        }
        // Masking what is masked changes nothing.
        prop_assert_eq!(mask.json(&masked.text).text, masked.text);
    }

    #[test]
    fn any_text_at_all_can_be_masked(text in ".{0,80}", patterns in vec(".{0,12}", 0..4)) {
        let mask = Mask::of(&patterns);
        let masked = mask.text(&text);
        masked.hidden.clear(&text);
        mask.json(&text);
        let _ = mask::check(&patterns);
    }
}
