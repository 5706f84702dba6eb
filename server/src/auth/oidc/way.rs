//! Who came by the provider is sent there again once their hour is over: mostly they are still known there, and see
//! nothing of it. The browser remembers which way it came; it is worth nothing to anybody else.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};

use crate::auth::cookie;

/// How long somebody stays signed in on one word of the provider, however busy they are.
pub const LASTS: Duration = Duration::from_hours(1);

const COOKIE: &str = "way";
const BY_PROVIDER: &str = "sso";
const REMEMBERED_S: u32 = 30 * 86_400;

/// Whether this browser came by the provider last.
pub fn was_taken(headers: &HeaderMap) -> bool {
    cookie(headers, COOKIE) == Some(BY_PROVIDER)
}

/// The cookie of a browser that comes by the provider.
pub fn taken(https: bool) -> Option<HeaderValue> {
    set(BY_PROVIDER, REMEMBERED_S, https)
}

/// The cookie of a browser that comes by a password, or goes.
pub fn left(https: bool) -> Option<HeaderValue> {
    set("", 0, https)
}

fn set(value: &str, seconds: u32, https: bool) -> Option<HeaderValue> {
    let secure = if https { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
    HeaderValue::try_from(cookie).ok()
}
