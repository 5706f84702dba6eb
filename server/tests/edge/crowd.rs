//! More at once than there is room for: everybody is answered, and nothing is left behind.

use std::sync::Arc;

use holdpoint_server::limits::Limits;
use sqlx::Connection as _;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;

use super::support::{Live, one_answer, soon, to_its_end};

#[tokio::test]
async fn an_address_that_has_its_connections_is_told_so() {
    let limits = Limits {
        connections_per_peer: 2,
        ..Limits::default()
    };
    let server = Live::start(limits).await;
    let mut first = server.connect().await;
    first
        .write_all(server.claim(1, "keep-alive").as_bytes())
        .await
        .unwrap();
    one_answer(&mut first).await;
    let mut second = server.connect().await;
    second
        .write_all(server.claim(2, "keep-alive").as_bytes())
        .await
        .unwrap();
    one_answer(&mut second).await;
    let refused = server.say(&server.claim(3, "close")).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(
        refused.contains("\r\nretry-after: ") && refused.contains("problem:overloaded"),
        "{refused}"
    );
    let (_, body) = refused.split_once("\r\n\r\n").unwrap();
    serde_json::from_str::<serde_json::Value>(body).unwrap();
    drop(first);
    // The server hears of it by and by.
    soon(async {
        while !server
            .say(&server.claim(3, "close"))
            .await
            .starts_with("HTTP/1.1 201")
        {}
    })
    .await;
}

#[tokio::test]
async fn a_connection_beyond_all_places_waits_for_one() {
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let server = Live::start(limits).await;
    let mut first = server.connect().await;
    first
        .write_all(server.claim(1, "keep-alive").as_bytes())
        .await
        .unwrap();
    one_answer(&mut first).await;
    let mut second = server.connect().await;
    second
        .write_all(server.claim(2, "close").as_bytes())
        .await
        .unwrap();
    // Whoever has a place is served on.
    first
        .write_all(server.claim(3, "keep-alive").as_bytes())
        .await
        .unwrap();
    assert!(one_answer(&mut first).await.starts_with("HTTP/1.1 201"));
    let mut none = [0; 1];
    assert!(second.try_read(&mut none).is_err(), "nobody answers yet");
    drop(first);
    assert!(to_its_end(&mut second).await.starts_with("HTTP/1.1 201"));
}

#[tokio::test]
async fn four_times_as_many_requests_as_places_are_all_answered() {
    const PLACES: usize = 4;
    let limits = Limits {
        requests: PLACES,
        ..Limits::default()
    };
    let server = Arc::new(Live::start(limits).await);
    // Whoever has a place keeps it: the database is held by somebody else.
    let url = format!("sqlite://{}", server.folder.path().join("h.db").display());
    let mut other = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let (told, mut answers) = mpsc::unbounded_channel();
    for step in 1..=4 * PLACES as u64 {
        let (server, told) = (Arc::clone(&server), told.clone());
        tokio::spawn(async move {
            let answer = server.say(&server.claim(step, "close")).await;
            told.send((step, answer)).unwrap();
        });
    }
    let mut refused = Vec::new();
    for _ in 0..3 * PLACES {
        let (step, answer) = soon(answers.recv()).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(
            answer.contains("\r\nretry-after: ") && answer.contains("problem:overloaded"),
            "{answer}"
        );
        refused.push(step);
    }
    let probe = format!(
        "GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        server.address
    );
    assert!(
        server.say(&probe).await.starts_with("HTTP/1.1 200"),
        "whoever watches hears from it"
    );
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    for _ in 0..PLACES {
        let (_, answer) = soon(answers.recv()).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
    let (rows,): (i64,) = sqlx::query_as("SELECT count(*) FROM action_log")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(rows, PLACES as i64, "what was refused left nothing behind");
    for step in refused {
        server.serves(step).await;
    }
}

#[tokio::test]
async fn whoever_waits_for_work_keeps_nobody_from_working() {
    let limits = Limits {
        requests: 1,
        waiting: 1,
        ..Limits::default()
    };
    let server = Live::start(limits).await;
    let wait = |seconds: u32| {
        let body = format!(r#"{{"kinds":["k"],"wait_s":{seconds}}}"#);
        server.post("/api/v1/actions/next", &body, "close")
    };
    let mut waiting = server.connect().await;
    waiting.write_all(wait(60).as_bytes()).await.unwrap();
    // Until it has its place, there is one.
    let refused = soon(async {
        loop {
            let answer = server.say(&wait(0)).await;
            if !answer.starts_with("HTTP/1.1 204") {
                return answer;
            }
        }
    })
    .await;
    assert!(
        refused.starts_with("HTTP/1.1 503") && refused.contains("\r\nretry-after: "),
        "{refused}"
    );
    server.serves(1).await;
    drop(waiting);
    soon(async { while !server.say(&wait(0)).await.starts_with("HTTP/1.1 204") {} }).await;
}

#[tokio::test]
async fn bodies_that_come_slowly_take_no_place() {
    let limits = Limits {
        requests: 1,
        ..Limits::default()
    };
    let server = Live::start(limits).await;
    let half = server.claim(9, "close");
    let mut slow = Vec::new();
    for _ in 0..10 {
        let mut stream = server.connect().await;
        stream
            .write_all(&half.as_bytes()[..half.len() - 5])
            .await
            .unwrap();
        slow.push(stream);
    }
    server.serves(1).await;
    let mut last = slow.pop().unwrap();
    last.write_all(&half.as_bytes()[half.len() - 5..]).await.unwrap();
    assert!(to_its_end(&mut last).await.starts_with("HTTP/1.1 201"));
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let limits = Limits {
        request: std::time::Duration::from_millis(200),
        ..Limits::default()
    };
    let server = Live::start(limits).await;
    let url = format!("sqlite://{}", server.folder.path().join("h.db").display());
    let mut other = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let late = server.say(&server.claim(1, "close")).await;
    assert!(late.starts_with("HTTP/1.1 503"), "{late}");
    assert!(
        late.contains("\r\nretry-after: ") && late.contains("problem:unavailable"),
        "{late}"
    );
    // A call that waits for work may wait longer than that.
    let wait = server.post("/api/v1/actions/next", r#"{"kinds":["k"],"wait_s":1}"#, "close");
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    assert!(server.say(&wait).await.starts_with("HTTP/1.1 204"));
    // What was begun ended by itself: the same claim_id gets its grant.
    server.serves(1).await;
}
