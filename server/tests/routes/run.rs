//! `GET /api/v1/runs/{run_id}`

use serde_json::json;

use super::support::{Server, mail};

#[tokio::test]
async fn a_run_says_what_a_resume_would_do() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    server.held(&worker, 2).await;
    let key = worker.claimed(mail(1)).await;
    worker
        .report(&key, "succeed", json!({"attempt": 1}))
        .await
        .is(200);
    let run = reader.get("/api/v1/runs/run-7").await.is(200);
    assert_eq!((&run["run_id"], &run["more"]), (&json!("run-7"), &json!(false)));
    let told: Vec<_> = run["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| (&i["step"], &i["on_resume"]))
        .collect();
    assert_eq!(told, [(&json!(1), &json!("skip")), (&json!(2), &json!("wait"))]);
    for nobody in ["run-8", "%00", "%E2%82"] {
        reader
            .get(&format!("/api/v1/runs/{nobody}"))
            .await
            .problem(404, "not-found");
    }
}
