//! A preview in sentences, the same over the API and on the page.

use super::{Changed, Erases, Fate, Group, REPLAYED_DAYS, Replay, Shift, Would};
use crate::ledger::Count;
use crate::words::{HoldReason, Status};

impl Group {
    /// What changes, in one sentence.
    pub fn sentence(&self) -> String {
        let n = self.count;
        match self.change {
            Changed::Moves { from, before, after } => moves(n, from, before, after),
            Changed::GoesStale { before, after } => format!(
                "{n} in flight: {}, it will {} and not {}.",
                one(n, "should its claim go stale", "should a claim go stale"),
                will(after),
                will(before)
            ),
            Changed::IsClaimed { before, after } => format!(
                "{n} released: when {} claimed next, it will {} and not {}.",
                one(n, "it is", "one is"),
                will(after),
                will(before)
            ),
            Changed::Deadline { of, shift } => deadline(n, of, shift),
            Changed::Approvals { before, after } => {
                let people = one(after, "person", "people");
                format!("{n} held now: {after} {people} must agree to a retry, not {before}.")
            }
        }
    }
}

fn moves(n: u32, from: Fate, before: Option<Fate>, after: Fate) -> String {
    let which = match from {
        Fate::Is(Status::InFlight) => "in flight, gone stale,",
        Fate::Is(Status::Verifying) => "being verified",
        Fate::Is(Status::Released) => "released",
        _ => "held now",
    };
    let does = match (from, after) {
        (Fate::Held(_), Fate::Is(Status::Failed)) => one(
            n,
            "fails at once: its deadline is over",
            "fail at once: their deadline is over",
        )
        .to_owned(),
        (Fate::Is(Status::Verifying), Fate::Is(Status::Verifying)) => one(
            n,
            "has waited too long: its question counts as unanswered at once",
            "have waited too long: their questions count as unanswered at once",
        )
        .to_owned(),
        (_, Fate::Is(Status::Failed)) => {
            format!("{} at once, outcome unknown", one(n, "fails", "fail"))
        }
        (_, Fate::Is(Status::Released)) => {
            format!("{} released at once, to be run again", one(n, "is", "are"))
        }
        (_, Fate::Is(Status::Verifying)) => {
            format!("{} verified with the provider at once", one(n, "is", "are"))
        }
        (_, Fate::Held(reason)) => format!("{} held at once: {}", one(n, "is", "are"), why(reason)),
        (_, fate) => format!("{} {} at once", one(n, "becomes", "become"), fate.as_str()),
    };
    match before {
        Some(before) if before != after => format!(
            "{n} {which} {does}; as it is, {} would {}.",
            one(n, "it", "they"),
            will(before)
        ),
        _ => format!("{n} {which} {does}."),
    }
}

fn deadline(n: u32, of: Status, shift: Shift) -> String {
    match (of, shift) {
        (Status::Held, Shift::Set) => format!(
            "{n} held now {} by the policy if nobody decides in time; {} for ever so far.",
            one(n, "fails", "fail"),
            one(n, "it waits", "they wait")
        ),
        (Status::Held, Shift::Lifted) => format!(
            "{n} held now {} for ever: there is no deadline any more.",
            one(n, "waits", "wait")
        ),
        (Status::Held, shift) => format!(
            "{n} held now {} by the policy {} than so far.",
            one(n, "fails", "fail"),
            shift.as_str()
        ),
        (_, shift) => format!(
            "{n} released: what nobody claims is shown to a person {} than so far.",
            if shift == Shift::Sooner { "sooner" } else { "later" }
        ),
    }
}

impl Erases {
    /// What is lost, in one sentence; none where nothing is.
    pub fn sentence(&self) -> Option<String> {
        let some = |of: Count, single, several| {
            let more = if of.more { "more than " } else { "" };
            (of.count > 0).then(|| format!("{more}{}", some(of.count, single, several)))
        };
        let parts = [
            some(self.payloads, "payload", "payloads"),
            some(self.results, "result", "results"),
        ];
        let all: Vec<_> = parts.into_iter().flatten().collect();
        let lost = all.join(" and ");
        let are = one(self.payloads.count + self.results.count, "is", "are");
        (!all.is_empty()).then(|| format!("{lost} of what is over {are} erased by the next passes of the reaper; nothing brings that back."))
    }
}

impl Would {
    /// What would have become of them, as the end of a sentence that begins with how many.
    pub fn would(&self) -> String {
        match (self.before, self.after) {
            (before, after) if before == after && before.asks() => "held all the same".to_owned(),
            (before, after) if before == after => format!("{} all the same", been(after)),
            (Fate::Held(HoldReason::Unclaimed), Fate::Is(Status::Released)) => {
                "left waiting for a worker".to_owned()
            }
            (_, Fate::Is(Status::InFlight)) => "run without asking".to_owned(),
            (before, Fate::Held(reason)) if before.asks() => format!("held as well, {}", why(reason)),
            (_, after) => been(after),
        }
    }
}

impl Replay {
    /// What would have become of it all, in a few sentences.
    pub fn sentence(&self) -> String {
        let days = format!("in the last {REPLAYED_DAYS} days");
        let mut said = Vec::new();
        if self.stops == 0 {
            said.push(format!("Nothing was held and no claim went stale {days}."));
        }
        let newest = if self.more { "the newest " } else { "" };
        if self.holds > 0 {
            said.push(format!(
                "Of {newest}{} {days} {}.",
                some(self.holds, "hold", "holds"),
                self.parts(true)
            ));
        }
        let others = self.stops - self.holds;
        if others > 0 {
            said.push(format!(
                "Of {newest}{} {days} and {} not held {}.",
                some(others, "claim that went stale", "claims that went stale"),
                one(others, "was", "were"),
                self.parts(false)
            ));
        }
        if let Some(begun) = self.would_wait.filter(|begun| begun.count > 0) {
            let more = if begun.more { "more than " } else { "" };
            said.push(format!(
                "{} begun {days} would have waited for a person first: {more}{}.",
                one(begun.count, "The action", "Each action"),
                begun.count
            ));
        }
        said.join(" ")
    }

    /// What would have become of the holds, or of the others: the most first, what is told alike added up.
    fn parts(&self, holds: bool) -> String {
        let mut parts: Vec<(String, u32)> = Vec::new();
        for would in self.would.iter().filter(|would| would.before.asks() == holds) {
            let said = would.would();
            match parts.iter_mut().find(|part| part.0 == said) {
                Some(part) => part.1 += would.count,
                None => parts.push((said, would.count)),
            }
        }
        parts.sort_by_key(|(said, count)| (said.ends_with("all the same"), std::cmp::Reverse(*count)));
        let first = parts
            .first()
            .map(|(said, count)| format!("{count} would have been {said}"));
        let rest = parts
            .iter()
            .skip(1)
            .map(|(said, count)| format!("{count} {said}"));
        let all: Vec<_> = first.into_iter().chain(rest).collect();
        match all.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => String::new(),
        }
    }
}

/// After "it will".
fn will(fate: Fate) -> String {
    match fate {
        Fate::Is(Status::InFlight) => "be granted".to_owned(),
        Fate::Is(Status::Failed) => "fail, outcome unknown,".to_owned(),
        fate => format!("be {}", been(fate)),
    }
}

/// After "would have been".
fn been(fate: Fate) -> String {
    match fate {
        Fate::Is(Status::Released) => "run again".to_owned(),
        Fate::Is(Status::Verifying) => "verified with the provider".to_owned(),
        Fate::Is(Status::Failed) => "marked failed, outcome unknown".to_owned(),
        Fate::Is(Status::InFlight) => "run".to_owned(),
        Fate::Is(status) => status.as_str().replace('_', " "),
        Fate::Held(reason) => format!("held, {}", why(reason)),
        Fate::Rejected => "refused".to_owned(),
    }
}

/// Why it is held, after "held".
const fn why(reason: HoldReason) -> &'static str {
    match reason {
        HoldReason::OutcomeUnknown => "its outcome unknown",
        HoldReason::ApprovalRequired => "for a person to agree first",
        HoldReason::PayloadDrift => "its body being another",
        HoldReason::WindowExpired => "the provider's window being over",
        HoldReason::AttemptsExhausted => "its attempts used up",
        HoldReason::VerificationInconclusive => "no clear answer having come",
        HoldReason::Unclaimed => "nobody having claimed it",
    }
}

const fn one<'a>(n: u32, single: &'a str, several: &'a str) -> &'a str {
    if n == 1 { single } else { several }
}

fn some(n: u32, single: &str, several: &str) -> String {
    format!("{n} {}", one(n, single, several))
}
