//! `GET /api/v1/stats`: counts, the oldest ages, the last 24 hours, and whether the reaper passes.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use holdpoint::Time;
use holdpoint::ledger::{Count, Hour, KindStatistics, Statistics, Switch};
use serde::Serialize;
use utoipa::ToSchema;

use super::openapi::shapes;
use super::pause::SwitchView;
use super::view::json;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
#[schema(as = Statistics)]
struct View<'a> {
    #[schema(value_type = shapes::Time)]
    at: Time,
    #[schema(value_type = std::collections::HashMap<String, shapes::Count>)]
    by_status: BTreeMap<&'static str, Count>,
    #[schema(value_type = std::collections::HashMap<String, shapes::Count>)]
    by_reason: BTreeMap<&'static str, Count>,
    #[schema(value_type = Option<shapes::Time>, required)]
    oldest_held_at: Option<Time>,
    #[schema(value_type = shapes::Count)]
    stale: Count,
    #[schema(value_type = Option<shapes::Time>, required)]
    next_stale_at: Option<Time>,
    #[schema(value_type = shapes::Count)]
    unacknowledged: Count,
    #[schema(value_type = shapes::Count)]
    suspected_duplicates: Count,
    #[schema(value_type = shapes::Count)]
    suspected_no_sends: Count,
    #[schema(value_type = Option<shapes::Time>, required)]
    reaper_passed_at: Option<Time>,
    paused: SwitchView<'a>,
    kinds: Vec<KindView<'a>>,
}

/// One kind's last 24 hours, the oldest hour first.
#[derive(Serialize, ToSchema)]
#[schema(as = KindStatistics)]
struct KindView<'a> {
    kind: &'a str,
    configured: bool,
    actions: u32,
    succeeded: u32,
    failed: u32,
    held: u32,
    #[schema(value_type = Vec<shapes::Hour>)]
    hours: &'a [Hour],
}

/// Counts, the oldest ages, the last 24 hours, and whether the reaper passes.
#[utoipa::path(
    get, path = "/stats", operation_id = "read_stats", tag = "Watching",
    responses((status = 200, description = "As it stands.", body = View<'static>)),
    security(("bearer" = ["read"])),
)]
pub async fn stats(State(state): State<AppState>, Caller(actor): Caller) -> Result<Response, Problem> {
    let statistics = state.ledger.statistics(&actor).await?;
    let switch = state.ledger.switch(&actor).await?;
    Ok(json(&View::new(&statistics, &switch)))
}

impl<'a> View<'a> {
    fn new(s: &'a Statistics, switch: &'a Switch) -> Self {
        Self {
            at: s.now,
            by_status: s
                .by_status
                .iter()
                .map(|(status, count)| (status.as_str(), *count))
                .collect(),
            by_reason: s
                .by_reason
                .iter()
                .map(|(reason, count)| (reason.as_str(), *count))
                .collect(),
            oldest_held_at: s.oldest_held_at,
            stale: s.stale,
            next_stale_at: s.next_stale_at,
            unacknowledged: s.unacknowledged,
            suspected_duplicates: s.suspected_duplicates,
            suspected_no_sends: s.suspected_no_sends,
            reaper_passed_at: s.reaper_passed_at,
            paused: SwitchView::new(switch),
            kinds: s.kinds.iter().map(KindView::new).collect(),
        }
    }
}

impl<'a> KindView<'a> {
    fn new(kind: &'a KindStatistics) -> Self {
        Self {
            kind: &kind.kind,
            configured: kind.configured,
            actions: kind.actions,
            succeeded: kind.succeeded,
            failed: kind.failed,
            held: kind.held,
            hours: &kind.hours,
        }
    }
}
