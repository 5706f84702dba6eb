//! Who may come in: addresses and domains, compared as a whole and never as a pattern.

/// The addresses and the domains that may sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    addresses: Vec<String>,
    domains: Vec<String>,
}

impl Allow {
    /// Out of `ada@example.com` and `@example.com`. The error is the entry that is neither.
    pub fn parse(entries: &[String]) -> Result<Self, String> {
        let mut allow = Self::default();
        for entry in entries {
            let entry = entry.trim().to_ascii_lowercase();
            match entry.strip_prefix('@') {
                Some(domain) if is_domain(domain) => allow.domains.push(domain.to_owned()),
                None if parts(&entry).is_some() => allow.addresses.push(entry),
                _ => return Err(entry),
            }
        }
        Ok(allow)
    }

    /// Whether there is nobody whom it lets in.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.domains.is_empty()
    }

    /// The address in small letters where it may come in.
    pub fn lets(&self, address: &str) -> Option<String> {
        let address = address.to_ascii_lowercase();
        let (_, domain) = parts(&address)?;
        let named = self.addresses.contains(&address) || self.domains.iter().any(|d| d == domain);
        named.then_some(address)
    }
}

/// What stands before and after the last @. An address with letters that look like others is none, and neither is one
/// whose first part has an @ of its own, however it is quoted.
fn parts(address: &str) -> Option<(&str, &str)> {
    let (local, domain) = address.rsplit_once('@')?;
    let plain = |c: char| {
        c.is_ascii_graphic()
            && !matches!(
                c,
                '@' | '"' | '(' | ')' | ',' | ':' | ';' | '<' | '>' | '[' | ']' | '\\'
            )
    };
    (!local.is_empty() && local.chars().all(plain) && !local.contains('*') && is_domain(domain))
        .then_some((local, domain))
}

fn is_domain(text: &str) -> bool {
    let label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    text.len() <= 253 && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(entries: &[&str]) -> Result<Allow, String> {
        let entries: Vec<_> = entries.iter().map(ToString::to_string).collect();
        Allow::parse(&entries)
    }

    #[test]
    fn case_d04_only_the_exact_domain_after_the_last_at_is_let_in() {
        let domain = allow(&["@example.com"]).unwrap();
        for (address, name) in [
            ("op@example.com", "op@example.com"),
            ("op@EXAMPLE.com", "op@example.com"),
            ("Op.Two+x@Example.Com", "op.two+x@example.com"),
        ] {
            assert_eq!(domain.lets(address).as_deref(), Some(name));
        }
        for other in [
            "op@example.com.evil.test",
            "op@examplexcom",
            "\"op@example.com\"@evil.test",
            "op@evil.test\"@example.com",
            "op@evil.test@example.com",
            "op@sub.example.com",
            "op@notexample.com",
            "op@example.com.",
            "op@example.co",
            "op@example.com\n",
            " op@example.com",
            "op@еxample.com",
            "оp@example.com",
            "op@ＥＸＡＭＰＬＥ.com",
            "@example.com",
            "example.com",
            "op@",
            "",
        ] {
            assert_eq!(domain.lets(other), None, "{other:?}");
        }
    }

    #[test]
    fn case_d04_an_address_lets_in_itself_alone() {
        let one = allow(&["Ada@example.com"]).unwrap();
        assert_eq!(one.lets("ada@EXAMPLE.com").as_deref(), Some("ada@example.com"));
        for other in [
            "xada@example.com",
            "ada@example.com.evil.test",
            "bob@example.com",
            "ada+x@example.com",
        ] {
            assert_eq!(one.lets(other), None, "{other}");
        }
        assert!(allow(&[]).unwrap().is_empty() && allow(&[]).unwrap().lets("ada@example.com").is_none());
    }

    #[test]
    fn what_is_no_address_and_no_domain_is_no_entry() {
        for wrong in [
            "",
            "@",
            "example.com",
            "*",
            "*@example.com",
            "@*.example.com",
            "@example..com",
            ".*",
            "a b@example.com",
        ] {
            assert_eq!(allow(&["ok@example.com", wrong]), Err(wrong.to_owned()));
        }
    }
}
