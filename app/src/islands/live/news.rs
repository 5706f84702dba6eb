//! What is news to a page: what changed of that which stands on it, and what else is worth a word.

use std::collections::HashSet;

use js_sys::{Date, JSON};
use wasm_bindgen::{JsCast as _, JsValue};

use super::page::{self, On, Others, member};
use super::tab::Page;
use super::told::{Told, after};

/// What changed since the page was made.
#[derive(Debug)]
pub(super) struct News {
    page: Page,
    /// What happened to the action whose page this is, or that is open beside the queue.
    case: Option<Since>,
    /// Rows of the page.
    rows: HashSet<String>,
    /// Actions that are none of its rows, and news to it.
    others: HashSet<String>,
    /// How many wait, where that changed and the page does not show all of them.
    waiting: Option<String>,
    /// More changed than was told.
    anew: bool,
}

/// An action that changed.
pub(super) struct Change {
    pub key: String,
    status: String,
    pub version: i64,
    kind: String,
    by: Option<String>,
    /// Who agree so far to a retry that needs several people.
    agreed: Vec<String>,
}

impl Change {
    fn read(data: &JsValue) -> Option<Self> {
        let text = |name: &str| member(data, name)?.as_string();
        Some(Self {
            key: text("key")?,
            status: text("status")?,
            version: member(data, "version")?.as_f64()? as i64,
            kind: text("kind")?,
            by: text("by"),
            agreed: member(data, "agreed").map(names).unwrap_or_default(),
        })
    }

    /// What is news where a version is shown, agreed to by so many: an agreement moves no version. A place that does
    /// not say how many agreed is told of no agreement.
    pub fn since(&self, version: i64, agreed: Option<usize>) -> Option<Since> {
        if version < self.version {
            return Some(Since::Moved(self.now()));
        }
        let more = self.agreed.get(agreed?..).filter(|more| !more.is_empty())?;
        (version == self.version).then(|| Since::Agreed(format!("{} agreed", more.join(", "))))
    }

    /// `now failed, by olga`.
    fn now(&self) -> String {
        let status = self.status.replace('_', " ");
        match &self.by {
            Some(by) => format!("now {status}, by {by}"),
            None => format!("now {status}"),
        }
    }
}

/// What happened to an action since it was shown, in words.
#[derive(Debug)]
pub(super) enum Since {
    /// It stands elsewhere: `now failed, by olga`.
    Moved(String),
    /// It stands where it stood, and more people agree: `olga agreed`.
    Agreed(String),
}

impl Since {
    pub fn words(&self) -> &str {
        let (Self::Moved(words) | Self::Agreed(words)) = self;
        words
    }

    /// In a sentence of its own.
    fn told(&self) -> String {
        match self {
            Self::Moved(now) => format!("This action moved: {now}."),
            Self::Agreed(who) => format!("{who} to run this action once more."),
        }
    }
}

/// Names out of a list of texts.
fn names(list: JsValue) -> Vec<String> {
    let list: js_sys::Array = list.dyn_into().unwrap_or_default();
    list.iter().filter_map(|name| name.as_string()).collect()
}

impl News {
    /// Of a page that was just made.
    pub fn of(page: Page) -> Self {
        Self {
            page,
            case: None,
            rows: HashSet::new(),
            others: HashSet::new(),
            waiting: None,
            anew: false,
        }
    }

    /// Takes in what the stream tells, and marks it where it stands.
    pub fn take_in(&mut self, told: &Told) {
        let Ok(data) = JSON::parse(&told.data) else { return };
        match told.event.as_str() {
            "action" => {
                if let Some(change) = Change::read(&data) {
                    self.action(&change, told.id.as_deref());
                }
            }
            "waiting" => self.waiting(&data),
            "resync" => self.anew = true,
            _ => {}
        }
    }

    fn action(&mut self, change: &Change, id: Option<&str>) {
        let on = page::mark(change);
        if on.row == On::Moved && on.case.is_none() {
            self.rows.insert(change.key.clone());
        }
        if on.case.is_some() {
            self.case = on.case;
        }
        // What stands at the very mark of the page may have been read with it.
        let later = match (id, &self.page.mark) {
            (Some(id), Some(mark)) => after(id, mark),
            _ => true,
        };
        let worth = match self.page.others {
            Others::Waiting => change.status == "held",
            Others::All => later,
            Others::Number | Others::None => false,
        };
        let kind = self.page.kind.as_ref().is_none_or(|kind| *kind == change.kind);
        if worth && kind && on.row == On::Not {
            self.others.insert(change.key.clone());
        } else {
            self.others.remove(&change.key);
        }
    }

    fn waiting(&mut self, data: &JsValue) {
        let Some(count) = member(data, "count").and_then(|count| count.as_f64()) else {
            return;
        };
        let (count, more) = (
            count as u32,
            member(data, "more").is_some_and(|more| more.is_truthy()),
        );
        let words = super::counted(count, more);
        page::show_waiting(&words, count > 0, &self.page.title);
        self.waiting = (count != self.page.waiting).then(|| match count {
            1 => "1 waits now".to_owned(),
            _ => format!("{words} wait now"),
        });
        page::show_paused(member(data, "everything_paused").is_some_and(|paused| paused.is_truthy()));
        let passed = member(data, "reaper_passed_at").map(|at| Date::new(&at).get_time());
        if let Some(at) = passed.filter(|at| at.is_finite()) {
            page::show_reaper(at as i64, Date::now() as i64 - self.page.ahead);
        }
    }

    /// In a few words; nothing where nothing is news.
    pub fn words(&self) -> Option<String> {
        let case = self.case.as_ref().map(Since::told);
        let anew = "More changed than is told one by one.".to_owned();
        let rest = if self.anew { Some(anew) } else { self.rest() };
        let words: Vec<_> = case.into_iter().chain(rest).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// What there is besides the action that the page is of.
    fn rest(&self) -> Option<String> {
        let listed = self.page.others == Others::Waiting && page::is_whole();
        let others = match (self.page.others, self.others.len()) {
            (Others::None, _) | (Others::All, 0) => None,
            (Others::All, n) => Some(format!("{n} more changed")),
            (Others::Waiting, 0) if listed => None,
            (Others::Waiting, 1) if listed => Some("1 new waits".to_owned()),
            (Others::Waiting, n) if listed => Some(format!("{n} new wait")),
            (Others::Waiting | Others::Number, _) => self.waiting.clone(),
        };
        let rows = match self.rows.len() {
            0 => None,
            n => Some(format!("{n} here changed")),
        };
        let words: Vec<_> = others.into_iter().chain(rows).collect();
        (!words.is_empty()).then(|| format!("{}.", words.join(", ")))
    }
}
