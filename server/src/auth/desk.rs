//! Where passwords are looked at: whoever fails too often waits, before anything is worked out.

use std::net::IpAddr;

use holdpoint::Ledger;
use holdpoint::ledger::Operator;

use super::password::Checker;
use crate::problem::Problem;

/// Where passwords are looked at, shared by all requests.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    /// Works passwords out.
    pub checker: Checker,
}

/// What a try came to.
#[derive(Debug)]
pub enum Checked {
    /// It is this person.
    Right(Box<Operator>),
    /// It is not; why is nobody's to learn.
    Wrong,
    /// Too many failed before: for so many seconds nothing is looked at.
    Wait(i64),
    /// Too many are looked at already: nothing was counted.
    Full,
}

impl Desk {
    /// Looks at a name and a password.
    ///
    /// The try counts as failed before it is made, so that many at once count as many. The same work is done whoever
    /// it is and whatever is wrong with it.
    ///
    /// # Errors
    /// [`Problem`] where the database can't be asked.
    pub async fn check(
        &self,
        ledger: &Ledger,
        name: &str,
        from: Option<IpAddr>,
        password: String,
    ) -> Result<Checked, Problem> {
        let Some(place) = self.checker.place() else {
            return Ok(Checked::Full);
        };
        let attempt = match ledger.begin_sign_in(name, from).await? {
            Ok(attempt) => attempt,
            Err(wait) => {
                tracing::info!(
                    from = from.map(tracing::field::display),
                    "a sign-in was refused: too many failed"
                );
                return Ok(Checked::Wait(wait));
            }
        };
        let operator = ledger.operator_for_sign_in(name).await?;
        let hash = operator.as_ref().map(|o| o.password_hash.as_str());
        let right = match place.matches(password, hash).await {
            Ok(right) => right,
            Err(died) => {
                ledger.sign_in_was_none(attempt).await?;
                return Err(Problem::internal(format!(
                    "a password could not be worked out: {died}"
                )));
            }
        };
        let Some(operator) = operator.filter(|o| right && !o.disabled) else {
            tracing::info!(from = from.map(tracing::field::display), "a sign-in failed");
            return Ok(Checked::Wrong);
        };
        ledger.sign_in_was_right(attempt).await?;
        Ok(Checked::Right(Box::new(operator)))
    }
}
