//! `/api/v1/policies/{kind}`: one kind's policy, read and changed under the version that was seen.

use std::collections::BTreeMap;
use std::fmt;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{self, PolicyRecord};
use holdpoint::{Actor, Policy};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::body::{Json, not_read, parse, text};
use super::openapi::{self, shapes};
use super::params::Name;
use super::policies::PolicyView;
use super::rules;
use super::view::json;
use crate::auth::Caller;
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// The policy of one kind.
#[utoipa::path(
    get, path = "/policies/{kind}", operation_id = "read_policy", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind.")),
    responses((status = 200, description = "The policy.", body = openapi::PolicyView, headers(("ETag" = String, description = "The version, for If-Match.")))),
    security(("bearer" = ["read"])),
)]
pub async fn get(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
) -> Result<Response, Problem> {
    let record = state.ledger.policy(&actor, &kind).await?;
    Ok(with_tag(&record.ok_or_else(unconfigured)?))
}

/// A change: the policy's members and, beside them, why.
pub struct Change {
    policy: Policy,
    reason: String,
}

/// Makes a policy, or changes the version that was seen.
///
/// Members left out take their defaults. `paused` is none of them: pause and resume set it.
#[utoipa::path(
    put, path = "/policies/{kind}", operation_id = "put_policy", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind."), ("If-Match" = Option<String>, Header, description = "The `ETag` of the policy that was seen.")),
    request_body(content = openapi::PolicyChange),
    responses((status = 200, description = "Changed.", body = openapi::PolicyView, headers(("ETag" = String, description = "The version, for If-Match."))), (status = 201, description = "Made.", body = openapi::PolicyView, headers(("ETag" = String, description = "The version, for If-Match.")))),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["precondition-required", "precondition-failed"]))),
)]
pub async fn put(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
    headers: HeaderMap,
    Json(members): Json<Members>,
) -> Result<Response, Problem> {
    let Change { policy, reason } = members.change()?;
    // Which version stands matters only to what could be done otherwise (RFC 9110, 13.2.1).
    rules::reason(&reason)?;
    // What a pattern breaks is told by its place in the list.
    holdpoint::mask::check(&policy.mask).map_err(ledger::Error::from)?;
    policy.validate().map_err(ledger::Error::from)?;
    holdpoint::intent::check_kind(&kind).map_err(|wrong| Problem::invalid("/kind", wrong.to_string()))?;
    let expected = match seen(&headers) {
        Some(seen) => match standing(&state, &actor, &kind, &seen).await {
            // Nothing stands, so that what was seen is gone.
            Err(problem) if problem.status() == StatusCode::NOT_FOUND => {
                return Err(ledger::Error::PolicyChanged { version: 0 }.into());
            }
            found => Some(found?),
        },
        None => None,
    };
    match state
        .ledger
        .put_policy(&actor, &kind, expected, &policy, &reason)
        .await
    {
        Ok(record) if expected.is_none() => Ok((StatusCode::CREATED, with_tag(&record)).into_response()),
        Ok(record) => Ok(with_tag(&record)),
        Err(ledger::Error::PolicyChanged { .. }) if expected.is_none() => Err(unconditional()),
        Err(error) => Err(error.into()),
    }
}

/// The body of a DELETE, which may be left out.
#[derive(Default, serde::Deserialize, ToSchema)]
#[schema(as = Removal)]
#[serde(deny_unknown_fields)]
struct Why {
    /// Why, in a few words: it is kept in the history.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    reason: Option<String>,
}

/// Takes a policy away: its kind runs under the defaults.
///
/// A kind that is paused keeps its policy until it is resumed.
#[utoipa::path(
    delete, path = "/policies/{kind}", operation_id = "delete_policy", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind."), ("If-Match" = Option<String>, Header, description = "The `ETag` of the policy that was seen.")),
    request_body(content = Option<Why>),
    responses((status = 204, description = "Taken away.")),
    security(("bearer" = ["admin"])),
    extensions(("x-problems" = json!(["precondition-required", "precondition-failed", "paused"]))),
)]
pub async fn delete(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let body = body.map_err(|rejection| not_read(&rejection))?;
    let Why { reason } = if body.is_empty() {
        Why::default()
    } else {
        parse(text(&body)?)?
    };
    let reason = reason.as_deref().unwrap_or("taken away over the API");
    rules::reason(reason)?;
    let seen = seen(&headers).ok_or_else(unconditional)?;
    let version = standing(&state, &actor, &kind, &seen).await?;
    state.ledger.delete_policy(&actor, &kind, version, reason).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The version that stands, where it is one of those that were seen.
async fn standing(state: &AppState, actor: &Actor, kind: &str, seen: &str) -> Result<i64, Problem> {
    let record = state.ledger.policy(actor, kind).await?.ok_or_else(unconfigured)?;
    let version = record.policy.version;
    let named = seen
        .split(',')
        .map(str::trim)
        .any(|tag| tag == "*" || tag == tag_of(version));
    // A version that is named and does not stand: the ledger would say the same, one write later.
    if named {
        Ok(version)
    } else {
        Err(ledger::Error::PolicyChanged { version }.into())
    }
}

fn seen(headers: &HeaderMap) -> Option<String> {
    let lines: Vec<_> = headers
        .get_all(header::IF_MATCH)
        .iter()
        .map(|v| v.to_str().unwrap_or_default())
        .collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

pub fn with_tag(record: &PolicyRecord) -> Response {
    (
        [(header::ETAG, tag_of(record.policy.version))],
        json(&PolicyView::new(record)),
    )
        .into_response()
}

fn tag_of(version: i64) -> String {
    format!("\"{version}\"")
}

fn unconditional() -> Problem {
    let detail = "Send the ETag of the policy that you saw as If-Match.";
    Problem::new(&kind::PRECONDITION_REQUIRED, detail)
}

/// A kind that runs under the defaults.
pub fn unconfigured() -> Problem {
    Problem::new(
        &kind::NOT_FOUND,
        "Nobody configured this kind: it runs under the defaults. PUT makes its policy.",
    )
}

/// The members of a PUT before it is known which are the policy's, each there once.
pub struct Members(BTreeMap<String, Box<RawValue>>);

impl Members {
    fn change(self) -> Result<Change, Problem> {
        let needed = "reason: say why, in a few words: it is kept in the history.";
        if !self.0.contains_key("reason") {
            return Err(Problem::invalid("/reason", needed));
        }
        let (policy, reason) = self.asked()?;
        let reason = reason.unwrap_or_default();
        Ok(Change { policy, reason })
    }

    /// The policy that is asked for, and why, where that is said.
    pub fn asked(mut self) -> Result<(Policy, Option<String>), Problem> {
        let reason = self.0.remove("reason").map(|reason| {
            serde_json::from_str(reason.get())
                .map_err(|_| Problem::invalid("/reason", "reason: it must be a text."))
        });
        let members = serde_json::to_string(&self.0).map_err(|error| Problem::internal(error.to_string()))?;
        Ok((parse(&members)?, reason.transpose()?))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the members of a policy")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if members.contains_key(&name) {
                        return Err(de::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    members.insert(name, value);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each)
    }
}
