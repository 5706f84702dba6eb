//! `/login/sso` and what comes back from the provider. Whoever is not let in hears one sentence; why stands in the log.

use std::net::IpAddr;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use holdpoint::ledger::{self, Arrival, Presented};
use holdpoint::{Actor, BeganBy};
use holdpoint_app::Told;
use openidconnect::Nonce;
use serde::Deserialize;
use tower_sessions::Session;

use super::claims::Described;
use super::flow::{Flow, LASTS_S};
use super::provider::Failure;
use super::{Oidc, way};
use crate::auth::sign_in::{see_other, tell};
use crate::auth::{Peer, local, sessions, strangers};
use crate::problem::Problem;
use crate::state::AppState;
use crate::ways::login_url;

/// Where a browser is sent to the provider from.
pub const BEGIN: &str = "/login/sso";
/// Where the provider sends it back to.
pub const CALLBACK: &str = "/login/sso/callback";
/// The longest address to go on to that is taken along: it travels in a cookie.
const NEXT_BYTES: usize = 2000;

#[derive(Deserialize)]
pub struct Going {
    #[serde(default)]
    next: String,
}

/// What comes back. Everything else that a provider adds is nobody's business here.
#[derive(Deserialize)]
pub struct Back {
    state: Option<String>,
    code: Option<String>,
    iss: Option<String>,
    error: Option<String>,
}

/// How somebody did not come in.
enum Ended {
    /// What is said of it to everyone is the same.
    Refused(String),
    NoRole(String),
    Unreachable(String),
    /// A fault of ours.
    Problem(Problem),
}

impl From<Problem> for Ended {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<ledger::Error> for Ended {
    fn from(error: ledger::Error) -> Self {
        Self::Problem(error.into())
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreachable(_) => Self::Unreachable(failure.to_string()),
            Failure::Refused(why) => Self::Refused(why),
        }
    }
}

/// `GET /login/sso`
pub async fn begin(
    State(state): State<AppState>,
    going: Result<Query<Going>, QueryRejection>,
) -> Result<Response, Problem> {
    let next = going.map(|Query(going)| going.next).unwrap_or_default();
    let next = Some(local(&next))
        .filter(|next| next.len() <= NEXT_BYTES)
        .unwrap_or("/");
    let Some(oidc) = &state.oidc else {
        return Ok(see_other(&login_url(next)));
    };
    let begun = match oidc.0.provider.begin().await {
        Ok(begun) => begun,
        Err(failure) => return not_in(&state, failure.into(), next),
    };
    let flow = Flow {
        state: begun.state.secret().clone(),
        nonce: begun.nonce.secret().clone(),
        verifier: begun.verifier.secret().clone(),
        next: next.to_owned(),
        begun: state.ledger.now().await?.micros(),
    };
    let mut response = see_other(begun.url.as_str());
    oidc.set_cookie(&mut response, &oidc.0.seal.close(&flow), LASTS_S);
    Ok(response)
}

/// `GET /login/sso/callback`
pub async fn callback(
    State(state): State<AppState>,
    axum::Extension(Peer(from)): axum::Extension<Peer>,
    session: Session,
    headers: HeaderMap,
    back: Result<Query<Back>, QueryRejection>,
) -> Result<Response, Problem> {
    let Some(oidc) = &state.oidc else {
        return Ok(see_other(&login_url("/")));
    };
    // It counts as one that lets nobody in until it did.
    let attempt = match from {
        None => None,
        Some(from) => match state.ledger.begin_arrival(from).await? {
            Ok(attempt) => Some(attempt),
            Err(_) => return Ok(tell(&state, &login_url("/"), Told::SsoBusy, "")),
        },
    };
    // Nobody's sign-in is ended by an answer that is not its own: its cookie stays.
    let (back, flow) = match own(oidc, &headers, back) {
        Ok(own) => own,
        Err(ended) => return not_in(&state, ended, "/"),
    };
    let next = local(&flow.next);
    let mut response = match enter(oidc, &state, &session, back, (&flow, from)).await {
        Ok(()) => {
            if let Some(attempt) = attempt {
                state.ledger.sign_in_was_right(attempt).await?;
            }
            let mut inside = see_other(next);
            if let Some(cookie) = way::taken(oidc.0.https) {
                inside.headers_mut().append(header::SET_COOKIE, cookie);
            }
            inside
        }
        Err(ended) => {
            strangers::sign_in_failed(&state.ledger, "", from).await;
            not_in(&state, ended, next)?
        }
    };
    oidc.set_cookie(&mut response, "", 0);
    Ok(response)
}

/// The sign-in of this browser that the answer belongs to.
fn own(
    oidc: &Oidc,
    headers: &HeaderMap,
    back: Result<Query<Back>, QueryRejection>,
) -> Result<(Back, Flow), Ended> {
    let refused = |why: &str| Ended::Refused(why.to_owned());
    let Query(back) = back.map_err(|_| refused("the answer's query can't be read"))?;
    let state = back
        .state
        .as_deref()
        .ok_or_else(|| refused("the answer has no state"))?;
    let own = oidc.cookies(headers).find(|flow| flow.state == state);
    let own = own.ok_or_else(|| refused("the answer's state is of no sign-in that this browser began"))?;
    Ok((back, own))
}

async fn enter(
    oidc: &Oidc,
    state: &AppState,
    session: &Session,
    back: Back,
    (flow, from): (&Flow, Option<IpAddr>),
) -> Result<(), Ended> {
    let refused = |why: &str| Err(Ended::Refused(why.to_owned()));
    let settings = &oidc.0.provider.settings;
    let now = state.ledger.now().await?;
    if !flow.is_fresh(now) {
        return refused("the sign-in was begun too long ago");
    }
    if !state.ledger.use_sign_in_state(&flow.state).await? {
        return refused("the answer came before");
    }
    if back.iss.is_some_and(|iss| iss != settings.issuer.as_str()) {
        return refused("the answer is another provider's");
    }
    if let Some(error) = back.error {
        return refused(&format!("the provider let nobody come: {:?}", cut(&error)));
    }
    let Some(code) = back.code else {
        return refused("the answer has no code");
    };
    let nonce = Nonce::new(flow.nonce.clone());
    let somebody = oidc
        .0
        .provider
        .describe(code, &nonce, flow.verifier.clone(), now)
        .await?;
    let presented = present(oidc, somebody)?;
    let (issuer, subject) = (presented.issuer.clone(), presented.subject.clone());
    let who = || format!("issuer {issuer:?}, subject {:?}", cut(&subject));
    let entry = match state.ledger.enter(presented).await {
        Err(ledger::Error::Invalid { field, .. }) => {
            return refused(&format!(
                "the {field} that the provider names can't be kept: {}",
                who()
            ));
        }
        entry => entry?,
    };
    match entry {
        Arrival::In { operator, before } => {
            let (by, lasts) = (BeganBy::Sso, Some(way::LASTS));
            sessions::begin_by(session, &operator.name, operator.epoch, by, lasts).await?;
            let (name, role) = (operator.name, operator.role);
            let actor = Actor::person(&*name, role).calling_from(from);
            state.ledger.signed_in(&actor).await?;
            match before {
                Some(before) if before != role => {
                    tracing::info!(operator = name, %role, %before, "signed in by the provider, with another role");
                }
                Some(_) => tracing::info!(operator = name, %role, "signed in by the provider"),
                None => {
                    tracing::info!(operator = name, %role, "signed in by the provider, for the first time");
                }
            }
            Ok(())
        }
        Arrival::NoRole => Err(Ended::NoRole(format!(
            "none of their groups has a role: {}",
            who()
        ))),
        Arrival::Disabled { name } => refused(&format!("the operator {name} is disabled")),
        Arrival::NameTaken => refused(&format!(
            "there is an operator of their name already, who is somebody else: `holdpoint operator link NAME` makes \
             an operator theirs, with {}",
            who()
        )),
        Arrival::UnfitName => refused(&format!(
            "their address can't be a name here: add an operator and `holdpoint operator link NAME`, with {}",
            who()
        )),
    }
}

/// Whom the ledger is asked to let in: a verified address that may come, and a role.
fn present(oidc: &Oidc, somebody: Described) -> Result<Presented, Ended> {
    let settings = &oidc.0.provider.settings;
    let refused = |why: String| Ended::Refused(why);
    let (email, verified) = somebody
        .email
        .ok_or_else(|| refused("the provider names no address".to_owned()))?;
    if !verified {
        return Err(refused(format!(
            "the provider has not verified the address {:?}",
            cut(&email)
        )));
    }
    let email = settings.allow.lets(&email).ok_or_else(|| {
        refused(format!(
            "the address {:?} is not among those that may come in",
            cut(&email)
        ))
    })?;
    let groups = somebody
        .groups
        .map_err(|unreadable| refused(unreadable.to_string()))?;
    let groups: Vec<_> = groups.iter().map(String::as_str).collect();
    Ok(Presented {
        issuer: settings.issuer.as_str().to_owned(),
        subject: somebody.subject,
        email,
        role: settings.roles.of(&groups),
    })
}

/// The page says what everyone may know, the log says why.
fn not_in(state: &AppState, ended: Ended, next: &str) -> Result<Response, Problem> {
    let told = match ended {
        Ended::Problem(problem) => return Err(problem),
        Ended::Refused(why) => {
            tracing::warn!(why, "a sign-in by the provider was refused");
            Told::SsoRefused
        }
        Ended::NoRole(why) => {
            tracing::warn!(why, "a sign-in by the provider was refused");
            Told::SsoNoRole
        }
        Ended::Unreachable(why) => {
            tracing::warn!(why, "a sign-in by the provider could not be made");
            Told::SsoUnreachable
        }
    };
    Ok(tell(state, &login_url(next), told, ""))
}

/// So much of what a stranger sent that a log can hold it; what can be kept is not cut.
fn cut(text: &str) -> String {
    text.chars().take(255).collect()
}

impl Oidc {
    /// Bound to the host by its name where browsers come by https.
    fn cookie_name(&self) -> &'static str {
        if self.0.https {
            "__Host-holdpoint-sso"
        } else {
            "holdpoint-sso"
        }
    }

    fn cookies(&self, headers: &HeaderMap) -> impl Iterator<Item = Flow> {
        let lines = headers.get_all(header::COOKIE).iter();
        let pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'));
        let named = pairs.filter_map(|pair| pair.trim().split_once('='));
        let ours = named.filter(|(name, _)| *name == self.cookie_name());
        ours.filter_map(|(_, value)| self.0.seal.open(value))
    }

    fn set_cookie(&self, response: &mut Response, value: &str, seconds: i64) {
        let secure = if self.0.https { "; Secure" } else { "" };
        let name = self.cookie_name();
        // Lax: the provider sends the browser back from another site.
        let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
}
