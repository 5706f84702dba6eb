//! A policy's members: their ranges and defaults are the core's, so that none can be described otherwise.

use std::borrow::Cow;

use holdpoint::Policy;
use holdpoint::policy::RANGES;
use serde_json::Value;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::shapes::{OnDrift, OnUnknown, Recovery, Time};

/// What each member is, in the protocol's order.
const MEMBERS: [(&str, &str); 21] = [
    (
        "recovery",
        "Whether the provider absorbs duplicates under our key, can be asked, or neither.",
    ),
    ("stale_after_s", "Seconds: the longest plausible execution time."),
    ("max_attempts", "Attempts in all, the first included."),
    (
        "backoff_s",
        "Seconds: the base of the exponential wait before attempt n+1.",
    ),
    ("backoff_max_s", "Seconds: the cap of that wait."),
    (
        "provider_window_s",
        "Seconds from the first attempt that the provider remembers a key.",
    ),
    (
        "verify_after_s",
        "Seconds to let the provider settle before each question.",
    ),
    (
        "verify_confirmations",
        "How many `not_landed` in a row are believed.",
    ),
    (
        "verify_max_tries",
        "After how many tries without a clear answer a person is asked.",
    ),
    (
        "verify_patience_s",
        "Seconds after which an open question counts as `unknown`.",
    ),
    (
        "verify_url",
        "The webhook to ask, http or https; without one a worker answers.",
    ),
    (
        "on_unknown",
        "What an unknown outcome of an unverifiable kind leads to.",
    ),
    (
        "hold_deadline_s",
        "Seconds after which a hold becomes failed; without it none does.",
    ),
    ("approve_first", "Hold before the first attempt."),
    ("approvals_needed", "How many different people must say retry."),
    ("on_drift", "What happens to the same step with another payload."),
    (
        "claim_within_s",
        "Seconds after which a released action that nobody claims is held.",
    ),
    (
        "lazy_completion",
        "A completion may be acknowledged before it is durable.",
    ),
    ("mask", "JSON Pointers and patterns that viewers do not see."),
    (
        "payload_retention_s",
        "Seconds after the end at which the payload is erased; null keeps it.",
    ),
    (
        "result_retention_s",
        "Seconds after the end at which the result is erased; null keeps it.",
    ),
];

/// A policy's own members, all of them.
pub struct PolicyMembers;

/// A policy as every call that returns one shows it.
pub struct PolicyView;

/// A change of a policy: members left out take their defaults.
pub struct PolicyChange;

/// A change that is looked at before it is made: it needs no reason.
pub struct PolicyAsked;

impl PartialSchema for PolicyMembers {
    fn schema() -> RefOr<Schema> {
        required(members(ObjectBuilder::new(), false)).into()
    }
}

impl PartialSchema for PolicyView {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new()
            .property("kind", string("The kind."))
            .property(
                "version",
                integer("1, 2, 3 …; the `ETag` is this number in quotes."),
            )
            .property(
                "paused",
                boolean("No claim is granted. Set by pause and resume alone."),
            )
            .property("updated_at", nullable(Ref::from_schema_name(Time::name())))
            .property(
                "warnings",
                ArrayBuilder::new().items(string("What its author may not have meant.")),
            );
        let named = ["kind", "version", "paused", "updated_at", "warnings"];
        let object = named.into_iter().fold(object, ObjectBuilder::required);
        required(members(object, false)).into()
    }
}

impl PartialSchema for PolicyChange {
    fn schema() -> RefOr<Schema> {
        closed(with_reason().required("reason")).into()
    }
}

impl PartialSchema for PolicyAsked {
    fn schema() -> RefOr<Schema> {
        closed(with_reason()).into()
    }
}

fn with_reason() -> ObjectBuilder {
    let reason = ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("Why, in a few words: it is kept in the history."))
        .min_length(Some(1))
        .max_length(Some(holdpoint::ledger::MAX_REASON_CHARS))
        .pattern(Some(r"\S"));
    ObjectBuilder::new().property("reason", reason)
}

/// The members with their defaults, and no others.
fn closed(object: ObjectBuilder) -> ObjectBuilder {
    members(object, true).additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)))
}

macro_rules! named {
    ($($name:ident = $schema:literal uses $($used:ident),*;)+) => { $(
        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed($schema)
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $(schemas.push(($used::name().into_owned(), $used::schema()));)*
            }
        }
    )+ };
}

named! {
    PolicyMembers = "PolicyMembers" uses Recovery, OnUnknown, OnDrift;
    PolicyView = "Policy" uses Recovery, OnUnknown, OnDrift, Time;
    PolicyChange = "PolicyChange" uses Recovery, OnUnknown, OnDrift;
    PolicyAsked = "PolicyAsked" uses Recovery, OnUnknown, OnDrift;
}

fn required(object: ObjectBuilder) -> ObjectBuilder {
    MEMBERS
        .iter()
        .fold(object, |object, (name, _)| object.required(*name))
}

/// Adds the members, with their defaults where they may be left out.
fn members(object: ObjectBuilder, with_defaults: bool) -> ObjectBuilder {
    let defaults = serde_json::to_value(Policy::default()).unwrap_or_default();
    MEMBERS.iter().fold(object, |object, (name, says)| {
        let default = &defaults[*name];
        object.property(*name, member(name, says, default, with_defaults))
    })
}

fn member(name: &str, says: &str, default: &Value, with_default: bool) -> RefOr<Schema> {
    match name {
        "recovery" => return Ref::from_schema_name(Recovery::name()).into(),
        "on_unknown" => return Ref::from_schema_name(OnUnknown::name()).into(),
        "on_drift" => return Ref::from_schema_name(OnDrift::name()).into(),
        "mask" => {
            let list = ArrayBuilder::new().items(string("A JSON Pointer or a pattern."));
            return list.description(Some(says)).into();
        }
        _ => {}
    }
    let range = RANGES.iter().find(|range| range.field == name);
    // What may be switched off is null where it is.
    let may_be_null = matches!(
        name,
        "verify_url" | "hold_deadline_s" | "payload_retention_s" | "result_retention_s"
    );
    let sort = match (range, default) {
        (Some(_), _) => Type::Integer,
        (None, Value::Bool(_)) => Type::Boolean,
        _ => Type::String,
    };
    let sorts = if may_be_null {
        utoipa::openapi::schema::SchemaType::from_iter([sort, Type::Null])
    } else {
        sort.into()
    };
    let mut schema = ObjectBuilder::new().schema_type(sorts).description(Some(says));
    if let Some(range) = range {
        schema = schema.minimum(Some(range.min)).maximum(Some(range.max));
    }
    if name == "verify_url" {
        schema = schema.pattern(Some("^https?://"));
    }
    if with_default {
        schema = schema.default(Some(default.clone()));
    }
    schema.into()
}

fn nullable(schema: Ref) -> Schema {
    utoipa::openapi::schema::OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .item(schema)
        .into()
}

fn string(says: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(says))
}

fn integer(says: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .description(Some(says))
}

fn boolean(says: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .description(Some(says))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_of_a_policy_is_described_and_no_other() {
        let policy = serde_json::to_value(Policy::default()).unwrap();
        let mut named: Vec<_> = MEMBERS.iter().map(|(name, _)| (*name).to_owned()).collect();
        named.sort_unstable();
        let stored: Vec<_> = policy.as_object().unwrap().keys().cloned().collect();
        assert_eq!(named, stored);
    }
}
