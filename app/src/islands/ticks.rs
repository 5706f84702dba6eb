//! What somebody ticked, kept by the tab over the opening of other pages: for them alone, whoever signs in next.

use web_sys::HtmlInputElement;

use super::tab_storage;

/// A place where ticks are kept, and whose they are.
pub(super) struct Ticks {
    slot: &'static str,
    owner: String,
}

impl Ticks {
    /// Of one owner, who is a person and what they tick, in one line.
    pub fn of(slot: &'static str, owner: String) -> Self {
        Self { slot, owner }
    }

    /// What is ticked; nothing where somebody else did that.
    pub fn kept(&self) -> Vec<String> {
        let kept = tab_storage().and_then(|storage| storage.get_item(self.slot).ok().flatten());
        kept.map(|kept| read(&kept, &self.owner)).unwrap_or_default()
    }

    /// Keeps these and no others.
    pub fn keep(&self, ticked: &[String]) {
        let Some(storage) = tab_storage() else { return };
        // What cannot be kept is ticked all the same, as long as the page stands.
        let _ = match ticked {
            [] => storage.remove_item(self.slot),
            ticked => storage.set_item(self.slot, &format!("{}\n{}", self.owner, ticked.join("\n"))),
        };
    }

    /// Keeps what is ticked of the boxes that are here; of those that are not, what was kept.
    pub fn keep_here(&self, boxes: &[HtmlInputElement]) {
        let mut kept = self.kept();
        kept.retain(|kept| boxes.iter().all(|one| one.value() != *kept));
        kept.extend(
            boxes
                .iter()
                .filter(|one| one.checked())
                .map(HtmlInputElement::value),
        );
        self.keep(&kept);
    }
}

fn read(kept: &str, owner: &str) -> Vec<String> {
    let mut lines = kept.lines();
    if lines.next() != Some(owner) {
        return Vec::new();
    }
    lines.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_their_owners_alone() {
        assert_eq!(read("olga\nab:2\ncd:5", "olga"), ["ab:2", "cd:5"]);
        assert_eq!(read("olga\nab:2", "omar"), [""; 0]);
        assert_eq!(read("olga 7f\nab", "olga"), [""; 0]);
        assert_eq!(read("", "olga"), [""; 0]);
    }
}
