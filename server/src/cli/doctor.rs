//! `holdpoint doctor`: what the database promises, and what could be lost.

use std::process::ExitCode;

use holdpoint::ledger::Finding;
use holdpoint::{Actor, Ledger, Severity, ledger};

use super::Failure;
use super::table::line;
use crate::crypt::Keyring;
use crate::notify;

/// Looks and changes nothing. Ends in 1 where a claim could be lost.
pub async fn doctor(url: &str, keys: &Keyring) -> Result<ExitCode, Failure> {
    let ledger = Ledger::open_to_look(url).await?;
    let findings = look(&ledger, keys).await;
    ledger.close().await;
    let findings = findings?;
    for finding in &findings {
        let severity = match finding.severity {
            Severity::ClaimCouldBeLost => "A claim could be lost",
            Severity::WorthKnowing => "Worth knowing",
        };
        line(&format!("{severity}: {} ({})", finding.found, finding.code))?;
        line(&format!("  could be lost: {}", finding.could_be_lost))?;
        line(&format!("  what to do:    {}", finding.mend))?;
    }
    let losing = findings
        .iter()
        .filter(|finding| finding.severity == Severity::ClaimCouldBeLost)
        .count();
    line(&match (findings.len(), losing) {
        (0, _) => {
            "nothing was found: a claim, once granted, outlives a crash and a cut of the power".to_owned()
        }
        (all, losing) => format!("{all} found, of which {losing} could lose a claim"),
    })?;
    Ok(if losing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn look(ledger: &Ledger, keys: &Keyring) -> Result<Vec<Finding>, ledger::Error> {
    let mut findings = ledger.findings(&Actor::CommandLine).await?;
    // Tables that are not as they should be are told already, and hold no secrets that could be looked at.
    if !findings
        .iter()
        .any(|finding| finding.code.starts_with("migrations_"))
    {
        findings.extend(notify::findings(ledger, keys).await?);
    }
    Ok(findings)
}
