//! Tokens: made once, shown once, revoked for good.

use holdpoint::ledger::{Actor, Error, NewToken, Token};
use holdpoint::{Ledger, Time};
use leptos::prelude::*;
use serde::Deserialize;

use super::Here;
use crate::address::Query;
use crate::context::Made;
use crate::view::{Hue, NoticeView, Problem, TokenForm, TokenRow, TokenState, TokensView, text};
use crate::{Trouble, respond};

const PAGE: &str = "/tokens";

/// Tokens, and the form that makes one.
pub async fn tokens(query: Query) -> Result<TokensView, Trouble> {
    let here = Here::find()?;
    let tokens = here.ledger.tokens(&here.actor).await?;
    let operators = here.ledger.operators(&here.actor).await?;
    let now = here.ledger.now().await?;
    let disabled = |name: &str| operators.iter().any(|o| o.name == name && o.disabled);
    let typed = |name: &str| query.get(name).unwrap_or_default().to_owned();
    let rows: Vec<_> = tokens
        .into_iter()
        .map(|token| row(token, now, disabled))
        .collect();
    Ok(TokensView {
        notice: done(&query, &rows),
        tokens: rows,
        people: operators
            .iter()
            .filter(|o| !o.disabled)
            .map(|o| o.name.clone())
            .collect(),
        typed: TokenForm {
            name: typed("name"),
            scope: typed("scope"),
            operator: typed("operator"),
            kinds: typed("kinds"),
            days: query
                .get("problem")
                .map_or_else(|| "90".to_owned(), |_| typed("days")),
        },
        problem: problem(&query),
        made: use_context::<Made>().map(|made| (made.name, made.secret)),
    })
}

fn row(token: Token, now: Time, disabled: impl Fn(&str) -> bool) -> TokenRow {
    let state = if token.revoked_at.is_some() {
        TokenState::Revoked
    } else if token.expires_at.is_some_and(|end| end <= now) {
        TokenState::Expired
    } else if token.operator.as_deref().is_some_and(disabled) {
        TokenState::OwnerDisabled
    } else {
        TokenState::Valid
    };
    TokenRow {
        name: token.name,
        scope: token.scope,
        operator: token.operator,
        kinds: token.kinds.unwrap_or_default(),
        created: token.created_at.into(),
        used: token.last_used_at.map(Into::into),
        expires: token.expires_at.map(Into::into),
        state,
    }
}

/// The form that makes a token, as a browser sends it. Its answer is a page, which shows the secret.
#[derive(Debug, Deserialize)]
pub struct NewTokenForm {
    name: String,
    scope: String,
    #[serde(default)]
    operator: String,
    #[serde(default)]
    kinds: String,
    #[serde(default)]
    days: String,
}

/// Makes a token; or the page to go back to, with what was typed.
///
/// # Errors
/// [`Trouble`] where no page could say it better.
pub async fn make_token(
    ledger: &Ledger,
    actor: &Actor,
    form: NewTokenForm,
) -> Result<Result<Made, String>, Trouble> {
    let name = form.name.trim().to_owned();
    let code = match form.wanted(&name) {
        Err(code) => code,
        Ok(new) => match ledger.create_token(actor, new).await {
            Ok(secret) => return Ok(Ok(Made { name, secret })),
            Err(Error::Taken { .. }) => "taken",
            Err(Error::NotFound { .. }) => "operator",
            Err(Error::Invalid { field, .. }) => match field {
                "expires_in_s" => "days",
                other => other,
            },
            Err(Error::InvalidIntent(_)) => "kinds",
            Err(error @ (Error::Contended | Error::Store(_))) => {
                tracing::warn!(%error, "a token could not be made");
                "unavailable"
            }
            Err(error) => return Err(error.into()),
        },
    };
    let query = Query::default()
        .with("problem", code)
        .with("name", super::bounded(&name))
        .with("scope", super::bounded(&form.scope))
        .with("operator", super::bounded(&form.operator))
        .with("kinds", super::bounded(&form.kinds))
        .with("days", super::bounded(&form.days));
    Ok(Err(query.at(PAGE)))
}

impl NewTokenForm {
    /// What is wanted, or the field that cannot be read.
    fn wanted(&self, name: &str) -> Result<NewToken, &'static str> {
        let kinds: Vec<_> = self
            .kinds
            .split([',', ' ', '\n'])
            .map(str::trim)
            .filter(|kind| !kind.is_empty())
            .map(str::to_owned)
            .collect();
        let days = match self.days.trim() {
            "" => None,
            days => Some(days.parse::<u32>().map_err(|_| "days")?),
        };
        Ok(NewToken {
            name: name.to_owned(),
            scope: self.scope.parse().map_err(|_| "scope")?,
            operator: Some(self.operator.trim().to_owned()).filter(|name| !name.is_empty()),
            kinds: Some(kinds).filter(|kinds| !kinds.is_empty()),
            expires_in_s: days.map(|days| i64::from(days) * 86_400),
        })
    }
}

/// Ends a token.
#[server(prefix = "/_fn", endpoint = "revoke_token")]
pub async fn revoke_token(name: String, #[server(default)] reason: String) -> Result<(), Trouble> {
    let here = Here::find()?;
    let query = Query::default().with("which", &name);
    let revoked = here
        .ledger
        .revoke_token_because(&here.actor, &name, &reason)
        .await;
    let query = match revoked {
        // Revoked already, it is what was wanted.
        Ok(()) | Err(Error::NotFound { .. }) => query.with("done", "revoked"),
        Err(Error::Invalid { .. }) => query
            .with("problem", "reason")
            .with("why", super::bounded(&reason)),
        Err(error @ (Error::Contended | Error::Store(_))) => {
            tracing::warn!(%error, "a token could not be revoked");
            query.with("problem", "unavailable")
        }
        Err(error) => return Err(error.into()),
    };
    respond::send_to(&query.at(PAGE));
    Ok(())
}

fn problem(query: &Query) -> Option<Problem> {
    let (field, why) = match query.get("problem")? {
        "taken" => (
            "name",
            "There is, or was, a token or a person of this name: names are used once.",
        ),
        "name" => (
            "name",
            "Give 1 to 64 letters, digits and . - _ @ +, each word in one script, and no name that looks like another’s.",
        ),
        "scope" => ("scope", "Choose what it may do."),
        "operator" => (
            "operator",
            "A token that decides or administers acts as a person: name one.",
        ),
        "kinds" => (
            "kinds",
            "Kinds go with workers’ tokens, spelled as their workers spell them.",
        ),
        "days" => (
            "days",
            "Give 1 to 36500 days, or nothing for a token that does not end.",
        ),
        "reason" => ("reason", "Say why, in a few words: it is kept in the audit."),
        _ => return None,
    };
    Some(Problem {
        of: query.get("which").unwrap_or_default().to_owned(),
        field,
        why: why.to_owned(),
    })
}

/// What the last press of a button came to, as long as it is borne out by how things stand.
fn done(query: &Query, rows: &[TokenRow]) -> Option<NoticeView> {
    let said = |hue, what: String, more: &str| Some(NoticeView::new(hue, what, vec![text(more)]));
    let nothing = || "Nothing was changed.".to_owned();
    match (query.get("done"), query.get("problem")) {
        (Some("revoked"), _) => {
            let which = query.get("which")?;
            let row = rows.iter().find(|row| row.name == which)?;
            (row.state == TokenState::Revoked).then_some(())?;
            let what = format!("The token {which} is revoked.");
            said(Hue::Ok, what, "Whoever shows it from now on is refused.")
        }
        (_, Some("unavailable")) => said(Hue::Bad, nothing(), "The database did not answer. Try it again."),
        (_, Some(_)) => said(Hue::Bad, nothing(), "What is wrong stands at its field."),
        _ => None,
    }
}
