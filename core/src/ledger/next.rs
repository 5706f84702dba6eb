//! Claiming for a worker whose queue has long forgotten the job.

use super::claim::{bumped, guard, named};
use super::verify::CANDIDATES;
use super::{Actor, Error, Ledger, NextClaim, context, to_the_end};
use crate::intent::{Intent, Payload, StoredPayload};
use crate::transition::{self, Claim, ClaimAnswer};

impl Ledger {
    /// Claims the oldest due released action of these kinds whose payload is kept. `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::ForbiddenKind`], [`Error::ClaimLost`] for a `claim_id` that won before.
    pub async fn next(&self, actor: &Actor, kinds: &[String], claim: &Claim) -> Result<Option<NextClaim>, Error> {
        for kind in kinds {
            actor.works_on(kind)?;
        }
        let (ledger, kinds, claim) = (self.clone(), kinds.to_vec(), named(actor, claim));
        to_the_end(async move { ledger.next_now(&kinds, &claim).await }).await
    }

    async fn next_now(&self, kinds: &[String], claim: &Claim) -> Result<Option<NextClaim>, Error> {
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
        for key in candidates {
            let loaded = self.store.load(&key, "").await?;
            let Some(before) = &loaded.action else { continue };
            let (Some(payload), _) = self.store.payload(&key).await? else { continue };
            let Ok(intent) = before.intent(payload.clone()) else { continue };
            let cx = context(&loaded);
            let step = transition::claim(before, &intent, claim, &cx);
            let written = self.write(before, &step.action, &step.events, guard(&step.answer, cx.policy.version)).await?;
            match step.answer {
                ClaimAnswer::Granted(grant) if written => {
                    return Ok(Some(NextClaim { grant, action: bumped(before, step.action), payload }));
                }
                _ if replay => return Err(Error::ClaimLost),
                _ => {}
            }
        }
        Ok(None)
    }
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
