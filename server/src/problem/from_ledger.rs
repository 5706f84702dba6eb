//! What the ledger refuses, as a caller hears it.

use holdpoint::{Action, OpenError, StoreError, ledger};

use super::{Problem, kind};

impl From<ledger::Error> for Problem {
    fn from(error: ledger::Error) -> Self {
        use ledger::Error as E;
        match error {
            E::Forbidden { needs } => Self::new(
                &kind::FORBIDDEN,
                format!(
                    "This needs the right {needs}: use a token of that scope, or a person whose role has it."
                ),
            ),
            E::ForbiddenKind { kind } => Self::new(
                &kind::FORBIDDEN,
                format!("This token may not touch the kind {kind}: use one that names it."),
            ),
            E::NeedsBrowser => Self::new(
                &kind::FORBIDDEN,
                "This is for the person in their own browser: sign in there.",
            ),
            E::NotFound { what } => Self::new(&kind::NOT_FOUND, format!("There is no such {what}.")),
            E::InvalidIntent(wrong) => {
                Self::new(&kind::INVALID_INTENT, wrong.to_string()).at(format!("/{}", wrong.field))
            }
            E::InvalidPolicy(wrong) => Self::invalid(format!("/{}", wrong.field), wrong.to_string()),
            E::InvalidMask(wrong) => {
                Self::invalid(format!("/mask/{}", wrong.index), format!("mask: {wrong}."))
            }
            E::Invalid { field, ref detail } => {
                Self::invalid(format!("/{field}"), format!("{field}: {detail}"))
            }
            E::NoSuchAttempt => Self::new(
                &kind::NO_SUCH_ATTEMPT,
                "No attempt, or no try, of this number was ever handed out: report under the numbers of your grant.",
            ),
            E::ClaimLost => Self::new(
                &kind::CLAIM_LOST,
                "This attempt does not hold the claim any more. Stop; what you reported is in the history.",
            ),
            E::Changed(ref action) => Self::new(
                &kind::CHANGED,
                format!(
                    "{} Look at it as it stands, and decide on its version.",
                    moved(action)
                ),
            ),
            E::NotHeld(_) => Self::new(
                &kind::NOT_HELD,
                "The action does not wait for this decision: look at it anew.",
            ),
            E::NotYours { by } => Self::new(
                &kind::FORBIDDEN,
                format!("This selection is {by}'s: make one of your own from the same filters, and decide on what you see."),
            ),
            E::SelectionDecided(_) => Self::new(
                &kind::SELECTION_DECIDED,
                "Look at what was decided. Make a new selection of what still waits.",
            ),
            E::PolicyChanged { version: 0 } => Self::new(
                &kind::PRECONDITION_FAILED,
                "There is no policy of this kind any more, or there never was: send it without If-Match to make one.",
            ),
            E::PolicyChanged { version } => Self::new(
                &kind::PRECONDITION_FAILED,
                format!("The policy is at version {version} now: read it and decide on what it says."),
            ),
            E::Paused { kind } => Self::new(
                &kind::PAUSED,
                format!("The kind {kind} is paused: resume it before its policy is taken away."),
            ),
            E::Taken { name } => {
                Self::new(&kind::TAKEN, format!("The name {name} is taken: choose another."))
            }
            E::LastAdmin { name } => Self::new(
                &kind::LAST_ADMIN,
                format!("{name} is the last admin who may sign in: make another one first."),
            ),
            E::Contended => busy(),
            E::NoPlace { ref source } => Self::new(
                &kind::UNAVAILABLE,
                "The database takes no reports, so that nothing is granted. Try again, under the same claim_id.",
            )
            .retry_after(5)
            .inside(source.as_ref().map_or_else(|| error.to_string(), |source| chain(source))),
            E::Store(error) => error.into(),
            E::Internal => Self::internal("a ledger call ended by a panic"),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let inside = chain(&error);
        match error {
            StoreError::Busy(_) => busy().inside(inside),
            StoreError::ReadOnly(_) => Self::new(
                &kind::UNAVAILABLE,
                "The database can be read but not written. Nothing was changed.",
            )
            .retry_after(5)
            .inside(inside),
            StoreError::Unavailable(_) => Self::new(
                &kind::UNAVAILABLE,
                "The database does not answer, or all of its connections are at work. Try the same again.",
            )
            .retry_after(5)
            .inside(inside),
            StoreError::TooLong(_) => Self::new(
                &kind::UNAVAILABLE,
                "The answer would have taken too long to find. Narrow the question: a kind, a status, a time.",
            )
            .retry_after(30)
            .inside(inside),
            StoreError::Database(_) | StoreError::Corrupt { .. } => Self::internal(inside),
        }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        Self::new(
            &kind::UNAVAILABLE,
            "The database does not answer, or is not migrated as this version needs it.",
        )
        .retry_after(5)
        .inside(chain(&error))
    }
}

fn busy() -> Problem {
    Problem::new(&kind::BUSY, "Nothing was changed. Try the same again.").retry_after(1)
}

/// An error with its causes, for the log.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Where an action is by now, and who brought it there, where that was a person.
fn moved(action: &Action) -> String {
    let (status, version) = (action.status, action.version);
    match action.decisions.last() {
        Some(last) => format!(
            "It is {status} at version {version} now, {} having decided {} on version {}.",
            last.by, last.decision, last.version
        ),
        None => format!("It is {status} at version {version} now."),
    }
}
