//! What the pages of policies show, and what their form holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{KindRow, Mark, Moment, NoticeView};

/// Kind by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoliciesView {
    /// The kinds.
    pub kinds: Vec<KindRow>,
    /// Whether everything is paused.
    pub switch: SwitchView,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// A switch that stops claims, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchView {
    /// Of which kind; of everything where it is none.
    pub kind: Option<String>,
    /// No claim is granted.
    pub paused: bool,
    /// Who turned it last, when, and why.
    pub turned: Option<(String, Moment, String)>,
    /// Whether this person may turn it.
    pub may: bool,
}

/// One kind's policy with its form and its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyView {
    /// The kind.
    pub kind: String,
    /// The version that stands; 0 where nobody configured it.
    pub version: i64,
    /// Whether it is paused.
    pub switch: SwitchView,
    /// The policy in one sentence.
    pub sentence: String,
    /// The form, as it stands or as it was typed and not taken.
    pub form: PolicyForm,
    /// What the form would change of the policy that stands, where it was filled in by the address.
    pub changes: Vec<MemberChange>,
    /// The member that was not taken, and why.
    pub problem: Option<(String, String)>,
    /// What the policy leads to that its author may not have meant.
    pub warnings: Vec<String>,
    /// What the form's policy would do, where that was asked.
    pub preview: Option<PreviewView>,
    /// Its versions, newest first.
    pub versions: Vec<VersionView>,
    /// Whether this person may change it.
    pub may_change: bool,
    /// The kind's last 24 hours.
    pub load: Option<KindRow>,
    /// What the last request came to.
    pub notice: Option<NoticeView>,
}

/// The members of a policy that its page sets, as text by their names: what was typed is shown again, whatever it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PolicyForm(pub BTreeMap<String, String>);

/// What a policy would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewView {
    /// The policy in one sentence.
    pub sentence: String,
    /// How many open actions were looked at, and whether there are more.
    pub open: (u32, bool),
    /// What changes for them.
    pub changes: Vec<ChangeView>,
    /// The last 30 days in a few sentences.
    pub past: String,
    /// The same as a table.
    pub would: Vec<WouldView>,
}

/// What changes for some open actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeView {
    /// In one sentence.
    pub sentence: String,
    /// Something ends or runs without a person.
    pub grave: bool,
    /// Some of them.
    pub examples: Vec<String>,
}

/// What became of some stops, and what would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WouldView {
    /// How many.
    pub count: u32,
    /// What became of them.
    pub before: Mark,
    /// What would have.
    pub after: Mark,
    /// They would have ended or run without a person.
    pub grave: bool,
}

/// One version of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionView {
    /// 1, 2, 3 …
    pub version: i64,
    /// Who made it.
    pub by: String,
    /// When.
    pub at: Moment,
    /// That it paused or resumed the kind, or took the policy away.
    pub turned: Option<&'static str>,
    /// The members that it changed.
    pub changes: Vec<MemberChange>,
    /// Why.
    pub reason: String,
}

/// A member that a version changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberChange {
    /// Its name.
    pub name: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}
