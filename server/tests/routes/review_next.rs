//! `/_fn/decide` from the review page: which case is open after a decision.

use holdpoint_app::address::{Query, encode};
use serde_json::json;

use super::browser::Browser;
use super::support::{Server, mail, with};

/// Where otto is signed in.
async fn browser_of(server: &Server) -> Browser {
    Browser::new(server).signed_in("otto").await
}

async fn page(browser: &mut Browser, path: &str) -> String {
    let answer = browser.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// Decides on what is open on a page, as its form says; gives the page that follows.
async fn give_up(browser: &mut Browser, path: &str) -> String {
    let body = form(&page(browser, path).await);
    browser.sent("/_fn/decide", &body).await
}

/// What the form of the open case sends.
fn form(page: &str) -> String {
    let field = |name: &str| {
        let at = page
            .find(&format!("name=\"{name}\""))
            .unwrap_or_else(|| panic!("no {name}"));
        let value = page[at..].split("value=\"").nth(1).unwrap();
        value.split('"').next().unwrap().replace("&amp;", "&")
    };
    let fields = ["key", "version", "seen", "back"];
    let form = fields
        .into_iter()
        .fold(Query::default(), |form, name| form.with(name, &field(name)));
    let form = form.with("decision", "fail").with("reason", "paid").to_string();
    form.trim_start_matches('?').to_owned()
}

/// So many that wait, the oldest first; every other one of another kind.
async fn queue(server: &Server, many: u64) -> Vec<String> {
    let worker = server.worker().await;
    let mut keys = Vec::new();
    for step in 0..many {
        let kind = if step % 2 == 0 { "send_email" } else { "other" };
        let key = worker.claimed(with(mail(step), "kind", json!(kind))).await;
        let failed = json!({"attempt": 1, "error": "connection lost"});
        worker.report(&key, "fail", failed).await.is(200);
        keys.push(key);
    }
    keys
}

fn opens(location: &str) -> Option<&str> {
    let (_, query) = location.split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix("key="))
}

#[tokio::test]
async fn after_a_decision_the_row_that_followed_is_open() {
    let server = Server::start().await;
    let keys = queue(&server, 4).await;
    let mut browser = browser_of(&server).await;
    let next = give_up(&mut browser, &format!("/review?key={}", keys[1])).await;
    assert_eq!(opens(&next), Some(&*keys[2]), "not the first: {next}");
    let shown = page(&mut browser, &next).await;
    assert!(shown.contains("Recorded: given up."), "what was done is told");
    assert!(shown.contains(&format!("name=\"key\" value=\"{}\"", keys[2])));
    // Behind the last one the list begins anew.
    let last = give_up(&mut browser, &format!("/review?key={}", keys[3])).await;
    assert_eq!(opens(&last), None);
    let shown = page(&mut browser, &last).await;
    assert!(shown.contains(&format!("name=\"key\" value=\"{}\"", keys[0])));
}

#[tokio::test]
async fn the_next_case_is_one_of_the_same_filter() {
    let server = Server::start().await;
    let keys = queue(&server, 5).await;
    let mut browser = browser_of(&server).await;
    let next = give_up(&mut browser, &format!("/review?kind=send_email&key={}", keys[0])).await;
    assert!(next.starts_with("/review?kind=send_email&"), "{next}");
    assert_eq!(opens(&next), Some(&*keys[2]));
    // Two of this kind are left, of four in all.
    assert!(
        page(&mut browser, &next)
            .await
            .contains("2 of 4 wait for a person")
    );
}

#[tokio::test]
async fn where_somebody_else_decided_on_the_next_one_the_one_after_it_is_open() {
    let server = Server::start().await;
    let keys = queue(&server, 4).await;
    let mut browser = browser_of(&server).await;
    let body = form(&page(&mut browser, &format!("/review?key={}", keys[0])).await);
    let other = server.operator().await;
    let fail = json!({"decision": "fail", "reason": "paid", "version": 2});
    other
        .post(&format!("/api/v1/actions/{}/decide", keys[1]), fail)
        .await
        .is(200);
    assert_eq!(opens(&browser.sent("/_fn/decide", &body).await), Some(&*keys[2]));
}

#[tokio::test]
async fn a_place_that_no_page_gave_does_not_keep_a_decision_from_being_told() {
    let server = Server::start().await;
    let keys = queue(&server, 2).await;
    let mut browser = browser_of(&server).await;
    let body = |key: &str, back: &str| {
        format!(
            "key={key}&version=2&decision=fail&reason=paid&back={}",
            encode(back)
        )
    };
    let next = browser
        .sent("/_fn/decide", &body(&keys[0], "/review?next=nonsense"))
        .await;
    assert_eq!(next, format!("/review?done=fail&was={}", keys[0]));
    // A place of another list.
    let shown = page(&mut browser, "/review?kind=other").await;
    let place = shown.split("next=").nth(1).unwrap().split('"').next().unwrap();
    let next = browser
        .sent("/_fn/decide", &body(&keys[1], &format!("/review?next={place}")))
        .await;
    assert_eq!(next, format!("/review?done=fail&was={}", keys[1]));
}

/// The answer to a decision may be lost; who decides anew, and otherwise, is told that it was them.
#[tokio::test]
async fn who_decided_already_is_not_told_that_somebody_changed_it() {
    let server = Server::start().await;
    let keys = queue(&server, 1).await;
    let mut browser = browser_of(&server).await;
    let body = form(&page(&mut browser, "/review").await);
    let first = browser.sent("/_fn/decide", &body).await;
    assert_eq!(
        browser.sent("/_fn/decide", &body).await,
        first,
        "the same again is answered as the first time"
    );
    let another = body.replace("decision=fail", "decision=retry");
    let refused = browser.post("/_fn/decide", &another).await;
    assert_eq!(refused.status, 409);
    let shown = refused.text();
    assert!(shown.contains("You have decided this already."), "{shown}");
    assert!(shown.contains("You decided this at "));
    assert!(!shown.contains("It changed while you were deciding."));
    let mut ada = Browser::new(&server).signed_in("ada").await;
    let shown = ada.post("/_fn/decide", &another).await.text();
    assert!(
        shown.contains("It changed while you were deciding."),
        "for her it was somebody else"
    );
    let history = server
        .operator()
        .await
        .get(&format!("/api/v1/actions/{}", keys[0]))
        .await
        .is(200);
    let decided = history["history"].as_array().unwrap().iter();
    assert_eq!(decided.filter(|event| event["event"] == "decided").count(), 1);
}
