//! What of the database's settings could lose a claim, or is worth knowing.

use serde::Serialize;

use super::{Actor, Error, Ledger};
use crate::store::judge;
use crate::words::{Scope, Severity};

/// Something that was found about the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// One word for programs, such as `postgres_fsync`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found.
    pub found: String,
    /// What could be lost by it.
    pub could_be_lost: String,
    /// What to do.
    pub mend: String,
}

impl Ledger {
    /// Looks at what the database promises: whether a claim, once granted, outlives a crash, a cut of the power and a
    /// failover. Nothing is changed. The worst comes first; an empty list says that nothing was found.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn findings(&self, actor: &Actor) -> Result<Vec<Finding>, Error> {
        actor.needs(Scope::Read)?;
        let mut findings = judge(&self.store.reading().await?);
        findings.sort_by_key(|finding| finding.severity);
        Ok(findings)
    }
}
