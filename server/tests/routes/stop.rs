//! A clean stop: what is in flight ends, nothing new begins.

use holdpoint::ledger::NewToken;
use holdpoint::{Actor, Scope};
use holdpoint_server::Server;
use holdpoint_server::config::Config;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

#[tokio::test]
async fn a_report_in_flight_is_heard_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        database_url: format!("sqlite://{}", folder.path().join("h.db").display()),
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Config::default()
    };
    let server = Server::bind(config).await.unwrap();
    let (address, ledger) = (server.address(), server.ledger().clone());
    let new = NewToken {
        name: "t".into(),
        scope: Scope::Worker,
        operator: None,
        kinds: None,
        expires_in_s: None,
    };
    let token = ledger.create_token(&Actor::CommandLine, new).await.unwrap();
    let (stop, told) = oneshot::channel();
    let running = tokio::spawn(server.run(async move {
        let _ = told.await;
    }));

    let body = r#"{"run_id":"r","step":1,"kind":"k","target":"t","payload_text":""}"#;
    let head = format!(
        "POST /api/v1/actions/claim HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut caller = TcpStream::connect(address).await.unwrap();
    caller.write_all(head.as_bytes()).await.unwrap();
    // Half of the body is on its way when the server is told to stop.
    caller.write_all(&body.as_bytes()[..10]).await.unwrap();
    let mut waiting = TcpStream::connect(address).await.unwrap();
    let ask = r#"{"kinds":["k"],"wait_s":60}"#;
    let asking = head.replace("/claim", "/next").replace(
        &format!("length: {}", body.len()),
        &format!("length: {}", ask.len()),
    );
    waiting
        .write_all(format!("{asking}{ask}").as_bytes())
        .await
        .unwrap();
    // Both are with the server once it has answered a third.
    let mut probe = TcpStream::connect(address).await.unwrap();
    probe
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    assert!(read(&mut probe).await.starts_with("HTTP/1.1 200"));
    stop.send(()).unwrap();
    assert!(
        read(&mut waiting).await.starts_with("HTTP/1.1 204"),
        "who waits for work is sent home"
    );
    caller.write_all(&body.as_bytes()[10..]).await.unwrap();
    assert!(read(&mut caller).await.starts_with("HTTP/1.1 201"));
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

async fn read(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}
