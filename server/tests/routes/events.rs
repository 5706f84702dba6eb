//! `GET /api/v1/events`

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use axum::Router;
use axum::body::BodyDataStream;
use axum::http::Method;
use futures::StreamExt as _;
use holdpoint::{Actor, Ledger, Pools, Scope};
use holdpoint_server::auth::Address;
use holdpoint_server::live::{Limits, Live};
use holdpoint_server::router;
use holdpoint_server::state::AppState;
use serde_json::{Value, json};

use super::support::{HOST, Server, User, mail, with};

mod sessions;
mod waiting;

const PATH: &str = "/api/v1/events";

/// A stream that is read event by event.
struct Stream {
    body: BodyDataStream,
    text: String,
    /// What a browser would send along to go on from here.
    last: String,
}

/// One event: its name and its data.
type Told = (String, Value);

impl Stream {
    async fn open(user: &User, headers: &[(&str, &str)]) -> Self {
        let answer = user.open(PATH, headers).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        Self {
            body: answer.into_body().into_data_stream(),
            text: String::new(),
            last: String::new(),
        }
    }

    async fn resume(user: &User, last: &str) -> Self {
        Self::open(user, &[("last-event-id", last)]).await
    }

    /// The next event or heartbeat; `None` where the stream has ended.
    async fn frame(&mut self) -> Option<String> {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(frame);
            }
            let next = tokio::time::timeout(Duration::from_secs(30), self.body.next());
            let bytes = next.await.expect("nothing comes")?.unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// The next event, what waits not counted; `None` where the stream has ended.
    async fn next(&mut self) -> Option<Told> {
        loop {
            let told = self.any().await?;
            if told.0 != "waiting" {
                return Some(told);
            }
        }
    }

    /// The next word on how many wait.
    async fn waiting(&mut self) -> Value {
        loop {
            let (name, data) = self.any().await.expect("the stream has ended");
            if name == "waiting" {
                return data;
            }
        }
    }

    /// The next event of whatever name; `None` where the stream has ended.
    async fn any(&mut self) -> Option<Told> {
        // Heartbeats without end are no event.
        for _ in 0..1_000 {
            let frame = self.frame().await?;
            let mut fields = HashMap::new();
            for line in frame.lines() {
                let (name, value) = line.split_once(':').unwrap();
                fields.insert(name, value.strip_prefix(' ').unwrap_or(value));
            }
            if let Some(id) = fields.get("id") {
                (*id).clone_into(&mut self.last);
            }
            if let Some(data) = fields.get("data") {
                return Some((fields["event"].to_owned(), serde_json::from_str(data).unwrap()));
            }
        }
        panic!("no event comes")
    }

    /// The next event, which is of this name.
    async fn expect(&mut self, event: &str) -> Value {
        let (name, data) = self.next().await.expect("the stream has ended");
        assert_eq!(name, event, "{data}");
        data
    }
}

/// Another server on the same database, within other limits.
fn another(ledger: &Ledger, limits: Limits) -> (Router, AppState) {
    let address = Address::new(HOST.parse().unwrap(), None, &[]).unwrap();
    let mut state = AppState::new(ledger.clone(), address);
    state.live = Live::within(ledger.clone(), state.stopping.clone(), limits);
    (router(state.clone()), state)
}

#[tokio::test]
async fn every_change_is_told_with_what_it_is_now() {
    let server = Server::start().await;
    let (worker, operator) = (server.worker().await, server.operator().await);
    let mut stream = Stream::open(&server.reader().await, &[]).await;
    let key = worker.claimed(mail(1)).await;
    assert_eq!(
        stream.expect("action").await,
        json!({"key": key, "status": "in_flight", "version": 1, "kind": "send_email"})
    );
    worker
        .report(&key, "fail", json!({"attempt": 1, "error": "PIN zq4711"}))
        .await
        .is(200);
    assert_eq!(
        stream.expect("action").await,
        json!({"key": key, "status": "held", "version": 2, "kind": "send_email"})
    );
    let why = json!({"reason": "an outage"});
    operator
        .post("/api/v1/policies/send_email/pause", why.clone())
        .await
        .is(200);
    assert_eq!(
        stream.expect("policy").await,
        json!({"kind": "send_email", "version": 1})
    );
    operator.post("/api/v1/pause", why).await.is(200);
    assert_eq!(stream.expect("policy").await, json!({"kind": null, "version": 1}));
}

#[tokio::test]
async fn a_stream_that_breaks_off_goes_on_without_a_gap() {
    let server = Server::start().await;
    let reader = server.reader().await;
    let mut seen = BTreeMap::new();
    let writers = (0..4).map(|writer| {
        let ledger = server.ledger.clone();
        tokio::spawn(async move {
            for step in 0..8 {
                let run = format!("run-{writer}");
                let intent = holdpoint::Intent::text(&run, step, "send_email", "ada", "Hello").unwrap();
                let actor = Actor::worker("w");
                ledger
                    .claim(&actor, &intent, &holdpoint::transition::Claim::default())
                    .await
                    .unwrap();
                let done = holdpoint::transition::Success {
                    attempt: 1,
                    result: None,
                    result_kept: true,
                };
                ledger.succeed(&actor, &intent.key(), done).await.unwrap();
            }
        })
    });
    // The first one listens before anything is written.
    let mut stream = Stream::open(&reader, &[]).await;
    let writing: Vec<_> = writers.collect();
    let done =
        |seen: &BTreeMap<String, String>| seen.values().filter(|status| *status == "succeeded").count() == 32;
    // A few events, and the line breaks; each time it lasts a little longer.
    for lasts in 3.. {
        for _ in 0..lasts {
            if !done(&seen) {
                let told = stream.expect("action").await;
                seen.insert(
                    told["key"].to_string(),
                    told["status"].as_str().unwrap().to_owned(),
                );
            }
        }
        if done(&seen) {
            break;
        }
        stream = Stream::resume(&reader, &stream.last).await;
    }
    for writer in writing {
        writer.await.unwrap();
    }
    assert_eq!(seen.len(), 32);
}

#[tokio::test]
async fn only_who_reads_may_listen() {
    let server = Server::start().await;
    server.anonymous().get(PATH).await.problem(401, "unauthorized");
    server.worker().await.get(PATH).await.problem(403, "forbidden");
    for user in [
        server.reader().await,
        server.operator().await,
        server.admin().await,
    ] {
        Stream::open(&user, &[]).await;
    }
}

#[tokio::test]
async fn case_d49_nothing_is_told_after_a_token_ends() {
    let server = Server::start().await;
    let (worker, reader, operator) = (
        server.worker().await,
        server.reader().await,
        server.operator().await,
    );
    let (mut by_token, mut by_person) = (
        Stream::open(&reader, &[]).await,
        Stream::open(&operator, &[]).await,
    );
    worker.claimed(mail(1)).await;
    by_token.expect("action").await;
    by_person.expect("action").await;
    let machine = Actor::CommandLine;
    server
        .ledger
        .revoke_token(&machine, "reader-token")
        .await
        .unwrap();
    server
        .ledger
        .change_operator(&machine, "otto", None, None, Some(true))
        .await
        .unwrap();
    worker.claimed(mail(2)).await;
    for stream in [&mut by_token, &mut by_person] {
        stream.expect("signed-out").await;
        assert_eq!(stream.next().await, None);
    }
    // What it knew is worth nothing any more.
    let refused = reader.open(PATH, &[("last-event-id", &by_token.last)]).await;
    assert_eq!(refused.status(), 401);
}

#[tokio::test]
async fn case_d49_who_is_silent_is_looked_at_again_by_each_heartbeat() {
    let server = Server::start().await;
    let limits = Limits {
        heartbeat: Duration::from_millis(20),
        ..Limits::default()
    };
    let (router, _) = another(&server.ledger, limits);
    let mut stream = Stream::open(&server.reader().await.at(router), &[]).await;
    for _ in 0..3 {
        let frame = stream.frame().await.unwrap();
        assert!(frame.contains("id: ") && !frame.contains("data"), "{frame}");
        // What waits is told along, and is nothing to go on from.
        let waiting = stream.frame().await.unwrap();
        assert!(
            waiting.contains("event: waiting") && !waiting.contains("id: "),
            "{waiting}"
        );
    }
    server
        .ledger
        .revoke_token(&Actor::CommandLine, "reader-token")
        .await
        .unwrap();
    stream.expect("signed-out").await;
    assert_eq!(stream.next().await, None);
}

/// Only workers' tokens are tied to kinds, and workers hear nothing: there is no stream of some kinds alone.
#[tokio::test]
async fn case_d49_a_token_tied_to_kinds_is_told_of_nothing() {
    let server = Server::start().await;
    let tied = server
        .user("tied", Scope::Worker, None, Some(&["send_email"]))
        .await;
    tied.get("/api/v1/events").await.problem(403, "forbidden");
    // A row from before that rule is nobody's token.
    let Pools::Sqlite(pool) = server.ledger.pools() else {
        panic!("the routes are tested on SQLite")
    };
    let older = "UPDATE token SET scope = 'read' WHERE name = 'tied'";
    sqlx::query(older).execute(&pool).await.unwrap();
    tied.get("/api/v1/events").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn case_d49_an_id_that_nobody_can_go_on_from_is_answered_by_resync() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    worker.claimed(mail(1)).await;
    let mut first = Stream::open(&reader, &[]).await;
    let frame = first.frame().await.unwrap();
    let id = frame.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    let (tag, micros) = id.split_once('-').unwrap();
    let future = format!("{tag}-{}", micros.parse::<i64>().unwrap() + 3_600_000_000);
    let foreign = format!("{}-{micros}", "0".repeat(16));
    let all = ["", "7", "garbage", &"x".repeat(10_000), &future, &foreign];
    for (n, last) in all.into_iter().enumerate() {
        let mut stream = Stream::resume(&reader, last).await;
        stream.expect("resync").await;
        // It goes on from now.
        worker
            .claimed(with(mail(1), "run_id", json!(format!("again-{n}"))))
            .await;
        stream.expect("action").await;
    }
}

#[tokio::test]
async fn where_there_is_no_room_it_is_said_when_to_come_again() {
    let server = Server::start().await;
    let limits = Limits {
        most: 1,
        ..Limits::default()
    };
    let (router, _) = another(&server.ledger, limits);
    let reader = server.reader().await.at(router);
    let only = Stream::open(&reader, &[]).await;
    let refused = reader.json(Method::GET, PATH, &[], "").await;
    refused.problem(503, "too-many-streams");
    assert_eq!(refused.header("retry-after"), Some("15"));
    // Who goes away leaves the place to the next.
    drop(only);
    Stream::open(&reader, &[]).await;
}

#[tokio::test]
async fn streams_end_when_the_server_stops_and_when_nobody_listens_nothing_is_read() {
    let server = Server::start().await;
    let (router, state) = another(&server.ledger, Limits::default());
    let reader = server.reader().await.at(router);
    // One reading ends with its last listener, and the next begins another.
    for _ in 0..3 {
        let mut stream = Stream::open(&reader, &[]).await;
        server
            .ledger
            .pause(&Actor::CommandLine, None, "wait")
            .await
            .unwrap();
        server
            .ledger
            .resume(&Actor::CommandLine, None, "go on")
            .await
            .unwrap();
        stream.expect("policy").await;
    }
    let mut stream = Stream::open(&reader, &[]).await;
    stream.frame().await.unwrap();
    state.stopping.cancel();
    assert_eq!(stream.next().await, None);
}
