//! What changes while somebody reads: marked where it stands, counted in the frame, and never moved. One tab of a
//! browser holds the stream of changes and tells the others. When it breaks, the page says so, and since when.

mod hear;
mod lock;
mod news;
mod page;
mod stream;
mod tab;
mod told;

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::HtmlAnchorElement;

use super::clock;
use crate::moment::{self, Tell};
use tab::{Page, Tab};

/// How the stream stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is known yet: the page is as it was made.
    Begins,
    /// What changes is told.
    Live,
    /// It broke.
    Broken {
        /// Since when, in milliseconds since 1970.
        since: i64,
        /// When that is said.
        now: i64,
    },
    /// Nobody is signed in any more.
    Out,
}

impl State {
    /// In words. How old the page is stands there as soon as it is worth a thought.
    fn words(self) -> String {
        match self {
            Self::Begins => String::new(),
            Self::Live => "Live".to_owned(),
            Self::Broken { since, now } => {
                let clock = clock::here(since, false);
                if now - since < 60_000 {
                    return format!("Not live since {clock}. Trying again.");
                }
                let ago = moment::relative(since, now, Tell::Ago);
                format!("Not live since {clock}, as of {ago}. Trying again.")
            }
            Self::Out => "You are signed out. What stood here is taken away.".to_owned(),
        }
    }
}

/// What the line says.
#[derive(Clone, Copy)]
struct Shows {
    state: RwSignal<State>,
    words: RwSignal<String>,
    news: RwSignal<Option<String>>,
    announced: RwSignal<String>,
}

impl Shows {
    fn show(self, state: State, news: Option<String>) {
        // What says the same already is left alone.
        if self.state.get_untracked() != state {
            self.state.set(state);
        }
        let words = state.words();
        if self.words.get_untracked() != words {
            self.words.set(words);
        }
        if self.news.get_untracked() != news {
            self.news.set(news);
        }
    }

    /// What is worth saying aloud: that the stream lives is not, and how old the page is only once.
    fn said(self) -> String {
        let state = match self.state.get_untracked() {
            State::Begins | State::Live => String::new(),
            State::Broken { since, .. } => State::Broken { since, now: since }.words(),
            State::Out => State::Out.words(),
        };
        let news = self.news.get_untracked().unwrap_or_default();
        format!("{state} {news}").trim().to_owned()
    }

    fn announce(self, said: String) {
        self.announced.set(said);
    }
}

/// A form that was refused is answered by the page that it stood on: the address becomes that page's, so that loading
/// it anew asks for it, and a copy of the address shows it.
fn stand_at(here: &str) {
    let path = window().location().pathname().unwrap_or_default();
    if path.starts_with("/_fn/")
        && let Ok(history) = window().history()
    {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(here));
    }
}

/// The line that says whether the page is live, and what changed since it was made.
#[island]
pub fn Live(
    /// The mark of the stream that was read before the page.
    mark: Option<String>,
    /// Which actions that are not on the page are news to it.
    others: String,
    /// The kind that the page is narrowed to.
    kind: Option<String>,
    /// How many waited when the page was made.
    waiting: u32,
    /// The page's address, without what the last request came to.
    here: String,
    /// When the page was made, in milliseconds since 1970.
    made: i64,
    /// The same as a time of RFC 3339.
    made_on: String,
    /// The same in words.
    made_at: String,
) -> impl IntoView {
    let shows = Shows {
        state: RwSignal::new(State::Begins),
        words: RwSignal::new(String::new()),
        news: RwSignal::new(None),
        announced: RwSignal::new(String::new()),
    };
    Effect::new({
        let here = here.clone();
        move |_| stand_at(&here)
    });
    Effect::new(move |_| {
        let page = Page {
            mark: mark.clone(),
            others: others.as_str().into(),
            kind: kind.clone(),
            waiting,
            title: document().title(),
            ahead: js_sys::Date::now() as i64 - made,
        };
        Tab::start(page, shows);
    });
    let state = shows.state;
    let class = move || match state.get() {
        State::Begins => "live",
        State::Live => "live is-live",
        State::Broken { .. } => "live is-hold",
        State::Out => "live is-bad",
    };
    let login = format!("/login?next={}", js_safe(&here));
    let sign_in = move || {
        let login = login.clone();
        (state.get() == State::Out)
            .then(|| view! { <a class="live-out" rel="external" href=login>"Sign in"</a> })
    };
    // There is no way to show what is not there.
    let news = move || {
        let (here, stays) = (here.clone(), here.clone());
        shows.news.get().map(|news| {
            view! {
                <p class="live-news">
                    <span>{news}</span>
                    <a rel="external" href=here on:click=move |event| stay(&event, &stays)>"Show"</a>
                </p>
            }
        })
    };
    view! {
        <div class=class>
            <div class="live-line">
                <p class="live-state">
                    <span hidden=move || state.get() != State::Begins>
                        "As of "<time datetime=made_on data-at=made.to_string() data-tell="clock">{made_at}</time>
                    </span>
                    <span class="live-words">{move || shows.words.get()}</span>
                    {sign_in}
                </p>
                {news}
            </div>
            <p class="vh" role="status">{move || shows.announced.get()}</p>
        </div>
    }
}

/// The page is loaded anew, with the same action open where something was typed of it: the first of the list may be
/// another one by then.
fn stay(event: &MouseEvent, here: &str) {
    let Some(link) = super::target::<HtmlAnchorElement>(event) else {
        return;
    };
    let is_typed = ["reason", "result"]
        .into_iter()
        .any(|field| page::typed(field).is_some());
    if is_typed
        && here.starts_with("/review")
        && let Some(key) = page::deciding_on().filter(|_| !here.contains("key="))
    {
        let sign = if here.contains('?') { '&' } else { '?' };
        link.set_href(&format!("{here}{sign}key={key}"));
    }
}

/// A text as a part of an address.
fn js_safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            let digit = |value: u8| {
                char::from_digit(u32::from(value), 16)
                    .unwrap_or('0')
                    .to_ascii_uppercase()
            };
            safe.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    safe
}

/// A number with thousands set apart, and a plus where there are more.
fn counted(n: u32, more: bool) -> String {
    let plus = if more { "+" } else { "" };
    match (n / 1_000, n % 1_000) {
        (0, n) => format!("{n}{plus}"),
        (thousands, n) => format!("{thousands},{n:03}{plus}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stands_in_an_address_as_it_is() {
        assert_eq!(js_safe("100 % & é"), "100%20%25%20%26%20%C3%A9");
        assert_eq!(counted(7, false), "7");
        assert_eq!(counted(10_000, true), "10,000+");
    }
}
