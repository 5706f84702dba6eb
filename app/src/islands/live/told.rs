//! What the stream tells, read; and what it told lately, kept for tabs that come later.

use std::collections::VecDeque;

/// So many events are kept; who has to go back further makes the stream begin further back.
const KEPT: usize = 300;

/// One message of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// How far whoever was told this has been told everything.
    pub id: Option<String>,
    /// What it is; nothing where it only says that the stream lives.
    pub event: String,
    /// Its data, as JSON.
    pub data: String,
}

impl Told {
    /// Reads a message: lines of a name and a value.
    pub fn read(message: &str) -> Self {
        let mut told = Self::default();
        for line in message.lines() {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "id" => told.id = Some(value.to_owned()),
                "event" => value.clone_into(&mut told.event),
                "data" => told.data.push_str(value),
                _ => {}
            }
        }
        told
    }
}

/// Takes the next whole message out of what has arrived.
pub(super) fn next_message(arrived: &mut Vec<u8>) -> Option<String> {
    let end = arrived.windows(2).position(|two| two == b"\n\n")?;
    let message = String::from_utf8_lossy(&arrived[..end]).into_owned();
    arrived.drain(..end + 2);
    Some(message)
}

/// A place in the stream: the database's tag, and how far.
pub(super) fn place(mark: &str) -> Option<(&str, i64)> {
    let (tag, at) = mark.split_once('-')?;
    Some((tag, at.parse().ok()?))
}

/// Whether a mark lies after another one of the same database.
pub(super) fn after(mark: &str, other: &str) -> bool {
    match (place(mark), place(other)) {
        (Some((tag, at)), Some((other_tag, other_at))) => tag == other_tag && at > other_at,
        _ => false,
    }
}

/// What was told since a mark.
#[derive(Debug, Default)]
pub(super) struct Recent {
    from: Option<String>,
    messages: VecDeque<(String, String)>,
}

impl Recent {
    /// Nothing has been told since this mark; `None` where the stream begins now.
    pub fn since(from: Option<&str>) -> Self {
        Self {
            from: from.map(str::to_owned),
            messages: VecDeque::new(),
        }
    }

    /// Keeps a message; none where the stream only said that it lives.
    pub fn keep(&mut self, id: &str, message: Option<&str>) {
        // Where the stream began now, its first word says where that was.
        self.from.get_or_insert_with(|| id.to_owned());
        let Some(message) = message else { return };
        self.messages.push_back((id.to_owned(), message.to_owned()));
        if self.messages.len() > KEPT
            && let Some((gone, _)) = self.messages.pop_front()
        {
            // Another one may bear the same id: whoever stands there goes back further.
            self.from = place(&gone).map(|(tag, at)| format!("{tag}-{}", at + 1));
        }
    }

    /// What whoever stands at a mark has not been told; `None` where it goes back further than what is kept.
    pub fn missed(&self, mark: &str) -> Option<Vec<String>> {
        let from = self.from.as_deref()?;
        if mark != from && !after(mark, from) {
            return None;
        }
        let missed = self.messages.iter().filter(|(id, _)| !after(mark, id));
        Some(missed.map(|(_, message)| message.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_out_whole_however_they_arrive() {
        let mut arrived = b":\nid: a-1\n\nevent: act".to_vec();
        assert_eq!(next_message(&mut arrived).unwrap(), ":\nid: a-1");
        assert_eq!(next_message(&mut arrived), None);
        arrived.extend(b"ion\nid: a-2\ndata: {\"k\":1}\n\n");
        let told = Told::read(&next_message(&mut arrived).unwrap());
        assert_eq!((told.event.as_str(), told.data.as_str()), ("action", "{\"k\":1}"));
        assert_eq!(told.id.as_deref(), Some("a-2"));
        assert!(arrived.is_empty());
    }

    #[test]
    fn a_tab_that_comes_later_is_told_what_it_missed_and_no_less() {
        let mut recent = Recent::since(Some("a-10"));
        for at in [11, 12, 12, 15] {
            recent.keep(&format!("a-{at}"), Some(&at.to_string()));
        }
        assert_eq!(recent.missed("a-12").unwrap(), ["12", "12", "15"]);
        assert_eq!(recent.missed("a-16").unwrap(), [""; 0]);
        assert_eq!(recent.missed("a-9"), None, "that is further back than is kept");
        assert_eq!(recent.missed("b-12"), None, "that is another database's");
        assert_eq!(recent.missed("nonsense"), None);
    }

    #[test]
    fn what_is_no_longer_kept_is_not_taken_for_nothing() {
        let mut recent = Recent::since(Some("a-0"));
        for at in 1..=KEPT as i64 + 1 {
            recent.keep(&format!("a-{at}"), Some(""));
        }
        assert_eq!(recent.missed("a-1"), None);
        assert_eq!(recent.missed("a-2").unwrap().len(), KEPT);
        assert_eq!(Recent::since(None).missed("a-2"), None);
    }
}
