//! The provider, and the ledger outside: what really happened is counted here, where nothing of the product writes.
//!
//! It keeps a key for every effect and, by the kind's nature, absorbs a repeat or applies it again. One request a
//! connection, one line each way: `apply RECOVERY KEY`, `ask KEY`, `mute KEY` (which it does not tell), `quiet`.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use holdpoint::{Key, ProviderAnswer, Recovery};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::case::Place;

/// What is known of one key.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// How often the effect happened.
    pub applied: u32,
    /// How often a repeat was absorbed.
    pub absorbed: u32,
}

#[derive(Debug, Default)]
struct Book {
    entries: BTreeMap<String, Entry>,
    /// Where requests are held.
    hold: Option<Place>,
    /// Requests that stand still now.
    held: usize,
    /// Requests that were accepted and have not ended.
    open: usize,
    /// Held requests that are lost with their sender rather than carried out.
    lose: bool,
}

/// The provider of one lane.
pub struct Provider {
    pub address: SocketAddr,
    book: watch::Sender<Book>,
    held_up: Arc<Mutex<Option<String>>>,
}

impl Provider {
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (book, _) = watch::channel(Book::default());
        let held_up = Arc::default();
        tokio::spawn(accept(listener, book.clone(), Arc::clone(&held_up)));
        Ok(Self {
            address,
            book,
            held_up,
        })
    }

    /// What happened under this key.
    pub fn entry(&self, key: &Key) -> Entry {
        self.book
            .borrow()
            .entries
            .get(key.as_str())
            .cloned()
            .unwrap_or_default()
    }

    /// From now on requests stand still there.
    pub fn hold(&self, place: Place) {
        self.book.send_modify(|book| book.hold = Some(place));
    }

    /// Waits until so many stand still.
    pub async fn holds(&self, many: usize) {
        let mut book = self.book.subscribe();
        book.wait_for(|book| book.held >= many)
            .await
            .expect("the provider lives");
    }

    /// Lets everybody go on; those that nothing was done for yet are lost where `lose` says so.
    pub fn release(&self, lose: bool) {
        self.book.send_modify(|book| {
            book.hold = None;
            book.lose = lose;
        });
    }

    /// Waits until every request that was sent before has ended, one way or the other.
    pub async fn quiet(&self) -> io::Result<()> {
        say(self.address, "quiet").await?;
        match self.held_up.lock().expect("nobody panics with it").take() {
            Some(error) => Err(io::Error::other(error)),
            None => Ok(()),
        }
    }
}

async fn accept(listener: TcpListener, book: watch::Sender<Book>, held_up: Arc<Mutex<Option<String>>>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Counted before the next one is accepted, so that who comes later sees it.
                book.send_modify(|book| book.open += 1);
                tokio::spawn(serve(stream, book.clone()));
            }
            Err(error) => *held_up.lock().expect("nobody panics with it") = Some(error.to_string()),
        }
    }
}

async fn serve(stream: TcpStream, book: watch::Sender<Book>) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    // Whoever died before its request was written has asked for nothing.
    let whole = stream.read_line(&mut line).await.is_ok() && line.ends_with('\n');
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut ended = false;
    let answer = match words[..] {
        _ if !whole => None,
        ["apply", recovery, key] => apply(&book, recovery, key).await,
        ["ask", key] => {
            let happened = book
                .borrow()
                .entries
                .get(key)
                .is_some_and(|entry| entry.applied > 0);
            Some(if happened {
                receipt(key)
            } else {
                "not_landed".to_owned()
            })
        }
        ["quiet"] => {
            ended = true;
            book.send_modify(|book| book.open -= 1);
            let mut seen = book.subscribe();
            seen.wait_for(|book| book.open == 0)
                .await
                .ok()
                .map(|_| "quiet".to_owned())
        }
        _ => None,
    };
    if !ended {
        book.send_modify(|book| book.open -= 1);
    }
    if let Some(answer) = answer {
        // Who asked may be dead.
        let _ = stream.get_mut().write_all(format!("{answer}\n").as_bytes()).await;
    }
}

/// Carries out an effect, or absorbs it. `None` where it was lost on its way.
async fn apply(book: &watch::Sender<Book>, recovery: &str, key: &str) -> Option<String> {
    if stand_still(book, Place::EffectReceived).await && book.borrow().lose {
        return None;
    }
    book.send_modify(|book| {
        let entry = book.entries.entry(key.to_owned()).or_default();
        if recovery == Recovery::Idempotent.as_str() && entry.applied > 0 {
            entry.absorbed += 1;
        } else {
            entry.applied += 1;
        }
    });
    stand_still(book, Place::EffectApplied).await;
    Some(receipt(key))
}

/// Whether this request was one of those that were held.
async fn stand_still(book: &watch::Sender<Book>, place: Place) -> bool {
    if book.borrow().hold != Some(place) {
        return false;
    }
    book.send_modify(|book| book.held += 1);
    let _ = book.subscribe().wait_for(|book| book.hold.is_none()).await;
    book.send_modify(|book| book.held -= 1);
    true
}

/// What the provider answers where the effect happened.
pub fn receipt(key: &str) -> String {
    format!("receipt-{}", &key[..12])
}

/// Asks for an effect; the provider's receipt.
pub async fn effect(provider: SocketAddr, recovery: Recovery, key: &Key) -> io::Result<String> {
    match say(provider, &format!("apply {recovery} {key}")).await? {
        none if none.is_empty() => Err(io::Error::other("the provider hung up without an answer")),
        receipt => Ok(receipt),
    }
}

/// Whether an effect happened, as far as the provider tells for this kind.
pub async fn ask(provider: SocketAddr, kind: &str, key: &Key) -> io::Result<ProviderAnswer> {
    if kind.ends_with("mute") {
        return Ok(ProviderAnswer::Unknown("the provider does not tell".to_owned()));
    }
    Ok(match &*say(provider, &format!("ask {key}")).await? {
        "not_landed" => ProviderAnswer::NotLanded,
        receipt => ProviderAnswer::Landed(format!("\"{receipt}\"")),
    })
}

async fn say(provider: SocketAddr, line: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(provider).await?;
    stream.write_all(format!("{line}\n").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer.trim_end().to_owned())
}
