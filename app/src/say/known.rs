//! What is known of an action, in a sentence before any data.

use holdpoint::policy::duration;
use holdpoint::{HistoryEvent, HoldReason, Outcome, Recovery, SettledBy, Status};

use super::{Case, number};
use crate::view::{Hue, Piece, Said, Tell, at, name, quote, strong, text};

/// What is known, and how the sentence is tinted.
pub fn known(case: &Case<'_>) -> (Hue, Said) {
    match case.action.status {
        Status::Held => (Hue::Hold, case.held()),
        Status::InFlight => (Hue::Run, case.in_flight()),
        Status::Verifying => (Hue::Run, case.verifying()),
        Status::Released => (Hue::Plain, case.released()),
        Status::Succeeded if case.action.suspected_duplicate || case.action.suspected_no_send => {
            (Hue::Bad, case.succeeded())
        }
        Status::Succeeded => (Hue::Ok, case.succeeded()),
        Status::Failed => (Hue::Bad, case.failed()),
    }
}

impl Case<'_> {
    fn held(&self) -> Said {
        let (a, s) = (self.action, self.subject);
        let again = text(match a.attempts.len() {
            0 | 1 => format!(" Nothing has been {} again.", s.run()),
            n => format!(" It has been tried {n} times."),
        });
        match a.reason.unwrap_or(HoldReason::OutcomeUnknown) {
            HoldReason::OutcomeUnknown => {
                let mut said = vec![strong(format!(
                    "Nobody can tell whether {} {}.",
                    s.this(),
                    s.happened()
                ))];
                said.extend(self.last_attempt());
                said.push(again);
                said
            }
            HoldReason::ApprovalRequired => vec![
                strong(format!("Nothing has been {} yet.", s.run())),
                text(" This kind wants a person's word before its first attempt."),
            ],
            HoldReason::PayloadDrift => vec![
                strong(format!("Nothing has been {} with this body.", s.run())),
                text(" The run presented the same step before with another one; what differs stands below."),
            ],
            HoldReason::WindowExpired => {
                let window = duration(self.policy.provider_window_s);
                let mut said = vec![strong(
                    "It may have happened, and the provider may have forgotten our key.",
                )];
                if let Some(first) = a.attempts.first() {
                    said.extend([
                        text(" It was first tried at "),
                        at(first.claimed_at, Tell::Clock),
                        text(format!(
                            " and the provider remembers a key for {window}: a repeat could do it twice."
                        )),
                    ]);
                }
                said
            }
            HoldReason::AttemptsExhausted => {
                let unknown = a.unresolved().count() as u32;
                vec![
                    strong("It may have happened, and the attempts are used up."),
                    text(format!(
                        " Of {} the outcome of {unknown} is not known. Only a person may go beyond.",
                        number(a.attempt(), "attempt", "attempts")
                    )),
                ]
            }
            HoldReason::VerificationInconclusive => vec![
                strong(format!("Nobody can tell whether {} {}.", s.this(), s.happened())),
                text(format!(
                    " The provider was asked {} and gave no clear answer.",
                    number(a.verification.tries, "time", "times")
                )),
                again,
            ],
            HoldReason::Unclaimed => vec![
                strong("No worker came for it."),
                text(" It was released and could have been claimed again; nobody did in time."),
                text(if a.may_have_applied() {
                    " An earlier attempt may have happened."
                } else {
                    " It has not happened."
                }),
            ],
        }
    }

    /// Who had the last attempt of which nobody knows, and what they said.
    fn last_attempt(&self) -> Said {
        let a = self.action;
        let Some(newest) = a.newest() else {
            return Vec::new();
        };
        let last = a.unresolved().last().unwrap_or(newest);
        let who = last.worker.clone().unwrap_or_else(|| "A worker".to_owned());
        let mut said = vec![
            text(" "),
            name(who),
            text(" took it at "),
            at(last.claimed_at, Tell::Clock),
        ];
        // What is kept of an error is the newest attempt's.
        let error = a.error.as_ref().filter(|_| last.number == newest.number);
        match (self.ended(last.number), error) {
            (Some(stale), _) if stale.event == "went_stale" => said.extend([
                text(" and said nothing more until its claim went stale at "),
                at(stale.at, Tell::Clock),
                text("."),
            ]),
            (_, Some(error)) => said.extend([text(" and reported: "), quote(error), text(".")]),
            (Some(_), None) => said.push(text(" and could not tell how it ended.")),
            (None, None) => said.push(text(".")),
        }
        match newest.number - last.number {
            0 => {}
            1 => said.push(text(" The attempt after it surely did nothing.")),
            n => said.push(text(format!(" The {n} attempts after it surely did nothing."))),
        }
        if last.under == Recovery::Unverifiable {
            said.push(text(" This kind's provider can't be asked."));
        }
        said
    }

    /// The event that ended attempt j.
    pub(super) fn ended(&self, j: u32) -> Option<&HistoryEvent> {
        let ends = ["went_stale", "attempt_failed", "failed_permanently", "succeeded"];
        self.history
            .iter()
            .find(|e| e.attempt == Some(j) && ends.contains(&e.event.as_str()))
    }

    fn in_flight(&self) -> Said {
        let a = self.action;
        let quiet = a.stale_at.is_some_and(|stale| stale <= self.now);
        let mut said = vec![strong(if quiet {
            "Its worker has gone quiet."
        } else {
            "It is running now."
        })];
        if let Some(last) = a.newest() {
            said.push(text(" "));
            said.push(last.worker.as_ref().map_or_else(|| text("A worker"), name));
            said.extend([
                text(format!(" has held attempt {} since ", last.number)),
                at(last.claimed_at, Tell::Clock),
                text("."),
            ]);
            if a.unresolved().any(|attempt| attempt.number != last.number) {
                said.push(text(" An earlier attempt may have happened as well."));
            }
        }
        said
    }

    fn verifying(&self) -> Said {
        let (a, s) = (self.action, self.subject);
        let mut said = vec![
            strong(format!(
                "Nobody can tell yet whether {} {}.",
                s.this(),
                s.happened()
            )),
            text(" The provider is being asked"),
        ];
        match a.verification.tries {
            0 => said.push(text("; no question has been put yet.")),
            n => said.push(text(format!(
                ": {} so far, {} \"not landed\" in a row.",
                number(n, "question", "questions"),
                a.verification.in_a_row
            ))),
        }
        said
    }

    fn released(&self) -> Said {
        let (a, s) = (self.action, self.subject);
        let mut said = if a.released_by_person {
            vec![strong(format!("A person let it be {} once more.", s.run()))]
        } else {
            vec![strong("It may be claimed again.")]
        };
        if let Some(error) = &a.error {
            said.extend([text(" The last attempt ended with: "), quote(error), text(".")]);
        }
        said.push(text(match (a.attempts.is_empty(), a.may_have_applied()) {
            (true, _) => " It has not been tried yet.",
            (false, true) => " An earlier attempt may have happened.",
            (false, false) => " So far it has not happened.",
        }));
        said
    }

    fn succeeded(&self) -> Said {
        let a = self.action;
        if a.suspected_duplicate {
            return vec![
                strong("It may have happened more than once."),
                text(" It is recorded as done, and another attempt may have run as well."),
            ];
        }
        if a.suspected_no_send {
            return vec![
                strong("It is recorded as done and may never have happened."),
                text(" Every attempt says that it did nothing."),
            ];
        }
        match a.settled_by {
            Some(SettledBy::Person) => self.by_person("A person recorded it as done."),
            Some(SettledBy::Verdict) => {
                vec![
                    strong("It happened."),
                    text(" The provider says so; nothing is left to do."),
                ]
            }
            _ => {
                let nothing = a.attempts.iter().filter(|at| at.outcome == Outcome::None).count() as u32;
                let mut said = vec![strong("It happened once.")];
                if nothing > 0 {
                    said.push(text(format!(
                        " Before that {} did nothing.",
                        number(nothing, "attempt", "attempts")
                    )));
                }
                said.push(text(
                    " Nothing is left to do: whoever asks again gets the stored result.",
                ));
                said
            }
        }
    }

    fn failed(&self) -> Said {
        let a = self.action;
        let mut said = if a.may_have_applied() {
            vec![
                strong("It was given up, and may have happened."),
                text(" The outcome is not known."),
            ]
        } else {
            vec![strong("It did not happen.")]
        };
        match a.settled_by {
            Some(SettledBy::Person) => said.extend(self.by_person("").into_iter().skip(1)),
            Some(SettledBy::Policy) => said.push(text(
                " Its policy settled it: nobody was asked, or nobody answered.",
            )),
            Some(SettledBy::Verdict) => {
                said.push(text(" So says the provider, and the attempts are used up."));
            }
            _ => {
                if let Some(error) = &a.error {
                    said.extend([text(" Its worker reported: "), quote(error), text(".")]);
                }
            }
        }
        said
    }

    /// Who decided, when, and why.
    fn by_person(&self, what: &str) -> Said {
        let mut said = vec![strong(what)];
        if let Some(decided) = self.history.iter().rev().find(|e| e.event == "decided") {
            let who = decided.by.clone().unwrap_or_else(|| "Somebody".to_owned());
            said.extend([
                text(" "),
                name(who),
                text(" decided so "),
                at(decided.at, Tell::Ago),
            ]);
            if let Some(reason) = &decided.reason {
                said.extend([text(": "), Piece::Quote(reason.clone())]);
            }
            said.push(text("."));
        }
        said
    }
}
