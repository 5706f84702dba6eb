//! What must happen, told by the pure function: rows in memory, the policies of their kinds, a clock that stands.

use std::collections::BTreeMap;

use holdpoint::ledger::Reaped;
use holdpoint::transition::{self, Claim, ClaimAnswer, Context, Grant, Question, Step};
use holdpoint::{Action, HistoryEvent, Intent, Key, Policy, Status, Time};

/// Why somebody was refused, without what only a sentence for people holds.
pub type Refused = &'static str;

/// A row, and everything that was noted of it.
pub struct Row {
    pub action: Action,
    pub events: Vec<HistoryEvent>,
    /// How many microseconds later than `action` says it may be due: chance is drawn by the ledger.
    pub slack: i64,
}

#[derive(Clone, Default)]
struct Kind {
    policy: Option<Policy>,
    versions: i64,
    paused_at: Option<Time>,
}

pub struct World {
    pub now: Time,
    pub rows: BTreeMap<Key, Row>,
    intents: Vec<Intent>,
    kinds: BTreeMap<String, Kind>,
    everything_paused_at: Option<Time>,
}

impl World {
    pub fn new(now: Time, intents: &[Intent]) -> Self {
        Self {
            now,
            rows: BTreeMap::new(),
            intents: intents.to_vec(),
            kinds: intents
                .iter()
                .map(|i| (i.kind().to_owned(), Kind::default()))
                .collect(),
            everything_paused_at: None,
        }
    }

    pub fn policy(&self, kind: &str) -> Option<&Policy> {
        self.kinds[kind].policy.as_ref()
    }

    pub fn action(&self, key: &Key) -> Option<&Action> {
        self.rows.get(key).map(|row| &row.action)
    }

    /// Lets the function decide, with the least and with the most of chance, and keeps what it says.
    pub fn step<A: PartialEq + std::fmt::Debug>(
        &mut self,
        key: &Key,
        decide: impl Fn(&Action, &Context<'_>) -> Step<A>,
    ) -> Option<A> {
        let before = self.action(key)?.clone();
        let policy = self.policy(&before.kind).cloned().unwrap_or_default();
        let soon = decide(&before, &self.context(&policy, 0.0));
        let late = decide(&before, &self.context(&policy, 1.0));
        assert_eq!(soon.answer, late.answer, "an answer hangs on chance");
        let mut after = soon.action;
        let reopened = before.status == Status::Failed && after.status != Status::Failed;
        if reopened && after.slot.is_none() && self.holder_of(&before.place()).is_none() {
            after.slot = Some(before.place());
        }
        if after != before {
            after.revision += 1;
        }
        let row = self.rows.get_mut(key)?;
        row.slack = match (after.due_at, late.action.due_at) {
            (Some(soon), Some(late)) => late.micros() - soon.micros(),
            _ => 0,
        };
        row.action = after;
        row.events.extend(soon.events);
        Some(soon.answer)
    }

    const fn context<'a>(&self, policy: &'a Policy, jitter: f64) -> Context<'a> {
        Context {
            now: self.now,
            policy,
            everything_paused: self.everything_paused_at.is_some(),
            jitter,
        }
    }

    fn holder_of(&self, place: &str) -> Option<Key> {
        let holds = |row: &&Row| row.action.slot.as_deref() == Some(place);
        self.rows.values().find(holds).map(|row| row.action.key.clone())
    }

    /// Which key's attempt this `claim_id` won.
    fn won(&self, claim: &Claim) -> Option<Key> {
        let id = claim.claim_id.as_deref()?;
        let by_it = |row: &&Row| {
            row.action
                .attempts
                .iter()
                .any(|a| a.claim_id.as_deref() == Some(id))
        };
        self.rows.values().find(by_it).map(|row| row.action.key.clone())
    }

    pub fn claim(&mut self, intent: &Intent, claim: &Claim) -> ClaimAnswer {
        let key = intent.key();
        if self.won(claim).is_some_and(|winner| winner != key) {
            return ClaimAnswer::ClaimLost;
        }
        if let Some(answer) = self.step(&key, |row, cx| transition::claim(row, intent, claim, cx)) {
            return answer;
        }
        let policy = self.policy(intent.kind()).cloned().unwrap_or_default();
        let came_first = self.holder_of(&intent.slot());
        let first = transition::first(intent, claim, came_first.as_ref(), &self.context(&policy, 0.0));
        match (first.action, came_first) {
            (Some(action), _) => {
                let (events, slack) = (first.events, 0);
                self.rows.insert(
                    key,
                    Row {
                        action,
                        events,
                        slack,
                    },
                );
            }
            (None, Some(came_first)) => {
                if let Some(row) = self.rows.get_mut(&came_first) {
                    row.events.extend(first.events);
                }
            }
            (None, None) => assert_eq!(first.events, []),
        }
        first.answer
    }

    /// Claims of one transaction go by their places.
    pub fn claim_batch(&mut self, claims: &[(Intent, Claim)]) -> Vec<ClaimAnswer> {
        let mut order: Vec<usize> = (0..claims.len()).collect();
        order.sort_by_key(|n| claims[*n].0.slot());
        let mut answers: Vec<_> = order
            .into_iter()
            .map(|n| (n, self.claim(&claims[n].0, &claims[n].1)))
            .collect();
        answers.sort_by_key(|(n, _)| *n);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// Keys of this kind in this status that are due, the oldest first.
    fn due(&self, kind: &str, status: Status) -> Vec<Key> {
        let mut due: Vec<_> = self
            .rows
            .values()
            .map(|row| &row.action)
            .filter(|a| a.kind == kind && a.status == status && a.due_at <= Some(self.now))
            .map(|a| (a.due_at, a.key.clone()))
            .collect();
        due.sort();
        due.into_iter().map(|(_, key)| key).collect()
    }

    pub fn next(&mut self, kind: &str, claim: &Claim) -> Result<Option<(Key, Grant)>, Refused> {
        let won = self.won(claim);
        let paused = self.everything_paused_at.is_some() || self.kinds[kind].paused_at.is_some();
        let candidates = match &won {
            Some(key) => vec![key.clone()],
            None if paused => Vec::new(),
            None => self.due(kind, Status::Released),
        };
        for key in candidates {
            let intent = self.intents.iter().find(|i| i.key() == key).cloned();
            let intent = intent.expect("every row has an intent");
            let answer = (intent.kind() == kind).then(|| self.claim(&intent, claim));
            match answer {
                Some(ClaimAnswer::Granted(grant)) => return Ok(Some((key, grant))),
                _ if won.is_some() => return Err("claim lost"),
                _ => {}
            }
        }
        Ok(None)
    }

    pub fn ask(&mut self, kind: &str, by: &str) -> Option<(Key, Question)> {
        for key in self.due(kind, Status::Verifying) {
            let asked = self.step(&key, |row, cx| transition::ask(row, Some(by), cx));
            if let Some(question) = asked.flatten() {
                return Some((key, question));
            }
        }
        None
    }

    /// Page by page, as far as what was moved is not due again at a later moment.
    pub fn reap(&mut self) -> Reaped {
        let mut done = Reaped::default();
        let mut after = None;
        loop {
            let mut due: Vec<_> = self
                .rows
                .values()
                .filter_map(|row| Some((row.action.wake_at?, row.action.key.clone())))
                .filter(|entry| entry.0 <= self.now && after.as_ref().is_none_or(|a| entry > a))
                .collect();
            due.sort();
            let Some(last) = due.last().cloned() else {
                return done;
            };
            for (_, key) in due {
                if self.step(&key, transition::wake) != Some(true) {
                    continue;
                }
                done.looked_at += 1;
                match self.rows[&key].action.status {
                    Status::Released => done.released += 1,
                    Status::Verifying => done.verifying += 1,
                    Status::Held => done.held += 1,
                    Status::Failed => done.failed += 1,
                    Status::InFlight | Status::Succeeded => {}
                }
            }
            after = Some(last);
        }
    }

    /// Another version of a kind's policy, or none.
    pub fn put(&mut self, kind: &str, expected: Option<i64>, policy: Option<&Policy>) -> Result<(), Refused> {
        let standing = self.policy(kind).map(|p| (p.version, p.paused));
        match (policy, standing) {
            (None, None) => return Err("not found"),
            (None, Some((version, true))) if expected == Some(version) => return Err("paused"),
            _ if expected != standing.map(|(version, _)| version) => return Err("policy changed"),
            _ => {}
        }
        let entry = self.kinds.get_mut(kind).expect("the kinds are known");
        entry.versions += 1;
        entry.policy = policy.map(|policy| Policy {
            version: entry.versions,
            paused: entry.paused_at.is_some(),
            ..policy.clone()
        });
        let deadline = entry.policy.as_ref().and_then(|policy| policy.hold_deadline_s);
        let waiting = [Status::Verifying, Status::Released];
        self.look_again(|a| a.kind == kind && waiting.contains(&a.status));
        let rows = self.rows.values_mut().map(|row| &mut row.action);
        for row in rows.filter(|a| a.kind == kind && a.status == Status::Held) {
            let until = |since: Time| deadline.map(|seconds| since + i64::from(seconds));
            row.wake_at = row.held_at.and_then(until);
        }
        Ok(())
    }

    /// Pauses or resumes a kind.
    pub fn turn(&mut self, kind: &str, paused: bool) -> Result<(), Refused> {
        let (now, all) = (self.now, self.everything_paused_at);
        let entry = self.kinds.get_mut(kind).expect("the kinds are known");
        if entry.policy.is_none() && !paused {
            return Err("not found");
        }
        if entry.paused_at.is_some() == paused {
            return Ok(());
        }
        entry.versions += 1;
        entry.policy = Some(Policy {
            version: entry.versions,
            paused,
            ..entry.policy.clone().unwrap_or_default()
        });
        let began = std::mem::replace(&mut entry.paused_at, paused.then_some(now));
        if let Some(began) = began {
            self.stood(|a| a.kind == kind, began, all.unwrap_or(now));
            self.look_again(|a| a.kind == kind && a.status == Status::Released);
        }
        Ok(())
    }

    /// Pauses or resumes everything.
    pub fn turn_everything(&mut self, paused: bool) {
        if self.everything_paused_at.is_some() == paused {
            return;
        }
        let now = self.now;
        let began = std::mem::replace(&mut self.everything_paused_at, paused.then_some(now));
        let Some(began) = began else { return };
        let kinds: Vec<_> = self
            .kinds
            .iter()
            .map(|(kind, k)| (kind.clone(), k.paused_at))
            .collect();
        for (kind, still) in kinds {
            self.stood(|a| a.kind == kind, began, still.unwrap_or(now));
        }
        self.look_again(|a| a.status == Status::Released);
    }

    /// The clock of each release stood from `began`, or from when it came due, to `ended`.
    fn stood(&mut self, which: impl Fn(&Action) -> bool, began: Time, ended: Time) {
        for row in self.rows.values_mut().map(|row| &mut row.action) {
            let Some(due) = row
                .due_at
                .filter(|_| row.status == Status::Released && which(row))
            else {
                continue;
            };
            let stood = ended.micros() - began.max(due).micros();
            if stood > 0 {
                row.due_at = Some(Time::from_micros(due.micros() + stood));
                row.revision += 1;
            }
        }
    }

    fn look_again(&mut self, which: impl Fn(&Action) -> bool) {
        for row in self.rows.values_mut().map(|row| &mut row.action) {
            if which(row) {
                row.wake_at = Some(self.now);
            }
        }
    }
}
