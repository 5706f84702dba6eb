//! Names that look like others. A history tells who decided by name alone: nobody's may be taken for another's.

use unicode_security::MixedScript as _;
use unicode_security::confusable_detection::skeleton;

use super::Error;

/// Whether a name may be given to somebody new: the letters of each word in it are of one script.
pub(super) fn check_new(name: &str) -> Result<(), Error> {
    super::people::check_name(name)?;
    match name.split(['.', '-', '_', '@', '+']).find(|word| is_mixed(word)) {
        None => Ok(()),
        Some(word) => Err(Error::Invalid {
            field: "name",
            detail: format!(
                "{word} mixes letters of several scripts, some of which look alike: use one script"
            ),
        }),
    }
}

fn is_mixed(word: &str) -> bool {
    !word.is_single_script()
}

/// Which of the names that are there a new one would be taken for.
pub(super) fn looks_like<'a>(name: &str, there: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
    let own = shape(name);
    match there
        .into_iter()
        .find(|known| *known != name && shape(known) == own)
    {
        None => Ok(()),
        Some(known) => Err(Error::Invalid {
            field: "name",
            detail: format!(
                "it looks like {known}, who is there already: choose one that nobody takes for another"
            ),
        }),
    }
}

/// The same for names that look the same.
fn shape(name: &str) -> String {
    skeleton(&name.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_several_scripts_is_no_new_name() {
        for plain in [
            "ada",
            "ada.lovelace@example.com",
            "аня",
            "аня-ops",
            "日本カナ",
            "müller",
            "o1",
        ] {
            assert!(check_new(plain).is_ok(), "{plain}");
        }
        for mixed in ["аda", "adа", "ops-pаy", "ада1x", "οtto"] {
            let told = check_new(mixed).unwrap_err().to_string();
            assert!(told.contains("several scripts"), "{mixed}: {told}");
        }
    }

    #[test]
    fn a_name_that_looks_like_another_is_told_with_it() {
        for (new, there) in [
            ("сора", "copa"),
            ("user1", "userl"),
            ("rnary", "mary"),
            ("Ada", "ADA"),
        ] {
            let told = looks_like(new, ["otto", there]).unwrap_err().to_string();
            assert!(told.contains(there), "{new}: {told}");
        }
        assert!(looks_like("adam", ["ada", "adams", "adam"]).is_ok());
    }
}
