//! Who comes in and as what: the provider's word on addresses and groups, taken anew at every sign-in.

use axum::body::Body;
use axum::http::Request;
use holdpoint::{Actor, Role};
use serde_json::{Value, json};

use super::visit::{Site, leads, session};
use crate::support::{Answer, ORIGIN};

async fn role(site: &Site, name: &str) -> Option<Role> {
    let operator = site.server.ledger.operator_for_sign_in(name).await.unwrap();
    operator.filter(|o| !o.disabled).map(|o| o.role)
}

#[track_caller]
fn not_in(site: &Site, answer: &Answer, failed: &str, why: &str) {
    let log = site.log.read();
    let told = (answer.status.as_u16(), leads(answer), session(answer));
    let to = format!("/login?next=/review {failed}");
    assert_eq!(told, (303, to, None), "{why}: {log}");
    assert!(log.contains(why), "{why}: {log}");
}

#[tokio::test]
async fn case_d04_whoever_may_not_come_in_hears_the_same() {
    let site = Site::start().await;
    for email in [
        "op@example.com.evil.test",
        "op@examplexcom",
        "\"op@example.com\"@evil.test",
        "op@evil.test@example.com",
        "op@sub.example.com",
        "guest@partner.test.evil.test",
        "other@partner.test",
        "оp@example.com",
    ] {
        let answer = site.sign_in(json!({"sub": email, "email": email})).await;
        not_in(&site, &answer, "sso", "not among those that may come in");
    }
    for unverified in [json!(false), Value::Null] {
        let answer = site
            .sign_in(json!({"sub": "sub-1", "email_verified": unverified}))
            .await;
        not_in(
            &site,
            &answer,
            "sso",
            if unverified.is_null() {
                "the user info is refused"
            } else {
                "has not verified"
            },
        );
    }
    assert_eq!(
        site.server.ledger.identities(&Actor::CommandLine).await.unwrap(),
        []
    );
    for (email, name) in [
        ("op@EXAMPLE.com", "op@example.com"),
        ("Guest@Partner.test", "guest@partner.test"),
    ] {
        let answer = site.sign_in(json!({"sub": email, "email": email})).await;
        site.worth(&session(&answer).unwrap()).await.is(200);
        assert_eq!(role(&site, name).await, Some(Role::Operator));
    }
}

#[tokio::test]
async fn case_d04_a_changed_address_gives_nobody_anothers_role() {
    let site = Site::start().await;
    site.sign_in(json!({"groups": ["hp-admins"]})).await;
    site.sign_in(json!({"sub": "sub-bob", "email": "bob@example.com", "groups": ["hp-look"]}))
        .await;
    let as_ada = site
        .sign_in(json!({"sub": "sub-bob", "groups": ["hp-look"]}))
        .await;
    assert!(session(&as_ada).is_some());
    assert_eq!(role(&site, "ada@example.com").await, Some(Role::Admin));
    assert_eq!(role(&site, "bob@example.com").await, Some(Role::Viewer));
    site.log.read();
    let newcomer = site
        .sign_in(json!({"sub": "sub-eve", "groups": ["hp-admins"]}))
        .await;
    not_in(&site, &newcomer, "sso", "an operator of their name already");
}

#[tokio::test]
async fn case_d04_a_local_account_of_the_same_name_is_not_taken_over() {
    let site = Site::start().await;
    let ledger = &site.server.ledger;
    ledger
        .add_operator(&Actor::CommandLine, "ada@example.com", Role::Admin, "hash")
        .await
        .unwrap();
    let answer = site.sign_in(json!({})).await;
    let said = site.log.read();
    assert_eq!(session(&answer), None);
    // The log has all that linking them takes.
    assert!(
        said.contains("operator link") && said.contains("sub-ada") && said.contains(&site.provider.issuer),
        "{said}"
    );
    ledger
        .link_identity(
            &Actor::CommandLine,
            "ada@example.com",
            &site.provider.issuer,
            "sub-ada",
        )
        .await
        .unwrap();
    assert!(session(&site.sign_in(json!({})).await).is_some());
    assert_eq!(role(&site, "ada@example.com").await, Some(Role::Operator));
}

#[tokio::test]
async fn case_d52_the_role_follows_the_groups_and_sessions_end_with_it() {
    let site = Site::start().await;
    let admin = session(&site.sign_in(json!({"groups": ["hp-ops", "hp-admins"]})).await).unwrap();
    assert_eq!(role(&site, "ada@example.com").await, Some(Role::Admin));
    let again = session(&site.sign_in(json!({"groups": ["hp-ops", "hp-admins"]})).await).unwrap();
    site.worth(&admin).await.is(200);
    let fallen = session(&site.sign_in(json!({"groups": "hp-ops"})).await).unwrap();
    assert_eq!(role(&site, "ada@example.com").await, Some(Role::Operator));
    for ended in [&admin, &again] {
        site.worth(ended).await.problem(401, "unauthorized");
    }
    site.worth(&fallen).await.is(200);
    // Nobody here gives her another one.
    let by_hand = site
        .server
        .ledger
        .change_operator(
            &Actor::CommandLine,
            "ada@example.com",
            Some(Role::Admin),
            None,
            None,
        )
        .await;
    assert!(by_hand.unwrap_err().to_string().contains("identity provider"));
    // Without any group she has no access at all, and says so on a page of its own.
    site.log.read();
    let none = site.sign_in(json!({"groups": []})).await;
    not_in(&site, &none, "no-role", "none of their groups has a role");
    site.worth(&fallen).await.problem(401, "unauthorized");
    assert_eq!(role(&site, "ada@example.com").await, None);
    let page = site.page_after(&none).await;
    assert_eq!(page.status, 403);
    assert!(
        page.text().contains("You have no access here."),
        "{}",
        page.text()
    );
    // The administrator of this place, who needs no provider, is there as before.
    assert_eq!(role(&site, "ada").await, Some(Role::Admin));
}

#[tokio::test]
async fn case_d52_groups_that_are_not_said_are_not_the_same_as_none() {
    let site = Site::start().await;
    site.sign_in(json!({"groups": ["hp-admins"]})).await;
    site.log.read();
    for (claims, why) in [
        (json!({"groups": null}), "the provider sends no claim groups"),
        (json!({"groups": 7}), "neither a text nor a list of texts"),
        (
            json!({"groups": ["hp-admins", {}]}),
            "neither a text nor a list of texts",
        ),
        (
            json!({"groups": null, "_claim_names": {"groups": "src1"}}),
            "too large for the provider",
        ),
        (
            json!({"groups": null, "hasgroups": true}),
            "too large for the provider",
        ),
    ] {
        // The user info knows no more of them.
        site.provider.know(json!({"sub": "sub-ada"}));
        let answer = site.sign_in(claims).await;
        not_in(&site, &answer, "sso", why);
        assert_eq!(
            role(&site, "ada@example.com").await,
            Some(Role::Admin),
            "{why}: nothing was said of her role"
        );
    }
    let mut many: Vec<_> = (0..300).map(|n| format!("team-{n}")).collect();
    many.push("hp-look".to_owned());
    assert!(session(&site.sign_in(json!({"groups": many})).await).is_some());
    assert_eq!(role(&site, "ada@example.com").await, Some(Role::Viewer));
}

#[tokio::test]
async fn case_d52_after_an_hour_the_provider_is_asked_again() {
    let site = Site::start().await;
    let cookie = session(&site.sign_in(json!({})).await).unwrap();
    // However busy they are meanwhile.
    for _ in 0..3 {
        site.pass(1190).await;
        site.worth(&cookie).await.is(200);
    }
    let other = session(&site.sign_in(json!({})).await).unwrap();
    site.pass(40).await;
    site.worth(&cookie).await.problem(401, "unauthorized");
    site.worth(&other).await.is(200);
    let page = async |cookie: &str| {
        let request = Request::get("/review?kind=x")
            .header("accept", "text/html")
            .header("cookie", cookie);
        site.browser().call(request, Body::empty()).await
    };
    let sent = page(&cookie).await;
    assert_eq!(
        sent.header("location"),
        Some("/login/sso?next=/review%3Fkind%3Dx"),
        "without being asked"
    );
    // Who came by a password is not sent there, nor who signed out.
    let headers = [("origin", ORIGIN), ("cookie", cookie.as_str())];
    let out = site.browser().form("/logout", &headers, "").await;
    assert!(session(&out).is_none(), "the browser forgets both");
    let session_alone = cookie
        .split("; ")
        .find(|pair| pair.starts_with("holdpoint"))
        .unwrap();
    assert_eq!(
        page(session_alone).await.header("location"),
        Some("/login?next=/review%3Fkind%3Dx")
    );
    let by_password = site
        .browser()
        .form(
            "/login",
            &[("origin", ORIGIN)],
            "name=otto&password=correct+horse",
        )
        .await;
    let otto = session(&by_password).unwrap();
    site.pass(3700).await;
    site.worth(&otto).await.is(200);
    site.worth(&other).await.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_password_after_the_provider_in_one_browser_is_not_bound_to_the_hour() {
    let site = Site::start().await;
    let hers = session(&site.sign_in(json!({})).await).unwrap();
    let headers = [("origin", ORIGIN), ("cookie", hers.as_str())];
    let by_password = site
        .browser()
        .form("/login", &headers, "name=otto&password=correct+horse")
        .await;
    let otto = session(&by_password).unwrap();
    site.pass(3700).await;
    site.worth(&otto).await.is(200);
}

#[tokio::test]
async fn somebody_who_was_disabled_here_does_not_come_in() {
    let site = Site::start().await;
    let cookie = session(&site.sign_in(json!({"groups": ["hp-admins"]})).await).unwrap();
    site.server
        .ledger
        .change_operator(&Actor::CommandLine, "ada@example.com", None, None, Some(true))
        .await
        .unwrap();
    site.worth(&cookie).await.problem(401, "unauthorized");
    site.log.read();
    let answer = site.sign_in(json!({"groups": ["hp-admins"]})).await;
    not_in(&site, &answer, "sso", "is disabled");
}

#[tokio::test]
async fn no_password_fits_who_comes_by_the_provider() {
    let site = Site::start().await;
    site.sign_in(json!({})).await;
    let wrong = site
        .browser()
        .form("/login", &[("origin", ORIGIN)], "name=otto&password=wrong")
        .await;
    for password in ["!", "", "correct+horse"] {
        let body = format!("name=ada%40example.com&password={password}");
        let answer = site.browser().form("/login", &[("origin", ORIGIN)], &body).await;
        assert_eq!(session(&answer), None, "{password}");
        assert_eq!(
            (answer.status, answer.header("location")),
            (wrong.status, wrong.header("location"))
        );
    }
}
