//! A small invoice service over HTTP, as providers are: it honours an `Idempotency-Key`, and it can be asked.

mod book;
mod routes;
#[cfg(test)]
mod tests;

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::book::Book;

/// The request header under which a caller names what must happen once.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The response header that tells a replay from a new invoice.
pub const IDEMPOTENT_REPLAYED: &str = "idempotent-replayed";

/// What a caller asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInvoice {
    pub customer: String,
    /// In cents.
    pub amount: u64,
}

/// An invoice as the service keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// `inv_1`, `inv_2`, … in the order of their making.
    pub id: String,
    #[serde(flatten)]
    pub asked: NewInvoice,
    /// The `Idempotency-Key` that it was made under.
    pub key: String,
}

/// How often the service was called, whatever it answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    /// `POST /invoices` that were read whole.
    pub create: usize,
    /// Of those, the ones that were answered with an invoice made before.
    pub replayed: usize,
    /// `GET /invoices?key=…`
    pub ask: usize,
}

/// A running invoice service. Dropping it closes the listener; the invoices are gone with it.
pub struct InvoiceServer {
    address: SocketAddr,
    book: Shared,
    _running: DropGuard,
}

/// The lock is held for a look or an entry and never across an await.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Book>>);

impl Shared {
    fn with<T>(&self, work: impl FnOnce(&mut Book) -> T) -> T {
        // No entry is left half made by a panic: a poisoned book is still right.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl InvoiceServer {
    /// Listens on a free port of the loopback address.
    ///
    /// # Errors
    /// The port cannot be bound.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let book = Shared::default();
        let stop = CancellationToken::new();
        let serving = axum::serve(listener, routes::router(book.clone()))
            .with_graceful_shutdown(stop.clone().cancelled_owned());
        tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::warn!(%error, "the invoice service ended");
            }
        });
        Ok(Self {
            address,
            book,
            _running: stop.drop_guard(),
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where invoices are made and asked for.
    pub fn url(&self) -> String {
        format!("http://{}/invoices", self.address)
    }

    /// All invoices, oldest first.
    pub fn invoices(&self) -> Vec<Invoice> {
        self.book.with(|book| book.invoices().to_vec())
    }

    pub fn requests(&self) -> Requests {
        self.book.with(|book| book.requests)
    }
}
