//! How many requests are worked on at once, and for how long. Whoever finds no place is told so at once.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body::receive;
use crate::limits::Limits;
use crate::probes;
use crate::problem::{Problem, kind};
use crate::state::AppState;

/// What may take as long as its caller wants: calls that wait for work, streams and exports. They have places of their
/// own, so that waiting keeps nobody from working.
const WAIT: [&str; 4] = [
    "/api/v1/actions/next",
    "/api/v1/verifications/next",
    "/api/v1/events",
    "/api/v1/export",
];
/// The longest that a caller may ask to wait for work.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The places there are.
#[derive(Clone, Debug)]
pub struct Room {
    limits: Limits,
    work: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Room {
    /// All places free.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            work: Arc::new(Semaphore::new(limits.requests)),
            waiting: Arc::new(Semaphore::new(limits.waiting)),
        }
    }
}

/// Lets a request in where there is a place for it, and gives it so long.
pub async fn admit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Whoever watches the process must hear from it when it is full, too.
    if probes::is_probe(path) {
        return next.run(request).await;
    }
    let waits = WAIT.contains(&path);
    let room = &state.room;
    // A body that comes slowly takes no place.
    let (request, arrival) = match receive(request, &room.limits).await {
        Ok(received) => received,
        Err(problem) => return problem.into_response(),
    };
    let (places, time) = if waits {
        (&room.waiting, LONGEST_WAIT + room.limits.request)
    } else {
        (&room.work, room.limits.request)
    };
    let Ok(place) = Arc::clone(places).try_acquire_owned() else {
        return full(waits).into_response();
    };
    let answer = tokio::select! {
        answer = next.run(request) => answer,
        () = arrival.and(time) => return late().into_response(),
    };
    if waits {
        // A stream keeps its place to its end.
        return answer.map(|body| Body::new(Seated { body, _place: place }));
    }
    answer
}

fn full(waits: bool) -> Problem {
    let detail = if waits {
        "As many callers wait here as may. Nothing was done: come again, or wait with fewer connections."
    } else {
        "As many requests are worked on as may be at once. Nothing was done: send the same again."
    };
    Problem::new(&kind::OVERLOADED, detail).retry_after(1)
}

fn late() -> Problem {
    let detail = "This took too long and was given up here. What was begun ends by itself: send the same again, \
                  a claim under its claim_id.";
    Problem::new(&kind::UNAVAILABLE, detail)
        .retry_after(5)
        .inside("a request took longer than it may")
}

/// A body that keeps its place until it ends.
struct Seated {
    body: Body,
    _place: OwnedSemaphorePermit,
}

impl HttpBody for Seated {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
