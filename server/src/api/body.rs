//! Bodies: JSON read strictly, so that a typo never loses a field.

use std::fmt;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

use crate::problem::{Problem, kind};

/// A body that is one JSON object.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let detail = "Send the body as JSON, with `Content-Type: application/json`.";
            return Err(Problem::new(&kind::UNSUPPORTED_MEDIA_TYPE, detail));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|r| not_read(&r))?;
        parse(text(&bytes)?).map(Self)
    }
}

/// The body as text, whatever it is said to be.
pub fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let detail = format!(
            "The body is no UTF-8 from byte {} on: send JSON in UTF-8.",
            error.valid_up_to()
        );
        Problem::new(&kind::UNREADABLE, detail)
    })
}

/// Reads one JSON object. What is no JSON is unreadable; what is JSON and does not fit names its member.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    holdpoint::json::check(text)
        .map_err(|error| Problem::new(&kind::UNREADABLE, format!("The body is no JSON: {error}.")))?;
    if !text.trim_start().starts_with('{') {
        return Err(Problem::invalid("", "The body must be a JSON object."));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let said = error.inner().to_string();
        let said = said
            .rsplit_once(" at line ")
            .map_or(said.as_str(), |(said, _)| said);
        Problem::invalid(pointer(error.path(), said), format!("{}.", plain(said)))
    })
}

/// What the reader expected, in the words of JSON and not in those of our types.
fn plain(said: &str) -> String {
    const WORDS: [(&str, &str); 8] = [
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", "a whole number from 0 on"),
        ("i64", "a whole number"),
        ("i128", "a whole number"),
        ("a sequence", "an array"),
        ("a map", "an object"),
        ("struct ", "an object"),
        ("a boolean", "true or false"),
    ];
    // A member's word is one of a few; what it is to us does not concern who sent it.
    let said = said.replacen("unknown variant ", "unknown word ", 1);
    let Some((before, expected)) = said.split_once("expected ") else {
        return said;
    };
    let known = WORDS.iter().find(|(word, _)| expected.starts_with(word));
    format!("{before}expected {}", known.map_or(expected, |(_, plain)| plain))
}

/// An object among others: a list of values in the order of its members is none, though our reader would take it.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// A member that is there, `null` included; without it `null` would read as missing.
pub fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// A body that did not arrive, or is too large.
pub fn not_read(rejection: &BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
            &kind::TOO_LARGE,
            "The body is too large. Send a payload as payload_hash alone; report a success without its result.",
        ),
        _ => Problem::new(&kind::UNREADABLE, "The body did not arrive whole: send it again."),
    }
}

/// The JSON Pointer of what is wrong; an unknown, doubled or missing member is named in the message only.
fn pointer(path: &Path, said: &str) -> String {
    let mut pointer = String::new();
    let mut push = |segment: &str| {
        pointer.push('/');
        pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    };
    let mut last = None;
    for segment in path {
        let name = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.clone(),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => continue,
        };
        push(&name);
        last = Some(name);
    }
    let named = ["unknown field `", "duplicate field `", "missing field `"];
    let named = named
        .iter()
        .find_map(|start| said.strip_prefix(start)?.split('`').next());
    if let Some(name) = named.filter(|name| last.as_deref() != Some(name)) {
        push(name);
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only whether it can be read is looked at")]
    struct Sample {
        step: u64,
        kinds: Vec<String>,
        #[serde(default, deserialize_with = "present")]
        result: Option<Box<RawValue>>,
    }

    fn refused(text: &str) -> serde_json::Value {
        serde_json::to_value(parse::<Sample>(text).unwrap_err()).unwrap()
    }

    #[test]
    fn what_does_not_fit_names_its_member() {
        for (text, field) in [
            (r#"{"step":"1","kinds":[]}"#, "/step"),
            (r#"{"step":1.5,"kinds":[]}"#, "/step"),
            (r#"{"step":1,"kinds":["a",2]}"#, "/kinds/1"),
            (r#"{"step":1,"kinds":[],"stepp":2}"#, "/stepp"),
            (r#"{"step":1,"kinds":[],"a/b~":2}"#, "/a~1b~0"),
            (r#"{"step":1,"step":1,"kinds":[]}"#, "/step"),
            (r#"{"kinds":[]}"#, "/step"),
            (r#"{"step":1e999,"kinds":[]}"#, "/step"),
            (r#"{"step":1,"kinds":["\ud800"]}"#, "/kinds/0"),
            ("[1,[]]", ""),
        ] {
            let problem = refused(text);
            assert_eq!(
                (&problem["status"], &problem["field"]),
                (&422.into(), &field.into()),
                "{text}: {problem}"
            );
        }
    }

    #[test]
    fn what_was_expected_is_told_in_the_words_of_json() {
        for (text, said) in [
            (r#"{"step":"1","kinds":[]}"#, "expected a whole number from 0 on"),
            (r#"{"step":1,"kinds":"a"}"#, "expected an array"),
        ] {
            let problem = refused(text);
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(said), "{detail}");
        }
    }

    #[test]
    fn what_is_no_json_is_unreadable_wherever_it_breaks() {
        for text in ["", "{", r#"{"unknown":1,}"#, r#"{"step":1}x"#, "\u{feff}{}"] {
            assert_eq!(refused(text)["status"], 400, "{text}");
        }
    }

    #[test]
    fn a_result_is_kept_as_it_came_at_any_depth() {
        let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        for raw in ["null", r#"{ "a" : 1.0,  "a": "\ud800" }"#, "1e999", &deep] {
            let sample: Sample = parse(&format!(r#"{{"step":1,"kinds":[],"result": {raw} }}"#)).unwrap();
            assert_eq!(sample.result.unwrap().get(), raw);
        }
    }
}
