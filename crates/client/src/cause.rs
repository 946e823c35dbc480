//! The source of an error.

use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::token::Token;

/// An error that led to another. It is shared, so that the error containing it can be cloned.
#[derive(Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// True if this error, or one that led to it, repeats the token.
    pub(super) fn shows(&self, token: &Token) -> bool {
        chain(&**self).any(|error| token.is_in(&error.to_string()))
    }
}

/// The first of the errors that led to this one, or the error itself. For an error of the HTTP library, it describes the problem; the
/// others name layers of the library, and the address.
pub fn root_cause<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    chain(error).last().unwrap_or(error)
}

/// Fault behind an error of the HTTP library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpFault {
    Timeout,
    /// The request could not be made.
    Request,
    Connection,
}

impl HttpFault {
    /// `None` if it is not an error of the HTTP library.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let error = error.downcast_ref::<reqwest::Error>()?;
        Some(if error.is_timeout() {
            HttpFault::Timeout
        } else if error.is_builder() {
            HttpFault::Request
        } else {
            HttpFault::Connection
        })
    }
}

/// An error, the error that led to it, and so on.
pub fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

impl<E: Error + Send + Sync + 'static> From<E> for Cause {
    fn from(error: E) -> Self {
        Cause(Arc::new(error))
    }
}

impl Deref for Cause {
    type Target = dyn Error + 'static;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}
