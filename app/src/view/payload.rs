//! Payloads and results as pages show them: laid out, and cut where nobody would read on.

use super::Mark;

/// A payload or a result laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// As a mail, where it reads like one.
    pub mail: Option<Mail>,
    /// As it is.
    pub body: Body,
    /// How long it is, as it is shown.
    pub bytes: u32,
    /// How long the file of it is, which is masked for everybody.
    pub file: u32,
    /// Not all of it is on the page.
    pub cut: bool,
}

/// JSON by its members, or the text that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// JSON.
    Json(Branch),
    /// A text.
    Text(Words),
}

/// A text of any length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What is shown at once.
    pub now: String,
    /// What is folded.
    pub rest: String,
    /// How many more characters there are, which are not on the page.
    pub left_out: u32,
}

/// A payload that reads like a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// To whom.
    pub to: String,
    /// About what.
    pub subject: String,
    /// What else stands above the words, each under its name.
    pub heads: Vec<(String, String)>,
    /// The words.
    pub body: Words,
    /// The words are HTML, shown as their source.
    pub html: bool,
    /// What goes with it, by name.
    pub attachments: Vec<String>,
    /// The members that are none of these.
    pub more: Vec<String>,
}

/// A member of JSON with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its name; none in a list, and at the top.
    pub name: Option<String>,
    /// What it is.
    pub value: Value,
}

/// What a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A short text, as it came.
    Text(String),
    /// A number, `true`, `false` or `null`, as it came.
    Plain(String),
    /// A text of some length, read.
    Words(Words),
    /// More members.
    Group(Group),
}

/// Members of one object or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// A list, and not an object.
    pub list: bool,
    /// How many there are.
    pub members: u32,
    /// Those that are on the page.
    pub shown: Vec<Branch>,
    /// So long that it is folded.
    pub folded: bool,
}

/// Two payloads of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key of the action that presented the step first.
    pub first: String,
    /// Where that one stands.
    pub first_mark: Mark,
    /// The hash of its payload.
    pub first_hash: String,
    /// The hash of the new one.
    pub hash: String,
    /// Where they were compared; nothing where one of them is not kept.
    pub compared: Option<Compared>,
    /// Parts of them are masked, and were not compared.
    pub masked: bool,
    /// What each answer would do, by its name.
    pub choices: Vec<(&'static str, String)>,
}

/// What two payloads have in common, and what not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// What differs, place by place.
    pub parts: Vec<Differing>,
    /// The members that are alike.
    pub same: Vec<String>,
    /// There is more that differs.
    pub cut: bool,
}

/// One place at which two payloads differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Where, as a JSON Pointer; empty for the whole.
    pub place: String,
    /// Line by line.
    pub lines: Vec<DiffLine>,
}

/// A line of one payload or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// In both.
    Same(String),
    /// So many lines that are in both.
    Skipped(u32),
    /// In the first alone; what of it differs is told apart.
    Gone(Vec<(bool, String)>),
    /// In the new one alone; what of it differs is told apart.
    Come(Vec<(bool, String)>),
}
