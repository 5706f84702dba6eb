//! What a form came to, carried to the page that says so: in a cookie that lives for one look. No link can make a page
//! say what did not happen, and nothing that was typed stands in an address.

use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use holdpoint_app::{Said, Told};

const COOKIE: &str = "told";
/// How long a browser keeps it where nobody looks, in seconds.
const LASTS_S: u32 = 120;
/// The longest text that goes along, in bytes.
const MAX_BYTES: usize = 64;

/// The cookie that says it.
pub fn cookie(told: Told, typed: &str, https: bool) -> Option<HeaderValue> {
    let typed = if typed.len() <= MAX_BYTES { typed } else { "" };
    let value = format!("{}.{}", told.code(), URL_SAFE_NO_PAD.encode(typed));
    written(&value, LASTS_S, https)
}

/// The cookie that says nothing any more.
pub fn cleared(https: bool) -> Option<HeaderValue> {
    written("", 0, https)
}

fn written(value: &str, age: u32, https: bool) -> Option<HeaderValue> {
    let secure = if https { "; Secure" } else { "" };
    let text = format!("{COOKIE}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::try_from(text).ok()
}

/// What the request's cookie says, where there is one.
pub fn read(headers: &HeaderMap) -> Option<Said> {
    let value = super::cookie(headers, COOKIE)?;
    let (code, typed) = value.split_once('.')?;
    let typed = URL_SAFE_NO_PAD
        .decode(typed.get(..MAX_BYTES * 2).unwrap_or(typed))
        .ok();
    let typed = typed.and_then(|typed| String::from_utf8(typed).ok());
    Some(Said {
        told: Some(Told::of_code(code)?),
        typed: typed.filter(|typed| typed.len() <= MAX_BYTES).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;

    #[test]
    fn what_is_told_is_read_as_it_was_and_nothing_else_is() {
        let read = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            super::read(&headers)
        };
        let set = cookie(Told::SignInFailed, "ottö", false).unwrap();
        let said = read(set.to_str().unwrap().split(';').next().unwrap()).unwrap();
        assert_eq!(
            (said.told, said.typed.as_str()),
            (Some(Told::SignInFailed), "ottö")
        );
        for nothing in ["told=", "told=x", "told=nope.", "told=wait.", "other=failed."] {
            assert!(read(nothing).is_none(), "{nothing}");
        }
        let garbage = format!("told=failed.{}", "%".repeat(10_000));
        assert_eq!(read(&garbage).unwrap().typed, "");
    }
}
