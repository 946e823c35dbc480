//! Serving with a certificate from files, and what can be wrong with certificates.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, ServerConfig};

/// The name of HTTP/2 in TLS.
pub const HTTP_2: &[u8] = b"h2";

/// Why a service cannot use or create a certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    #[error("{path} cannot be read: {source}; name a PEM file that the service may read")]
    Read { path: PathBuf, source: io::Error },
    #[error("{0} is not a complete PEM file; copy it again")]
    Damaged(PathBuf),
    #[error("{0} holds no certificate; name a PEM file with the certificate of the service, then those of its issuers")]
    NoCertificate(PathBuf),
    #[error("{0} holds no private key; name a PEM file with the key of the certificate, without a passphrase")]
    NoKey(PathBuf),
    #[error(
        "the key in {key} is not that of the first certificate in {certificate}; name two files that belong together"
    )]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("the certificate in {path} cannot be used: {source}; have it issued again")]
    Certificate { path: PathBuf, source: rustls::Error },
    #[error(
        "the key in {path} cannot be used: {source}; use an ECDSA (P-256, P-384), Ed25519 or RSA key (2048 bits or more)"
    )]
    Key { path: PathBuf, source: rustls::Error },
    #[error("{0:?} is neither the name of a machine nor an address; a certificate cannot be made for it")]
    Name(String),
    #[error("no certificate could be made: {0}; name the files of a certificate that you have")]
    Create(#[from] rcgen::Error),
    #[error("{path} cannot be written: {source}; certificates are kept in a folder that the service may write to")]
    Write { path: PathBuf, source: io::Error },
}

/// Serves with a certificate, followed in its file by those of its issuers, and its private key (PKCS#8, PKCS#1 or SEC1).
pub fn from_files(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, CertificateError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| pem_error(certificate, error, CertificateError::NoCertificate))?;
    if chain.is_empty() {
        return Err(CertificateError::NoCertificate(certificate.into()));
    }
    let private_key =
        PrivateKeyDer::from_pem_file(key).map_err(|error| pem_error(key, error, CertificateError::NoKey))?;
    let mut config = ServerConfig::builder_with_provider(crypto_provider())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private_key))
        .map_err(|source| match source {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                CertificateError::Mismatch { certificate: certificate.into(), key: key.into() }
            }
            rustls::Error::InvalidCertificate(_) => CertificateError::Certificate { path: certificate.into(), source },
            _ => CertificateError::Key { path: key.into(), source },
        })?;
    config.alpn_protocols = vec![HTTP_2.to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

pub fn crypto_provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn pem_error(path: &Path, error: pem::Error, no_items: fn(PathBuf) -> CertificateError) -> CertificateError {
    match error {
        pem::Error::Io(source) => CertificateError::Read { path: path.into(), source },
        pem::Error::NoItemsFound => no_items(path.into()),
        // The error is left out: it quotes the file, which may be a private key.
        _ => CertificateError::Damaged(path.into()),
    }
}
