//! Who calls: a token, or a person's session. What they may do is for the ledger to say.

pub mod caller;
pub mod hosts;
pub mod origin;
pub mod password;
pub mod peer;
pub mod sessions;
pub mod sign_in;
pub mod theme;
pub mod throttle;

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
    if plain && page { next } else { "/" }
}

/// What a browser may be led to: pages, which a GET shows and changes nothing by.
const PAGES: [&str; 4] = ["/review", "/actions", "/runs", "/policies"];

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
        ] {
            assert_eq!(local(elsewhere), "/", "{elsewhere:?}");
        }
        assert_eq!(
            local("/actions?status=held&q=%C3%BC"),
            "/actions?status=held&q=%C3%BC"
        );
    }
}
