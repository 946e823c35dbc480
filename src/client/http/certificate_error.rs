//! What to do about a certificate that the client does not accept.

use std::error::Error;
use std::io;

use rustls::CertificateError;

use crate::client::cause::chain;
use crate::client::error::Advice;

/// Why the certificate of a service is not accepted, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertificateProblem {
    pub reason: &'static str,
    pub advice: Advice,
}

impl CertificateProblem {
    /// `None` for an error that is not about a certificate.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let problem = chain(error).find_map(|error| match tls_error(error)? {
            rustls::Error::InvalidCertificate(problem) => Some(problem),
            _ => None,
        })?;
        Some(match problem {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                CertificateProblem { reason: "its certificate has expired", advice: Advice::RenewTheCertificate }
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => CertificateProblem {
                reason: "its certificate is for another host name",
                advice: Advice::UseTheNameInTheCertificate,
            },
            // The words of the library that verifies certificates, which has no public type for this.
            CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => CertificateProblem {
                reason: "its certificate is that of a certificate authority, which cannot stand for a service",
                advice: Advice::MakeACertificateForTheService,
            },
            _ => CertificateProblem { reason: "its certificate is not trusted", advice: Advice::TrustTheCertificate },
        })
    }
}

/// An `io::Error` does not give the error in it as its source, and the HTTP library has put one into another.
fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    error.downcast_ref().or_else(|| tls_error(error.downcast_ref::<io::Error>()?.get_ref()?))
}
