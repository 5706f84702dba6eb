//! An identity provider on this machine that says whatever the test wants, signed or not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use openidconnect::JsonWebKeyId;
use openidconnect::PrivateSigningKey as _;
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreJwsSigningAlgorithm};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;

pub const CLIENT: &str = "holdpoint";
pub const SECRET: &str = "a secret of client and provider";
/// What the ID token of an honest provider names.
pub const ACCESS_TOKEN: &str = "access-1";

/// A provider that answers until it is dropped.
pub struct Provider {
    pub issuer: String,
    said: Arc<Mutex<Said>>,
    task: tokio::task::JoinHandle<()>,
}

/// What it says when it is asked.
#[derive(Default)]
struct Said {
    metadata: Value,
    keys: Vec<Value>,
    tokens: HashMap<String, (String, Value)>,
    user_info: Value,
    away: bool,
    elsewhere: bool,
}

type Shared = State<Arc<Mutex<Said>>>;

impl Provider {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let said = Said {
            metadata: json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/auth"),
                "token_endpoint": format!("{issuer}/token"),
                "userinfo_endpoint": format!("{issuer}/me"),
                "jwks_uri": format!("{issuer}/keys"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA"],
            }),
            ..Said::default()
        };
        let said = Arc::new(Mutex::new(said));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/me", get(user_info))
            .with_state(Arc::clone(&said));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let provider = Self { issuer, said, task };
        provider.publish(&[&Key::new("key-1", 1)]);
        provider
    }

    fn say(&self, change: impl FnOnce(&mut Said)) {
        change(&mut self.said.lock().unwrap());
    }

    /// These keys and no others sign from now on.
    pub fn publish(&self, keys: &[&Key]) {
        let keys = keys.iter().map(|key| key.public()).collect();
        self.say(|said| said.keys = keys);
    }

    /// Answers nothing but 503, or answers again.
    pub fn go_away(&self, away: bool) {
        self.say(|said| said.away = away);
    }

    /// Sends whoever asks for its pages to another address.
    pub fn lead_elsewhere(&self) {
        self.say(|said| said.elsewhere = true);
    }

    pub fn describe_itself(&self, member: &str, value: Value) {
        self.say(|said| said.metadata[member] = value);
    }

    /// What its user info says to who shows the access token.
    pub fn know(&self, claims: Value) {
        self.say(|said| said.user_info = claims);
    }

    /// The tokens for a code, handed out once to who knows what the challenge was made of.
    pub fn grant(&self, code: &str, challenge: &str, tokens: Value) {
        let granted = (challenge.to_owned(), tokens);
        self.say(|said| _ = said.tokens.insert(code.to_owned(), granted));
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn pages(said: &Said, page: &Value) -> Response {
    match said {
        Said { away: true, .. } => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Said { elsewhere: true, .. } => Redirect::temporary("/.well-known/other").into_response(),
        _ => Json(page).into_response(),
    }
}

async fn metadata(State(said): Shared) -> Response {
    let said = said.lock().unwrap();
    pages(&said, &said.metadata)
}

async fn keys(State(said): Shared) -> Response {
    let said = said.lock().unwrap();
    pages(&said, &json!({"keys": said.keys}))
}

async fn token(
    State(said): Shared,
    headers: HeaderMap,
    Form(asked): Form<HashMap<String, String>>,
) -> Response {
    let mut said = said.lock().unwrap();
    if said.away {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let credentials = STANDARD.encode(format!("{CLIENT}:{}", SECRET.replace(' ', "+")));
    let known = headers
        .get("authorization")
        .is_some_and(|sent| *sent == format!("Basic {credentials}"));
    let granted = said.tokens.remove(&asked["code"]);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&asked["code_verifier"]));
    match granted {
        Some((expected, tokens)) if known && expected == challenge => Json(tokens).into_response(),
        _ => (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response(),
    }
}

async fn user_info(State(said): Shared, headers: HeaderMap) -> Response {
    let said = said.lock().unwrap();
    let shown = headers
        .get("authorization")
        .is_some_and(|sent| *sent == format!("Bearer {ACCESS_TOKEN}"));
    match &said.user_info {
        Value::Object(_) if shown => Json(&said.user_info).into_response(),
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}

/// A key that signs, the same for the same seed.
pub struct Key(CoreEdDsaPrivateSigningKey, String);

impl Key {
    pub fn new(id: &str, seed: u8) -> Self {
        // PKCS #8 around the 32 bytes of an Ed25519 key.
        let mut der = vec![
            0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
        ];
        der.extend([seed; 32]);
        let label = "PRIVATE KEY";
        let pem = format!(
            "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
            STANDARD.encode(der)
        );
        let key = CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(JsonWebKeyId::new(id.to_owned())));
        Self(key.unwrap(), id.to_owned())
    }

    fn public(&self) -> Value {
        serde_json::to_value(self.0.as_verification_key()).unwrap()
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(&json!({"alg": "EdDSA", "kid": self.1}), claims)
    }

    /// A token with another header.
    pub fn sign_as(&self, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        let signature = self
            .0
            .sign(&CoreJwsSigningAlgorithm::EdDsa, text.as_bytes())
            .unwrap();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// A token's first two parts.
pub fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}
