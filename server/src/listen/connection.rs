//! One connection: its handshake, its requests, and its end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, Version};
use axum::{BoxError, Router};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::patience::Patience;
use super::pulse::{InFlight, Pulse};
use super::timed::{Abandon, Timed};
use super::tls;
use crate::limits::Limits;

/// The largest head of a request, in bytes. A larger one is answered 431.
const HEAD: usize = 32 * 1024;
/// How many headers a request may have. More are answered 431.
const HEADERS: usize = 100;
/// How many requests one HTTP/2 connection may have in flight.
const STREAMS: u32 = 100;
/// How much of an answer is handed to HTTP/2 at once, so that it is seen whether somebody takes it.
const PART: usize = 16 * 1024;
/// How long a connection that came while the server was told to stop may take to say what it wants.
const LAST_WORD: Duration = Duration::from_secs(1);

/// How often it is looked at meanwhile whether they did.
const GLANCE: Duration = Duration::from_millis(20);

/// A connection that has been let in.
pub struct Connection {
    pub app: Router,
    pub peer: SocketAddr,
    pub limits: Limits,
    pub tls: Option<tls::Served>,
    pub stopping: CancellationToken,
}

impl Connection {
    /// Serves it to its end, whoever brings that about.
    pub async fn serve(self, stream: TcpStream) {
        // Answers are whole when they are written; waiting for more would only make them late.
        let _ = stream.set_nodelay(true);
        let Some(config) = self.tls.clone() else {
            return self.speak(stream).await;
        };
        match timeout(self.limits.head, TlsAcceptor::from(config).accept(stream)).await {
            Ok(Ok(stream)) => self.speak(stream).await,
            Ok(Err(error)) => tracing::debug!(peer = %self.peer, %error, "a handshake failed"),
            Err(_) => tracing::debug!(peer = %self.peer, "a handshake took too long"),
        }
    }

    async fn speak<S: AsyncRead + AsyncWrite + Abandon + Unpin + Send + 'static>(self, stream: S) {
        let Self {
            app,
            peer,
            limits,
            stopping,
            ..
        } = self;
        let pulse = Pulse::new();
        let patience = Patience::new(limits.stall, limits.pace);
        let io = TokioIo::new(Timed::new(stream, Arc::clone(&pulse), patience));
        let of_requests = Arc::clone(&pulse);
        let service = service_fn(move |request: Request<Incoming>| {
            let framed = request.version() == Version::HTTP_2;
            let in_flight = of_requests.begin(framed);
            let app = app.clone();
            async move {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                let Ok(answer) = app.oneshot(request).await;
                Ok::<_, Infallible>(answer.map(|body| Answer::new(body, in_flight, framed)))
            }
        });
        let builder = builder();
        let mut spoken = pin!(builder.serve_connection(io, service));
        let (mut told, mut leaving) = (false, None);
        let ended = loop {
            if leaving.is_some_and(|last: Instant| pulse.greeted() || last <= Instant::now()) {
                leaving = None;
                spoken.as_mut().graceful_shutdown();
            }
            let look = if leaving.is_some() {
                GLANCE
            } else {
                limits.head.min(limits.stall) / 4
            };
            tokio::select! {
                biased;
                ended = spoken.as_mut() => break Ended::ByItself(ended),
                () = stopping.cancelled(), if !told => {
                    told = true;
                    leaving = Some(Instant::now() + LAST_WORD);
                }
                () = sleep(look) => {
                    if pulse.is_over(&limits) {
                        break Ended::CutOff;
                    }
                }
            }
        };
        match ended {
            Ended::ByItself(Ok(())) => {}
            Ended::ByItself(Err(error)) => tracing::debug!(%peer, error, "a connection broke"),
            Ended::CutOff => tracing::debug!(%peer, "a connection was cut off: its client kept it waiting"),
        }
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // The time that heads may take is the pulse's to know.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(HEAD)
        .max_headers(HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD as u32)
        .max_concurrent_streams(STREAMS);
    builder
}

/// How a connection ended.
enum Ended {
    ByItself(Result<(), BoxError>),
    CutOff,
}

/// An answer under watch: whether it is for the server to go on, or for the client to take what is there.
struct Answer {
    body: Body,
    rest: Bytes,
    in_flight: InFlight,
    framed: bool,
}

impl Answer {
    fn new(body: Body, in_flight: InFlight, framed: bool) -> Self {
        in_flight.ready();
        Self {
            body,
            rest: Bytes::new(),
            in_flight,
            framed,
        }
    }

    /// What is handed over at once.
    fn part(&mut self, mut data: Bytes) -> Bytes {
        if self.framed && data.len() > PART {
            self.rest = data.split_off(PART);
        }
        data
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if !this.rest.is_empty() {
            let rest = std::mem::take(&mut this.rest);
            this.in_flight.ready();
            return Poll::Ready(Some(Ok(Frame::data(this.part(rest)))));
        }
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Pending => {
                this.in_flight.taken();
                Poll::Pending
            }
            Poll::Ready(Some(Ok(frame))) => {
                this.in_flight.ready();
                let frame = match frame.into_data() {
                    Ok(data) => Frame::data(this.part(data)),
                    Err(trailers) => trailers,
                };
                Poll::Ready(Some(Ok(frame)))
            }
            ended @ Poll::Ready(_) => ended,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, hint) = (self.rest.len() as u64, self.body.size_hint());
        let mut whole = SizeHint::new();
        whole.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            whole.set_upper(upper + rest);
        }
        whole
    }
}
