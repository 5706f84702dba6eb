//! Deciding on many at once: what was seen is frozen, and decided once.

use std::time::Duration;

use super::decide::{person, said};
use super::selection::{
    Began, Chosen, DecidedSelection, MAX_SELECTED, SelectedRow, Selection, SelectionPage,
};
use super::{Actor, Count, Error, Filter, Ledger, MAX_DECISIONS, to_the_end};
use crate::intent::Key;
use crate::mask::MARK;
use crate::store::StoreError;
use crate::words::{Decision, Scope, SelectedOutcome, SelectionState, Status};

/// How long a selection waits for its decision, in seconds.
pub const SELECTION_LIVES_S: u32 = 3_600;

/// Over how many seconds retries can be spread at most: a week.
pub const MAX_SPREAD_S: u32 = 604_800;

/// How long a caller is kept waiting for all rows. The work goes on without them.
const PATIENCE: Duration = Duration::from_secs(10);

impl Ledger {
    /// How many actions match, of those that a selection can hold.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a filter that does not fit, [`Error::Forbidden`].
    pub async fn matching(&self, actor: &Actor, filter: &Filter) -> Result<Count, Error> {
        actor.needs(Scope::Read)?;
        Ok(self.store.matching(&decidable(filter)?).await?)
    }

    /// Freezes which actions a person decides on together, each in the version that stands now or was seen. It is
    /// its maker's alone to decide on: others saw something else, or nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a filter that does not fit and where nothing matches, [`Error::Forbidden`].
    pub async fn select(&self, actor: &Actor, chosen: Chosen) -> Result<Selection, Error> {
        let by = person(actor)?;
        let chosen = match chosen {
            Chosen::Matching(filter) => Chosen::Matching(decidable(&filter)?),
            Chosen::Seen(mut items) => {
                if items.is_empty() || items.len() > MAX_DECISIONS {
                    let detail = format!("select 1 to {MAX_DECISIONS} of them, or all that match");
                    return Err(invalid("key", detail));
                }
                let mut known = std::collections::BTreeSet::new();
                items.retain(|(key, _)| known.insert(key.as_str().to_owned()));
                Chosen::Seen(items)
            }
        };
        let id = format!("{:032x}", rand::random::<u128>());
        let ledger = self.clone();
        to_the_end(async move {
            let made = ledger
                .store
                .make_selection(&id, &by, &chosen, MAX_SELECTED, SELECTION_LIVES_S);
            if !made.await? {
                return Err(invalid("status", "nothing that waits matches".to_owned()));
            }
            ledger.find(&id).await
        })
        .await
    }

    /// A selection and a page of its rows, after row `after`, of one outcome or of any.
    ///
    /// # Errors
    /// [`Error::NotFound`], also where nobody decided on it in time; [`Error::Invalid`] for a limit,
    /// [`Error::Forbidden`].
    pub async fn selection(
        &self,
        actor: &Actor,
        id: &str,
        outcome: Option<SelectedOutcome>,
        after: Option<u32>,
        limit: u32,
    ) -> Result<SelectionPage, Error> {
        actor.needs(Scope::Operator)?;
        let limit = super::read::limit(limit)?;
        let mut selection = self.find(id).await?;
        // It is said of all its rows at once, and may quote what is masked in any: the others read it in each row's
        // history, where that is known.
        if selection.by != actor.name()
            && let Some(ruling) = &mut selection.ruling
        {
            MARK.clone_into(&mut ruling.reason);
        }
        let mut rows = self.store.selected(id, outcome, after, limit + 1).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().map(|row| row.n).filter(|_| more);
        self.stand(&mut rows).await?;
        Ok(SelectionPage {
            selection,
            rows,
            next,
        })
    }

    /// Looks at each row's action as it stands.
    async fn stand(&self, rows: &mut [SelectedRow]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
        let actions = match self.store.standing(&keys).await {
            Ok(actions) => self.veiled_page(actions).await?,
            // What was selected is told all the same.
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(%error, "an action of a selection cannot be read");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        for action in actions {
            for row in rows.iter_mut().filter(|row| row.key == action.key) {
                row.action = Some(Box::new(action.clone()));
            }
        }
        Ok(())
    }

    /// Its maker decides on all of a selection: [`Ledger::decide_selection_except`] without an exception.
    ///
    /// # Errors
    /// As there.
    pub async fn decide_selection(
        &self,
        actor: &Actor,
        id: &str,
        decision: Decision,
        reason: &str,
        spread_s: u32,
    ) -> Result<DecidedSelection, Error> {
        self.decide_selection_except(actor, id, decision, reason, spread_s, Vec::new())
            .await
    }

    /// Its maker decides on a selection, once: each row by itself, on the version that was seen. What was begun is
    /// finished, by this process or by another one; where that takes long, the answer comes before the end. What is
    /// left out, up to [`MAX_DECISIONS`] of its rows, stays as it is.
    ///
    /// The same decision again is answered as the first time, and lends a hand where it is not finished.
    ///
    /// # Errors
    /// [`Error::SelectionDecided`] after another decision, also where that left out others, [`Error::NotYours`],
    /// [`Error::NotFound`], [`Error::Invalid`] for the reason, the spread or an exception, [`Error::Forbidden`]; [`Error::Store`] where the database
    /// fails in between: what was begun is gone on with.
    pub async fn decide_selection_except(
        &self,
        actor: &Actor,
        id: &str,
        decision: Decision,
        reason: &str,
        spread_s: u32,
        mut except: Vec<Key>,
    ) -> Result<DecidedSelection, Error> {
        let (by, reason) = (person(actor)?, said(reason)?);
        check_spread(decision, spread_s)?;
        except.sort_unstable();
        except.dedup();
        if except.len() > MAX_DECISIONS {
            let detail = format!("leave out {MAX_DECISIONS} at most, or select fewer");
            return Err(invalid("except", detail));
        }
        let found = self.find(id).await?;
        if found.by != by {
            return Err(Error::NotYours { by: found.by });
        }
        let (ledger, actor, id) = (self.clone(), actor.clone(), id.to_owned());
        let deciding = tokio::spawn(async move {
            let began = ledger
                .store
                .begin_deciding(&id, &actor, decision, &reason, spread_s, &except)
                .await?;
            let refused = match began {
                Began::Now | Began::Late => None,
                Began::NotIn => Some("name rows that are in this selection"),
                Began::Nothing => Some("leave something in: nothing would be decided"),
            };
            if let Some(detail) = refused {
                return Err(invalid("except", detail.to_owned()));
            }
            let selection = ledger.find(&id).await?;
            let Some(ruling) = &selection.ruling else {
                return Err(Error::NotFound { what: "selection" });
            };
            let mut left_out = ledger.store.left_out(&id).await?;
            left_out.sort_unstable();
            if ruling.decision != decision || left_out != except {
                return Err(Error::SelectionDecided(Box::new(selection)));
            }
            if let Some(work) = ledger.store.begun(&id).await? {
                ledger.finish(&work, None).await?;
            }
            Ok(began == Began::Late)
        });
        let replayed = match tokio::time::timeout(PATIENCE, deciding).await {
            Ok(Ok(ended)) => ended?,
            Ok(Err(died)) => {
                tracing::error!(error = %died, "a selection's decision ended by a panic");
                return Err(Error::Internal);
            }
            // It goes on by itself, and is shown as far as it is.
            Err(_) => found.state != SelectionState::Open,
        };
        let selection = self.find(&found.id).await?;
        Ok(DecidedSelection { selection, replayed })
    }

    async fn find(&self, id: &str) -> Result<Selection, Error> {
        // What cannot be a name is not looked for: the database need not be able to hold it.
        let sound = id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
        let found = if sound {
            self.store.selection(id).await?
        } else {
            None
        };
        found.ok_or(Error::NotFound { what: "selection" })
    }
}

/// What a selection can be made of: holds, and failures for another try.
fn decidable(filter: &Filter) -> Result<Filter, Error> {
    if filter
        .status
        .is_some_and(|status| !matches!(status, Status::Held | Status::Failed))
    {
        let detail = "people decide on what is held or failed: give one of these".to_owned();
        return Err(invalid("status", detail));
    }
    super::read::check_texts(filter)?;
    Ok(Filter {
        status: filter.status.or(Some(Status::Held)),
        cursor: None,
        ..filter.clone()
    })
}

fn check_spread(decision: Decision, spread_s: u32) -> Result<(), Error> {
    if spread_s > MAX_SPREAD_S {
        return Err(invalid("spread_s", format!("give 0 to {MAX_SPREAD_S} seconds")));
    }
    if spread_s > 0 && decision != Decision::Retry {
        return Err(invalid(
            "spread_s",
            "goes with the decision retry only".to_owned(),
        ));
    }
    Ok(())
}

fn invalid(field: &'static str, detail: String) -> Error {
    Error::Invalid { field, detail }
}
