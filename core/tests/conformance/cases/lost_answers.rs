//! Case A34: the commit happened, and the connection was cut before its answer came.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use holdpoint::ledger::Error;
use holdpoint::transition::ClaimAnswer;
use holdpoint::{Decision, Ledger, Once, Recovery, Status, StoreError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::*;

/// Stands between a ledger and its PostgreSQL server, and cuts connections whose commit has been executed.
struct Proxy {
    address: String,
    to_cut: Arc<AtomicUsize>,
    cut: Arc<AtomicUsize>,
}

impl Proxy {
    /// In front of the server at this address; gives the address that leads through it as well.
    async fn before(url: &str) -> (Self, String) {
        let (scheme, rest) = url.split_once("://").unwrap();
        let (authority, database) = rest.split_once('/').unwrap();
        let (user, server) = authority
            .rsplit_once('@')
            .map_or(("", authority), |(u, s)| (u, s));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let proxy = Self {
            address,
            to_cut: Arc::default(),
            cut: Arc::default(),
        };
        let (to_cut, cut, server) = (proxy.to_cut.clone(), proxy.cut.clone(), server.to_owned());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(between(client, server, to_cut.clone(), cut.clone()));
            }
        });
        let at = if user.is_empty() {
            String::new()
        } else {
            format!("{user}@")
        };
        let through = format!("{scheme}://{at}{}/{database}", proxy.address);
        (proxy, through)
    }

    /// The next commit is executed, and its answer is lost.
    fn cut_next(&self) {
        self.to_cut.fetch_add(1, Ordering::SeqCst);
    }

    fn was_cut(&self, times: usize) {
        assert_eq!(
            self.cut.load(Ordering::SeqCst),
            times,
            "the answers that were lost"
        );
    }
}

async fn between(
    mut client: TcpStream,
    mut server: TcpStream,
    to_cut: Arc<AtomicUsize>,
    cut: Arc<AtomicUsize>,
) {
    let (mut asked, mut said, mut cutting) = ([0; 16_384], [0; 16_384], false);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(n @ 1..) = read else { return };
                let commits = asked[..n].windows(7).any(|bytes| bytes == b"COMMIT\0");
                let less = |left: usize| left.checked_sub(1);
                cutting = commits && to_cut.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok();
                if server.write_all(&asked[..n]).await.is_err() { return }
            }
            read = server.read(&mut said) => {
                let Ok(n @ 1..) = read else { return };
                if cutting {
                    // The server answers once it has committed: nobody hears of it.
                    cut.fetch_add(1, Ordering::SeqCst);
                    return;
                }
                if client.write_all(&said[..n]).await.is_err() { return }
            }
        }
    }
}

fn lost<T: std::fmt::Debug>(answer: Result<T, Error>) {
    match answer {
        Err(Error::Store(StoreError::Unavailable(_))) => {}
        other => panic!("the answer was lost, and yet: {other:?}"),
    }
}

mod postgres_alone {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a34_an_answer_cut_off_after_the_commit_is_given_again() {
        run(Db::postgres().await, |db| async move {
            let (proxy, through) = Proxy::before(&db.url).await;
            let ledger = Ledger::open_existing(&through).await.unwrap();
            let (intent, mailer) = (mail("run-1"), worker());

            proxy.cut_next();
            lost(ledger.claim(&mailer, &intent, &under("mine")).await);
            proxy.was_cut(1);
            assert_eq!(db.action(&intent).await.attempt(), 1, "it was committed");
            let other = claim_through(&ledger, &intent, "another").await;
            assert_eq!(other.answer, ClaimAnswer::InFlight);
            let grant = grant_of(&claim_through(&ledger, &intent, "mine").await);
            assert_eq!((grant.attempt, grant.replayed), (1, true));

            proxy.cut_next();
            lost(ledger.succeed(&mailer, &intent.key(), success(1, "7")).await);
            proxy.was_cut(2);
            let done = ledger
                .succeed(&mailer, &intent.key(), success(1, "7"))
                .await
                .unwrap();
            assert!(done.answer.replayed && !done.answer.late);
            assert_eq!(done.action.result.as_deref(), Some("7"));
            assert_eq!(db.history(&intent).await, ["claimed", "succeeded"], "each once");

            let held = mail("run-2");
            let version = db.held(&held).await.version;
            let decide = async || {
                let (ada, key) = (person("ada"), held.key());
                ledger
                    .decide(&ada, &key, Decision::Retry, "why", version, None)
                    .await
            };
            proxy.cut_next();
            lost(decide().await);
            proxy.was_cut(3);
            let decided = decide().await.unwrap();
            assert_eq!(
                (decided.replayed, decided.action.status),
                (true, Status::Released)
            );
            let told = db.history(&held).await;
            assert_eq!(told.iter().filter(|e| *e == "decided").count(), 1);
            ledger.close().await;
        })
        .await;
    }

    /// What a worker embeds gets over it alone: one effect, although every answer is lost the first time.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn case_a34_an_effect_runs_once_although_its_answers_are_lost() {
        run(Db::postgres().await, |db| async move {
            db.set("send_email", swift(Recovery::Unverifiable)).await;
            let (proxy, through) = Proxy::before(&db.url).await;
            let ledger = Ledger::open_existing(&through).await.unwrap();
            let effects = Arc::new(AtomicU32::new(0));
            let intent = mail("run-1");
            let counted = effects.clone();
            let cutting = proxy.to_cut.clone();
            let effect = move |_: Once| async move {
                counted.fetch_add(1, Ordering::SeqCst);
                // The report's answer is lost as well.
                cutting.fetch_add(1, Ordering::SeqCst);
                Ok::<_, holdpoint::EffectError>(7)
            };
            proxy.cut_next();
            let done: i32 = ledger.once("mailer-1", &intent, effect).await.unwrap();
            assert_eq!((done, effects.load(Ordering::SeqCst)), (7, 1));
            proxy.was_cut(2);
            assert_eq!(db.action(&intent).await.status, Status::Succeeded);
            ledger.close().await;
        })
        .await;
    }
}
