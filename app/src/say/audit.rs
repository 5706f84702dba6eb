//! One line of the audit, in words.

use holdpoint::AuditEvent as E;
use holdpoint::ledger::AuditRow;
use serde_json::Value;

use crate::view::{Hue, Icon, Said, kind, name, strong, text};

/// By which means a provider says who may what.
const PROVIDER: &str = "identity provider";
const SERVER: &str = "server";

/// One line of the audit, in words: who did what to whom.
pub fn audit(row: &AuditRow) -> Said {
    let subject = row.subject.as_deref().unwrap_or_default();
    let whose = |words: &str| vec![text(format!(" {words} ")), name(subject), text(".")];
    let rest = match row.event {
        E::Decision => decision(row),
        E::Acknowledged => [vec![text(" looked at how ")], action(row), vec![text(" ended.")]].concat(),
        E::PolicyChanged => policy(row, subject),
        E::PolicyDeleted => vec![text(" took the policy of "), kind(subject), text(" away.")],
        E::Paused => switch(row, "paused", "wanted", "paused, which it was"),
        E::Resumed => switch(row, "resumed", "wanted", "resumed, which it was"),
        E::ReaperRun => vec![text(format!(
            " ran the reaper, which looked at {}.",
            number(row, "looked_at")
        ))],
        E::SignedIn => vec![text(" signed in.")],
        E::SignedOut => vec![text(" signed out.")],
        E::SignInFailed => return failed(row, subject),
        E::SessionEnded if own(row) => match number(row, "others") {
            0 | 1 => vec![text(" ended a session of their own.")],
            many => vec![text(format!(" ended {many} sessions of their own."))],
        },
        E::SessionEnded => whose("ended a session of"),
        E::PasswordChanged if own(row) => vec![text(" changed their password.")],
        E::PasswordChanged => whose("set a new password for"),
        E::OperatorAdded => vec![
            text(" added "),
            name(subject),
            text(format!(" as {}.", word(row, "role"))),
        ],
        E::OperatorChanged => changed(row, subject),
        E::OperatorDisabled => whose("disabled"),
        E::OperatorEnabled => whose("let in again"),
        E::TokenCreated => token(row, subject),
        E::TokenRevoked => whose("revoked the token"),
        E::WebhookAdded => webhook(row, subject, "added", ""),
        E::WebhookChanged if row.detail.contains_key("secret") => {
            webhook(row, subject, "gave a new secret to", "")
        }
        E::WebhookChanged if row.means == SERVER => webhook(row, subject, "disabled", ""),
        E::WebhookChanged => webhook(row, subject, "changed", &members(row)),
        E::WebhookRemoved => webhook(row, subject, "took away", ""),
        E::Exported => vec![text(format!(
            " took the {subject} out as {}.",
            word(row, "format").to_uppercase()
        ))],
        E::Revealed => whose("looked behind the mask of"),
        E::Refused => {
            let mut said = vec![
                strong("Somebody"),
                text("’s browser was sent by another site to "),
                name(subject),
            ];
            said.push(text(format!(" and was refused{}.", times(row))));
            return said;
        }
    };
    let who = match row.actor.as_deref() {
        _ if row.means == "command line" => text("The command line"),
        _ if row.means == PROVIDER => text("The identity provider"),
        _ if row.means == SERVER => text("Holdpoint"),
        Some(who) => name(who),
        None => text("Somebody"),
    };
    [vec![who], rest].concat()
}

/// By which means, and from where.
pub fn means(row: &AuditRow) -> String {
    match (&row.from, row.means.as_str()) {
        (_, "command line" | PROVIDER | SERVER) => String::new(),
        (Some(from), means) => format!("{means}, {from}"),
        (None, means) => means.to_owned(),
    }
}

/// The shape beside it.
pub const fn audit_mark(event: E) -> (Icon, Hue) {
    match event {
        E::Decision | E::Acknowledged => (Icon::Person, Hue::Plain),
        E::PolicyChanged | E::PolicyDeleted | E::OperatorChanged | E::OperatorAdded => (Icon::Dot, Hue::Run),
        E::Paused => (Icon::Held, Hue::Hold),
        E::Resumed | E::ReaperRun => (Icon::Released, Hue::Plain),
        E::SignInFailed | E::Refused => (Icon::Warn, Hue::Bad),
        E::OperatorDisabled | E::TokenRevoked => (Icon::Fail, Hue::Hold),
        E::Exported | E::Revealed => (Icon::Verifying, Hue::Hold),
        _ => (Icon::Claimed, Hue::Plain),
    }
}

/// An event's name where one is chosen.
pub const fn audit_word(event: E) -> &'static str {
    match event {
        E::Decision => "Decisions",
        E::Acknowledged => "Failures looked at",
        E::PolicyChanged => "Policies changed",
        E::PolicyDeleted => "Policies taken away",
        E::Paused => "Paused",
        E::Resumed => "Resumed",
        E::ReaperRun => "Reaper runs",
        E::SignedIn => "Signed in",
        E::SignInFailed => "Could not sign in",
        E::SignedOut => "Signed out",
        E::SessionEnded => "Sessions ended",
        E::PasswordChanged => "Passwords changed",
        E::OperatorAdded => "Operators added",
        E::OperatorChanged => "Roles changed",
        E::OperatorDisabled => "Operators disabled",
        E::OperatorEnabled => "Operators enabled",
        E::TokenCreated => "Tokens made",
        E::TokenRevoked => "Tokens revoked",
        E::WebhookAdded => "Webhooks added",
        E::WebhookChanged => "Webhooks changed",
        E::WebhookRemoved => "Webhooks taken away",
        E::Exported => "Exports",
        E::Revealed => "Looked behind a mask",
        E::Refused => "Refused requests",
    }
}

fn decision(row: &AuditRow) -> Said {
    let released = word(row, "to") == "released";
    let (before, after) = match word(row, "decision") {
        "retry" if released => (" allowed one more attempt of ", String::new()),
        "retry" => {
            let agreed = match (number(row, "agreed"), number(row, "needed")) {
                (_, 0) => String::new(),
                (agreed, needed) => format!(": {agreed} of {needed}"),
            };
            (" agreed to one more attempt of ", agreed)
        }
        "fail" => (" gave up ", String::new()),
        "succeed" => (" recorded as done ", String::new()),
        _ => (" decided on ", String::new()),
    };
    let left_out = match number(row, "left_out") {
        0 => String::new(),
        1 => " 1 of its selection was left out.".to_owned(),
        n => format!(" {n} of its selection were left out."),
    };
    let end = vec![text(format!("{after}.{left_out}"))];
    [vec![text(before)], action(row), end].concat()
}

/// The action as its parts call it.
fn action(row: &AuditRow) -> Said {
    vec![kind(word(row, "kind")), text(" to "), name(word(row, "target"))]
}

fn policy(row: &AuditRow, subject: &str) -> Said {
    let version = number(row, "version");
    let changed = members(row);
    let before = if number(row, "version_before") == 0 {
        " made the policy of "
    } else {
        " changed the policy of "
    };
    vec![
        text(before),
        kind(subject),
        text(format!(", version {version}{changed}.")),
    ]
}

/// Which members were changed, behind a colon; nothing where none was.
fn members(row: &AuditRow) -> String {
    let changed: Vec<_> = row
        .detail
        .get("changed")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|member| member.trim_end_matches("_s").replace('_', " "))
        .collect();
    match changed.len() {
        0 => String::new(),
        _ => format!(": {}", changed.join(", ")),
    }
}

/// A webhook by its host, which people know it by, and its id, which tells two of one host apart.
fn webhook(row: &AuditRow, subject: &str, done: &str, what: &str) -> Said {
    let host = word(row, "host");
    let to = if host.is_empty() {
        String::new()
    } else {
        format!(" to {host}")
    };
    vec![
        text(format!(" {done} the webhook ")),
        name(subject),
        text(format!("{to}{what}.")),
    ]
}

fn switch(row: &AuditRow, turned: &str, wanted: &str, already: &str) -> Said {
    let what = row
        .subject
        .as_ref()
        .map_or_else(|| text("everything"), |subject| kind(&**subject));
    if row.detail.contains_key("already") {
        vec![
            text(format!(" {wanted} ")),
            what,
            text(format!(" {already} already.")),
        ]
    } else {
        vec![text(format!(" {turned} ")), what, text(".")]
    }
}

fn failed(row: &AuditRow, subject: &str) -> Said {
    let mut said = vec![strong("Somebody"), text(" could not sign in ")];
    if subject.is_empty() {
        said.push(text("under a name that nobody has"));
    } else {
        said.extend([text("as "), name(subject)]);
    }
    said.push(text(format!("{}.", times(row))));
    said
}

/// How often, where it was more than once.
fn times(row: &AuditRow) -> String {
    let many = if row.detail.contains_key("many_addresses") {
        " from many addresses"
    } else {
        ""
    };
    match row.times {
        0 | 1 => many.to_owned(),
        n => format!(", {n} times in a minute{many}"),
    }
}

fn changed(row: &AuditRow, subject: &str) -> Said {
    match (word(row, "role_before"), word(row, "role")) {
        ("", _) if row.detail.contains_key("issuer") => match word(row, "issuer") {
            "" => vec![
                text(" let no identity provider vouch for "),
                name(subject),
                text(" any more."),
            ],
            issuer => vec![
                text(" made "),
                name(subject),
                text(format!(" sign in by {issuer}.")),
            ],
        },
        ("", _) => vec![text(" ended every session of "), name(subject), text(".")],
        (before, role) => vec![
            text(" made "),
            name(subject),
            text(format!(" {role} instead of {before}{}.", last_admin(row))),
        ],
    }
}

fn last_admin(row: &AuditRow) -> &'static str {
    if row.detail.contains_key("last_admin") {
        ", the last admin that there was"
    } else {
        ""
    }
}

fn token(row: &AuditRow, subject: &str) -> Said {
    let mut said = vec![
        text(" made the token "),
        name(subject),
        text(format!(", scope {}", word(row, "scope"))),
    ];
    let owner = word(row, "operator");
    if !owner.is_empty() {
        said.extend([text(", which acts as "), name(owner)]);
    }
    said.push(text("."));
    said
}

fn own(row: &AuditRow) -> bool {
    row.actor.is_some() && row.actor == row.subject
}

fn word<'a>(row: &'a AuditRow, member: &str) -> &'a str {
    row.detail.get(member).and_then(Value::as_str).unwrap_or_default()
}

fn number(row: &AuditRow, member: &str) -> i64 {
    row.detail.get(member).and_then(Value::as_i64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
