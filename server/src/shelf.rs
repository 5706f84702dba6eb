//! Where what somebody typed lies between their signing in again and the page that shows it: in this server's memory,
//! for minutes. The sign-in is answered by a redirect, so that no browser keeps a page that would send the password
//! anew. Another server of several knows nothing of it, and shows the case without it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use holdpoint_app::Typed;
use tokio::time::Instant;
use uuid::Uuid;

use crate::auth::cookie;

const COOKIE: &str = "kept";
/// How long it lies there.
const LASTS: Duration = Duration::from_mins(10);
/// No more than these lie there; the oldest makes room.
const PLACES: usize = 256;

/// What lies there: whose it is, by which ticket, and until when.
#[derive(Clone, Debug, Default)]
pub struct Shelf(Arc<Mutex<VecDeque<Laid>>>);

#[derive(Clone, Debug)]
struct Laid {
    ticket: String,
    person: String,
    until: Instant,
    typed: Typed,
}

impl Shelf {
    /// Lays it there, and gives the cookie that finds it.
    pub fn lay(&self, person: &str, typed: Typed, https: bool) -> Option<HeaderValue> {
        let ticket = Uuid::new_v4().simple().to_string();
        let secure = if https { "; Secure" } else { "" };
        let lasts = LASTS.as_secs();
        let cookie = format!("{COOKIE}={ticket}; Path=/; Max-Age={lasts}; HttpOnly; SameSite=Lax{secure}");
        self.with(|all| {
            if all.len() == PLACES {
                all.pop_front();
            }
            all.push_back(Laid {
                ticket,
                person: person.to_owned(),
                until: Instant::now() + LASTS,
                typed,
            });
        });
        HeaderValue::try_from(cookie).ok()
    }

    /// What lies there for this person, by the cookie of their browser.
    pub fn find(&self, headers: &HeaderMap, person: &str) -> Option<Typed> {
        let ticket = cookie(headers, COOKIE)?;
        self.with(|all| {
            let found = all
                .iter()
                .find(|laid| laid.ticket == ticket && laid.person == person);
            found.map(|laid| laid.typed.clone())
        })
    }

    /// Takes it away: its person decides.
    pub fn clear(&self, headers: &HeaderMap) {
        if let Some(ticket) = cookie(headers, COOKIE) {
            self.with(|all| all.retain(|laid| laid.ticket != ticket));
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut VecDeque<Laid>) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        all.retain(|laid| laid.until > now);
        work(&mut all)
    }
}
