//! What changed: read by whoever tells it on, without a gap, from a mark that says how far somebody has read.
//!
//! Each row keeps when it changed last. Transactions end in another order than their changes are dated, so that a
//! reader must not go by the newest date it saw: it goes by the horizon, before which nothing that is still being
//! written can come to lie, and reads again from there. What it has told before, it does not tell again.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use super::{Actor, Error, Ledger};
use crate::intent::Key;
use crate::store::Horizon;
use crate::time::Time;
use crate::words::{Scope, Status};

/// The most changes that are told at once; where there are more, whoever listens reads everything anew.
pub const MAX_CHANGES: usize = 10_000;

/// An action that changed, as it stands. Heartbeats, and clocks that a pause moves on, are no changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The action.
    pub key: Key,
    /// Its kind.
    pub kind: String,
    /// Where it stands.
    pub status: Status,
    /// The version that a decision would name.
    pub version: i64,
    /// Rises with every write of the row.
    pub revision: i64,
    /// The person whose decision made it what it is; nobody where a worker, a verdict or a policy did.
    pub by: Option<String>,
    /// Who agree so far to a retry that needs several people, in their order: that moves no version.
    pub agreed: Vec<String>,
    /// When it changed.
    pub at: Time,
}

/// A policy that changed or was paused or resumed; of everything where it names no kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyChange {
    /// The kind.
    pub kind: Option<String>,
    /// The version that it has now, of its policy or of the switch that pauses everything.
    pub version: i64,
    /// When it changed.
    pub at: Time,
}

/// How far somebody has read in the changes of one database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    tag: String,
    at: Time,
}

/// What changed, and how far that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The actions.
    pub actions: Vec<Change>,
    /// The policies.
    pub policies: Vec<PolicyChange>,
    /// Everything before it has been told.
    pub mark: Mark,
    /// More changed than is told: whoever listens reads everything anew.
    pub missed: bool,
}

/// Reads what changes, again and again.
#[derive(Debug)]
pub struct Feed {
    ledger: Ledger,
    mark: Mark,
    /// What was told of what may be read again.
    told: HashMap<Key, (Time, i64)>,
    told_policies: HashSet<PolicyChange>,
    held_back: bool,
}

impl Ledger {
    /// Begins to read what changes from now on.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn feed(&self, actor: &Actor) -> Result<Feed, Error> {
        actor.needs(Scope::Read)?;
        let horizon = self.store.horizon().await?;
        let mut feed = Feed {
            ledger: self.clone(),
            held_back: horizon.held_back,
            mark: horizon.into(),
            told: HashMap::new(),
            told_policies: HashSet::new(),
        };
        // What lies between the horizon and now changed before anybody listened.
        feed.poll().await?;
        Ok(feed)
    }

    /// A mark of now: whoever reads what there is after it, and goes on from it, misses nothing.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn present(&self, actor: &Actor) -> Result<Mark, Error> {
        actor.needs(Scope::Read)?;
        Ok(self.store.horizon().await?.into())
    }

    /// What changed since a mark, each action as it stands now.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn changes_since(&self, actor: &Actor, mark: &Mark) -> Result<News, Error> {
        actor.needs(Scope::Read)?;
        let horizon = self.store.horizon().await?;
        self.news(mark.at, horizon.into()).await
    }

    /// A mark out of its text; `None` where it is none, another database's, or lies in the future.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Store`].
    pub async fn mark(&self, actor: &Actor, text: &str) -> Result<Option<Mark>, Error> {
        actor.needs(Scope::Read)?;
        let Ok(mark) = text.parse::<Mark>() else {
            return Ok(None);
        };
        let Horizon { tag, now, .. } = self.store.horizon().await?;
        Ok(Some(mark).filter(|mark| mark.tag == tag && mark.at <= now))
    }

    async fn news(&self, from: Time, mark: Mark) -> Result<News, Error> {
        let actions = self.store.changes(from, MAX_CHANGES).await?;
        let policies = self.store.policy_changes(from).await?;
        Ok(News {
            missed: actions.is_none(),
            actions: actions.unwrap_or_default(),
            policies,
            mark,
        })
    }
}

impl Feed {
    /// Up to where everything has been told.
    pub const fn mark(&self) -> &Mark {
        &self.mark
    }

    /// What changed since it was asked last.
    ///
    /// # Errors
    /// [`Error::Store`]; asked again, it tells what it would have told.
    pub async fn poll(&mut self) -> Result<News, Error> {
        // The horizon first: what lies before it is there by the time the rows are read.
        let horizon = self.ledger.store.horizon().await?;
        // What was written for longer than the horizon waits may have come to lie before it.
        let late = self.held_back && !horizon.held_back;
        let held_back = horizon.held_back;
        let mut mark = Mark::from(horizon);
        mark.at = mark.at.max(self.mark.at);
        let mut news = self.ledger.news(self.mark.at, mark).await?;
        news.missed |= late;
        news.actions.retain(|change| {
            let told = self.told.insert(change.key.clone(), (change.at, change.revision));
            told.is_none_or(|(_, revision)| revision != change.revision)
        });
        news.policies
            .retain(|change| self.told_policies.insert(change.clone()));
        self.mark = news.mark.clone();
        self.held_back = held_back;
        let from = self.mark.at;
        self.told.retain(|_, (at, _)| *at >= from);
        self.told_policies.retain(|change| change.at >= from);
        Ok(news)
    }
}

impl Mark {
    /// How far somebody has read who was told, in their order, what changed up to `at`: not further than `end`.
    #[must_use]
    pub fn on_the_way(&self, at: Time, end: &Self) -> Self {
        Self {
            tag: end.tag.clone(),
            at: self.at.max(at.min(end.at)),
        }
    }
}

impl From<Horizon> for Mark {
    fn from(horizon: Horizon) -> Self {
        Self {
            tag: horizon.tag,
            at: horizon.floor,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.tag, self.at.micros())
    }
}

/// What is no mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no mark of a stream")]
pub struct NoMark;

impl FromStr for Mark {
    type Err = NoMark;

    fn from_str(text: &str) -> Result<Self, NoMark> {
        let (tag, micros) = text.split_once('-').ok_or(NoMark)?;
        let plain = |part: &str, most: usize| {
            !part.is_empty() && part.len() <= most && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if !plain(tag, 32) || !plain(micros, 18) {
            return Err(NoMark);
        }
        Ok(Self {
            tag: tag.to_owned(),
            at: Time::from_micros(micros.parse().map_err(|_| NoMark)?),
        })
    }
}
