//! What every request passes first and every answer last: an id, a line in the log, problems as JSON.

mod body;
mod page;
mod room;

use std::any::Any;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;
use uuid::Uuid;

use self::page::{Asked, asked, page};
pub use self::room::{Room, admit};
use crate::problem::{Problem, of_status};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request an id, and its answer the same.
pub async fn identify(request: Request, next: Next) -> Response {
    let id = Uuid::now_v7().to_string();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::info_span!("request", %id, %method, path);
    let (ours, asked) = (is_ours(&path), asked(&method, request.uri(), request.headers()));
    async move {
        let mut response = finish(next.run(request).await, &id, ours, asked.as_ref());
        tracing::debug!(status = response.status().as_u16(), "answered");
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        response
    }
    .instrument(span)
    .await
}

/// Whether errors of this address are problems. The pages' own functions have a form that their client reads.
fn is_ours(path: &str) -> bool {
    !path.starts_with(crate::ways::FUNCTIONS)
}

fn finish(mut response: Response, id: &str, ours: bool, asked: Option<&Asked>) -> Response {
    let told = |problem: Problem, response: &Response| {
        let answer = match asked {
            Some(asked) => page(&problem, id, asked),
            None => problem.answer(id),
        };
        keep_headers(answer, response)
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        match problem.log() {
            Some(inside) if problem.status() == axum::http::StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(inside, "a request failed");
            }
            Some(inside) => tracing::warn!(inside, "a request could not be served now"),
            None => {}
        }
        return told(problem, &response);
    }
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    if !failed || !ours || is_html(&response) {
        return response;
    }
    // An error of the framework's own, in plain text or without any.
    let kind = of_status(status);
    told(Problem::new(kind, kind.title), &response)
}

/// What the layers inside said besides the body: cookies, `Allow`, and so on.
fn keep_headers(mut answer: Response, from: &Response) -> Response {
    for (name, value) in from.headers() {
        let of_the_body = name == header::CONTENT_TYPE || name == header::CONTENT_LENGTH;
        if !of_the_body && !answer.headers().contains_key(name) {
            answer.headers_mut().append(name, value.clone());
        }
    }
    answer
}

fn is_html(response: &Response) -> bool {
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
}

/// A panic in a handler is a fault of ours and ends one request, no more.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the layer that calls it hands the panic over by value"
)]
pub fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let what = panic.downcast_ref::<String>().map(String::as_str);
    let what = what
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Problem::internal(format!("a handler panicked: {what}")).into_response()
}
