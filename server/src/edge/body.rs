//! Bodies on their way in: not encoded, not too slow, and read some way before anything is done for them.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use futures::{StreamExt as _, stream};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, sleep_until};

use crate::limits::Limits;
use crate::listen::patience::Patience;
use crate::problem::{Problem, kind};

/// How much of a body is read before its request takes a place: whoever sends it slowly keeps nobody else waiting.
const AHEAD: usize = 16 * 1024;

/// When something last came of a body.
#[derive(Clone, Debug)]
pub struct Arrival(Arc<Mutex<Instant>>);

impl Arrival {
    fn begin() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    fn mark(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Done so long after the last part of the body came.
    pub async fn and(&self, time: std::time::Duration) {
        loop {
            let end = self.last() + time;
            if end <= Instant::now() {
                return;
            }
            sleep_until(end).await;
        }
    }
}

/// The request with its body read some way, or to its end; and when the last of it came.
///
/// # Errors
/// [`Problem`] for a body that is encoded, breaks off, or comes too slowly.
pub async fn receive(request: Request, limits: &Limits) -> Result<(Request, Arrival), Problem> {
    if encoded(&request) {
        let identity = HeaderValue::from_static("identity");
        let detail = "Send the body as it is, without Content-Encoding.";
        return Err(
            Problem::new(&kind::UNSUPPORTED_MEDIA_TYPE, detail).header(header::ACCEPT_ENCODING, identity)
        );
    }
    let arrival = Arrival::begin();
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Ok((Request::from_parts(parts, body), arrival));
    }
    let paced = Paced {
        body,
        patience: Patience::new(limits.stall, limits.pace),
        arrival: arrival.clone(),
    };
    let mut coming = Body::new(paced).into_data_stream();
    let (mut read, mut ended) = (Vec::new(), false);
    while read.len() < AHEAD && !ended {
        match coming.next().await {
            Some(Ok(part)) => read.extend_from_slice(&part),
            Some(Err(error)) => {
                tracing::debug!(%error, "a body did not arrive");
                let detail = "The body did not arrive whole, or too slowly: send it again.";
                return Err(Problem::new(&kind::UNREADABLE, detail));
            }
            None => ended = true,
        }
    }
    let read = Bytes::from(read);
    let body = if ended {
        Body::from(read)
    } else {
        Body::from_stream(stream::once(async { Ok(read) }).chain(coming))
    };
    Ok((Request::from_parts(parts, body), arrival))
}

/// Whether the body would have to be decoded: nothing here does, so that no body is larger than it came.
fn encoded(request: &Request) -> bool {
    let mut all = request.headers().get_all(header::CONTENT_ENCODING).iter();
    all.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// A body that fails where it comes too slowly.
struct Paced {
    body: Body,
    patience: Patience,
    arrival: Arrival,
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Pending => self
                .patience
                .wait(cx)
                .map(|()| Some(Err(axum::Error::new("the body comes too slowly")))),
            Poll::Ready(came) => {
                let bytes = match &came {
                    Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
                    Some(Err(_)) | None => 0,
                };
                self.patience.moved(bytes);
                self.arrival.mark();
                Poll::Ready(came)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
