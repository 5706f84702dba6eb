//! Claims for external effects: an agent's mail is sent once, or a person is asked.
//!
//! A worker claims each effect before running it, under a key that is a pure function of the intent. A repeat
//! gets the stored result; a claim in flight tells the caller to stand down; a claim whose holder died is found
//! and recovered by its kind's policy.
//!
//! ```
//! use holdpoint::{EffectError, Intent, Ledger};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = format!("sqlite://{}/holdpoint.db", folder.path().display());
//! let ledger = Ledger::open(&url).await?;
//! let intent = Intent::text("run-7", 3, "send_email", "ada@example.com", "Hello Ada")?;
//!
//! // However often the queue delivers this job, the effect runs once.
//! for _ in 0..3 {
//!     let receipt: String = ledger
//!         .once("mailer-1", &intent, |grant| async move {
//!             // Send it here, under `grant.provider_key`.
//!             Ok::<_, EffectError>(format!("sent as attempt {}", grant.attempt))
//!         })
//!         .await?;
//!     assert_eq!(receipt, "sent as attempt 1");
//! }
//! # Ok(())
//! # }
//! ```

pub mod action;
pub mod intent;
pub mod json;
#[cfg(feature = "ledger")]
pub mod ledger;
pub mod mask;
pub mod notice;
#[cfg(feature = "ledger")]
pub mod once;
pub mod policy;
#[cfg(feature = "ledger")]
pub mod reaper;
#[cfg(feature = "ledger")]
mod store;
pub mod time;
pub mod transition;
#[cfg(feature = "ledger")]
pub mod verify;
pub mod words;

pub use action::{Action, Approval, Attempt, HistoryEvent};
pub use intent::{Intent, InvalidIntent, Key, PayloadHash};
#[cfg(feature = "ledger")]
pub use ledger::{Actor, Ledger};
#[cfg(feature = "ledger")]
pub use once::{EffectError, Once, OnceError};
pub use policy::Policy;
#[cfg(feature = "ledger")]
pub use reaper::Reaper;
#[cfg(feature = "ledger")]
pub use store::{OpenError, Pools, StoreError};
pub use time::Time;
#[cfg(feature = "ledger")]
pub use verify::{ProviderAnswer, Verifier};
pub use words::{
    AuditEvent, BeganBy, Decision, DeliveryState, Effect, Event, Flag, HoldReason, OnDrift, OnUnknown, Order,
    Outcome, Recovery, Role, Scope, SelectedOutcome, SelectionState, SettledBy, Severity, Status, Verdict,
};
