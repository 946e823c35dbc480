//! The token, kept out of everything that is shown.

use std::fmt;

/// An API token. It shows itself as `Token(…)`, never as what it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    pub fn new(token: impl Into<String>) -> Self {
        Token(token.into().trim().to_owned())
    }

    /// The token itself, for the authorization header and for pickling.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
