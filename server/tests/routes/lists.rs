//! The pages of lists: what they refuse, and that they show what others wrote as text.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use super::support::{Answer, ORIGIN, Server, User, mail, with};

async fn page(user: &User, path: &str, cookie: &str) -> Answer {
    let request = Request::get(path)
        .header("accept", "text/html")
        .header("cookie", cookie);
    user.call(request, Body::empty()).await
}

/// The rows of the page's tables.
fn rows(answer: &Answer) -> usize {
    answer.text().matches("<th scope=\"row\"").count()
}

#[tokio::test]
async fn the_log_refuses_what_the_api_refuses_and_shows_no_list() {
    let server = Server::start().await;
    let worker = server.worker().await;
    for step in 0..3 {
        worker.claim(mail(step)).await.is(201);
    }
    let (reader, browser) = (server.reader().await, server.anonymous());
    let cookie = browser.cookie("vera").await;
    assert_eq!(rows(&page(&browser, "/actions", &cookie).await), 3);
    let long = format!("q={}", "x".repeat(1001));
    for (query, said) in [
        ("since=x", "Made from"),
        ("until=2026-13-01T00:00:00Z", "Made before"),
        ("limit=-1", "limit"),
        ("limit=201", "limit"),
        ("limit=0", "limit"),
        ("status=nope", "Status"),
        ("status=held&status=failed", "Status"),
        ("reason=none", "Why held"),
        ("flag=all", "Flag"),
        ("kind=Not+a+kind", "Kind"),
        ("order=random", "Order"),
        ("stauts=held", "stauts"),
        ("run_id=a%00b", "Run"),
        ("target=%ff", "Target"),
        ("worker=a%0Ab", "Worker"),
        (&long, "Search"),
        ("after=nonsense", "This place in the list"),
    ] {
        let api = reader.get(&format!("/api/v1/actions?{query}")).await;
        assert_eq!(api.status, 422, "{query}: the API refuses it too");
        let answer = page(&browser, &format!("/actions?{query}"), &cookie).await;
        assert_eq!(answer.status, 422, "{query}");
        assert_eq!(rows(&answer), 0, "{query}: no list is shown");
        let text = answer.text();
        assert!(text.contains("be read") && text.contains(said), "{query}: {text}");
        assert!(!text.contains("/api/v1/export"), "{query}: nothing to take away");
    }
    // What was typed is there to be mended, beside what was right.
    let text = page(
        &browser,
        "/actions?since=x&kind=send_email&worker=mailer-1",
        &cookie,
    )
    .await
    .text();
    for kept in ["value=\"x\"", "value=\"mailer-1\"", "aria-invalid=\"true\""] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(text.contains("RFC 3339"), "what would be right is said");
}

#[tokio::test]
async fn what_a_form_sends_without_a_script_is_taken() {
    let server = Server::start().await;
    let worker = server.worker().await;
    worker.claim(mail(1)).await.is(201);
    let other = with(mail(2), "worker", json!("mailer-9"));
    worker.claim(other).await.is(201);
    let browser = server.anonymous();
    let cookie = browser.cookie("vera").await;
    let empty = "status=&kind=&q=&reason=&flag=&run_id=&target=&worker=&since=&until=&order=";
    // What nobody filled in is not handed on in the address.
    for (sent, clean) in [
        (format!("/actions?{empty}"), "/actions"),
        (format!("/actions?{empty}&q=a+%25%26b"), "/actions?q=a%20%25%26b"),
        ("/audit?kind=&by=ada".to_owned(), "/audit?by=ada"),
    ] {
        let answer = page(&browser, &sent, &cookie).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("location")),
            (303, Some(clean))
        );
    }
    for (query, count) in [
        ("", 2),
        ("status=in_flight&kind=send_email&worker=mailer-9", 1),
        ("since=2000-01-01T00:00&until=2001-01-01T00:00:30", 0),
        ("since=2000-01-01&order=oldest", 2),
        ("target=ada%40example.com&run_id=run-7", 2),
        ("flag=suspected_duplicate", 0),
        ("undone=form", 2),
    ] {
        let answer = page(&browser, &format!("/actions?{query}"), &cookie).await;
        assert_eq!(answer.status, 200, "{query}");
        assert_eq!(rows(&answer), count, "{query}");
    }
}

#[tokio::test]
async fn case_d22_every_time_of_a_list_carries_its_zone_and_the_export_is_of_the_same() {
    let server = Server::start().await;
    server.worker().await.claim(mail(1)).await.is(201);
    let browser = server.anonymous();
    let cookie = browser.cookie("vera").await;
    let path = "/actions?since=2001-02-03T18:00&order=oldest";
    let text = page(&browser, path, &cookie).await.text();
    let times: Vec<_> = text.split("<time ").skip(1).collect();
    assert!(!times.is_empty());
    for time in times {
        let (tag, told) = time.split_once('>').unwrap();
        let iso = tag
            .split("datetime=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        assert!(iso.ends_with('Z'), "{tag}");
        let told = told.split('<').next().unwrap();
        assert!(
            told.ends_with("UTC"),
            "without a script all is UTC and says so: {told}"
        );
    }
    assert!(text.contains("in UTC"), "the form says which zone it takes");
    assert!(
        text.contains("/api/v1/export?format=csv&amp;since=2001-02-03T18%3A00%3A00.000000Z&amp;order=oldest"),
        "{text}"
    );
}

#[tokio::test]
async fn case_d01_what_workers_wrote_is_text_on_every_list() {
    const HOSTILE: &str = "<img src=x onerror=alert(1)></script><script>document.title='pwn'</script>";
    let server = Server::start().await;
    let worker = server.worker().await;
    for (kind, policy) in [
        ("kind_a", json!({})),
        ("kind_b", json!({"recovery": "verifiable"})),
        ("kind_c", json!({})),
    ] {
        server.policy(kind, policy).await;
        let mut body = with(mail(1), "kind", json!(kind));
        for member in ["target", "summary", "worker"] {
            body = with(body, member, json!(HOSTILE));
        }
        let body = with(body, "run_id", json!(HOSTILE.replace(' ', "_")));
        let key = worker.claimed(body).await;
        let failed = match kind {
            "kind_b" => json!({"attempt": 1, "error": HOSTILE}),
            "kind_c" => json!({"attempt": 1, "error": HOSTILE, "effect": "none"}),
            _ => continue,
        };
        worker.report(&key, "fail", failed).await.is(200);
    }
    let browser = server.anonymous();
    let cookie = browser.cookie("ada").await;
    let encoded = holdpoint_app::address::encode(&HOSTILE.replace(' ', "_"));
    for path in [
        "/actions".to_owned(),
        "/stale".to_owned(),
        format!("/runs/{encoded}"),
        format!("/actions?worker={encoded}"),
        format!("/actions?{encoded}=1"),
        format!("/stale?{encoded}=1"),
        format!("/actions?since={encoded}"),
        format!("/actions?q={encoded}&order={encoded}"),
    ] {
        let text = page(&browser, &path, &cookie).await.text();
        for raw in [
            "<img src=x",
            "<script>document",
            "<img_src=x",
            "<script>document.title",
        ] {
            assert!(!text.contains(raw), "{path} shows {raw} as it is");
        }
        assert!(text.contains("&lt;img") || path.starts_with("/stale?"), "{path}");
    }
}

#[tokio::test]
async fn what_the_clock_moves_is_shown_with_what_the_reaper_does() {
    let server = Server::start().await;
    let worker = server.worker().await;
    server.policy("ask_one", json!({"recovery": "verifiable"})).await;
    worker.claim(mail(1)).await.is(201);
    let asked = worker.claimed(with(mail(2), "kind", json!("ask_one"))).await;
    let unknown = json!({"attempt": 1, "error": "gone"});
    worker.report(&asked, "fail", unknown).await.is(200);
    let released = worker.claimed(mail(3)).await;
    let none = json!({"attempt": 1, "error": "busy", "effect": "none"});
    worker.report(&released, "fail", none).await.is(200);
    let browser = server.anonymous();
    let cookie = browser.cookie("vera").await;
    let all = page(&browser, "/stale", &cookie).await;
    assert_eq!((all.status.as_u16(), rows(&all)), (200, 3));
    let text = all.text();
    for said in [
        "A person is asked",
        "outcome unknown",
        "Taken for no answer",
        "Try 1 of 10",
        "nobody claimed it for 1 day",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("Run the reaper now"), "a viewer may not");
    for (query, count) in [
        ("status=in_flight", 1),
        ("status=verifying", 1),
        ("status=released", 1),
        ("kind=send_email", 2),
        ("status=verifying&kind=send_email", 0),
    ] {
        let answer = page(&browser, &format!("/stale?{query}"), &cookie).await;
        assert_eq!((answer.status.as_u16(), rows(&answer)), (200, count), "{query}");
    }
}

#[tokio::test]
async fn a_pass_that_was_asked_for_says_what_it_did_and_no_address_says_it_did_more() {
    let server = Server::start().await;
    server.policy("send_email", json!({"stale_after_s": 1})).await;
    let key = server.worker().await.claimed(mail(1)).await;
    let mut beside = server.beside().await;
    sqlx::query("UPDATE action_log SET stale_at = stale_at - 5000000, wake_at = stale_at - 5000000")
        .execute(&mut beside)
        .await
        .unwrap();
    let browser = server.anonymous();
    let cookie = browser.cookie("ada").await;
    // A link alone says nothing.
    let text = page(&browser, "/stale?ran=yes", &cookie).await.text();
    assert!(!text.contains("The reaper passed.") && text.contains("Run the reaper now"));
    assert!(
        text.contains("past their time") && text.contains("at its next pass"),
        "{text}"
    );
    let headers = [("origin", ORIGIN), ("cookie", &*cookie), ("accept", "text/html")];
    let answer = browser.form("/_fn/run_reaper", &headers, "").await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some("/stale?ran=yes"));
    let text = page(&browser, "/stale?ran=yes", &cookie).await.text();
    assert!(
        text.contains("It moved 1 action: 1 put before a person."),
        "{text}"
    );
    let action = server
        .admin()
        .await
        .get(&format!("/api/v1/actions/{key}"))
        .await
        .is(200);
    assert_eq!(action["status"], "held");
    // Who did not ask for it hears nothing of it.
    let vera = browser.cookie("vera").await;
    let text = page(&browser, "/stale?ran=yes", &vera).await.text();
    assert!(!text.contains("It moved"), "{text}");
}

#[tokio::test]
async fn a_run_of_more_than_a_thousand_is_paged_and_told_as_a_whole() {
    let server = Server::start().await;
    let worker = server.worker().await;
    for batch in 0..3 {
        let intents: Vec<_> = (0..400)
            .map(|n| {
                json!({"run_id": "run/ä", "step": batch * 400 + n, "kind": "send_email",
                    "target": "ada@example.com", "payload_text": "Hello"})
            })
            .collect();
        worker
            .post("/api/v1/actions/claim-batch", json!({"intents": intents}))
            .await
            .is(200);
    }
    let browser = server.anonymous();
    let cookie = browser.cookie("vera").await;
    let mut path = "/runs/run%2F%C3%A4".to_owned();
    let mut seen = BTreeMap::new();
    let mut pages = 0;
    loop {
        let answer = page(&browser, &path, &cookie).await;
        assert_eq!(answer.status, 200, "{path}");
        let text = answer.text();
        assert!(text.contains("1,200 actions"), "{path}");
        for step in text.split(">step ").skip(1) {
            let step = step.split('<').next().unwrap().to_owned();
            *seen.entry(step).or_insert(0) += 1;
        }
        pages += 1;
        let next = text
            .split("rel=\"next\"")
            .nth(1)
            .and_then(|rest| rest.split("href=\"").nth(1));
        let Some(next) = next else { break };
        path = next.split('"').next().unwrap().replace("&amp;", "&");
    }
    assert_eq!((pages, seen.len()), (12, 1200));
    assert!(seen.values().all(|times| *times == 1), "each once");
}
