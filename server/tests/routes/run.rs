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

#[tokio::test]
async fn a_run_with_more_steps_than_a_page_is_read_to_its_end() {
    let server = Server::start().await;
    let (worker, reader) = (server.worker().await, server.reader().await);
    for step in 1..=5 {
        worker.claimed(mail(step)).await;
    }
    let steps = |page: &serde_json::Value| -> Vec<u64> {
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["step"].as_u64().unwrap()).collect()
    };
    let whole = reader.get("/api/v1/runs/run-7").await.is(200);
    assert_eq!(steps(&whole), [1, 2, 3, 4, 5]);
    assert_eq!((&whole["more"], &whole["next"]), (&json!(false), &json!(null)));

    let (mut seen, mut address) = (Vec::new(), "/api/v1/runs/run-7?limit=2".to_owned());
    loop {
        let page = reader.get(&address).await.is(200);
        seen.push(steps(&page));
        let next = page["next"].as_str();
        assert_eq!(page["more"], json!(next.is_some()));
        let Some(next) = next else { break };
        address = format!("/api/v1/runs/run-7?limit=2&after={next}");
    }
    assert_eq!(seen, [vec![1, 2], vec![3, 4], vec![5]]);

    // A place in another list is none here, and a typo shows no other page than was asked for.
    let log = reader.get("/api/v1/actions?limit=1").await.is(200);
    let elsewhere = format!("/api/v1/runs/run-7?after={}", log["next"].as_str().unwrap());
    reader.get(&elsewhere).await.invalid("/after");
    for (typo, field) in [
        ("limit=1001", "/limit"),
        ("after=x", "/after"),
        ("page=2", "/page"),
    ] {
        let path = format!("/api/v1/runs/run-7?{typo}");
        reader.get(&path).await.invalid(field);
    }
}
