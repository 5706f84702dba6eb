//! What becomes of open actions: the transition function is asked twice, under the policy of now and the other.

use std::collections::BTreeMap;

use super::{Changed, EXAMPLES, Fate, Group, MOST, OpenPreview, Shift};
use crate::action::Action;
use crate::intent::{Intent, Key, Payload};
use crate::policy::Policy;
use crate::store::Seen;
use crate::time::Time;
use crate::transition::{self, Claim, Context};
use crate::words::Status;

/// The policy of now and the other, at one moment.
struct Two<'a> {
    now: Time,
    before: &'a Policy,
    after: &'a Policy,
    everything_paused: bool,
}

pub(super) fn preview(seen: &Seen, after: &Policy) -> OpenPreview {
    let two = Two {
        now: seen.now,
        before: &seen.policy,
        after,
        everything_paused: seen.everything_paused,
    };
    let mut groups: BTreeMap<Changed, (u32, Vec<Key>)> = BTreeMap::new();
    let looked_at = &seen.open[..seen.open.len().min(MOST)];
    for action in looked_at {
        for change in two.changes(action) {
            let (count, examples) = groups.entry(change).or_default();
            *count += 1;
            if examples.len() < EXAMPLES {
                examples.push(action.key.clone());
            }
        }
    }
    let mut groups: Vec<_> = groups
        .into_iter()
        .map(|(change, (count, examples))| Group {
            change,
            count,
            examples,
        })
        .collect();
    groups.sort_by_key(|group| !group.change.is_grave());
    OpenPreview {
        count: looked_at.len() as u32,
        more: seen.open.len() > MOST,
        groups,
    }
}

impl Two<'_> {
    /// What changes for one action: what moves at once has no more to tell.
    fn changes(&self, action: &Action) -> Vec<Changed> {
        let before = transition::wake(action, &self.context(self.before, self.now));
        let after = transition::wake(action, &self.context(self.after, self.now));
        if after.answer {
            let moves = Changed::Moves {
                from: Fate::of(action),
                before: before.answer.then(|| Fate::of(&before.action)),
                after: Fate::of(&after.action),
            };
            return vec![moves];
        }
        let deadline = || {
            let shift = shift(before.action.wake_at, after.action.wake_at)?;
            Some(Changed::Deadline {
                of: action.status,
                shift,
            })
        };
        let found = match action.status {
            Status::InFlight => [self.goes_stale(action), None],
            Status::Released => [self.is_claimed(action), deadline()],
            // A policy that ends the hold this moment, and another that does not: the moment itself is later.
            Status::Held => [self.approvals(action), deadline()],
            Status::Verifying | Status::Succeeded | Status::Failed => [None, None],
        };
        found.into_iter().flatten().collect()
    }

    fn goes_stale(&self, action: &Action) -> Option<Changed> {
        let at = action.stale_at?.max(self.now);
        let fate = |policy| Fate::of(&transition::wake(action, &self.context(policy, at)).action);
        let (before, after) = (fate(self.before), fate(self.after));
        (before != after).then_some(Changed::GoesStale { before, after })
    }

    fn is_claimed(&self, action: &Action) -> Option<Changed> {
        let at = action.due_at?.max(self.now);
        let intent = intent(action)?;
        let fate = |policy: &Policy| {
            // What is paused is claimed once it is resumed.
            let resumed = Policy {
                paused: false,
                ..policy.clone()
            };
            let cx = Context {
                everything_paused: false,
                ..self.context(&resumed, at)
            };
            Fate::of(&transition::claim(action, &intent, &Claim::default(), &cx).action)
        };
        let (before, after) = (fate(self.before), fate(self.after));
        (before != after).then_some(Changed::IsClaimed { before, after })
    }

    /// What was needed when the hold began, or is needed now, whichever is stricter.
    fn approvals(&self, action: &Action) -> Option<Changed> {
        let needed = |policy: &Policy| action.approvals_needed.max(policy.approvals_needed);
        let (before, after) = (needed(self.before), needed(self.after));
        (before != after).then_some(Changed::Approvals { before, after })
    }

    const fn context<'a>(&self, policy: &'a Policy, now: Time) -> Context<'a> {
        Context {
            now,
            policy,
            everything_paused: self.everything_paused,
            jitter: 0.5,
        }
    }
}

fn shift(before: Option<Time>, after: Option<Time>) -> Option<Shift> {
    match (before, after) {
        (None, Some(_)) => Some(Shift::Set),
        (Some(_), None) => Some(Shift::Lifted),
        (Some(before), Some(after)) if after < before => Some(Shift::Sooner),
        (Some(before), Some(after)) if after > before => Some(Shift::Later),
        _ => None,
    }
}

/// The intent that an action was made of, by its stored parts. They were an intent's, so that they are one again.
pub(super) fn intent(action: &Action) -> Option<Intent> {
    let payload = Payload::hash(action.payload_hash.clone());
    Intent::new(&action.run_id, action.step, &action.kind, &action.target, payload).ok()
}
