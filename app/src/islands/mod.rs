//! What lives in the browser. A page is whole without it: the islands add the reader's clock, keys, a button that
//! copies, marks on what changes meanwhile, and the care that a form is sent once. Nothing else of the pages is compiled to wasm.

mod clock;
mod copy;
mod draft;
mod forms;
mod keys;
mod left_out;
mod live;
mod means;
mod now;
mod picked;
mod send;
mod ticks;
mod zone;

pub use clock::Clock;
pub use copy::Copy;
pub use forms::Forms;
pub use keys::Keys;
pub use left_out::LeftOut;
pub use live::Live;
pub use means::Means;
pub use picked::Picked;
pub use zone::Zoned;

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;

/// Every element that a selector finds, as this type of element.
fn all<T: JsCast>(selector: &str) -> impl Iterator<Item = T> {
    let found = document().query_selector_all(selector).ok();
    let length = found.as_ref().map_or(0, web_sys::NodeList::length);
    (0..length).filter_map(move |n| found.as_ref()?.item(n)?.dyn_into().ok())
}

/// What the tab keeps until it is closed. A browser that keeps nothing for this site has none.
fn tab_storage() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}

/// The element that an event speaks of, as this type of element.
fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target()?.dyn_into().ok()
}
