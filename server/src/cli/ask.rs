//! Asking for a new password: twice on a terminal, once out of a pipe.

use std::io::{self, IsTerminal as _, Read as _};

use super::Failure;
use crate::auth::password;

/// A new password's hash.
pub async fn for_hash(from_stdin: bool) -> Result<String, Failure> {
    let password = tokio::task::spawn_blocking(move || if from_stdin { piped() } else { typed() }).await??;
    password::fits(&password)?;
    Ok(password::hash(password).await?)
}

/// The first line of standard input.
fn piped() -> Result<String, Failure> {
    let mut text = String::new();
    // One byte more than fits: what is cut off here is too long in any case.
    let limit = password::MAX_BYTES as u64 + 3;
    io::stdin()
        .take(limit)
        .read_to_string(&mut text)
        .map_err(|error| format!("the password can't be read: {error}"))?;
    let line = text.split('\n').next().unwrap_or_default();
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

fn typed() -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err("there is no terminal to ask for the password on: use --password-stdin".into());
    }
    let first = rpassword::prompt_password("Password: ")?;
    password::fits(&first)?;
    let second = rpassword::prompt_password("The same again: ")?;
    if first == second {
        Ok(first)
    } else {
        Err("the two are not the same: nothing was changed, try again".into())
    }
}
