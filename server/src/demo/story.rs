//! How the demonstration is told: a line for each thing done, and a line for each thing counted.

use std::{
    fmt::Display,
    io::{self, Write as _},
};

/// Tells on standard output, and remembers what was not as it should be.
#[derive(Debug, Default)]
pub struct Story {
    right: usize,
    wrong: usize,
}

impl Story {
    /// Begins a part of the story.
    pub fn chapter(&self, title: &str) {
        self.write(format_args!("\n{title}\n"));
    }

    /// Says what was done or seen.
    pub fn tell(&self, line: impl Display) {
        self.write(format_args!("  {line}\n"));
    }

    /// Says what was counted, and whether it is right.
    pub fn count<S, E>(&mut self, what: &str, seen: &S, expected: &E)
    where
        S: PartialEq<E> + Display,
        E: Display + ?Sized,
    {
        if seen == expected {
            self.right += 1;
            self.write(format_args!("  [right] {what}: {seen}\n"));
        } else {
            self.wrong += 1;
            self.write(format_args!("  [WRONG] {what}: {seen}, expected {expected}\n"));
        }
    }

    /// How many counts were right, and how many were not.
    pub fn score(&self) -> (usize, usize) {
        (self.right, self.wrong)
    }

    /// A line without the indentation of what happens within a chapter.
    pub fn line(&self, line: impl Display) {
        self.write(format_args!("{line}\n"));
    }

    #[expect(
        clippy::unused_self,
        reason = "who tells must hold the story: lines come in order"
    )]
    fn write(&self, text: std::fmt::Arguments<'_>) {
        let mut out = io::stdout().lock();
        // Nobody may be reading any more; the counts decide about the exit code, not the telling.
        let _ = out.write_fmt(text).and_then(|()| out.flush());
    }
}
