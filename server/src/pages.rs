//! The pages, rendered by the app: who asks is found out here, what they see is decided there.

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use holdpoint::Actor;
use holdpoint_app::address::Query;
use holdpoint_app::{App, Caller, Made, Said, SessionIdle, Since, SsoName, Theme, Trouble, Typed, shell};
use leptos::nonce::use_nonce;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{
    LeptosRoutes as _, ResponseOptions, generate_route_list_with_exclusions_and_ssg_and_context,
};
use tower_sessions::Session;

use crate::auth::sign_in::{see_other, sign_in, sign_out};
use crate::auth::{account, cookie, local, oidc, password, peer, sessions, theme, told};
use crate::headers::page_policy;
use crate::kept;
use crate::problem::{Problem, kind};
use crate::state::AppState;
use crate::ways::{FUNCTIONS, LOGIN, came_from, login_url, wants_html, way_in};
use crate::{files, forms, hook_forms};

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
                .route("/tokens", post(forms::tokens))
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
            forms::undone(answer, &page, by_a_browser).await
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

/// The page at this address, this once with what was made.
pub async fn shown(state: &AppState, mut parts: Parts, person: Actor, made: Made) -> Response {
    parts.extensions.insert(Caller(Some(person)));
    parts.extensions.insert(made);
    rendered(state, Request::from_parts(parts, Body::empty())).await
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
