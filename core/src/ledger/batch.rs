//! Many claims in one transaction.

use std::collections::BTreeMap;

use super::claim::{claim_now, named};
use super::{Actor, Claimed, Error, Ledger, to_the_end};
use crate::intent::Intent;
use crate::transition::Claim;

/// The most claims that a batch holds.
pub const MAX_BATCH: usize = 500;

/// How often a batch is begun anew that PostgreSQL undid because it and another waited for each other. Places are
/// locked in one order, so that this comes of claim ids alone that were used for more than one key.
const ANEW: usize = 5;

impl Ledger {
    /// Claims up to [`MAX_BATCH`] effects in one transaction: all of them are durable once this returns, at the
    /// price of one commit. The answers come in the order of the claims, each as [`Ledger::claim`] would have given
    /// it, had they been presented one after the other; a claim that is not granted is an answer like the others.
    ///
    /// A `claim_id` that stands in it for several keys wins one of them, whichever.
    ///
    /// An entry that may not be presented at all, for a kind that the actor may not touch or with a `claim_id` that
    /// is none, refuses the whole batch before anything is written; so does a database that fails in between, which
    /// undoes what came before. Presented again under the same claim ids, a batch whose answer was lost gets the same
    /// grants.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a batch that is empty or too long, and as for [`Ledger::claim`].
    pub async fn claim_batch(
        &self,
        actor: &Actor,
        claims: Vec<(Intent, Claim)>,
    ) -> Result<Vec<Claimed>, Error> {
        if claims.is_empty() || claims.len() > MAX_BATCH {
            let detail = format!("present 1 to {MAX_BATCH} of them at once");
            return Err(Error::Invalid {
                field: "intents",
                detail,
            });
        }
        let presented = |(intent, claim): (Intent, Claim)| {
            actor.works_on(intent.kind())?;
            Ok((named(actor, &claim)?, intent))
        };
        let claims = claims
            .into_iter()
            .map(presented)
            .collect::<Result<Vec<_>, Error>>()?;
        let ledger = self.clone();
        to_the_end(async move {
            // Its probe is a transaction of its own, and must not come inside another.
            ledger.place.ensure(&*ledger.store).await?;
            let mut looks = 1;
            loop {
                match ledger.batch_now(&claims).await {
                    Err(Error::Store(error)) if error.was_deadlock() && looks < ANEW => looks += 1,
                    other => return other,
                }
            }
        })
        .await
    }

    async fn batch_now(&self, claims: &[(Claim, Intent)]) -> Result<Vec<Claimed>, Error> {
        // By place, so that batches that overlap wait for each other in one order; what shares a place keeps its own.
        let mut places = BTreeMap::<String, Vec<usize>>::new();
        for (n, (_, intent)) in claims.iter().enumerate() {
            places.entry(intent.slot()).or_default().push(n);
        }
        let mut kinds: Vec<_> = claims.iter().map(|(_, intent)| intent.kind()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let drifting = |entries: &[usize]| {
            let hashes = entries.iter().map(|n| claims[*n].1.payload_hash());
            hashes.clone().any(|hash| Some(hash) != hashes.clone().next())
        };
        let contested: Vec<_> = places
            .iter()
            .filter(|(_, entries)| drifting(entries))
            .map(|(place, _)| place.clone())
            .collect();
        let batch = self.store.batch(&kinds, &contested).await?;
        let mut answers = Vec::with_capacity(claims.len());
        for n in places.into_values().flatten() {
            let (claim, intent) = &claims[n];
            answers.push((n, claim_now(&*batch, intent, claim, None).await?));
        }
        batch.commit().await?;
        answers.sort_unstable_by_key(|(n, _)| *n);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }
}
