//! What pages are made of.

mod bits;
mod case;
mod chart;
mod decide;
mod facts;
mod frame;
mod history;
mod log_table;
mod mail;
mod notice;
mod paging;
mod policy_form;
mod rows;
mod said;
mod shown;
mod time;
mod timeline;
mod trouble;

pub use bits::{Glyph, KindLink, Status, Tag};
pub use case::{CaseBody, known};
pub use chart::{Kinds, share};
pub use decide::DecideForm;
pub use facts::{Facts, KeyPart, RunPart};
pub use frame::{Brand, Frame};
pub use history::{Attempts, Events, History};
pub use log_table::log_table;
pub use mail::{Drift, Payload, Stored};
pub use notice::{Notice, Warning};
pub use paging::Paging;
pub use policy_form::PolicyEdit;
pub use rows::QueueRow;
pub use said::{Line, Plain};
pub use shown::{counted, shown, title};
pub use time::When;
pub use timeline::Timeline;
pub use trouble::{Empty, EmptyArt, TroublePage};
