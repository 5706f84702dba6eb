//! Headers that every answer carries, where nothing nearer has set them.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::state::AppState;

/// What an answer that is no page may do in a browser: nothing.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// What a page without a script may do: look as it should.
pub const PLAIN_PAGE: &str = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; \
                              base-uri 'none'; form-action 'none'";

/// What no page here needs, so that nothing that gets into one has it either.
const NO_FEATURES: &str = "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), \
                           encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), \
                           identity-credentials-get=(), magnetometer=(), microphone=(), midi=(), payment=(), \
                           picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), \
                           usb=(), xr-spatial-tracking=()";

static ALWAYS: [(HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, NOTHING),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Not `no-referrer`: a form without JavaScript comes back to the page that it was sent from.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("permissions-policy"), NO_FEATURES),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

/// The policy of a page whose scripts carry this nonce.
pub fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Adds what is missing.
pub async fn add(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in &ALWAYS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if state.address.is_https() {
        let hsts = HeaderValue::from_static("max-age=31536000");
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(hsts);
    }
    response
}
