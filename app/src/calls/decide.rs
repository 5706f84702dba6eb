//! What people do to an action. The answer is always a page: the one they came from, with a code in its address.

use holdpoint::{Decision, Scope};
use leptos::prelude::*;

use crate::Trouble;

/// A person decides on the version that they saw. `back` is the page to return to, `seen` when it was made, `by` for
/// whom, and `others` how many others had agreed by then.
#[server(prefix = "/_fn", endpoint = "decide")]
pub async fn decide(
    key: String,
    version: i64,
    decision: Decision,
    #[server(default)] reason: String,
    #[server(default)] result: String,
    #[server(default)] seen: i64,
    #[server(default)] back: String,
    #[server(default)] by: String,
    #[server(default)] others: Option<usize>,
) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let parsed = super::build::key(&key)?;
    if here.actor.may(Scope::Operator) && !here.is(&by) {
        Page::back(&back, &key).refused("somebody_else", &key, seen);
        return Ok(());
    }
    // An agreement leaves the version as it is: who saw none of it did not mean to be the last who agrees.
    if decision == Decision::Retry && others.is_some() && others != agreed_by_others(&here, &parsed).await? {
        Page::back(&back, &key).refused("changed", &key, seen);
        return Ok(());
    }
    let evidence = Page::evidence(&result);
    let outcome = here
        .ledger
        .decide(&here.actor, &parsed, decision, &reason, version, evidence)
        .await;
    let page = Page::back(&back, &key);
    match outcome {
        Ok(_) => page.done(&here, decision.as_str(), &key).await,
        Err(error) => page.problem(error, &key, seen, &reason)?,
    }
    Ok(())
}

/// A person has looked at how an action ended.
#[server(prefix = "/_fn", endpoint = "acknowledge")]
pub async fn acknowledge(
    key: String,
    version: i64,
    #[server(default)] seen: i64,
    #[server(default)] back: String,
) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let parsed = super::build::key(&key)?;
    let outcome = here.ledger.acknowledge(&here.actor, &parsed, version).await;
    let page = Page::back(&back, &key);
    match outcome {
        Ok(_) => page.done(&here, "acknowledged", &key).await,
        Err(error) => page.problem(error, &key, seen, "")?,
    }
    Ok(())
}

/// How many besides whoever decides have agreed by now; `None` where there is no such action.
async fn agreed_by_others(here: &super::Here, key: &holdpoint::Key) -> Result<Option<usize>, Trouble> {
    let found = match here.ledger.read(&here.actor, key).await {
        Err(holdpoint::ledger::Error::NotFound { .. }) => None,
        found => Some(found?),
    };
    Ok(found.map(|detail| {
        let agreed = detail.action.approvals.iter();
        agreed.filter(|approval| approval.by != here.actor.name()).count()
    }))
}

/// The page that a form came from.
struct Page {
    path: String,
    query: crate::address::Query,
}

impl Page {
    fn back(back: &str, key: &str) -> Self {
        let (path, query) = crate::typed::back(back, key);
        Self { path, query }
    }

    /// What was seen, as the JSON that results are; words that are none become a JSON text.
    fn evidence(typed: &str) -> Option<String> {
        let typed = typed.trim();
        let json = serde_json::from_str::<serde::de::IgnoredAny>(typed).is_ok();
        (!typed.is_empty()).then(|| {
            if json {
                typed.to_owned()
            } else {
                serde_json::Value::from(typed).to_string()
            }
        })
    }

    /// It was recorded. In the queue, the next case opens.
    async fn done(self, here: &super::Here, code: &str, key: &str) {
        let query = match self.path.as_str() {
            "/review" => super::lists::go_on(here, self.query).await,
            _ => self.query,
        };
        crate::respond::send_to(&query.with("done", code).with("was", key).at(&self.path));
    }

    /// Nothing was recorded: the same case again. What was typed stands in no address: the server shows this page as
    /// the answer to the form, with its fields.
    fn problem(
        self,
        error: holdpoint::ledger::Error,
        key: &str,
        seen: i64,
        reason: &str,
    ) -> Result<(), Trouble> {
        use holdpoint::ledger::Error;

        let code = match &error {
            Error::Changed(_) => "changed",
            Error::NotHeld(_) => "not_held",
            Error::Invalid { field: "reason", .. } => super::notice::reason_code(reason),
            Error::Invalid { .. } => "evidence",
            Error::Forbidden { .. } => "forbidden",
            Error::Contended | Error::Store(_) => "unavailable",
            _ => return Err(error.into()),
        };
        if code == "unavailable" {
            tracing::warn!(error = %error, key, "a decision could not be written");
        }
        self.refused(code, key, seen);
        Ok(())
    }

    /// The same case again, with why nothing was recorded.
    fn refused(self, code: &str, key: &str, seen: i64) {
        let query = self.query.with("problem", code).with("seen", &seen.to_string());
        crate::respond::send_to(&crate::typed::open(self.path, query, key));
    }
}
