//! What differs between two payloads: member by member where both are JSON, line by line in what is text.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices_deadline};

use super::json::{Level, read};
use crate::view::{Compared, DiffLine, Differing};

/// What a page carries of a difference, in bytes.
const PAGE: usize = 16 * 1024;
/// More places than these are not told one by one.
const MOST_PLACES: usize = 60;
/// Deeper than this, members are compared as they came.
const DEEPEST: usize = 12;
/// Lines around what differs.
const AROUND: usize = 2;
/// Longer lines are not compared word by word, and lists of more members not member by member.
const LONGEST: usize = 4_000;
/// What has not been compared by then is told more coarsely.
const PATIENCE: Duration = Duration::from_millis(30);

/// Compares two stored payloads; each with whether it is JSON.
pub fn compare(first: (&str, bool), second: (&str, bool)) -> Compared {
    let mut found = Found {
        compared: Compared::default(),
        left: PAGE,
        deadline: Instant::now() + PATIENCE,
    };
    let place = String::new();
    if first.1 && second.1 {
        found.members(&place, first.0, second.0, 0);
    } else {
        found.texts(&place, first.0, second.0);
    }
    found.compared
}

struct Found {
    compared: Compared,
    left: usize,
    deadline: Instant,
}

impl Found {
    /// Two members of one place; true where they are alike.
    fn members(&mut self, place: &str, a: &str, b: &str, depth: usize) -> bool {
        if a == b {
            return true;
        }
        if self.full() {
            return false;
        }
        let both = (depth < DEEPEST).then(|| read(a).zip(read(b))).flatten();
        match both {
            Some((Level::Object(a), Level::Object(b))) => self.objects(place, &a, &b, depth),
            Some((Level::List(a), Level::List(b))) if a.len() + b.len() <= LONGEST => {
                self.lists(place, &a, &b, depth)
            }
            Some((Level::Text(a), Level::Text(b))) => a == b || self.texts(place, &a, &b),
            _ => self.whole(place, Some(a), Some(b)),
        }
    }

    fn objects(&mut self, place: &str, a: &[(String, &str)], b: &[(String, &str)], depth: usize) -> bool {
        let mut alike = true;
        let others: HashMap<_, _> = b.iter().map(|(name, other)| (name.as_str(), *other)).collect();
        let names: HashSet<_> = a.iter().map(|(name, _)| name.as_str()).collect();
        for (name, one) in a {
            let inner = pointer(place, name);
            let other = others.get(name.as_str()).copied();
            let same = match other {
                Some(other) => self.members(&inner, one, other, depth + 1),
                None => self.whole(&inner, Some(one), None),
            };
            if same && depth == 0 {
                self.compared.same.push(name.clone());
            }
            alike &= same;
        }
        for (name, other) in b.iter().filter(|(name, _)| !names.contains(name.as_str())) {
            alike &= self.whole(&pointer(place, name), None, Some(other));
        }
        alike
    }

    fn lists(&mut self, place: &str, a: &[&str], b: &[&str], depth: usize) -> bool {
        let mut alike = true;
        for op in capture_diff_slices_deadline(Algorithm::Myers, a, b, Some(self.deadline)) {
            let (old, new) = (op.old_range(), op.new_range());
            match op {
                DiffOp::Equal { .. } => {}
                DiffOp::Replace { .. } if old.len() == new.len() => {
                    for (i, j) in old.zip(new) {
                        alike &= self.members(&pointer(place, &j.to_string()), a[i], b[j], depth + 1);
                    }
                }
                _ => {
                    for i in old {
                        alike &= self.whole(&pointer(place, &i.to_string()), Some(a[i]), None);
                    }
                    for j in new {
                        alike &= self.whole(&pointer(place, &j.to_string()), None, Some(b[j]));
                    }
                }
            }
        }
        alike
    }

    /// Two texts line by line.
    fn texts(&mut self, place: &str, a: &str, b: &str) -> bool {
        // The usual end of the last line is none, unless one of them has it.
        let any = a.ends_with('\n') || b.ends_with('\n');
        let ended = |text: &str| format!("{text}{}", if any { "" } else { "\n" });
        let (a, b) = (ended(a), ended(b));
        let diff = TextDiff::configure()
            .deadline(self.deadline)
            .diff_lines(a.as_str(), b.as_str());
        let (old, new): (Vec<_>, Vec<_>) =
            (diff.iter_old_slices().collect(), diff.iter_new_slices().collect());
        let mut lines = Vec::new();
        let mut next = 0;
        for group in diff.grouped_ops(AROUND) {
            let begins = group.first().map_or(next, |op| op.old_range().start);
            skip(&mut lines, begins - next);
            for op in group {
                next = op.old_range().end;
                if matches!(op, DiffOp::Equal { .. }) {
                    lines.extend(op.old_range().map(|i| DiffLine::Same(shown(old[i]))));
                } else {
                    changed(
                        &mut lines,
                        &old[op.old_range()],
                        &new[op.new_range()],
                        self.deadline,
                    );
                }
            }
        }
        skip(&mut lines, old.len() - next);
        self.push(place, lines);
        false
    }

    /// What is in one of them alone, or of another sort in each.
    fn whole(&mut self, place: &str, a: Option<&str>, b: Option<&str>) -> bool {
        let bits = |json: &str| vec![(true, json.to_owned())];
        let gone = a.map(|json| DiffLine::Gone(bits(json)));
        let come = b.map(|json| DiffLine::Come(bits(json)));
        self.push(place, gone.into_iter().chain(come).collect());
        false
    }

    /// Whether no more can be told: then there is nothing to work out either.
    fn full(&mut self) -> bool {
        let full = self.compared.parts.len() >= MOST_PLACES || self.left == 0;
        self.compared.cut |= full;
        full
    }

    fn push(&mut self, place: &str, lines: Vec<DiffLine>) {
        if self.full() {
            return;
        }
        let mut kept = Vec::new();
        for line in lines {
            if self.left == 0 {
                self.compared.cut = true;
                break;
            }
            kept.push(self.fitting(line));
        }
        self.compared.parts.push(Differing {
            place: place.to_owned(),
            lines: kept,
        });
    }

    /// A line, or as much of it as there is room for: never more than half, so that its other side is seen as well.
    fn fitting(&mut self, line: DiffLine) -> DiffLine {
        let mut fit = |text: String| {
            let most = (self.left / 2).max(200);
            let mut end = text.len().min(most);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.left = self.left.saturating_sub(end + 40);
            if end == text.len() {
                return text;
            }
            self.compared.cut = true;
            format!("{}…", &text[..end])
        };
        let mut bits =
            |bits: Vec<(bool, String)>| bits.into_iter().map(|(new, text)| (new, fit(text))).collect();
        match line {
            DiffLine::Gone(parts) => DiffLine::Gone(bits(parts)),
            DiffLine::Come(parts) => DiffLine::Come(bits(parts)),
            DiffLine::Same(text) => DiffLine::Same(fit(text)),
            skipped @ DiffLine::Skipped(_) => skipped,
        }
    }
}

fn skip(lines: &mut Vec<DiffLine>, left_out: usize) {
    if left_out > 0 {
        lines.push(DiffLine::Skipped(left_out as u32));
    }
}

/// Lines that stand for each other are compared word by word.
fn changed(lines: &mut Vec<DiffLine>, old: &[&str], new: &[&str], deadline: Instant) {
    let whole = |line: &&str| vec![(true, shown(line))];
    let (gone, come): (Vec<_>, Vec<_>) = if old.len() == new.len() {
        old.iter().zip(new).map(|(a, b)| words(a, b, deadline)).unzip()
    } else {
        (old.iter().map(whole).collect(), new.iter().map(whole).collect())
    };
    lines.extend(gone.into_iter().map(DiffLine::Gone));
    lines.extend(come.into_iter().map(DiffLine::Come));
}

type Bits = Vec<(bool, String)>;

fn words(a: &str, b: &str, deadline: Instant) -> (Bits, Bits) {
    let (a, b) = (shown(a), shown(b));
    if a.len() + b.len() > LONGEST {
        return (vec![(true, a)], vec![(true, b)]);
    }
    let (mut gone, mut come) = (Bits::new(), Bits::new());
    let diff = TextDiff::configure()
        .deadline(deadline)
        .diff_words(a.as_str(), b.as_str());
    for change in diff.iter_all_changes() {
        let differs = change.tag() != ChangeTag::Equal;
        if change.tag() != ChangeTag::Insert {
            add(&mut gone, differs, change.value());
        }
        if change.tag() != ChangeTag::Delete {
            add(&mut come, differs, change.value());
        }
    }
    (gone, come)
}

fn add(bits: &mut Bits, differs: bool, text: &str) {
    match bits.last_mut() {
        Some((last, words)) if *last == differs => words.push_str(text),
        _ => bits.push((differs, text.to_owned())),
    }
}

/// A line without its end. An end that is not the usual one is a difference that has to be seen.
fn shown(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => line.replace('\r', "␍"),
        None => format!("{} (no end of line)", line.replace('\r', "␍")),
    }
}

fn pointer(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}
