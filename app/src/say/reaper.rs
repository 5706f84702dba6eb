//! What the clock does with an action: how much of its time is used, and what the reaper does then.

use holdpoint::ledger::WatchedAction;
use holdpoint::policy::duration;
use holdpoint::{HoldReason, Status, Time};

use super::words::reason_mark;
use super::{number, status_mark};
use crate::view::{Bar, Hue, Icon, Mark, Said, Tell, at, name, text};

/// How far an action is: in words, and as a share of its time.
pub fn clock(watched: &WatchedAction, now: Time) -> (Said, Bar) {
    let (a, policy) = (&watched.action, &watched.policy);
    match a.status {
        Status::InFlight => {
            let end = a.stale_at.unwrap_or(now);
            let begun = a.attempted_at().unwrap_or(a.created_at);
            // A heartbeat leaves nothing but the new end: it began so long before that, by the policy of now.
            let heard = (end - i64::from(policy.stale_after_s)).max(begun);
            (
                in_flight(a, heard, begun, end, now),
                bar(heard, end, now, Hue::Run),
            )
        }
        Status::Verifying => {
            let end = watched.foreseen.as_ref().map_or(now, |then| then.at);
            let from = a.verification.open().map(|asked| asked.asked_at).or(a.due_at);
            (
                verifying(watched, now),
                bar(from.unwrap_or(now), end, now, Hue::Run),
            )
        }
        _ => {
            let due = a.due_at.unwrap_or(now);
            let end = watched.foreseen.as_ref().map(|then| then.at);
            let said = if due > now {
                vec![text("May be claimed "), at(due, Tell::Until)]
            } else {
                vec![text("Due "), at(due, Tell::Ago), text(", and no worker came yet")]
            };
            let bar = bar(due, end.unwrap_or(due), now, Hue::Plain);
            // A clock that stands uses nothing up.
            let used = if end.is_some() { bar.used } else { 0 };
            (
                said,
                Bar {
                    used,
                    over: end.is_some() && bar.over,
                    ..bar
                },
            )
        }
    }
}

fn in_flight(a: &holdpoint::Action, heard: Time, begun: Time, end: Time, now: Time) -> Said {
    let who = || a.worker().map_or_else(|| text("its worker"), name);
    if end <= now {
        return vec![
            text("Nothing heard from "),
            who(),
            text("; its time ended "),
            at(end, Tell::Ago),
        ];
    }
    if heard > begun {
        return vec![text("Heard of "), at(heard, Tell::Ago), text(", from "), who()];
    }
    vec![text("Claimed "), at(begun, Tell::Ago), text(" by "), who()]
}

fn verifying(watched: &WatchedAction, now: Time) -> Said {
    let (a, policy) = (&watched.action, &watched.policy);
    let v = &a.verification;
    let most = policy.verify_max_tries;
    let coming = format!("Try {} of {most}", v.tries + 1);
    let mut said = match (v.open(), a.due_at) {
        (Some(asked), _) => vec![
            text(format!("Try {} of {most}, asked ", v.tries)),
            at(asked.asked_at, Tell::Ago),
        ],
        (None, Some(due)) if due > now => vec![text(format!("{coming} ")), at(due, Tell::Until)],
        _ => vec![text(format!("{coming} may be asked now"))],
    };
    if v.in_a_row > 0 {
        said.push(text(format!(
            "; {} of {} answers in a row say that it did not land",
            v.in_a_row, policy.verify_confirmations
        )));
    }
    said
}

/// A share of a time, in whole hundredths.
fn bar(from: Time, end: Time, now: Time, hue: Hue) -> Bar {
    let over = end <= now;
    let whole = (end.micros() - from.micros()).max(1);
    let gone = (now.micros() - from.micros()).clamp(0, whole);
    // 100 is said of what is over, and of nothing else.
    let used = u8::try_from(i128::from(gone) * 100 / i128::from(whole)).unwrap_or(100);
    let used = if over { 100 } else { used.min(99) };
    let hue = match used {
        _ if over => Hue::Bad,
        75.. if hue != Hue::Plain => Hue::Hold,
        _ => hue,
    };
    Bar { used, hue, over }
}

/// What the reaper does with an action if nothing else is heard of it, and when: told by the transition function.
pub fn reaper_next(watched: &WatchedAction, everything_paused: bool, now: Time) -> (Mark, Said) {
    let Some(then) = &watched.foreseen else {
        let why = if everything_paused || watched.policy.paused {
            "Claims are paused: its clock stands."
        } else {
            "No clock moves it."
        };
        return (Mark::new(Hue::Plain, Icon::Info, "Nothing"), vec![text(why)]);
    };
    let a = &then.action;
    let asked = || Mark::new(Hue::Hold, Icon::Held, "A person is asked");
    let (mark, why) = match (a.status, a.reason) {
        (Status::Held, Some(HoldReason::Unclaimed)) => {
            let within = duration(watched.policy.claim_within_s);
            (asked(), Some(format!("nobody claimed it for {within}")))
        }
        (Status::Held, reason) => (asked(), reason.map(|reason| lowered(&reason_mark(reason).word))),
        (Status::Verifying, _) if watched.action.status == Status::Verifying => (
            Mark::new(Hue::Run, Icon::Verifying, "Taken for no answer"),
            Some("the provider is asked anew".to_owned()),
        ),
        (Status::Verifying, _) => (
            Mark::new(Hue::Run, Icon::Verifying, "The provider is asked"),
            None,
        ),
        (Status::Released, _) => (
            Mark::new(Hue::Plain, Icon::Released, "May be claimed again"),
            Some("under the same key at the provider".to_owned()),
        ),
        (Status::Failed, _) => (
            Mark::new(Hue::Bad, Icon::Failed, "Fails"),
            Some("its outcome unknown, by its policy".to_owned()),
        ),
        (status, _) => (status_mark(status), None),
    };
    let mut said = vec![if then.at <= now {
        text("at its next pass")
    } else {
        at(then.at, Tell::Until)
    }];
    said.extend(why.map(|why| text(format!(": {why}"))));
    (mark, said)
}

fn lowered(words: &str) -> String {
    let mut signs = words.chars();
    signs
        .next()
        .map(|first| first.to_lowercase().chain(signs).collect())
        .unwrap_or_default()
}

/// What a pass did, in a sentence.
pub fn reaped(count: &impl Fn(&str) -> u32) -> String {
    let moved = count("looked_at");
    let parts = [
        ("released", "released"),
        ("verifying", "now asked about"),
        ("held", "put before a person"),
        ("failed", "failed by policy"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(member, _)| count(member) > 0)
        .map(|(member, words)| format!("{} {words}", count(member)))
        .collect();
    let said = match moved {
        0 => "Nothing was due: no action was moved.".to_owned(),
        n => format!(
            "It moved {}: {}.",
            number(n, "action", "actions"),
            parts.join(", ")
        ),
    };
    match count("erased") {
        0 => said,
        n => format!(
            "{said} Retention erased {}.",
            number(n, "payload or result", "payloads and results")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_over_is_told_as_whole() {
        let t = |s: i64| Time::from_micros(s * 1_000_000);
        for (from, end, now, used, over, hue) in [
            (0, 100, 0, 0, false, Hue::Run),
            (0, 100, 74, 74, false, Hue::Run),
            (0, 100, 75, 75, false, Hue::Hold),
            (0, 1_000, 999, 99, false, Hue::Hold),
            (0, 100, 100, 100, true, Hue::Bad),
            (0, 100, 5_000, 100, true, Hue::Bad),
            // What has not begun has used nothing.
            (50, 100, 0, 0, false, Hue::Run),
            (100, 100, 100, 100, true, Hue::Bad),
        ] {
            assert_eq!(bar(t(from), t(end), t(now), Hue::Run), Bar { used, hue, over });
        }
        assert_eq!(bar(t(0), t(100), t(80), Hue::Plain).hue, Hue::Plain);
    }

    #[test]
    fn a_pass_says_what_it_did_and_that_it_did_nothing() {
        assert_eq!(reaped(&|_| 0), "Nothing was due: no action was moved.");
        let some = |name: &str| match name {
            "looked_at" => 3,
            "held" => 2,
            "released" | "erased" => 1,
            _ => 0,
        };
        assert_eq!(
            reaped(&some),
            "It moved 3 actions: 1 released, 2 put before a person. Retention erased 1 payload or result."
        );
    }
}
