//! What stands around every page.

use leptos::prelude::*;

use crate::Trouble;
use crate::view::FrameView;

/// A reaper passes every few seconds; silent for longer than this, something is wrong with it.
pub(super) const REAPER_SILENT_S: i64 = 60;

/// Who is signed in, how many wait, and whether the reaper lives.
pub async fn frame() -> Result<FrameView, Trouble> {
    use holdpoint::ledger::Actor;

    let here = super::Here::find()?;
    let theme = use_context::<crate::Theme>().unwrap_or_default();
    let queue = here.ledger.queue(&here.actor).await?;
    let role = match &here.actor {
        Actor::Person { role, .. } => Some(*role),
        _ => None,
    };
    Ok(FrameView {
        name: here.actor.name().to_owned(),
        role,
        theme,
        held: queue.held.count,
        held_more: queue.held.more,
        reaper_passed_at: queue.reaper_passed_at.map(Into::into),
        reaper_alive: super::build::reaper_alive(queue.reaper_passed_at, queue.now),
        everything_paused: queue.everything_paused,
        now: queue.now.into(),
        since: use_context::<crate::Since>().map(|since| since.0),
    })
}
