//! What stands in an address: keys, names, and the parameters after `?`.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use holdpoint::Key;

use crate::problem::{Problem, kind};

/// The key of an action. What can't be a key is the key of no action.
pub struct ActionKey(pub Key);

impl<S: Send + Sync> FromRequestParts<S> for ActionKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let name = Name::from_request_parts(parts, state).await?;
        let key = name
            .0
            .parse()
            .map_err(|_| Problem::new(&kind::NOT_FOUND, "There is no such action."))?;
        Ok(Self(key))
    }
}

/// Any other name in an address: printable, so that every database can look for it.
pub struct Name(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let nothing = || Problem::new(&kind::NOT_FOUND, "There is nothing of this name.");
        let Path(name) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| nothing())?;
        if name.chars().any(char::is_control) {
            Err(nothing())
        } else {
            Ok(Self(name))
        }
    }
}

/// The parameters after `?`, in their order.
pub struct Parameters(pub Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(rejection) => Err(Problem::invalid("", rejection.body_text())),
        }
    }
}
