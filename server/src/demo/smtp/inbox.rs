//! What the mail server received.

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use tokio::sync::watch;

use super::session::Envelope;

/// A mail as it came, with the two headers that the demonstration speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The sender of the envelope; empty for a bounce.
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    pub subject: Option<String>,
    /// With its angle brackets, as the header has it.
    pub message_id: Option<String>,
    /// The message after the transparency dots were taken out.
    pub raw: Vec<u8>,
}

/// A watched list: readers take a snapshot, or wait for it to grow.
pub(super) struct Inbox {
    mails: watch::Sender<Vec<Mail>>,
    directory: Option<PathBuf>,
    files: AtomicUsize,
}

impl Inbox {
    pub(super) fn new(directory: Option<&Path>) -> Self {
        Self {
            mails: watch::Sender::new(Vec::new()),
            directory: directory.map(Path::to_owned),
            files: AtomicUsize::new(0),
        }
    }

    /// Keeps a mail; when this returns well, every later snapshot has it.
    pub(super) async fn keep(&self, envelope: Envelope) -> io::Result<()> {
        let Envelope { from, to, raw } = envelope;
        if let Some(directory) = &self.directory {
            let number = self.files.fetch_add(1, Ordering::Relaxed) + 1;
            tokio::fs::write(directory.join(format!("{number}.eml")), &raw).await?;
        }
        let mail = Mail {
            from,
            to,
            subject: header(&raw, "Subject"),
            message_id: header(&raw, "Message-ID"),
            raw,
        };
        self.mails.send_modify(|mails| mails.push(mail));
        Ok(())
    }

    pub(super) fn mails(&self) -> Vec<Mail> {
        self.mails.borrow().clone()
    }

    pub(super) fn count(&self, wanted: impl Fn(&Mail) -> bool) -> usize {
        self.mails.borrow().iter().filter(|mail| wanted(mail)).count()
    }

    pub(super) async fn wait_for(&self, count: usize) {
        // It fails only when the sender is gone, and the sender is part of `self`.
        let _ = self
            .mails
            .subscribe()
            .wait_for(|mails| mails.len() >= count)
            .await;
    }
}

/// The first header of that name, unfolded; encoded words stay as they are.
fn header(raw: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(raw);
    // A message may begin with the empty line: then it has no headers, and what follows is body.
    let head = if text.starts_with("\r\n") {
        ""
    } else {
        text.split("\r\n\r\n").next()?
    };
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    unfolded.split("\r\n").find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}
