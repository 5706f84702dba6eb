//! Claiming for a worker whose queue has long forgotten the job.

use super::claim::{bumped, guard, named};
use super::verify::CANDIDATES;
use super::{Actor, Error, LOOKS, Ledger, NextClaim, context, to_the_end};
use crate::intent::{Intent, Key, Payload, StoredPayload};
use crate::transition::{self, Claim, ClaimAnswer};

impl Ledger {
    /// Claims the oldest due released action of these kinds whose payload is kept. `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::ForbiddenKind`], [`Error::ClaimLost`] for a `claim_id` that won before.
    pub async fn next(
        &self,
        actor: &Actor,
        kinds: &[String],
        claim: &Claim,
    ) -> Result<Option<NextClaim>, Error> {
        for kind in kinds {
            actor.works_on(kind)?;
            crate::intent::check_kind(kind)?;
        }
        let (ledger, kinds, claim) = (self.clone(), kinds.to_vec(), named(actor, claim)?);
        to_the_end(async move { ledger.next_now(&kinds, &claim).await }).await
    }

    async fn next_now(&self, kinds: &[String], claim: &Claim) -> Result<Option<NextClaim>, Error> {
        for _ in 0..LOOKS {
            // The same claim id again gets the same grant, whatever else is due by now.
            let won = match claim.claim_id.as_deref() {
                Some(id) => self.store.claim_id_owner(id).await?,
                None => None,
            };
            let replay = won.is_some();
            let candidates = match won {
                Some(key) => vec![key],
                None => self.store.claimable(kinds, CANDIDATES).await?,
            };
            let mut moved = false;
            for key in candidates {
                match self.next_of(&key, kinds, claim).await? {
                    Look::Granted(next) => return Ok(Some(*next)),
                    Look::Moved => moved = true,
                    Look::NotThis if replay => return Err(Error::ClaimLost),
                    Look::NotThis => {}
                }
            }
            if !moved && !self.won_meanwhile(claim).await? {
                return Ok(None);
            }
        }
        Err(Error::Contended)
    }

    /// Whether this `claim_id` won something since it was looked for: the same call, made twice at once.
    async fn won_meanwhile(&self, claim: &Claim) -> Result<bool, Error> {
        match claim.claim_id.as_deref() {
            Some(id) => Ok(self.store.claim_id_owner(id).await?.is_some()),
            None => Ok(false),
        }
    }

    async fn next_of(&self, key: &Key, kinds: &[String], claim: &Claim) -> Result<Look, Error> {
        let loaded = self.store.load(key, "").await?;
        let Some(before) = loaded.action.as_ref().filter(|a| kinds.contains(&a.kind)) else {
            return Ok(Look::NotThis);
        };
        let (Some(payload), _) = self.store.payload(key).await? else {
            return Ok(Look::NotThis);
        };
        let Ok(intent) = before.intent(payload.clone()) else {
            return Ok(Look::NotThis);
        };
        let cx = context(&loaded);
        let step = transition::claim(before, &intent, claim, &cx);
        if matches!(&step.answer, ClaimAnswer::Granted(grant) if !grant.replayed) {
            self.place.ensure(&*self.store).await?;
        }
        let written = self
            .write(before, &step, guard(&step.answer, &step.action, &cx), &cx)
            .await?;
        Ok(match step.answer {
            ClaimAnswer::Granted(grant) if written => Look::Granted(Box::new(NextClaim {
                grant,
                action: bumped(before, step.action),
                payload,
            })),
            ClaimAnswer::Granted(_) => Look::Moved,
            _ => Look::NotThis,
        })
    }
}

/// What came of looking at a candidate.
enum Look {
    Granted(Box<NextClaim>),
    /// Somebody else was faster.
    Moved,
    NotThis,
}

impl crate::action::Action {
    /// The intent that made this action, out of its stored parts.
    fn intent(&self, payload: StoredPayload) -> Result<Intent, crate::intent::InvalidIntent> {
        let payload = match payload {
            StoredPayload::Json(text) => Payload::Json(text),
            StoredPayload::Text(text) => Payload::Text(text),
        };
        Intent::new(&self.run_id, self.step, &self.kind, &self.target, payload)
    }
}
