//! What pages show, as plain data: worked out by `calls`, `say` and `timeline`, laid out by `components`.

mod account;
mod action;
mod lists;
mod payload;
mod people;
mod policies;
mod said;
mod selection;
mod stale;
mod webhooks;

pub use account::{AccountView, SessionView};
pub use action::{
    ActionView, Answer, AttemptView, Deciding, EventView, NoticeView, RunRow, TargetRow, TargetView, VeilView,
};
pub use lists::{FrameView, KindRow, LogView, OverviewView, Refused, ReviewView, Row, RunView};
pub use payload::{
    Body, Branch, Compared, DiffLine, Difference, Differing, Group, Mail, Shown, Value, Words,
};
pub use people::{
    AuditFilters, AuditLine, AuditView, OperatorsView, PersonView, Problem, TokenForm, TokenRow, TokenState,
    TokensView,
};
pub use policies::{
    ChangeView, MemberChange, PoliciesView, PolicyForm, PolicyView, PreviewView, SwitchView, VersionView,
    WouldView,
};
pub use said::{Hue, Icon, Mark, Moment, Piece, Said, at, kind, name, quote, strong, text};
pub use selection::{SelectedView, SelectionPage, SelectionView};
pub use stale::{Bar, StaleView, WatchRow, Watching};
pub use webhooks::{DeliveryRow, HookForm, HookRow, WebhooksView};

pub use crate::moment::Tell;
pub use crate::timeline::{Anchor, Break, Lane, Shape, Span, Tick, TimelineView};
