//! What a page or a form tells the HTTP answer around it.

/// Sets the status of the page that is being rendered.
pub fn status(code: u16) {
    if let Some(response) = leptos::prelude::use_context::<leptos_axum::ResponseOptions>()
        && let Ok(code) = http::StatusCode::from_u16(code)
    {
        response.set_status(code);
    }
}

/// Sends whoever asked for a page, or posted a form, on to another page.
pub fn send_to(address: &str) {
    if let Some(response) = leptos::prelude::use_context::<leptos_axum::ResponseOptions>()
        && let Ok(location) = http::HeaderValue::from_str(address)
    {
        response.insert_header(http::header::LOCATION, location);
        response.set_status(http::StatusCode::SEE_OTHER);
    }
}
