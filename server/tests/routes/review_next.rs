//! `/_fn/decide` from the review page: which case is open after a decision.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use super::support::{ORIGIN, Server, User, mail, with};

/// A browser in which somebody is signed in: otto, where nothing else is said.
struct Browser {
    user: User,
    cookie: String,
}

impl Browser {
    async fn of(server: &Server) -> Self {
        Self::signed_in(server, "otto").await
    }

    async fn signed_in(server: &Server, name: &str) -> Self {
        let user = server.anonymous();
        let cookie = user.cookie(name).await;
        Self { user, cookie }
    }

    async fn page(&self, path: &str) -> String {
        let request = Request::get(path)
            .header("accept", "text/html")
            .header("cookie", &self.cookie);
        let answer = self.user.call(request, Body::empty()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text()
    }

    /// Decides on what is open on a page, as its form says; gives the page that follows.
    async fn give_up(&self, path: &str) -> String {
        let body = form(&self.page(path).await);
        self.send(&body).await
    }

    async fn send(&self, body: &str) -> String {
        let headers = [
            ("origin", ORIGIN),
            ("cookie", &*self.cookie),
            ("accept", "text/html"),
        ];
        let answer = self.user.form("/_fn/decide", &headers, body).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").unwrap().to_owned()
    }
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
    let (key, back) = (field("key"), escaped(&field("back")));
    let (version, seen) = (field("version"), field("seen"));
    format!("key={key}&version={version}&seen={seen}&back={back}&decision=fail&reason=paid")
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
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
    let browser = Browser::of(&server).await;
    let next = browser.give_up(&format!("/review?key={}", keys[1])).await;
    assert_eq!(opens(&next), Some(&*keys[2]), "not the first: {next}");
    let page = browser.page(&next).await;
    assert!(page.contains("Recorded: given up."), "what was done is told");
    assert!(page.contains(&format!("name=\"key\" value=\"{}\"", keys[2])));
    // Behind the last one the list begins anew.
    let last = browser.give_up(&format!("/review?key={}", keys[3])).await;
    assert_eq!(opens(&last), None);
    let page = browser.page(&last).await;
    assert!(page.contains(&format!("name=\"key\" value=\"{}\"", keys[0])));
}

#[tokio::test]
async fn the_next_case_is_one_of_the_same_filter() {
    let server = Server::start().await;
    let keys = queue(&server, 5).await;
    let browser = Browser::of(&server).await;
    let next = browser
        .give_up(&format!("/review?kind=send_email&key={}", keys[0]))
        .await;
    assert!(next.starts_with("/review?kind=send_email&"), "{next}");
    assert_eq!(opens(&next), Some(&*keys[2]));
    // Two of this kind are left, of four in all.
    assert!(browser.page(&next).await.contains("2 of 4 wait for a person"));
}

#[tokio::test]
async fn where_somebody_else_decided_on_the_next_one_the_one_after_it_is_open() {
    let server = Server::start().await;
    let keys = queue(&server, 4).await;
    let browser = Browser::of(&server).await;
    let body = form(&browser.page(&format!("/review?key={}", keys[0])).await);
    let other = server.operator().await;
    let fail = json!({"decision": "fail", "reason": "paid", "version": 2});
    other
        .post(&format!("/api/v1/actions/{}/decide", keys[1]), fail)
        .await
        .is(200);
    assert_eq!(opens(&browser.send(&body).await), Some(&*keys[2]));
}

#[tokio::test]
async fn a_place_that_no_page_gave_does_not_keep_a_decision_from_being_told() {
    let server = Server::start().await;
    let keys = queue(&server, 2).await;
    let browser = Browser::of(&server).await;
    let body = |key: &str, back: &str| {
        format!(
            "key={key}&version=2&decision=fail&reason=paid&back={}",
            escaped(back)
        )
    };
    let next = browser.send(&body(&keys[0], "/review?next=nonsense")).await;
    assert_eq!(next, format!("/review?done=fail&was={}", keys[0]));
    // A place of another list.
    let page = browser.page("/review?kind=other").await;
    let place = page.split("next=").nth(1).unwrap().split('"').next().unwrap();
    let next = browser
        .send(&body(&keys[1], &format!("/review?next={place}")))
        .await;
    assert_eq!(next, format!("/review?done=fail&was={}", keys[1]));
}

/// The answer to a decision may be lost; who decides anew, and otherwise, is told that it was them.
#[tokio::test]
async fn who_decided_already_is_not_told_that_somebody_changed_it() {
    let server = Server::start().await;
    let keys = queue(&server, 1).await;
    let browser = Browser::of(&server).await;
    let body = form(&browser.page("/review").await);
    let first = browser.send(&body).await;
    assert_eq!(
        browser.send(&body).await,
        first,
        "the same again is answered as the first time"
    );
    let other = browser
        .send(&body.replace("decision=fail", "decision=retry"))
        .await;
    assert!(other.contains("problem=changed"), "{other}");
    let page = browser.page(&other).await;
    assert!(page.contains("You have decided this already."), "{page}");
    assert!(page.contains("You decided this at "));
    assert!(!page.contains("It changed while you were deciding."));
    let ada = Browser::signed_in(&server, "ada").await;
    let page = ada
        .page(&ada.send(&body.replace("decision=fail", "decision=retry")).await)
        .await;
    assert!(
        page.contains("It changed while you were deciding."),
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
