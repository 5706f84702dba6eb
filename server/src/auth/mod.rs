//! Who calls: a token, or a person's session. What they may do is for the ledger to say.

pub mod caller;
pub mod hosts;
pub mod origin;
pub mod password;
pub mod sessions;
pub mod sign_in;
pub mod theme;
pub mod throttle;

pub use caller::Caller;
pub use hosts::Address;

/// A path on this site to go on to, or the start page where it could lead elsewhere.
pub fn local(next: &str) -> &str {
    let here = next.starts_with('/') && !next.starts_with("//");
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if here && plain { next } else { "/" }
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
        ] {
            assert_eq!(local(elsewhere), "/", "{elsewhere:?}");
        }
        assert_eq!(
            local("/actions?status=held&q=%C3%BC"),
            "/actions?status=held&q=%C3%BC"
        );
    }
}
