//! Case A27: verifiers, two reapers and a person who will not wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use holdpoint::ledger::Error;
use holdpoint::verify::ProviderQuestion;
use holdpoint::{Decision, ProviderAnswer, Reaper, Recovery, SettledBy, Status, Verifier};

use crate::harness::*;
use crate::races::{all_at_once, rounds};

on_both!(case_a27_a_verdict_is_not_overtaken_by_a_retry);

/// Finds the effect, and counts how often it was asked.
#[derive(Default)]
struct Found(AtomicU32);

#[async_trait]
impl Verifier for Found {
    async fn verify(&self, _: &ProviderQuestion) -> ProviderAnswer {
        self.0.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        ProviderAnswer::Landed("1".to_owned())
    }
}

async fn case_a27_a_verdict_is_not_overtaken_by_a_retry(db: Db) {
    for round in 0..rounds(12) {
        let intent = mail(&format!("run-{round}"));
        let version = db.stale(&intent, swift(Recovery::Verifiable)).await.version;
        let found = Arc::new(Found::default());
        let decision = [Decision::Retry, Decision::Fail][round % 2];
        let taken = all_at_once(&db, 3, |n, ledger| {
            let (key, found) = (intent.key(), found.clone());
            async move {
                if n > 0 {
                    let reaper = Reaper::new(ledger).with_verifier("send_email", found);
                    reaper.pass().await.unwrap();
                    return false;
                }
                match ledger
                    .decide(&person("ada"), &key, decision, "why", version, None)
                    .await
                {
                    Ok(_) => true,
                    Err(Error::NotHeld(_) | Error::Changed(_)) => false,
                    Err(other) => panic!("{other:?}"),
                }
            }
        })
        .await;
        let asked = found.0.load(Ordering::SeqCst);
        let action = db.action(&intent).await;
        assert_eq!(action.attempt(), 1, "nobody ran it again");
        if taken[0] {
            assert_eq!(
                decision,
                Decision::Fail,
                "a retry waits until the provider has been asked"
            );
        }
        // A question that was out when the person decided is heard all the same.
        match asked {
            1 => assert_eq!(
                (action.status, action.settled_by),
                (Status::Succeeded, Some(SettledBy::Verdict))
            ),
            _ => assert_eq!(
                (asked, action.status),
                (0, Status::Failed),
                "asked once, by one of them"
            ),
        }
    }
}
