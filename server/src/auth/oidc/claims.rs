//! What a provider says of somebody: a code is exchanged for tokens, and nothing in them is believed before their
//! signature, issuer, audience, nonce and time were checked.

use std::sync::Arc;

use holdpoint::Time;
use openidconnect::core::CoreJwsSigningAlgorithm::{
    EcdsaP256Sha256, EcdsaP384Sha384, EdDsa, RsaSsaPkcs1V15Sha256, RsaSsaPkcs1V15Sha384,
    RsaSsaPkcs1V15Sha512, RsaSsaPssSha256, RsaSsaPssSha384, RsaSsaPssSha512,
};
use openidconnect::core::{CoreGenderClaim, CoreIdTokenVerifier, CoreJsonWebKey, CoreJwsSigningAlgorithm};
use openidconnect::{
    AccessToken, AccessTokenHash, AdditionalClaims, AuthorizationCode, ClaimsVerificationError,
    IdTokenClaims, Nonce, OAuth2TokenResponse as _, PkceCodeVerifier, RequestTokenError,
    SignatureVerificationError, StandardClaims, SubjectIdentifier, TokenResponse as _, UserInfoClaims,
    UserInfoError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dial::Unanswered;
use super::provider::{Failure, Party, Provider, Tokens, moment};
use super::roles::{Unreadable, groups};
use crate::problem::chain;

/// What may sign: keys that the provider publishes. No shared secret, and never nothing.
const SIGNED_BY: [CoreJwsSigningAlgorithm; 9] = [
    RsaSsaPkcs1V15Sha256,
    RsaSsaPkcs1V15Sha384,
    RsaSsaPkcs1V15Sha512,
    RsaSsaPssSha256,
    RsaSsaPssSha384,
    RsaSsaPssSha512,
    EcdsaP256Sha256,
    EcdsaP384Sha384,
    EdDsa,
];

/// Claims that are not in every provider's words.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Extra {
    #[serde(flatten)]
    all: Map<String, Value>,
}

impl AdditionalClaims for Extra {}

/// Somebody as the provider describes them.
#[derive(Debug)]
pub struct Described {
    pub subject: String,
    /// The address, and whether the provider says that it is theirs.
    pub email: Option<(String, bool)>,
    /// Their groups, or why they can't be read.
    pub groups: Result<Vec<String>, Unreadable>,
}

impl Provider {
    /// Who came back with this code.
    pub(super) async fn describe(
        &self,
        code: String,
        nonce: &Nonce,
        verifier: String,
        now: Time,
    ) -> Result<Described, Failure> {
        let party = self.party().await?;
        let tokens = party
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|_| Failure::Unreachable("it names no token endpoint".to_owned()))?
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request_async(&self.dialler)
            .await
            .map_err(|error| unexchanged(&error))?;
        let claims = match checked(&party, &tokens, nonce, now) {
            Err(ClaimsVerificationError::SignatureVerification(
                SignatureVerificationError::NoMatchingKey,
            )) => checked(&*self.fresher(&party).await?, &tokens, nonce, now),
            other => other,
        };
        let claims = claims
            .map_err(|error| Failure::Refused(format!("the ID token is refused: {}", chain(&error))))?;
        let told = Told::in_token(claims);
        let subject = claims.subject().clone();
        let claim = &self.settings.groups_claim;
        // A provider may keep for its user info what it was asked for by scopes.
        let asked = if told.lacks_email()
            || groups(&told.extra, claim).is_err_and(|e| matches!(e, Unreadable::Absent(_)))
        {
            self.user_info(&party, tokens.access_token(), &subject).await?
        } else {
            None
        };
        Ok(described(subject.as_str(), told, asked, claim))
    }

    async fn user_info(
        &self,
        party: &Arc<Party>,
        token: &AccessToken,
        subject: &SubjectIdentifier,
    ) -> Result<Option<Told>, Failure> {
        // The library would end the task over a token that can't stand in a header.
        if http::HeaderValue::from_str(token.secret()).is_err() {
            return Err(Failure::Refused("the access token can't be sent back".to_owned()));
        }
        let Ok(request) = party.user_info(token.clone(), Some(subject.clone())) else {
            return Ok(None);
        };
        let answer: Result<UserInfoClaims<Extra, CoreGenderClaim>, _> =
            request.request_async(&self.dialler).await;
        match answer {
            Ok(claims) => Ok(Some(Told::new(
                claims.standard_claims(),
                claims.additional_claims(),
            ))),
            Err(UserInfoError::Request(error)) => Err(Failure::Unreachable(chain(&error))),
            Err(UserInfoError::Parse(error)) => Err(Failure::Refused(format!(
                "the user info can't be read at {}",
                error.path()
            ))),
            Err(error) => Err(Failure::Refused(format!(
                "the user info is refused: {}",
                chain(&error)
            ))),
        }
    }
}

/// What one answer of the provider says.
struct Told {
    email: Option<String>,
    verified: Option<bool>,
    extra: Map<String, Value>,
}

impl Told {
    fn in_token(claims: &IdTokenClaims<Extra, CoreGenderClaim>) -> Self {
        Self {
            email: claims.email().map(|email| email.as_str().to_owned()),
            verified: claims.email_verified(),
            extra: claims.additional_claims().all.clone(),
        }
    }

    fn new(claims: &StandardClaims<CoreGenderClaim>, extra: &Extra) -> Self {
        Self {
            email: claims.email().map(|email| email.as_str().to_owned()),
            verified: claims.email_verified(),
            extra: extra.all.clone(),
        }
    }

    const fn lacks_email(&self) -> bool {
        self.email.is_none() || self.verified.is_none()
    }

    /// The address with the word on it, out of one answer: neither half counts for the other's.
    fn email(self) -> Option<(String, bool)> {
        Some((self.email?, self.verified == Some(true)))
    }
}

/// Where both answers say something, the signed one counts.
fn described(subject: &str, token: Told, asked: Option<Told>, claim: &str) -> Described {
    let own = |read: Vec<&str>| read.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let in_token = groups(&token.extra, claim).map(own);
    let groups = match (&asked, in_token) {
        (Some(asked), Err(Unreadable::Absent(_))) => groups(&asked.extra, claim).map(own),
        (_, known) => known,
    };
    let email = match asked {
        Some(asked) if token.lacks_email() && !asked.lacks_email() => asked.email(),
        _ => token.email(),
    };
    Described {
        subject: subject.to_owned(),
        email,
        groups,
    }
}

/// The claims of the ID token, by the database's clock.
fn checked<'t>(
    party: &Party,
    tokens: &'t Tokens,
    nonce: &Nonce,
    now: Time,
) -> Result<&'t IdTokenClaims<Extra, CoreGenderClaim>, ClaimsVerificationError> {
    let Some(token) = tokens.id_token() else {
        return Err(ClaimsVerificationError::Other("there is none".to_owned()));
    };
    let at = moment(now);
    let verifier: CoreIdTokenVerifier<'_> = party.id_token_verifier();
    let verifier = verifier
        .set_allowed_algs(SIGNED_BY)
        .set_time_fn(move || at.into());
    let claims = token.claims(&verifier, nonce)?;
    if let Some(hash) = claims.access_token_hash() {
        let signed = ClaimsVerificationError::SignatureVerification;
        let (alg, key) = (
            token.signing_alg().map_err(signed)?,
            token.signing_key(&verifier).map_err(signed)?,
        );
        let found = AccessTokenHash::from_token::<CoreJsonWebKey>(tokens.access_token(), alg, key);
        if found.ok().as_ref() != Some(hash) {
            return Err(ClaimsVerificationError::Other(
                "the access token is not the one it names".to_owned(),
            ));
        }
    }
    Ok(claims)
}

/// What the library says, without what the provider sent: there may be a token in that.
fn unexchanged<T: openidconnect::ErrorResponse + 'static>(
    error: &RequestTokenError<Unanswered, T>,
) -> Failure {
    match error {
        RequestTokenError::Request(error) => Failure::Unreachable(chain(error)),
        RequestTokenError::ServerResponse(said) => {
            Failure::Refused(format!("the provider refused the code: {said:?}"))
        }
        RequestTokenError::Parse(error, _) => {
            Failure::Refused(format!("the provider's tokens can't be read at {}", error.path()))
        }
        RequestTokenError::Other(what) => Failure::Refused(format!("the provider sent no tokens: {what}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(email: Option<&str>, verified: Option<bool>, extra: Value) -> Told {
        let Value::Object(extra) = extra else {
            panic!("claims are an object");
        };
        Told {
            email: email.map(str::to_owned),
            verified,
            extra,
        }
    }

    #[test]
    fn case_d04_an_address_and_the_word_on_it_come_from_one_answer() {
        let (ada, eve) = (Some("ada@example.com"), Some("eve@example.com"));
        let email = |token, asked| described("sub", token, asked, "groups").email;
        let yes = Some(true);
        assert_eq!(
            email(told(ada, yes, json!({})), Some(told(eve, yes, json!({})))),
            Some(("ada@example.com".into(), true)),
            "the signed answer counts"
        );
        assert_eq!(
            email(told(ada, None, json!({})), Some(told(eve, yes, json!({})))),
            Some(("eve@example.com".into(), true)),
            "nobody's address is verified by another's"
        );
        assert_eq!(
            email(told(ada, Some(false), json!({})), Some(told(ada, yes, json!({})))),
            Some(("ada@example.com".into(), false))
        );
        for asked in [
            None,
            Some(told(None, yes, json!({}))),
            Some(told(eve, None, json!({}))),
        ] {
            assert_eq!(
                email(told(ada, None, json!({})), asked),
                Some(("ada@example.com".into(), false))
            );
        }
        assert_eq!(email(told(None, yes, json!({})), None), None);
    }

    #[test]
    fn case_d52_groups_that_the_token_leaves_out_are_asked_for() {
        let token = |extra| told(None, None, extra);
        let read = |first, second| described("sub", first, second, "groups").groups;
        let asked = || Some(token(json!({"groups": ["b"]})));
        assert_eq!(
            read(token(json!({"groups": ["a"]})), asked()),
            Ok(vec!["a".into()])
        );
        assert_eq!(read(token(json!({"groups": []})), asked()), Ok(vec![]));
        assert_eq!(read(token(json!({})), asked()), Ok(vec!["b".into()]));
        assert!(matches!(read(token(json!({})), None), Err(Unreadable::Absent(_))));
        assert!(matches!(
            read(token(json!({"hasgroups": true})), asked()),
            Err(Unreadable::Elsewhere(_))
        ));
    }
}
