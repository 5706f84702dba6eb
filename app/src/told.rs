//! What a form came to that is no server function's: the server hands it to the page that says so.

/// What there is to say, and what was typed and is worth showing again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What the form came to.
    pub told: Option<Told>,
    /// What was typed.
    pub typed: String,
}

/// What a form came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Name and password do not let anybody in.
    SignInFailed,
    /// Too many failed before: so many seconds are to be waited.
    Wait(i64),
    /// Too many sign in at this moment.
    Full,
    /// A form came from somebody whose session had ended: nothing was done.
    SignedOut,
    /// The identity provider did not let somebody in.
    SsoRefused,
    /// The identity provider knows them, and gives them no role.
    SsoNoRole,
    /// The identity provider can't be reached.
    SsoUnreachable,
    /// Too many answers of the identity provider were none.
    SsoBusy,
    /// The password was changed.
    PasswordChanged,
    /// The present password is not that.
    PresentWrong,
    /// The new password is too short.
    TooShort,
    /// … too long.
    TooLong,
    /// … among the first that are guessed.
    TooCommon,
    /// … little more than the name.
    OwnName,
    /// … the present one.
    Same,
    /// The two new passwords differ.
    NotTwice,
    /// The account was changed meanwhile.
    Meanwhile,
    /// A session was ended.
    SessionEnded,
    /// All others were ended.
    OthersEnded,
    /// There is no such session any more.
    NoSession,
}

impl Told {
    /// Those that may be carried from one request to the next; the others are said at once.
    const CARRIED: [Self; 18] = [
        Self::SignInFailed,
        Self::SignedOut,
        Self::SsoRefused,
        Self::SsoNoRole,
        Self::SsoUnreachable,
        Self::SsoBusy,
        Self::PasswordChanged,
        Self::PresentWrong,
        Self::TooShort,
        Self::TooLong,
        Self::TooCommon,
        Self::OwnName,
        Self::Same,
        Self::NotTwice,
        Self::Meanwhile,
        Self::SessionEnded,
        Self::OthersEnded,
        Self::NoSession,
    ];

    /// The word that stands for it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::SignInFailed => "failed",
            Self::Wait(_) => "wait",
            Self::Full => "full",
            Self::SignedOut => "signed-out",
            Self::SsoRefused => "sso",
            Self::SsoNoRole => "no-role",
            Self::SsoUnreachable => "unreachable",
            Self::SsoBusy => "busy",
            Self::PasswordChanged => "changed",
            Self::PresentWrong => "present",
            Self::TooShort => "short",
            Self::TooLong => "long",
            Self::TooCommon => "common",
            Self::OwnName => "name",
            Self::Same => "same",
            Self::NotTwice => "twice",
            Self::Meanwhile => "meanwhile",
            Self::SessionEnded => "ended",
            Self::OthersEnded => "others",
            Self::NoSession => "gone",
        }
    }

    /// What a word stands for.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::CARRIED.into_iter().find(|told| told.code() == code)
    }
}

/// How long is to be waited, as people say it: `4 s`, `2 min`.
pub(crate) fn wait(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{} s", seconds.max(1)),
        _ => format!("{} min", seconds.div_euclid(60) + i64::from(seconds % 60 > 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_never_told_shorter_than_it_is() {
        let told: Vec<_> = [0, 1, 59, 60, 61, 900].map(wait).into();
        assert_eq!(told, ["1 s", "1 s", "59 s", "1 min", "2 min", "15 min"]);
    }

    #[test]
    fn what_is_carried_comes_back_and_a_wait_is_not_carried() {
        for told in Told::CARRIED {
            assert_eq!(Told::of_code(told.code()), Some(told));
        }
        assert_eq!(Told::of_code("wait"), None);
    }
}
