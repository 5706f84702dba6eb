//! A run, page by page: it may have many thousands of steps.

use super::read::{DEFAULT_LIMIT, MAX_RUN, on_resume};
use super::{Actor, Cursor, Error, Ledger, RunItem, WhatOnResume};
use crate::action::Action;
use crate::words::{Scope, Status};

/// What a resume does, counted up to this.
pub(crate) const MOST_COUNTED: u32 = 10_000;

/// A page of a run's actions in step order.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The run.
    pub run_id: String,
    /// Its actions from here on.
    pub items: Vec<RunItem>,
    /// With how many of the whole run a resume would do what.
    pub on_resume: Vec<(WhatOnResume, u32)>,
    /// True where the run has more than were counted.
    pub more: bool,
    /// Where the next page begins.
    pub next: Option<Cursor>,
    /// Where the page before begins.
    pub prev: Option<Cursor>,
}

/// What the store gives of such a page.
#[derive(Clone, Debug)]
pub(crate) struct RunRows {
    pub rows: Vec<Action>,
    pub by_status: Vec<(Status, u32)>,
    pub next: Option<Cursor>,
    pub prev: Option<Cursor>,
}

/// What tells a run's pages from every other list.
pub(crate) fn list(run_id: &str) -> String {
    format!("run {run_id}")
}

impl Ledger {
    /// A page of a run's actions in step order, with what a resume would do with each and with all of them.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no action of this run was ever claimed, [`Error::Invalid`] for a limit or a cursor
    /// that does not fit, [`Error::Forbidden`].
    pub async fn run_page(
        &self,
        actor: &Actor,
        run_id: &str,
        cursor: Option<&Cursor>,
        asked: u32,
    ) -> Result<RunPage, Error> {
        actor.needs(Scope::Read)?;
        // No run has such a name, and PostgreSQL cannot even be asked for it.
        if run_id.contains('\0') {
            return Err(Error::NotFound { what: "run" });
        }
        Cursor::check_within(cursor, &list(run_id))?;
        let limit = match asked {
            0 => DEFAULT_LIMIT,
            1..=MAX_RUN => asked,
            _ => {
                return Err(Error::Invalid {
                    field: "limit",
                    detail: format!("give 1 to {MAX_RUN}"),
                });
            }
        };
        let page = self.store.run_page(run_id, cursor, limit).await?;
        if page.by_status.is_empty() {
            return Err(Error::NotFound { what: "run" });
        }
        let counted: u32 = page.by_status.iter().map(|(_, n)| n).sum();
        let of = |what| {
            let those = page.by_status.iter().filter(|(s, _)| on_resume(*s) == what);
            those.map(|(_, n)| n).sum()
        };
        let whats = [
            WhatOnResume::Skip,
            WhatOnResume::Run,
            WhatOnResume::Wait,
            WhatOnResume::Stop,
        ];
        let items = self.veiled_page(page.rows).await?.into_iter();
        Ok(RunPage {
            run_id: run_id.to_owned(),
            on_resume: whats.map(|what| (what, of(what))).into(),
            more: counted > MOST_COUNTED,
            items: items
                .map(|action| RunItem {
                    on_resume: on_resume(action.status),
                    action,
                })
                .collect(),
            next: page.next,
            prev: page.prev,
        })
    }
}
