//! What webhooks are told, and when: which transition is worth a word, and what is gathered into one message. Pure:
//! no I/O and no clock.

use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::intent::Key;
use crate::time::Time;
use crate::words::{Event, HoldReason, SettledBy, Status};

/// What follows the first word of a cause within this time stands in one message, in seconds.
pub const GATHER_S: i64 = 60;
/// How often a message is sent while the same goes on, in seconds.
pub const DIGEST_S: i64 = 600;
/// A cause that stays as it is without anything new is forgotten after this time, in seconds.
const FORGET_S: i64 = 86_400;
/// After each try that failed, how long until the next one, in seconds: about a day in all.
const RETRY_AFTER_S: [i64; 9] = [5, 30, 120, 600, 3_600, 10_800, 21_600, 21_600, 28_800];
/// A webhook that nothing came through to for so long is disabled, in seconds.
pub const DISABLE_AFTER_S: i64 = 3 * 86_400;
/// How many keys stand in a message.
pub const KEYS: usize = 20;

/// A message to a webhook. It holds nothing that a policy could mask: no payload, result, target, error or summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// What it says.
    pub says: Says,
    /// The kind; `None` is everything.
    pub kind: Option<String>,
    /// The cause that its actions share.
    pub reason: Option<String>,
    /// How many actions it speaks of.
    pub count: u64,
    /// When the first of them came to it.
    pub first_at: Time,
    /// When the last of them did.
    pub last_at: Time,
    /// The first of them.
    pub oldest: Option<Oldest>,
    /// Up to [`KEYS`] of them, the first ones.
    pub keys: Vec<Key>,
}

/// The first action that a message speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Oldest {
    /// Its key.
    pub key: Key,
    /// Its run.
    pub run_id: Option<String>,
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// It happened to these actions.
    Happened(Event),
    /// Of those that were told, only so many are left.
    Recovered(Event, u64),
    /// Somebody tries the webhook.
    Test,
}

/// What a transition is worth telling, with its cause. The cause holds no ids and no times: it is what messages are
/// gathered by.
pub fn of(before: Option<&Action>, after: &Action) -> Vec<(Event, Option<&'static str>)> {
    let mut told = Vec::new();
    let was = |status| before.is_some_and(|action| action.status == status);
    // A hold that follows another one is a new one: it began anew.
    let same_hold =
        was(Status::Held) && before.is_some_and(|b| (b.reason, b.held_at) == (after.reason, after.held_at));
    match (after.status, after.reason) {
        (Status::Held, Some(reason)) if !same_hold => {
            let event = if reason == HoldReason::Unclaimed {
                Event::Unclaimed
            } else {
                Event::Held
            };
            told.push((event, Some(reason.as_str())));
        }
        // Who said so need not be told.
        (Status::Failed, _) if !was(Status::Failed) && after.settled_by != Some(SettledBy::Person) => {
            told.push((Event::Failed, after.settled_by.map(SettledBy::as_str)));
        }
        _ => {}
    }
    let flags = [
        (
            Event::SuspectedDuplicate,
            before.is_some_and(|b| b.suspected_duplicate),
            after.suspected_duplicate,
        ),
        (
            Event::SuspectedNoSend,
            before.is_some_and(|b| b.suspected_no_send),
            after.suspected_no_send,
        ),
    ];
    told.extend(
        flags
            .iter()
            .filter(|(_, was, is)| *is && !was)
            .map(|(event, ..)| (*event, None)),
    );
    told
}

/// A cause that a webhook was told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outbreak {
    /// How many actions it was told of in all.
    pub told: u64,
    /// When the last of them came.
    pub last_at: Time,
    /// When it is looked at next.
    pub next_at: Time,
}

/// What is done about a cause now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Tell what waits, and look again then.
    Tell(Time),
    /// Say that it is over, and forget it.
    Recovered,
    /// Look again then.
    Wait(Time),
    /// Forget it.
    Forget,
}

/// What is done about a cause: `waiting` notices are not told yet, the message before may be `undelivered`, and so
/// many actions are `left` in that state, where that can be counted.
///
/// One alone is told at once; what follows is gathered. While a message does not come through no other is made of the
/// same cause, so that a receiver which was down is not flooded when it is back.
pub fn next(known: Option<&Outbreak>, waiting: u64, undelivered: bool, left: Option<u64>, now: Time) -> Next {
    let Some(known) = known else {
        return match waiting {
            0 => Next::Forget,
            _ if undelivered => Next::Wait(now + GATHER_S),
            _ => Next::Tell(now + GATHER_S),
        };
    };
    let quiet_s = now.seconds_since(known.last_at);
    match (waiting, left) {
        _ if known.next_at > now => Next::Wait(known.next_at),
        _ if undelivered => Next::Wait(now + GATHER_S),
        (1.., _) => Next::Tell(now + DIGEST_S),
        // One alone is no outbreak, and its end needs no word.
        _ if known.told <= 1 && quiet_s >= DIGEST_S => Next::Forget,
        _ if known.told <= 1 => Next::Wait(known.last_at + DIGEST_S),
        (0, Some(left)) if left.saturating_mul(10) <= known.told => Next::Recovered,
        _ if quiet_s >= FORGET_S => Next::Forget,
        _ => Next::Wait(now + DIGEST_S),
    }
}

/// When a message whose try of this number failed is tried again; `None`: it is given up.
pub fn retry_at(tries: u32, now: Time) -> Option<Time> {
    let wait = RETRY_AFTER_S.get(tries.saturating_sub(1) as usize)?;
    Some(now + *wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Time = Time::from_micros(1_800_000_000_000_000);

    fn known(told: u64, last_at: Time, next_at: Time) -> Outbreak {
        Outbreak {
            told,
            last_at,
            next_at,
        }
    }

    #[test]
    fn one_alone_is_told_at_once_and_what_follows_is_gathered() {
        assert_eq!(next(None, 1, false, None, T), Next::Tell(T + GATHER_S));
        let first = known(1, T, T + GATHER_S);
        assert_eq!(next(Some(&first), 40, false, None, T + 59), Next::Wait(T + 60));
        assert_eq!(
            next(Some(&first), 40, false, None, T + 60),
            Next::Tell(T + 60 + DIGEST_S)
        );
    }

    #[test]
    fn while_a_message_does_not_come_through_no_other_is_made_of_its_cause() {
        let one = known(1, T, T + GATHER_S);
        for known in [None, Some(&one)] {
            assert_eq!(next(known, 3, true, None, T + 60), Next::Wait(T + 120));
        }
    }

    #[test]
    fn what_drained_is_told_once_and_one_alone_is_forgotten_in_silence() {
        let many = known(500, T, T + DIGEST_S);
        let then = T + DIGEST_S;
        assert_eq!(
            next(Some(&many), 0, false, Some(500), then),
            Next::Wait(then + DIGEST_S)
        );
        assert_eq!(
            next(Some(&many), 0, false, Some(51), then),
            Next::Wait(then + DIGEST_S)
        );
        assert_eq!(next(Some(&many), 0, false, Some(50), then), Next::Recovered);
        assert_eq!(
            next(Some(&many), 1, false, Some(0), then),
            Next::Tell(then + DIGEST_S)
        );
        assert_eq!(next(Some(&many), 0, false, Some(500), T + FORGET_S), Next::Forget);
        let one = known(1, T, T + GATHER_S);
        assert_eq!(next(Some(&one), 0, false, None, T + 60), Next::Wait(T + DIGEST_S));
        assert_eq!(next(Some(&one), 0, false, None, then), Next::Forget);
    }

    #[test]
    fn retries_go_on_for_about_a_day() {
        let mut waits = Vec::new();
        while let Some(at) = retry_at(waits.len() as u32 + 1, T) {
            waits.push(at.seconds_since(T));
        }
        assert_eq!(waits[..3], [5, 30, 120]);
        assert!(waits.is_sorted() && (86_400..2 * 86_400).contains(&waits.iter().sum::<i64>()));
    }
}
