//! A decision is sent without leaving its page: where no answer comes, what was typed stands there still, and the same
//! button sends it anew. That is safe: a decision is bound to the version that was seen, and is taken once.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Element, Event, FormData, Headers, HtmlElement, HtmlFormElement, RequestInit, Response, SubmitEvent,
    UrlSearchParams,
};

use super::draft;
use super::forms::{SENT, may_be_sent};

/// The forms that decide.
const FORM: &str = "decide-form";
/// The mark of a form that the browser sends by itself.
const PLAIN: &str = "data-plain";
/// So long nothing is said, and so long an answer is waited for before the button may be pressed again.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(20));

const ON_ITS_WAY: &str = "Sending your decision…";
const SLOW: &str = "No answer yet: nothing is known of this decision. It is safe to press the same button again: it is \
                    decided once.";
const NOT_KNOWN: &str = "No answer came: nothing is known of this decision yet. Press the same button again once the \
                         server is back: it is decided once.";

/// A decision on its way.
pub(super) struct Sending {
    form: HtmlFormElement,
    pressed: Option<HtmlElement>,
    fields: UrlSearchParams,
}

/// What came back.
enum Answer {
    /// It leads to this page.
    Leads(String),
    /// It is a page itself.
    Page,
    /// None, or that the server cannot answer.
    None,
}

impl Sending {
    /// A form that decides, as it is sent; nothing where the browser is to send it.
    pub fn of(form: &Element, event: &Event) -> Option<Self> {
        let form: HtmlFormElement = form.clone().dyn_into().ok()?;
        // A field may be called as a form's property is: attributes are read as they stand there.
        if form.get_attribute("id").as_deref() != Some(FORM) || form.has_attribute(PLAIN) {
            return None;
        }
        let pressed = event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter);
        let typed = FormData::new_with_form(&form).ok()?;
        let fields = UrlSearchParams::new_with_str_sequence_sequence(&typed).ok()?;
        if let Some(pressed) = &pressed {
            let named = pressed.get_attribute("name").zip(pressed.get_attribute("value"));
            if let Some((name, value)) = named {
                fields.append(&name, &value);
            }
        }
        Some(Self {
            form,
            pressed,
            fields,
        })
    }

    /// Sends it, and goes where the answer leads.
    pub fn start(self) {
        say("");
        let form = self.form.clone();
        set_timeout(
            move || {
                if form.has_attribute(SENT) {
                    say(ON_ITS_WAY);
                }
            },
            PATIENCE.0,
        );
        let form = self.form.clone();
        set_timeout(
            move || {
                if form.has_attribute(SENT) {
                    not_known(&form, SLOW);
                }
            },
            PATIENCE.1,
        );
        spawn_local(async move {
            match self.answer().await.unwrap_or(Answer::None) {
                Answer::Leads(address) => {
                    draft::drop_of(&self.form);
                    let _ = window().location().assign(&address);
                }
                // Only the browser shows what is no redirect: it asks again, and is answered as the first time.
                Answer::Page => {
                    may_be_sent(&self.form);
                    let _ = self.form.set_attribute(PLAIN, "");
                    let _ = self.form.request_submit_with_submitter(self.pressed.as_ref());
                }
                Answer::None => not_known(&self.form, NOT_KNOWN),
            }
        });
    }

    async fn answer(&self) -> Result<Answer, JsValue> {
        let headers = Headers::new()?;
        headers.set("accept", "text/html")?;
        let asked = RequestInit::new();
        asked.set_method("POST");
        asked.set_headers(&headers);
        asked.set_body(&self.fields);
        let address = self.form.get_attribute("action").unwrap_or_default();
        let answer = window().fetch_with_str_and_init(&address, &asked);
        let answer: Response = JsFuture::from(answer).await?.dyn_into()?;
        Ok(match (answer.redirected(), answer.status()) {
            (true, _) => Answer::Leads(answer.url()),
            (false, 500..) => Answer::None,
            (false, _) => Answer::Page,
        })
    }
}

fn not_known(form: &Element, words: &str) {
    may_be_sent(form);
    say(words);
}

/// Beside the answers.
pub(super) fn say(words: &str) {
    for line in super::all::<Element>("[data-sending]") {
        line.set_text_content(Some(words));
    }
}
