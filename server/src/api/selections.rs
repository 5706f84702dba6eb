//! `POST /api/v1/selections`: freezes which actions are decided on together, in which versions.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use holdpoint::ledger::{Chosen, Filter, Flag, Selection, Since};
use holdpoint::{Decision, HoldReason, SelectionState, Status, Time};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Json;
use super::list::{MAX_VALUE, fits};
use super::openapi::shapes;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// The filters of the list, for what is held, or for what has failed where `status` says so.
#[derive(Deserialize, ToSchema)]
#[schema(as = Select)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[schema(schema_with = shapes::decidable)]
    status: Option<Status>,
    #[schema(value_type = Option<shapes::HoldReason>)]
    reason: Option<HoldReason>,
    #[schema(value_type = Option<shapes::Kind>)]
    kind: Option<String>,
    #[schema(min_length = 1, max_length = 1000)]
    run_id: Option<String>,
    /// Whose newest attempt is whose.
    #[schema(min_length = 1, max_length = 1000)]
    worker: Option<String>,
    #[schema(min_length = 1, max_length = 1000)]
    target: Option<String>,
    /// What no person has looked at yet.
    #[schema(schema_with = shapes::maybe_flag)]
    flag: Option<Flag>,
    /// Key, run and target by prefix, summary by words.
    #[schema(min_length = 1, max_length = 1000)]
    q: Option<String>,
    /// Made at or after.
    #[schema(value_type = Option<shapes::Time>)]
    since: Option<Time>,
    /// Made before.
    #[schema(value_type = Option<shapes::Time>)]
    until: Option<Time>,
}

/// A selection: what is in it, what was decided, and what that came to.
#[derive(Serialize, ToSchema)]
#[schema(as = Selection)]
pub struct SelectionView<'a> {
    id: &'a str,
    #[schema(value_type = shapes::SelectionState)]
    state: SelectionState,
    /// Who made it, and alone may decide on it.
    by: &'a str,
    #[schema(value_type = shapes::Time)]
    at: Time,
    /// Until when it waits for its decision.
    #[schema(value_type = shapes::Time)]
    expires_at: Time,
    /// How many actions are in it.
    count: u32,
    /// More matched than a selection holds: the oldest are in it.
    more: bool,
    #[schema(value_type = BTreeMap<String, u32>)]
    by_kind: BTreeMap<&'a str, u32>,
    /// Under `failed` what had failed.
    #[schema(value_type = BTreeMap<String, u32>)]
    by_reason: BTreeMap<&'a str, u32>,
    /// The most frequent targets.
    by_target: Vec<Target<'a>>,
    /// How many targets there are in all.
    targets: u32,
    /// How many may have happened already.
    may_have_applied: u32,
    /// How many without an outcome have moved since it was made.
    moved: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Decided<'static>, required = false)]
    decided: Option<Decided<'a>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SelectedTarget)]
struct Target<'a> {
    target: &'a str,
    count: u32,
}

/// What was decided. `done`, `approved`, `changed`, `refused`, `left_out` and `left` add up to the selection's `count`.
#[derive(Serialize, ToSchema)]
#[schema(as = SelectionRuling)]
struct Decided<'a> {
    #[schema(value_type = shapes::Decision)]
    decision: Decision,
    reason: &'a str,
    /// Over how many seconds the retries are spread.
    spread_s: u32,
    #[schema(value_type = shapes::Time)]
    at: Time,
    /// When the last row had its outcome.
    #[schema(value_type = Option<shapes::Time>, required)]
    finished_at: Option<Time>,
    done: u32,
    approved: u32,
    changed: u32,
    refused: u32,
    left_out: u32,
    left: u32,
    /// Where those that are done stand now.
    #[schema(value_type = BTreeMap<String, Now>)]
    since: BTreeMap<&'a str, Now>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SelectedSince)]
struct Now {
    count: u32,
    /// How many of these were tried again since.
    tried: u32,
}

impl<'a> SelectionView<'a> {
    pub fn new(selection: &'a Selection) -> Self {
        let totals = selection.totals;
        let now = |since: &Since| {
            let Since { status, count, tried } = *since;
            (status.as_str(), Now { count, tried })
        };
        Self {
            id: &selection.id,
            state: selection.state,
            by: &selection.by,
            at: selection.at,
            expires_at: selection.expires_at,
            count: selection.count,
            more: selection.more,
            by_kind: selection.by_kind.iter().map(|(kind, n)| (&**kind, *n)).collect(),
            by_reason: selection
                .by_reason
                .iter()
                .map(|(reason, n)| (reason.map_or("failed", HoldReason::as_str), *n))
                .collect(),
            by_target: selection
                .by_target
                .iter()
                .map(|(target, count)| Target {
                    target,
                    count: *count,
                })
                .collect(),
            targets: selection.targets,
            may_have_applied: selection.may_have_applied,
            moved: selection.moved,
            decided: selection.ruling.as_ref().map(|ruling| Decided {
                decision: ruling.decision,
                reason: &ruling.reason,
                spread_s: ruling.spread_s,
                at: ruling.at,
                finished_at: ruling.finished_at,
                done: totals.done,
                approved: totals.approved,
                changed: totals.changed,
                refused: totals.refused,
                left_out: totals.left_out,
                left: totals.left,
                since: selection.since.iter().map(now).collect(),
            }),
        }
    }
}

/// Freezes which actions are decided on together, each in the version that stands now.
///
/// The oldest 10,000 that match; without `status`, of what is held. It waits an hour for its decision.
#[utoipa::path(
    post, path = "/selections", operation_id = "make_selection", tag = "People",
    request_body(content = Body),
    responses((status = 201, description = "The selection.", body = SelectionView<'static>)),
    security(("bearer" = ["operator"])),
)]
pub async fn make(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Json(body): Json<Body>,
) -> Result<Response, Problem> {
    let chosen = Chosen::Matching(filter(body)?);
    let selection = state.ledger.select(&actor, chosen).await?;
    Ok((StatusCode::CREATED, json(&SelectionView::new(&selection))).into_response())
}

fn filter(body: Body) -> Result<Filter, Problem> {
    let texts = [
        ("kind", &body.kind),
        ("run_id", &body.run_id),
        ("worker", &body.worker),
        ("target", &body.target),
        ("q", &body.q),
    ];
    for (name, value) in texts {
        if value.as_ref().is_some_and(|value| !fits(value)) {
            let detail = format!("{name}: give one plain line of 1 to {MAX_VALUE} bytes, or leave it out.");
            return Err(Problem::invalid(format!("/{name}"), detail));
        }
    }
    if let Some(kind) = &body.kind {
        holdpoint::intent::check_kind(kind)
            .map_err(|error| Problem::invalid("/kind", format!("kind: {error}.")))?;
    }
    Ok(Filter {
        status: body.status,
        reason: body.reason,
        kind: body.kind,
        run_id: body.run_id,
        worker: body.worker,
        target: body.target,
        flag: body.flag,
        q: body.q,
        since: body.since,
        until: body.until,
        ..Filter::default()
    })
}
