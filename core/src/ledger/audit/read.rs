//! The audit's pages.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::intent::PayloadHash;
use crate::ledger::{Error, read};
use crate::time::Time;
use crate::words::AuditEvent;

/// One line of the audit.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRow {
    /// Its number: later lines have greater ones.
    pub id: i64,
    /// When.
    pub at: Time,
    /// Who; `None` is nobody who is known here.
    pub actor: Option<String>,
    /// By which means: `browser`, `token NAME`, `command line`.
    pub means: String,
    /// From where; for admins alone.
    pub from: Option<String>,
    /// What.
    pub event: AuditEvent,
    /// To what or whom: an action's key, a kind, the name of an operator or a token.
    pub subject: Option<String>,
    /// Why, in the actor's own words.
    pub reason: Option<String>,
    /// More, in members of their own.
    pub detail: Map<String, Value>,
    /// How often within that minute.
    pub times: u32,
}

/// Which lines, and from where on; newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Whose.
    pub actor: Option<String>,
    /// Of what.
    pub event: Option<AuditEvent>,
    /// About what or whom.
    pub subject: Option<String>,
    /// Written at or after.
    pub since: Option<Time>,
    /// Written before.
    pub until: Option<Time>,
    /// Where the page begins.
    pub cursor: Option<AuditCursor>,
    /// How many at most, 1 to 200; 0 is 50.
    pub limit: u32,
}

/// A page of the audit.
#[derive(Clone, Debug)]
pub struct AuditPage {
    /// The lines.
    pub items: Vec<AuditRow>,
    /// Where the next page begins.
    pub next: Option<AuditCursor>,
    /// Where the page before begins.
    pub prev: Option<AuditCursor>,
}

impl AuditFilter {
    /// The same with its limit set, where it can be asked for.
    pub(super) fn checked(&self) -> Result<Self, Error> {
        let mut filter = self.clone();
        filter.limit = read::limit(filter.limit)?;
        let texts = [&filter.actor, &filter.subject];
        if texts.into_iter().flatten().any(|text| text.contains('\0')) {
            return Err(Error::Invalid {
                field: "subject",
                detail: "U+0000 stands in no text that can be found".to_owned(),
            });
        }
        let foreign = |cursor: &AuditCursor| cursor.filter != filter.fingerprint();
        if filter.cursor.as_ref().is_some_and(foreign) {
            let detail = "belongs to a list with other filters: begin that list anew".to_owned();
            return Err(Error::Invalid {
                field: "after",
                detail,
            });
        }
        Ok(filter)
    }

    /// Eight digits that change with everything but where the page begins and how long it is.
    fn fingerprint(&self) -> String {
        let bare = Self {
            cursor: None,
            limit: 0,
            ..self.clone()
        };
        PayloadHash::of(format!("{bare:?}")).as_str()[..8].to_owned()
    }
}

/// Where a page begins: opaque, URL-safe, bound to its list's filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditCursor {
    pub(crate) id: i64,
    pub(crate) backward: bool,
    filter: String,
}

impl AuditCursor {
    pub(crate) fn new(id: i64, backward: bool, filter: &AuditFilter) -> Self {
        Self {
            id,
            backward,
            filter: filter.fingerprint(),
        }
    }
}

impl fmt::Display for AuditCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.backward { 'b' } else { 'f' };
        let text = format!("{} {direction} {}", self.id, self.filter);
        f.write_str(&URL_SAFE_NO_PAD.encode(text))
    }
}

impl FromStr for AuditCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = || {
            let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
            let mut parts = text.split(' ');
            let id = parts.next()?.parse().ok()?;
            let backward = match parts.next()? {
                "b" => true,
                "f" => false,
                _ => return None,
            };
            let filter = parts.next()?.to_owned();
            parts.next().is_none().then_some(Self { id, backward, filter })
        };
        parsed().ok_or_else(read::unreadable)
    }
}
