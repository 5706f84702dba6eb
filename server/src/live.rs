//! What changes, told to whoever listens: the database is read once a server, while anybody does.
//!
//! Several servers may share a database, so that none can be told by another: it is asked. The order of things keeps
//! a stream without a gap: a listener subscribes first and catches up with the database after, so that what comes in
//! between comes twice rather than never.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use holdpoint::ledger::{self, Count, Feed, Mark, News};
use holdpoint::{Actor, Ledger, Time};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// How often the database is asked.
const EVERY: Duration = Duration::from_millis(250);

/// How often what waits is counted at most while things change, and at least while nothing does.
const COUNTED: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));

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
    /// What waits; `None` until it was counted.
    waiting: watch::Receiver<Option<Waiting>>,
}

/// What waits for a person, counted once for everybody who listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// How many are held.
    pub held: Count,
    /// No claim of any kind is granted.
    pub everything_paused: bool,
    /// The reaper's last pass.
    pub reaper_passed_at: Option<Time>,
}

/// Somebody who listens.
#[derive(Debug)]
pub struct Listener {
    told: broadcast::Receiver<Arc<News>>,
    mark: watch::Receiver<Option<Mark>>,
    waiting: watch::Receiver<Option<Waiting>>,
    /// Where the listening begins.
    pub from: Mark,
    _place: OwnedSemaphorePermit,
}

/// What a listener hears.
#[derive(Debug)]
pub enum Heard {
    /// News.
    News(Arc<News>),
    /// More or fewer wait, or everything was paused or resumed.
    Waiting(Waiting),
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
        let (told, mut reading) = self.subscribe();
        let from = reading.mark.wait_for(Option::is_some).await.ok()?.clone()?;
        Some(Listener {
            told,
            mark: reading.mark,
            waiting: reading.waiting,
            from,
            _place: place,
        })
    }

    /// Joins the reading that goes on, or begins one.
    fn subscribe(&self) -> (broadcast::Receiver<Arc<News>>, Reading) {
        let mut reading = self.0.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reading) = &*reading {
            return (reading.told.subscribe(), reading.clone());
        }
        let (told, listener) = broadcast::channel(BEHIND);
        let (read, mark) = watch::channel(None);
        let (counted, waiting) = watch::channel(None);
        let begun = Reading {
            told: told.clone(),
            mark,
            waiting,
        };
        *reading = Some(begun.clone());
        tokio::spawn(self.clone().read(told, read, counted));
        (listener, begun)
    }

    async fn read(
        self,
        told: broadcast::Sender<Arc<News>>,
        mark: watch::Sender<Option<Mark>>,
        waiting: watch::Sender<Option<Waiting>>,
    ) {
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
            Ok(feed) => self.tell(feed, &told, &mark, &waiting).await,
            Err(error) => tracing::warn!(%error, "what changes can't be read: nobody is told"),
        }
    }

    async fn tell(
        &self,
        mut feed: Feed,
        told: &broadcast::Sender<Arc<News>>,
        mark: &watch::Sender<Option<Mark>>,
        waiting: &watch::Sender<Option<Waiting>>,
    ) {
        self.count(waiting).await;
        let (mut counted, mut changed) = (Instant::now(), false);
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
                changed = true;
                // Nobody may have listened by now.
                let _ = told.send(Arc::new(news));
            }
            mark.send_replace(Some(next));
            let (soon, late) = COUNTED;
            if counted.elapsed() >= if changed { soon } else { late } {
                self.count(waiting).await;
                (counted, changed) = (Instant::now(), false);
            }
        }
    }

    /// Counts what waits. Where it can't be counted the last count stands: what changes is told all the same.
    async fn count(&self, waiting: &watch::Sender<Option<Waiting>>) {
        match self.0.ledger.queue(&Actor::CommandLine).await {
            Ok(queue) => {
                let now = Waiting {
                    held: queue.held,
                    everything_paused: queue.everything_paused,
                    reaper_passed_at: queue.reaper_passed_at,
                };
                // That the reaper passed is told with the next heartbeat.
                waiting.send_if_modified(|before| {
                    let same = |before: &Waiting| {
                        (before.held, before.everything_paused) == (now.held, now.everything_paused)
                    };
                    !before.replace(now).is_some_and(|before| same(&before))
                });
            }
            Err(error) => tracing::debug!(%error, "what waits can't be counted"),
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
        tokio::select! {
            // What changed comes before what it comes to.
            biased;
            told = self.told.recv() => match told {
                Ok(news) => Heard::News(news),
                Err(broadcast::error::RecvError::Lagged(_)) => Heard::Missed,
                Err(broadcast::error::RecvError::Closed) => Heard::Over,
            },
            counted = self.waiting.changed() => match (counted, self.waiting()) {
                (Ok(()), Some(waiting)) => Heard::Waiting(waiting),
                _ => Heard::Over,
            },
        }
    }

    /// What waits, as it was counted last.
    pub fn waiting(&mut self) -> Option<Waiting> {
        *self.waiting.borrow_and_update()
    }

    /// Up to where everything was told, where nothing waits to be heard.
    pub fn caught_up(&self) -> Option<Mark> {
        // The mark before the look: what is told in between lies after it.
        let mark = self.mark.borrow().clone();
        mark.filter(|_| self.told.is_empty())
    }
}
