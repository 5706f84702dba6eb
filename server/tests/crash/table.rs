//! What came of all kills, as a table that goes into the docs as it is.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use holdpoint::Recovery;

use super::case::{Case, Database, Step, Victim};
use super::settle::Fate;

#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub kills: u32,
    fates: [u32; 5],
}

/// A row each for who was killed, in which step, while which kind was under way, on which database.
#[derive(Debug, Default)]
pub struct Table(BTreeMap<(Database, Victim, Step, Recovery), Tally>);

const HEAD: &str =
    "| database | killed | step | kind | kills | actions | ran once | absorbed | held | duplicated | lost |
| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: |
";

impl Table {
    pub fn count(&mut self, case: Case, fates: &[Fate]) {
        let Case {
            database,
            victim,
            place,
            recovery,
        } = case;
        let row = self
            .0
            .entry((database, victim, place.step(), recovery))
            .or_default();
        row.kills += 1;
        for fate in fates {
            row.fates[*fate as usize] += 1;
        }
    }

    /// All rows of some victims together.
    pub fn total(&self, of: impl Fn(Victim) -> bool) -> Tally {
        let rows = self.0.iter().filter(|((_, victim, ..), _)| of(*victim));
        rows.fold(Tally::default(), |sum, (_, row)| sum.plus(*row))
    }
}

impl Tally {
    pub const fn of(&self, fate: Fate) -> u32 {
        self.fates[fate as usize]
    }

    fn plus(self, other: Self) -> Self {
        let mut fates = self.fates;
        for (sum, more) in fates.iter_mut().zip(other.fates) {
            *sum += more;
        }
        Self {
            kills: self.kills + other.kills,
            fates,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {}", self.kills, self.fates.iter().sum::<u32>())?;
        self.fates.iter().try_for_each(|count| write!(f, " | {count}"))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = HEAD.to_owned();
        for ((database, victim, step, recovery), tally) in &self.0 {
            writeln!(text, "| {database} | {victim} | {step} | {recovery} | {tally} |")?;
        }
        for (name, naive) in [("all", false), ("all naive", true)] {
            let total = self.total(|victim| (victim == Victim::Naive) == naive);
            writeln!(text, "| | **{name}** | | | {total} |")?;
        }
        f.write_str(&text)
    }
}
