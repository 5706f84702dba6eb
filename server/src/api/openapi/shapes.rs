//! The core's types as the API shows them. The core itself knows nothing of descriptions.

use std::borrow::Cow;

use holdpoint::words;
use utoipa::openapi::schema::{
    AdditionalProperties, Object, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// Declares a shape under the name that it has in the description.
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)+) => { $(
        $(#[$doc])*
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                RefOr::T($schema.into())
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )+ };
}

/// Declares the shape of a vocabulary of the core.
macro_rules! vocabularies {
    ($($name:ident: $says:literal;)+) => {
        shapes! { $(
            #[doc = $says]
            $name = one_of(words::$name::ALL.iter().map(|word| word.as_str()), $says);
        )+ }
    };
}

vocabularies! {
    Status: "Where an action stands.";
    HoldReason: "Why an action waits for a person.";
    Effect: "What a failing worker knows of the effect: none surely did nothing.";
    Verdict: "What the provider says when asked.";
    Decision: "What a person says.";
    SelectionState: "How far a selection is.";
    SelectedOutcome: "What a decision on a selection came to for one of its rows.";
    SettledBy: "Who settled a finished action.";
    Recovery: "What recovery may do for a kind.";
    OnUnknown: "What an unknown outcome of an unverifiable kind leads to.";
    OnDrift: "What happens to the same step with another payload.";
    Role: "What a person may do.";
    Scope: "What a token may do.";
    BeganBy: "How a session began.";
    AuditEvent: "What the audit tells of.";
    Event: "What a webhook can be told of.";
    DeliveryState: "What became of a message to a webhook.";
}

shapes! {
    /// Any JSON.
    Any = ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        // So it is anyhow; said, it holds also where a reader closes whatever does not say so.
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .description(Some("Any JSON."));
    /// The key of an action.
    Key = text("The key of an action: a pure function of its intent.").pattern(Some("^[0-9a-f]{64}$"));
    /// The hash of a payload.
    PayloadHash = text("SHA-256 of the payload, in lower-case hex.").pattern(Some("^[0-9a-f]{64}$"));
    /// A point in time.
    Time = text("UTC in RFC 3339, to the microsecond.")
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    /// What sort of effect it is.
    Kind = text("What sort of effect it is; policies go by it.")
        .pattern(Some("^[a-z][a-z0-9_.-]*$"))
        .max_length(Some(holdpoint::intent::MAX_KIND_BYTES));
    /// What people and tokens are called.
    Name = text("1 to 64 bytes of letters, digits and `. - _ @ +`.")
        .min_length(Some(1))
        .max_length(Some(64));
    /// A password that is to be taken.
    Password = text("8 characters or more, up to 1024 bytes, and none that anybody would guess.")
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
        .min_length(Some(crate::auth::password::MIN_CHARS))
        .max_length(Some(crate::auth::password::MAX_BYTES));
    /// What sort of file a list becomes.
    Format = one_of(["csv", "jsonl"].into_iter(), "What sort of file.");
    /// A whole file, as text.
    File = text("The file.");
    /// What a resumed run does.
    WhatOnResume = one_of(
        ["skip", "run", "wait", "stop"].into_iter(),
        "What a resumed run does with it: its stored result is returned, it runs again, its caller stands down, or it is over.",
    );
}

fn text(says: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(says))
}

fn one_of<'a>(words: impl Iterator<Item = &'a str>, says: &str) -> ObjectBuilder {
    text(says).enum_values(Some(words))
}

/// A member that always says this word.
fn always(word: &str) -> Object {
    one_of([word].into_iter(), "Always this word.").build()
}

pub fn claimed() -> Object {
    always("claimed")
}

pub fn succeeded() -> Object {
    always("succeeded")
}

pub fn decided() -> Object {
    one_of(["done", "changed", "refused"].into_iter(), "What became of it.").build()
}

pub fn flag() -> Object {
    let flags = ["suspected_duplicate", "suspected_no_send", "unacknowledged"];
    one_of(flags.into_iter(), "What is wrong with it.").build()
}

/// The same in a body, where null is as good as none.
pub fn maybe_flag() -> Object {
    maybe(flag())
}

pub fn decidable() -> Object {
    maybe(one_of(["held", "failed"].into_iter(), "What people decide on.").build())
}

fn maybe(mut word: Object) -> Object {
    word.schema_type = SchemaType::Array(vec![Type::String, Type::Null]);
    if let Some(words) = &mut word.enum_values {
        words.push(serde_json::Value::Null);
    }
    word
}

pub fn order() -> Object {
    one_of(["newest", "oldest"].into_iter(), "Which comes first.").build()
}

/// A count, exact up to 10,000 where nothing else is said.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Count {
    /// How many, 10,000 at most.
    #[schema(maximum = 10_000)]
    count: u32,
    /// There are more.
    more: bool,
}

/// One hour of one kind.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Hour {
    /// Actions made in it.
    actions: u32,
    /// Of these, how many are held now.
    held: u32,
}

/// One person's word for a retry.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Approval {
    by: String,
    at: Time,
    reason: String,
}

/// A decision that was taken, and on which version.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Decided {
    by: String,
    decision: Decision,
    version: i64,
}

/// One line of the append-only history.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct HistoryEvent {
    at: Time,
    /// What happened, as one word.
    event: String,
    /// Who: a worker, a person, `reaper` or `policy`.
    #[schema(required)]
    by: Option<String>,
    #[schema(required)]
    attempt: Option<u32>,
    #[schema(required)]
    from: Option<Status>,
    #[schema(required)]
    to: Option<Status>,
    #[schema(required)]
    reason: Option<String>,
    #[schema(required)]
    detail: Option<String>,
    /// The policy version that was applied; 0 is the defaults.
    #[schema(required)]
    policy_version: Option<i64>,
}

/// What one pass of the reaper did.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Reaped {
    looked_at: u32,
    released: u32,
    verifying: u32,
    held: u32,
    failed: u32,
    /// Payloads and results that were erased.
    erased: u32,
}

/// An error, as RFC 9457 has it. Further members depend on the code that `type` ends in.
#[derive(ToSchema)]
#[expect(dead_code, reason = "its members are read by the description alone")]
pub struct Problem {
    /// `urn:holdpoint:problem:` and the code.
    r#type: String,
    /// The same words for every problem of this code.
    title: String,
    /// The status it is answered with.
    #[schema(minimum = 400, maximum = 599)]
    status: u32,
    /// What to do.
    #[schema(min_length = 1)]
    detail: String,
    /// The JSON Pointer of the member, or the parameter, that is wrong.
    #[schema(value_type = String, required = false)]
    field: Option<String>,
    /// Finds the line in the log; every answer carries it as `X-Request-Id` too.
    #[schema(value_type = String, required = false)]
    request_id: Option<String>,
    /// Of a claim that is not granted: where the action stands.
    #[schema(value_type = String, required = false)]
    outcome: Option<String>,
    #[schema(value_type = Key, required = false)]
    key: Option<String>,
    #[schema(value_type = u32, required = false)]
    attempt: Option<u32>,
    attempted_at: Option<Time>,
    stale_at: Option<Time>,
    due_at: Option<Time>,
    held_at: Option<Time>,
    #[schema(value_type = Time, required = false)]
    since: Option<Time>,
    reason: Option<HoldReason>,
    error: Option<String>,
    #[schema(value_type = bool, required = false)]
    may_have_applied: Option<bool>,
    /// The page on which a person decides.
    #[schema(value_type = String, required = false)]
    review_url: Option<String>,
    /// The action that presented the same step first, with another payload.
    #[schema(value_type = Key, required = false)]
    first_key: Option<String>,
    /// Of a decision that was refused: the action as it stands.
    #[schema(value_type = crate::api::view::ActionView<'static>, required = false)]
    action: Option<()>,
    /// Of a decision that was refused: the last one that was taken.
    #[schema(value_type = Decided, required = false)]
    last_decision: Option<()>,
    /// Of a selection that was decided otherwise: as it stands.
    #[schema(value_type = crate::api::selections::SelectionView<'static>, required = false)]
    selection: Option<()>,
}
