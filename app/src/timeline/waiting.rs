//! One lane for each way of waiting: for the provider's answer, for a person, for its turn.

use holdpoint::{HistoryEvent, Status, Time, Verdict};

use super::{Drawing, Lane, Shape, Span, lasting};
use crate::say::number;

/// More marks than these would run into each other; the history has all of them.
const MOST_MARKS: usize = 30;

impl Drawing<'_> {
    /// The times in which the provider was asked, with each question.
    pub(super) fn asked(&self) -> Option<Lane> {
        let waits = self.times(Status::Verifying);
        let total = total(&waits)?;
        let tries = &self.action.verification.asked;
        let mut spans = self.bars(Shape::Wait, &waits, "waits for the provider");
        let mut said = Vec::new();
        for asked in &tries[tries.len().saturating_sub(MOST_MARKS)..] {
            let answer = self.answer_to(asked.number, asked.asked_at);
            let heard = match (asked.verdict, asked.expired) {
                (Some(Verdict::Landed), _) => "it landed",
                (Some(Verdict::NotLanded), _) => "it did not land",
                (Some(Verdict::Unknown), _) => "no clear answer",
                (None, true) => "no answer in time",
                (None, false) => "not answered yet",
            };
            let words = format!("question {}: {heard}", asked.number);
            let until = answer.unwrap_or(self.now).min(self.scale.end);
            spans.push(self.span(Shape::Ask, asked.asked_at, until, words.clone()));
            if let Some(at) = answer {
                spans.push(self.mark(Shape::Mark, at, words.clone()));
            }
            said.push(words);
        }
        let asked = number(self.action.verification.tries, "question", "questions");
        let said = if said.is_empty() {
            String::new()
        } else {
            format!(". In order: {}", said.join("; "))
        };
        Some(Lane {
            name: "Provider".to_owned(),
            who: Some(asked.clone()),
            words: format!("Waited {total} for the provider, {asked}{said}"),
            spans,
        })
    }

    /// When a question was answered, or given up.
    fn answer_to(&self, number: u32, asked_at: Time) -> Option<Time> {
        let later = |n| self.action.verification.asked.iter().find(|t| t.number == n);
        let next = later(number + 1).map(|t| t.asked_at);
        let mut answers = self.history.iter().filter(|e| {
            // A question that was answered by a change of status is in the history by that change.
            let ends = matches!(e.event.as_str(), "verdict" | "verdict_noted" | "unanswered");
            ends && e.at >= asked_at && next.is_none_or(|next| e.at <= next)
        });
        answers.next().map(|e| e.at)
    }

    /// The times in which it waited for a person, with what people said.
    pub(super) fn held(&self) -> Option<Lane> {
        let waits = self.times(Status::Held);
        let total = total(&waits);
        let mut spans = self.bars(Shape::Hold, &waits, "waits for a person");
        let mut words = match &total {
            Some(total) => format!("Waited {total} for a person"),
            None => "A person's word".to_owned(),
        };
        let people = self
            .history
            .iter()
            .filter(|e| matches!(e.event.as_str(), "approved" | "decided" | "acknowledged"));
        let mut any = false;
        for e in people.take(MOST_MARKS) {
            let who = e.by.as_deref().unwrap_or("somebody");
            let said = match e.event.as_str() {
                "approved" => format!("{who} agreed"),
                "decided" => format!("{who} decided"),
                _ => format!("{who} looked at it"),
            };
            words = format!(
                "{words}; {said} {} after it began",
                lasting(self.scale.start, e.at)
            );
            spans.push(self.mark(Shape::Person, e.at, said));
            any = true;
        }
        let name = if total.is_some() { "Held" } else { "People" };
        (total.is_some() || any).then(|| Lane {
            name: name.to_owned(),
            who: total,
            words,
            spans,
        })
    }

    /// The times in which it might have been claimed, or was not due yet.
    pub(super) fn released(&self) -> Option<Lane> {
        let waits = self.times(Status::Released);
        let total = total(&waits)?;
        Some(Lane {
            name: "Released".to_owned(),
            words: format!("Waited {total} to be claimed again"),
            who: Some(total),
            spans: self.bars(Shape::Wait, &waits, "waits to be claimed"),
        })
    }

    fn bars(&self, shape: Shape, waits: &[(Time, Time)], words: &str) -> Vec<Span> {
        let bar = |(from, to): &(Time, Time)| {
            let words = format!("{words}: {}", lasting(*from, *to));
            self.span(shape, *from, *to, words)
        };
        waits.iter().map(bar).collect()
    }

    /// From when to when it stood in a status.
    fn times(&self, status: Status) -> Vec<(Time, Time)> {
        let mut times = Vec::new();
        let mut since = None;
        let moves = self
            .history
            .iter()
            .filter_map(|e: &HistoryEvent| Some((e.at, e.to?)));
        for (at, to) in moves {
            match since {
                None if to == status => since = Some(at),
                Some(from) if to != status => {
                    times.push((from, at));
                    since = None;
                }
                _ => {}
            }
        }
        if let Some(from) = since {
            times.push((from, self.now.min(self.scale.end)));
        }
        times
    }
}

/// How long all of them were, where there is one.
fn total(waits: &[(Time, Time)]) -> Option<String> {
    waits.first()?;
    let seconds: i64 = waits.iter().map(|(from, to)| to.seconds_since(*from)).sum();
    Some(holdpoint::policy::duration(
        seconds.clamp(0, i64::from(u32::MAX)) as u32
    ))
}
