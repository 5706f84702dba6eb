//! What the queue shows is what waits: nobody is offered what cannot be decided any more.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use super::support::{ORIGIN, Server};

#[tokio::test]
async fn case_d32_what_has_ended_meanwhile_is_refused_once_and_has_left_the_queue() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let (gone, stays) = (server.held(&worker, 1).await, server.held(&worker, 2).await);
    let version = operator.get(&format!("/api/v1/actions/{gone}")).await.is(200)["version"].clone();
    let browser = server.anonymous();
    let cookie = browser.cookie("otto").await;
    let page = async |path: String| {
        let request = Request::get(path)
            .header("accept", "text/html")
            .header("cookie", &cookie);
        browser.call(request, Body::empty()).await.text()
    };
    assert!(page("/review".to_owned()).await.contains(&gone));

    // Somebody else ends it, by a way that this page hears nothing of.
    let other = server.admin().await;
    let end = json!({"decision": "fail", "reason": "the customer cancelled", "version": version});
    other.report(&gone, "decide", end).await.is(200);

    let headers = [("origin", ORIGIN), ("cookie", &*cookie), ("accept", "text/html")];
    let form = format!("key={gone}&version={version}&reason=go&decision=retry");
    let answer = browser.form("/_fn/decide", &headers, &form).await;
    assert_eq!(answer.status, 409, "{}", answer.text());
    let told = answer.text();
    assert!(told.contains("ada"), "it says who ended it: {told}");
    assert!(
        told.contains(&format!("/actions/{gone}")),
        "and leads to its history"
    );
    let queue = page("/review".to_owned()).await;
    assert!(
        !queue.contains(&gone) && queue.contains(&stays),
        "it is not offered again"
    );
    // What was allowed is not called done before there is evidence: it waits for a worker, and says so.
    let version = operator.get(&format!("/api/v1/actions/{stays}")).await.is(200)["version"].clone();
    let retry = json!({"decision": "retry", "reason": "it was not there", "version": version});
    operator.report(&stays, "decide", retry).await.is(200);
    let text = page(format!("/actions/{stays}")).await;
    assert!(text.contains("Released") && !text.contains("Succeeded"), "{text}");
}
