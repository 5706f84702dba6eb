//! Hears what browsers and other tabs say, as long as the page lives.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{BroadcastChannel, EventTarget, MessageEvent};

/// An event of the window or of the document.
pub(super) fn event(target: &EventTarget, name: &str, heard: impl FnMut() + 'static) {
    let hear = Closure::<dyn FnMut()>::new(heard);
    let _ = target.add_event_listener_with_callback(name, hear.as_ref().unchecked_ref());
    hear.forget();
}

/// What another tab says: a word of one sign, and the rest.
pub(super) fn said(channel: &BroadcastChannel, mut heard: impl FnMut(&str, &str) + 'static) {
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let said = event.data().as_string().unwrap_or_default();
        if let Some((word, rest)) = said.split_at_checked(1) {
            heard(word, rest);
        }
    });
    channel.set_onmessage(Some(hear.as_ref().unchecked_ref()));
    hear.forget();
}
