//! The token, kept out of everything that is shown and gone from memory with its last owner.

use std::fmt;

use bytes::Bytes;
use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

use super::{Error, Result};

/// An API token. It shows itself as `Token(…)`, never as what it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Zeroizing<String>);

impl Token {
    pub fn new(token: impl Into<String>) -> Self {
        let given = Zeroizing::new(token.into());
        Token(Zeroizing::new(given.trim().to_owned()))
    }

    /// The token itself, for the authorization header and for pickling.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The value of the authorization header. Its bytes are shared, not copied, and wiped with the last of its clones.
    pub(super) fn header(&self) -> Result<HeaderValue> {
        let text = Zeroizing::new(format!("Token {}", self.expose()).into_bytes());
        let mut value = HeaderValue::from_maybe_shared(Bytes::from_owner(text))
            .map_err(|_| Error::Configuration("the token holds characters that no token has".into()))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
