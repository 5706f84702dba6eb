//! The browser's entry point: wakes the islands in the page that the server has rendered, and nothing else.

// Linked for its islands, which the page's own script calls by their names.
use holdpoint_app as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by the script that the shell puts into each page, after the wasm module has loaded.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
