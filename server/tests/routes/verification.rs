//! `POST /api/v1/verifications/next` and `POST /api/v1/actions/{key}/verdict`

use serde_json::json;

use super::support::{Server, mail, with};

#[tokio::test]
async fn a_question_is_handed_out_and_its_verdict_settles_the_action() {
    let server = Server::start().await;
    let worker = server.worker().await;
    server
        .policy(
            "make_invoice",
            json!({"recovery": "verifiable", "verify_after_s": 0}),
        )
        .await;
    let claimed = worker
        .claim(with(mail(1), "kind", json!("make_invoice")))
        .await
        .is(201);
    let key = claimed["key"].as_str().unwrap();
    worker
        .report(key, "fail", json!({"attempt": 1, "error": "lost"}))
        .await
        .is(200);

    let ask = json!({"kinds": ["make_invoice"], "worker": "asker"});
    let question = worker
        .post("/api/v1/verifications/next", ask.clone())
        .await
        .is(200);
    for (name, value) in [
        ("key", json!(key)),
        ("attempt", json!(1)),
        ("try", json!(1)),
        ("kind", json!("make_invoice")),
        ("target", json!("ada@example.com")),
        ("run_id", json!("run-7")),
        ("step", json!(1)),
        ("provider_key", json!(key)),
        ("payload_text", json!("Hello")),
    ] {
        assert_eq!(question[name], value, "{name}");
    }
    assert!(question["attempted_at"].is_string());
    worker.post("/api/v1/verifications/next", ask).await.is(204);

    let say =
        |number: u32, verdict: &str| json!({"attempt": 1, "try": number, "verdict": verdict, "note": "seen"});
    worker
        .report(key, "verdict", say(2, "landed"))
        .await
        .problem(409, "no-such-attempt");
    worker
        .report(key, "verdict", say(1, "perhaps"))
        .await
        .invalid("/verdict");
    worker
        .report(key, "verdict", with(say(1, "unknown"), "result", json!(1)))
        .await
        .invalid("/result");
    let landed = with(say(1, "landed"), "result", json!({"invoice": 7}));
    let action = worker.report(key, "verdict", landed.clone()).await.is(200);
    assert_eq!(
        (&action["status"], &action["settled_by"]),
        (&json!("succeeded"), &json!("verdict"))
    );
    assert_eq!(action["result"], json!({"invoice": 7}));
    assert_eq!(worker.report(key, "verdict", landed).await.is(200), action);
}
