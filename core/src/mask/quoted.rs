//! Words that must not be read in another place: an error may quote the very payload that is masked.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use super::MARK;

/// So many words in a row are taken for a quotation.
const RUN: usize = 3;

/// The most values that are looked for sign by sign; all are looked for word by word.
const MOST_VALUES: usize = 256;

/// What is masked in one action: its values, and its words by threes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    values: Vec<String>,
    runs: HashSet<u64>,
}

impl Hidden {
    /// A value that is masked.
    pub(super) fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() >= 4 && self.values.len() < MOST_VALUES {
            self.values.push(value.to_owned());
        }
        let words: Vec<_> = words(value).map(|(_, word)| word).collect();
        if words.len() <= RUN {
            if words.iter().map(String::len).sum::<usize>() >= 3 {
                self.runs.insert(run(&words));
            }
        } else {
            self.runs.extend(words.windows(RUN).map(run));
        }
        // A number or what looks like a key tells all by itself.
        let telling = |word: &&String| {
            let digits = word.chars().any(char::is_numeric);
            word.len() >= 16 || (word.len() >= 4 && digits)
        };
        self.runs.extend(
            words
                .iter()
                .filter(telling)
                .map(|word| run(std::slice::from_ref(word))),
        );
    }

    /// What another text hides is hidden as well.
    pub fn extend(&mut self, other: Self) {
        let room = MOST_VALUES.saturating_sub(self.values.len());
        self.values.extend(other.values.into_iter().take(room));
        self.runs.extend(other.runs);
    }

    /// Whether nothing is hidden.
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.runs.is_empty()
    }

    /// Whether a text quotes some of this.
    pub(super) fn is_quoted(&self, text: &str) -> bool {
        !self.is_empty() && self.clear(text) != text
    }

    /// A text without what it quotes of this.
    pub fn clear(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let mut values: Vec<_> = self.values.iter().filter(|value| text.contains(*value)).collect();
        values.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
        let text = values
            .into_iter()
            .fold(text.to_owned(), |text, value| text.replace(value, MARK));
        self.clear_words(&text)
    }

    fn clear_words(&self, text: &str) -> String {
        let (places, words): (Vec<Range<usize>>, Vec<String>) = words(text).unzip();
        let mut clear = String::with_capacity(text.len());
        let (mut copied, mut masked) = (0, 0);
        for first in 0..words.len() {
            let runs = (1..=RUN.min(words.len() - first)).rev();
            let quoted = runs
                .map(|n| first + n)
                .find(|end| self.runs.contains(&run(&words[first..*end])));
            let Some(end) = quoted.filter(|end| *end > masked) else {
                continue;
            };
            // What overlaps or follows a quotation at once belongs to it.
            if first > masked || masked == 0 {
                clear.push_str(&text[copied..places[first].start]);
                clear.push_str(MARK);
            }
            copied = places[end - 1].end;
            masked = end;
        }
        clear.push_str(&text[copied..]);
        clear
    }
}

/// The words of a text and where they stand, in lower case.
fn words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let end = text[start..]
            .find(|sign: char| !sign.is_alphanumeric())
            .map_or(text.len(), |length| start + length);
        rest = end;
        Some((start..end, text[start..end].to_lowercase()))
    })
}

fn run(words: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(values: &[&str]) -> Hidden {
        let mut hidden = Hidden::default();
        for value in values {
            hidden.add(value);
        }
        hidden
    }

    #[test]
    fn what_quotes_a_value_or_a_part_of_it_is_cleared() {
        let pin = hidden(&["PIN 4711"]);
        assert_eq!(pin.clear("no such pin: 4711"), "no such ••••••");
        assert_eq!(pin.clear("refused 4711 twice"), "refused •••••• twice");
        let key = hidden(&["s3cr3t"]);
        assert_eq!(key.clear("Bearer s3cr3t."), "Bearer ••••••.");
        assert_eq!(key.clear("xs3cr3tx"), "x••••••x");
        let letter = hidden(&["Dear Ada, your contract ends in May."]);
        assert_eq!(
            letter.clear("cannot parse 'your contract ends'"),
            "cannot parse '••••••'"
        );
    }

    #[test]
    fn words_that_anybody_says_are_left_alone() {
        let letter = hidden(&["Dear Ada, the connection was lost again, so call me"]);
        assert_eq!(letter.clear("connection lost"), "connection lost");
        assert_eq!(Hidden::default().clear("4711"), "4711");
    }
}
