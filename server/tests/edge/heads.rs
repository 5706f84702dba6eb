//! Heads of requests: too large, too many, or naming no host.

use tokio::io::AsyncWriteExt as _;

use holdpoint::ledger::AuditFilter;
use holdpoint::{Actor, AuditEvent, Ledger};

use super::served::Served;
use super::support::{Live, to_its_end};
use holdpoint_server::limits::Limits;

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let server = Live::start(Limits::default()).await;
    let line = format!("x: {}\r\n", "a".repeat(40_000));
    let many = "x: a\r\n".repeat(200);
    for more in [line, many] {
        let answer = server
            .say(&format!(
                "GET /healthz HTTP/1.1\r\nhost: x\r\n{more}connection: close\r\n\r\n"
            ))
            .await;
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    let path = "a".repeat(40_000);
    let answer = server
        .say(&format!(
            "GET /{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        ))
        .await;
    assert!(
        answer.starts_with("HTTP/1.1 431") || answer.starts_with("HTTP/1.1 414"),
        "{answer}"
    );
    server.serves(1).await;
}

#[tokio::test]
async fn case_d44_a_request_that_names_no_host_is_refused() {
    let server = Live::start(Limits::default()).await;
    let authorization = format!("authorization: Bearer {}\r\n", server.token);
    for head in [
        "GET /login HTTP/1.0\r\n".to_owned(),
        format!("POST /api/v1/actions/claim HTTP/1.0\r\n{authorization}content-length: 0\r\n"),
        "GET /login HTTP/1.1\r\n".to_owned(),
        format!(
            "GET /login HTTP/1.1\r\nhost: evil.test\r\nx-forwarded-host: {}\r\n",
            server.address
        ),
        format!(
            "GET /login HTTP/1.1\r\nhost: {}.evil.test\r\n",
            server.address.ip()
        ),
    ] {
        let answer = server.say(&format!("{head}connection: close\r\n\r\n")).await;
        let refused = answer.starts_with("HTTP/1.1 421") || answer.starts_with("HTTP/1.1 400");
        assert!(refused || answer.starts_with("HTTP/1.0 421"), "{head}: {answer}");
    }
    let named = format!("GET /login HTTP/1.0\r\nhost: {}\r\n\r\n", server.address);
    assert!(server.say(&named).await.contains(" 200 "));
}

#[tokio::test]
async fn two_lengths_of_one_body_are_refused() {
    let server = Live::start(Limits::default()).await;
    for lengths in [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5\r\ntransfer-encoding: chunked, identity\r\n",
        "content-length: -1\r\n",
        "transfer-encoding: gzip\r\n",
    ] {
        let mut stream = server.connect().await;
        let request = format!(
            "POST /api/v1/actions/claim HTTP/1.1\r\nhost: {}\r\n{lengths}connection: close\r\n\r\n0\r\n\r\n",
            server.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = to_its_end(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{lengths}: {answer}");
    }
}

#[tokio::test]
async fn case_d03_a_request_of_another_site_is_logged_with_what_it_was_and_from_where() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("h.db").display());
    let trusting = ["--trusted-proxies", "127.0.0.0/8"];
    let mut server = Served::start(folder.path(), &database, "127.0.0.1:0", &trusting).await;
    let mut stream = tokio::net::TcpStream::connect(&server.address).await.unwrap();
    let request = format!(
        "POST /_fn/decide HTTP/1.1\r\nhost: {}\r\norigin: http://evil.test\r\nconnection: close\r\n\
         x-forwarded-for: 203.0.113.9\r\ncontent-length: 0\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(to_its_end(&mut stream).await.starts_with("HTTP/1.1 403"));
    let line = server.says("a request from another site was refused").await;
    for told in ["WARN", "/_fn/decide", "http://evil.test", "203.0.113.9"] {
        assert!(line.contains(told), "{line}");
    }
    assert!(!line.contains("127.0.0.1:"), "the proxy is not who came: {line}");
    // The audit names the same.
    let ledger = Ledger::open_existing(&database).await.unwrap();
    let page = ledger
        .audit(
            &Actor::CommandLine,
            &AuditFilter {
                limit: 10,
                ..AuditFilter::default()
            },
        )
        .await
        .unwrap();
    let told: Vec<_> = page
        .items
        .iter()
        .map(|line| (line.event, line.from.as_deref()))
        .collect();
    assert_eq!(told, [(AuditEvent::Refused, Some("203.0.113.9"))]);
    ledger.close().await;
}
