//! What was typed into a form that came to nothing. The answer to that form shows it again, so that it stands in no
//! address, no cookie and no log.

use leptos::prelude::use_context;

use holdpoint::ledger::MAX_DECISIONS;

use crate::address::{self, Query};

/// The form, and why it is shown again.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The form's fields.
    pub form: Query,
    /// Why it is shown again.
    pub again: Again,
}

/// Why what was typed is shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// The form was refused.
    Refused,
    /// Nobody was signed in any more: the page of signing in takes it along.
    SignedOut,
    /// Whoever typed it has signed in again.
    SignedIn,
    /// Somebody else has signed in: what was typed is not theirs, and was left out.
    SomebodyElse,
}

impl Typed {
    /// What is left of a form for who did not type it: where it stood.
    pub fn of_somebody_else(form: &Query) -> Self {
        Self {
            form: form.clone().only(&["key", "id", "back"]),
            again: Again::SomebodyElse,
        }
    }

    /// The page that the form stood on.
    pub fn page(&self) -> String {
        match (self.form.get("id"), self.form.get("key")) {
            (Some(id), _) => address::selection(id),
            (None, Some(key)) => {
                let (path, query) = back(self.form.get("back").unwrap_or_default(), key);
                open(path, query, key)
            }
            (None, None) => "/".to_owned(),
        }
    }

    /// What this answer shows again.
    pub(crate) fn here() -> Option<Self> {
        use_context()
    }

    /// The same, where it was typed for this action or selection and nothing else.
    pub(crate) fn about(name: &str, is: &str) -> Option<Self> {
        Self::here().filter(|typed| typed.form.get(name) == Some(is))
    }
}

/// What a form leaves out of its selection: a field each, or all of them in one, as the form of signing in takes them
/// along.
pub fn left_out(form: &Query) -> Vec<&str> {
    let fields = form.pairs().iter();
    let named = fields.filter(|(name, _)| matches!(name.as_str(), "except[]" | "except"));
    let keys = named.flat_map(|(_, value)| value.split(','));
    keys.filter(|key| !key.is_empty()).take(MAX_DECISIONS).collect()
}

/// The page that a form came from: one of those that decide; anything else a form may say is the action's own.
pub(crate) fn back(back: &str, key: &str) -> (String, Query) {
    let (path, search) = back.split_once('?').unwrap_or((back, ""));
    if path == "/review" {
        return (
            path.to_owned(),
            Query::parse(search).only(&["reason", "kind", "after", "next"]),
        );
    }
    (address::action(key), Query::default())
}

/// The same page with this case open.
pub(crate) fn open(path: String, query: Query, key: &str) -> String {
    let query = if path == "/review" {
        query.with("next", "").with("key", key)
    } else {
        query
    };
    query.at(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(form: &str) -> String {
        let form = Query::parse(form);
        let again = Again::Refused;
        Typed { form, again }.page()
    }

    #[test]
    fn what_a_form_leaves_out_is_read_however_it_came() {
        let read = |form: &str| left_out(&Query::parse(form)).join(" ");
        assert_eq!(read("id=7f&except%5B%5D=ab&reason=x&except%5B%5D=cd"), "ab cd");
        assert_eq!(read("except=ab%2Ccd"), "ab cd");
        assert_eq!(read("except=&id=7f"), "");
    }

    #[test]
    fn a_form_leads_back_to_its_own_case_and_nowhere_else() {
        assert_eq!(page("key=ab&back=%2Factions%2Fab"), "/actions/ab");
        assert_eq!(
            page("key=ab&back=%2Freview%3Fkind%3Dsend_email%26done%3Dretry"),
            "/review?kind=send_email&key=ab"
        );
        assert_eq!(page("key=ab&back=https%3A%2F%2Fevil.example"), "/actions/ab");
        assert_eq!(page("key=..%2F..&back=%2F%2Fevil.example"), "/actions/..%2F..");
        assert_eq!(page("id=7f"), "/review/selection/7f");
        assert_eq!(page("reason=x"), "/");
    }
}
