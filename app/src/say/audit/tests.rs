use holdpoint::{AuditEvent, Time};
use serde_json::json;

use super::*;
use crate::view::Piece;

fn told(event: E, subject: Option<&str>, detail: Value, times: u32) -> String {
    let actor = (!matches!(event, E::SignInFailed | E::Refused)).then(|| "ada".to_owned());
    said(actor, "browser", event, subject, detail, times)
}

fn said(
    actor: Option<String>,
    means: &str,
    event: E,
    subject: Option<&str>,
    detail: Value,
    times: u32,
) -> String {
    let Value::Object(detail) = detail else {
        panic!("a detail is an object")
    };
    let row = AuditRow {
        id: 1,
        at: Time::from_micros(0),
        actor,
        means: means.to_owned(),
        from: None,
        event,
        subject: subject.map(str::to_owned),
        reason: None,
        detail,
        times,
    };
    let word = |piece: Piece| match piece {
        Piece::Text(words) | Piece::Strong(words) | Piece::Name(words) | Piece::Kind(words) => words,
        other => panic!("{other:?}"),
    };
    audit(&row).into_iter().map(word).collect()
}

#[test]
fn how_many_were_left_out_of_a_selection_is_told() {
    let mail = |left_out: u32| json!({"kind": "send_email", "target": "eve@example.com", "decision": "fail", "to": "failed", "left_out": left_out});
    let given_up = "ada gave up send_email to eve@example.com.";
    assert_eq!(told(E::Decision, Some("k"), mail(0), 1), given_up);
    let told_of = |many| told(E::Decision, Some("k"), mail(many), 1);
    assert_eq!(told_of(1), format!("{given_up} 1 of its selection was left out."));
    assert_eq!(
        told_of(7),
        format!("{given_up} 7 of its selection were left out.")
    );
}

#[test]
fn lines_are_told_as_people_tell_them() {
    let mail = |decision: &str, to: &str| {
        json!({"kind": "send_email", "target": "eve@example.com", "decision": decision, "to": to,
               "agreed": 1, "needed": 2})
    };
    for (event, subject, detail, said) in [
        (
            E::Decision,
            Some("k"),
            mail("retry", "released"),
            "ada allowed one more attempt of send_email to eve@example.com.",
        ),
        (
            E::Decision,
            Some("k"),
            mail("retry", "held"),
            "ada agreed to one more attempt of send_email to eve@example.com: 1 of 2.",
        ),
        (
            E::PolicyChanged,
            Some("send_email"),
            json!({"version_before": 1, "version": 2, "changed": ["stale_after_s", "max_attempts"]}),
            "ada changed the policy of send_email, version 2: stale after, max attempts.",
        ),
        (E::Paused, None, json!({}), "ada paused everything."),
        (
            E::Paused,
            Some("send_email"),
            json!({"already": true}),
            "ada wanted send_email paused, which it was already.",
        ),
        (
            E::PasswordChanged,
            Some("ada"),
            json!({}),
            "ada changed their password.",
        ),
        (
            E::OperatorChanged,
            Some("bob"),
            json!({"role_before": "admin", "role": "viewer"}),
            "ada made bob viewer instead of admin.",
        ),
        (
            E::SessionEnded,
            Some("ada"),
            json!({"others": 3}),
            "ada ended 3 sessions of their own.",
        ),
        (
            E::SessionEnded,
            Some("ada"),
            json!({"session": "0123456789abcdef0123"}),
            "ada ended a session of their own.",
        ),
        (
            E::OperatorChanged,
            Some("bob"),
            json!({"role_before": "admin", "role": "viewer", "last_admin": true}),
            "ada made bob viewer instead of admin, the last admin that there was.",
        ),
        (
            E::OperatorChanged,
            Some("bob"),
            json!({"issuer": "https://id.example.com", "subject": "sub-1"}),
            "ada made bob sign in by https://id.example.com.",
        ),
        (
            E::OperatorChanged,
            Some("bob"),
            json!({"issuer": null}),
            "ada let no identity provider vouch for bob any more.",
        ),
        (
            E::WebhookAdded,
            Some("hook-1"),
            json!({"host": "hooks.example", "events": ["held"], "kinds": null, "enabled": true}),
            "ada added the webhook hook-1 to hooks.example.",
        ),
        (
            E::WebhookChanged,
            Some("hook-1"),
            json!({"host": "hooks.example", "changed": ["url", "enabled"]}),
            "ada changed the webhook hook-1 to hooks.example: url, enabled.",
        ),
        (
            E::WebhookChanged,
            Some("hook-1"),
            json!({"host": "hooks.example", "secret": "rotated"}),
            "ada gave a new secret to the webhook hook-1 to hooks.example.",
        ),
        (
            E::SignInFailed,
            None,
            json!({}),
            "Somebody could not sign in under a name that nobody has, 3 times in a minute.",
        ),
    ] {
        assert_eq!(told(event, subject, detail, 3), said);
    }
}

#[test]
fn every_event_has_a_sentence_and_a_name() {
    for event in AuditEvent::ALL {
        let said = told(*event, Some("it"), json!({}), 1);
        assert!(said.ends_with('.') && !said.contains('_'), "{event}: {said}");
        assert!(!audit_word(*event).is_empty());
    }
}

#[test]
fn what_a_provider_says_is_told_as_its_word() {
    let said = |event, detail| said(None, PROVIDER, event, Some("bob"), detail, 1);
    assert_eq!(
        said(
            E::OperatorAdded,
            json!({"role": "viewer", "by": "identity provider"})
        ),
        "The identity provider added bob as viewer."
    );
    assert_eq!(
        said(E::OperatorDisabled, json!({})),
        "The identity provider disabled bob."
    );
}

#[test]
fn what_the_server_does_by_itself_is_told_as_its_own() {
    let detail = json!({"changed": ["enabled"], "enabled": false, "host": "hooks.example"});
    assert_eq!(
        said(None, SERVER, E::WebhookChanged, Some("hook-1"), detail, 1),
        "Holdpoint disabled the webhook hook-1 to hooks.example."
    );
}
