//! What the pages of the audit, of operators and of tokens show.

use holdpoint::{AuditEvent, Role, Scope};

use super::{Hue, Icon, Moment, NoticeView, Said};

/// A page of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditView {
    /// The lines, newest first.
    pub lines: Vec<AuditLine>,
    /// What it is narrowed to, as it was typed.
    pub filters: AuditFilters,
    /// The events that this person sees.
    pub events: Vec<AuditEvent>,
    /// Whether that is all of them.
    pub whole: bool,
    /// The same filters as the API spells them.
    pub export: Vec<(&'static str, String)>,
    /// Where the page after begins.
    pub next: Option<String>,
    /// Where the page before begins.
    pub prev: Option<String>,
}

/// What the audit is narrowed to, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilters {
    /// Of what.
    pub event: Option<AuditEvent>,
    /// Whose.
    pub actor: Option<String>,
    /// About what or whom.
    pub subject: Option<String>,
    /// From that day on.
    pub since: Option<String>,
    /// To that day, itself included.
    pub until: Option<String>,
}

/// A line of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// When.
    pub at: Moment,
    /// The shape beside it.
    pub icon: Icon,
    /// Its hue.
    pub hue: Hue,
    /// Who did what.
    pub what: Said,
    /// Why.
    pub why: Option<String>,
    /// By which means and from where.
    pub means: String,
    /// The page of what it was done to, and what that is.
    pub about: Option<(String, &'static str)>,
}

/// The people who may sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorsView {
    /// Everyone, by name.
    pub people: Vec<PersonView>,
    /// What was typed of somebody new and not taken.
    pub typed: (String, Role),
    /// Which field was not taken, of whom (nobody: somebody new), and why.
    pub problem: Option<Problem>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonView {
    /// The name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// May not sign in.
    pub disabled: bool,
    /// Since when they are here.
    pub since: Moment,
    /// Whether it is who looks at the page.
    pub own: bool,
    /// Whether nobody else could administer.
    pub last: bool,
}

/// A field that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Of whom or what; empty: of something new.
    pub of: String,
    /// Which.
    pub field: &'static str,
    /// Why.
    pub why: String,
}

/// Tokens, and the form that makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokensView {
    /// All of them, by name.
    pub tokens: Vec<TokenRow>,
    /// Who a token can act as.
    pub people: Vec<String>,
    /// What was typed and not taken.
    pub typed: TokenForm,
    /// Which field was not taken, of which token (empty: a new one), and why.
    pub problem: Option<Problem>,
    /// The one that was just made, with its secret.
    pub made: Option<(String, String)>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// One token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// The name.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// Whom it acts as.
    pub operator: Option<String>,
    /// The kinds it may touch; none: every kind.
    pub kinds: Vec<String>,
    /// When it was made.
    pub created: Moment,
    /// When it was used last.
    pub used: Option<Moment>,
    /// When it ends.
    pub expires: Option<Moment>,
    /// How it stands.
    pub state: TokenState,
}

/// How a token stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenState {
    /// It is taken.
    Valid,
    /// Its time is over.
    Expired,
    /// Somebody ended it.
    Revoked,
    /// The person that it acts as may not sign in.
    OwnerDisabled,
}

/// What was typed into the form that makes a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenForm {
    /// The name.
    pub name: String,
    /// The scope's word.
    pub scope: String,
    /// Whom it is to act as.
    pub operator: String,
    /// Kinds, by commas.
    pub kinds: String,
    /// Days until it ends; empty: never.
    pub days: String,
}
