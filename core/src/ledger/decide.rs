//! What people decide.

use super::{
    Actor, Decided, Entry, Error, LOOKS, Ledger, claim::bumped, clocked, context, report, to_the_end,
};
use crate::action::Action;
use crate::intent::Key;
use crate::store::StoreError;
use crate::transition::{self, Choice, Context, DecideRefusal, Part};
use crate::words::{AuditEvent, Decision, Scope, Status};

/// The longest reason that is kept, in characters.
pub const MAX_REASON_CHARS: usize = 2_000;

/// The most actions that are decided at once.
pub const MAX_DECISIONS: usize = 200;

impl Ledger {
    /// A person decides on the version that they saw. With [`Decision::Succeed`], `result` becomes the action's.
    ///
    /// # Errors
    /// [`Error::Changed`] with the fresh action, [`Error::NotHeld`], [`Error::Invalid`] for a reason that is
    /// missing, [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn decide(
        &self,
        actor: &Actor,
        key: &Key,
        decision: Decision,
        reason: &str,
        version: i64,
        result: Option<String>,
    ) -> Result<Decided, Error> {
        let by = person(actor)?;
        if result.is_some() && decision != Decision::Succeed {
            let detail = "goes with the decision succeed only".to_owned();
            return Err(Error::Invalid {
                field: "result",
                detail,
            });
        }
        let (result, result_kept) = report::kept_result(result)?;
        if !result_kept {
            let detail = format!(
                "is longer than the {} bytes that are kept",
                report::MAX_RESULT_BYTES
            );
            return Err(Error::Invalid {
                field: "result",
                detail,
            });
        }
        let reason = said(reason)?;
        let choice = Choice {
            by,
            decision,
            reason,
            version,
            result,
        };
        let (ledger, key) = (self.clone(), key.clone());
        let trace = Entry::by(actor, AuditEvent::Decision);
        to_the_end(async move { ledger.decided(&key, &choice, &trace).await }).await
    }

    /// A person decides alike on up to [`MAX_DECISIONS`] actions, each on the version that they saw. Each is decided
    /// by itself, in this order, and answered by itself, as [`Ledger::decide`] would have.
    ///
    /// # Errors
    /// As for [`Ledger::decide`] where the decision itself is refused, before anything is decided; [`Error::Store`]
    /// where the database fails in between: what was decided stays so, and is answered as the first time when the same
    /// is presented again.
    pub async fn decide_batch(
        &self,
        actor: &Actor,
        items: Vec<(Key, i64)>,
        decision: Decision,
        reason: &str,
    ) -> Result<Vec<Result<Decided, Error>>, Error> {
        let (by, reason) = (person(actor)?, said(reason)?);
        if items.is_empty() || items.len() > MAX_DECISIONS {
            let detail = format!("present 1 to {MAX_DECISIONS} of them at once");
            return Err(Error::Invalid {
                field: "items",
                detail,
            });
        }
        let (ledger, trace) = (self.clone(), Entry::by(actor, AuditEvent::Decision));
        to_the_end(async move {
            let mut answers = Vec::with_capacity(items.len());
            for (key, version) in items {
                let choice = Choice {
                    by: by.clone(),
                    decision,
                    reason: reason.clone(),
                    version,
                    result: None,
                };
                answers.push(match ledger.decided(&key, &choice, &trace).await {
                    // One damaged row must not keep the others from being decided; a database that is gone would
                    // let each of them wait in vain.
                    Err(Error::Store(error))
                        if !matches!(error, StoreError::Corrupt { .. } | StoreError::Database(_)) =>
                    {
                        return Err(Error::Store(error));
                    }
                    answer => answer,
                });
            }
            Ok(answers)
        })
        .await
    }

    /// Decides, and answers as people are answered: without what is masked.
    async fn decided(&self, key: &Key, choice: &Choice, trace: &Entry) -> Result<Decided, Error> {
        match self.decide_now(key, choice, None, trace).await {
            Ok(decided) => Ok(Decided {
                action: self.veiled(decided.action).await,
                ..decided
            }),
            Err(error) => Err(self.veiled_error(error).await),
        }
    }

    /// The one way in which a person's decision reaches a row. `part`: it is one of many. What it answers is not veiled.
    pub(super) async fn decide_now(
        &self,
        key: &Key,
        choice: &Choice,
        part: Option<&Part>,
        trace: &Entry,
    ) -> Result<Decided, Error> {
        for _ in 0..LOOKS {
            let loaded = self.store.load(key, "").await?;
            let Some(before) = &loaded.action else {
                return Err(Error::NotFound { what: "action" });
            };
            let cx = context(&loaded);
            let mut step = transition::decide_within(before, choice, part, &cx);
            let replayed = match step.answer {
                Ok(replayed) => replayed,
                Err(DecideRefusal::Changed) => return Err(Error::Changed(Box::new(before.clone()))),
                Err(DecideRefusal::NotHeld) => return Err(Error::NotHeld(Box::new(before.clone()))),
            };
            self.take_place_again(before, &mut step.action).await?;
            let guard = clocked(&step.action, &cx);
            let reason = self.unquoted(&choice.reason, &step.action, cx.policy).await?;
            let entry = trace
                .clone()
                .because(reason)
                .of_decision(choice, before, &step.action, cx.policy);
            if self.write_traced(before, &step, guard, &cx, &entry).await? {
                return Ok(Decided {
                    action: bumped(before, step.action),
                    replayed,
                });
            }
        }
        Err(Error::Contended)
    }

    /// An action that surely failed gave up the place of its step; reopened, it takes it back where it is free.
    pub(super) async fn take_place_again(&self, before: &Action, after: &mut Action) -> Result<(), Error> {
        if before.status != Status::Failed || after.status == Status::Failed || after.slot.is_some() {
            return Ok(());
        }
        let place = before.place();
        after.slot = self.store.slot_owner(&place).await?.is_none().then_some(place);
        Ok(())
    }

    /// A person has looked at how an action ended.
    ///
    /// # Errors
    /// [`Error::Changed`] with the fresh action, [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn acknowledge(&self, actor: &Actor, key: &Key, version: i64) -> Result<Action, Error> {
        actor.needs(Scope::Operator)?;
        let (ledger, key, by) = (self.clone(), key.clone(), actor.name().to_owned());
        let trace = Entry::by(actor, AuditEvent::Acknowledged);
        to_the_end(async move {
            let decide =
                |action: &Action, cx: &Context<'_>| transition::acknowledge(action, &by, version, cx);
            let (answer, action) = ledger.transact_traced(&key, decide, Some(&trace)).await?;
            let action = ledger.veiled(action).await;
            match answer {
                Ok(_) => Ok(action),
                Err(_) => Err(Error::Changed(Box::new(action))),
            }
        })
        .await
    }
}

/// Decisions are people's: the name of the one who decides.
pub(super) fn person(actor: &Actor) -> Result<String, Error> {
    actor.needs(Scope::Operator)?;
    match actor {
        Actor::Person { name, .. } => Ok(name.clone()),
        _ => Err(Error::Forbidden {
            needs: Scope::Operator,
        }),
    }
}

/// A person's reason: there, and not endless.
pub(super) fn said(reason: &str) -> Result<String, Error> {
    let reason = report::printable(reason.trim());
    if reason.is_empty() {
        let detail = "say why, in a few words: it is kept in the history".to_owned();
        return Err(Error::Invalid {
            field: "reason",
            detail,
        });
    }
    if reason.chars().count() > MAX_REASON_CHARS {
        let detail = format!("is longer than {MAX_REASON_CHARS} characters");
        return Err(Error::Invalid {
            field: "reason",
            detail,
        });
    }
    Ok(reason)
}
