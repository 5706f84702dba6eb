//! Who calls, what they ask, the ledger's answer as data for a page.
//!
//! What a page reads is a plain function; what a form changes is a server function, called by POST alone. None of
//! them decides who may do what: each hands the caller to the ledger, which does.

mod account;
mod action;
mod audit;
mod beside;
mod build;
mod decide;
mod frame;
mod log;
mod notice;
mod one;
mod operators;
mod overview;
mod pause;
mod policies;
mod policy_form;
mod policy_preview;
mod policy_versions;
mod reveal;
mod review;
mod run;
mod selections;
mod stale;
mod tokens;
mod webhooks;
mod words;

pub use account::account;
pub use action::action;
pub use audit::audit;
pub use decide::{Acknowledge, Decide, acknowledge, decide};
pub use frame::frame;
pub use log::log;
pub use operators::{AddOperator, ChangeOperator, add_operator, change_operator, operators};
pub use overview::overview;
pub use pause::{Pause, pause};
pub use policies::{PutPolicy, policies, policy_of, put_policy};
pub use policy_form::MASK_CHARS;
pub use reveal::{Reveal, reveal};
pub use review::review;
pub use run::run_of;
pub use selections::{DecideSelection, Select, decide_selection, select, selection};
pub use stale::{RunReaper, run_reaper, stale};
pub use tokens::{NewTokenForm, RevokeToken, make_token, revoke_token, tokens};
pub use webhooks::{ChangeWebhook, RemoveWebhook, change_webhook, make_webhook, remove_webhook, webhooks};

/// Who calls, and the ledger they call.
pub(crate) struct Here {
    ledger: holdpoint::Ledger,
    actor: holdpoint::ledger::Actor,
}

impl Here {
    /// What the server has put into the context.
    fn find() -> Result<Self, crate::Trouble> {
        use leptos::prelude::use_context;

        let actor = use_context::<crate::Caller>()
            .and_then(|caller| caller.0)
            .ok_or(crate::Trouble::SignedOut)?;
        let ledger = use_context().ok_or_else(|| {
            tracing::error!("the server hands no ledger to its pages");
            crate::Trouble::Internal
        })?;
        Ok(Self { ledger, actor })
    }
}

/// What an address can carry of what was typed. It is as long as the longest reason that is kept.
pub(crate) fn bounded(typed: &str) -> &str {
    const MOST: usize = 2_000;
    typed
        .char_indices()
        .nth(MOST)
        .map_or(typed, |(end, _)| &typed[..end])
}
