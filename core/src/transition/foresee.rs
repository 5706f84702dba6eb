//! What the reaper will do with an action, and when, if nothing else is heard of it by then.

use super::{Context, wake};
use crate::action::Action;
use crate::time::Time;

/// How often the reaper may find that its time has not come: once, where the policy was changed since.
const LOOKS: usize = 3;

/// The reaper's next move.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreseen {
    /// When it looks at the action and moves it; now, where that is past.
    pub at: Time,
    /// The action as it leaves it.
    pub action: Action,
}

/// What the reaper will do with an action: it guesses nothing, but asks the same function at the reaper's own times.
/// `None` where no clock moves it.
pub fn foresee(action: &Action, cx: &Context<'_>) -> Option<Foreseen> {
    let mut seen = action.clone();
    for _ in 0..LOOKS {
        let at = seen.wake_at?.max(cx.now);
        let step = wake(&seen, &Context { now: at, ..*cx });
        if step.answer {
            return Some(Foreseen {
                at,
                action: step.action,
            });
        }
        seen = step.action;
    }
    None
}
