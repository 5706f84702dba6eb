//! `/healthz` and `/readyz`

use super::support::Server;

#[tokio::test]
async fn a_server_lives_without_its_database_and_is_not_ready() {
    let server = Server::start().await;
    let nobody = server.anonymous();
    assert_eq!(nobody.get("/healthz").await.is(200)["status"], "alive");
    assert_eq!(nobody.get("/readyz").await.is(200)["status"], "ready");
    server.ledger.close().await;
    assert_eq!(nobody.get("/healthz").await.is(200)["status"], "alive");
    let unready = nobody.get("/readyz").await;
    unready.problem(503, "unavailable");
    assert!(unready.header("retry-after").is_some());
}

#[tokio::test]
async fn a_database_that_is_gone_is_told_without_the_inside() {
    let server = Server::start().await;
    let worker = server.worker().await;
    server.ledger.close().await;
    let gone = worker.claim(super::support::mail(1)).await;
    let body = gone.problem(503, "unavailable");
    assert!(!body.to_string().contains("sql"), "{body}");
}
