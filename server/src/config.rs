//! Settings: by flag, by environment, or out of `holdpoint.toml`; the flag wins.

mod error;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io};

use serde::Deserialize;

use crate::auth::oidc;
use crate::auth::sessions;
use crate::crypt::Keyring;
use crate::limits::Limits;
use crate::listen::tls;

pub use error::ConfigError;

/// Where settings may stand besides flags and environment.
pub const FILE: &str = "holdpoint.toml";
/// The database of who names none.
pub const DATABASE_URL: &str = "sqlite://holdpoint.db";
/// What is listened on by who names nothing.
pub const LISTEN: &str = "127.0.0.1:3000";

/// How long a session may be said to live, in seconds.
const SESSION_S: std::ops::RangeInclusive<u64> = 60..=30 * 86_400;

/// A setting that is never shown.
#[derive(Clone, Deserialize)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

impl From<String> for Secret {
    fn from(secret: String) -> Self {
        Self(secret)
    }
}

/// The settings that every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Common {
    /// Where the actions are kept: `sqlite://PATH` or `postgres://…`
    #[arg(
        long,
        global = true,
        env = "HOLDPOINT_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub database_url: Option<String>,
    /// What is logged on standard error, as tracing's filters say it: `info`, `holdpoint=debug,info`
    #[arg(long, global = true, env = "HOLDPOINT_LOG", value_name = "FILTER")]
    pub log: Option<String>,
}

/// What encrypts secrets that stand in the database.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Key {
    /// What secrets in the database are encrypted under: 32 bytes in base64; of several, by commas, the first one
    /// encrypts and all decrypt
    #[arg(
        long,
        env = "HOLDPOINT_SECRET_KEY",
        hide_env_values = true,
        value_name = "KEY,…"
    )]
    pub secret_key: Option<Secret>,
}

/// The settings of `serve`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Serve {
    /// The address to listen on; port 0 takes a free one
    #[arg(long, env = "HOLDPOINT_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// What people's browsers call it; with https, cookies are Secure
    #[arg(long, env = "HOLDPOINT_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Further host names that requests may name
    #[arg(
        long,
        env = "HOLDPOINT_ALLOWED_HOSTS",
        value_delimiter = ',',
        value_name = "HOST,…"
    )]
    pub allowed_hosts: Option<Vec<String>>,
    /// Proxies whose X-Forwarded-For is believed: addresses or networks
    #[arg(
        long,
        env = "HOLDPOINT_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NETWORK,…"
    )]
    pub trusted_proxies: Option<Vec<String>>,
    /// Serve by TLS with this certificate: a PEM file, the server's own first; read anew on SIGHUP
    #[arg(long, env = "HOLDPOINT_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key, as a PEM file
    #[arg(long, env = "HOLDPOINT_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// How much at once.
    #[command(flatten)]
    pub most: Most,
    /// Seconds after which a session that nobody uses ends
    #[arg(long, env = "HOLDPOINT_SESSION_IDLE", value_name = "SECONDS")]
    pub session_idle: Option<u64>,
    /// Seconds after which a session ends in any case
    #[arg(long, env = "HOLDPOINT_SESSION_LASTS", value_name = "SECONDS")]
    pub session_lasts: Option<u64>,
    /// Seconds between two passes of the reaper
    #[arg(long, env = "HOLDPOINT_REAP_EVERY", value_name = "SECONDS")]
    pub reap_every: Option<u64>,
    /// Serve an SQLite file on a network file system all the same, where claims can be lost
    #[arg(long, env = "HOLDPOINT_ALLOW_NETWORK_FILE_SYSTEM")]
    pub allow_network_file_system: bool,
    /// What webhooks are signed with: whsec_ and at least 24 bytes in base64
    #[arg(
        long,
        env = "HOLDPOINT_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    pub webhook_secret: Option<Secret>,
    #[command(flatten)]
    pub key: Key,
    /// Let webhooks go to loopback, link-local and private addresses too
    #[arg(long, env = "HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS")]
    pub allow_private_webhooks: bool,
    /// Pause everything before the first request is answered, as after a backup was restored
    #[arg(long)]
    pub paused: bool,
    /// The identity provider.
    #[command(flatten)]
    pub oidc: oidc::Said,
}

/// How much a server takes on at once.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Most {
    /// Connections in all; further ones wait
    #[arg(long, env = "HOLDPOINT_MAX_CONNECTIONS", value_name = "NUMBER")]
    pub max_connections: Option<usize>,
    /// Connections from one address; further ones are refused. Behind a proxy all come from its address
    #[arg(long, env = "HOLDPOINT_MAX_CONNECTIONS_PER_PEER", value_name = "NUMBER")]
    pub max_connections_per_peer: Option<usize>,
    /// Requests that are worked on at once; further ones are told to come again
    #[arg(long, env = "HOLDPOINT_MAX_REQUESTS", value_name = "NUMBER")]
    pub max_requests: Option<usize>,
    /// Calls that wait for work, and streams, at once; further ones are told to come again
    #[arg(long, env = "HOLDPOINT_MAX_WAITING", value_name = "NUMBER")]
    pub max_waiting: Option<usize>,
}

/// What `holdpoint.toml` may hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    database_url: Option<String>,
    log: Option<String>,
    listen: Option<String>,
    public_url: Option<String>,
    allowed_hosts: Option<Vec<String>>,
    trusted_proxies: Option<Vec<String>>,
    session_idle: Option<u64>,
    session_lasts: Option<u64>,
    reap_every: Option<u64>,
    webhook_secret: Option<Secret>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    max_connections: Option<usize>,
    max_connections_per_peer: Option<usize>,
    max_requests: Option<usize>,
    max_waiting: Option<usize>,
    oidc: oidc::Said,
    secret_key: Option<Secret>,
}

/// All that a server needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the actions are kept.
    pub database_url: String,
    /// What to listen on.
    pub listen: SocketAddr,
    /// What people's browsers call it; `None` is the address it listens on.
    pub public_url: Option<String>,
    /// Further host names that requests may name.
    pub allowed_hosts: Vec<String>,
    /// Proxies whose word on whom they speak for is believed.
    pub trusted_proxies: Vec<String>,
    /// How long sessions live.
    pub sessions: sessions::Limits,
    /// The time between two passes of the reaper.
    pub reap_every: Duration,
    /// An SQLite file on a network file system is served all the same.
    pub allow_network_file_system: bool,
    /// What webhooks are signed with.
    pub webhook_secret: Option<Secret>,
    /// What secrets in the database are encrypted under.
    pub keys: Keyring,
    /// Webhooks may go to private addresses too.
    pub allow_private_webhooks: bool,
    /// Everything is paused before the first request is answered.
    pub paused: bool,
    /// Where the certificate and its key stand, where TLS is served.
    pub tls: Option<tls::Files>,
    /// How much at once, and for how long.
    pub limits: Limits,
    /// The identity provider by which people may sign in.
    pub oidc: Option<oidc::Settings>,
}

impl Default for Config {
    /// A server of whoever sets nothing.
    fn default() -> Self {
        Self {
            database_url: DATABASE_URL.to_owned(),
            listen: SocketAddr::from(([127, 0, 0, 1], 3000)),
            public_url: None,
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            sessions: sessions::Limits::default(),
            reap_every: Duration::from_secs(1),
            allow_network_file_system: false,
            webhook_secret: None,
            keys: Keyring::default(),
            allow_private_webhooks: false,
            paused: false,
            tls: None,
            limits: Limits::default(),
            oidc: None,
        }
    }
}

impl File {
    /// Reads the file where it is there.
    ///
    /// # Errors
    /// [`ConfigError`] for a file that can't be read or holds what is no setting.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        match fs::read_to_string(path) {
            Ok(text) => toml::from_str(&text).map_err(|error| ConfigError::toml(&text, &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ConfigError::File(error)),
        }
    }

    /// The database, of which every command knows.
    pub fn database_url(&self, common: &Common) -> String {
        let named = common.database_url.clone().or_else(|| self.database_url.clone());
        named.unwrap_or_else(|| DATABASE_URL.to_owned())
    }

    /// What is logged: the filter that somebody chose, or else this one.
    pub fn log(&self, common: &Common, unless_chosen: &str) -> String {
        common
            .log
            .clone()
            .or_else(|| self.log.clone())
            .unwrap_or_else(|| unless_chosen.to_owned())
    }

    /// The keys for secrets in the database; none where none was given.
    ///
    /// # Errors
    /// [`ConfigError::SecretKey`]
    pub fn keys(&self, key: &Key) -> Result<Keyring, ConfigError> {
        match key.secret_key.as_ref().or(self.secret_key.as_ref()) {
            Some(Secret(keys)) => Ok(Keyring::read(keys)?),
            None => Ok(Keyring::default()),
        }
    }

    /// The whole of it, for a server.
    ///
    /// # Errors
    /// [`ConfigError`], which names the setting.
    pub fn config(self, common: &Common, serve: Serve) -> Result<Config, ConfigError> {
        let listen = serve
            .listen
            .or(self.listen.clone())
            .unwrap_or_else(|| LISTEN.to_owned());
        let listen = listen.parse().map_err(|_| ConfigError::Listen(listen))?;
        let reap_every = serve.reap_every.or(self.reap_every).unwrap_or(1);
        if !(1..=3600).contains(&reap_every) {
            return Err(ConfigError::ReapEvery);
        }
        let tls = both(
            serve.tls_cert.or(self.tls_cert.clone()),
            serve.tls_key.or(self.tls_key.clone()),
        )?;
        let limits = self.limits(&serve.most)?;
        let times = [
            (
                serve.session_idle.or(self.session_idle),
                sessions::Limits::default().idle,
            ),
            (
                serve.session_lasts.or(self.session_lasts),
                sessions::Limits::default().lasts,
            ),
        ];
        let [idle, lasts] = times.map(|(named, unless)| named.map_or(unless, Duration::from_secs));
        if ![idle, lasts]
            .iter()
            .all(|time| SESSION_S.contains(&time.as_secs()))
        {
            return Err(ConfigError::Session);
        }
        Ok(Config {
            sessions: sessions::Limits { idle, lasts },
            database_url: self.database_url(common),
            keys: self.keys(&serve.key)?,
            listen,
            tls,
            limits,
            public_url: serve.public_url.or(self.public_url),
            allowed_hosts: serve.allowed_hosts.or(self.allowed_hosts).unwrap_or_default(),
            trusted_proxies: serve.trusted_proxies.or(self.trusted_proxies).unwrap_or_default(),
            reap_every: Duration::from_secs(reap_every),
            paused: serve.paused,
            oidc: serve.oidc.or(self.oidc).settings()?,
            webhook_secret: serve.webhook_secret.or(self.webhook_secret),
            allow_private_webhooks: serve.allow_private_webhooks,
            allow_network_file_system: serve.allow_network_file_system,
        })
    }

    fn limits(&self, most: &Most) -> Result<Limits, ConfigError> {
        let number = |name, flag: Option<usize>, file: Option<usize>, unless_set| {
            let number = flag.or(file).unwrap_or(unless_set);
            (1..=1_000_000)
                .contains(&number)
                .then_some(number)
                .ok_or(ConfigError::Most(name))
        };
        let all = Limits::default();
        let per_peer = self.max_connections_per_peer;
        Ok(Limits {
            connections: number(
                "--max-connections",
                most.max_connections,
                self.max_connections,
                all.connections,
            )?,
            connections_per_peer: number(
                "--max-connections-per-peer",
                most.max_connections_per_peer,
                per_peer,
                all.connections_per_peer,
            )?,
            requests: number(
                "--max-requests",
                most.max_requests,
                self.max_requests,
                all.requests,
            )?,
            waiting: number("--max-waiting", most.max_waiting, self.max_waiting, all.waiting)?,
            ..all
        })
    }
}

/// The certificate and its key, where TLS is asked for.
fn both(cert: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<tls::Files>, ConfigError> {
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Some(tls::Files { cert, key })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(ConfigError::HalfTls("--tls-cert", "--tls-key")),
        (None, Some(_)) => Err(ConfigError::HalfTls("--tls-key", "--tls-cert")),
    }
}
