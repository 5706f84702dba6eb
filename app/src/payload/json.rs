//! JSON one level at a time, as it came: members keep their order and numbers their digits.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// One level of JSON.
pub(super) enum Level<'a> {
    /// Members by name.
    Object(Vec<(String, &'a str)>),
    /// Members by place.
    List(Vec<&'a str>),
    /// A text, read.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Plain,
}

/// Reads the outermost level; nothing where this is no JSON.
pub(super) fn read(json: &str) -> Option<Level<'_>> {
    match json.trim_start().as_bytes().first()? {
        b'{' => {
            let Members(members) = serde_json::from_str(json).ok()?;
            let members = members.into_iter().map(|(name, value)| (name, value.get()));
            Some(Level::Object(members.collect()))
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            Some(Level::List(items.into_iter().map(RawValue::get).collect()))
        }
        b'"' => serde_json::from_str(json).ok().map(Level::Text),
        _ => {
            let _: &RawValue = serde_json::from_str(json).ok()?;
            Some(Level::Plain)
        }
    }
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
