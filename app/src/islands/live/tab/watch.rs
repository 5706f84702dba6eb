//! What a tab notices by itself: that time passes, that somebody comes back to it, that it is put away.

use std::time::Duration;

use js_sys::Date;
use leptos::prelude::*;

use super::{SILENT, Tab, hear, lock};

/// So long a new stream has to begin, and so long after somebody came back to the tab.
const PATIENCE: (f64, f64) = (20_000.0, 2_000.0);
impl Tab {
    /// Looks at what only time tells: now and then, and, in haste, when somebody comes back to the tab.
    fn look(&self, haste: bool) {
        let (now, hidden) = (Date::now(), document().hidden());
        if self.is(|tab| tab.out || (tab.alone && hidden)) {
            return;
        }
        let heard = self.0.borrow().heard;
        if now - heard > SILENT {
            self.broke(heard);
        }
        let patience = if haste { PATIENCE.1 } else { PATIENCE.0 };
        let due = self.is(|tab| tab.broken.is_some() && now - tab.opened > patience);
        if due && (self.leads() || self.is(|tab| tab.alone)) {
            self.open(None);
        } else if due && !hidden && self.is(|tab| now - tab.led > SILENT) {
            self.0.borrow_mut().opened = now;
            self.take_over();
        }
        self.show();
        self.announce();
    }

    /// Asks the tab that holds the stream; where it does not answer, being frozen, this one takes the stream.
    fn take_over(&self) {
        self.hello();
        let tab = self.clone();
        let take = move || {
            if tab.is(|tab| tab.broken.is_some() && Date::now() - tab.led > SILENT) {
                tab.queue(true);
            }
        };
        set_timeout(take, Duration::from_millis(PATIENCE.1 as u64));
    }

    /// A tab that is put away, or signed out, gives the stream to another one.
    pub(super) fn leave(&self) {
        self.close();
        let release = self.0.borrow_mut().release.take();
        lock::give_back(release);
    }

    pub(super) fn watch(&self) {
        let tab = self.clone();
        let _ = set_interval_with_handle(move || tab.look(false), Duration::from_secs(5));
        let tab = self.clone();
        hear::event(&document(), "resume", move || tab.look(true));
        let tab = self.clone();
        hear::event(&window(), "online", move || tab.look(true));
        let tab = self.clone();
        hear::event(&document(), "visibilitychange", move || {
            match (tab.is(|tab| tab.alone), document().hidden()) {
                (true, true) => tab.close(),
                (true, false) => tab.open(None),
                _ => {}
            }
            tab.look(true);
        });
        let tab = self.clone();
        hear::event(&window(), "pagehide", move || tab.leave());
        let tab = self.clone();
        // A page that the browser brings back as it was had left its place.
        hear::event(&window(), "pageshow", move || {
            if tab.is(|tab| tab.stream > 0 && tab.stop.is_none() && !tab.out) {
                tab.hello();
                tab.queue(false);
            }
        });
    }
}
