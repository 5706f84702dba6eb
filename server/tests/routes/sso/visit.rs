//! A server that takes an identity provider's word, and a browser that goes to and fro between them.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Request;
use holdpoint::Pools;
use holdpoint_server::auth::Address;
use holdpoint_server::auth::oidc::{Oidc, Said};
use holdpoint_server::router;
use holdpoint_server::state::AppState;
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;
use url::Url;

use super::provider::{ACCESS_TOKEN, CLIENT, Key, Provider, SECRET};
use crate::support::{Answer, HOST, Server, User};

/// A server, its provider, and what the server has logged.
pub struct Site {
    pub server: Server,
    pub provider: Provider,
    pub log: Log,
}

/// What a browser holds while somebody is at the provider.
pub struct Visit {
    pub state: String,
    pub nonce: String,
    pub challenge: String,
    pub cookie: String,
}

impl Site {
    pub async fn start() -> Self {
        Self::public(None).await
    }

    pub async fn public(url: Option<&str>) -> Self {
        let log = Log::listen();
        let provider = Provider::start().await;
        let mut server = Server::public(url).await;
        let said: Said = serde_json::from_value(json!({
            "issuer": provider.issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "name": "Example <b>ID</b>",
            "allow": ["@example.com", "guest@partner.test"],
            "roles": ["hp-admins=admin", "hp-ops=operator", "hp-look=viewer"],
        }))
        .unwrap();
        let address = Address::new(HOST.parse().unwrap(), url, &[]).unwrap();
        let oidc = Oidc::new(said.settings().unwrap().unwrap(), &address).unwrap();
        let state = AppState::new(server.ledger.clone(), address);
        server.router = router(state.signing_in_by(Some(oidc)));
        Self {
            server,
            provider,
            log,
        }
    }

    pub fn browser(&self) -> User {
        self.server.anonymous()
    }

    /// The page that an answer leads to.
    pub async fn page_after(&self, answer: &Answer) -> Answer {
        let kept: Vec<_> = cookies(answer).filter(|pair| !pair.ends_with('=')).collect();
        let request = Request::get(answer.header("location").unwrap()).header("cookie", kept.join("; "));
        self.browser().call(request, Body::empty()).await
    }

    /// Goes to the provider.
    pub async fn leave(&self, next: &str) -> Visit {
        let away = self.browser().get(&format!("/login/sso?next={next}")).await;
        assert_eq!(away.status, 303, "{}", away.text());
        let url = Url::parse(away.header("location").unwrap()).unwrap();
        let member = |name: &str| {
            let found = url.query_pairs().find(|(n, _)| n == name);
            found.map_or_else(|| panic!("no {name}: {url}"), |(_, value)| value.into_owned())
        };
        assert!(
            url.as_str()
                .starts_with(&format!("{}/auth?", self.provider.issuer)),
            "{url}"
        );
        assert_eq!(member("code_challenge_method"), "S256");
        assert_eq!(member("response_type"), "code");
        assert_eq!(member("scope"), "openid email profile");
        Visit {
            state: member("state"),
            nonce: member("nonce"),
            challenge: member("code_challenge"),
            cookie: under_way(&away).unwrap().to_owned(),
        }
    }

    /// What an honest provider says of Ada in this visit.
    pub async fn ada(&self, visit: &Visit) -> Value {
        let now = self.server.ledger.now().await.unwrap().micros() / 1_000_000;
        json!({
            "iss": self.provider.issuer,
            "sub": "sub-ada",
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": visit.nonce,
            "email": "ada@example.com",
            "email_verified": true,
            "groups": ["hp-ops"],
        })
    }

    /// Comes back with a code for this ID token.
    pub async fn come_back(&self, visit: &Visit, id_token: &str) -> Answer {
        self.grant(visit, json!({"id_token": id_token}));
        self.come_back_with(visit, &format!("state={}&code=code-1", visit.state))
            .await
    }

    /// Hands out tokens for the code of this visit.
    pub fn grant(&self, visit: &Visit, mut tokens: Value) {
        tokens["access_token"] = json!(ACCESS_TOKEN);
        tokens["token_type"] = json!("Bearer");
        self.provider.grant("code-1", &visit.challenge, tokens);
    }

    pub async fn come_back_with(&self, visit: &Visit, query: &str) -> Answer {
        self.call_back(&visit.cookie, query).await
    }

    pub async fn call_back(&self, cookie: &str, query: &str) -> Answer {
        let request = Request::get(format!("/login/sso/callback?{query}")).header("cookie", cookie);
        self.browser().call(request, Body::empty()).await
    }

    /// A whole visit of somebody who is Ada but for these claims; null takes one away.
    pub async fn sign_in(&self, changed: Value) -> Answer {
        let visit = self.leave("/review").await;
        let claims = changed_by(self.ada(&visit).await, changed);
        self.come_back(&visit, &Key::new("key-1", 1).sign(&claims)).await
    }

    /// What a session's cookie is worth: the status of a page that wants one.
    pub async fn worth(&self, cookie: &str) -> Answer {
        let request = Request::get("/api/v1/actions").header("cookie", cookie);
        self.browser().call(request, Body::empty()).await
    }

    /// Moves the database's clock on.
    pub async fn pass(&self, seconds: i64) {
        let Pools::Sqlite(pool) = self.server.ledger.pools() else {
            panic!("these tests run on SQLite");
        };
        let moved = "UPDATE clock SET newest = (SELECT now FROM database_clock) + $1";
        sqlx::query(moved)
            .bind(seconds * 1_000_000)
            .execute(&pool)
            .await
            .unwrap();
    }
}

pub fn changed_by(mut claims: Value, changed: Value) -> Value {
    let Value::Object(changed) = changed else {
        panic!("claims are an object");
    };
    let all = claims.as_object_mut().unwrap();
    for (name, value) in changed {
        match value {
            Value::Null => _ = all.remove(&name),
            value => _ = all.insert(name, value),
        }
    }
    claims
}

/// The cookies that an answer sets, as a browser sends them back.
fn cookies(answer: &Answer) -> impl Iterator<Item = &str> {
    let set = answer.headers.get_all("set-cookie").iter();
    set.filter_map(|value| value.to_str().unwrap().split(';').next())
}

/// The cookie of a sign-in that is under way; empty where it is taken away.
pub fn under_way(answer: &Answer) -> Option<&str> {
    cookies(answer).find(|pair| pair.contains("-sso="))
}

/// Where an answer leads, and the word for what the page there is to say.
pub fn leads(answer: &Answer) -> String {
    let told = cookies(answer).find_map(|pair| pair.strip_prefix("told=")?.split('.').next());
    format!(
        "{} {}",
        answer.header("location").unwrap_or_default(),
        told.unwrap_or_default()
    )
}

/// The session that an answer begins, and what the browser remembers of the way it came.
pub fn session(answer: &Answer) -> Option<String> {
    let kept: Vec<_> = cookies(answer)
        .filter(|pair| !pair.contains("-sso=") && !pair.ends_with('='))
        .collect();
    kept.iter()
        .any(|pair| pair.starts_with("holdpoint"))
        .then(|| kept.join("; "))
}

/// What is logged in this test.
pub struct Log {
    written: Written,
    _guard: tracing::subscriber::DefaultGuard,
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn listen() -> Self {
        let written = Written::default();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(tracing::Level::TRACE)
            .with_writer(written.clone())
            .finish();
        Self {
            written,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// What was logged since this was asked last.
    pub fn read(&self) -> String {
        let bytes = std::mem::take(&mut *self.written.0.lock().unwrap());
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Written {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
