//! The usual names of secrets: masked for every kind, whatever its policy says.

/// Words that name a secret wherever they stand in a name, and whatever a word begins with: `password`, `db_password`,
/// `X-Auth-Token`, `OAUTHTOKEN`, `pass_wd`.
const WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "secrets",
    "token",
    "authorization",
    "bearer",
    "jwt",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "privatekey",
    "accesskey",
    "secretkey",
];

/// What makes a key one that opens something.
const KEYS: &[&str] = &["api", "private", "access", "secret", "signing", "encryption"];

/// Whether what a member of this name holds is usually secret. Where `number`, it holds one: numbers of tokens are
/// counts of what was said to a model.
pub(super) fn is_secret(name: &str, number: bool) -> bool {
    let words = words(name);
    let ends = |word: &str| WORDS.iter().any(|secret| word.ends_with(secret));
    let one = words.iter().any(|word| ends(word));
    // A word that a sign or a capital parts: `pass_wd`, `passWord`.
    let parted = words
        .windows(2)
        .any(|pair| pair[0] == "pass" && ends(&pair.concat()));
    let key = words
        .windows(2)
        .any(|pair| KEYS.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "key" | "keys"));
    let tokens = !number && words.last().is_some_and(|last| last == "tokens");
    one || parted || key || tokens
}

/// The words of a name, in lower case: parted by signs, by digits, and by capitals as in `accessKey` and `APIKey`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut signs = name.chars().peekable();
    let mut before = ' ';
    while let Some(sign) = signs.next() {
        let lower_next = signs.peek().is_some_and(|next| next.is_lowercase());
        let capital = sign.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && lower_next));
        if (capital || !sign.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if sign.is_alphabetic() {
            word.extend(sign.to_lowercase());
        }
        before = sign;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_names_are_known_in_every_spelling() {
        for name in [
            "password",
            "PASSWORD",
            "db_password",
            "passwd",
            "secret",
            "client_secret",
            "clientSecret",
            "token",
            "access_token",
            "X-Auth-Token",
            "api_key",
            "apiKey",
            "APIKey",
            "apikey",
            "X-API-Key",
            "Authorization",
            "Proxy-Authorization",
            "cookie",
            "Set-Cookie",
            "private_key",
            "privateKey",
            "access_key",
            "AWS_ACCESS_KEY_ID",
            "password2",
            "tokens",
            "passWd",
            "pass_wd",
            "pass word",
            "PassPhrase",
            "OAUTHTOKEN",
            "oauthtoken",
            "DBPASSWORD",
            "bearer",
            "jwt",
        ] {
            assert!(is_secret(name, false), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "to",
            "subject",
            "key",
            "monkey",
            "keyboard",
            "author",
            "tokenizer",
            "passport",
            "max_tokens_left",
            "pass",
            "bypass_word_count",
            "secretary",
            "",
        ] {
            assert!(!is_secret(name, false), "{name}");
        }
        assert!(!is_secret("prompt_tokens", true), "a count");
        assert!(is_secret("password", true), "a number may be a password");
    }
}
