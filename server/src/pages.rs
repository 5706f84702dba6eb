//! The pages, rendered by the app: who asks is found out here, what they see is decided there.

use axum::body::Body;
use axum::extract::rejection::FormRejection;
use axum::extract::{FromRequest as _, FromRequestParts as _, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use holdpoint::Actor;
use holdpoint_app::address::Query;
use holdpoint_app::{
    App, Caller, Made, NewTokenForm, Said, SessionIdle, Since, SsoName, Theme, Told, Trouble, Typed,
    make_token, shell,
};
use leptos::nonce::use_nonce;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{
    LeptosRoutes as _, ResponseOptions, generate_route_list_with_exclusions_and_ssg_and_context,
};
use serde::de::DeserializeOwned;
use tower_sessions::Session;

use crate::auth::sign_in::{see_other, sign_in, sign_out, tell, unreadable};
use crate::auth::{account, cookie, local, oidc, password, peer, sessions, theme, told};
use crate::headers::page_policy;
use crate::kept;
use crate::problem::{Problem, kind};
use crate::state::AppState;
use crate::{files, hook_forms};

/// Under which addresses the pages' own functions are called.
pub const FUNCTIONS: &str = "/_fn";
const LOGIN: &str = "/login";

/// The pages with their functions, and the forms that are no page's.
pub fn routes(state: &AppState) -> Router<AppState> {
    let context = {
        let state = state.clone();
        move || of_request(&state)
    };
    let (routes, _) = generate_route_list_with_exclusions_and_ssg_and_context(App, None, context.clone());
    let options = state.leptos.clone();
    Router::new()
        .leptos_routes_with_context(state, routes, context, move || shell(options.clone()))
        .route_layer(middleware::from_fn_with_state(state.clone(), known))
        .merge(
            Router::new()
                .route(LOGIN, post(sign_in))
                .route(oidc::BEGIN, get(oidc::begin))
                .route(oidc::CALLBACK, get(oidc::callback))
                .route("/logout", post(sign_out))
                .route("/theme", post(theme::choose))
                .route("/account/password", post(account::password))
                .route("/account/sessions", post(account::end))
                .route("/tokens", post(tokens))
                .route("/webhooks", post(hook_forms::make))
                .route("/webhooks/secret", post(hook_forms::secret))
                .route("/webhooks/test", post(hook_forms::test))
                .route("/actions/{key}/payload", get(files::payload))
                .route("/actions/{key}/result", get(files::result)),
        )
}

/// What a page needs of its request, and the headers that go with it.
fn of_request(state: &AppState) {
    provide_context(state.ledger.clone());
    provide_context(SessionIdle(state.sessions.limits().idle_s()));
    provide_context(password::for_pages());
    if let Some(oidc) = &state.oidc {
        provide_context(SsoName(oidc.name().to_owned()));
    }
    let parts = use_context::<Parts>();
    provide_context(
        parts
            .as_ref()
            .map_or_else(Said::default, |parts| said(state, parts)),
    );
    // A secret that was made by this very request is shown by its answer, this once.
    if let Some(made) = parts.as_ref().and_then(|parts| parts.extensions.get::<Made>()) {
        provide_context(made.clone());
    }
    if let Some(since) = parts.as_ref().and_then(|parts| parts.extensions.get::<Since>()) {
        provide_context(since.clone());
    }
    if let Some(typed) = parts.as_ref().and_then(|parts| parts.extensions.get::<Typed>()) {
        provide_context(typed.clone());
    }
    let caller = parts
        .as_ref()
        .and_then(|parts| parts.extensions.get::<Caller>().cloned());
    provide_context(caller.unwrap_or(Caller(None)));
    provide_context(parts.map_or_else(Theme::default, |parts| chosen(&parts.headers)));
    // The nonce is made for each answer before this runs; a function's answer is no page and has none.
    if let (Some(nonce), Some(response)) = (use_nonce(), use_context::<ResponseOptions>())
        && let Ok(policy) = HeaderValue::try_from(page_policy(&nonce))
    {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// The theme that a browser's cookie names.
pub fn chosen(headers: &HeaderMap) -> Theme {
    cookie(headers, theme::COOKIE).map_or_else(Theme::default, Theme::from)
}

/// What the last form came to: said on this page, and forgotten.
fn said(state: &AppState, parts: &Parts) -> Said {
    if let Some(said) = parts.extensions.get::<Said>() {
        return said.clone();
    }
    // Other pages, opened meanwhile, leave it to the one that it is for.
    let tells = [LOGIN, account::PAGE].contains(&parts.uri.path());
    let Some(said) = told::read(&parts.headers).filter(|_| tells) else {
        return Said::default();
    };
    if let (Some(response), Some(cleared)) = (
        use_context::<ResponseOptions>(),
        told::cleared(state.address.is_https()),
    ) {
        response.append_header(header::SET_COOKIE, cleared);
    }
    said
}

/// Finds out who asks; who is not signed in is shown the way.
async fn known(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let session = Session::from_request_parts(&mut parts, &state).await.ok();
    let person = match &session {
        Some(session) => sessions::person(session, &state.ledger, peer::of(&parts)).await,
        None => Ok(None),
    };
    let person = match person {
        Ok(person) => person,
        Err(problem) => return problem.into_response(),
    };
    let path = parts.uri.path();
    match &person {
        None if path == LOGIN => {}
        // Before the body is read. A form that a browser sent is led to the way in instead.
        None if path.starts_with(FUNCTIONS) && !wants_html(&parts.headers) => {
            return Problem::from(&Trouble::SignedOut).into_response();
        }
        None if parts.method == Method::POST => return kept::signed_out(&state, parts, body).await,
        None => return see_other(&way_in(&state, &parts)),
        Some(_) if path == LOGIN => return see_other("/"),
        Some(_) => {}
    }
    if let Some(clean) = without_empty(&parts).filter(|_| person.is_some()) {
        return see_other(&clean);
    }
    // Before anything on the page is read: what changes meanwhile comes by the stream, rather twice than never.
    if let Some(person) = person.as_ref().filter(|_| parts.method == Method::GET)
        && let Ok(mark) = state.ledger.present(person).await
    {
        parts.extensions.insert(Since(mark.to_string()));
    }
    parts.extensions.insert(Caller(person.clone()));
    if let Some(person) = person.as_ref().filter(|_| parts.method == Method::GET)
        && let Some(typed) = state.shelf.find(&parts.headers, person.name())
    {
        parts.extensions.insert(typed);
    }
    let (form, body) = if kept::decides(&parts) {
        state.shelf.clear(&parts.headers);
        match kept::read(body).await {
            Ok((form, _))
                if person
                    .as_ref()
                    .is_some_and(|person| kept::is_of_somebody_else(&form, person)) =>
            {
                return kept::of_somebody_else(&state, parts, &form).await;
            }
            Ok((form, body)) => (Some((parts.clone(), form)), body),
            Err(problem) => return problem.into_response(),
        }
    } else {
        (None, body)
    };
    let back = (parts.uri.path().starts_with(FUNCTIONS))
        .then(|| (local(&came_from(&parts)).to_owned(), wants_html(&parts.headers)));
    let answer = next.run(Request::from_parts(parts, body)).await;
    match back {
        Some((page, by_a_browser)) if answer.headers().contains_key("serverfnerror") => {
            undone(answer, &page, by_a_browser).await
        }
        _ => match form {
            Some((parts, form)) => kept::refused(&state, parts, person.as_ref(), form, answer).await,
            None => answer,
        },
    }
}

/// The same page without what nobody filled in: a form sends each of its fields, and its address is what people hand on.
fn without_empty(parts: &Parts) -> Option<String> {
    let query = parts
        .uri
        .query()
        .filter(|_| parts.method == Method::GET)
        .map(Query::parse)?;
    let empty = query.pairs().iter().any(|(_, value)| value.is_empty());
    let clean = query.given().at(parts.uri.path());
    (empty && local(&clean) == clean).then_some(clean)
}

/// Who came by the identity provider goes there again, where they are mostly known still and see nothing of it.
fn way_in(state: &AppState, parts: &Parts) -> String {
    let login = login_url(&came_from(parts));
    if state.oidc.is_some() && oidc::way::was_taken(&parts.headers) {
        login.replacen(LOGIN, oidc::BEGIN, 1)
    } else {
        login
    }
}

/// `POST /tokens`: makes a token. The answer is the page itself, this once with the secret: neither an address nor a
/// redirect carries it, and nothing keeps the page.
async fn tokens(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    let Sent { parts, person, form } = match sent::<NewTokenForm>(&state, "/tokens", request).await? {
        Ok(sent) => sent,
        Err(way_in) => return Ok(way_in),
    };
    let made = make_token(&state.ledger, &person, form).await;
    match made.map_err(|trouble| Problem::from(&trouble))? {
        Err(back) => Ok(see_other(&back)),
        Ok(made) => Ok(shown(&state, parts, person, made).await),
    }
}

/// A form that somebody who is signed in sent.
pub struct Sent<F> {
    /// Of the request.
    pub parts: Parts,
    /// Who sent it.
    pub person: Actor,
    /// What was typed.
    pub form: F,
}

/// The form of a page; or the way in, for who is not signed in.
pub async fn sent<F: DeserializeOwned>(
    state: &AppState,
    page: &str,
    request: Request,
) -> Result<Result<Sent<F>, Response>, Problem> {
    let (mut parts, body) = request.into_parts();
    let session = Session::from_request_parts(&mut parts, state)
        .await
        .map_err(|(_, inside)| Problem::internal(inside))?;
    let Some(person) = sessions::person(&session, &state.ledger, peer::of(&parts)).await? else {
        return Ok(Err(tell(state, &login_url(page), Told::SignedOut, "")));
    };
    let request = Request::from_parts(parts.clone(), body);
    let form: Result<Form<F>, FormRejection> = Form::from_request(request, state).await;
    let Form(form) = form.map_err(unreadable)?;
    Ok(Ok(Sent { parts, person, form }))
}

/// The page at this address, this once with what was made.
pub async fn shown(state: &AppState, mut parts: Parts, person: Actor, made: Made) -> Response {
    parts.extensions.insert(Caller(Some(person)));
    parts.extensions.insert(made);
    rendered(state, Request::from_parts(parts, Body::empty())).await
}

/// A form that was not taken at all. The framework would send its sender wherever the referer says, with the error in
/// the address: here it leads back to a page of this site, which says so, or is a problem like every other.
async fn undone(answer: Response, page: &str, by_a_browser: bool) -> Response {
    let body = axum::body::to_bytes(answer.into_body(), 64 * 1024)
        .await
        .unwrap_or_default();
    let trouble = serde_json::from_slice(&body).unwrap_or(Trouble::Internal);
    if !by_a_browser {
        return Problem::from(&trouble).into_response();
    }
    let code = match trouble {
        Trouble::Invalid { .. } => "form",
        Trouble::NotFound { .. } => "gone",
        Trouble::Forbidden { .. } => "forbidden",
        Trouble::Unavailable | Trouble::TooBroad | Trouble::Offline => "unavailable",
        Trouble::SignedOut | Trouble::Internal => "internal",
    };
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let query = Query::parse(query).with("undone", code);
    see_other(&query.at(path))
}

impl From<&Trouble> for Problem {
    fn from(trouble: &Trouble) -> Self {
        let detail = format!("{trouble}.");
        match trouble {
            Trouble::SignedOut => Self::new(&kind::UNAUTHORIZED, "Sign in first."),
            Trouble::Forbidden { .. } => Self::new(&kind::FORBIDDEN, detail),
            Trouble::NotFound { .. } => Self::new(&kind::NOT_FOUND, detail),
            Trouble::Invalid { field, .. } => Self::invalid(format!("/{field}"), detail),
            Trouble::Unavailable | Trouble::TooBroad | Trouble::Offline => {
                Self::new(&kind::UNAVAILABLE, detail).retry_after(5)
            }
            Trouble::Internal => Self::internal("a form's function failed"),
        }
    }
}

/// The page to come back to after signing in.
pub fn came_from(parts: &Parts) -> String {
    if parts.method == Method::GET && !parts.uri.path().starts_with(FUNCTIONS) {
        return parts
            .uri
            .path_and_query()
            .map_or("/", |path| path.as_str())
            .to_owned();
    }
    let referer = parts
        .headers
        .get(header::REFERER)
        .and_then(|value| value.to_str().ok());
    let referer = referer.and_then(|value| value.parse::<axum::http::Uri>().ok());
    referer
        .as_ref()
        .and_then(|uri| uri.path_and_query())
        .map_or("/", |path| path.as_str())
        .to_owned()
}

/// The way in, and where it leads on.
pub fn login_url(next: &str) -> String {
    let mut url = format!("{LOGIN}?next=");
    for byte in next.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                url.push(char::from(byte));
            }
            other => {
                let hex = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
                url.extend(['%', hex(other >> 4), hex(other & 15)]);
            }
        }
    }
    url
}

/// For addresses that lead nowhere: a page for people, a problem for programs.
pub async fn nowhere(State(state): State<AppState>, request: Request) -> Response {
    let path = request.uri().path();
    let for_people =
        !path.starts_with("/api/") && !path.starts_with(FUNCTIONS) && wants_html(request.headers());
    if !for_people || request.method() != Method::GET {
        return Problem::new(&kind::NOT_FOUND, "There is nothing at this address.").into_response();
    }
    let (mut parts, body) = request.into_parts();
    let session = Session::from_request_parts(&mut parts, &state).await;
    let person = match session {
        Ok(session) => sessions::person(&session, &state.ledger, peer::of(&parts)).await,
        Err(_) => Ok(None),
    };
    let person = match person {
        Ok(person) => person,
        // Who can't be asked about is not signed out.
        Err(problem) => return problem.into_response(),
    };
    if person.is_none() {
        return see_other(&login_url(&came_from(&parts)));
    }
    parts.extensions.insert(Caller(person));
    let mut response = rendered(&state, Request::from_parts(parts, body)).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The page at this address instead of a form's answer, saying what the form came to.
pub async fn instead(state: &AppState, mut parts: Parts, address: &str, said: Said) -> Response {
    let Ok(uri) = address.parse() else {
        return Problem::internal("a page's address is none").into_response();
    };
    (parts.method, parts.uri) = (Method::GET, uri);
    parts.extensions.insert(said);
    rendered(state, Request::from_parts(parts, Body::empty())).await
}

async fn rendered(state: &AppState, request: Request) -> Response<Body> {
    let (state, options) = (state.clone(), state.leptos.clone());
    let context = move || of_request(&state);
    let render = leptos_axum::render_app_async_with_context(context, move || shell(options.clone()));
    render(request).await
}

/// Whether a person's browser asks, and not a program or a script.
pub fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kinds| kinds.contains("text/html"))
}
