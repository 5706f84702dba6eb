//! A line of the audit on its way into the database.

use std::net::{IpAddr, Ipv6Addr};

use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::ledger::{Actor, Operator, Via};
use crate::policy::Policy;
use crate::transition::Choice;
use crate::words::{AuditEvent, Role};

/// A line of the audit on its way into the database.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Who; `None` is nobody who is known here.
    pub actor: Option<String>,
    /// By which means.
    pub means: String,
    /// From where.
    pub from: Option<String>,
    /// What.
    pub event: AuditEvent,
    /// To what or whom: an action's key, a kind, a name.
    pub subject: Option<String>,
    /// Why, in the actor's own words.
    pub reason: Option<String>,
    /// More, in members of their own.
    pub detail: Map<String, Value>,
}

impl Entry {
    /// What this actor did.
    pub fn by(actor: &Actor, event: AuditEvent) -> Self {
        let (means, from) = match actor {
            Actor::Person {
                via: Via { token, from, .. },
                ..
            } => {
                let means = token
                    .as_ref()
                    .map_or_else(|| "browser".to_owned(), |name| format!("token {name}"));
                (means, *from)
            }
            Actor::Reader { name, from } => (format!("token {name}"), *from),
            Actor::Worker { name, .. } => (format!("worker {name}"), None),
            Actor::CommandLine => (actor.name().to_owned(), None),
        };
        Self {
            actor: Some(actor.name().to_owned()),
            means,
            from: from.map(|address| address.to_canonical().to_string()),
            event,
            subject: None,
            reason: None,
            detail: Map::new(),
        }
    }

    /// What somebody did who is not known here.
    pub fn of_stranger(event: AuditEvent, from: Option<IpAddr>) -> Self {
        Self {
            actor: None,
            means: "browser".to_owned(),
            from: from.map(|address| address.to_canonical().to_string()),
            event,
            subject: None,
            reason: None,
            detail: Map::new(),
        }
    }

    /// What an identity provider said of somebody. It has no name here, and calls from nowhere.
    pub fn of_provider(event: AuditEvent, operator: &str) -> Self {
        Self {
            means: "identity provider".to_owned(),
            ..Self::of_stranger(event, None).about(operator)
        }
    }

    /// What the server does by itself.
    pub fn of_server(event: AuditEvent) -> Self {
        Self {
            means: "server".to_owned(),
            ..Self::of_stranger(event, None)
        }
    }

    /// From more addresses than are told apart.
    pub fn by_many(mut self) -> Self {
        self.from = None;
        self.with("many_addresses", true)
    }

    /// To what or whom.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Why.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// One more member of the detail.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(name.to_owned(), value.into());
        self
    }

    /// The detail as its column holds it.
    pub fn detail_json(&self) -> String {
        Value::from(self.detail.clone()).to_string()
    }

    /// The key's parts are kept for ever anyway; the payload is named by its hash alone.
    pub fn of_action(mut self, before: &Action, after: &Action) -> Self {
        self.subject = Some(before.key.to_string());
        self.with("kind", before.kind.as_str())
            .with("target", before.target.as_str())
            .with("run_id", before.run_id.as_str())
            .with("step", before.step)
            .with("payload_hash", before.payload_hash.as_str())
            .with("version", before.version)
            .with("from", before.status.as_str())
            .with("to", after.status.as_str())
    }

    /// A decision, and how many agree where it takes more than one.
    pub fn of_decision(self, choice: &Choice, before: &Action, after: &Action, policy: &Policy) -> Self {
        let entry = self
            .of_action(before, after)
            .with("decision", choice.decision.as_str())
            .with("evidence", choice.result.is_some());
        let needed = before.approvals_needed.max(policy.approvals_needed);
        if before.status == after.status && needed > 1 {
            entry.with("agreed", after.approvals.len()).with("needed", needed)
        } else {
            entry
        }
    }

    /// A policy's change: which of its members, not what they are, since the history of its versions says that.
    pub fn of_policy(self, before: Option<&Policy>, after: Option<&Policy>, version: i64) -> Self {
        let members = |policy: Option<&Policy>| match policy.map(serde_json::to_value) {
            Some(Ok(Value::Object(members))) => members,
            _ => Map::new(),
        };
        let default = Policy::default();
        let old = members(before.or(Some(&default)));
        let new = members(after);
        let changed: Vec<_> = new
            .iter()
            .filter(|(name, value)| old.get(*name) != Some(*value))
            .map(|(name, _)| Value::from(name.as_str()))
            .collect();
        self.with("version_before", before.map_or(0, |policy| policy.version))
            .with("version", version)
            .with("changed", changed)
    }

    /// A webhook by its host alone: people put passwords and keys into the rest of an address.
    pub fn of_webhook(self, url: &str) -> Self {
        self.with("host", host(url))
    }

    /// What a provider gave to an operator or took from them, a line each. Where nobody is left who may
    /// administer, they say so.
    pub fn of_vouched(before: &Operator, after: &Operator, none_is_left: bool) -> Vec<Self> {
        let line = |event| Self::of_provider(event, &before.name);
        let mut lines = Vec::new();
        if before.role != after.role {
            lines.push(
                line(AuditEvent::OperatorChanged)
                    .with("role_before", before.role.as_str())
                    .with("role", after.role.as_str()),
            );
        }
        match (before.disabled, after.disabled) {
            (false, true) => lines.push(line(AuditEvent::OperatorDisabled)),
            (true, false) => lines.push(line(AuditEvent::OperatorEnabled)),
            _ => {}
        }
        if none_is_left {
            lines = lines
                .into_iter()
                .map(|line| line.with("last_admin", true))
                .collect();
        }
        lines
    }

    /// What was changed of an operator, a line each.
    pub fn of_operator(
        actor: &Actor,
        before: &Operator,
        role: Option<Role>,
        password: bool,
        disabled: Option<bool>,
    ) -> Vec<Self> {
        let line = |event| Self::by(actor, event).about(&*before.name);
        let mut lines = Vec::new();
        if let Some(role) = role {
            lines.push(
                line(AuditEvent::OperatorChanged)
                    .with("role_before", before.role.as_str())
                    .with("role", role.as_str()),
            );
        }
        if password {
            lines.push(line(AuditEvent::PasswordChanged));
        }
        match disabled {
            Some(true) => lines.push(line(AuditEvent::OperatorDisabled)),
            Some(false) => lines.push(line(AuditEvent::OperatorEnabled)),
            None => {}
        }
        // Nothing was given, and every session has ended all the same.
        if lines.is_empty() {
            lines.push(line(AuditEvent::OperatorChanged).with("sessions_ended", json!(true)));
        }
        lines
    }
}

/// The host of an address, without who signs in there and what follows it.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    match (place.find(']'), place.find(':')) {
        (Some(end), _) => &place[..=end],
        (None, Some(port)) => &place[..port],
        (None, None) => place,
    }
}

/// The network that an address counts as: of IPv6 its first 64 bits, which one household has to itself.
pub(super) fn network(from: Option<IpAddr>) -> String {
    match from.map(|address| address.to_canonical()) {
        None => String::new(),
        Some(IpAddr::V4(address)) => address.to_string(),
        Some(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn an_address_is_told_by_its_host_and_nothing_else_of_it() {
        for (url, told) in [
            (
                "https://hooks.example/key/s3cret?k=s3cret#s3cret",
                "hooks.example",
            ),
            ("https://ada:s3cret@hooks.example:8443/", "hooks.example"),
            ("https://ada:s3@cret@hooks.example", "hooks.example"),
            ("https://hooks.example?s3cret@elsewhere", "hooks.example"),
            ("http://[2001:db8::1]:80/s3cret", "[2001:db8::1]"),
            ("https://hooks.example\\@s3cret", "hooks.example"),
            ("s3cret", ""),
            ("https://", ""),
        ] {
            assert_eq!(host(url), told, "{url}");
        }
    }
}
