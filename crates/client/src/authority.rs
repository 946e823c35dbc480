//! The certificate authority of a room.

use std::fmt;
use std::sync::Arc;

use reqwest::Certificate;

use geodesign::model::AuthorityKey;

/// The certificate authority of a room. It signs for no other service.
#[derive(Clone)]
pub struct Authority {
    pem: Arc<str>,
    certificate: Certificate,
    key: AuthorityKey,
}

/// Error for text that does not contain exactly one authority's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not PEM text with one authority's certificate")]
pub struct InvalidAuthority;

impl Authority {
    /// Reads the authority's certificate from PEM text.
    pub fn from_pem(pem: &str) -> Result<Self, InvalidAuthority> {
        let (certificate, key) = AuthorityKey::of_pem(pem.as_bytes()).ok_or(InvalidAuthority)?;
        let certificate = Certificate::from_der(&certificate).map_err(|_| InvalidAuthority)?;
        Ok(Authority { pem: pem.into(), certificate, key })
    }

    pub fn pem(&self) -> &str {
        &self.pem
    }

    pub fn key(&self) -> &AuthorityKey {
        &self.key
    }

    pub(super) fn certificate(&self) -> Certificate {
        self.certificate.clone()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Authority({})", self.key)
    }
}
