//! The description of the API in OpenAPI 3.1, made of what stands beside each handler.
//!
//! A handler says its path, its body, its answers and the scope that it needs. What holds for all of them (who may
//! call, what an unreadable request is answered, what a problem looks like) is added here, so that it is said once.

mod finish;
mod policy;
pub mod shapes;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use holdpoint::Scope;
use serde_json::Value;

pub use policy::{PolicyAsked, PolicyChange, PolicyMembers, PolicyView};

/// The name of the way in which programs say who calls; browsers call by their session all the same.
pub const BEARER: &str = "bearer";
/// The name of the way that is a browser's alone.
pub const SESSION: &str = "session";
/// What stands in a scope's place where it matters only that a person calls.
const PERSON: &str = "person";

/// The description, and what of it the router itself goes by.
pub struct Description {
    text: Bytes,
    needs: BTreeMap<(String, Method), Needs>,
}

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Anybody: it tells nothing that is not in the documentation.
    Nothing,
    /// Whoever has this scope.
    Scope(Scope),
    /// A person for themselves, of whatever role, with a token or without.
    Person,
    /// A person in their own browser.
    Browser,
}

static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| {
    let raw = super::described().into_openapi();
    let whole = finish::finish(serde_json::to_value(raw).unwrap_or_default());
    Description {
        needs: needs(&whole),
        text: serde_json::to_string_pretty(&whole).unwrap_or_default().into(),
    }
});

/// What is needed for an operation, by the path as the router matched it. Nothing is known of one that does not say.
pub fn needed(path: &str, method: &Method) -> Option<Needs> {
    // Whoever may read may also ask for the headers alone.
    let method = if method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    let key = (path.to_owned(), method.clone());
    DESCRIPTION.needs.get(&key).copied()
}

/// This description.
///
/// Anybody may read it: it says no more than the documentation does.
#[utoipa::path(
    get, path = "/openapi.json", operation_id = "describe", tag = "Description",
    responses((status = 200, description = "The API in OpenAPI 3.1.", body = shapes::Any, content_type = "application/json")),
    security(()),
)]
pub async fn describe() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        // It changes with the program alone, and tells no secret.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, DESCRIPTION.text.clone()).into_response()
}

/// The whole description as a value.
pub fn value() -> Value {
    serde_json::from_slice(&DESCRIPTION.text).unwrap_or_default()
}

fn needs(whole: &Value) -> BTreeMap<(String, Method), Needs> {
    let mut found = BTreeMap::new();
    for (path, item) in whole["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let Ok(method) = method.to_ascii_uppercase().parse() else {
                continue;
            };
            if let Some(needs) = needs_of(operation) {
                found.insert((path.clone(), method), needs);
            }
        }
    }
    found
}

/// What an operation says of who may call it; nothing where it does not say, which opens it to nobody.
fn needs_of(operation: &Value) -> Option<Needs> {
    match &operation["security"].as_array()?[..] {
        [one] if one.as_object().is_some_and(serde_json::Map::is_empty) => Some(Needs::Nothing),
        [one] if one.get(SESSION).is_some() => Some(Needs::Browser),
        [one] if one[BEARER][0] == PERSON => Some(Needs::Person),
        [one] => one[BEARER][0].as_str()?.parse().ok().map(Needs::Scope),
        _ => None,
    }
}
