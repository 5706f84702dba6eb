//! Claims for external effects: an agent's mail is sent once, or a person is asked.

pub mod action;
pub mod intent;
pub mod json;
pub mod policy;
pub mod time;
pub mod transition;
pub mod words;

pub use action::{Action, Approval, Attempt, HistoryEvent};
pub use intent::{Intent, InvalidIntent, Key, PayloadHash};
pub use policy::Policy;
pub use time::Time;
pub use words::{Decision, Effect, HoldReason, OnDrift, OnUnknown, Outcome, Recovery, Role, Scope, SettledBy, Status, Verdict};
