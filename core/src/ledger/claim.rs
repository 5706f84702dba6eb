//! Claiming: one statement where nothing stands in the way, the transition function where something does.

use super::report::printable;
use super::{Actor, Claimed, Error, LOOKS, Ledger, clocked, context, to_the_end, write};
use crate::action::Action;
use crate::intent::Intent;
use crate::store::{ClaimStore, Guard};
use crate::transition::{self, Claim, ClaimAnswer, First, Grant};

/// The longest `claim_id`, in bytes.
pub const MAX_CLAIM_ID_BYTES: usize = 200;

impl Ledger {
    /// Claims the right to run an effect. At most one caller is granted an attempt, whoever else asks.
    ///
    /// # Errors
    /// [`Error::Forbidden`] and [`Error::ForbiddenKind`] for who may not; [`Error::Store`] for the database. A
    /// claim that is not granted is no error: its answer says why.
    pub async fn claim(&self, actor: &Actor, intent: &Intent, claim: &Claim) -> Result<Claimed, Error> {
        actor.works_on(intent.kind())?;
        let (ledger, intent) = (self.clone(), intent.clone());
        let claim = named(actor, claim)?;
        to_the_end(async move {
            let no_place = ledger.place.ensure(&*ledger.store).await.err();
            claim_now(&*ledger.store, &intent, &claim, no_place).await
        })
        .await
    }
}

/// Where there is no place for a report, everything is answered but a grant.
pub(super) async fn claim_now(
    store: &dyn ClaimStore,
    intent: &Intent,
    claim: &Claim,
    mut no_place: Option<Error>,
) -> Result<Claimed, Error> {
    if no_place.is_none()
        && let Some(action) = store.first_claim(intent, claim).await?
    {
        let answer = ClaimAnswer::Granted(Grant {
            attempt: 1,
            stale_at: action.stale_at.unwrap_or(action.created_at),
            begin_before: None,
            replayed: false,
        });
        return Ok(Claimed {
            answer,
            now: action.created_at,
            action: Some(action),
        });
    }
    let key = intent.key();
    for _ in 0..LOOKS {
        let loaded = store.load(&key, intent.kind()).await?;
        if belongs_to_another(store, claim, intent).await? {
            return Ok(Claimed {
                answer: ClaimAnswer::ClaimLost,
                action: loaded.action,
                now: loaded.now,
            });
        }
        let cx = context(&loaded);
        let claimed = match &loaded.action {
            Some(action) => {
                let step = transition::claim(action, intent, claim, &cx);
                may_grant(&step.answer, &mut no_place)?;
                let guard = guard(&step.answer, &step.action, &cx);
                let written = write(store, action, &step, guard, &cx).await?;
                written.then(|| (step.answer, Some(bumped(action, step.action))))
            }
            None => insert_first(store, intent, claim, &cx, &mut no_place).await?,
        };
        if let Some((answer, action)) = claimed {
            if answer == ClaimAnswer::KeyConflict {
                // Two intents that share a key, or a row that was written by hand: somebody has to look.
                tracing::error!(%key, worker = claim.worker, "other parts are stored under this key than were presented");
            }
            return Ok(Claimed {
                answer,
                action,
                now: cx.now,
            });
        }
    }
    Err(Error::Contended)
}

/// A new row that wants more than one statement: a hold, a drift, an approval.
async fn insert_first(
    store: &dyn ClaimStore,
    intent: &Intent,
    claim: &Claim,
    cx: &transition::Context<'_>,
    no_place: &mut Option<Error>,
) -> Result<Option<(ClaimAnswer, Option<Action>)>, Error> {
    let came_first = store.slot_owner(&intent.slot()).await?;
    let First {
        action,
        events,
        answer,
    } = transition::first(intent, claim, came_first.as_ref(), cx);
    may_grant(&answer, no_place)?;
    let written = match (&action, &answer) {
        (Some(action), answer) => {
            let guard = guard(answer, action, cx);
            store.insert(action, intent.payload(), &events, guard).await?
        }
        (None, ClaimAnswer::Rejected { first_key }) => {
            store.note(first_key, &events).await?;
            true
        }
        (None, _) => true,
    };
    Ok(written.then_some((answer, action)))
}

/// Whether this `claim_id` won an attempt of another key.
async fn belongs_to_another(store: &dyn ClaimStore, claim: &Claim, intent: &Intent) -> Result<bool, Error> {
    let Some(id) = claim.claim_id.as_deref() else {
        return Ok(false);
    };
    Ok(store
        .claim_id_owner(id)
        .await?
        .is_some_and(|owner| owner != intent.key()))
}

/// A worker that does not name itself goes by its token's name.
pub(super) fn named(actor: &Actor, claim: &Claim) -> Result<Claim, Error> {
    if claim
        .claim_id
        .as_deref()
        .is_some_and(|id| id.is_empty() || id.len() > MAX_CLAIM_ID_BYTES || id.contains('\0'))
    {
        let detail =
            format!("give 1 to {MAX_CLAIM_ID_BYTES} bytes without U+0000, made once for each try, or none");
        return Err(Error::Invalid {
            field: "claim_id",
            detail,
        });
    }
    let worker = claim.worker.as_deref().unwrap_or(actor.name());
    let (worker, summary) = (printable(worker), claim.summary.as_deref().map(printable));
    Ok(Claim {
        worker: Some(worker),
        summary,
        claim_id: claim.claim_id.clone(),
    })
}

/// Refuses a new grant whose report would find no place. What was granted before is told all the same.
fn may_grant(answer: &ClaimAnswer, no_place: &mut Option<Error>) -> Result<(), Error> {
    match (answer, no_place.take()) {
        (ClaimAnswer::Granted(grant), Some(error)) if !grant.replayed => Err(error),
        (_, error) => {
            *no_place = error;
            Ok(())
        }
    }
}

/// A grant must not overtake a pause or a change of its policy.
pub(super) const fn guard(answer: &ClaimAnswer, after: &Action, cx: &transition::Context<'_>) -> Guard {
    match answer {
        ClaimAnswer::Granted(grant) if !grant.replayed => Guard::Grant {
            policy_version: cx.policy.version,
        },
        _ => clocked(after, cx),
    }
}

/// The row as it stands after a write: its revision rose where it was written.
pub(super) fn bumped(before: &Action, after: Action) -> Action {
    if *before == after {
        after
    } else {
        Action {
            revision: before.revision + 1,
            ..after
        }
    }
}
