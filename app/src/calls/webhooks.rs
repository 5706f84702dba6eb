//! Webhooks: made and given a secret by the server's own handlers, which know how to seal it; read, changed and taken
//! away here.

use holdpoint::ledger::{Actor, Delivery, Error, NewWebhook, Sealed, Webhook, WebhookChange};
use holdpoint::notice::{Message, Says};
use holdpoint::{Event, Ledger};
use leptos::prelude::*;

use super::Here;
use crate::address::Query;
use crate::context::Made;
use crate::view::{DeliveryRow, HookForm, HookRow, Hue, NoticeView, Problem, WebhooksView, text};
use crate::{Trouble, respond};

const PAGE: &str = "/webhooks";

/// How many messages of one webhook are shown.
const SHOWN: u32 = 100;

/// Webhooks, and the form that makes one.
pub async fn webhooks(query: Query) -> Result<WebhooksView, Trouble> {
    let here = Here::find()?;
    let all = here.ledger.webhooks(&here.actor).await?;
    let chosen = query.get("messages");
    let open = match all.iter().find(|hook| Some(&*hook.id) == chosen) {
        Some(hook) => {
            let told = here.ledger.deliveries(&here.actor, &hook.id, SHOWN).await?;
            let rows = told.iter().map(delivery).collect();
            Some((hook.id.clone(), hook.url.clone(), rows))
        }
        None => None,
    };
    Ok(WebhooksView {
        newest: all.last().map(|hook| hook.id.clone()).unwrap_or_default(),
        notice: done(&query, &all),
        typed: HookForm::typed(&query),
        problem: problem(&query),
        made: use_context::<Made>().map(|made| (made.name, made.secret)),
        webhooks: all.iter().map(row).collect(),
        open,
    })
}

fn row(hook: &Webhook) -> HookRow {
    HookRow {
        id: hook.id.clone(),
        form: HookForm {
            url: hook.url.clone(),
            events: hook.events.clone(),
            kinds: hook.kinds.clone().unwrap_or_default().join(", "),
        },
        enabled: hook.enabled,
        created: hook.created_at.into(),
        by: hook.created_by.clone(),
        old_secret: hook.old_secret_until.map(Into::into),
        failing: hook.failing_since.map(Into::into),
        because: hook.disabled_because.clone(),
        last: hook.last_delivery.as_ref().map(delivery),
    }
}

fn delivery(delivery: &Delivery) -> DeliveryRow {
    DeliveryRow {
        says: says(&delivery.message),
        state: delivery.state,
        made: delivery.made_at.into(),
        tries: delivery.tries,
        at: delivery.last.as_ref().map(|last| last.at.into()),
        heard: heard(delivery),
        next: delivery.next_at.map(Into::into),
    }
}

/// What a message says, in a few words.
fn says(message: &Message) -> String {
    let of = |words: String| {
        let kind = message.kind.iter().map(|kind| format!(" of {kind}"));
        let reason = message.reason.iter().map(|reason| format!(", {reason}"));
        kind.chain(reason).fold(words, |words, part| words + &part)
    };
    match message.says {
        Says::Test => "a test".to_owned(),
        Says::Happened(Event::Paused) => of("a pause".to_owned()),
        Says::Happened(event) => of(format!("{} {}", message.count, event.as_str().replace('_', " "))),
        Says::Recovered(event, left) => of(format!(
            "recovered, {left} left {}",
            event.as_str().replace('_', " ")
        )),
    }
}

/// How the last try of it ended.
fn heard(delivery: &Delivery) -> String {
    let Some(last) = &delivery.last else {
        return "not tried yet".to_owned();
    };
    let took = format!("after {} ms", last.heard.took_ms);
    match (last.heard.status, &last.heard.error) {
        (_, Some(error)) => format!("{error}, {took}"),
        (Some(status), None) => format!("answered {status} {took}"),
        (None, None) => format!("taken {took}"),
    }
}

impl HookForm {
    /// What was typed and not taken.
    fn typed(query: &Query) -> Self {
        let typed = |name: &str| query.get(name).unwrap_or_default().to_owned();
        Self {
            url: typed("url"),
            events: match query.get("events") {
                Some(words) => words.split(',').filter_map(|word| word.parse().ok()).collect(),
                // What most want to be told of.
                None if query.get("problem").is_none() => vec![Event::Held, Event::Failed],
                None => Vec::new(),
            },
            kinds: typed("kinds"),
        }
    }

    /// A form's fields, as a browser sends them. A word that names no event is none.
    pub fn read(url: &str, events: &[String], kinds: &str) -> Self {
        Self {
            url: url.trim().to_owned(),
            events: events.iter().filter_map(|word| word.parse().ok()).collect(),
            kinds: kinds.to_owned(),
        }
    }

    fn kinds(&self) -> Option<Vec<String>> {
        let parts = self.kinds.split([',', ' ', '\n']).map(str::trim);
        let kinds: Vec<_> = parts.filter(|kind| !kind.is_empty()).map(str::to_owned).collect();
        (!kinds.is_empty()).then_some(kinds)
    }

    /// The page that says what was not taken, with what was typed. An address with a password in it stands in no other.
    pub fn back(&self, problem: &str) -> String {
        let url = if self.url.contains('@') { "" } else { &self.url };
        let events: Vec<_> = self.events.iter().map(|event| event.as_str()).collect();
        Query::default()
            .with("problem", problem)
            .with("url", super::bounded(url))
            .with("events", &events.join(","))
            .with("kinds", super::bounded(&self.kinds))
            .at(PAGE)
    }
}

/// Makes a webhook; or the page to go back to, with what was typed. `newest` is the newest webhook that the form knew.
///
/// # Errors
/// [`Trouble`] where no page could say it better.
pub async fn make_webhook(
    ledger: &Ledger,
    actor: &Actor,
    form: HookForm,
    newest: &str,
    (id, sealed): (String, Sealed),
) -> Result<Result<(), String>, Trouble> {
    let all = ledger.webhooks(actor).await?;
    let mut newer = all.iter().rev().take_while(|hook| hook.id != newest);
    // The page with the secret, loaded anew, sends the form anew.
    let same = |hook: &Webhook| hook.url == form.url && hook.created_by == actor.name();
    if newer.any(same) {
        return Ok(Err(Query::default().with("problem", "again").at(PAGE)));
    }
    let new = NewWebhook {
        id,
        url: form.url.clone(),
        events: form.events.clone(),
        kinds: form.kinds(),
        enabled: true,
        secret: sealed,
    };
    let made = ledger.add_webhook(actor, new).await;
    match code(made.map(drop))? {
        None => Ok(Ok(())),
        Some(code) => Ok(Err(form.back(code))),
    }
}

/// The code of what was wrong, where something was.
fn code(done: Result<(), Error>) -> Result<Option<&'static str>, Trouble> {
    match done {
        Ok(()) => Ok(None),
        Err(Error::Invalid { field, .. }) => Ok(Some(field)),
        Err(Error::NotFound { .. }) => Ok(Some("gone")),
        Err(error @ (Error::Contended | Error::Store(_))) => {
            tracing::warn!(%error, "a webhook could not be changed");
            Ok(Some("unavailable"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Changes a webhook: where it goes, what it is told of, and whether anything is sent.
#[server(prefix = "/_fn", endpoint = "change_webhook")]
pub async fn change_webhook(
    id: String,
    url: String,
    #[server(default)] events: Vec<String>,
    #[server(default)] kinds: String,
    #[server(default)] sent: String,
) -> Result<(), Trouble> {
    let here = Here::find()?;
    let form = HookForm::read(&url, &events, &kinds);
    let change = WebhookChange {
        url: Some(form.url.clone()),
        events: Some(form.events.clone()),
        kinds: Some(form.kinds()),
        enabled: Some(sent == "true"),
    };
    let changed = here.ledger.change_webhook(&here.actor, &id, change).await;
    let query = Query::default().with("which", &id);
    let query = match code(changed.map(drop))? {
        None => query.with("done", "changed"),
        Some(code) => query.with("problem", code),
    };
    respond::send_to(&query.at(PAGE));
    Ok(())
}

/// Takes a webhook away, with all that was and was to be told to it.
#[server(prefix = "/_fn", endpoint = "remove_webhook")]
pub async fn remove_webhook(id: String) -> Result<(), Trouble> {
    let here = Here::find()?;
    let query = match code(here.ledger.delete_webhook(&here.actor, &id).await)? {
        // Gone already, it is what was wanted.
        None | Some("gone") => Query::default().with("done", "removed"),
        Some(code) => Query::default().with("problem", code),
    };
    respond::send_to(&query.with("which", &id).at(PAGE));
    Ok(())
}

fn problem(query: &Query) -> Option<Problem> {
    let (field, why) = match query.get("problem")? {
        "url" => (
            "url",
            "This server does not send there: give https://… of a host outside, without a name, a password or #. Private addresses need HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS=true.",
        ),
        "events" => ("events", "Choose one or more."),
        "kinds" => (
            "kinds",
            "Up to 100 kinds, each once, spelled as their workers spell them.",
        ),
        _ => return None,
    };
    Some(Problem {
        of: query.get("which").unwrap_or_default().to_owned(),
        field,
        why: why.to_owned(),
    })
}

/// What the last press of a button came to, as long as it is borne out by how things stand.
fn done(query: &Query, all: &[Webhook]) -> Option<NoticeView> {
    let said = |hue, what: String, more: String| Some(NoticeView::new(hue, what, vec![text(more)]));
    let which = query.get("which").unwrap_or_default();
    let hook = all.iter().find(|hook| hook.id == which);
    let nothing = |more: &str| said(Hue::Bad, "Nothing was changed.".to_owned(), more.to_owned());
    match (query.get("done"), query.get("problem")) {
        (Some("changed"), _) => {
            let hook = hook?;
            let (what, more) = if hook.enabled {
                ("It is told of what happens from now on.", "")
            } else {
                (
                    "Nothing is sent to it",
                    " What was still to be told is forgotten.",
                )
            };
            said(
                Hue::Ok,
                format!("The webhook to {} is changed.", hook.url),
                format!("{what}{more}"),
            )
        }
        (Some("removed"), _) if hook.is_none() => said(
            Hue::Ok,
            "The webhook is taken away.".to_owned(),
            "Nothing is sent to it any more.".to_owned(),
        ),
        (Some("tested"), _) => {
            let hook = hook?;
            let last = hook.last_delivery.as_ref()?;
            (last.message.says == Says::Test).then_some(())?;
            let came = last.state == holdpoint::DeliveryState::Delivered;
            let (hue, what) = if came {
                (Hue::Ok, format!("The test came through to {}.", hook.url))
            } else {
                (
                    Hue::Bad,
                    format!("The test did not come through to {}.", hook.url),
                )
            };
            let lead = if came { "It was" } else { "Why:" };
            said(hue, what, format!("{lead} {}.", heard(last)))
        }
        (_, Some("again")) => said(
            Hue::Hold,
            "This webhook is made already.".to_owned(),
            "Its secret was shown once. Give it a new one if it was not taken.".to_owned(),
        ),
        (_, Some("renewed")) => said(
            Hue::Hold,
            "It was given a new secret meanwhile.".to_owned(),
            "No other one was made: look at when the one before it ends.".to_owned(),
        ),
        (_, Some("unset")) => nothing(
            "A webhook's secret is kept encrypted: set HOLDPOINT_SECRET_KEY, and start the server anew.",
        ),
        (_, Some("gone")) => nothing("There is no such webhook any more."),
        (_, Some("unavailable")) => nothing("The database did not answer. Try it again."),
        (_, Some(_)) => nothing("What is wrong stands at its field."),
        _ => None,
    }
}
