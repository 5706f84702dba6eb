//! Every error as RFC 9457 problem JSON, with what to do next and without the inside.

mod from_ledger;
mod kinds;

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::value::RawValue;

pub(crate) use from_ledger::chain;
pub use kinds::{Kind, of_status};
pub mod kind {
    //! The problems there are, by name.
    pub use super::kinds::*;
}

/// A problem on its way to the caller. It is cheap to move: the parts are behind one pointer.
#[derive(Clone, Debug)]
pub struct Problem(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    kind: &'static Kind,
    detail: Cow<'static, str>,
    field: Option<String>,
    members: Vec<(&'static str, Box<RawValue>)>,
    headers: Vec<(HeaderName, HeaderValue)>,
    inside: Option<String>,
    request_id: Option<String>,
}

impl Problem {
    /// A problem with the words that say what to do.
    pub fn new(kind: &'static Kind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Parts {
            kind,
            detail: detail.into(),
            field: None,
            members: Vec::new(),
            headers: Vec::new(),
            inside: None,
            request_id: None,
        }))
    }

    /// Whether it is of this kind.
    pub fn is(&self, kind: &Kind) -> bool {
        self.0.kind.code == kind.code
    }

    /// A member whose value breaks a rule.
    pub fn invalid(pointer: impl Into<String>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(&kind::INVALID, detail).at(pointer)
    }

    /// A fault of ours. What happened goes to the log and nowhere else.
    pub fn internal(inside: impl Into<String>) -> Self {
        Self::new(
            &kind::INTERNAL,
            "Something went wrong here; tell the operator the request_id.",
        )
        .inside(inside)
    }

    /// The JSON Pointer of the member that is wrong.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.0.field = Some(pointer.into());
        self
    }

    /// The same problem, under an intent's own code where it is one of an intent's parts that is wrong.
    #[must_use]
    pub fn of_intent(mut self, above: &str) -> Self {
        const PARTS: [&str; 7] = [
            "run_id",
            "step",
            "kind",
            "target",
            "payload",
            "payload_text",
            "payload_hash",
        ];
        let part = self
            .0
            .field
            .as_deref()
            .and_then(|field| field.strip_prefix(above)?.rsplit('/').next());
        if self.0.kind.code == kind::INVALID.code && part.is_some_and(|part| PARTS.contains(&part)) {
            self.0.kind = &kind::INVALID_INTENT;
        }
        self
    }

    /// The same problem of something that stands deeper in the body.
    #[must_use]
    pub fn below(mut self, pointer: &str) -> Self {
        if let Some(field) = &mut self.0.field {
            field.insert_str(0, pointer);
        }
        self
    }

    /// One more member of the answer.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::value::to_raw_value(value) {
            Ok(raw) => self.0.members.push((name, raw)),
            // The caller still gets its problem; a member that cannot be written is for us to find.
            Err(error) => {
                tracing::error!(%error, member = name, "a problem's member cannot be written as JSON");
            }
        }
        self
    }

    /// One more header of the answer.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        if let Ok(value) = value.try_into() {
            self.0.headers.push((name, value));
        }
        self
    }

    /// Says after how many seconds it makes sense to try again.
    #[must_use]
    pub fn retry_after(self, seconds: i64) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)))
    }

    /// What happened inside, for the log.
    #[must_use]
    pub fn inside(mut self, what: impl Into<String>) -> Self {
        self.0.inside = Some(what.into());
        self
    }

    /// The status it is answered with.
    pub fn status(&self) -> StatusCode {
        self.0.kind.status
    }

    /// The words of all problems of its kind.
    pub fn title(&self) -> &'static str {
        self.0.kind.title
    }

    /// Puts in what it says besides the body.
    pub fn say_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0.headers {
            headers.insert(name, value.clone());
        }
    }

    /// The words that say what to do.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// What happened inside, where there is something to log.
    pub fn log(&self) -> Option<&str> {
        self.0.inside.as_deref()
    }

    /// The answer, naming the request it belongs to.
    pub fn answer(mut self, request_id: &str) -> Response {
        self.0.request_id = Some(request_id.to_owned());
        self.into_response()
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = &self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &format_args!("urn:holdpoint:problem:{}", parts.kind.code))?;
        map.serialize_entry("title", parts.kind.title)?;
        map.serialize_entry("status", &parts.kind.status.as_u16())?;
        map.serialize_entry("detail", &parts.detail)?;
        if let Some(field) = &parts.field {
            map.serialize_entry("field", field)?;
        }
        for (name, value) in &parts.members {
            map.serialize_entry(name, value)?;
        }
        if let Some(request_id) = &parts.request_id {
            map.serialize_entry("request_id", request_id)?;
        }
        map.end()
    }
}

impl IntoResponse for Problem {
    /// The problem also goes along as an extension: the outermost layer puts the request's id into it.
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        self.say_headers(headers);
        response.extensions_mut().insert(self);
        response
    }
}
