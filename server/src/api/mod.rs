//! The HTTP API, one endpoint a file. Each finds out who calls and what they ask; the ledger does the rest.

mod acknowledge;
mod audit;
mod body;
mod claim;
mod claim_batch;
mod decide;
mod decide_batch;
mod docs;
mod events;
mod export;
mod fail;
mod heartbeat;
mod list;
mod next;
mod openapi;
mod operator;
mod operators;
mod params;
mod password;
mod pause;
mod policies;
mod policy;
mod policy_history;
mod preview;
mod read;
mod reaper;
mod reveal;
mod rights;
mod rules;
mod run;
mod selection;
mod selection_decide;
mod selections;
mod sessions;
mod stats;
mod succeed;
mod token;
mod tokens;
mod verdict;
mod verification;
mod view;
mod wait;
mod webhooks;
mod webhooks_deliveries;
mod webhooks_one;
mod webhooks_rotate;
mod webhooks_test;
mod webhooks_view;

pub use params::ActionKey;
pub use verdict::Body as VerdictBody;
pub use verification::Question;
pub use webhooks::new_secret;
pub use webhooks_test::try_webhook;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use crate::state::AppState;

/// The largest body, in bytes, of every call but two.
const BODY_LIMIT: usize = 1024 * 1024;
/// The largest body of a report of success: one whose result is too large to keep is recorded all the same.
const SUCCEED_LIMIT: usize = 8 * 1024 * 1024;
/// The largest batch of claims.
const BATCH_LIMIT: usize = 16 * 1024 * 1024;

/// All of `/api/v1`, and its description for people.
pub fn routes(state: &AppState) -> Router<AppState> {
    let (operations, _) = described().split_for_parts();
    operations
        .route_layer(from_fn_with_state(state.clone(), rights::check))
        .merge(docs::routes())
}

/// Every operation with its description: path, method and scope stand beside its handler.
fn described() -> OpenApiRouter<AppState> {
    let operations = OpenApiRouter::new()
        .routes(routes!(list::list))
        .routes(routes!(claim::claim))
        .routes(routes!(claim_batch::claim_batch).layer(DefaultBodyLimit::max(BATCH_LIMIT)))
        .routes(routes!(decide_batch::decide_batch))
        .routes(routes!(next::next))
        .routes(routes!(read::read))
        .routes(routes!(succeed::succeed).layer(DefaultBodyLimit::max(SUCCEED_LIMIT)))
        .routes(routes!(fail::fail))
        .routes(routes!(heartbeat::heartbeat))
        .routes(routes!(verdict::verdict))
        .routes(routes!(decide::decide))
        .routes(routes!(acknowledge::acknowledge))
        .routes(routes!(selections::make))
        .routes(routes!(selection::read))
        .routes(routes!(selection_decide::decide))
        .routes(routes!(verification::next))
        .routes(routes!(run::run))
        .routes(routes!(policies::list))
        .routes(routes!(policy::get, policy::put, policy::delete))
        .routes(routes!(policy_history::history))
        .routes(routes!(preview::preview))
        .routes(routes!(pause::pause_kind))
        .routes(routes!(pause::resume_kind))
        .routes(routes!(pause::pause_all))
        .routes(routes!(pause::resume_all))
        .routes(routes!(stats::stats))
        .routes(routes!(reaper::run))
        .routes(routes!(events::events))
        .routes(routes!(reveal::reveal))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::end))
        .routes(routes!(password::put))
        .routes(routes!(export::actions))
        .routes(routes!(audit::list))
        .routes(routes!(export::audit))
        .routes(routes!(operators::list, operators::add))
        .routes(routes!(operator::get, operator::change))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(token::get, token::revoke))
        .routes(routes!(webhooks::list, webhooks::create))
        .routes(routes!(
            webhooks_one::get,
            webhooks_one::patch,
            webhooks_one::delete
        ))
        .routes(routes!(webhooks_rotate::rotate))
        .routes(routes!(webhooks_test::test))
        .routes(routes!(webhooks_deliveries::list))
        .routes(routes!(openapi::describe))
        .layer(DefaultBodyLimit::max(BODY_LIMIT));
    OpenApiRouter::new().nest("/api/v1", operations)
}

#[cfg(test)]
mod tests;
