//! `/webhooks` in a browser without JavaScript: made, tried, changed and taken away; a secret is shown once.

use holdpoint::{Actor, Event};

use super::browser::Browser;
use super::hooks::{Receiver, key, telling};
use super::support::Server;

/// Where a form leads to.
async fn sent(browser: &mut Browser, path: &str, form: &str) -> String {
    let answer = browser.post(path, form).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location").unwrap().to_owned()
}

fn secret_in(page: &str) -> Option<String> {
    let at = page.find("whsec_")?;
    let sign = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '/' | '=');
    Some(page[at..].chars().take_while(sign).collect())
}

async fn ids(server: &Server) -> Vec<String> {
    let all = server.ledger.webhooks(&Actor::CommandLine).await.unwrap();
    all.into_iter().map(|hook| hook.id).collect()
}

#[tokio::test]
async fn a_webhook_s_secret_is_shown_once_and_signs_what_is_sent() {
    let (server, _) = telling(Some(&key(1)), true).await;
    let mut receiver = Receiver::answering(&[]).await;
    let mut ada = Browser::new(&server).signed_in("ada").await;
    let url = receiver.url.replace(':', "%3A").replace('/', "%2F");
    let form = format!("newest=&url={url}&events%5B%5D=held&events%5B%5D=paused&kinds=send_email");
    let made = ada.post("/webhooks", &form).await;
    assert_eq!((made.status.as_u16(), made.header("location")), (200, None));
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let secret = secret_in(&made.text()).expect("it is shown");
    let hooks = server.ledger.webhooks(&Actor::CommandLine).await.unwrap();
    let hook = &hooks[0];
    assert_eq!(hook.events, [Event::Held, Event::Paused]);
    assert_eq!(hook.kinds.as_deref(), Some(&["send_email".to_owned()][..]));
    let listed = ada.get("/webhooks").await.text();
    assert!(
        listed.contains("/hook") && secret_in(&listed).is_none(),
        "never again"
    );
    // The page loaded anew sends the form anew: no second webhook comes of it.
    let again = sent(&mut ada, "/webhooks", &form).await;
    assert!(
        ada.get(&again).await.text().contains("is made already"),
        "{again}"
    );
    assert_eq!(ids(&server).await.len(), 1);

    let tested = sent(&mut ada, "/webhooks/test", &format!("id={}", hook.id)).await;
    assert!(receiver.next().await.is_signed_by(&secret));
    let told = ada.get(&tested).await.text();
    assert!(
        told.contains("The test came through") && told.contains("answered 204"),
        "{told}"
    );
    let messages = ada.get(&format!("/webhooks?messages={}", hook.id)).await.text();
    assert!(messages.contains("The newest messages") && messages.contains("a test"));

    let renew = format!("id={}&seen=", hook.id);
    let renewed = ada.post("/webhooks/secret", &renew).await;
    assert_eq!(renewed.status, 200);
    let newer = secret_in(&renewed.text()).expect("it is shown");
    assert_ne!(newer, secret);
    // Sent anew it would end the secret that receivers still know.
    let again = sent(&mut ada, "/webhooks/secret", &renew).await;
    assert_eq!(again, "/webhooks?problem=renewed");
    sent(&mut ada, "/webhooks/test", &format!("id={}", hook.id)).await;
    let both = receiver.next().await;
    assert!(both.is_signed_by(&newer) && both.is_signed_by(&secret));
}

#[tokio::test]
async fn a_test_that_does_not_come_through_says_how_it_ended() {
    let (server, _) = telling(Some(&key(1)), true).await;
    let receiver = Receiver::answering(&[500]).await;
    let mut ada = Browser::new(&server).signed_in("ada").await;
    let url = receiver.url.replace(':', "%3A").replace('/', "%2F");
    ada.post("/webhooks", &format!("url={url}&events%5B%5D=held"))
        .await;
    let id = ids(&server).await.remove(0);
    let tested = sent(&mut ada, "/webhooks/test", &format!("id={id}")).await;
    let told = ada.get(&tested).await.text();
    assert!(told.contains("The test did not come through"), "{told}");
    assert!(
        !told.contains("what stands inside"),
        "what the receiver said is not shown"
    );
    // What an address says is not believed.
    let feigned = ada.get("/webhooks?done=tested&which=other").await.text();
    assert!(!feigned.contains("The test"));
}

#[tokio::test]
async fn a_webhook_is_changed_and_taken_away_by_forms() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let mut ada = Browser::new(&server).signed_in("ada").await;
    let outside = "https%3A%2F%2F1.1.1.1%2Fhook";
    ada.post("/webhooks", &format!("url={outside}&events%5B%5D=held"))
        .await;
    let id = ids(&server).await.remove(0);
    let change = format!("id={id}&url={outside}2&events%5B%5D=failed&kinds=&sent=false");
    let done = sent(&mut ada, "/_fn/change_webhook", &change).await;
    let told = ada.get(&done).await.text();
    assert!(told.contains("Nothing is sent to it"), "{told}");
    let hook = server.ledger.webhook(&Actor::CommandLine, &id).await.unwrap();
    assert_eq!((&*hook.url, hook.enabled), ("https://1.1.1.1/hook2", false));
    assert_eq!(hook.events, [Event::Failed]);
    let done = sent(&mut ada, "/_fn/remove_webhook", &format!("id={id}")).await;
    assert!(ada.get(&done).await.text().contains("is taken away"), "{done}");
    assert!(ids(&server).await.is_empty());
    let gone = sent(&mut ada, "/webhooks/test", &format!("id={id}")).await;
    assert_eq!(gone, "/webhooks?problem=gone");
}

#[tokio::test]
async fn what_a_webhook_s_form_lacks_is_told_at_its_field() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let mut ada = Browser::new(&server).signed_in("ada").await;
    for (form, code, said) in [
        (
            "url=ftp%3A%2F%2Fhost&events%5B%5D=held",
            "url",
            "does not send there",
        ),
        (
            "url=http%3A%2F%2F127.0.0.1%2F&events%5B%5D=held",
            "url",
            "does not send there",
        ),
        (
            "url=https%3A%2F%2F1.1.1.1%2F&events%5B%5D=nothing",
            "events",
            "Choose one or more",
        ),
        (
            "url=https%3A%2F%2F1.1.1.1%2F&events%5B%5D=held&kinds=No%21",
            "kinds",
            "Up to 100 kinds",
        ),
    ] {
        let back = sent(&mut ada, "/webhooks", form).await;
        assert!(
            back.starts_with(&format!("/webhooks?problem={code}&url=")),
            "{back}"
        );
        assert!(ada.get(&back).await.text().contains(said), "{form}");
    }
    assert!(ids(&server).await.is_empty());
    // Without a key there is nothing that a secret could be kept under.
    let (server, _) = telling(None, false).await;
    let mut ada = Browser::new(&server).signed_in("ada").await;
    let back = sent(
        &mut ada,
        "/webhooks",
        "url=https%3A%2F%2F1.1.1.1%2F&events%5B%5D=held",
    )
    .await;
    assert!(
        ada.get(&back).await.text().contains("HOLDPOINT_SECRET_KEY"),
        "{back}"
    );
}

#[tokio::test]
async fn the_forms_of_webhooks_are_for_admins_and_for_this_site_alone() {
    let (server, _) = telling(Some(&key(1)), false).await;
    let make = "url=https%3A%2F%2F1.1.1.1%2Fhook&events%5B%5D=held";
    let mut ada = Browser::new(&server).signed_in("ada").await;
    ada.post("/webhooks", make).await;
    let id = ids(&server).await.remove(0);
    let which = format!("id={id}&seen=");
    for name in ["vera", "otto"] {
        let mut browser = Browser::new(&server).signed_in(name).await;
        for (path, form) in [
            ("/webhooks", make),
            ("/webhooks/secret", &which),
            ("/webhooks/test", &which),
        ] {
            let refused = browser.post(path, form).await;
            assert_eq!(refused.status, 403, "{path} by {name}: {}", refused.text());
        }
    }
    for (path, form) in [
        ("/webhooks", make),
        ("/webhooks/secret", &which),
        ("/webhooks/test", &which),
    ] {
        let mut nobody = Browser::new(&server);
        assert_eq!(sent(&mut nobody, path, form).await, "/login?next=/webhooks");
        let mut elsewhere = Browser::new(&server).signed_in("ada").await;
        elsewhere.origin = "https://evil.example";
        assert_eq!(elsewhere.post(path, form).await.status, 403, "{path}");
    }
    let hooks = server.ledger.webhooks(&Actor::CommandLine).await.unwrap();
    assert_eq!((hooks.len(), hooks[0].old_secret_until), (1, None));
}
