//! The service's two calls.

use axum::{
    Json, Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use serde::Deserialize;
use serde_json::json;

use super::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, NewInvoice, Shared, book::Entry};

const MAX_KEY_BYTES: usize = 255;

pub(super) fn router(book: Shared) -> Router {
    Router::new()
        .route("/invoices", post(create).get(look))
        .with_state(book)
}

async fn create(State(book): State<Shared>, headers: HeaderMap, Json(asked): Json<NewInvoice>) -> Response {
    let Some(key) = key_of(&headers) else {
        return refuse(
            StatusCode::BAD_REQUEST,
            "name what must happen once in an Idempotency-Key header",
        );
    };
    match book.with(|book| book.enter(key, asked)) {
        Entry::Made(invoice) => (StatusCode::CREATED, Json(invoice)).into_response(),
        Entry::Replayed(invoice) => {
            (StatusCode::OK, [(IDEMPOTENT_REPLAYED, "true")], Json(invoice)).into_response()
        }
        Entry::Conflict(known) => refuse(
            StatusCode::UNPROCESSABLE_ENTITY,
            &format!("this Idempotency-Key made {} from another request", known.id),
        ),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    key: Option<String>,
}

async fn look(State(book): State<Shared>, Query(Look { key }): Query<Look>) -> Response {
    let Some(key) = key else {
        return Json(book.with(|book| book.invoices().to_vec())).into_response();
    };
    let found = book.with(|book| {
        book.requests.ask += 1;
        book.find(&key).cloned()
    });
    match found {
        Some(invoice) => Json(invoice).into_response(),
        None => refuse(StatusCode::NOT_FOUND, "no invoice was made under this key"),
    }
}

fn key_of(headers: &HeaderMap) -> Option<&str> {
    let key = headers.get(IDEMPOTENCY_KEY)?.to_str().ok()?;
    (1..=MAX_KEY_BYTES).contains(&key.len()).then_some(key)
}

fn refuse(status: StatusCode, detail: &str) -> Response {
    (status, Json(json!({ "error": detail }))).into_response()
}
