//! The invoices and the keys that they were made under.

use std::collections::HashMap;

use super::{Invoice, NewInvoice, Requests};

#[derive(Default)]
pub(super) struct Book {
    invoices: Vec<Invoice>,
    by_key: HashMap<String, usize>,
    pub(super) requests: Requests,
}

/// What became of a request for an invoice.
pub(super) enum Entry {
    Made(Invoice),
    /// The same key asked for the same before.
    Replayed(Invoice),
    /// The same key asked for something else before.
    Conflict(Invoice),
}

impl Book {
    pub(super) fn enter(&mut self, key: &str, asked: NewInvoice) -> Entry {
        self.requests.create += 1;
        match self.find(key) {
            Some(known) if known.asked == asked => {
                let known = known.clone();
                self.requests.replayed += 1;
                Entry::Replayed(known)
            }
            Some(known) => Entry::Conflict(known.clone()),
            None => {
                let id = format!("inv_{}", self.invoices.len() + 1);
                let invoice = Invoice {
                    id,
                    asked,
                    key: key.to_owned(),
                };
                self.by_key.insert(key.to_owned(), self.invoices.len());
                self.invoices.push(invoice.clone());
                Entry::Made(invoice)
            }
        }
    }

    pub(super) fn find(&self, key: &str) -> Option<&Invoice> {
        self.by_key.get(key).and_then(|&place| self.invoices.get(place))
    }

    pub(super) fn invoices(&self) -> &[Invoice] {
        &self.invoices
    }
}
