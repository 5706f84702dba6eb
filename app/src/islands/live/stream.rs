//! The stream of changes as this tab holds it.
//!
//! It is read with `fetch` rather than by an `EventSource`: that one keeps to itself why it ended, which is how being
//! signed out is told from a server that is down; that the stream lives; and from where it goes on.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, ReadableStreamDefaultReader, RequestInit, Response};

use super::told::next_message;

const PATH: &str = "/api/v1/events";

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Whoever asks may not listen any more.
    SignedOut,
    /// Anything else: it is asked for again.
    Broken,
}

/// Reads the stream to its end: `begun` is called once it is there, `told` with each message.
pub(super) async fn read(
    from: Option<&str>,
    stop: &AbortSignal,
    begun: impl FnOnce(),
    told: impl FnMut(&str),
) -> End {
    match open(from, stop).await {
        Ok(answer) if matches!(answer.status(), 401 | 403) => End::SignedOut,
        Ok(answer) if answer.ok() => {
            begun();
            let _ = messages(&answer, told).await;
            End::Broken
        }
        Ok(_) | Err(_) => End::Broken,
    }
}

async fn open(from: Option<&str>, stop: &AbortSignal) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    headers.set("accept", "text/event-stream")?;
    if let Some(from) = from {
        headers.set("last-event-id", from)?;
    }
    let asked = RequestInit::new();
    asked.set_headers(&headers);
    asked.set_signal(Some(stop));
    let answer = leptos::prelude::window().fetch_with_str_and_init(PATH, &asked);
    JsFuture::from(answer).await?.dyn_into()
}

async fn messages(answer: &Response, mut told: impl FnMut(&str)) -> Result<(), JsValue> {
    let Some(body) = answer.body() else { return Ok(()) };
    let reader: ReadableStreamDefaultReader = body.get_reader().dyn_into()?;
    let mut arrived = Vec::new();
    loop {
        let part = JsFuture::from(reader.read()).await?;
        let part = Reflect::get(&part, &"value".into())?;
        if part.is_undefined() {
            return Ok(());
        }
        arrived.extend(Uint8Array::new(&part).to_vec());
        while let Some(message) = next_message(&mut arrived) {
            told(&message);
        }
    }
}
