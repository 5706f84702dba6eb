//! What was typed into a form that decides, where the form came to nothing: it comes back, and stands in no address.

use axum::http::Method;
use serde_json::json;

use super::browser::Browser;
use super::hooks::pass;
use super::support::{Answer, Server};

/// A held mail with its version, and the form that decides on it.
async fn case(server: &Server, decision: &str, reason: &str) -> (String, String) {
    let key = server.held(&server.worker().await, 1).await;
    let version = server
        .operator()
        .await
        .get(&format!("/api/v1/actions/{key}"))
        .await
        .is(200)["version"]
        .clone();
    let form = format!(
        "key={key}&version={version}&seen=0&back=%2Factions%2F{key}&by=otto&decision={decision}&reason={reason}"
    );
    (key, form)
}

/// How an action stands.
async fn stands(server: &Server, key: &str) -> String {
    let action = server
        .ledger
        .read(&holdpoint::Actor::CommandLine, &key.parse().unwrap())
        .await
        .unwrap();
    action.action.status.to_string()
}

/// The fields of the page's form that take something along, as a browser sends them.
fn taken_along(page: &str) -> String {
    let mut fields = String::new();
    for part in page.split("name=\"kept_").skip(1) {
        let (name, rest) = part.split_once('"').unwrap();
        let value = if let Some(value) = rest
            .split_once("value=\"")
            .filter(|(before, _)| !before.contains('>'))
        {
            value.1.split('"').next().unwrap()
        } else {
            rest.split_once('>')
                .unwrap()
                .1
                .split("</textarea>")
                .next()
                .unwrap()
        };
        let plain = value
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&amp;", "&");
        fields = plain.bytes().fold(fields + "&kept_" + name + "=", |out, byte| {
            out + &format!("%{byte:02X}")
        });
    }
    fields
}

/// Nothing of what was typed stands where others read it.
fn in_no_header(answer: &Answer) {
    for (name, value) in &answer.headers {
        assert!(!value.to_str().unwrap().contains("outbox"), "{name}: {value:?}");
    }
}

/// Signs in, and goes where that leads: by a redirect, so that no page of the browser would send the password anew.
async fn led_back(browser: &mut Browser, form: &str) -> String {
    let led = browser.post("/login", form).await;
    assert_eq!(led.status, 303, "{}", led.text());
    in_no_header(&led);
    let to = led.header("location").unwrap().to_owned();
    browser.get(&to).await.text()
}

const TYPED: &str = "Not+in+the+outbox+of+%3CLin%3E+%26+co";
const SHOWN: &str = "Not in the outbox of &lt;Lin&gt; &amp; co";

#[tokio::test]
async fn whoever_is_signed_out_while_deciding_comes_back_to_the_case_with_what_they_typed() {
    let server = Server::start().await;
    let (key, form) = case(&server, "retry", TYPED).await;
    let mut browser = Browser::new(&server).signed_in("otto").await;
    browser.clone().post("/logout", "").await;

    let door = browser
        .post("/_fn/decide", &format!("{form}&result=%7B%22id%22%3A7%7D"))
        .await;
    assert_eq!(
        (door.status.as_u16(), door.header("www-authenticate").is_some()),
        (401, true)
    );
    in_no_header(&door);
    let page = door.text();
    assert!(
        page.contains("Nothing was decided") && page.contains("name=\"password\""),
        "{page}"
    );
    assert!(page.contains(SHOWN), "it is seen: {page}");
    assert!(page.contains("value=\"otto\""), "and who it was");

    // A wrong password loses nothing either.
    let along = taken_along(&page);
    let wrong = browser
        .post("/login", &format!("name=otto&password=wrong{along}"))
        .await;
    in_no_header(&wrong);
    assert!(wrong.text().contains("That did not fit.") && wrong.text().contains(SHOWN));
    assert_eq!(taken_along(&wrong.text()), along);

    let page = led_back(&mut browser, &format!("name=otto&password=correct+horse{along}")).await;
    assert!(
        page.contains("Nothing was decided yet.") && page.contains(&key),
        "{page}"
    );
    assert!(
        page.contains(&format!("{SHOWN}</textarea>")) && page.contains("{\"id\":7}</textarea>"),
        "{page}"
    );
    assert!(browser.is_known().await);
    assert_eq!(stands(&server, &key).await, "held", "signing in decides nothing");

    // And then they decide.
    let done = browser.post("/_fn/decide", &form).await;
    assert_eq!(done.status, 303, "{}", done.text());
    assert_eq!(stands(&server, &key).await, "released");
    let after = browser.get(&format!("/actions/{key}")).await.text();
    assert!(!after.contains("Nothing was decided yet.") && !after.contains(&format!("{SHOWN}</textarea>")));
}

#[tokio::test]
async fn what_one_person_typed_is_not_shown_to_the_next_who_signs_in() {
    let server = Server::start().await;
    let (key, form) = case(&server, "retry", TYPED).await;
    let mut browser = Browser::new(&server);
    let along = taken_along(&browser.post("/_fn/decide", &form).await.text());
    let other = led_back(&mut browser, &format!("name=ada&password=correct+horse{along}")).await;
    assert!(other.contains("is left out") && other.contains(&key), "{other}");
    assert!(!other.contains("outbox"), "{other}");
    assert_eq!(stands(&server, &key).await, "held");
}

#[tokio::test]
async fn what_is_taken_along_leads_to_pages_of_this_site_and_has_an_end() {
    let server = Server::start().await;
    let (key, _) = case(&server, "retry", "x").await;
    for (back, id) in [
        ("%2F%2Fevil.test", ""),
        ("https%3A%2F%2Fevil.test", ""),
        ("%2Flogout", ""),
        ("", "..%2F..%2Flogout"),
    ] {
        let mut browser = Browser::new(&server);
        let form = format!("key={key}&id={id}&back={back}&by=otto&reason=typed");
        let door = browser.post("/_fn/decide", &form).await;
        assert!(
            !door.text().contains("href=\"//evil") && !door.text().contains("next\" value=\"//"),
            "{back}"
        );
        let along = taken_along(&door.text());
        let form = format!("name=otto&password=correct+horse{along}");
        let led = browser.post("/login", &form).await;
        let to = led.header("location").unwrap();
        assert!(
            to.starts_with("/actions/") || to.starts_with("/review/selection/"),
            "{to}"
        );
        assert!(
            browser.is_known().await,
            "{back} {id}: nobody is signed out by it"
        );
    }
    let mut browser = Browser::new(&server);
    let long = format!(
        "key={key}&by=otto&reason={}&result={}",
        "r".repeat(5_000),
        "x".repeat(60_000)
    );
    let door = browser.post("/_fn/decide", &long).await.text();
    assert!(door.contains(&"r".repeat(2_000)) && !door.contains(&"r".repeat(2_001)));
    assert!(!door.contains("xxxx"), "half of what was seen is no evidence");
    let flood = format!("key={key}&reason={}", "r".repeat(1024 * 1024));
    let door = browser.post("/_fn/decide", &flood).await;
    assert_eq!(
        door.header("location"),
        Some("/login?next=/"),
        "a stranger's megabyte is not read"
    );
}

#[tokio::test]
async fn other_forms_of_one_who_is_signed_out_say_that_nothing_was_changed() {
    let server = Server::start().await;
    for (path, form) in [
        ("/_fn/pause", "kind=a&paused=true&reason=x"),
        ("/account/sessions", "end=others"),
        ("/tokens", "name=a&scope=read"),
        ("/account/password", "present=a&password=b&again=b"),
    ] {
        let mut browser = Browser::new(&server);
        let sent = browser.post(path, form).await;
        let to = sent.header("location").unwrap().to_owned();
        assert!(
            sent.status == 303 && to.starts_with("/login?next="),
            "{path}: {to}"
        );
        let page = browser.get(&to).await.text();
        assert!(
            page.contains("Nothing was changed: your session had ended."),
            "{path}"
        );
        let again = browser.get(&to).await.text();
        assert!(!again.contains("your session had ended"), "it is said once");
    }
}

#[tokio::test]
async fn a_refused_decision_answers_with_its_own_case_and_what_was_typed_stands_in_no_address() {
    let server = Server::start().await;
    let (key, form) = case(&server, "retry", TYPED).await;
    let mut otto = Browser::new(&server).signed_in("otto").await;
    let unreadable = form.replace(TYPED, "+").replace("retry", "succeed") + "&result=outbox";
    let refused = otto.post("/_fn/decide", &unreadable).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("say why") && refused.text().contains("outbox</textarea>"));

    let version = server
        .ledger
        .read(&holdpoint::Actor::CommandLine, &key.parse().unwrap())
        .await
        .unwrap()
        .action
        .version;
    let fail = json!({"decision": "fail", "reason": "cancelled", "version": version});
    server.admin().await.report(&key, "decide", fail).await.is(200);
    for _ in 0..2 {
        // A page loaded anew sends the form anew: it is refused anew.
        let refused = otto.post("/_fn/decide", &form).await;
        assert_eq!((refused.status.as_u16(), refused.header("location")), (409, None));
        in_no_header(&refused);
        let page = refused.text();
        assert!(
            page.contains("It changed while you were deciding.") && page.contains("ada"),
            "{page}"
        );
        assert!(page.contains(&format!("{SHOWN}</textarea>")), "{page}");
        assert!(!page.contains("why=Not"), "no link of the page carries it");
    }
    assert_eq!(stands(&server, &key).await, "failed");
    let mut vera = Browser::new(&server).signed_in("vera").await;
    let forbidden = vera.post("/_fn/decide", &form).await;
    assert_eq!(forbidden.status, 409);
    assert!(!forbidden.text().contains("You had typed: "), "it was another's");
    let forbidden = vera
        .post("/_fn/decide", &form.replace("by=otto", "by=vera"))
        .await;
    assert_eq!(forbidden.status, 403);
    assert!(forbidden.text().contains("You had typed: "), "no form holds it");
    // Another case, opened by itself, knows nothing of it.
    let other = otto.json(Method::GET, "/review", "").await.text();
    assert!(!other.contains("outbox"));
}

#[tokio::test]
async fn what_one_person_typed_is_not_recorded_as_somebody_else_s() {
    let server = Server::start().await;
    let (key, form) = case(&server, "fail", "Otto+asked+Lin").await;
    // Another tab of this browser has been somebody else's since the page was made.
    let mut browser = Browser::new(&server).signed_in("ada").await;
    let refused = browser.post("/_fn/decide", &form).await;
    assert_eq!(refused.status, 409);
    let page = refused.text();
    assert!(
        page.contains("Nothing was decided yet.") && page.contains("You are signed in as "),
        "{page}"
    );
    assert!(
        !page.contains("Otto asked Lin"),
        "what otto typed is not shown to ada"
    );
    assert_eq!(stands(&server, &key).await, "held");
    let mut browser = Browser::new(&server).signed_in("otto").await;
    assert_eq!(browser.post("/_fn/decide", &form).await.status, 303);
    assert_eq!(stands(&server, &key).await, "failed");
}

#[tokio::test]
async fn who_did_not_see_that_somebody_agreed_is_told_before_their_word_counts() {
    let server = Server::start().await;
    server.policy("send_email", json!({"approvals_needed": 2})).await;
    let (key, form) = case(&server, "retry", "Not+in+the+outbox").await;
    let made = server.ledger.now().await.unwrap().micros();
    pass(&server.ledger, 5).await;
    let form = form.replace("seen=0", &format!("seen={made}"));
    let mut otto = Browser::new(&server).signed_in("otto").await;
    assert_eq!(otto.post("/_fn/decide", &form).await.status, 303);
    let again = otto.post("/_fn/decide", &form).await;
    assert_eq!(again.status, 303, "his own word is no news to him");
    let form = form.replace("by=otto", "by=ada");
    let mut ada = Browser::new(&server).signed_in("ada").await;
    let refused = ada.post("/_fn/decide", &form).await;
    assert_eq!(refused.status, 409, "her page said that nobody had agreed");
    assert!(refused.text().contains("otto"), "{}", refused.text());
    assert_eq!(stands(&server, &key).await, "held");
    let anew = server.ledger.now().await.unwrap().micros();
    let form = form.replace(&made.to_string(), &anew.to_string());
    assert_eq!(ada.post("/_fn/decide", &form).await.status, 303);
    assert_eq!(stands(&server, &key).await, "released");
}

#[tokio::test]
async fn a_reason_that_is_too_long_is_told_to_be_and_is_kept() {
    let server = Server::start().await;
    let (key, form) = case(&server, "retry", &"x".repeat(2_001)).await;
    let mut browser = Browser::new(&server).signed_in("otto").await;
    let refused = browser.post("/_fn/decide", &form).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains("the reason is too long"));
    assert!(refused.text().contains(&"x".repeat(2_001)));
    assert_eq!(stands(&server, &key).await, "held");
}
