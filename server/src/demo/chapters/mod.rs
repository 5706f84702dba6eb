//! The story, chapter by chapter; each counts what it left in the world.

pub(super) mod decisions;
pub(super) mod holds;
pub(super) mod providers;
pub(super) mod resume;
