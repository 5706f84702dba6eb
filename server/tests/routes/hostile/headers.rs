//! Headers, and where a form leads on to.

use axum::http::{Method, header};
use proptest::prelude::*;

use super::super::support::ORIGIN;
use super::{each, near, no_fault, part};

#[test]
fn hostile_authorization_is_nobodys() {
    let shapes = [
        "[Bb]earer hp_[A-Za-z0-9_-]{0,60}",
        "Bearer +[ -~]{0,300}",
        "Basic [A-Za-z0-9+/=]{0,30}",
        "[Bb]earer,? ?.{0,3}",
    ];
    each(near(&shapes), &async |scene, value| {
        let nobody = scene.server.anonymous();
        let headers = [(header::AUTHORIZATION, value)];
        if let Some(answer) = scene
            .ask(&nobody, &Method::GET, "/api/v1/stats", &headers, "")
            .await
        {
            prop_assert_eq!(answer.status.as_u16(), 401, "{}", answer.text());
        }
        Ok(())
    });
}

#[test]
fn hostile_cookies_sign_nobody_in() {
    let shapes = [
        "holdpoint=[A-Za-z0-9_-]{0,40}",
        "(holdpoint|theme)=[ -~]{0,60}(; ?holdpoint=[A-Za-z0-9_-]{22})?",
        ";{0,5}=?;",
    ];
    each(near(&shapes), &async |scene, value| {
        let nobody = scene.server.anonymous();
        let headers = [(header::COOKIE, value)];
        if let Some(answer) = scene
            .ask(&nobody, &Method::GET, "/api/v1/stats", &headers, "")
            .await
        {
            prop_assert_eq!(answer.status.as_u16(), 401, "{}", answer.text());
        }
        let mut headers = headers.to_vec();
        headers.push((header::ACCEPT, b"text/html".to_vec()));
        if let Some(answer) = scene.ask(&nobody, &Method::GET, "/review", &headers, "").await {
            prop_assert_eq!(answer.status.as_u16(), 303, "{}", answer.text());
        }
        Ok(())
    });
}

#[test]
fn hostile_hosts_and_origins_are_not_served() {
    let shapes = [
        "127\\.0\\.0\\.1(:[0-9]{0,5})?(\\.[a-z]{2})?",
        "(https?://)?(127.0.0.1|localhost|\\[::1\\])(:3000)?[/?#@\\\\]?[a-z.]{0,9}",
        "[a-z]{1,9}@127.0.0.1:3000",
        "null",
    ];
    each((near(&shapes), near(&shapes)), &async |scene, (host, origin)| {
        let nobody = scene.server.anonymous();
        let named = String::from_utf8_lossy(&host).to_ascii_lowercase();
        let own = ["127.0.0.1:3000", "localhost:3000", "[::1]:3000"].contains(&named.as_str());
        let headers = [(header::HOST, host)];
        if let Some(answer) = scene.ask(&nobody, &Method::GET, "/login", &headers, "").await {
            let status = answer.status.as_u16();
            prop_assert!(
                own == (status == 200) && (own || [400, 421].contains(&status)),
                "{named}: {status}"
            );
        }
        let from_here = origin.eq_ignore_ascii_case(ORIGIN.as_bytes());
        let form = (
            header::CONTENT_TYPE,
            b"application/x-www-form-urlencoded".to_vec(),
        );
        let headers = [(header::ORIGIN, origin), form];
        if let Some(answer) = scene
            .ask(&nobody, &Method::POST, "/theme", &headers, "theme=dark")
            .await
        {
            prop_assert_eq!(
                answer.header("set-cookie").is_some(),
                from_here,
                "{}",
                answer.text()
            );
            no_fault(&answer)?;
        }
        Ok(())
    });
}

#[test]
fn hostile_ways_on_lead_nowhere_else() {
    let next = prop_oneof![
        part(),
        "(/|//|/\\\\|https?://|/review|/actions)[a-z./?#@%\\\\-]{0,20}"
            .prop_map(|next| next.replace('#', "%23"))
    ];
    each(next, &async |scene, next| {
        let nobody = scene.server.anonymous();
        let form = format!("theme=dark&next={}", next.replace('&', "%26"));
        let answer = nobody.form("/theme", &[("origin", ORIGIN)], &form).await;
        no_fault(&answer)?;
        if let Some(location) = answer.header("location") {
            let here = location.starts_with('/') && !location.starts_with("//") && !location.contains('\\');
            prop_assert!(
                here && !location.starts_with("/api") && !location.starts_with("/_fn"),
                "{}",
                location
            );
        }
        Ok(())
    });
}

#[test]
fn hostile_if_match_changes_no_policy_that_it_does_not_name() {
    let shapes = [
        "(W/)?\"[0-9]{0,3}\"(, ?\"[0-9]{0,2}\"){0,2}",
        "[0-9]{0,20}",
        "\\*,?",
        "\"?,{0,4}",
    ];
    each(near(&shapes), &async |scene, value| {
        let named = String::from_utf8_lossy(&value).into_owned();
        let before = scene.admin.get("/api/v1/policies/send_email").await;
        let tag = before.header("etag").unwrap_or_default().to_owned();
        let headers = [
            (header::IF_MATCH, value),
            (header::CONTENT_TYPE, b"application/json".to_vec()),
        ];
        let answer = scene
            .ask(
                &scene.admin,
                &Method::PUT,
                "/api/v1/policies/send_email",
                &headers,
                "{\"reason\":\"x\"}",
            )
            .await;
        let Some(answer) = answer else { return Ok(()) };
        let fits = named
            .split(',')
            .map(str::trim)
            .any(|one| one == tag || one == "*");
        prop_assert_eq!(
            answer.status.as_u16(),
            if fits { 200 } else { 412 },
            "{}: {}",
            named,
            answer.text()
        );
        Ok(())
    });
}
