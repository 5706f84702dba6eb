//! A connection that tells when bytes come, and that breaks where nobody takes those that go.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::patience::Patience;
use super::pulse::Pulse;

/// A stream that can be given up together with all that was written to it. Closed as usual, the system would keep on
/// offering it to a client that does not take it.
pub trait Abandon {
    /// The system forgets what it has not sent yet.
    fn abandon(&self);
}

impl Abandon for TcpStream {
    fn abandon(&self) {
        let _ = self.set_zero_linger();
    }
}

impl Abandon for TlsStream<TcpStream> {
    fn abandon(&self) {
        self.get_ref().0.abandon();
    }
}

/// A stream under watch.
pub struct Timed<S: Abandon> {
    stream: S,
    pulse: Arc<Pulse>,
    patience: Patience,
}

impl<S: Abandon> Drop for Timed<S> {
    fn drop(&mut self) {
        if self.pulse.was_cut() {
            self.stream.abandon();
        }
    }
}

impl<S: Abandon> Timed<S> {
    pub fn new(stream: S, pulse: Arc<Pulse>, patience: Patience) -> Self {
        Self {
            stream,
            pulse,
            patience,
        }
    }

    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
        bytes: impl Fn(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        match moved {
            Poll::Pending if self.patience.wait(cx).is_pending() => {
                self.pulse.blocked();
                Poll::Pending
            }
            Poll::Pending => {
                self.pulse.cut();
                let why = "the client does not take its answer";
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, why)))
            }
            Poll::Ready(Ok(moved)) => {
                let bytes = bytes(&moved);
                self.pulse.wrote(bytes);
                self.patience.moved(bytes);
                Poll::Ready(Ok(moved))
            }
            failed @ Poll::Ready(_) => failed,
        }
    }
}

impl<S: AsyncRead + Abandon + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.pulse.heard();
        }
        read
    }
}

impl<S: AsyncWrite + Abandon + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written, |written| *written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.watch(cx, written, |written| *written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, shut, |()| 0)
    }
}
