//! The people who may sign in, and what admins do to them. A password that was typed is never typed again by us.

use holdpoint::ledger::{AuditFilter, Error, Operator};
use holdpoint::{AuditEvent, Role, Scope};
use leptos::prelude::*;

use super::Here;
use crate::address::Query;
use crate::context::{Passwords, UnfitPassword};
use crate::view::{Hue, NoticeView, OperatorsView, PersonView, Problem, text};
use crate::{Trouble, respond};

const PAGE: &str = "/operators";

/// The people who may sign in.
pub async fn operators(query: Query) -> Result<OperatorsView, Trouble> {
    let here = Here::find()?;
    let all = here.ledger.operators(&here.actor).await?;
    let admin = |o: &Operator| o.role == Role::Admin && !o.disabled;
    let last = all.iter().filter(|o| admin(o)).count() == 1;
    let people = all.iter().map(|o| PersonView {
        name: o.name.clone(),
        role: o.role,
        disabled: o.disabled,
        since: o.created_at.into(),
        own: o.name == here.actor.name(),
        last: last && admin(o),
    });
    let typed = query.get("name").unwrap_or_default().to_owned();
    Ok(OperatorsView {
        people: people.collect(),
        typed: (typed, query.read("role").unwrap_or(Role::Operator)),
        problem: problem(&query),
        notice: done(&here, &query, &all).await?,
    })
}

/// Adds somebody.
#[server(prefix = "/_fn", endpoint = "add_operator")]
pub async fn add_operator(name: String, role: Role, password: String) -> Result<(), Trouble> {
    let here = Here::find()?;
    let name = name.trim();
    let outcome = async {
        let hash = hashed(&here, password).await?;
        let added = here.ledger.add_operator(&here.actor, name, role, &hash).await;
        added.map_err(Refused::Ledger)
    };
    let query = Query::default();
    let query = match outcome.await {
        Ok(()) => query.with("done", "added").with("who", name),
        Err(refused) => refused
            .told(query)?
            .with("name", super::bounded(name))
            .with("role", role.as_str()),
    };
    respond::send_to(&query.at(PAGE));
    Ok(())
}

/// Changes what somebody may do: `what` is `role`, `disable`, `enable` or `password`.
#[server(prefix = "/_fn", endpoint = "change_operator")]
pub async fn change_operator(
    name: String,
    what: String,
    #[server(default)] role: String,
    #[server(default)] password: String,
) -> Result<(), Trouble> {
    let here = Here::find()?;
    let outcome = async {
        let (mut new_role, mut hash, mut disabled) = (None, None, None);
        match what.as_str() {
            "role" => new_role = Some(role.parse().map_err(|_| Refused::Form)?),
            "disable" => disabled = Some(true),
            "enable" => disabled = Some(false),
            "password" => hash = Some(hashed(&here, password).await?),
            _ => return Err(Refused::Form),
        }
        let change = here
            .ledger
            .change_operator(&here.actor, &name, new_role, hash.as_deref(), disabled);
        change.await.map_err(Refused::Ledger)
    };
    let query = Query::default().with("who", &name);
    let query = match outcome.await {
        Ok(()) => query.with("done", &what),
        Err(refused) => refused.told(query)?,
    };
    respond::send_to(&query.at(PAGE));
    Ok(())
}

/// Why nothing was changed.
enum Refused {
    Ledger(Error),
    Password,
    Form,
}

impl Refused {
    /// The code that the page reads.
    fn told(self, query: Query) -> Result<Query, Trouble> {
        let code = match self {
            Self::Password => "password",
            Self::Form => {
                return Err(Trouble::Invalid {
                    field: "form".to_owned(),
                    detail: "a field holds what it cannot".to_owned(),
                });
            }
            Self::Ledger(Error::Taken { .. }) => "taken",
            Self::Ledger(Error::LastAdmin { .. }) => "last_admin",
            Self::Ledger(Error::Invalid { field: "name", .. }) => "name",
            Self::Ledger(Error::Contended | Error::Store(_)) => "unavailable",
            Self::Ledger(error) => return Err(error.into()),
        };
        Ok(query.with("problem", code))
    }
}

/// Hashing is work, which is done for nobody whom the ledger would refuse.
async fn hashed(here: &Here, password: String) -> Result<String, Refused> {
    if !here.actor.may(Scope::Admin) {
        return Err(Refused::Ledger(Error::Forbidden { needs: Scope::Admin }));
    }
    let Some(Passwords(hash)) = use_context::<Passwords>() else {
        tracing::error!("the server hands no way to hash passwords to its pages");
        return Err(Refused::Ledger(Error::Internal));
    };
    hash(password).await.map_err(|unfit| match unfit {
        UnfitPassword::Rule(_) => Refused::Password,
        UnfitPassword::Failed => Refused::Ledger(Error::Internal),
    })
}

/// The field that was not taken.
fn problem(query: &Query) -> Option<Problem> {
    let (field, why) = match query.get("problem")? {
        "taken" => ("name", "This name is taken, now or by somebody before."),
        "name" => (
            "name",
            "Give 1 to 64 letters, digits and . - _ @ +, each word in one script, and no name that looks like another’s.",
        ),
        "password" => ("password", "Take 8 characters or more, and 1,024 bytes or fewer."),
        "last_admin" => (
            "role",
            "This is the last admin who may sign in: make another one first.",
        ),
        _ => return None,
    };
    Some(Problem {
        of: query.get("who").unwrap_or_default().to_owned(),
        field,
        why: why.to_owned(),
    })
}

/// What the last press of a button came to, as long as it is borne out by how things stand.
async fn done(here: &Here, query: &Query, all: &[Operator]) -> Result<Option<NoticeView>, Trouble> {
    let said = |hue, what: String, more: &str| Some(NoticeView::new(hue, what, vec![text(more)]));
    match query.get("problem") {
        Some("unavailable") => {
            let what = "Nothing was changed: the database did not answer.".to_owned();
            return Ok(said(Hue::Bad, what, "Try it again."));
        }
        Some("taken" | "name" | "password" | "last_admin") => {
            return Ok(said(
                Hue::Bad,
                "Nothing was changed.".to_owned(),
                "What is wrong stands at its field.",
            ));
        }
        _ => {}
    }
    let Some(who) = query
        .get("who")
        .and_then(|who| all.iter().find(|o| o.name == who))
    else {
        return Ok(None);
    };
    let (name, role) = (&who.name, who.role);
    let ended = "Every session of theirs has ended.";
    Ok(match query.get("done") {
        Some("added") => said(
            Hue::Ok,
            format!("{name} may sign in as {role}."),
            "Hand the password over yourself.",
        ),
        Some("role") => said(Hue::Ok, format!("{name} is {role} now."), ended),
        Some("disable") if who.disabled => said(
            Hue::Ok,
            format!("{name} is disabled."),
            "Their sessions have ended, and their tokens are refused.",
        ),
        Some("enable") if !who.disabled => said(Hue::Ok, format!("{name} may sign in again."), ""),
        Some("password") if was_set(here, name).await? => {
            said(Hue::Ok, format!("{name} has a new password."), ended)
        }
        _ => None,
    })
}

/// Whether the newest password of that name was set by who asks.
async fn was_set(here: &Here, name: &str) -> Result<bool, Trouble> {
    let filter = AuditFilter {
        event: Some(AuditEvent::PasswordChanged),
        subject: Some(name.to_owned()),
        limit: 1,
        ..AuditFilter::default()
    };
    let newest = here.ledger.audit(&here.actor, &filter).await?.items.pop();
    Ok(newest.is_some_and(|line| line.actor.as_deref() == Some(here.actor.name())))
}
