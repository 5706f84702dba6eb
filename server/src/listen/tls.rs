//! The certificate and its key: read when the server starts, and read anew when it is told to.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{Error, ServerConfig};

/// What TLS is served with.
pub type Served = Arc<ServerConfig>;

/// Where the certificate and its key stand, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The certificate, and those that vouch for it, the server's own first.
    pub cert: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
}

/// A certificate or a key that can't be served with.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that can't be read.
    #[error("{what} can't be read: {path}: {source}")]
    Unreadable {
        /// Which of the two.
        what: &'static str,
        /// Where it was looked for.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is no PEM, or holds something else.
    #[error("{path} holds no {what}: give a PEM file with {flag}")]
    Holds {
        /// What it should hold.
        what: &'static str,
        /// Which file.
        path: String,
        /// How it is named.
        flag: &'static str,
    },
    /// Two that don't belong together.
    #[error(
        "the key in {key} is not that of the first certificate in {cert}: give the two that belong together"
    )]
    Mismatch {
        /// The certificate's file.
        cert: String,
        /// The key's file.
        key: String,
    },
    /// What the library will not serve with.
    #[error("TLS can't be served with {cert} and {key}: {source}")]
    Refused {
        /// The certificate's file.
        cert: String,
        /// The key's file.
        key: String,
        /// Why not.
        source: Error,
    },
}

impl Files {
    /// Reads both, and whether they belong together.
    ///
    /// # Errors
    /// [`TlsError`], which names the file.
    pub fn read(&self) -> Result<Served, TlsError> {
        let (cert, key) = (shown(&self.cert), shown(&self.key));
        let pem = read(&self.cert, "the TLS certificate")?;
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&pem)
            .collect::<Result<_, _>>()
            .unwrap_or_default();
        if chain.is_empty() {
            let (what, flag) = ("certificate", "--tls-cert");
            return Err(TlsError::Holds {
                what,
                path: cert,
                flag,
            });
        }
        let pem = read(&self.key, "the TLS key")?;
        let private = PrivateKeyDer::from_pem_slice(&pem).map_err(|_: pem::Error| TlsError::Holds {
            what: "private key",
            path: key.clone(),
            flag: "--tls-key",
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let served = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
        let mut served = served.map_err(|source| match source {
            Error::InconsistentKeys(_) => TlsError::Mismatch {
                cert: cert.clone(),
                key: key.clone(),
            },
            source => TlsError::Refused { cert, key, source },
        })?;
        served.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(served))
    }
}

fn read(path: &Path, what: &'static str) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|source| TlsError::Unreadable {
        what,
        path: shown(path),
        source,
    })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
