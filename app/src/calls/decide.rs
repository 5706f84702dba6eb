//! What people do to an action. The answer is always a page: the one they came from, with a code in its address.

use holdpoint::Decision;
use leptos::prelude::*;

use crate::Trouble;

/// A person decides on the version that they saw. `back` is the page to return to, `seen` when it was made.
#[server(prefix = "/_fn", endpoint = "decide")]
pub async fn decide(
    key: String,
    version: i64,
    decision: Decision,
    #[server(default)] reason: String,
    #[server(default)] result: String,
    #[server(default)] seen: i64,
    #[server(default)] back: String,
) -> Result<(), Trouble> {
    let here = super::Here::find()?;
    let parsed = super::build::key(&key)?;
    // An agreement leaves the version as it is: who saw none of it did not mean to be the last who agrees.
    if decision == Decision::Retry && seen > 0 && agreed_since(&here, &parsed, seen).await? {
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

/// Whether somebody else has agreed since the page was made.
async fn agreed_since(here: &super::Here, key: &holdpoint::Key, seen: i64) -> Result<bool, Trouble> {
    let found = match here.ledger.read(&here.actor, key).await {
        // What is not there is told by the decision.
        Err(holdpoint::ledger::Error::NotFound { .. }) => return Ok(false),
        found => found?,
    };
    let seen = holdpoint::Time::from_micros(seen);
    let mut agreed = found.action.approvals.iter();
    Ok(agreed.any(|approval| approval.at > seen && approval.by != here.actor.name()))
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
            "/review" => super::review::go_on(here, self.query).await,
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
