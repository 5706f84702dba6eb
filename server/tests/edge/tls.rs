//! TLS: what is served with, what is refused, and a certificate that changes while the server runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use holdpoint_server::Server;
use holdpoint_server::config::Config;
use holdpoint_server::limits::Limits;
use holdpoint_server::listen::tls::Files;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustix::process::{Pid, Signal, kill_process};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::served::Served;
use super::support::{Live, soon, to_its_end};

/// A folder with a certificate and its key.
struct Kept {
    folder: TempDir,
    cert: CertificateDer<'static>,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cert = Self::write(&folder);
        Self { folder, cert }
    }

    fn write(folder: &TempDir) -> CertificateDer<'static> {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        std::fs::write(folder.path().join("cert.pem"), cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
        cert.der().clone()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self) -> Files {
        Files {
            cert: self.path("cert.pem"),
            key: self.path("key.pem"),
        }
    }
}

/// A connection of a client that trusts this certificate and no other.
async fn dial(
    address: &str,
    trusted: &CertificateDer<'static>,
    speaks: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = speaks.iter().map(|name| name.to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    soon(TlsConnector::from(Arc::new(config)).connect(name, stream)).await
}

async fn get(mut stream: TlsStream<TcpStream>, address: &str, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    soon(stream.read_to_string(&mut answer)).await.unwrap();
    answer
}

#[tokio::test]
async fn whoever_comes_by_tls_is_told_to_come_by_nothing_else() {
    let kept = Kept::new();
    let server = Live::configured(Config {
        tls: Some(kept.files()),
        limits: Limits {
            head: Duration::from_secs(3),
            ..Limits::default()
        },
        ..Config::default()
    })
    .await;
    let address = server.address.to_string();
    let stream = dial(&address, &kept.cert, &[b"http/1.1"]).await.unwrap();
    let answer = get(stream, &address, "/login").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(
        answer.contains("\r\nstrict-transport-security: max-age="),
        "{answer}"
    );
    let claimed = server.claim(1, "close");
    let mut stream = dial(&address, &kept.cert, &[]).await.unwrap();
    stream.write_all(claimed.as_bytes()).await.unwrap();
    let mut answer = String::new();
    soon(stream.read_to_string(&mut answer)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let both = dial(&address, &kept.cert, &[b"h2", b"http/1.1"]).await.unwrap();
    assert_eq!(both.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    // Plain text is no handshake, and a handshake that does not go on is none either.
    for said in ["GET /login HTTP/1.1\r\n\r\n", ""] {
        let mut plain = server.connect().await;
        plain.write_all(said.as_bytes()).await.unwrap();
        assert!(!to_its_end(&mut plain).await.contains("HTTP/1.1"));
    }
}

#[tokio::test]
async fn a_certificate_that_cannot_be_served_with_is_named() {
    let (kept, other) = (Kept::new(), Kept::new());
    std::fs::write(kept.path("empty.pem"), "nothing\n").unwrap();
    let bind = async |cert: PathBuf, key: PathBuf| {
        let folder = tempfile::tempdir().unwrap();
        let config = Config {
            database_url: format!("sqlite://{}", folder.path().join("h.db").display()),
            listen: "127.0.0.1:0".parse().unwrap(),
            tls: Some(Files { cert, key }),
            ..Config::default()
        };
        let refused = Server::bind(config).await.unwrap_err().to_string();
        assert!(
            !folder.path().join("h.db").exists(),
            "nothing is made before it is known"
        );
        refused
    };
    let (cert, key) = (kept.path("cert.pem"), kept.path("key.pem"));
    let missing = bind(kept.path("none.pem"), key.clone()).await;
    assert!(
        missing.contains("certificate can't be read") && missing.contains("none.pem"),
        "{missing}"
    );
    let missing = bind(cert.clone(), kept.path("none.pem")).await;
    assert!(
        missing.contains("key can't be read") && missing.contains("none.pem"),
        "{missing}"
    );
    let none = bind(kept.path("empty.pem"), key.clone()).await;
    assert!(
        none.contains("holds no certificate") && none.contains("--tls-cert"),
        "{none}"
    );
    let none = bind(cert.clone(), kept.path("empty.pem")).await;
    assert!(
        none.contains("holds no private key") && none.contains("--tls-key"),
        "{none}"
    );
    let two = bind(cert, other.path("key.pem")).await;
    assert!(two.contains("belong together"), "{two}");
}

#[tokio::test]
async fn a_certificate_is_read_anew_on_sighup() {
    let kept = Kept::new();
    let (cert, key) = (kept.path("cert.pem"), kept.path("key.pem"));
    let arguments = [
        "--tls-cert",
        cert.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ];
    let database = format!("sqlite://{}", kept.path("h.db").display());
    let mut server = Served::start(kept.folder.path(), &database, "127.0.0.1:0", &arguments).await;
    let address = server.address.clone();
    assert!(dial(&address, &kept.cert, &[]).await.is_ok());
    let hang_up = |server: &Served| {
        let pid = Pid::from_raw(server.pid() as i32).unwrap();
        kill_process(pid, Signal::HUP).unwrap();
    };
    std::fs::write(&cert, "half a certificate").unwrap();
    hang_up(&server);
    server.says("the certificate stays as it was").await;
    assert!(dial(&address, &kept.cert, &[]).await.is_ok());
    let new = Kept::write(&kept.folder);
    hang_up(&server);
    server.says("the certificate was read anew").await;
    assert!(
        dial(&address, &kept.cert, &[]).await.is_err(),
        "the old one is gone"
    );
    assert!(dial(&address, &new, &[]).await.is_ok());
}
