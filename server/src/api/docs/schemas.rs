//! Types, their members and limits, as the page shows them.

use serde_json::{Map, Value};

use super::page::{line, said, table, text};

/// How deep an example goes.
const DEEPEST: u8 = 4;

/// What a reference leads to, or the thing itself.
pub fn followed<'a>(whole: &'a Value, at: &'a Value) -> &'a Value {
    let pointer = at["$ref"]
        .as_str()
        .and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| whole.pointer(pointer)).unwrap_or(at)
}

/// Every named type, a fold each.
pub fn render(whole: &Value) -> String {
    let schemas = whole["components"]["schemas"].as_object().into_iter().flatten();
    schemas
        .map(|(name, schema)| {
            let name = text(name);
            format!(
                "<details class=\"sheet docs-operation\" id=\"type-{name}\"><summary><h3>{name}</h3></summary>\
                 <div class=\"docs-inside\"><p>{} {} {}</p>{}</div></details>",
                line(said(schema, "description")),
                if schema.get("properties").is_some() { String::new() } else { sort(schema) },
                limits(schema),
                members(schema),
            )
        })
        .collect()
}

fn members(schema: &Value) -> String {
    let parts = schema["allOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = parts.iter().chain([schema]);
    let rows: String = own
        .flat_map(|part| {
            let members = part["properties"].as_object().into_iter().flatten();
            members.map(|(name, member)| {
                let required = part["required"]
                    .as_array()
                    .is_some_and(|names| names.iter().any(|one| one == name));
                format!(
                    "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td><td>{} {}</td></tr>",
                    text(name),
                    sort(member),
                    if required { "always" } else { "" },
                    line(said(member, "description")),
                    limits(member),
                )
            })
        })
        .collect();
    table("Members", &["Name", "Type", "There", "What"], &rows)
}

/// What type it is, with a link where it has a name.
pub fn sort(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = text(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#type-{name}\">{name}</a>");
    }
    for (among, joint) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(parts) = schema[among].as_array() {
            // A part without a name only narrows the one before.
            let named = parts
                .iter()
                .filter(|part| among != "allOf" || part.get("$ref").is_some());
            return named.map(sort).collect::<Vec<_>>().join(joint);
        }
    }
    if schema["type"] == "array" {
        return format!("list of {}", sort(&schema["items"]));
    }
    match &schema["type"] {
        Value::String(one) => text(one),
        Value::Array(several) => {
            let names: Vec<_> = several.iter().filter_map(Value::as_str).map(text).collect();
            names.join(" or ")
        }
        _ => String::new(),
    }
}

/// Ranges, lengths, words and defaults.
pub fn limits(schema: &Value) -> String {
    let mut said = Vec::new();
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| format!("<code>{}</code>", text(word)))
            .collect();
        said.push(format!("one of {}", words.join(", ")));
    }
    for (least, most, unit) in [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ] {
        said.extend(match (schema[least].as_u64(), schema[most].as_u64()) {
            (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
            (Some(0) | None, None) => None,
            (Some(least), None) => Some(format!("{least}{unit} or more")),
            (None, Some(most)) => Some(format!("up to {most}{unit}")),
        });
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        said.push(format!("matches <code>{}</code>", text(pattern)));
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        said.push(format!("<code>{}</code> if left out", text(&default.to_string())));
    }
    if said.is_empty() {
        return String::new();
    }
    format!("<span class=\"hint\">({})</span>", said.join("; "))
}

/// A body to begin with: what has to be there, with values that fit.
pub fn example(whole: &Value, schema: &Value) -> Value {
    built(whole, schema, DEEPEST)
}

fn built(whole: &Value, schema: &Value, deeper: u8) -> Value {
    let schema = followed(whole, schema);
    if let Some(example) = schema["examples"].get(0) {
        return example.clone();
    }
    let Some(deeper) = deeper.checked_sub(1) else {
        return Value::Null;
    };
    let sort = match &schema["type"] {
        Value::Array(several) => several.first(),
        one => Some(one),
    };
    match sort.and_then(Value::as_str) {
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten();
            let members: Map<_, _> = required
                .filter_map(Value::as_str)
                .map(|name| (name.to_owned(), built(whole, &schema["properties"][name], deeper)))
                .collect();
            members.into()
        }
        Some("array") => vec![built(whole, &schema["items"], deeper)].into(),
        Some("integer") => 1.into(),
        Some("boolean") => false.into(),
        Some("string") => match (schema["enum"][0].as_str(), schema["pattern"].as_str()) {
            (Some(word), _) => word.into(),
            (None, Some("^[0-9a-f]{64}$")) => "0".repeat(64).into(),
            _ => "example".into(),
        },
        _ => schema["oneOf"]
            .as_array()
            .and_then(|choices| choices.iter().find(|one| one["type"] != "null"))
            .map_or(Value::Null, |one| built(whole, one, deeper)),
    }
}
