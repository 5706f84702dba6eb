//! A message as its receiver reads it. Its links open pages, where a person decides; no link decides.

use holdpoint::notice::{Message, Says};
use holdpoint::{Event, Key, Time};
use serde::Serialize;

use crate::auth::Address;

#[derive(Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Event>,
    kind: Option<&'a str>,
    reason: Option<&'a str>,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<u64>,
    first_at: Time,
    last_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<OldestView<'a>>,
    keys: &'a [Key],
    review_url: String,
}

#[derive(Serialize)]
struct OldestView<'a> {
    key: &'a Key,
    run_id: Option<&'a str>,
    review_url: String,
}

/// The body that is signed and sent.
pub(super) fn of(message: &Message, address: &Address) -> String {
    let (says, event, left) = match message.says {
        Says::Happened(event) => (format!("actions.{event}"), None, None),
        Says::Recovered(event, left) => ("actions.recovered".to_owned(), Some(event), Some(left)),
        Says::Test => ("webhook.test".to_owned(), None, None),
    };
    let oldest = message.oldest.as_ref().map(|oldest| OldestView {
        key: &oldest.key,
        run_id: oldest.run_id.as_deref(),
        review_url: address.review_url(&oldest.key),
    });
    let body = Body {
        says,
        event,
        kind: message.kind.as_deref(),
        reason: message.reason.as_deref(),
        count: message.count,
        left,
        first_at: message.first_at,
        last_at: message.last_at,
        oldest,
        keys: &message.keys,
        review_url: link(message, address),
    };
    serde_json::to_string(&body).unwrap_or_else(|error| {
        tracing::error!(%error, "a message can't be written as JSON");
        "{}".to_owned()
    })
}

/// The page that shows what a message speaks of: one action's own, or the list of all of them.
fn link(message: &Message, address: &Address) -> String {
    let event = match message.says {
        Says::Happened(event) | Says::Recovered(event, _) => event,
        Says::Test => return address.page("/"),
    };
    if let (1, [key]) = (message.count, &*message.keys) {
        return address.review_url(key);
    }
    // Kinds and reasons are words of letters, digits and `_.-`: they stand in an address as they are.
    let kind = message
        .kind
        .as_deref()
        .map(|kind| format!("&kind={kind}"))
        .unwrap_or_default();
    let reason = message.reason.as_deref().unwrap_or_default();
    match event {
        Event::Held | Event::Unclaimed => address.page(&format!("/review?reason={reason}{kind}")),
        Event::Failed => address.page(&format!("/actions?flag=unacknowledged&status=failed{kind}")),
        Event::SuspectedDuplicate => address.page(&format!("/actions?flag=suspected_duplicate{kind}")),
        Event::SuspectedNoSend => address.page(&format!("/actions?flag=suspected_no_send{kind}")),
        Event::Paused => match &message.kind {
            Some(kind) => address.page(&format!("/policies/{kind}")),
            None => address.page("/"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(says: Says, keys: usize, kind: Option<&str>) -> serde_json::Value {
        let address = Address::new("127.0.0.1:1".parse().unwrap(), Some("https://h.example"), &[]).unwrap();
        let keys: Vec<Key> = (0..keys).map(|n| format!("{n:064x}").parse().unwrap()).collect();
        let message = Message {
            says,
            kind: kind.map(str::to_owned),
            reason: Some("outcome_unknown".to_owned()),
            count: keys.len() as u64,
            first_at: Time::from_micros(0),
            last_at: Time::from_micros(1),
            oldest: None,
            keys,
        };
        serde_json::from_str(&of(&message, &address)).unwrap()
    }

    #[test]
    fn links_lead_to_pages() {
        let held = Says::Happened(Event::Held);
        let one = format!("https://h.example/actions/{:064x}", 0);
        for (says, keys, kind, link) in [
            (held, 1, Some("mail"), &*one),
            (
                held,
                2,
                Some("mail"),
                "https://h.example/review?reason=outcome_unknown&kind=mail",
            ),
            (
                Says::Recovered(Event::Held, 3),
                0,
                Some("mail"),
                "https://h.example/review?reason=outcome_unknown&kind=mail",
            ),
            (
                Says::Happened(Event::Failed),
                2,
                Some("mail"),
                "https://h.example/actions?flag=unacknowledged&status=failed&kind=mail",
            ),
            (
                Says::Happened(Event::SuspectedNoSend),
                2,
                Some("mail"),
                "https://h.example/actions?flag=suspected_no_send&kind=mail",
            ),
            (
                Says::Happened(Event::Paused),
                0,
                Some("mail"),
                "https://h.example/policies/mail",
            ),
            (Says::Happened(Event::Paused), 0, None, "https://h.example/"),
            (Says::Test, 0, None, "https://h.example/"),
        ] {
            assert_eq!(said(says, keys, kind)["review_url"], link, "{says:?}");
        }
    }

    #[test]
    fn a_recovery_says_how_many_are_left_of_what() {
        let recovered = said(Says::Recovered(Event::Unclaimed, 20), 0, Some("mail"));
        assert_eq!(recovered["type"], "actions.recovered");
        assert_eq!(
            (&recovered["event"], &recovered["left"]),
            (&"unclaimed".into(), &20.into())
        );
        let held = said(Says::Happened(Event::Held), 2, None);
        assert!(held["type"] == "actions.held" && held.get("left").is_none() && held["kind"].is_null());
    }
}
