//! `GET /api/v1/export` and `/api/v1/audit/export`: whole, harmless, or visibly broken off.

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::support::{HOST, Server, mail, with};

const HEAD: &str = "key,run_id,step,kind,target,payload_hash,summary,status,reason,attempt,version,worker";

#[tokio::test]
async fn a_list_is_exported_to_its_end() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    for step in 0..205 {
        worker.claimed(mail(step)).await;
    }
    worker.claimed(with(mail(1), "kind", json!("other"))).await;
    let csv = reader.get("/api/v1/export?format=csv&kind=send_email").await;
    assert_eq!(csv.status, 200);
    assert_eq!(
        csv.header("content-type"),
        Some("text/csv; charset=utf-8; header=present")
    );
    let today = server.ledger.now().await.unwrap().to_string();
    let name = format!("attachment; filename=\"holdpoint-actions-{}.csv\"", &today[..10]);
    assert_eq!(csv.header("content-disposition"), Some(name.as_str()));
    assert_eq!(csv.header("cache-control"), Some("no-store"));
    let text = csv.text();
    let lines: Vec<_> = text.split("\r\n").collect();
    assert!(lines[0].starts_with(HEAD), "{}", lines[0]);
    assert_eq!((lines.len(), lines[206]), (207, ""));
    let mut keys: Vec<_> = lines[1..206].iter().map(|line| &line[..64]).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 205, "none is skipped and none is there twice");

    let jsonl = reader.get("/api/v1/export?format=jsonl&kind=send_email").await;
    assert_eq!(jsonl.header("content-type"), Some("application/x-ndjson"));
    let rows: Vec<Value> = jsonl
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 205);
    let first = &reader
        .get("/api/v1/actions?kind=send_email&limit=1")
        .await
        .is(200)["items"][0];
    assert_eq!(&rows[0], first, "a row is what the API shows");
}

#[tokio::test]
async fn case_d13_a_file_is_harmless_for_spreadsheets() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    let head = reader.get("/api/v1/export?format=csv").await.text();
    assert!(
        head.starts_with(HEAD) && head.ends_with("review_url\r\n"),
        "{head}"
    );
    for (step, text) in ["=1+1", "+1", "-2+3", "@SUM(1)", "＝1+1"].into_iter().enumerate() {
        let body = with(mail(step as u64), "summary", json!(text));
        worker.claimed(with(body, "target", json!("=a,b\"c"))).await;
    }
    let csv = reader.get("/api/v1/export?format=csv&bom=true").await.text();
    assert!(csv.starts_with('\u{feff}'), "{csv}");
    for cell in [
        "\"'=1+1\"",
        "\"'+1\"",
        "\"'-2+3\"",
        "\"'@SUM(1)\"",
        "\"'＝1+1\"",
        "\"'=a,b\"\"c\"",
    ] {
        assert!(csv.contains(cell), "{cell} in {csv}");
    }
    let jsonl = reader.get("/api/v1/export?format=jsonl").await.text();
    assert!(jsonl.contains(r#""summary":"=1+1""#), "{jsonl}");
}

#[tokio::test]
async fn case_d36_an_export_that_breaks_off_is_no_whole_file() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    for step in 0..150 {
        worker.claimed(mail(step)).await;
    }
    // A page that comes later cannot be read.
    let holdpoint::Pools::Sqlite(pool) = server.ledger.pools() else {
        panic!("these tests run on SQLite")
    };
    sqlx::query("UPDATE action_log SET approvals = 'damaged' WHERE step = 0")
        .execute(&pool)
        .await
        .unwrap();
    let request = Request::get("/api/v1/export?format=csv")
        .header(header::HOST, HOST)
        .header(header::AUTHORIZATION, reader.bearer())
        .body(Body::empty())
        .unwrap();
    let answer = server.router.clone().oneshot(request).await.unwrap();
    assert_eq!(answer.status(), 200, "it had begun");
    let broken = to_bytes(answer.into_body(), usize::MAX).await;
    assert!(
        broken.is_err(),
        "a file that ended cleanly would be taken for whole"
    );
    // One whose first page cannot be read is refused like any other call, and tells nothing of the inside.
    sqlx::query("UPDATE action_log SET approvals = 'damaged'")
        .execute(&pool)
        .await
        .unwrap();
    let refused = reader.get("/api/v1/export?format=csv").await;
    let problem = refused.problem(500, "internal").to_string();
    assert!(!problem.contains("approvals") && !problem.contains("damaged"));
}

#[tokio::test]
async fn who_takes_what_out_is_told() {
    let server = Server::start().await;
    let (reader, admin) = (server.reader().await, server.admin().await);
    let query = "format=csv&kind=send_email&q=secret+words";
    assert_eq!(reader.get(&format!("/api/v1/export?{query}")).await.status, 200);
    let csv = admin.get("/api/v1/audit/export?format=csv").await.text();
    let lines: Vec<_> = csv.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "id,at,event,actor,means,from,subject,reason,detail,times"
    );
    let told = admin.get("/api/v1/audit?event=exported").await.is(200);
    let items = told["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(
        (&items[0]["actor"], &items[0]["subject"]),
        (&json!("ada"), &json!("audit"))
    );
    assert_eq!(
        (&items[1]["actor"], &items[1]["means"], &items[1]["subject"]),
        (
            &json!("reader-token"),
            &json!("token reader-token"),
            &json!("actions")
        )
    );
    assert_eq!(
        items[1]["detail"],
        json!({"format": "csv", "kind": "send_email", "searched": true})
    );
    // Who reads takes out what they may see.
    let seen = reader.get("/api/v1/audit/export?format=jsonl").await;
    assert_eq!((seen.status.as_u16(), seen.text()), (200, String::new()));
}

#[tokio::test]
async fn what_is_no_export_is_refused() {
    let server = Server::start().await;
    let reader = server.reader().await;
    for (query, field) in [
        ("", "/format"),
        ("format=xlsx", "/format"),
        ("format=csv&format=csv", "/format"),
        ("format=csv&bom=yes", "/bom"),
        ("format=jsonl&bom=true", "/bom"),
        ("format=csv&limit=5", "/limit"),
        ("format=csv&after=x", "/after"),
        ("format=csv&knd=x", "/knd"),
    ] {
        for path in ["/api/v1/export", "/api/v1/audit/export"] {
            reader.get(&format!("{path}?{query}")).await.invalid(field);
        }
    }
}
