//! What the clock moves: claims by when they go stale, questions to providers, releases; each with the reaper's next
//! move.

use super::read::limit;
use super::{Actor, Count, Cursor, Error, Ledger};
use crate::action::Action;
use crate::policy::Policy;
use crate::time::Time;
use crate::transition::{Context, Foreseen, foresee};
use crate::words::{Scope, Status};

/// Which of the actions that a clock moves, and from where on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// `in_flight`, `verifying` or `released`.
    pub status: Status,
    /// Of which kind.
    pub kind: Option<String>,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
    /// How many at most, 1 to 200; 0 is 50.
    pub limit: u32,
}

impl Watch {
    /// Those in this status, from the one whose time comes first.
    pub const fn over(status: Status) -> Self {
        Self {
            status,
            kind: None,
            cursor: None,
            limit: 0,
        }
    }

    /// What tells this list from every other.
    pub(crate) fn list(&self) -> String {
        format!("watched {} {:?}", self.status, self.kind)
    }
}

/// A page of what the clock moves, the first to move first.
#[derive(Clone, Debug)]
pub struct Watched {
    /// When it was read.
    pub now: Time,
    /// No claim of any kind is granted.
    pub everything_paused: bool,
    /// How many there are in all.
    pub all: Count,
    /// Of these, how many are past their time already.
    pub past: Count,
    /// The actions.
    pub items: Vec<WatchedAction>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
    /// Where the page before begins.
    pub prev: Option<Cursor>,
}

/// An action that a clock moves.
#[derive(Clone, Debug)]
pub struct WatchedAction {
    /// The action.
    pub action: Action,
    /// The policy of its kind as it stands.
    pub policy: Policy,
    /// What the reaper does with it, and when, if nothing else is heard of it.
    pub foreseen: Option<Foreseen>,
}

/// What the store gives of such a page.
#[derive(Clone, Debug)]
pub(crate) struct WatchedRows {
    pub now: Time,
    pub everything_paused: bool,
    pub all: Count,
    pub past: Count,
    pub rows: Vec<(Action, Policy)>,
    pub next: Option<Cursor>,
    pub prev: Option<Cursor>,
}

impl Ledger {
    /// Actions that a clock moves, each with what the reaper does with it and when.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a status that no clock moves, a limit or a cursor that does not fit,
    /// [`Error::Forbidden`].
    pub async fn watched(&self, actor: &Actor, watch: &Watch) -> Result<Watched, Error> {
        actor.needs(Scope::Read)?;
        if !matches!(
            watch.status,
            Status::InFlight | Status::Verifying | Status::Released
        ) {
            return Err(Error::Invalid {
                field: "status",
                detail: "expected one of: in_flight, verifying, released".to_owned(),
            });
        }
        Cursor::check_within(watch.cursor.as_ref(), &watch.list())?;
        let watch = Watch {
            limit: limit(watch.limit)?,
            ..watch.clone()
        };
        let page = self.store.watched(&watch).await?;
        let (actions, policies): (Vec<_>, Vec<_>) = page.rows.into_iter().unzip();
        let actions = self.veiled_page(actions).await?;
        let items = actions.into_iter().zip(policies).map(|(action, policy)| {
            // Chance lies ahead: a wait that may be shorter is told at its longest.
            let cx = Context {
                now: page.now,
                policy: &policy,
                everything_paused: page.everything_paused,
                jitter: 1.0,
            };
            let foreseen = foresee(&action, &cx);
            WatchedAction {
                action,
                policy,
                foreseen,
            }
        });
        Ok(Watched {
            items: items.collect(),
            now: page.now,
            everything_paused: page.everything_paused,
            all: page.all,
            past: page.past,
            next: page.next,
            prev: page.prev,
        })
    }
}
