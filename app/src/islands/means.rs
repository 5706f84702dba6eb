//! What a number of seconds comes to, while it is typed.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use crate::moment;

/// Keeps the words beside each number of seconds in step with it.
#[island]
pub fn Means() -> impl IntoView {
    Effect::new(|_| {
        let typing = window_event_listener(ev::input, |event| {
            let Some(input) = super::target::<HtmlInputElement>(&event) else {
                return;
            };
            let means = format!("{}-m", input.id());
            if let Some(means) = document().get_element_by_id(&means) {
                means.set_text_content(Some(&moment::means(&input.value())));
            }
        });
        on_cleanup(move || typing.remove());
    });
}
