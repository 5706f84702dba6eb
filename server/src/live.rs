//! What changes, told to whoever listens: the database is read once a server, while anybody does.
//!
//! Several servers may share a database, so that none can be told by another: it is asked. The order of things keeps
//! a stream without a gap: a listener subscribes first and catches up with the database after, so that what comes in
//! between comes twice rather than never.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use holdpoint::ledger::{self, Feed, Mark, News};
use holdpoint::{Actor, Ledger};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// How often the database is asked.
const EVERY: Duration = Duration::from_millis(250);

/// How far a listener may fall behind, in rounds of news, before it has to read everything anew.
const BEHIND: usize = 256;

/// How many may listen, and how often those who are told nothing are told that.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most streams of one server.
    pub most: usize,
    /// How often who is silent is looked at again, and told that the stream lives.
    pub heartbeat: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most: 256,
            heartbeat: Duration::from_secs(15),
        }
    }
}

/// What changed lately, for as many listeners as there is room for. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Live(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ledger: Ledger,
    stopping: CancellationToken,
    room: Arc<Semaphore>,
    heartbeat: Duration,
    /// The reading that goes on, where there is one.
    reading: Mutex<Option<Reading>>,
}

#[derive(Clone, Debug)]
struct Reading {
    told: broadcast::Sender<Arc<News>>,
    /// Up to where everything was told; `None` until the reading has begun.
    mark: watch::Receiver<Option<Mark>>,
}

/// Somebody who listens.
#[derive(Debug)]
pub struct Listener {
    told: broadcast::Receiver<Arc<News>>,
    mark: watch::Receiver<Option<Mark>>,
    /// Where the listening begins.
    pub from: Mark,
    _place: OwnedSemaphorePermit,
}

/// What a listener hears.
#[derive(Debug)]
pub enum Heard {
    /// News.
    News(Arc<News>),
    /// It fell behind, and has to read everything anew.
    Missed,
    /// Nothing more comes: the server stops, or cannot read its database.
    Over,
}

impl Live {
    /// Nobody listens yet.
    pub fn new(ledger: Ledger, stopping: CancellationToken) -> Self {
        Self::within(ledger, stopping, Limits::default())
    }

    /// The same within other limits.
    pub fn within(ledger: Ledger, stopping: CancellationToken, limits: Limits) -> Self {
        Self(Arc::new(Inner {
            ledger,
            stopping,
            room: Arc::new(Semaphore::new(limits.most)),
            heartbeat: limits.heartbeat,
            reading: Mutex::new(None),
        }))
    }

    /// How often who is silent is looked at again.
    pub fn heartbeat(&self) -> Duration {
        self.0.heartbeat
    }

    /// A place to listen from, where there is one.
    pub fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.0.room.clone().try_acquire_owned().ok()
    }

    /// Listens from now on. `None` where the database can't be read, or the server stops.
    pub async fn listen(&self, place: OwnedSemaphorePermit) -> Option<Listener> {
        let (told, mut mark) = self.subscribe();
        let from = mark.wait_for(Option::is_some).await.ok()?.clone()?;
        Some(Listener {
            told,
            mark,
            from,
            _place: place,
        })
    }

    /// Joins the reading that goes on, or begins one.
    fn subscribe(&self) -> (broadcast::Receiver<Arc<News>>, watch::Receiver<Option<Mark>>) {
        let mut reading = self.0.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reading) = &*reading {
            return (reading.told.subscribe(), reading.mark.clone());
        }
        let (told, listener) = broadcast::channel(BEHIND);
        let (read, mark) = watch::channel(None);
        *reading = Some(Reading {
            told: told.clone(),
            mark: mark.clone(),
        });
        tokio::spawn(self.clone().read(told, read));
        (listener, mark)
    }

    async fn read(self, told: broadcast::Sender<Arc<News>>, mark: watch::Sender<Option<Mark>>) {
        // However the reading ends, a panic included, the next listener begins another one.
        let _end = End {
            live: self.clone(),
            mark: mark.subscribe(),
        };
        let feed = tokio::select! {
            feed = self.0.ledger.feed(&Actor::CommandLine) => feed,
            () = self.0.stopping.cancelled() => return,
        };
        match feed {
            Ok(feed) => self.tell(feed, &told, &mark).await,
            Err(error) => tracing::warn!(%error, "what changes can't be read: nobody is told"),
        }
    }

    async fn tell(
        &self,
        mut feed: Feed,
        told: &broadcast::Sender<Arc<News>>,
        mark: &watch::Sender<Option<Mark>>,
    ) {
        mark.send_replace(Some(feed.mark().clone()));
        let mut round = interval(EVERY);
        round.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = round.tick() => {}
                () = self.0.stopping.cancelled() => return,
            }
            if self.nobody_listens(told) {
                return;
            }
            let news = match feed.poll().await {
                Ok(news) => news,
                // Nothing is lost: the same is read in the next round.
                Err(ledger::Error::Store(error)) => {
                    tracing::warn!(%error, "what changed can't be read: it is told later");
                    continue;
                }
                Err(error) => {
                    tracing::error!(%error, "what changes can't be read: nobody is told");
                    return;
                }
            };
            let next = news.mark.clone();
            if news.missed || !news.actions.is_empty() || !news.policies.is_empty() {
                // Nobody may have listened by now.
                let _ = told.send(Arc::new(news));
            }
            mark.send_replace(Some(next));
        }
    }

    /// Whether the reading may end; nobody can join it after.
    fn nobody_listens(&self, told: &broadcast::Sender<Arc<News>>) -> bool {
        let mut reading = self.0.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let over = told.receiver_count() == 0;
        if over {
            *reading = None;
        }
        over
    }
}

/// Takes a reading away that is over.
struct End {
    live: Live,
    mark: watch::Receiver<Option<Mark>>,
}

impl Drop for End {
    fn drop(&mut self) {
        let reading = &self.live.0.reading;
        let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
        // One that began after it had ended by itself is another one, with listeners of its own.
        if reading
            .as_ref()
            .is_some_and(|other| other.mark.same_channel(&self.mark))
        {
            *reading = None;
        }
    }
}

impl Listener {
    /// What comes next.
    pub async fn hear(&mut self) -> Heard {
        match self.told.recv().await {
            Ok(news) => Heard::News(news),
            Err(broadcast::error::RecvError::Lagged(_)) => Heard::Missed,
            Err(broadcast::error::RecvError::Closed) => Heard::Over,
        }
    }

    /// Up to where everything was told, where nothing waits to be heard.
    pub fn caught_up(&self) -> Option<Mark> {
        // The mark before the look: what is told in between lies after it.
        let mark = self.mark.borrow().clone();
        mark.filter(|_| self.told.is_empty())
    }
}
