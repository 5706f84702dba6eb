//! What the server may be made to dial, and what it must not.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::Mutex;

use async_trait::async_trait;
use holdpoint::ledger::{AddressGuard as _, Heard, Purpose};
use reqwest::dns::Resolve as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::guard::Names;
use super::*;

const SECRET: &str = "whsec_c2VjcmV0IHRoYXQgaXMgbG9uZyBlbm91Z2ghIQ==";
const BOTH: [Purpose; 2] = [Purpose::Verifier, Purpose::Webhook];

/// What leads inside, however it is written.
const INSIDE: [&str; 18] = [
    "http://169.254.169.254/",
    "http://[::ffff:169.254.169.254]/",
    "http://0x7f000001/",
    "http://localhost.:8080/",
    "http://LocalHost/",
    "http://api.localhost/",
    "http://[fd00::1]/",
    "http://0/",
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://127.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]:8080/x",
    "http://[::]/",
    "http://[64:ff9b::7f00:1]/",
    "https://10.1.2.3/",
    "http://169.254.169.254./latest/meta-data",
];

/// A resolver that answers in this order.
struct Answers(Mutex<VecDeque<&'static str>>);

#[async_trait]
impl Names for Answers {
    async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let next = self.0.lock().unwrap().pop_front();
        Ok(vec![next.ok_or(io::ErrorKind::NotFound)?.parse().unwrap()])
    }
}

fn answering(answers: &[&'static str]) -> Guard {
    Guard::new(false, true).with_names(Answers(Mutex::new(answers.iter().copied().collect())))
}

/// A listener whose `accept` says at once whether somebody has knocked.
fn quiet() -> std::net::TcpListener {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

async fn told(webhooks: &Webhooks, url: &str) -> Heard {
    let message = Signed {
        id: "msg_1",
        at: 1,
        signatures: "v1,x".to_owned(),
        body: "{}".to_owned(),
    };
    webhooks.tell(url, message).await
}

#[tokio::test]
async fn case_d17_what_leads_inside_is_refused_when_it_is_named_and_when_it_is_dialled() {
    let (strict, lax) = (Guard::new(false, true), Guard::new(true, true));
    let webhooks = Webhooks::new(Some(SECRET), false).unwrap();
    for url in INSIDE {
        for purpose in BOTH {
            let refused = strict.check(url, purpose).await.unwrap_err();
            assert!(
                refused.contains("HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS"),
                "{url}: {refused}"
            );
            assert_eq!(lax.check(url, purpose).await, Ok(()), "{url}");
        }
        // Around the check when it was named.
        let heard = told(&webhooks, url).await;
        assert_eq!(heard.status, None, "{url}");
        assert!(heard.error.unwrap().contains("private network"), "{url}");
    }
    for purpose in BOTH {
        assert_eq!(strict.check("https://1.1.1.1/verify", purpose).await, Ok(()));
        for carries in ["http://user@127.0.0.1/", "https://a:b@1.1.1.1/"] {
            assert!(
                lax.check(carries, purpose)
                    .await
                    .unwrap_err()
                    .contains("password"),
                "{carries}"
            );
        }
        assert!(lax.check("https://", purpose).await.is_err());
    }
}

#[tokio::test]
async fn case_d17_a_name_that_turned_inwards_after_it_was_checked_is_not_dialled() {
    let inside = quiet();
    let url = format!("http://hooks.example:{}/", inside.local_addr().unwrap().port());
    for purpose in BOTH {
        let guard = answering(&["93.184.216.34", "127.0.0.1"]);
        let webhooks = Webhooks::guarded(guard.clone(), Some(SECRET)).unwrap();
        assert_eq!(guard.check(&url, purpose).await, Ok(()), "at first it is public");
        let heard = told(&webhooks, &url).await;
        assert_eq!(
            heard.error.as_deref(),
            Some("the name has no address that may be dialled")
        );
    }
    assert!(inside.accept().is_err(), "nobody has knocked");
    // What leads inside at once is refused at once.
    assert!(
        answering(&["127.0.0.1"])
            .check(&url, Purpose::Webhook)
            .await
            .is_err()
    );
}

/// Answers every connection with these bytes, then with more of the last part for as long as anybody reads.
async fn server(head: String, without_end: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = [0; 4096];
            let _ = stream.read(&mut read).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while !without_end.is_empty() && stream.write_all(without_end.as_bytes()).await.is_ok() {}
        }
    });
    format!("http://{address}/")
}

#[tokio::test]
async fn case_d17_a_redirect_is_not_followed_and_is_a_failure() {
    let inside = quiet();
    let there = inside.local_addr().unwrap();
    let moved = format!("HTTP/1.1 302 Found\r\nlocation: http://{there}/\r\ncontent-length: 0\r\n\r\n");
    let webhooks = Webhooks::new(None, true).unwrap();
    let heard = told(&webhooks, &server(moved, "").await).await;
    assert_eq!(heard.status, Some(302));
    assert_eq!(
        heard.error.as_deref(),
        Some("it was answered 302: redirects are not followed")
    );
    assert!(inside.accept().is_err(), "nobody has knocked");
}

#[tokio::test]
async fn case_d17_a_body_without_end_is_not_read_and_not_shown() {
    let webhooks = Webhooks::new(None, true).unwrap();
    let endless = |status: &str| server(format!("HTTP/1.1 {status}\r\n\r\n"), "inside-the-network ");
    let heard = told(&webhooks, &endless("200 OK").await).await;
    assert_eq!((heard.status, heard.error), (Some(200), None));
    let heard = told(&webhooks, &endless("403 Forbidden").await).await;
    assert_eq!(
        (heard.status, heard.error.as_deref()),
        (Some(403), Some("it was answered 403"))
    );
}

#[tokio::test]
async fn nobody_is_asked_without_a_signature_and_what_is_told_has_a_secret_of_its_own() {
    let guard = Guard::new(true, false);
    let refused = guard
        .check("https://1.1.1.1/", Purpose::Verifier)
        .await
        .unwrap_err();
    assert!(refused.contains("HOLDPOINT_WEBHOOK_SECRET"), "{refused}");
    assert_eq!(guard.check("https://1.1.1.1/", Purpose::Webhook).await, Ok(()));
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_not_dialled() {
    let name = || "localhost".parse().unwrap();
    assert!(Guard::new(false, true).resolve(name()).await.is_err());
    let mut resolved = Guard::new(true, true).resolve(name()).await.unwrap();
    assert!(resolved.next().is_some());
}

#[test]
fn a_secret_is_long_and_says_what_it_is() {
    let key = "c2VjcmV0IHRoYXQgaXMgbG9uZyBlbm91Z2ghIQ==";
    assert!(Webhooks::new(Some(&format!("whsec_{key}")), false).is_ok());
    for wrong in [key, "whsec_", "whsec_c2hvcnQ=", "whsec_no base64"] {
        assert!(
            matches!(Webhooks::new(Some(wrong), false), Err(WebhookError::Secret)),
            "{wrong}"
        );
    }
}

#[test]
fn a_secret_is_never_shown() {
    let shown = format!("{:?}", Webhooks::new(Some(SECRET), false).unwrap());
    assert!(
        !shown.contains("c2VjcmV0") && !shown.contains("secret that"),
        "{shown}"
    );
}
