//! Reasons to reject a service's certificate. A certificate is valid for a limited time: if this computer's clock may be wrong, the
//! message says so instead of blaming the service.

use std::io;

use jiff::{SignedDuration, Timestamp};
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

use crate::advice::Advice;
use crate::cause::chain;

/// Largest difference between clocks that are both accurate enough for certificates.
const MAX_DIFFERENCE: SignedDuration = SignedDuration::from_hours(1);

/// A rejected certificate: the reason, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateProblem {
    pub reason: String,
    pub advice: Advice,
}

impl CertificateProblem {
    /// `None` for an error that is not about a certificate.
    pub fn find_in(error: &reqwest::Error) -> Option<Self> {
        let problem = chain(error).find_map(|error| match tls_error(error)? {
            rustls::Error::InvalidCertificate(problem) => Some(problem),
            _ => None,
        })?;
        let (reason, advice) = match problem {
            CertificateError::Expired => ("its certificate has expired".to_owned(), Advice::CheckTheClock),
            CertificateError::ExpiredContext { not_after, .. } => {
                (format!("its certificate was valid until {}", shown(*not_after)), Advice::CheckTheClock)
            }
            CertificateError::NotValidYet => ("its certificate is not valid yet".to_owned(), Advice::CheckTheClock),
            CertificateError::NotValidYetContext { not_before, .. } => {
                (format!("its certificate becomes valid at {}", shown(*not_before)), Advice::CheckTheClock)
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                ("its certificate is for another host name".to_owned(), Advice::UseTheNameInTheCertificate)
            }
            // Text of the library that verifies certificates, which has no public type for this.
            CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => (
                "its certificate is for a certificate authority, not for a service".to_owned(),
                Advice::MakeACertificateForTheService,
            ),
            _ => ("its certificate is not trusted".to_owned(), Advice::TrustTheCertificate),
        };
        match advice {
            Advice::CheckTheClock => Some(Self::of_clock(&reason, Timestamp::now(), None)),
            _ => Some(CertificateProblem { reason, advice }),
        }
    }

    /// Adds the service's time from a response. It is unproven, because the certificate was not accepted.
    pub fn with_clock_of_service(self, told: Option<Timestamp>) -> Self {
        match self.advice {
            Advice::CheckTheClock | Advice::SetTheClock => Self::of_clock(&self.reason, Timestamp::now(), told),
            _ => self,
        }
    }

    /// True if this computer's clock may be wrong.
    pub fn is_about_time(&self) -> bool {
        matches!(self.advice, Advice::CheckTheClock | Advice::SetTheClock)
    }

    fn of_clock(reason: &str, now: Timestamp, told: Option<Timestamp>) -> Self {
        let reason = reason.split(CLOCK).next().unwrap_or(reason);
        let told = told.filter(|told| now.duration_since(*told).abs() > MAX_DIFFERENCE);
        let of_service = told.map(|told| format!(", the service's clock says {}", told.strftime(TIME)));
        let (built, advice) = match built() {
            built if now < built => (
                format!(", and this version of pygeodesign was built on {}", built.strftime("%Y-%m-%d")),
                Advice::SetTheClock,
            ),
            _ => (String::new(), Advice::CheckTheClock),
        };
        let reason = format!("{reason}{CLOCK}{}{}{built}", now.strftime(TIME), of_service.unwrap_or_default());
        CertificateProblem { reason, advice }
    }
}

/// Separates a reason from the time.
const CLOCK: &str = ", and this computer's clock says ";
const TIME: &str = "%Y-%m-%d %H:%M UTC";

/// Build time of the library. A correct clock never shows an earlier time.
fn built() -> Timestamp {
    env!("GEODESIGN_BUILT").parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok()).unwrap_or_default()
}

fn shown(time: UnixTime) -> String {
    let time = i64::try_from(time.as_secs()).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.unwrap_or_default().strftime(TIME).to_string()
}

/// Finds the TLS error. An `io::Error` does not return its inner error as its source, and the HTTP library nests them.
pub fn tls_error<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    error.downcast_ref().or_else(|| tls_error(error.downcast_ref::<io::Error>()?.get_ref()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(now: Timestamp, told: Option<Timestamp>) -> CertificateProblem {
        CertificateProblem::of_clock("its certificate has expired", now, told)
    }

    #[test]
    fn a_clock_before_the_library_was_built_is_wrong_and_one_after_it_may_be() {
        let before = problem(built() - SignedDuration::from_hours(24), None);
        assert!(before.advice == Advice::SetTheClock && before.reason.contains("was built on"), "{}", before.reason);
        let after = problem(built() + SignedDuration::from_hours(24), None);
        assert!(after.advice == Advice::CheckTheClock && !after.reason.contains("was built on"), "{}", after.reason);
    }

    #[test]
    fn the_clock_of_the_service_is_shown_where_it_differs() {
        let now = built() + SignedDuration::from_hours(48);
        let hour = SignedDuration::from_hours(1);
        assert!(!problem(now, Some(now - hour / 2)).reason.contains("the service's clock"));
        for told in [now - hour * 2, now + hour * 2] {
            assert!(problem(now, Some(told)).reason.contains("the service's clock"), "{told}");
        }
    }
}
