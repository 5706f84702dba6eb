//! What the pages of policies show, and what their form holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{KindRow, Moment, NoticeView};

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
    /// The member that was not taken, and why.
    pub problem: Option<(String, String)>,
    /// What the policy leads to that its author may not have meant.
    pub warnings: Vec<String>,
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

/// One version of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionView {
    /// 1, 2, 3 …
    pub version: i64,
    /// Who made it.
    pub by: String,
    /// When.
    pub at: Moment,
    /// What it changed.
    pub changes: Vec<String>,
    /// Why.
    pub reason: String,
}
