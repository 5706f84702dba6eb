//! One event, let happen to the database and to the model: what each of them tells.

use std::fmt::Debug;

use holdpoint::ledger::Error;
use holdpoint::transition::{self, Answer, Choice, Claim, Failure};
use holdpoint::{Action, Actor, Decision, Intent};

use super::lives::{By, Event, KINDS, intents};
use super::world::{Refused, World};
use crate::harness::*;

/// What somebody was told, and the row that came with it.
pub struct Told {
    pub answer: Result<String, Refused>,
    pub rows: Vec<Action>,
}

fn told<T>(answer: Result<T, Error>, of: impl FnOnce(T) -> (String, Option<Action>)) -> Told {
    let (answer, row) = match answer {
        Ok(answer) => {
            let (answer, row) = of(answer);
            (Ok(answer), row)
        }
        Err(error) => refused(error),
    };
    let rows = row.into_iter().collect();
    Told { answer, rows }
}

fn refused(error: Error) -> (Result<String, Refused>, Option<Action>) {
    let (refused, row) = match error {
        Error::NotFound { .. } => ("not found", None),
        Error::NoSuchAttempt => ("no such attempt", None),
        Error::ClaimLost => ("claim lost", None),
        Error::Changed(row) => ("changed", Some(*row)),
        Error::NotHeld(row) => ("not held", Some(*row)),
        Error::PolicyChanged { .. } => ("policy changed", None),
        Error::Paused { .. } => ("paused", None),
        Error::Invalid { field, .. } => (field, None),
        other => panic!("{other:?}"),
    };
    (Err(refused), row)
}

/// What the function says, in the words of the ledger.
fn says<A, B: Debug>(answer: Option<A>, of: impl FnOnce(A) -> Result<B, Refused>) -> Result<String, Refused> {
    of(answer.ok_or("not found")?).map(text)
}

pub fn text(answer: impl Debug) -> String {
    format!("{answer:?}")
}

fn refusal(refusal: transition::Refusal) -> Refused {
    match refusal {
        transition::Refusal::NoSuchAttempt => "no such attempt",
        transition::Refusal::ClaimLost => "claim lost",
        transition::Refusal::PermanentUnknown => "permanent",
    }
}

fn decide_refusal(refusal: transition::DecideRefusal) -> Refused {
    match refusal {
        transition::DecideRefusal::Changed => "changed",
        transition::DecideRefusal::NotHeld => "not held",
    }
}

fn worker_number(n: usize) -> Actor {
    Actor::worker(format!("mailer-{n}"))
}

fn claim_by((worker, id): By) -> Claim {
    Claim {
        worker: Some(format!("mailer-{worker}")),
        claim_id: id.map(|id| format!("c-{id}")),
        summary: None,
    }
}

/// What the ledger told, and what the function says.
pub type Both = (Told, Result<String, Refused>);

/// Lets one event happen to both.
pub async fn happen(db: &Db, world: &mut World, event: &Event) -> Both {
    match event {
        Event::Claim(..) | Event::ClaimBatch(_) | Event::Next(..) => claiming(db, world, event).await,
        Event::Succeed(..) | Event::Fail(..) | Event::Heartbeat(..) => reporting(db, world, event).await,
        Event::Ask(_) | Event::Verdict(..) => asking(db, world, event).await,
        Event::Decide(..) | Event::Acknowledge(..) => deciding(db, world, event).await,
        Event::Put(..) | Event::TakeAway(_) | Event::Turn(..) => ruling(db, world, event).await,
        Event::Pass(_) | Event::PassUntilWoken(_) | Event::PassUntilDue(_) | Event::Reap => {
            passing(db, world, event).await
        }
    }
}

async fn claiming(db: &Db, world: &mut World, event: &Event) -> Both {
    match event {
        Event::Claim(i, by) => {
            let (intent, claim) = (&intents()[*i], claim_by(*by));
            let found = db.ledger.claim(&worker_number(by.0), intent, &claim).await;
            let found = told(found, |c| (text((c.answer, c.now)), c.action));
            (found, Ok(text((world.claim(intent, &claim), world.now))))
        }
        Event::ClaimBatch(entries) => {
            let claims: Vec<_> = entries
                .iter()
                .map(|(i, by)| (intents()[*i].clone(), claim_by(*by)))
                .collect();
            let found = db.ledger.claim_batch(&worker(), claims.clone()).await.unwrap();
            let answers: Vec<_> = found.into_iter().map(|c| c.answer).collect();
            let found = Told {
                answer: Ok(text(answers)),
                rows: Vec::new(),
            };
            (found, Ok(text(world.claim_batch(&claims))))
        }
        Event::Next(kind, by) => {
            let claim = claim_by(*by);
            let found = db
                .ledger
                .next(&worker_number(by.0), &[KINDS[*kind].to_owned()], &claim)
                .await;
            let found = told(found, |next| match next {
                Some(next) => (text(Some((&next.action.key, next.grant))), Some(next.action)),
                None => ("None".to_owned(), None),
            });
            (found, world.next(KINDS[*kind], &claim).map(text))
        }
        _ => unreachable!(),
    }
}

/// Attempt j of this action, counted back from the newest.
fn attempt(world: &World, intent: &Intent, back: i64) -> u32 {
    let newest = world.action(&intent.key()).map_or(0, Action::attempt);
    u32::try_from(i64::from(newest) - back).unwrap_or(0)
}

async fn reporting(db: &Db, world: &mut World, event: &Event) -> Both {
    let mailer = worker();
    match event {
        Event::Succeed(i, back, result) => {
            let intent = &intents()[*i];
            let success = success(attempt(world, intent, *back), &result.to_string());
            let found = db.ledger.succeed(&mailer, &intent.key(), success.clone()).await;
            let found = told(found, |s| (text(s.answer), Some(s.action)));
            let expected = world.step(&intent.key(), |row, cx| {
                transition::succeed(row, &success, None, cx)
            });
            (found, says(expected, |answer| answer.map_err(refusal)))
        }
        Event::Fail(i, back, effect, permanent) => {
            let intent = &intents()[*i];
            let failure = Failure {
                permanent: *permanent,
                ..failure(attempt(world, intent, *back), *effect)
            };
            let found = db.ledger.fail(&mailer, &intent.key(), failure.clone()).await;
            let expected = world.step(&intent.key(), |row, cx| transition::fail(row, &failure, None, cx));
            (
                told(found, |row| (text(()), Some(row))),
                says(expected, |answer| answer.map_err(refusal)),
            )
        }
        Event::Heartbeat(i, back) => {
            let intent = &intents()[*i];
            let j = attempt(world, intent, *back);
            let found = db.ledger.heartbeat(&mailer, &intent.key(), j).await;
            let expected = world.step(&intent.key(), |row, cx| transition::heartbeat(row, j, None, cx));
            (
                told(found, |at| (text(at), None)),
                says(expected, |answer| answer.map_err(refusal)),
            )
        }
        _ => unreachable!(),
    }
}

async fn asking(db: &Db, world: &mut World, event: &Event) -> Both {
    let verifier = worker_number(7);
    match event {
        Event::Ask(kind) => {
            let found = db
                .ledger
                .next_question(&verifier, &[KINDS[*kind].to_owned()], None)
                .await;
            let found = told(found, |out| match out {
                Some(out) => (
                    text(Some((&out.action.key, out.attempt, out.number))),
                    Some(out.action),
                ),
                None => ("None".to_owned(), None),
            });
            let expected = world.ask(KINDS[*kind], verifier.name());
            (
                found,
                Ok(text(expected.map(|(key, q)| (key, q.attempt, q.number)))),
            )
        }
        Event::Verdict(i, back, verdict) => {
            let intent = &intents()[*i];
            let asked = world
                .action(&intent.key())
                .map_or(&[][..], |row| &row.verification.asked);
            let out = asked
                .iter()
                .rev()
                .nth(usize::try_from(*back).unwrap_or(usize::MAX));
            let (j, number) = out.map_or((1, 99), |t| (t.attempt, t.number));
            let said: Answer = answer(j, number, *verdict);
            let found = db.ledger.verdict(&verifier, &intent.key(), said.clone()).await;
            let expected = world.step(&intent.key(), |row, cx| {
                transition::verdict(row, &said, Some(verifier.name()), cx)
            });
            let expected = says(expected, |answer| answer.map_err(|_| "no such attempt"));
            (told(found, |row| (text(()), Some(row))), expected)
        }
        _ => unreachable!(),
    }
}

async fn deciding(db: &Db, world: &mut World, event: &Event) -> Both {
    match event {
        Event::Decide(i, who, decision, lag) => {
            let intent = &intents()[*i];
            let by = ["ada", "eve"][*who];
            let choice = Choice {
                by: by.to_owned(),
                decision: *decision,
                reason: format!("{by} looked"),
                version: world.action(&intent.key()).map_or(1, |row| row.version) - lag,
                result: (*decision == Decision::Succeed).then(|| "\"seen\"".to_owned()),
            };
            let (reason, result) = (choice.reason.clone(), choice.result.clone());
            let found = db
                .ledger
                .decide(
                    &person(by),
                    &intent.key(),
                    choice.decision,
                    &reason,
                    choice.version,
                    result,
                )
                .await;
            let expected = world.step(&intent.key(), |row, cx| transition::decide(row, &choice, cx));
            let expected = says(expected, |answer| answer.map_err(decide_refusal));
            (told(found, |d| (text(d.replayed), Some(d.action))), expected)
        }
        Event::Acknowledge(i, lag) => {
            let intent = &intents()[*i];
            let version = world.action(&intent.key()).map_or(1, |row| row.version) - lag;
            let found = db
                .ledger
                .acknowledge(&person("ada"), &intent.key(), version)
                .await;
            let expected = world.step(&intent.key(), |row, cx| {
                transition::acknowledge(row, "ada", version, cx)
            });
            let expected = says(expected, |answer| answer.map(|_| ()).map_err(decide_refusal));
            (told(found, |row| (text(()), Some(row))), expected)
        }
        _ => unreachable!(),
    }
}

async fn ruling(db: &Db, world: &mut World, event: &Event) -> Both {
    let (root, ada) = (admin(), person("ada"));
    match event {
        Event::Put(kind, policy, old) => {
            let kind = KINDS[*kind];
            let standing = world.policy(kind).map(|p| p.version);
            let expected = if *old {
                Some(standing.unwrap_or(1) - 1)
            } else {
                standing
            };
            let found = db.ledger.put_policy(&root, kind, expected, policy, "why").await;
            let put = world.put(kind, expected, Some(policy));
            (
                told(found, |record| (text(record.policy), None)),
                put.map(|()| text(world.policy(kind).unwrap())),
            )
        }
        Event::TakeAway(kind) => {
            let kind = KINDS[*kind];
            let standing = world.policy(kind).map(|p| p.version);
            let found = db
                .ledger
                .delete_policy(&root, kind, standing.unwrap_or(1), "why")
                .await;
            (
                told(found, |()| (text(()), None)),
                world.put(kind, standing, None).map(text),
            )
        }
        Event::Turn(kind, paused) => {
            let kind = kind.map(|kind| KINDS[kind]);
            let found = if *paused {
                db.ledger.pause(&ada, kind, "why").await
            } else {
                db.ledger.resume(&ada, kind, "why").await
            };
            let expected = if let Some(kind) = kind {
                world.turn(kind, *paused)
            } else {
                world.turn_everything(*paused);
                Ok(())
            };
            (told(found, |_| (text(()), None)), expected.map(text))
        }
        _ => unreachable!(),
    }
}

async fn passing(db: &Db, world: &mut World, event: &Event) -> Both {
    let of = |i: &usize| world.action(&intents()[*i].key());
    let until = match event {
        Event::Pass(seconds) => Some(world.now + *seconds),
        Event::PassUntilWoken(i) => of(i).and_then(|row| row.wake_at),
        Event::PassUntilDue(i) => of(i).and_then(|row| row.due_at),
        Event::Reap => {
            let found = db.reap().await;
            return (
                Told {
                    answer: Ok(text(found)),
                    rows: Vec::new(),
                },
                Ok(text(world.reap())),
            );
        }
        _ => unreachable!(),
    };
    if let Some(until) = until.filter(|until| *until > world.now) {
        world.now = until;
        db.stand_at(until).await;
    }
    (
        Told {
            answer: Ok(text(db.now().await)),
            rows: Vec::new(),
        },
        Ok(text(world.now)),
    )
}
