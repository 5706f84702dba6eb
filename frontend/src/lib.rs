//! The browser's entry point: takes over the page that the server has rendered, and nothing else.

// A page is one type, and as deep as its markup.
#![recursion_limit = "512"]

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by the script that the shell puts into each page, after the wasm module has loaded.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(holdpoint_app::App);
}
