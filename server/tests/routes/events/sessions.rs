//! Streams of people: what ends their session ends them, and they keep none alive.

use std::time::Duration;

use holdpoint::{Actor, Role};
use holdpoint_server::live::Limits;
use serde_json::json;

use super::{Stream, another};
use crate::support::{ORIGIN, Server, mail, with};

const IDLE_S: i64 = 7_200;

#[tokio::test]
async fn case_d49_nothing_is_told_after_a_sign_out() {
    let server = Server::start().await;
    let (worker, browser) = (server.worker().await, server.anonymous());
    for (ending, name) in [("sign out", "otto"), ("change of role", "vera")] {
        let form = format!("name={name}&password=correct+horse");
        let signed_in = browser.form("/login", &[("origin", ORIGIN)], &form).await;
        let cookie = signed_in
            .header("set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let mut stream = Stream::open(&browser, &[("cookie", &cookie)]).await;
        worker
            .claimed(with(mail(1), "run_id", json!(format!("{name}-1"))))
            .await;
        stream.expect("action").await;
        if ending == "sign out" {
            let headers = [("origin", ORIGIN), ("cookie", &*cookie)];
            browser.form("/logout", &headers, "").await;
        } else {
            let role = Some(holdpoint::Role::Admin);
            server
                .ledger
                .change_operator(&Actor::CommandLine, name, role, None, None)
                .await
                .unwrap();
        }
        worker
            .claimed(with(mail(1), "run_id", json!(format!("{name}-2"))))
            .await;
        stream.expect("signed-out").await;
        assert_eq!(stream.next().await, None, "{ending}");
    }
}

#[tokio::test]
async fn case_d49_a_stream_that_nobody_sits_before_keeps_no_session_alive() {
    let server = Server::start().await;
    let cookie = server.anonymous().cookie("otto").await;
    let limits = Limits {
        heartbeat: Duration::from_millis(20),
        ..Limits::default()
    };
    let (router, _) = another(&server.ledger, limits);
    let browser = server.anonymous().at(router);
    let open = async || Stream::open(&browser, &[("cookie", &cookie)]).await;
    let mut stream = open().await;
    let otto = Actor::person("otto", Role::Operator);
    let seen = async || {
        let account = server.ledger.account(&otto, 2 * IDLE_S).await.unwrap();
        account.sessions[0].seen_at
    };
    let begun = seen().await;
    let move_on = async |seconds: i64| {
        let statement = format!(
            "UPDATE clock SET newest = (SELECT now FROM database_clock) + {}",
            seconds * 1_000_000
        );
        let done = sqlx::query(&statement).execute(&mut server.beside().await).await;
        done.unwrap();
    };
    move_on(IDLE_S - 600).await;
    // Many looks at it, and another stream as a browser begins it by itself when the line breaks.
    for _ in 0..5 {
        stream.frame().await.unwrap();
    }
    open().await.frame().await.unwrap();
    assert_eq!(seen().await, begun, "nobody used it");
    move_on(1_200).await;
    stream.expect("signed-out").await;
    assert_eq!(stream.next().await, None);
}
