//! Joining a room: the link on a card, and the key that identifies the room's own certificate authority.

use std::fmt;
use std::str::FromStr;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::ParsedCertificate;

use geodesign_common::digest::sha256;

/// The path of the page that a card's link opens, below the address of a service.
pub const JOIN: &str = "/join/";

/// The path of a service's own CA certificate, at the root of its host.
pub const CA_PEM: &str = "/ca.pem";

/// The characters of an [`AuthorityKey`] as text.
pub const KEY_CHARS: usize = 43;

/// The SHA-256 of the public key of a certificate authority (its SubjectPublicKeyInfo). As text it is base64url without padding. It stays
/// the same when the authority issues other certificates, including one for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthorityKey([u8; 32]);

/// A text that is not an [`AuthorityKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an authority's key has {KEY_CHARS} letters, digits, - and _")]
pub struct InvalidKey;

impl AuthorityKey {
    /// Returns the only certificate in a PEM text, and its key; `None` if it cannot be read, or if there are several, since any of them
    /// could be taken for the one that was checked.
    pub fn of_pem(pem: &[u8]) -> Option<(CertificateDer<'static>, Self)> {
        let mut certificates = CertificateDer::pem_slice_iter(pem);
        let certificate = certificates.next()?.ok()?;
        if certificates.next().is_some() {
            return None;
        }
        let key = ParsedCertificate::try_from(&certificate).ok()?.subject_public_key_info();
        Some((certificate, AuthorityKey(sha256(&[&key]))))
    }
}

impl fmt::Display for AuthorityKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl FromStr for AuthorityKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidKey)?;
        bytes.try_into().map(AuthorityKey).map_err(|_| InvalidKey)
    }
}

/// The link that joins with a token: `ADDRESS/join/#NAME:TOKEN`, or `#NAME:TOKEN:KEY` if the room has its own authority. The part after `#`
/// stays in the browser, so no log contains the token. `address` is the service's, without a slash at the end.
pub fn join_link(address: &str, name: &str, token: &str, key: Option<&AuthorityKey>) -> String {
    let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
    let key = key.map(|key| format!(":{key}")).unwrap_or_default();
    format!("{address}{JOIN}#{name}:{token}{key}")
}

/// Problem of a link. No message shows the link, because it may contain the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLink {
    #[error("no link is given: copy the link of your card, such as https://workshop.local:8443/join/#NAME:TOKEN")]
    Missing,
    #[error(
        "this is not a link: copy the whole line from https:// to its end, such as \
         https://workshop.local:8443/join/#NAME:TOKEN. It is not shown here, because it may be a token"
    )]
    NoLink,
    #[error("there are spaces in the link: copy it alone, as one line")]
    Spaces,
    #[error("the link leads to another page: a card's link has /join/# after the address of the service")]
    OtherPage,
    #[error("the link ends before #, which comes before name and token: copy it to its end, or scan the code again")]
    NoFragment,
    #[error("the link has no name after #: copy it to its end, or scan the code again")]
    NoName,
    #[error("the link has no token after the name: copy it to its end, or scan the code again")]
    NoToken,
    #[error("the token in the link has characters that no token has: copy the link again, or scan the code")]
    Token,
    #[error(
        "the key at the end of the link has {chars} of {KEY_CHARS} characters: the link is cut, copy it to its end or scan the \
         code again"
    )]
    CutKey { chars: usize },
    #[error("the text after the token in the link is not an authority's key: copy the link again, or scan the code")]
    Key,
    #[error("there is more text after the end of the link: copy the link alone")]
    TooLong,
    #[error("the link has an authority's key, which only https:// uses, but begins with http://: write https://")]
    KeyWithoutTls,
}

/// Parts of a link.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkParts<'t> {
    /// The address of the service, without a slash at the end. It is not checked.
    pub address: &'t str,
    pub name: String,
    pub token: &'t str,
    pub key: Option<AuthorityKey>,
}

impl<'t> LinkParts<'t> {
    pub fn of(text: &'t str) -> Result<Self, InvalidLink> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InvalidLink::Missing);
        }
        if !text.contains("://") {
            return Err(InvalidLink::NoLink);
        }
        if text.contains(char::is_whitespace) {
            return Err(InvalidLink::Spaces);
        }
        let (page, fragment) = text.split_once('#').unwrap_or((text, ""));
        let address = page.strip_suffix(JOIN).or_else(|| page.strip_suffix(JOIN.trim_end_matches('/')));
        let address = address.ok_or(InvalidLink::OtherPage)?;
        if fragment.is_empty() {
            return Err(InvalidLink::NoFragment);
        }
        let mut parts = fragment.split(':');
        let name = percent_decode_str(parts.next().unwrap_or_default()).decode_utf8();
        let name = name.ok().filter(|name| !name.trim().is_empty()).ok_or(InvalidLink::NoName)?;
        let token = parts.next().filter(|token| !token.is_empty()).ok_or(InvalidLink::NoToken)?;
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidLink::Token);
        }
        let key = parts.next().map(key_of).transpose()?;
        if parts.next().is_some() {
            return Err(InvalidLink::TooLong);
        }
        if key.is_some() && !address.to_ascii_lowercase().starts_with("https://") {
            return Err(InvalidLink::KeyWithoutTls);
        }
        Ok(LinkParts { address, name: name.into_owned(), token, key })
    }
}

fn key_of(text: &str) -> Result<AuthorityKey, InvalidLink> {
    text.parse().map_err(|_| match text.len() {
        chars if chars < KEY_CHARS => InvalidLink::CutKey { chars },
        _ => InvalidLink::Key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made with `openssl req -x509 -newkey ed25519`.
    const PEM: &str = "-----BEGIN CERTIFICATE-----
MIIBNDCB56ADAgECAhQxX1KPRet4fitZgHMiC+Lye5ddLjAFBgMrZXAwDzENMAsG
A1UEAwwEcm9vbTAgFw0yNjExMjUwMjUyNTBaGA8yMTI2MTEwMTAyNTI1MFowDzEN
MAsGA1UEAwwEcm9vbTAqMAUGAytlcAMhAPtDKN2UcMsff0LKKDQANkMQQHMtU8bz
X+DwbbVFuiGqo1MwUTAdBgNVHQ4EFgQUsplSF7MgphBWW3PDxoP5NjSjDucwHwYD
VR0jBBgwFoAUsplSF7MgphBWW3PDxoP5NjSjDucwDwYDVR0TAQH/BAUwAwEB/zAF
BgMrZXADQQAZbxE774lGrj2Efb1S3boonRJFMQ1FM23JAXvn3jOl+yAuy1QqxcOO
ZqloWNzboz+eykfJuPMs0p/xxi0SIMcH
-----END CERTIFICATE-----
";

    #[test]
    fn the_key_is_the_digest_that_openssl_computes() {
        let (_, key) = AuthorityKey::of_pem(PEM.as_bytes()).unwrap();
        assert_eq!(key.to_string(), "9MAtykWfp6QDJRBGMvifk56yrVUIzlJV7zTQJeMPK_4");
        assert_eq!(key.to_string().len(), KEY_CHARS);
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!("short".parse::<AuthorityKey>(), Err(InvalidKey));
        assert!(AuthorityKey::of_pem(b"no certificate").is_none());
        assert!(AuthorityKey::of_pem(format!("{PEM}{PEM}").as_bytes()).is_none());
    }

    #[test]
    fn the_link_has_name_and_token_in_its_fragment_whatever_the_name_is() {
        let link = join_link("https://workshop.local:8443", "Ana <Sousa>@x", "0a1b", None);
        assert_eq!(link, "https://workshop.local:8443/join/#Ana%20%3CSousa%3E%40x:0a1b");
        let key = AuthorityKey([255; 32]);
        assert_eq!(join_link("", "a:b", "0a", Some(&key)), format!("/join/#a%3Ab:0a:{}8", "_".repeat(42)));
    }

    #[test]
    fn a_link_has_an_address_a_name_a_token_and_maybe_the_key_of_an_authority() {
        let key = AuthorityKey([7; 32]);
        for (name, key) in [("Ana <S>:ö", Some(key)), ("b", None)] {
            let link = join_link("https://a.org/w/spring", name, "0a1b", key.as_ref());
            let parts = LinkParts { address: "https://a.org/w/spring", name: name.to_owned(), token: "0a1b", key };
            assert!(LinkParts::of(&link) == Ok(parts), "{link}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_link_is_told_without_showing_it() {
        let whole = join_link("https://a.org", "ana", "s3cr3t", Some(&AuthorityKey([7; 32])));
        for (link, expected) in [
            (" ", InvalidLink::Missing),
            ("s3cr3t", InvalidLink::NoLink),
            ("https://a.org/join/#ana:s3cr3t and more", InvalidLink::Spaces),
            ("https://a.org/s3cr3t/", InvalidLink::OtherPage),
            ("https://a.org/join/", InvalidLink::NoFragment),
            ("https://a.org/join/#", InvalidLink::NoFragment),
            ("https://a.org/join/#:s3cr3t", InvalidLink::NoName),
            ("https://a.org/join/#%FF:s3cr3t", InvalidLink::NoName),
            ("https://a.org/join/#ana", InvalidLink::NoToken),
            ("https://a.org/join/#ana:", InvalidLink::NoToken),
            ("https://a.org/join/#ana:s3cr3té", InvalidLink::Token),
            (&whole[..whole.len() - 3], InvalidLink::CutKey { chars: KEY_CHARS - 3 }),
            (&format!("{whole}A"), InvalidLink::Key),
            (&format!("{whole}:A"), InvalidLink::TooLong),
            (&whole.replace("https", "http"), InvalidLink::KeyWithoutTls),
        ] {
            let problem = LinkParts::of(link).err().unwrap();
            assert_eq!(problem, expected, "{link}");
            assert!(!format!("{problem} {problem:?}").contains("s3cr3t"), "{problem}");
        }
    }
}
