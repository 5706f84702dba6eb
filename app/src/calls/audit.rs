//! A page of the audit.

use holdpoint::ledger::{AuditFilter, AuditRow};
use holdpoint::{AuditEvent, Scope, Time};

use crate::Trouble;
use crate::address::{self, Query};
use crate::say;
use crate::view::{AuditFilters, AuditLine, AuditView};

/// A page of the audit, as far as this person sees it.
pub async fn audit(query: Query) -> Result<AuditView, Trouble> {
    let here = super::Here::find()?;
    let whole = here.actor.may(Scope::Admin);
    let text = |name: &str| query.get(name).map(str::to_owned);
    let filters = AuditFilters {
        event: word(&query)?,
        actor: text("actor"),
        subject: text("subject"),
        since: text("since"),
        until: text("until"),
    };
    let filter = AuditFilter {
        actor: filters.actor.clone(),
        event: filters.event,
        subject: filters.subject.clone(),
        since: filters.since.as_deref().map(|day| begin_of(day, 0)).transpose()?,
        until: filters.until.as_deref().map(|day| begin_of(day, 1)).transpose()?,
        cursor: query.get("after").map(str::parse).transpose()?,
        limit: 0,
    };
    let page = here.ledger.audit(&here.actor, &filter).await?;
    let events = AuditEvent::ALL.iter().copied();
    Ok(AuditView {
        lines: page.items.iter().map(line).collect(),
        events: events.filter(|event| whole || !event.is_for_admins()).collect(),
        whole,
        export: export(&filter),
        filters,
        next: page.next.map(|cursor| cursor.to_string()),
        prev: page.prev.map(|cursor| cursor.to_string()),
    })
}

fn word(query: &Query) -> Result<Option<AuditEvent>, Trouble> {
    let parsed = query.get("event").map(str::parse).transpose();
    parsed.map_err(|_| unreadable("event"))
}

/// A day in UTC as its form has it, so many days on; or a time, as the API has it.
fn begin_of(typed: &str, days: i64) -> Result<Time, Trouble> {
    let day = format!("{typed}T00:00:00Z").parse::<Time>();
    let begin = day.map(|day| day + days * 86_400);
    begin.or_else(|_| typed.parse()).map_err(|_| unreadable("since"))
}

fn unreadable(field: &str) -> Trouble {
    Trouble::Invalid {
        field: field.to_owned(),
        detail: "it cannot be read".to_owned(),
    }
}

/// The same filters as the API spells them.
fn export(filter: &AuditFilter) -> Vec<(&'static str, String)> {
    let members = [
        ("actor", filter.actor.clone()),
        ("event", filter.event.map(|event| event.to_string())),
        ("subject", filter.subject.clone()),
        ("since", filter.since.map(|time| time.to_string())),
        ("until", filter.until.map(|time| time.to_string())),
    ];
    let given = |(name, value): (_, Option<_>)| value.map(|value| (name, value));
    members.into_iter().filter_map(given).collect()
}

fn line(row: &AuditRow) -> AuditLine {
    let (icon, hue) = say::audit_mark(row.event);
    let about = row.subject.as_deref().and_then(|subject| match row.event {
        AuditEvent::Decision | AuditEvent::Acknowledged => Some((address::action(subject), "the action")),
        AuditEvent::PolicyChanged | AuditEvent::PolicyDeleted | AuditEvent::Paused | AuditEvent::Resumed => {
            Some((address::policy(subject), "the policy"))
        }
        _ => None,
    });
    AuditLine {
        at: row.at.into(),
        icon,
        hue,
        what: say::audit(row),
        why: row.reason.clone(),
        means: say::means(row),
        about,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_whole_and_in_utc() {
        let day = |typed, days| begin_of(typed, days).ok().map(|time| time.to_string());
        assert_eq!(
            day("2026-11-29", 0).as_deref(),
            Some("2026-11-29T00:00:00.000000Z")
        );
        assert_eq!(
            day("2026-11-29", 1).as_deref(),
            Some("2026-11-30T00:00:00.000000Z")
        );
        assert_eq!(
            day("2026-11-29T15:04:05Z", 1).as_deref(),
            Some("2026-11-29T15:04:05.000000Z")
        );
        assert_eq!(day("yesterday", 0), None);
    }
}
