//! The HTTP API, one endpoint a file. Each finds out who calls and what they ask; the ledger does the rest.

mod acknowledge;
mod audit;
mod body;
mod claim;
mod claim_batch;
mod decide;
mod decide_batch;
mod export;
mod fail;
mod heartbeat;
mod list;
mod next;
mod operator;
mod operators;
mod params;
mod password;
mod pause;
mod policies;
mod policy;
mod policy_history;
mod read;
mod reaper;
mod rules;
mod run;
mod sessions;
mod stats;
mod succeed;
mod token;
mod tokens;
mod verdict;
mod verification;
mod view;
mod wait;

pub use verdict::Body as VerdictBody;
pub use verification::Question;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, get, post};

use crate::state::AppState;

/// The largest body, in bytes, of every call but two.
const BODY_LIMIT: usize = 1024 * 1024;
/// The largest body of a report of success: one whose result is too large to keep is recorded all the same.
const SUCCEED_LIMIT: usize = 8 * 1024 * 1024;
/// The largest batch of claims.
const BATCH_LIMIT: usize = 16 * 1024 * 1024;

/// All of `/api/v1`.
pub fn routes() -> Router<AppState> {
    let routes = Router::new()
        .route("/actions", get(list::list))
        .route("/actions/claim", post(claim::claim))
        .route(
            "/actions/claim-batch",
            post(claim_batch::claim_batch).layer(DefaultBodyLimit::max(BATCH_LIMIT)),
        )
        .route("/actions/decide-batch", post(decide_batch::decide_batch))
        .route("/actions/next", post(next::next))
        .route("/actions/{key}", get(read::read))
        .route(
            "/actions/{key}/succeed",
            post(succeed::succeed).layer(DefaultBodyLimit::max(SUCCEED_LIMIT)),
        )
        .route("/actions/{key}/fail", post(fail::fail))
        .route("/actions/{key}/heartbeat", post(heartbeat::heartbeat))
        .route("/actions/{key}/verdict", post(verdict::verdict))
        .route("/actions/{key}/decide", post(decide::decide))
        .route("/actions/{key}/acknowledge", post(acknowledge::acknowledge))
        .route("/verifications/next", post(verification::next))
        .route("/runs/{run_id}", get(run::run))
        .route("/policies", get(policies::list))
        .route(
            "/policies/{kind}",
            get(policy::get).put(policy::put).delete(policy::delete),
        )
        .route("/policies/{kind}/history", get(policy_history::history))
        .route("/policies/{kind}/pause", post(pause::pause_kind))
        .route("/policies/{kind}/resume", post(pause::resume_kind))
        .route("/pause", post(pause::pause_all))
        .route("/resume", post(pause::resume_all))
        .route("/stats", get(stats::stats))
        .route("/reaper/run", post(reaper::run))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{id}", delete(sessions::end))
        .route("/password", post(password::put))
        .route("/export", get(export::actions))
        .route("/audit", get(audit::list))
        .route("/audit/export", get(export::audit))
        .route("/operators", get(operators::list).post(operators::add))
        .route("/operators/{name}", get(operator::get).patch(operator::change))
        .route("/tokens", get(tokens::list).post(tokens::create))
        .route("/tokens/{name}", get(token::get).delete(token::revoke))
        .layer(DefaultBodyLimit::max(BODY_LIMIT));
    Router::new().nest("/api/v1", routes)
}
