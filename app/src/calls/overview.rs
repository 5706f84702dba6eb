//! The overview.

use holdpoint::ledger::{Count, Filter, Order};
use holdpoint::{Severity, Status};

use super::{Here, build};
use crate::Trouble;
use crate::view::OverviewView;

/// What needs a person, and how the rest goes.
pub async fn overview() -> Result<OverviewView, Trouble> {
    const WAITING: u32 = 5;
    let here = Here::find()?;
    let statistics = here.ledger.statistics(&here.actor).await?;
    let policies = here.ledger.policies(&here.actor).await?;
    let filter = Filter {
        status: Some(Status::Held),
        order: Order::Oldest,
        limit: WAITING,
        ..Filter::default()
    };
    let waiting = here.ledger.list(&here.actor, &filter).await?;
    let pair = |count: Count| (count.count, count.more);
    let of = |status| pair(build::count(&statistics, status));
    let findings = here
        .ledger
        .findings(&here.actor)
        .await?
        .into_iter()
        .map(|finding| {
            let losing = finding.severity == Severity::ClaimCouldBeLost;
            (losing, finding.found, finding.mend)
        });
    Ok(OverviewView {
        findings: findings.collect(),
        paused: statistics.everything_paused,
        held: of(Status::Held),
        oldest: statistics.oldest_held_at.map(Into::into),
        failures: pair(statistics.unacknowledged),
        duplicates: pair(statistics.suspected_duplicates),
        no_sends: pair(statistics.suspected_no_sends),
        stale: pair(statistics.stale),
        next_stale_at: statistics.next_stale_at.map(Into::into),
        in_flight: of(Status::InFlight),
        verifying: of(Status::Verifying),
        released: of(Status::Released),
        next_due_at: statistics.next_due_at.map(Into::into),
        paused_kinds: policies.iter().filter(|record| record.policy.paused).count() as u32,
        any: statistics.by_status.iter().any(|(_, count)| count.count > 0),
        waiting: waiting.items.iter().map(build::queue_row).collect(),
        reaper_passed_at: statistics.reaper_passed_at.map(Into::into),
        reaper_alive: build::reaper_alive(statistics.reaper_passed_at, statistics.now),
        kinds: statistics
            .kinds
            .iter()
            .map(|k| build::kind_row(&here, k, &policies, statistics.now))
            .collect(),
    })
}
