//! Addresses of pages: every state of a page is in its query.
//!
//! The router's own map of parameters decodes twice, which spoils a percent sign in what somebody typed; so
//! queries are read here from the address as it came, once, and alike on the server and in the browser.

use std::fmt;

/// The names and values of an address's query, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query with or without its question mark.
    pub fn parse(search: &str) -> Self {
        let pairs = search
            .trim_start_matches('?')
            .split('&')
            .filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (decode(name, true), decode(value, true)))
                .collect(),
        )
    }

    /// The value of a name; what is empty is as good as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The value of a name, read as a word or a number; `None` where it is absent or cannot be.
    pub fn read<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// Every name with its value, in the address's order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Without what is empty: a form sends a field that nobody filled in as well.
    #[must_use]
    pub fn given(mut self) -> Self {
        self.0.retain(|(_, value)| !value.is_empty());
        self
    }

    /// With a name set to a value, or taken away where the value is empty.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.retain(|(n, _)| n != name);
        if !value.is_empty() {
            self.0.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// With these names and no others.
    #[must_use]
    pub fn only(mut self, names: &[&str]) -> Self {
        self.0
            .retain(|(name, value)| names.contains(&name.as_str()) && !value.is_empty());
        self
    }

    /// The address of a path with this query.
    pub fn at(&self, path: &str) -> String {
        format!("{path}{self}")
    }
}

/// With its question mark; nothing where there is nothing to ask.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (name, value)) in self.0.iter().enumerate() {
            let mark = if n == 0 { '?' } else { '&' };
            write!(f, "{mark}{}={}", encode(name), encode(value))?;
        }
        Ok(())
    }
}

/// Text as a part of an address: all but letters, digits and `-._~` as percent and two digits.
pub fn encode(text: &str) -> String {
    use fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A part of an address as text. What is no escape stays as it is.
pub fn decode(text: &str, plus_is_space: bool) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
                continue;
            }
            None if plus_is_space && bytes[at] == b'+' => decoded.push(b' '),
            None => decoded.push(bytes[at]),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// An action's own page.
pub fn action(key: &str) -> String {
    format!("/actions/{}", encode(key))
}

/// The payload of an action, whole, as a file.
pub fn payload(key: &str) -> String {
    format!("{}/payload", action(key))
}

/// The result of an action, whole, as a file.
pub fn result(key: &str) -> String {
    format!("{}/result", action(key))
}

/// What was selected to be decided on together.
pub fn selection(id: &str) -> String {
    format!("/review/selection/{}", encode(id))
}

/// A run's page.
pub fn run(run_id: &str) -> String {
    format!("/runs/{}", encode(run_id))
}

/// A kind's policy.
pub fn policy(kind: &str) -> String {
    format!("/policies/{}", encode(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_as_it_was() {
        for typed in ["100 %", "a%2Fb", "a+b", "ä&=?#\n", "%", "%4", "日本"] {
            let address = Query::default().with("why", typed).at("/review");
            let (_, search) = address.split_once('?').unwrap();
            assert_eq!(Query::parse(search).get("why"), Some(typed), "{address}");
        }
    }

    #[test]
    fn a_form_s_plus_is_a_space_and_an_empty_field_is_absent() {
        let query = Query::parse("?q=two+words&kind=&status=held");
        assert_eq!(query.get("q"), Some("two words"));
        assert_eq!(query.get("kind"), None);
        assert_eq!(
            query.clone().only(&["status", "kind"]).to_string(),
            "?status=held"
        );
        assert_eq!(
            query.with("status", "").only(&["status"]).at("/actions"),
            "/actions"
        );
    }

    #[test]
    fn a_run_with_a_slash_keeps_to_its_segment() {
        assert_eq!(run("a/b?c%"), "/runs/a%2Fb%3Fc%25");
        assert_eq!(decode("a%2Fb%3Fc%25", false), "a/b?c%");
    }
}
