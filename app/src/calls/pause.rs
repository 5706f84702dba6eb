//! Pausing and resuming, a kind or everything.

use holdpoint::ledger::Error;
use leptos::prelude::*;

use crate::Trouble;
use crate::address::{Query, policy};
use crate::view::{Hue, NoticeView, SwitchView, text};

/// Stops the claims of a kind, or of everything where it names none, or lets them go on.
#[server(prefix = "/_fn", endpoint = "pause")]
pub async fn pause(
    #[server(default)] kind: String,
    paused: bool,
    #[server(default)] reason: String,
) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let named = Some(kind.as_str()).filter(|kind| !kind.is_empty());
    let turned = if paused {
        here.ledger.pause(&here.actor, named, &reason).await
    } else {
        here.ledger.resume(&here.actor, named, &reason).await
    };
    let query = Query::default();
    let query = match turned {
        Ok(_) => query.with("done", if paused { "paused" } else { "resumed" }),
        Err(Error::Invalid { .. }) => query.with("problem", "pause_reason"),
        Err(Error::Forbidden { .. }) => query.with("problem", "pause_forbidden"),
        Err(error @ (Error::Contended | Error::Store(_))) => {
            tracing::warn!(%error, kind, paused, "a pause could not be written");
            query.with("problem", "pause_unavailable")
        }
        Err(error) => return Err(error.into()),
    };
    let page = named.map_or_else(|| "/policies".to_owned(), policy);
    crate::respond::send_to(&query.at(&page));
    Ok(())
}

/// What the last press of that button came to, as long as the switch bears it out.
pub(super) fn notice(query: &Query, switch: &SwitchView) -> Option<NoticeView> {
    let what = switch.kind.as_deref().unwrap_or("everything");
    let (hue, said, more) = match (query.get("done"), query.get("problem")) {
        (Some("paused"), _) if switch.paused => (
            Hue::Ok,
            format!("Paused: {what}."),
            "No claim is granted until somebody resumes it.",
        ),
        (Some("resumed"), _) if !switch.paused => {
            (Hue::Ok, format!("Resumed: {what}."), "Claims are granted again.")
        }
        (_, Some("pause_reason")) => (
            Hue::Bad,
            "Nothing was changed: say why.".to_owned(),
            "A few words will do, 2,000 characters at most.",
        ),
        (_, Some("pause_forbidden")) => (
            Hue::Bad,
            "Nothing was changed.".to_owned(),
            "Only an operator or an admin may pause.",
        ),
        (_, Some("pause_unavailable")) => (
            Hue::Bad,
            "Nothing was changed: the database did not answer.".to_owned(),
            "Try it again.",
        ),
        _ => return None,
    };
    Some(NoticeView::new(hue, said, vec![text(more)]))
}
