//! Filters, cursors, addresses, bodies and forms.

use axum::http::{Method, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::collection::vec;
use proptest::prelude::*;

use super::super::contract::Description;
use super::super::support::ORIGIN;
use super::{each, no_fault, part};

#[test]
fn hostile_filters_are_refused_or_answered() {
    let name = prop_oneof![
        proptest::sample::select(vec![
            "status", "kind", "run_id", "reason", "worker", "target", "flag", "q", "since", "until", "order",
            "after", "limit"
        ])
        .prop_map(str::to_owned),
        part(),
    ];
    let value = prop_oneof![
        part(),
        "[0-9]{1,20}",
        "[0-9]{4}-0[1-9]-[0-2][0-9]T[0-2][0-9]:00:00(Z|%2B23:59)",
        "held|failed|newest|oldest|unacknowledged"
    ];
    each(vec((name, value), 0..4), &async |scene, pairs| {
        let query: Vec<_> = pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let address = format!("/api/v1/actions?{}", query.join("&"));
        if let Some(answer) = scene.ask(&scene.admin, &Method::GET, &address, &[], "").await {
            let status = answer.status.as_u16();
            prop_assert!(status == 200 || status == 422, "{}: {}", address, answer.text());
        }
        let page = format!("/actions?{}", query.join("&"));
        let headers = [
            (header::COOKIE, scene.cookie.clone().into_bytes()),
            (header::ACCEPT, b"text/html".to_vec()),
        ];
        if let Some(answer) = scene
            .ask(&scene.server.anonymous(), &Method::GET, &page, &headers, "")
            .await
        {
            no_fault(&answer)?;
        }
        Ok(())
    });
}

/// Cursors that fit their list and lead to moments that nothing was made at.
#[test]
fn hostile_cursors_lead_to_a_page_or_are_refused() {
    each(
        (any::<i64>(), "[0-9a-f]{64}", "[bf]", any::<bool>()),
        &async |scene, (micros, key, way, own)| {
            let first = scene.admin.get("/api/v1/actions?limit=1").await.is(200);
            let next = first["next"].as_str().unwrap();
            let inside = String::from_utf8(URL_SAFE_NO_PAD.decode(next).unwrap()).unwrap();
            let filter = if own {
                inside.rsplit(' ').next().unwrap()
            } else {
                "00000000"
            };
            let cursor = URL_SAFE_NO_PAD.encode(format!("{micros} {key} {way} {filter}"));
            let answer = scene.admin.get(&format!("/api/v1/actions?after={cursor}")).await;
            prop_assert_eq!(
                answer.status.as_u16(),
                if own { 200 } else { 422 },
                "{}",
                answer.text()
            );
            Ok(())
        },
    );
}

#[test]
fn hostile_addresses_and_bodies_are_no_fault_of_any_operation() {
    let body = prop_oneof![
        any::<String>(),
        "\\{(\"(attempt|version|try|reason|decision|kinds|step|run_id|kind|result|verdict|wait_s|items|intents)\":(0|1|-1|4294967296|1e999|null|\"x\"|\"retry\"|\"landed\"|\\[\\]|\\[\\{\\}\\]|\\{\\}),?){0,5}\\}",
    ];
    each(
        (any::<prop::sample::Index>(), part(), any::<bool>(), body),
        &async |scene, (which, name, there, body)| {
            if scene.description.get().is_none() {
                let _ = scene.description.set(Description::load(&scene.worker).await);
            }
            let description = scene.description.get().unwrap();
            let operations: Vec<_> = description.operations().collect();
            let (path, method, says) = which.get(&operations);
            let key = if there { scene.key.clone() } else { name.clone() };
            let address = path
                .replace("{key}", &key)
                .replace("{kind}", &name)
                .replace("{run_id}", &name);
            // Nobody waits for work here.
            let body = body.replace("\"wait_s\":1", "\"wait_s\":0");
            let caller = if says["security"][0]["bearer"][0] == "worker" {
                &scene.worker
            } else {
                &scene.admin
            };
            let headers = [(header::CONTENT_TYPE, b"application/json".to_vec())];
            if let Some(answer) = scene.ask(caller, method, &address, &headers, &body).await {
                no_fault(&answer)?;
            }
            Ok(())
        },
    );
}

#[test]
fn hostile_forms_are_no_fault_of_the_pages() {
    let functions: Vec<_> = leptos::server_fn::axum::server_fn_paths()
        .map(|(path, _)| path)
        .collect();
    assert!(
        functions.len() > 3,
        "the pages' functions are registered: {functions:?}"
    );
    let name = prop_oneof![
        proptest::sample::select(vec![
            "key",
            "version",
            "decision",
            "reason",
            "result",
            "seen",
            "back",
            "kind",
            "stale_after_s",
            "recovery",
            "verify_url"
        ])
        .prop_map(str::to_owned),
        part(),
    ];
    let value = prop_oneof![
        part(),
        "-?[0-9]{1,20}",
        "retry|fail|succeed|/review%3Fa",
        "%5B%7B"
    ];
    let form = (
        proptest::sample::select(functions),
        vec((name, value), 0..7),
        any::<bool>(),
    );
    each(form, &async |scene, (path, pairs, there)| {
        let mut form: Vec<_> = pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if there {
            form.push(format!("key={}", scene.key));
        }
        let headers = [
            ("cookie", scene.cookie.as_str()),
            ("origin", ORIGIN),
            ("accept", "text/html"),
        ];
        let answer = scene
            .server
            .anonymous()
            .form(path, &headers, &form.join("&"))
            .await;
        no_fault(&answer)?;
        if let Some(location) = answer.header("location") {
            prop_assert!(
                location.starts_with('/') && !location.starts_with("//"),
                "{}",
                location
            );
        }
        Ok(())
    });
}
