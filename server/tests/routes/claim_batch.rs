//! `POST /api/v1/actions/claim-batch`

use axum::http::Method;
use serde_json::{Value, json};

use super::support::{Server, User, mail, with};

async fn batch(user: &User, intents: Value) -> super::support::Answer {
    user.post("/api/v1/actions/claim-batch", json!({ "intents": intents }))
        .await
}

#[tokio::test]
async fn each_intent_is_answered_in_its_place_as_a_claim_of_its_own_would_be() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let done = worker.claimed(mail(1)).await;
    let path = format!("/api/v1/actions/{done}/succeed");
    let success = r#"{"attempt":1,"result": [ 1.0 ] }"#;
    worker.json(Method::POST, &path, &[], success).await.is(200);
    let running = worker.claimed(mail(2)).await;
    let held = server.held(&worker, 3).await;

    let answer = batch(
        &worker,
        json!([
            mail(1),
            mail(2),
            mail(3),
            mail(4),
            with(mail(5), "target", json!("")),
            mail(4)
        ]),
    )
    .await;
    let answers = answer.is(200)["answers"].as_array().unwrap().clone();
    let codes: Vec<_> = answers.iter().map(|answer| answer["status"].clone()).collect();
    assert_eq!(json!(codes), json!([200, 409, 409, 201, 422, 409]));
    let outcomes: Vec<_> = answers.iter().map(|answer| answer["outcome"].clone()).collect();
    assert_eq!(
        json!(outcomes),
        json!(["succeeded", "in_flight", "held", "claimed", null, "in_flight"])
    );
    assert_eq!(answers[4]["field"], "/intents/4/target");
    assert_eq!(
        [&answers[1]["key"], &answers[2]["key"]],
        [&json!(running), &json!(held)]
    );
    assert!(answer.text().contains(r#""result":[ 1.0 ]"#), "{}", answer.text());

    let claimed = format!("/api/v1/actions/{}", answers[3]["key"].as_str().unwrap());
    let claimed = server.reader().await.get(&claimed).await;
    assert_eq!(claimed.is(200)["status"], "in_flight");
}

#[tokio::test]
async fn a_batch_that_is_empty_too_long_or_no_batch_claims_nothing() {
    let server = Server::start().await;
    let worker = server.worker().await;
    batch(&worker, json!([])).await.invalid("/intents");
    let many: Vec<_> = (0..501).map(mail).collect();
    batch(&worker, json!(many)).await.invalid("/intents");
    batch(&worker, json!([mail(1), with(mail(2), "stepp", json!(1))]))
        .await
        .invalid("/intents/1/stepp");
    let tied = server
        .user("tied", holdpoint::Scope::Worker, None, Some(&["send_email"]))
        .await;
    batch(&tied, json!([mail(1), with(mail(2), "kind", json!("pay_out"))]))
        .await
        .problem(403, "forbidden");
    let list = server.reader().await.get("/api/v1/actions").await.is(200);
    assert_eq!(list["items"], json!([]));
}

#[tokio::test]
async fn five_hundred_are_claimed_at_once_and_answered_alike_when_the_answer_was_lost() {
    let server = Server::start().await;
    let worker = server.worker().await;
    let intents: Vec<_> = (0..500)
        .map(|n| with(mail(n), "claim_id", json!(format!("try-{n}"))))
        .collect();
    let first = batch(&worker, json!(intents)).await.is(200);
    let answers = first["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 500);
    assert!(answers.iter().all(|answer| answer["status"] == 201));
    let again = batch(&worker, json!(intents)).await.is(200);
    let attempts = again["answers"].as_array().unwrap().iter();
    assert!(
        attempts
            .clone()
            .all(|answer| answer["status"] == 201 && answer["attempt"] == 1)
    );
}
