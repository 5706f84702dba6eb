//! The server as a whole: bound, serving, and stopped without losing a report.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use holdpoint::ledger::Finding;
use holdpoint::{Actor, Ledger, OpenError, Reaper};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::oidc::Oidc;
use crate::auth::{Address, Proxies, sessions};
use crate::config::{Config, ConfigError};
use crate::crypt::Keyring;
use crate::limits::Limits;
use crate::listen::tls::{self, TlsError};
use crate::listen::{Door, open_files};
use crate::notify::{self, Notifier};
use crate::router::router;
use crate::state::AppState;
use crate::webhook::{Asker, WebhookError, Webhooks};

/// How often expired sessions are swept out.
const SWEEP_EVERY: Duration = Duration::from_hours(1);

/// Why a server could not be started, or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The database.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The pause that was asked for, or a look at the database.
    #[error("the database can't be used: {0}")]
    Ledger(#[from] holdpoint::ledger::Error),
    /// Claims would be lost, and the file with them.
    #[error("{0}: {1}; --allow-network-file-system serves it all the same")]
    NetworkFileSystem(String, String),
    /// Webhooks.
    #[error(transparent)]
    Webhooks(#[from] WebhookError),
    /// A setting.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The address is taken, or not this machine's.
    #[error("can't listen on {address}: {source}; stop what listens there, or choose another with --listen")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The listener broke.
    #[error("the server ended: {0}")]
    Serve(io::Error),
    /// The certificate, or its key.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A server that is bound and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: AppState,
    reap_every: Duration,
    webhooks: Webhooks,
    limits: Limits,
    tls: Option<(tls::Files, tls::Served)>,
}

/// Serves until `shutdown` is done, then lets what is in flight end.
///
/// # Errors
/// [`ServeError`], each with what to do.
pub async fn run(
    config: Config,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    Server::bind(config).await?.run(shutdown).await
}

impl Server {
    /// Opens and migrates the database, and takes the address.
    ///
    /// # Errors
    /// [`ServeError`], each with what to do.
    pub async fn bind(config: Config) -> Result<Self, ServeError> {
        let tls = match config.tls {
            Some(files) => {
                let served = files.read()?;
                Some((files, served))
            }
            None => None,
        };
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|source| ServeError::Bind {
                address: config.listen,
                source,
            })?;
        let address = listener.local_addr().map_err(ServeError::Serve)?;
        let proxies = Proxies::new(&config.trusted_proxies)?;
        let called = match tls {
            Some(_) => Address::by_tls,
            None => Address::new,
        };
        let called = called(address, config.public_url.as_deref(), &config.allowed_hosts)?;
        let limits = Limits {
            connections: open_files(config.limits.connections),
            ..config.limits
        };
        let oidc = config
            .oidc
            .map(|settings| Oidc::new(settings, &called))
            .transpose()?;
        let ledger = Ledger::open(&config.database_url).await?;
        warn_of(&ledger, &config.keys, config.allow_network_file_system).await?;
        let webhooks = Webhooks::new(
            config.webhook_secret.as_ref().map(|secret| secret.0.as_str()),
            config.allow_private_webhooks,
        )?;
        let ledger = ledger.guarded(Arc::new(webhooks.guard()));
        if config.paused {
            let reason = "the server was started with --paused";
            ledger.pause(&Actor::CommandLine, None, reason).await?;
            tracing::warn!("everything is paused: no claim is granted until `holdpoint resume`");
        }
        let notifier = Notifier::new(webhooks.clone(), config.keys, &called);
        let state = AppState::new(ledger, called)
            .behind(proxies)
            .within(limits)
            .with_sessions(config.sessions)
            .signing_in_by(oidc)
            .notifying(notifier);
        Ok(Self {
            limits,
            tls,
            listener,
            address,
            state,
            reap_every: config.reap_every,
            webhooks,
        })
    }

    /// The address that is listened on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The ledger that is served.
    pub const fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Serves until `shutdown` is done, then lets what is in flight end.
    ///
    /// # Errors
    /// [`ServeError::Serve`]
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let Self {
            listener,
            address,
            state,
            reap_every,
            webhooks,
            limits,
            tls,
        } = self;
        let (ledger, stopping) = (state.ledger.clone(), state.stopping.clone());
        let tasks = TaskTracker::new();
        tasks.spawn(
            Reaper::new(ledger.clone())
                .every(reap_every)
                .run(stopping.clone().cancelled_owned()),
        );
        tasks.spawn(Asker::new(webhooks, ledger.clone(), reap_every).run(stopping.clone()));
        if let Some(notifier) = &state.notifier {
            tasks.spawn(notifier.clone().run(ledger.clone(), reap_every, stopping.clone()));
        }
        tasks.spawn(sweep(state.sessions.clone(), stopping.clone()));
        let tls = tls.map(|(files, served)| {
            let (change, tls) = watch::channel(served);
            tasks.spawn(renew(files, change, stopping.clone()));
            tls
        });
        let scheme = if tls.is_some() { "https" } else { "http" };
        tracing::info!("listening on {scheme}://{address}");
        if let Some(oidc) = state.oidc.clone() {
            tasks.spawn(oidc.keep(stopping.clone()));
        }
        tell_the_first(&ledger).await;

        let told = stopping.clone();
        let signal = async move {
            shutdown.await;
            tracing::info!("stopping: requests in flight may end");
            told.cancel();
        };
        let door = Door {
            listener,
            tls,
            limits,
        };
        let (in_time, ()) = tokio::join!(door.serve(router(state), stopping.clone()), signal);
        if !in_time {
            let seconds = limits.last_call.as_secs();
            tracing::warn!("some requests did not end in {seconds} s and were cut off");
        }
        tasks.close();
        tasks.wait().await;
        ledger.close().await;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Says what the database does not promise, as `holdpoint doctor` does; refuses what is no local file system.
async fn warn_of(ledger: &Ledger, keys: &Keyring, allow_network: bool) -> Result<(), ServeError> {
    let mut findings = ledger.findings(&Actor::CommandLine).await?;
    findings.extend(notify::findings(ledger, keys).await?);
    for finding in findings {
        if finding.code == "network_file_system" && !allow_network {
            return Err(ServeError::NetworkFileSystem(finding.found, finding.mend));
        }
        let Finding { code, severity, .. } = finding;
        let (lost, mend) = (&finding.could_be_lost, &finding.mend);
        tracing::warn!(code, %severity, could_be_lost = lost, what_to_do = mend, "{}", finding.found);
    }
    Ok(())
}

/// A server that nobody can sign in to says how somebody can.
async fn tell_the_first(ledger: &Ledger) {
    match ledger.operators(&Actor::CommandLine).await {
        Ok(operators) if operators.is_empty() => {
            tracing::info!(
                "nobody can sign in yet: make the first operator with `holdpoint operator add NAME --role admin`"
            );
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the operators can't be read"),
    }
}

/// Reads the certificate and its key anew whenever SIGHUP comes. What can't be served with leaves the old ones.
async fn renew(files: tls::Files, change: watch::Sender<tls::Served>, stopping: CancellationToken) {
    let mut hang_up = match signal(SignalKind::hangup()) {
        Ok(signal) => signal,
        Err(error) => {
            tracing::warn!(%error, "SIGHUP can't be listened to: a new certificate needs a new start");
            return;
        }
    };
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            Some(()) = hang_up.recv() => {}
        }
        match files.read() {
            Ok(served) => {
                change.send_replace(served);
                tracing::info!("the certificate was read anew");
            }
            Err(error) => tracing::error!(%error, "the certificate stays as it was"),
        }
    }
}

async fn sweep(sessions: sessions::Store, stopping: CancellationToken) {
    loop {
        if let Err(error) = sessions.sweep().await {
            tracing::warn!(%error, "expired sessions can't be deleted");
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(SWEEP_EVERY) => {}
        }
    }
}
