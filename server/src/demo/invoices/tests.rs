use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

use super::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, Invoice, InvoiceServer, NewInvoice, Requests};

async fn create(server: &InvoiceServer, key: &str, body: &Value) -> Response {
    Client::new()
        .post(server.url())
        .header(IDEMPOTENCY_KEY, key)
        .json(body)
        .send()
        .await
        .unwrap()
}

fn acme() -> Value {
    json!({"customer": "Acme", "amount": 4200})
}

#[tokio::test]
async fn the_same_key_and_body_give_the_same_invoice() {
    let server = InvoiceServer::start().await.unwrap();
    let first = create(&server, "k1", &acme()).await;
    assert_eq!(first.status(), StatusCode::CREATED);
    assert!(first.headers().get(IDEMPOTENT_REPLAYED).is_none());
    let first: Value = first.json().await.unwrap();
    assert_eq!(
        first,
        json!({"id": "inv_1", "customer": "Acme", "amount": 4200, "key": "k1"})
    );

    let again = create(&server, "k1", &acme()).await;
    assert_eq!(again.status(), StatusCode::OK);
    assert_eq!(again.headers()[IDEMPOTENT_REPLAYED], "true");
    assert_eq!(again.json::<Value>().await.unwrap(), first);

    assert_eq!(create(&server, "k2", &acme()).await.status(), StatusCode::CREATED);
    assert_eq!(server.invoices().len(), 2);
    assert_eq!(
        server.requests(),
        Requests {
            create: 3,
            replayed: 1,
            ask: 0
        }
    );
}

#[tokio::test]
async fn the_same_key_with_another_body_is_refused() {
    let server = InvoiceServer::start().await.unwrap();
    create(&server, "k1", &acme()).await;
    let other = create(&server, "k1", &json!({"customer": "Acme", "amount": 4300})).await;
    assert_eq!(other.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert!(other.text().await.unwrap().contains("inv_1"));
    assert_eq!(server.invoices().len(), 1);
}

#[tokio::test]
async fn twenty_requests_at_once_under_one_key_make_one_invoice() {
    let server = InvoiceServer::start().await.unwrap();
    let body = acme();
    let answers = futures::future::join_all((0..20).map(|_| create(&server, "k1", &body))).await;
    let made = answers
        .iter()
        .filter(|answer| answer.status() == StatusCode::CREATED)
        .count();
    assert_eq!(made, 1);
    assert_eq!(server.invoices().len(), 1);
    assert_eq!(
        server.requests(),
        Requests {
            create: 20,
            replayed: 19,
            ask: 0
        }
    );
}

#[tokio::test]
async fn it_can_be_asked() {
    let server = InvoiceServer::start().await.unwrap();
    create(&server, "k1", &acme()).await;
    let ask = |key: &'static str| Client::new().get(server.url()).query(&[("key", key)]).send();

    let found: Invoice = ask("k1")
        .await
        .unwrap()
        .error_for_status()
        .unwrap()
        .json()
        .await
        .unwrap();
    let asked = NewInvoice {
        customer: "Acme".to_owned(),
        amount: 4200,
    };
    assert_eq!(
        found,
        Invoice {
            id: "inv_1".to_owned(),
            asked,
            key: "k1".to_owned()
        }
    );
    assert_eq!(ask("k2").await.unwrap().status(), StatusCode::NOT_FOUND);
    assert_eq!(server.requests().ask, 2);

    let list: Vec<Invoice> = reqwest::get(server.url()).await.unwrap().json().await.unwrap();
    assert_eq!(list, server.invoices());
}

#[tokio::test]
async fn bad_requests_make_nothing() {
    let server = InvoiceServer::start().await.unwrap();
    let without = Client::new()
        .post(server.url())
        .json(&acme())
        .send()
        .await
        .unwrap();
    assert_eq!(without.status(), StatusCode::BAD_REQUEST);
    for body in [
        json!({"customer": "Acme"}),
        json!({"customer": "Acme", "amount": -1}),
        json!({"x": 1}),
    ] {
        assert_eq!(
            create(&server, "k1", &body).await.status(),
            StatusCode::UNPROCESSABLE_ENTITY
        );
    }
    assert_eq!(
        create(&server, &"k".repeat(256), &acme()).await.status(),
        StatusCode::BAD_REQUEST
    );
    assert!(server.invoices().is_empty());
}
