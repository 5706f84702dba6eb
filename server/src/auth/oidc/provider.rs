//! The provider as it says of itself: found by its issuer, kept fresh, and asked who somebody is.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use holdpoint::Time;
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod, CoreErrorResponseType,
    CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm,
    CoreProviderMetadata, CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse,
    CoreTokenType,
};
use openidconnect::{
    AuthType, Client, ClientSecret, CsrfToken, DiscoveryError, EmptyExtraTokenFields, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, IdTokenFields, Nonce, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    StandardErrorResponse, StandardTokenResponse,
};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::claims::Extra;
use super::dial::{Dialler, Unanswered};
use super::settings::Settings;
use crate::problem::chain;

/// How often what the provider says of itself is read anew: its keys change in time.
const FRESH: Duration = Duration::from_hours(1);
/// The first and the longest wait before a provider that did not answer is asked again.
const AGAIN: (Duration, Duration) = (Duration::from_secs(2), Duration::from_mins(1));

pub(super) type Tokens = StandardTokenResponse<
    IdTokenFields<
        Extra,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;

/// This server as the provider's client.
pub(super) type Party = Client<
    Extra,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Why somebody does not come in. What is said here is for the log; the page says less.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The provider does not answer, or not as one.
    #[error("the identity provider can't be used: {0}")]
    Unreachable(String),
    /// What it said, or what came back from the browser, lets nobody in.
    #[error("{0}")]
    Refused(String),
}

/// What goes to the provider with the browser.
pub(super) struct Begun {
    pub url: Url,
    pub state: CsrfToken,
    pub nonce: Nonce,
    pub verifier: PkceCodeVerifier,
}

/// The provider.
pub struct Provider {
    pub(super) settings: Settings,
    pub(super) dialler: Dialler,
    redirect: RedirectUrl,
    known: RwLock<Option<Arc<Party>>>,
    /// Who waits for a turn finds what the one before has read.
    turn: Mutex<()>,
}

impl Provider {
    pub(super) fn new(settings: Settings, redirect: RedirectUrl) -> Result<Self, reqwest::Error> {
        Ok(Self {
            dialler: Dialler::new(&settings.issuer)?,
            settings,
            redirect,
            known: RwLock::default(),
            turn: Mutex::default(),
        })
    }

    /// Keeps what is known of the provider fresh, until the server stops. A provider that is away keeps nobody waiting.
    pub async fn keep(&self, stopping: CancellationToken) {
        let mut wait = AGAIN.0;
        loop {
            let pause = match self.read(None).await {
                Ok(_) => {
                    wait = AGAIN.0;
                    FRESH
                }
                Err(error) => {
                    tracing::warn!(%error, issuer = self.settings.issuer.as_str(), "nobody can sign in by the provider now");
                    let now = wait;
                    wait = (wait * 2).min(AGAIN.1);
                    now
                }
            };
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Where to send a browser, and what has to come back with it.
    pub(super) async fn begin(&self) -> Result<Begun, Failure> {
        let party = self.party().await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let request = party.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            CsrfToken::new_random,
            Nonce::new_random,
        );
        let scopes = self.settings.scopes.iter().cloned();
        let (url, state, nonce) = request.add_scopes(scopes).set_pkce_challenge(challenge).url();
        Ok(Begun {
            url,
            state,
            nonce,
            verifier,
        })
    }

    /// This server as a client, read now where the provider never answered before.
    pub(super) async fn party(&self) -> Result<Arc<Party>, Failure> {
        match self.last_read() {
            Some(party) => Ok(party),
            None => self.read(None).await,
        }
    }

    /// The same, read anew where nobody has done so since `than`: a key was used that is not among its own.
    pub(super) async fn fresher(&self, than: &Arc<Party>) -> Result<Arc<Party>, Failure> {
        self.read(Some(than)).await
    }

    fn last_read(&self) -> Option<Arc<Party>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// One asks at a time, and those who waited meanwhile take what was found.
    async fn read(&self, than: Option<&Arc<Party>>) -> Result<Arc<Party>, Failure> {
        let Ok(_turn) = self.turn.try_lock() else {
            let _done = self.turn.lock().await;
            let found = self
                .last_read()
                .filter(|found| than.is_none_or(|than| !Arc::ptr_eq(found, than)));
            return found.ok_or_else(|| Failure::Unreachable("it did not answer a moment ago".to_owned()));
        };
        let metadata = CoreProviderMetadata::discover_async(self.settings.issuer.clone(), &self.dialler)
            .await
            .map_err(|error| Failure::Unreachable(undiscovered(&error)))?;
        let party = Arc::new(self.client(metadata));
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&party));
        tracing::info!(
            issuer = self.settings.issuer.as_str(),
            "the identity provider was read"
        );
        Ok(party)
    }

    fn client(&self, metadata: CoreProviderMetadata) -> Party {
        let methods = metadata.token_endpoint_auth_methods_supported();
        let only_in_body = methods.is_some_and(|methods| {
            !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                && methods.contains(&CoreClientAuthMethod::ClientSecretPost)
        });
        let secret = ClientSecret::new(self.settings.client_secret.0.clone());
        let party = Client::from_provider_metadata(metadata, self.settings.client_id.clone(), Some(secret))
            .set_redirect_uri(self.redirect.clone());
        if only_in_body {
            party.set_auth_type(AuthType::RequestBody)
        } else {
            party
        }
    }
}

/// What the library says, without what the provider sent.
fn undiscovered(error: &DiscoveryError<Unanswered>) -> String {
    match error {
        DiscoveryError::Parse(error) => format!("its pages can't be read at {}", error.path()),
        other => chain(other),
    }
}

/// The database's time as the library wants it.
pub(super) fn moment(now: Time) -> SystemTime {
    let since = Duration::from_micros(u64::try_from(now.micros()).unwrap_or_default());
    SystemTime::UNIX_EPOCH + since
}
