//! `/audit`, `/operators` and `/tokens` in a browser without JavaScript: who may, what is told, and what is shown once.

use holdpoint::{Actor, AuditEvent, Role};

use super::browser::Browser;
use super::support::{ORIGIN, Server};

/// The browser of somebody who looks at the operators.
async fn browser_of(server: &Server, name: &str) -> Browser {
    let mut browser = Browser::new(server).signed_in(name).await;
    let referer = "http://127.0.0.1:3000/operators";
    browser.headers = vec![("referer", referer.to_owned())];
    browser
}

#[tokio::test]
async fn a_token_is_shown_once_on_a_page_that_nothing_keeps() {
    let server = Server::start().await;
    let mut ada = browser_of(&server, "ada").await;
    let form = "name=mailer&scope=worker&operator=&kinds=send_email%2C+create_invoice&days=90";
    let made = ada.post("/tokens", form).await;
    assert_eq!((made.status.as_u16(), made.header("location")), (200, None));
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let text = made.text();
    let at = text.find("hp_").unwrap();
    let secret: String = text[at..]
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .collect();
    let actor = server.ledger.actor_of_token(&secret).await.unwrap();
    let kinds = Some(vec!["send_email".to_owned(), "create_invoice".to_owned()]);
    assert_eq!(
        actor,
        Some(Actor::Worker {
            name: "mailer".to_owned(),
            kinds
        })
    );
    let listed = ada.get("/tokens").await.text();
    assert!(
        listed.contains("mailer") && !listed.contains("hp_"),
        "never again"
    );
    // The page loaded anew sends the form anew: no second token comes of it.
    let again = ada.sent("/tokens", form).await;
    assert!(again.starts_with("/tokens?problem=taken&name=mailer"), "{again}");
    let shown = ada.get(&again).await.text();
    assert!(shown.contains("names are used once") && shown.contains("value=\"send_email, create_invoice\""));
    let tokens = server.ledger.tokens(&Actor::CommandLine).await.unwrap();
    assert_eq!(tokens.len(), 1);
}

#[tokio::test]
async fn what_a_token_s_form_lacks_is_told_at_its_field() {
    let server = Server::start().await;
    let mut ada = browser_of(&server, "ada").await;
    for (form, code, said) in [
        ("name=a+b&scope=read", "name", "letters, digits"),
        ("name=t&scope=root", "scope", "Choose what it may do"),
        ("name=t&scope=admin", "operator", "acts as a person"),
        ("name=t&scope=read&kinds=send_email", "kinds", "workers’ tokens"),
        ("name=t&scope=worker&kinds=No+kind", "kinds", "workers’ tokens"),
        ("name=t&scope=read&days=soon", "days", "36500 days"),
        ("name=t&scope=read&days=0", "days", "36500 days"),
    ] {
        let back = ada.sent("/tokens", form).await;
        assert!(back.starts_with(&format!("/tokens?problem={code}&")), "{back}");
        let page = ada.get(&back).await;
        assert!(page.text().contains(said), "{form}");
    }
    assert!(
        server
            .ledger
            .tokens(&Actor::CommandLine)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_token_is_revoked_with_a_reason() {
    let server = Server::start().await;
    server.reader().await;
    let mut ada = browser_of(&server, "ada").await;
    let back = ada.sent("/_fn/revoke_token", "name=reader-token&reason=+").await;
    assert!(
        ada.get(&back).await.text().contains("Say why, in a few words"),
        "{back}"
    );
    let done = ada
        .sent("/_fn/revoke_token", "name=reader-token&reason=it+was+lost")
        .await;
    assert!(ada.get(&done).await.text().contains("is revoked."), "{done}");
    let token = server
        .ledger
        .token(&Actor::CommandLine, "reader-token")
        .await
        .unwrap();
    assert!(token.revoked_at.is_some());
    // What an address says is not believed.
    let feigned = ada.get("/tokens?done=revoked&which=other").await.text();
    assert!(!feigned.contains("is revoked."));
}

#[tokio::test]
async fn operators_are_added_and_changed_by_forms() {
    let server = Server::start().await;
    let mut ada = browser_of(&server, "ada").await;
    let add = |name: &str, password: &str| format!("name={name}&role=viewer&password={password}");
    let done = ada.sent("/_fn/add_operator", &add("bob", "correct+horse")).await;
    assert_eq!(done, "/operators?done=added&who=bob");
    assert!(ada.get(&done).await.text().contains("bob may sign in as viewer."));
    for (form, code, said) in [
        (add("bob", "correct+horse"), "taken", "This name is taken"),
        (add("a+b", "correct+horse"), "name", "letters, digits"),
        (add("eve", "short"), "password", "8 characters or more"),
    ] {
        let back = ada.sent("/_fn/add_operator", &form).await;
        assert!(back.starts_with(&format!("/operators?problem={code}&")), "{back}");
        assert!(
            !back.contains("horse") && !back.contains("short"),
            "no password in {back}"
        );
        assert!(ada.get(&back).await.text().contains(said), "{form}");
    }
    for (form, told) in [
        ("name=bob&what=role&role=operator", "bob is operator now."),
        ("name=bob&what=disable", "bob is disabled."),
        ("name=bob&what=enable", "bob may sign in again."),
        (
            "name=bob&what=password&password=another+one",
            "bob has a new password.",
        ),
    ] {
        let done = ada.sent("/_fn/change_operator", form).await;
        assert!(ada.get(&done).await.text().contains(told), "{form}: {done}");
    }
    let last = ada.sent("/_fn/change_operator", "name=ada&what=disable").await;
    assert_eq!(last, "/operators?who=ada&problem=last_admin");
    assert!(
        ada.get(&last)
            .await
            .text()
            .contains("the last admin who may sign in")
    );
    for form in ["name=bob&what=role&role=root", "name=bob&what=delete"] {
        let undone = ada.sent("/_fn/change_operator", form).await;
        assert_eq!(undone, "/operators?undone=form");
    }
}

#[tokio::test]
async fn case_d27_only_admins_see_and_change_people_and_tokens() {
    let server = Server::start().await;
    for name in ["otto", "vera"] {
        let mut browser = browser_of(&server, name).await;
        for path in ["/operators", "/tokens"] {
            let page = browser.get(path).await;
            assert_eq!(page.status, 403, "{path}");
            let text = page.text();
            assert!(text.contains("This is not for you to see"), "{path}");
            assert!(!text.contains("href=\"/tokens\""), "no way leads there");
        }
        let refused = browser.post("/tokens", "name=t&scope=read").await;
        assert_eq!(refused.status, 403, "{}", refused.text());
        for (function, form) in [
            ("add_operator", "name=eve&role=admin&password=correct+horse"),
            ("change_operator", "name=ada&what=role&role=viewer"),
            (
                "change_operator",
                "name=vera&what=password&password=correct+horse",
            ),
            ("revoke_token", "name=nothing&reason=x"),
        ] {
            let undone = browser.sent(&format!("/_fn/{function}"), form).await;
            assert_eq!(undone, "/operators?undone=forbidden", "{function}");
        }
        assert_eq!(browser.get("/audit").await.status, 200);
    }
    let people = server.ledger.operators(&Actor::CommandLine).await.unwrap();
    assert_eq!(people.len(), 3);
    let nobody = server.anonymous();
    let away = nobody
        .form("/tokens", &[("origin", ORIGIN)], "name=t&scope=read")
        .await;
    assert_eq!(away.header("location"), Some("/login?next=/tokens"));
    nobody
        .form(
            "/tokens",
            &[("origin", "http://evil.example")],
            "name=t&scope=read",
        )
        .await
        .problem(403, "foreign-origin");
}

#[tokio::test]
async fn the_audit_s_page_tells_in_sentences_what_this_person_may_see() {
    let server = Server::start().await;
    let (mut ada, mut vera) = (
        browser_of(&server, "ada").await,
        browser_of(&server, "vera").await,
    );
    let root = Actor::person("ada", Role::Admin);
    server
        .ledger
        .pause(&root, Some("send_email"), "<b>the provider</b> is down")
        .await
        .unwrap();
    let (all, less) = (ada.get("/audit").await.text(), vera.get("/audit").await.text());
    for page in [&all, &less] {
        assert!(page.contains(" paused "), "{page}");
        assert!(page.contains("&lt;b&gt;the provider&lt;/b&gt; is down"));
    }
    assert!(all.contains(" signed in.") && !less.contains(" signed in."));
    let narrowed = ada.get("/audit?event=paused&actor=ada").await.text();
    assert!(narrowed.contains(" paused ") && !narrowed.contains(" signed in."));
    assert!(narrowed.contains("/api/v1/audit/export?format=csv&amp;actor=ada&amp;event=paused"));
    assert_eq!(vera.get("/audit?event=signed_in").await.status, 403);
    for query in ["event=nope", "since=yesterday", "after=x"] {
        assert_eq!(ada.get(&format!("/audit?{query}")).await.status, 422, "{query}");
    }
    let today = &server.ledger.now().await.unwrap().to_string()[..10];
    let of_today = ada
        .get(&format!("/audit?since={today}&until={today}"))
        .await
        .text();
    assert!(of_today.contains(" paused "), "a day is told whole");
    let kept = server
        .ledger
        .audit(&root, &holdpoint::ledger::AuditFilter::default())
        .await
        .unwrap();
    assert!(kept.items.iter().any(|line| line.event == AuditEvent::SignedIn));
}
