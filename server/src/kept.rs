//! What was typed into a form that came to nothing: a decision that was refused, or one whose sender was signed out
//! meanwhile. It is shown again by the answer to that form, and stands in no address, no cookie and no log.

use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use holdpoint::Actor;
use holdpoint_app::address::Query;
use holdpoint_app::{Again, Said, Since, Told, Typed, left_out};
use serde::Deserialize;

use crate::auth::local;
use crate::auth::sign_in::{see_other, tell};
use crate::pages::instead;
use crate::problem::{Problem, kind};
use crate::state::AppState;
use crate::ways::{came_from, login_url, wants_html};

/// The functions whose forms hold what somebody thought out.
const DECIDE: [&str; 2] = ["/_fn/decide", "/_fn/decide_selection"];
/// The largest form that is read, in bytes: evidence of 1 MiB, each sign of it escaped.
const LARGEST: usize = 3 * 1024 * 1024 + 64 * 1024;
/// The largest of one who is not signed in.
const LARGEST_OF_A_STRANGER: usize = 128 * 1024;
/// The longest reason that is taken, in characters.
const REASON: usize = 2_000;
/// The longest evidence that is taken along by the form of signing in, in bytes.
const RESULT: usize = 32 * 1024;

/// Whether a browser sends a form that decides.
pub fn decides(parts: &Parts) -> bool {
    parts.method == Method::POST && DECIDE.contains(&parts.uri.path()) && wants_html(&parts.headers)
}

/// The form, and a body that says the same.
///
/// # Errors
/// [`Problem`] where it is larger than any form of ours.
pub async fn read(body: Body) -> Result<(Query, Body), Problem> {
    let bytes = to_bytes(body, LARGEST).await.map_err(|_| {
        Problem::new(
            &kind::TOO_LARGE,
            "The form is larger than a decision with its evidence.",
        )
    })?;
    let form = std::str::from_utf8(&bytes).map(Query::parse).unwrap_or_default();
    Ok((form, Body::from(bytes)))
}

/// The page that a refused form leads to, with the form's fields, as its answer; or the answer as it came.
pub async fn refused(
    state: &AppState,
    mut parts: Parts,
    person: Option<&Actor>,
    form: Query,
    answer: Response,
) -> Response {
    let location = answer
        .headers()
        .get(header::LOCATION)
        .and_then(|to| to.to_str().ok());
    let Some(location) = location.map(|to| local(to).to_owned()) else {
        return answer;
    };
    let query = location.split_once('?').map_or("", |(_, query)| query);
    let Some(status) = Query::parse(query).get("problem").map(status) else {
        return answer;
    };
    if let Some(person) = person
        && let Ok(mark) = state.ledger.present(person).await
    {
        parts.extensions.insert(Since(mark.to_string()));
    }
    let again = Again::Refused;
    parts.extensions.insert(Typed { form, again });
    let mut page = instead(state, parts, &location, Said::default()).await;
    // Where there is no such page, there is nothing to show it on.
    if page.status() == StatusCode::OK {
        *page.status_mut() = status;
    } else if page.status() != status {
        return answer;
    }
    page
}

/// Whether a form says that it was made for somebody else.
pub fn is_of_somebody_else(form: &Query, person: &Actor) -> bool {
    form.get("by").is_some_and(|by| by != person.name())
}

/// The case of a form that was made for somebody else, who was signed in in this browser before: nothing was done, and
/// what they typed is not shown.
pub async fn of_somebody_else(state: &AppState, mut parts: Parts, form: &Query) -> Response {
    let typed = Typed::of_somebody_else(form);
    let address = typed.page();
    parts.extensions.insert(typed);
    let mut page = instead(state, parts, &address, Said::default()).await;
    if page.status() == StatusCode::OK {
        *page.status_mut() = StatusCode::CONFLICT;
    }
    page
}

/// What the code of a problem comes to.
fn status(code: &str) -> StatusCode {
    match code {
        "changed" | "not_held" | "decided" => StatusCode::CONFLICT,
        "forbidden" => StatusCode::FORBIDDEN,
        "gone" => StatusCode::NOT_FOUND,
        "unavailable" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// A form of somebody whose session had ended: the way in, which says that nothing was done, and takes along what was
/// typed where that was a decision.
pub async fn signed_out(state: &AppState, mut parts: Parts, body: Body) -> Response {
    let form = if decides(&parts) {
        let bytes = to_bytes(body, LARGEST_OF_A_STRANGER).await.unwrap_or_default();
        std::str::from_utf8(&bytes).map(Query::parse).unwrap_or_default()
    } else {
        Query::default()
    };
    if form.get("reason").is_none() && form.get("result").is_none() {
        return tell(state, &login_url(&came_from(&parts)), Told::SignedOut, "");
    }
    let said = Said {
        told: Some(Told::SignedOut),
        typed: form.get("by").unwrap_or_default().chars().take(64).collect(),
    };
    let typed = Typed {
        form: bounded(form),
        again: Again::SignedOut,
    };
    let address = login_url(&typed.page());
    parts.extensions.insert(typed);
    let mut page = instead(state, parts, &address, said).await;
    let challenge = HeaderValue::from_static("Bearer realm=\"holdpoint\"");
    page.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    page
}

/// No more than the page of signing in takes along.
fn bounded(form: Query) -> Query {
    let cut = |field: &str, most: usize| {
        let text = form.get(field).unwrap_or_default();
        text.chars().take(most).collect::<String>()
    };
    let reason = cut("reason", REASON);
    let result = form.get("result").unwrap_or_default();
    // Half of a JSON text is none: what is too long is left out.
    let result = if result.len() > RESULT { "" } else { result }.to_owned();
    let except = left_out(&form).join(",");
    form.only(&["key", "id", "back", "by", "spread_s"])
        .with("except", &except)
        .with("reason", &reason)
        .with("result", &result)
}

/// What the form of signing in took along.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Kept {
    #[serde(rename = "kept_key")]
    key: String,
    #[serde(rename = "kept_id")]
    id: String,
    #[serde(rename = "kept_back")]
    back: String,
    #[serde(rename = "kept_by")]
    by: String,
    #[serde(rename = "kept_spread_s")]
    spread_s: String,
    #[serde(rename = "kept_except")]
    except: String,
    #[serde(rename = "kept_reason")]
    reason: String,
    #[serde(rename = "kept_result")]
    result: String,
}

impl Kept {
    /// What was typed, where anything was.
    pub fn typed(self) -> Option<Typed> {
        if self.reason.is_empty() && self.result.is_empty() {
            return None;
        }
        let form = Query::default()
            .with("key", &self.key)
            .with("id", &self.id)
            .with("back", &self.back)
            .with("by", &self.by)
            .with("spread_s", &self.spread_s)
            .with("except", &self.except)
            .with("reason", &self.reason)
            .with("result", &self.result);
        Some(Typed {
            form: bounded(form),
            again: Again::SignedOut,
        })
    }
}

/// Leads whoever has just signed in to the page that the form stood on: with what they typed, and without what somebody
/// else did.
pub fn signed_in(state: &AppState, person: &str, typed: Typed) -> Response {
    let mut response = see_other(&typed.page());
    let own = typed.form.get("by") == Some(person);
    let typed = if own {
        Typed {
            again: Again::SignedIn,
            ..typed
        }
    } else {
        Typed::of_somebody_else(&typed.form)
    };
    if let Some(cookie) = state.shelf.lay(person, typed, state.address.is_https()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
