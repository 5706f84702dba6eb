//! What workers report. Every report runs to its end, whether or not its caller still listens.

use super::{Actor, Entry, Error, LOOKS, Ledger, Succeeded, claim::bumped, clocked, context, to_the_end};
use crate::action::Action;
use crate::intent::Key;
use crate::json;
use crate::time::Time;
use crate::transition::{self, Context, Failure, Step, Success, SuccessAnswer};
use crate::words::Scope;

/// The largest result that is kept, in bytes. A larger one is recorded as succeeded without it.
pub const MAX_RESULT_BYTES: usize = 1024 * 1024;

impl Ledger {
    /// Attempt j succeeded. The result is any well-formed JSON, kept byte for byte up to [`MAX_RESULT_BYTES`].
    ///
    /// # Errors
    /// [`Error::NoSuchAttempt`], [`Error::NotFound`], [`Error::Invalid`] for a result that is no JSON.
    pub async fn succeed(&self, actor: &Actor, key: &Key, success: Success) -> Result<Succeeded, Error> {
        let success = kept(success)?;
        let bytes = success.result.as_deref().map_or(0, str::len);
        self.report_on(actor, key, bytes, move |ledger, key| async move {
            if success.attempt == 1
                && let Some(action) = ledger.store.first_success(&key, &success).await?
            {
                ledger.place.found();
                return Ok(Succeeded {
                    answer: SuccessAnswer {
                        late: false,
                        replayed: false,
                    },
                    action,
                });
            }
            let decide = |action: &Action, cx: &Context<'_>| transition::succeed(action, &success, None, cx);
            let (answer, action) = ledger.transact(&key, decide).await?;
            Ok(Succeeded {
                answer: answer?,
                action,
            })
        })
        .await
    }

    /// Attempt j failed.
    ///
    /// # Errors
    /// [`Error::NoSuchAttempt`], [`Error::ClaimLost`] (the history keeps the report), [`Error::NotFound`].
    pub async fn fail(&self, actor: &Actor, key: &Key, mut failure: Failure) -> Result<Action, Error> {
        failure.error = printable(&failure.error);
        self.report_on(actor, key, failure.error.len(), move |ledger, key| async move {
            let decide = |action: &Action, cx: &Context<'_>| transition::fail(action, &failure, None, cx);
            let (answer, action) = ledger.transact(&key, decide).await?;
            answer?;
            Ok(action)
        })
        .await
    }

    /// Attempt j lives. Answers when its claim goes stale now; `None` while the provider is being asked.
    ///
    /// # Errors
    /// [`Error::NoSuchAttempt`], [`Error::ClaimLost`], [`Error::NotFound`].
    pub async fn heartbeat(&self, actor: &Actor, key: &Key, attempt: u32) -> Result<Option<Time>, Error> {
        self.work_on(actor, key, move |ledger, key| async move {
            let decide = |action: &Action, cx: &Context<'_>| transition::heartbeat(action, attempt, None, cx);
            let (answer, _) = ledger.transact(&key, decide).await?;
            Ok(answer?)
        })
        .await
    }

    /// Runs a worker's use case on a key to its end, where the worker may touch its kind.
    async fn work_on<T, F, Fut>(&self, actor: &Actor, key: &Key, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Self, Key) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Error>> + Send + 'static,
    {
        actor.needs(Scope::Worker)?;
        let (ledger, actor, key) = (self.clone(), actor.clone(), key.clone());
        to_the_end(async move { ledger.work_on_now(&actor, &key, work).await }).await
    }

    async fn work_on_now<T, F, Fut>(&self, actor: &Actor, key: &Key, work: F) -> Result<T, Error>
    where
        F: FnOnce(Self, Key) -> Fut,
        Fut: Future<Output = Result<T, Error>>,
    {
        if let Actor::Worker { kinds: Some(_), .. } = actor {
            // The kind of an action never changes, so that looking before the transition is safe.
            let action = self.store.load(key, "").await?.action;
            actor.works_on(&action.ok_or(Error::NotFound { what: "action" })?.kind)?;
        }
        work(self.clone(), key.clone()).await
    }

    /// The same for a report of so many bytes: where the database does not take it, nothing more is granted.
    pub(super) async fn report_on<T, F, Fut>(
        &self,
        actor: &Actor,
        key: &Key,
        bytes: usize,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Self, Key) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, Error>> + Send + 'static,
    {
        actor.needs(Scope::Worker)?;
        let (ledger, actor, key) = (self.clone(), actor.clone(), key.clone());
        to_the_end(async move {
            let end = ledger.work_on_now(&actor, &key, work).await;
            ledger.place.heard(bytes, &end);
            end
        })
        .await
    }

    /// Loads, decides, writes guarded; looks again where the row moved in between.
    pub(super) async fn transact<A, D>(&self, key: &Key, decide: D) -> Result<(A, Action), Error>
    where
        A: Send,
        D: Fn(&Action, &Context<'_>) -> Step<A> + Send + Sync,
    {
        self.transact_traced(key, decide, None).await
    }

    /// The same, with a line of the audit where it changes the row.
    pub(super) async fn transact_traced<A, D>(
        &self,
        key: &Key,
        decide: D,
        trace: Option<&Entry>,
    ) -> Result<(A, Action), Error>
    where
        A: Send,
        D: Fn(&Action, &Context<'_>) -> Step<A> + Send + Sync,
    {
        for _ in 0..LOOKS {
            let loaded = self.store.load(key, "").await?;
            let Some(before) = &loaded.action else {
                return Err(Error::NotFound { what: "action" });
            };
            let cx = context(&loaded);
            let mut step = decide(before, &cx);
            self.take_place_again(before, &mut step.action).await?;
            let guard = clocked(&step.action, &cx);
            let written = match trace {
                None => self.write(before, &step, guard, &cx).await?,
                Some(trace) => {
                    let entry = trace.clone().of_action(before, &step.action);
                    self.write_traced(before, &step, guard, &cx, &entry).await?
                }
            };
            if written {
                return Ok((step.answer, bumped(before, step.action)));
            }
        }
        Err(Error::Contended)
    }
}

/// A success as it is stored: its result well-formed, and left out where it is too large to keep.
fn kept(success: Success) -> Result<Success, Error> {
    let (result, result_kept) = kept_result(success.result)?;
    Ok(Success {
        result,
        result_kept: result_kept && success.result_kept,
        ..success
    })
}

/// A result that is well-formed, and left out where it is too large to keep.
pub(super) fn kept_result(result: Option<String>) -> Result<(Option<String>, bool), Error> {
    let Some(text) = result else {
        return Ok((None, true));
    };
    json::check(&text).map_err(|e| Error::Invalid {
        field: "result",
        detail: e.to_string(),
    })?;
    if text.len() > MAX_RESULT_BYTES {
        Ok((None, false))
    } else {
        Ok((Some(text), true))
    }
}

/// Words for people, without what no database keeps in a text.
pub(super) fn printable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
