//! The API token: no output shows it, and its memory is overwritten when the last clone is dropped.

use geodesign::named::BASE_URL;
use std::fmt;

use bytes::Bytes;
use reqwest::header::{HeaderValue, InvalidHeaderValue};
use zeroize::Zeroizing;

/// An API token. Its `Debug` form is `Token(…)`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Zeroizing<String>);

/// A token that the service cannot have issued. The message does not show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidToken {
    #[error(
        "no token: log in once with `pygeodesign login` or Client.login(), pass token=…, or set GEODESIGN_TOKEN. The token is on the API \
         page of the service; the card of a room has a link instead, for Client.join"
    )]
    Missing,
    #[error("the token has invalid characters; copy it again from the API page of the service")]
    Characters,
    #[error(
        "the token is a URL: token and {BASE_URL} are swapped. The token comes first, then the address of the service; \
         or name them: token=…, {BASE_URL}=…"
    )]
    IsUrl,
}

impl Token {
    pub fn new(token: impl Into<String>) -> Self {
        let given = Zeroizing::new(token.into());
        Token(Zeroizing::new(given.trim().to_owned()))
    }

    /// The token itself, for the authorization header and for pickling.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn check(&self) -> Result<(), InvalidToken> {
        let token = self.expose();
        if token.is_empty() {
            return Err(InvalidToken::Missing);
        }
        if looks_like_url(token) {
            return Err(InvalidToken::IsUrl);
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidToken::Characters);
        }
        Ok(())
    }

    /// The value of the authorization header. Its clones share its bytes, which are overwritten when the last clone is dropped.
    pub(super) fn header(&self) -> Result<HeaderValue, InvalidHeaderValue> {
        let text = Zeroizing::new(format!("Token {}", self.expose()).into_bytes());
        let mut value = HeaderValue::from_maybe_shared(Bytes::from_owner(text))?;
        value.set_sensitive(true);
        Ok(value)
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        text.contains(self.expose())
    }

    /// Removes the token from the service's text, which may have repeated it.
    pub(super) fn hide_in(&self, text: &str) -> String {
        text.replace(self.expose(), "…")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// True if a text is meant as a URL, even if it is not valid. No token looks like that.
pub(super) fn looks_like_url(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("://") || text.starts_with("https:") || text.starts_with("http:")
}
