//! Looking behind the mask: by a press of a button, and never without a trace.

use leptos::prelude::*;

use crate::Trouble;

/// Shows what is masked of an action to the one who asks, for a quarter of an hour.
#[server(prefix = "/_fn", endpoint = "reveal")]
pub async fn reveal(key: String, #[server(default)] reason: String) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let parsed = super::build::key(&key)?;
    let revealed = here.ledger.reveal(&here.actor, &parsed, Some(&reason)).await?;
    // The address names the trace and nothing that is masked: it is worth nothing to anybody else.
    let query = crate::address::Query::default().with("revealed", &revealed.event.to_string());
    crate::respond::send_to(&query.at(&crate::address::action(&key)));
    Ok(())
}
