//! Who calls: a token, or a person's session. What they may do is for the ledger to say.

pub mod account;
pub mod caller;
pub mod change;
pub mod desk;
pub mod hosts;
pub mod oidc;
pub mod origin;
pub mod password;
pub mod peer;
pub mod sessions;
pub mod sign_in;
pub mod strangers;
pub mod theme;
pub mod told;
mod unfit;
pub mod watcher;

use axum::http::{HeaderMap, header};

pub use caller::Caller;
pub use hosts::Address;
pub use peer::{Peer, Proxies};

/// A path on this site to go on to, or the start page where it could lead elsewhere.
pub fn local(next: &str) -> &str {
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let path = next.split(['?', '#']).next().unwrap_or_default();
    let page = path == "/"
        || PAGES.iter().any(|page| {
            path.strip_prefix(page)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
    if plain && page && next.len() <= LONGEST && !climbs(path) {
        next
    } else {
        "/"
    }
}

/// What a browser may be led to: pages, which a GET shows and changes nothing by.
const PAGES: [&str; 10] = [
    "/review",
    "/actions",
    "/runs",
    "/policies",
    "/stale",
    "/audit",
    "/operators",
    "/tokens",
    "/webhooks",
    "/account",
];
/// No page's address is longer, in bytes.
const LONGEST: usize = 4096;

/// Whether a browser would take the path for another one: it takes dots for steps, however they are written.
fn climbs(path: &str) -> bool {
    path.split('/').any(|step| {
        let step = step.to_ascii_lowercase().replace("%2e", ".");
        step == "." || step == ".."
    })
}

/// The value of a cookie, where the request has one of this name.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut cookies = lines
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    cookies.find(|(found, _)| *found == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn what_leads_elsewhere_leads_to_the_start_page() {
        for elsewhere in [
            "",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/a\r\nX: y",
            "/ü",
            "a",
            "/a b",
            "/_fn/decide",
            "/logout",
            "/api/v1/actions",
            "/reviewers",
            "/%5Cevil.example",
            "/actions/../logout",
            "/actions/.%2E/logout",
            "/actions/%2e",
            &format!("/actions?q={}", "x".repeat(10_000)),
        ] {
            assert_eq!(local(elsewhere), "/", "{elsewhere:?}");
        }
        for page in [
            "/actions?status=held&q=%C3%BC",
            "/actions?kind=email#x",
            "/account",
            "/runs/a..b",
            "/audit?q=../",
        ] {
            assert_eq!(local(page), page);
        }
    }
}
