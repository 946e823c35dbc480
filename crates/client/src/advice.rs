//! Advice for a request without a response.

use std::fmt;

use geodesign::named::{BASE_URL, CA_BUNDLE, CLIENT_JOIN};

/// Advice for a request without a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    CheckTheService,
    CheckTheProxy,
    SignInAtTheProxy,
    WriteHttp,
    WriteHttps,
    CheckTheClock,
    SetTheClock,
    UseTheNameInTheCertificate,
    TrustTheCertificate,
    TrustTheFirewall,
    AskForANewCard,
    MakeACertificateForTheService,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Advice::CheckTheService => "Check that the service runs there and that the network reaches it",
            Advice::CheckTheProxy => {
                "Ask the administrator of the network whether the proxy lets you reach the service. If the service needs no proxy, add \
                 its host to NO_PROXY"
            }
            Advice::SignInAtTheProxy => {
                "Put your user and password for the proxy into its address, HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT; write special \
                 characters as %XX"
            }
            Advice::WriteHttp => return write!(f, "Write http:// in {BASE_URL}, which is for a service on this machine"),
            Advice::WriteHttps => return write!(f, "Write https:// in {BASE_URL}"),
            Advice::CheckTheClock => {
                "Is this computer's clock right? If it is, tell the administrator of the service, whose clock or certificate is wrong"
            }
            Advice::SetTheClock => "Set this computer's clock, and ask again",
            Advice::UseTheNameInTheCertificate => return write!(f, "Write the certificate's host name in {BASE_URL}"),
            Advice::TrustTheFirewall => {
                return write!(
                    f,
                    "If a firewall of your network opens encrypted connections, ask its administrator for the PEM file of its certificate \
                     authority, and pass {CA_BUNDLE} with that file or set SSL_CERT_FILE"
                );
            }
            Advice::TrustTheCertificate => {
                return write!(
                    f,
                    "If you have the card of a room, join with its whole link, which ends in a key ({CLIENT_JOIN}). If it is your own \
                     service, pass {CA_BUNDLE} with the PEM file of its certificate authority, which `pygeodesign serve` names when it \
                     starts. {}",
                    Advice::TrustTheFirewall
                )
            }
            Advice::AskForANewCard => {
                "Either somebody else answers at this address, or the room has a new authority since you joined: ask the facilitator \
                 for a new card"
            }
            Advice::MakeACertificateForTheService => {
                "Make one for the service itself, as `pygeodesign serve --tls-self-signed` does (with openssl: -addext \
                 basicConstraints=critical,CA:FALSE)"
            }
        })
    }
}
