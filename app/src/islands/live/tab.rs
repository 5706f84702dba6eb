//! One tab among those of a browser: it holds the stream, or is told by the one that does.

mod watch;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Date, Math};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{AbortController, BroadcastChannel};

use super::lock::{self, Release};
use super::news::News;
use super::page::{self, Others};
use super::stream::{self, End};
use super::told::{Recent, Told, after};
use super::{Shows, State, hear};

/// The stream says every 15 s that it lives; silent for longer than this, in milliseconds, it is not believed to.
const SILENT: f64 = 40_000.0;
/// The longest wait before the stream is asked for again, in milliseconds.
const LONGEST: u64 = 6_000;

/// A page as the server made it.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub mark: Option<String>,
    pub others: Others,
    pub kind: Option<String>,
    pub waiting: u32,
    pub title: String,
    /// How far the reader's clock is ahead of the server's, in milliseconds.
    pub ahead: i64,
}

/// What tabs say to each other; the first sign says what it is.
mod word {
    /// A message of the stream.
    pub const TOLD: &str = "t";
    /// The stream broke; since when follows.
    pub const BROKEN: &str = "b";
    /// The stream is there: each tab says how far it was told.
    pub const BEGUN: &str = "l";
    /// Who I am, and how far I was told.
    pub const HELLO: &str = "h";
    /// Who was told all that they had missed.
    pub const CAUGHT_UP: &str = "c";
    /// Nobody is signed in any more.
    pub const OUT: &str = "o";
}

/// One tab.
#[derive(Clone)]
pub(super) struct Tab(Rc<RefCell<Inner>>);

struct Inner {
    news: News,
    shows: Shows,
    id: String,
    channel: Option<BroadcastChannel>,
    /// Everything up to it is on the page.
    mark: Option<String>,
    /// How far it was told meanwhile, as long as that may have a gap.
    seen: Option<String>,
    caught_up: bool,
    /// When the stream was heard of last, when the tab that holds it, and when that was asked for.
    heard: f64,
    led: f64,
    opened: f64,
    broken: Option<f64>,
    tries: u32,
    out: bool,
    /// There where this tab holds the stream.
    release: Option<Release>,
    /// No locks here: each tab that is seen has a stream of its own.
    alone: bool,
    /// The number of this tab's stream: what an older one still says is not heard.
    stream: u32,
    stop: Option<AbortController>,
    recent: Recent,
    announced: String,
}

impl Tab {
    pub fn start(page: Page, shows: Shows) {
        let now = Date::now();
        let tab = Self(Rc::new(RefCell::new(Inner {
            mark: page.mark.clone(),
            news: News::of(page),
            shows,
            id: Math::random().to_string(),
            channel: BroadcastChannel::new("holdpoint-live").ok(),
            seen: None,
            caught_up: false,
            heard: now,
            led: now,
            opened: 0.0,
            broken: None,
            tries: 0,
            out: false,
            release: None,
            alone: false,
            stream: 0,
            stop: None,
            recent: Recent::default(),
            announced: String::new(),
        })));
        if let Some(channel) = &tab.0.borrow().channel {
            let tab = tab.clone();
            hear::said(channel, move |word, rest| tab.hear(word, rest));
        }
        tab.hello();
        tab.queue(false);
        tab.watch();
    }

    fn say(&self, word: &str, rest: &str) {
        let inner = self.0.borrow();
        if let Some(channel) = inner.channel.as_ref().filter(|_| !inner.alone) {
            let _ = channel.post_message(&format!("{word}{rest}").into());
        }
    }

    fn hello(&self) {
        let hello = {
            let mut inner = self.0.borrow_mut();
            inner.caught_up = false;
            format!("{} {}", inner.id, inner.mark.as_deref().unwrap_or_default())
        };
        self.say(word::HELLO, &hello);
    }

    fn leads(&self) -> bool {
        self.0.borrow().release.is_some()
    }

    fn is(&self, what: impl Fn(&Inner) -> bool) -> bool {
        what(&self.0.borrow())
    }

    /// Another tab said something.
    fn hear(&self, word: &str, rest: &str) {
        if self.is(|tab| tab.alone || tab.out) {
            return;
        }
        match word {
            word::OUT => return self.sign_out(),
            word::HELLO if self.leads() => return self.catch_up(rest),
            word::HELLO => return,
            // The one that was silent does not know yet that another one took over.
            _ if self.leads() => return,
            _ => self.0.borrow_mut().led = Date::now(),
        }
        match word {
            word::TOLD => self.told(rest),
            word::BROKEN => self.broke(rest.parse().unwrap_or_else(|_| Date::now())),
            word::BEGUN => self.hello(),
            word::CAUGHT_UP if self.is(|tab| tab.id == rest) => {
                {
                    let mut inner = self.0.borrow_mut();
                    inner.caught_up = true;
                    let seen = inner.seen.take();
                    inner.mark = seen.or_else(|| inner.mark.take());
                }
                self.alive();
            }
            _ => {}
        }
    }

    /// Tells another tab what it missed; where that goes back too far, the stream begins further back.
    fn catch_up(&self, hello: &str) {
        let (id, mark) = hello.split_once(' ').unwrap_or((hello, ""));
        let missed = match mark {
            "" => Some(Vec::new()),
            mark => self.0.borrow().recent.missed(mark),
        };
        let broken = self.0.borrow().broken;
        match (missed, broken) {
            (Some(missed), broken) => {
                for message in missed {
                    self.say(word::TOLD, &message);
                }
                self.say(word::CAUGHT_UP, id);
                if let Some(since) = broken {
                    self.say(word::BROKEN, &since.to_string());
                }
            }
            // It says hello again once the stream is there.
            (None, None) => self.open(Some(mark.to_owned())),
            (None, Some(since)) => self.say(word::BROKEN, &since.to_string()),
        }
    }

    /// Stands in the queue for the stream.
    fn queue(&self, steal: bool) {
        let (held, lost) = (self.clone(), self.clone());
        let held = move |release| {
            if held.is(|tab| tab.out) {
                return lock::give_back(Some(release));
            }
            held.0.borrow_mut().release = Some(release);
            held.open(None);
        };
        if lock::ask(steal, held, move || lost.lost()).is_none() {
            self.0.borrow_mut().alone = true;
            if !document().hidden() {
                self.open(None);
            }
        }
    }

    /// Another tab took the stream over, since this one was silent.
    fn lost(&self) {
        if self.0.borrow_mut().release.take().is_some() {
            self.close();
            self.hello();
            self.queue(false);
        }
    }

    /// Opens the stream, from where this tab stands or from further back.
    fn open(&self, back: Option<String>) {
        self.close();
        let Ok(stop) = AbortController::new() else { return };
        let signal = stop.signal();
        let (number, from) = {
            let mut inner = self.0.borrow_mut();
            let from = back.or_else(|| inner.mark.clone());
            inner.stop = Some(stop);
            inner.opened = Date::now();
            inner.recent = Recent::since(from.as_deref());
            (inner.stream, from)
        };
        let tab = self.clone();
        spawn_local(async move {
            let begun = || tab.begun(number);
            let told = |message: &str| {
                if tab.is(|tab| tab.stream == number) {
                    tab.told(message);
                }
            };
            let end = stream::read(from.as_deref(), &signal, begun, told).await;
            tab.ended(number, end);
        });
    }

    fn close(&self) {
        let mut inner = self.0.borrow_mut();
        inner.stream += 1;
        if let Some(stop) = inner.stop.take() {
            stop.abort();
        }
    }

    fn begun(&self, number: u32) {
        if self.is(|tab| tab.stream == number) {
            self.0.borrow_mut().caught_up = true;
            self.alive();
            self.say(word::BEGUN, "");
        }
    }

    fn ended(&self, number: u32, end: End) {
        if self.is(|tab| tab.stream != number || tab.out) {
            return;
        }
        if end == End::SignedOut {
            self.say(word::OUT, "");
            return self.sign_out();
        }
        // A tab that was frozen learns late that it broke.
        let (now, heard) = (Date::now(), self.0.borrow().heard);
        self.broke(if now - heard > SILENT { heard } else { now });
        let wait = {
            let mut inner = self.0.borrow_mut();
            inner.tries += 1;
            (500 << inner.tries.min(6)).min(LONGEST)
        };
        // Many browsers that lost one server come back one after another.
        let wait = wait / 2 + (Math::random() * wait as f64 / 2.0) as u64;
        let tab = self.clone();
        let again = move || {
            if tab.is(|tab| tab.stream == number) {
                tab.open(None);
            }
        };
        set_timeout(again, Duration::from_millis(wait));
    }

    /// Takes a message of the stream in, and hands it on.
    fn told(&self, message: &str) {
        self.alive();
        let told = Told::read(message);
        if self.leads() {
            self.say(word::TOLD, message);
        }
        if told.event == "signed-out" {
            self.say(word::OUT, "");
            return self.sign_out();
        }
        {
            let mut inner = self.0.borrow_mut();
            inner.news.take_in(&told);
            if told.event == "resync" {
                // All is read anew: it goes on from here, whatever was missed.
                inner.caught_up = true;
                inner.mark = None;
            }
            if let Some(id) = told.id {
                inner
                    .recent
                    .keep(&id, (!told.event.is_empty()).then_some(message));
                let inner = &mut *inner;
                let before = if inner.caught_up {
                    &mut inner.mark
                } else {
                    &mut inner.seen
                };
                if before.as_deref().is_none_or(|before| after(&id, before)) {
                    *before = Some(id);
                }
            }
        }
        self.show();
    }

    /// The stream lives.
    fn alive(&self) {
        {
            let mut inner = self.0.borrow_mut();
            inner.heard = Date::now();
            inner.tries = 0;
            inner.broken = None;
        }
        self.show();
    }

    /// The stream does not; the first time that this was seen is when it broke.
    fn broke(&self, since: f64) {
        let since = *self.0.borrow_mut().broken.get_or_insert(since);
        if self.leads() {
            self.say(word::BROKEN, &since.to_string());
        }
        self.show();
    }

    /// Nobody is signed in any more: what stands here is no longer theirs to see.
    fn sign_out(&self) {
        self.0.borrow_mut().out = true;
        self.leave();
        page::drop_data();
        self.show();
        self.announce();
    }

    fn show(&self) {
        let (state, news, shows) = {
            let inner = self.0.borrow();
            let state = match (inner.out, inner.broken) {
                (true, _) => State::Out,
                (_, Some(since)) => State::Broken {
                    since: since as i64,
                    now: Date::now() as i64,
                },
                _ if inner.caught_up => State::Live,
                _ => State::Begins,
            };
            let news = (!inner.out).then(|| inner.news.words()).flatten();
            (state, news, inner.shows)
        };
        shows.show(state, news);
    }

    /// Says once, and gathered, what somebody who listens to the page should know.
    fn announce(&self) {
        let (said, shows) = {
            let mut inner = self.0.borrow_mut();
            let said = inner.shows.said();
            if said == inner.announced {
                return;
            }
            inner.announced.clone_from(&said);
            (said, inner.shows)
        };
        shows.announce(said);
    }
}
