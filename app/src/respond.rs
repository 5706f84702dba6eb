//! What a page or a form tells the HTTP answer around it.

/// Sets the status of the page that is being rendered.
pub fn status(code: u16) {
    if let Some(response) = leptos::prelude::use_context::<leptos_axum::ResponseOptions>()
        && let Ok(code) = http::StatusCode::from_u16(code)
    {
        response.set_status(code);
    }
}

/// Sends whoever asked for the page that is being rendered to another one.
pub fn send_to(address: &str) {
    if let Some(response) = leptos::prelude::use_context::<leptos_axum::ResponseOptions>()
        && let Ok(location) = http::HeaderValue::from_str(address)
    {
        response.insert_header(http::header::LOCATION, location);
        response.set_status(http::StatusCode::SEE_OTHER);
    }
}

/// Answers a form with a page: 303 where the browser posted it by itself, a navigation where the script did.
pub fn answer_with(address: &str) {
    use leptos::prelude::use_context;

    leptos_axum::redirect(address);
    let by_itself = use_context::<http::request::Parts>()
        .and_then(|parts| {
            parts
                .headers
                .get(http::header::ACCEPT)?
                .to_str()
                .ok()
                .map(|accept| accept.contains("text/html"))
        })
        .unwrap_or(false);
    if by_itself && let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::SEE_OTHER);
    }
}
