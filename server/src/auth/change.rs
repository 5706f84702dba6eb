//! Changing the own password: the present one is looked at as at the door, all sessions end, this one begins anew.

use std::net::IpAddr;

use holdpoint::{Actor, ledger};
use tower_sessions::Session;

use super::desk::Checked;
use super::password::{Unfit, fits_person};
use super::{sessions, strangers};
use crate::problem::Problem;
use crate::state::AppState;

/// What it came to.
#[derive(Debug)]
pub enum Changed {
    /// It is changed.
    Done,
    /// The new one is not taken.
    Unfit(Unfit),
    /// The present one is not that.
    Wrong,
    /// Too many failed before: for so many seconds nothing is looked at.
    Wait(i64),
    /// Too many passwords are looked at already.
    Full,
    /// The account was changed meanwhile.
    Meanwhile,
}

/// Changes the password of the person in this browser's session.
///
/// # Errors
/// [`Problem`] for a token, and where the database can't be asked.
pub async fn change(
    state: &AppState,
    session: &Session,
    actor: &Actor,
    from: Option<IpAddr>,
    present: String,
    new: String,
) -> Result<Changed, Problem> {
    // Before anything is looked at: with a token nobody learns here whether a password is right.
    let Actor::Person { name, via, .. } = actor else {
        return Err(ledger::Error::NeedsBrowser.into());
    };
    if via.session.is_none() {
        return Err(ledger::Error::NeedsBrowser.into());
    }
    if let Err(unfit) = fits_person(name, &new) {
        return Ok(Changed::Unfit(unfit));
    }
    if new == present {
        return Ok(Changed::Unfit(Unfit::Same));
    }
    let operator = match state.desk.check(&state.ledger, name, from, present).await? {
        Checked::Right(operator) => operator,
        Checked::Wrong => {
            strangers::sign_in_failed(&state.ledger, name, from).await;
            return Ok(Changed::Wrong);
        }
        Checked::Wait(seconds) => return Ok(Changed::Wait(seconds)),
        Checked::Full => return Ok(Changed::Full),
    };
    let Some(place) = state.desk.checker.place() else {
        return Ok(Changed::Full);
    };
    let hash = place
        .hash(new)
        .await
        .map_err(|died| Problem::internal(format!("a password could not be hashed: {died}")))?;
    let changed = state
        .ledger
        .change_own_password(actor, operator.epoch, &hash)
        .await;
    match changed {
        Ok(epoch) => {
            sessions::begin(session, name, epoch).await?;
            tracing::info!(operator = name, "changed their password");
            Ok(Changed::Done)
        }
        Err(ledger::Error::NotFound { .. }) => Ok(Changed::Meanwhile),
        Err(error) => Err(error.into()),
    }
}
