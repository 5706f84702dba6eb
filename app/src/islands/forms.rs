//! A form is sent once, however often its button is pressed.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

const SENT: &str = "data-sent";

/// Holds back every further sending of a form that is on its way; the server answers a repeated one as the first
/// all the same.
#[island]
pub fn Forms() -> impl IntoView {
    Effect::new(|_| {
        let sending = window_event_listener(ev::submit, |event| {
            let Some(form) = super::target::<Element>(&event).filter(changes) else {
                return;
            };
            if form.has_attribute(SENT) {
                event.prevent_default();
            }
            let _ = form.set_attribute(SENT, "");
        });
        // A page that the browser brings back as it was has sent nothing yet.
        let shown = window_event_listener(ev::pageshow, |_| {
            super::all::<Element>("form[data-sent]").for_each(|form| {
                let _ = form.remove_attribute(SENT);
            });
        });
        on_cleanup(move || {
            sending.remove();
            shown.remove();
        });
    });
}

fn changes(form: &Element) -> bool {
    form.get_attribute("method")
        .is_some_and(|method| method.eq_ignore_ascii_case("post"))
}
