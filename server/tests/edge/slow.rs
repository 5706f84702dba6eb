//! Clients that are slow, or say nothing: cut off, and nobody else waits for them.

use std::time::Duration;

use holdpoint_server::limits::Limits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{interval, sleep};

use super::support::{Live, impatient, one_answer, soon, to_its_end};

#[tokio::test]
async fn half_a_head_and_then_nothing_is_cut_off() {
    let server = Live::start(impatient()).await;
    for begun in [
        "",
        "G",
        "GET /healthz HTTP/1.1\r\nhost: x\r\n",
        "PRI * HTTP/2.0\r\n",
    ] {
        let mut stream = server.connect().await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        assert_eq!(to_its_end(&mut stream).await, "", "{begun:?}");
    }
    server.serves(1).await;
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_is_cut_off() {
    let server = Live::start(impatient()).await;
    let mut stream = server.connect().await;
    let mut every = interval(Duration::from_millis(10));
    let cut = async {
        for byte in "GET / HTTP/1.1\r\nx: ".bytes().chain(std::iter::repeat(b'a')) {
            every.tick().await;
            if stream.write_all(&[byte]).await.is_err() {
                return;
            }
        }
    };
    soon(cut).await;
    server.serves(1).await;
}

#[tokio::test]
async fn a_connection_may_rest_between_requests_but_not_for_ever() {
    let server = Live::start(Limits {
        idle: Duration::from_secs(3),
        ..impatient()
    })
    .await;
    let mut stream = server.connect().await;
    stream
        .write_all(server.claim(1, "keep-alive").as_bytes())
        .await
        .unwrap();
    assert!(one_answer(&mut stream).await.starts_with("HTTP/1.1 201"));
    // Longer than a head may take, shorter than a connection may rest.
    sleep(Duration::from_millis(600)).await;
    stream
        .write_all(server.claim(2, "keep-alive").as_bytes())
        .await
        .unwrap();
    assert!(one_answer(&mut stream).await.starts_with("HTTP/1.1 201"));
    assert_eq!(to_its_end(&mut stream).await, "", "it is closed in the end");
}

#[tokio::test]
async fn case_d35_half_a_body_and_then_nothing_is_refused() {
    let server = Live::start(impatient()).await;
    let whole = server.claim(1, "keep-alive");
    let mut stream = server.connect().await;
    stream
        .write_all(&whole.as_bytes()[..whole.len() - 10])
        .await
        .unwrap();
    let answer = to_its_end(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(
        answer.contains("application/problem+json") && answer.contains("too slowly"),
        "{answer}"
    );
    server.serves(1).await;
}

#[tokio::test]
async fn case_d35_a_body_of_one_byte_at_a_time_is_refused() {
    let server = Live::start(impatient()).await;
    let begun = format!(
        "POST /api/v1/actions/claim HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
        server.address, server.token
    );
    let (mut hear, mut tell) = server.connect().await.into_split();
    tell.write_all(begun.as_bytes()).await.unwrap();
    let tell = async {
        let mut every = interval(Duration::from_millis(20));
        // Each byte comes long before a silence would be noticed.
        while tell.write_all(b"1\r\n[\r\n").await.is_ok() {
            every.tick().await;
        }
    };
    let mut heard = Vec::new();
    let hear = async {
        let _ = hear.read_to_end(&mut heard).await;
    };
    soon(async { tokio::join!(tell, hear) }).await;
    let answer = String::from_utf8_lossy(&heard);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    server.serves(1).await;
}

/// A connection that takes in as little as the system lets it.
async fn narrow(server: &Live) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(server.address).await.unwrap()
}

/// An action whose page is large, and the request for it.
async fn large(server: &Live) -> String {
    let token = super::support::token(&server.ledger, holdpoint::Scope::Read).await;
    let text = "x".repeat(200_000);
    let body = format!(r#"{{"run_id":"r","step":1,"kind":"k","target":"t","payload_text":"{text}"}}"#);
    let claimed = server
        .say(&server.post("/api/v1/actions/claim", &body, "close"))
        .await;
    let key = claimed
        .split(r#""key":""#)
        .nth(1)
        .and_then(|rest| rest.get(..64))
        .unwrap();
    format!(
        "GET /api/v1/actions/{key} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\r\n",
        server.address
    )
}

#[tokio::test]
async fn whoever_does_not_take_the_answer_is_cut_off() {
    let server = Live::start(impatient()).await;
    let request = large(&server).await;
    let mut stream = narrow(&server).await;
    // Asking on and on without listening: the connection breaks, or this never ends.
    soon(async { while stream.write_all(request.as_bytes()).await.is_ok() {} }).await;
    server.serves(2).await;
}

#[tokio::test]
async fn whoever_takes_the_answer_byte_by_byte_is_cut_off() {
    let limits = Limits {
        pace: 1_000_000,
        ..impatient()
    };
    let server = Live::start(limits).await;
    let request = large(&server).await.repeat(50);
    let (mut hear, mut tell) = narrow(&server).await.into_split();
    let tell = tokio::spawn(async move {
        let _ = tell.write_all(request.as_bytes()).await;
        tell
    });
    let mut every = interval(Duration::from_millis(5));
    let cut = async {
        let mut part = [0; 1024];
        while hear.read(&mut part).await.is_ok_and(|read| read > 0) {
            every.tick().await;
        }
    };
    soon(cut).await;
    drop(tell);
    server.serves(2).await;
}

#[tokio::test]
async fn whoever_takes_the_answer_in_good_time_gets_all_of_it() {
    let server = Live::start(impatient()).await;
    let request = large(&server)
        .await
        .replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    let mut stream = narrow(&server).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = to_its_end(&mut stream).await;
    assert!(
        answer.len() > 200_000 && answer.ends_with('}'),
        "{}",
        answer.len()
    );
}

/// Its body is handed over long before its bytes are: a connection is not at rest by that.
#[tokio::test]
async fn whoever_takes_a_large_answer_slowly_and_steadily_gets_all_of_it() {
    // More than the system keeps for a client, so that the server cannot write for as long as the client rests.
    const ANSWERS: usize = 20;
    let server = Live::start(Limits {
        idle: Duration::from_millis(200),
        head: Duration::from_millis(200),
        stall: Duration::from_secs(10),
        ..Limits::default()
    })
    .await;
    let request = large(&server).await;
    let key = request
        .split("/actions/")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    let report = format!(r#"{{"attempt":1,"result":"{}"}}"#, "y".repeat(1_000_000));
    let done = server
        .say(&server.post(&format!("/api/v1/actions/{key}/succeed"), &report, "close"))
        .await;
    assert!(done.starts_with("HTTP/1.1 200"), "{done}");
    let mut stream = narrow(&server).await;
    stream
        .write_all(request.repeat(ANSWERS).as_bytes())
        .await
        .unwrap();
    let all = ANSWERS * 1_200_000;
    let (mut taken, mut part) = (0, vec![0; 200_000]);
    // Between two looks nothing moves for longer than a connection may rest.
    let mut every = interval(Duration::from_millis(300));
    while taken < all {
        every.tick().await;
        let enough = all.min(taken + all / 6);
        while taken < enough {
            let read = soon(stream.read(&mut part)).await.unwrap();
            assert_ne!(read, 0, "it was cut off after {taken} bytes");
            taken += read;
        }
    }
}

#[tokio::test]
async fn whoever_opens_no_window_for_the_answer_is_cut_off() {
    let server = Live::start(impatient()).await;
    let request = large(&server).await;
    let path = request.split(' ').nth(1).unwrap();
    let token = request.split("Bearer ").nth(1).unwrap().trim();
    let stream = server.connect().await;
    let builder = h2::client::Builder::new().initial_window_size(0).clone();
    let (mut client, connection) = builder.handshake::<_, axum::body::Bytes>(stream).await.unwrap();
    let ended = tokio::spawn(connection);
    let request = axum::http::Request::get(format!("http://{}{path}", server.address))
        .header("authorization", format!("Bearer {token}"))
        .body(())
        .unwrap();
    let (answer, _) = client.send_request(request, true).unwrap();
    let answer = soon(answer).await.unwrap();
    assert_eq!(answer.status(), 200);
    let _ = soon(ended).await.unwrap();
    server.serves(2).await;
}
