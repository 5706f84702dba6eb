//! Which passwords are taken: long enough, not among the first that anybody would guess, and not one's own name.

/// The longest password that is looked at, in bytes: hashing is work, and work for strangers has a limit.
pub const MAX_BYTES: usize = 1024;
/// The shortest that is taken, in characters.
pub const MIN_CHARS: usize = 8;

/// What is tried first, without what is put around it: `Password123!` is `password`.
const WORDS: [&str; 58] = [
    "abcdefgh",
    "access",
    "admin",
    "administrator",
    "asdf",
    "asdfasdf",
    "asdfgh",
    "asdfghjk",
    "asdfghjkl",
    "autumn",
    "baseball",
    "changeit",
    "changeme",
    "company",
    "computer",
    "default",
    "dragon",
    "football",
    "hallo",
    "hello",
    "holdpoint",
    "iloveyou",
    "internet",
    "letmein",
    "login",
    "master",
    "monkey",
    "mypassword",
    "nothing",
    "operator",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "passwort",
    "princess",
    "qazwsx",
    "qazwsxedc",
    "qwer",
    "qwerasdf",
    "qwert",
    "qwertz",
    "qwertzui",
    "qwertzuiop",
    "qwerty",
    "qwertyui",
    "qwertyuiop",
    "root",
    "secret",
    "spring",
    "summer",
    "sunshine",
    "superman",
    "test",
    "trustno",
    "user",
    "welcome",
    "winter",
];

/// A password that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Too short.
    #[error("the password is too short: take {MIN_CHARS} characters or more")]
    Short,
    /// Too long.
    #[error("the password is too long: take {MAX_BYTES} bytes or fewer")]
    Long,
    /// Among the first that are guessed.
    #[error("the password is one of the first that anybody would guess: take another")]
    Common,
    /// Little more than the own name.
    #[error("the password is little more than the name: take another")]
    Name,
    /// No other than the present one.
    #[error("the password is the one that you have: take another")]
    Same,
}

/// Whether a new password may be taken.
///
/// # Errors
/// [`Unfit`], which says why not.
pub fn fits(password: &str) -> Result<(), Unfit> {
    if password.chars().count() < MIN_CHARS {
        return Err(Unfit::Short);
    }
    if password.len() > MAX_BYTES {
        return Err(Unfit::Long);
    }
    if is_common(&password.to_lowercase()) {
        Err(Unfit::Common)
    } else {
        Ok(())
    }
}

/// Whether this person may take it: what is left of it without their name must be a password by itself.
///
/// # Errors
/// [`Unfit`], which says why not.
pub fn fits_person(name: &str, password: &str) -> Result<(), Unfit> {
    fits(password)?;
    let (name, password) = (name.to_lowercase(), password.to_lowercase());
    let first = name.split('@').next().unwrap_or_default();
    for name in [name.as_str(), first] {
        if name.chars().count() >= 3 && password.contains(name) {
            fits(&password.replace(name, "")).map_err(|_| Unfit::Name)?;
        }
    }
    Ok(())
}

fn is_common(password: &str) -> bool {
    let letters = password.trim_matches(|sign: char| !sign.is_alphabetic());
    let spelled: String = letters.chars().map(plain).collect();
    let first = password.chars().next();
    // Digits alone in whatever order, one sign over and over, and a word with digits and signs around it.
    password
        .chars()
        .all(|sign| sign.is_ascii_digit() || sign.is_ascii_punctuation())
        || password.chars().all(|sign| Some(sign) == first)
        || WORDS
            .iter()
            .any(|word| letters == *word || spelled == *word || is_repeated(letters, word))
}

fn is_repeated(letters: &str, word: &str) -> bool {
    letters.len() > word.len() && letters.replace(word, "").is_empty()
}

/// The letter that a sign is put for.
const fn plain(sign: char) -> char {
    match sign {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_anybody_would_guess_is_not_taken() {
        for common in [
            "password",
            "Password1!",
            "P@ssw0rd",
            "12345678",
            "2026-11-29",
            "aaaaaaaa",
            "qwertyuiop",
            "Summer2026",
            "letmein!!",
            "testtest",
            "Welcome1",
            "********",
            "changeme",
            "Holdpoint1",
        ] {
            assert_eq!(fits(common), Err(Unfit::Common), "{common}");
        }
        for taken in [
            "correct horse",
            "winter is long",
            "a long password for tests",
            "pässwörter",
            "日本語のパスワード",
        ] {
            assert_eq!(fits(taken), Ok(()), "{taken}");
        }
        assert_eq!(fits("short"), Err(Unfit::Short));
        assert_eq!(fits(&"x y".repeat(400)), Err(Unfit::Long));
    }

    #[test]
    fn one_s_own_name_is_no_password() {
        for (name, password) in [
            ("otto-the-first", "otto-the-first"),
            ("otto", "Otto12345678"),
            ("otto", "ottoottootto"),
            ("otto", "otto-2026"),
            ("ada.lovelace@example.com", "Ada.Lovelace1815"),
        ] {
            assert_eq!(fits_person(name, password), Err(Unfit::Name), "{name}");
        }
        assert_eq!(fits_person("otto", "otto rides a horse"), Ok(()));
        assert_eq!(
            fits_person("al", "alabaster walls"),
            Ok(()),
            "too short a name to be looked for"
        );
    }
}
