//! A form is sent once, however often its button is pressed.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use super::draft;
use super::send::{self, Sending};

/// The mark of a form that is on its way.
pub(super) const SENT: &str = "data-sent";

/// Holds back every further sending of a form that is on its way; the server answers a repeated one as the first
/// all the same.
#[island]
pub fn Forms() -> impl IntoView {
    Effect::new(|_| {
        draft::start();
        let sending = window_event_listener(ev::submit, |event| {
            let Some(form) = super::target::<Element>(&event).filter(changes) else {
                return;
            };
            if form.has_attribute(SENT) {
                event.prevent_default();
                return;
            }
            let _ = form.set_attribute(SENT, "");
            if let Some(sending) = Sending::of(&form, &event) {
                event.prevent_default();
                sending.start();
            } else {
                draft::drop_of(&form);
            }
        });
        // A page that the browser brings back as it was has sent nothing yet.
        let shown = window_event_listener(ev::pageshow, |_| {
            super::all::<Element>("form[data-sent]").for_each(|form| may_be_sent(&form));
            send::say("");
        });
        on_cleanup(move || {
            sending.remove();
            shown.remove();
        });
    });
}

/// A form that may be sent again.
pub(super) fn may_be_sent(form: &Element) {
    let _ = form.remove_attribute(SENT);
}

fn changes(form: &Element) -> bool {
    form.get_attribute("method")
        .is_some_and(|method| method.eq_ignore_ascii_case("post"))
}
