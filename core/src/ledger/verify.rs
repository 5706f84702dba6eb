//! Questions to the provider: handed out, and answered.

use super::{Actor, Error, Ledger, QuestionOut, claim::bumped, clocked, context, report, to_the_end};
use crate::action::Action;
use crate::intent::Key;
use crate::transition::{self, Answer, Context};
use crate::words::Scope;

/// How many candidates are looked at before a caller is told that nothing is due.
pub(super) const CANDIDATES: u32 = 20;

impl Ledger {
    /// Takes the oldest question that is due, of these kinds. `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::ForbiddenKind`], [`Error::Store`].
    pub async fn next_question(
        &self,
        actor: &Actor,
        kinds: &[String],
        by: Option<&str>,
    ) -> Result<Option<QuestionOut>, Error> {
        for kind in kinds {
            actor.works_on(kind)?;
            crate::intent::check_kind(kind)?;
        }
        let (ledger, kinds) = (self.clone(), kinds.to_vec());
        let by = report::printable(by.unwrap_or_else(|| actor.name()));
        to_the_end(async move { ledger.question_now(&kinds, &by).await }).await
    }

    pub(super) async fn question_now(
        &self,
        kinds: &[String],
        by: &str,
    ) -> Result<Option<QuestionOut>, Error> {
        for key in self.store.askable(kinds, CANDIDATES).await? {
            let loaded = self.store.load(&key, "").await?;
            let Some(before) = &loaded.action else { continue };
            let cx = context(&loaded);
            let step = transition::ask(before, Some(by), &cx);
            let Some(question) = step.answer else { continue };
            if self.write(before, &step, clocked(&step.action, &cx), &cx).await? {
                let (payload, _) = self.store.payload(&key).await?;
                let (attempt, number) = (question.attempt, question.number);
                return Ok(Some(QuestionOut {
                    attempt,
                    number,
                    action: bumped(before, step.action),
                    payload,
                }));
            }
        }
        Ok(None)
    }

    /// The provider's answer to a question that was handed out.
    ///
    /// # Errors
    /// [`Error::NoSuchAttempt`] for a try that never was, [`Error::NotFound`], [`Error::Invalid`].
    pub async fn verdict(&self, actor: &Actor, key: &Key, answer: Answer) -> Result<Action, Error> {
        actor.needs(Scope::Worker)?;
        let by = actor.name().to_owned();
        let (result, result_kept) = report::kept_result(answer.result)?;
        let result_kept = result_kept && answer.result_kept;
        let answer = Answer {
            result,
            result_kept,
            note: answer.note.map(|n| report::printable(&n)),
            ..answer
        };
        let bytes = answer.result.as_deref().map_or(0, str::len);
        self.report_on(actor, key, bytes, move |ledger, key| async move {
            let decide =
                |action: &Action, cx: &Context<'_>| transition::verdict(action, &answer, Some(&by), cx);
            let (said, action) = ledger.transact(&key, decide).await?;
            said.map_err(|_| Error::NoSuchAttempt)?;
            Ok(action)
        })
        .await
    }
}
