//! What the server hands to pages.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Who asks for a page or calls a server function; `None` where nobody is signed in.
#[derive(Clone, Debug)]
pub struct Caller(pub Option<holdpoint::ledger::Actor>);

/// After how many seconds without use a session ends.
#[derive(Clone, Copy, Debug)]
pub struct SessionIdle(pub i64);

/// The mark of the stream of changes that was read before this page: what changed after it is news to the page.
#[derive(Clone, Debug)]
pub struct Since(pub String);

/// The name of the identity provider that people may sign in by; without it the page of signing in names none.
#[derive(Clone, Debug)]
pub struct SsoName(pub String);

/// Why a new password is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnfitPassword {
    /// It does not fit; what would.
    Rule(String),
    /// It could not be worked out.
    Failed,
}

/// A hash that is being worked out.
pub type Hashing = Pin<Box<dyn Future<Output = Result<String, UnfitPassword>> + Send>>;

/// Works out the hash of a new password, where it keeps no request waiting.
#[derive(Clone)]
pub struct Passwords(pub Arc<dyn Fn(String) -> Hashing + Send + Sync>);

/// What was just made: a token by its name or a webhook by its address, and its secret, which this one page shows.
#[derive(Clone)]
pub struct Made {
    /// The name.
    pub name: String,
    /// The secret.
    pub secret: String,
}

/// Light, dark, or as the system wants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system wants it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All three, in the switch's order.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in the cookie and in the form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The word on the button.
    pub const fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// What the page's root says; nothing where the system decides.
    pub const fn attribute(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            other => Some(other.as_str()),
        }
    }
}

/// A word that is no theme is the system's choice: a cookie may hold anything.
impl From<&str> for Theme {
    fn from(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|theme| theme.as_str() == word)
            .unwrap_or_default()
    }
}
