//! `GET /api/v1/events`: what changes, as it changes, by server-sent events.
//!
//! Events carry keys and versions, never what a payload holds. Who listens is looked at before each delivery and at
//! each heartbeat, so that nothing is told to who was signed out meanwhile.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::Stream;
use futures::stream::unfold;
use holdpoint::ledger::{self, Change, Mark, News, PolicyChange};
use holdpoint::{Actor, Scope, Time};
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use super::openapi::shapes;
use crate::auth::watcher::Watcher;
use crate::live::{Heard, Listener, Waiting};
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// How many events are told after one look at who listens.
const AT_ONCE: usize = 64;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Proxies that gather an answer before they pass it on would hold events back.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What changes, as it changes.
///
/// Server-sent events: `action` and `policy` carry names and versions and never what a payload holds, `waiting` says
/// how many actions wait for a person, `resync` that everything has to be read anew, `signed-out` that nothing more is
/// told. The stream ends with the caller's right to it.
#[utoipa::path(
    get, path = "/events", operation_id = "events", tag = "Watching",
    params(("Last-Event-ID" = Option<String>, Header, description = "The last event that arrived: what was missed since comes first.")),
    responses((status = 200, description = "The stream, which has no end of its own.", body = shapes::File, content_type = "text/event-stream")),
    security(("bearer" = ["read"])),
)]
pub async fn events(
    State(state): State<AppState>,
    watcher: Watcher,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let actor = watcher.look(&state).await?.ok_or_else(signed_out)?;
    if !actor.may(Scope::Read) {
        return Err(ledger::Error::Forbidden { needs: Scope::Read }.into());
    }
    let place = state.live.place().ok_or_else(full)?;
    let listener = state.live.listen(place).await.ok_or_else(unreadable)?;
    let (mark, begins) = resume(&state, &actor, &listener.from, &headers).await?;
    let told = Told {
        watcher,
        mark,
        listener,
        first: Some(begins),
        heartbeat: Instant::now() + state.live.heartbeat(),
        over: false,
        state,
    };
    let mut answer = Sse::new(told.stream()).into_response();
    let own = answer.headers_mut();
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    own.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    Ok(answer)
}

/// Where the stream begins and what comes first: what was missed since the last event that arrived, or that it cannot
/// be told.
async fn resume(
    state: &AppState,
    actor: &Actor,
    from: &Mark,
    headers: &HeaderMap,
) -> Result<(Mark, Round), Problem> {
    let Some(last) = headers.get(LAST_EVENT_ID) else {
        return Ok((from.clone(), Round::Lives(from.clone())));
    };
    let mark = match last.to_str() {
        Ok(last) => state.ledger.mark(actor, last).await?,
        Err(_) => None,
    };
    let Some(mark) = mark else {
        return Ok((from.clone(), Round::Anew(from.clone())));
    };
    // Read after the listening began: what changes in between comes twice rather than never.
    let mut missed = state.ledger.changes_since(actor, &mark).await?;
    missed.mark = from.clone();
    Ok((mark, Round::News(missed.into(), 0)))
}

fn signed_out() -> Problem {
    Problem::new(
        &kind::UNAUTHORIZED,
        "Send `Authorization: Bearer hp_…`, or sign in.",
    )
}

fn full() -> Problem {
    let detail = "This server has no room for another stream: close one, or ask for /actions now and then.";
    Problem::new(&kind::TOO_MANY_STREAMS, detail).retry_after(15)
}

fn unreadable() -> Problem {
    let detail = "What changes can't be read now. Try the same again.";
    Problem::new(&kind::UNAVAILABLE, detail).retry_after(5)
}

/// What is due to be told.
enum Round {
    /// News, from this one on.
    News(Arc<News>, usize),
    /// Everything has to be read anew: more changed than is told, or nobody knows since when.
    Anew(Mark),
    /// Nothing but that the stream lives, and what waits.
    Lives(Mark),
    /// How many wait.
    Waiting(Waiting),
}

/// A stream under way.
struct Told {
    state: AppState,
    watcher: Watcher,
    listener: Listener,
    /// Everything before it has been told here.
    mark: Mark,
    /// What comes before anything else is listened to.
    first: Option<Round>,
    heartbeat: Instant,
    over: bool,
}

#[derive(Serialize)]
struct ActionEvent<'a> {
    key: &'a str,
    status: &'a str,
    version: i64,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    agreed: &'a [String],
}

#[derive(Serialize)]
struct WaitingEvent {
    count: u32,
    more: bool,
    everything_paused: bool,
    reaper_passed_at: Option<String>,
}

#[derive(Serialize)]
struct PolicyEvent<'a> {
    kind: Option<&'a str>,
    version: i64,
}

impl Told {
    fn stream(self) -> impl Stream<Item = Result<Event, Infallible>> {
        let rounds = unfold(self, |mut told| async move {
            let events = told.next().await?;
            Some((events, told))
        });
        futures::StreamExt::flat_map(rounds, |events| {
            futures::stream::iter(events.into_iter().map(Ok::<_, Infallible>))
        })
    }

    /// The events of the next round; `None` where the stream is over.
    async fn next(&mut self) -> Option<Vec<Event>> {
        if self.over {
            return None;
        }
        let round = match self.first.take() {
            Some(round) => round,
            None => self.round().await?,
        };
        let events = match self.watcher.look(&self.state).await {
            Ok(Some(actor)) if actor.may(Scope::Read) => self.events(round),
            Ok(_) => {
                self.over = true;
                vec![Event::default().event("signed-out").data("{}")]
            }
            // Nobody can tell who listens: nothing is told, and the stream is resumed where it ended.
            Err(_) => return None,
        };
        if !events.is_empty() {
            self.heartbeat = Instant::now() + self.state.live.heartbeat();
        }
        Some(events)
    }

    /// Waits for what is due next.
    async fn round(&mut self) -> Option<Round> {
        tokio::select! {
            heard = self.listener.hear() => match heard {
                Heard::News(news) => Some(Round::News(news, 0)),
                Heard::Waiting(waiting) => Some(Round::Waiting(waiting)),
                // The mark stays: what is still to be heard comes after it.
                Heard::Missed => Some(Round::Anew(self.mark.clone())),
                Heard::Over => None,
            },
            () = sleep_until(self.heartbeat) => {
                let mark = self.listener.caught_up();
                Some(Round::Lives(mark.unwrap_or_else(|| self.mark.clone())))
            }
            () = self.state.stopping.cancelled() => None,
        }
    }

    fn events(&mut self, round: Round) -> Vec<Event> {
        match round {
            Round::Lives(mark) => {
                self.mark = mark;
                let alive = Event::default().comment("").id(self.mark.to_string());
                let waiting = self.listener.waiting();
                std::iter::once(alive).chain(waiting.map(of_waiting)).collect()
            }
            // It bears no id: it is no change to go on from.
            Round::Waiting(waiting) => vec![of_waiting(waiting)],
            Round::Anew(mark) => {
                self.mark = mark;
                vec![
                    Event::default()
                        .event("resync")
                        .id(self.mark.to_string())
                        .data("{}"),
                ]
            }
            Round::News(news, _) if news.missed => self.events(Round::Anew(news.mark.clone())),
            Round::News(news, from) => {
                let before = self.mark.clone();
                let items = items(&news);
                let mut told = Vec::new();
                for item in items.iter().skip(from).take(AT_ONCE) {
                    self.mark = before.on_the_way(item.at(), &news.mark);
                    told.push(item.event().id(self.mark.to_string()));
                }
                if items.len() > from + AT_ONCE {
                    self.first = Some(Round::News(news.clone(), from + AT_ONCE));
                } else {
                    self.mark = news.mark.clone();
                }
                told
            }
        }
    }
}

/// One of the news.
enum Item<'a> {
    Policy(&'a PolicyChange),
    Action(&'a Change),
}

/// All of them by when they changed: whoever was told one of them was told all that came before.
fn items(news: &News) -> Vec<Item<'_>> {
    let policies = news.policies.iter().map(Item::Policy);
    let mut items: Vec<_> = policies.chain(news.actions.iter().map(Item::Action)).collect();
    items.sort_by_key(Item::at);
    items
}

impl Item<'_> {
    const fn at(&self) -> Time {
        match self {
            Self::Policy(change) => change.at,
            Self::Action(change) => change.at,
        }
    }

    fn event(&self) -> Event {
        match self {
            Self::Policy(change) => {
                let data = PolicyEvent {
                    kind: change.kind.as_deref(),
                    version: change.version,
                };
                event("policy", &data)
            }
            Self::Action(change) => {
                let data = ActionEvent {
                    key: change.key.as_str(),
                    status: change.status.as_str(),
                    version: change.version,
                    kind: &change.kind,
                    by: change.by.as_deref(),
                    agreed: &change.agreed,
                };
                event("action", &data)
            }
        }
    }
}

fn of_waiting(waiting: Waiting) -> Event {
    let data = WaitingEvent {
        count: waiting.held.count,
        more: waiting.held.more,
        everything_paused: waiting.everything_paused,
        reaper_passed_at: waiting.reaper_passed_at.map(|at| at.to_string()),
    };
    event("waiting", &data)
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Names, numbers and texts can always be written; where they could not, the event says which it would have been.
    let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    Event::default().event(name).data(data)
}
