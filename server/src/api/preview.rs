//! `POST /api/v1/policies/{kind}/preview`: what a change would do, before it is made.

use axum::extract::State;
use axum::response::Response;
use holdpoint::ledger::{Changed, Count, Fate, Group, OpenPreview, Preview, REPLAYED_DAYS, Replay, Would};
use holdpoint::{HoldReason, Key};
use serde::Serialize;
use utoipa::ToSchema;

use super::body::Json;
use super::openapi::{self, shapes};
use super::params::Name;
use super::policy::Members;
use super::rules;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = PolicyPreview)]
struct View<'a> {
    #[schema(value_type = shapes::Kind)]
    kind: &'a str,
    /// The version that stands; 0 where nobody configured the kind.
    version: i64,
    /// The policy that was sent, in one sentence.
    sentence: String,
    /// What its author may not have meant.
    warnings: Vec<String>,
    open: OpenView<'a>,
    erases: ErasesView,
    replay: ReplayView,
}

/// What a shorter retention erases at once, for good: up to 1,000 of each are counted.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewedErasure)]
struct ErasesView {
    #[schema(value_type = shapes::Count)]
    payloads: Count,
    #[schema(value_type = shapes::Count)]
    results: Count,
}

/// What changes for actions that are open.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenPreview)]
struct OpenView<'a> {
    /// How many were looked at, the oldest first.
    count: u32,
    /// There are more.
    more: bool,
    /// What the change makes a difference to, the gravest first.
    changes: Vec<ChangeView<'a>>,
}

/// Open actions for which the same changes.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewedChange)]
struct ChangeView<'a> {
    /// `moves_at_once`, `goes_stale` (should its claim), `is_claimed` (once it is), `deadline`, `approvals`.
    what: &'static str,
    /// Where it is now, for `moves_at_once` and `deadline`: a status.
    from: Option<&'static str>,
    /// Under the policy that stands: a status, or a number of people. Null where there is nothing to compare.
    before: Option<String>,
    /// Under the other: a status or `rejected`; `set`, `sooner`, `later` or `none`; or a number of people.
    after: String,
    /// Why it would be held, where `after` is `held`.
    #[schema(value_type = Option<shapes::HoldReason>, required)]
    reason: Option<HoldReason>,
    count: u32,
    /// Keys of up to three of them.
    #[schema(value_type = Vec<shapes::Key>)]
    examples: &'a [Key],
    /// Something ends or runs without a person where one was asked.
    grave: bool,
    sentence: String,
}

/// What would have become of what was held, and of claims that went stale.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewedPast)]
struct ReplayView {
    /// How many days back it looks.
    days: u32,
    /// How many stops were looked at, the newest first; the counts of `would` add up to it.
    stops: u32,
    /// How many of these were holds.
    holds: u32,
    /// There were more.
    more: bool,
    would: Vec<WouldView>,
    sentence: String,
}

/// Stops of which the same became, and would have.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewedStop)]
struct WouldView {
    /// What became of them: a status.
    before: &'static str,
    /// Why they were held, where they were.
    #[schema(value_type = Option<shapes::HoldReason>, required)]
    before_reason: Option<HoldReason>,
    /// What would have: a status, or `rejected`.
    after: &'static str,
    /// Why they would have been held, where they would.
    #[schema(value_type = Option<shapes::HoldReason>, required)]
    reason: Option<HoldReason>,
    count: u32,
    /// They would have ended or run without a person, where one was asked.
    grave: bool,
}

/// What a policy would do to open actions, and would have done to the last 30 days.
///
/// The members are those of PUT; `reason` may be left out. Nothing is written. What a provider would have answered is
/// not known: `verifying` says that it would have been asked.
#[utoipa::path(
    post, path = "/policies/{kind}/preview", operation_id = "preview_policy", tag = "Policies",
    params(("kind" = shapes::Kind, Path, description = "The kind.")),
    request_body(content = openapi::PolicyAsked),
    responses((status = 200, description = "What it would do.", body = View<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn preview(
    State(state): State<AppState>,
    Caller(actor): Caller,
    Name(kind): Name,
    Json(members): Json<Members>,
) -> Result<Response, Problem> {
    let (policy, reason) = members.asked()?;
    if let Some(reason) = reason {
        rules::reason(&reason)?;
    }
    holdpoint::intent::check_kind(&kind).map_err(|wrong| Problem::invalid("/kind", wrong.to_string()))?;
    let preview = state.ledger.preview(&actor, &kind, &policy).await?;
    let Preview {
        version,
        open,
        erases,
        replay,
    } = &preview;
    Ok(json(&View {
        kind: &kind,
        version: *version,
        sentence: policy.sentence(),
        warnings: policy.warnings(),
        open: of_open(open),
        erases: ErasesView {
            payloads: erases.payloads,
            results: erases.results,
        },
        replay: of_past(replay),
    }))
}

fn of_open(open: &OpenPreview) -> OpenView<'_> {
    let differs = open.groups.iter().filter(|group| group.change.differs());
    OpenView {
        count: open.count,
        more: open.more,
        changes: differs.map(of_group).collect(),
    }
}

fn of_group(group: &Group) -> ChangeView<'_> {
    let fate = |fate: Fate| fate.as_str().to_owned();
    let (what, from, before, after, reason) = match group.change {
        Changed::Moves { from, before, after } => {
            let stays = before.unwrap_or(from);
            (
                "moves_at_once",
                Some(from.as_str()),
                Some(fate(stays)),
                fate(after),
                after.reason(),
            )
        }
        Changed::GoesStale { before, after } => (
            "goes_stale",
            None,
            Some(fate(before)),
            fate(after),
            after.reason(),
        ),
        Changed::IsClaimed { before, after } => (
            "is_claimed",
            None,
            Some(fate(before)),
            fate(after),
            after.reason(),
        ),
        Changed::Deadline { of, shift } => (
            "deadline",
            Some(of.as_str()),
            None,
            shift.as_str().to_owned(),
            None,
        ),
        Changed::Approvals { before, after } => (
            "approvals",
            None,
            Some(before.to_string()),
            after.to_string(),
            None,
        ),
    };
    ChangeView {
        what,
        from,
        before,
        after,
        reason,
        count: group.count,
        examples: &group.examples,
        grave: group.change.is_grave(),
        sentence: group.sentence(),
    }
}

fn of_past(replay: &Replay) -> ReplayView {
    let stop = |would: &Would| WouldView {
        before: would.before.as_str(),
        before_reason: would.before.reason(),
        after: would.after.as_str(),
        reason: would.after.reason(),
        count: would.count,
        grave: would.is_grave(),
    };
    ReplayView {
        days: REPLAYED_DAYS,
        stops: replay.stops,
        holds: replay.holds,
        more: replay.more,
        would: replay.would.iter().map(stop).collect(),
        sentence: replay.sentence(),
    }
}
