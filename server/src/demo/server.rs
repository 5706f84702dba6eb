//! The Holdpoint server, in the demonstration's own process, with somebody who may sign in.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use holdpoint::{Actor, Ledger, Role, Scope, ledger::NewToken};
use rand::distr::{Alphanumeric, SampleString as _};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::DemoError;
use crate::{ServeError, Server as HttpServer, auth::password, config::Config};

const OPERATOR: &str = "demo";
const PASSWORD_CHARS: usize = 16;

/// What a person signs in with.
pub(super) struct SignIn {
    pub(super) name: &'static str,
    pub(super) password: String,
}

/// A running server.
pub(super) struct Server {
    origin: String,
    sign_in: SignIn,
    token: String,
    stopping: CancellationToken,
    serving: JoinHandle<Result<(), ServeError>>,
}

impl Server {
    /// Serves this database, which it makes, on a free port of the loopback address.
    pub(super) async fn start(database_url: &str) -> Result<Self, DemoError> {
        let server = HttpServer::bind(Config {
            database_url: database_url.to_owned(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            ..Config::default()
        })
        .await?;
        let origin = format!("http://{}", server.address());
        let (sign_in, token) = make_operator(server.ledger()).await?;
        let stopping = CancellationToken::new();
        let serving = tokio::spawn(server.run(stopping.clone().cancelled_owned()));
        Ok(Self {
            origin,
            sign_in,
            token,
            stopping,
            serving,
        })
    }

    /// Its address without a path.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    /// The secret of an admin's token.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn sign_in(&self) -> &SignIn {
        &self.sign_in
    }

    /// Stops it as SIGTERM would, and waits until it has.
    pub(super) async fn stop(self) -> Result<(), DemoError> {
        self.stopping.cancel();
        Ok(self.serving.await.map_err(io::Error::other)??)
    }
}

/// The password is made anew each time: the server is real, and other users of the machine reach it too.
async fn make_operator(ledger: &Ledger) -> Result<(SignIn, String), DemoError> {
    let password = Alphanumeric.sample_string(&mut rand::rng(), PASSWORD_CHARS);
    let hash = password::hash(password.clone()).await.map_err(io::Error::other)?;
    let machine = Actor::CommandLine;
    ledger
        .add_operator(&machine, OPERATOR, Role::Admin, &hash)
        .await?;
    let token = NewToken {
        name: OPERATOR.to_owned(),
        scope: Scope::Admin,
        operator: Some(OPERATOR.to_owned()),
        kinds: None,
        expires_in_s: None,
    };
    let token = ledger.create_token(&machine, token).await?;
    let sign_in = SignIn {
        name: OPERATOR,
        password,
    };
    Ok((sign_in, token))
}
