//! What is wrong with a scanned text.

use std::fmt;

use serde::de;

/// What is wrong, and at which byte of the text it was noticed.
#[derive(Debug)]
pub struct ScannerError(Box<Problem>);

#[derive(Debug)]
struct Problem {
    message: String,
    /// `None` for errors of the type that is deserialized: it does not know where in the text its value is.
    offset: Option<usize>,
}

pub type Result<T> = std::result::Result<T, ScannerError>;

impl ScannerError {
    #[cold]
    pub fn new(message: &str, offset: usize) -> Self {
        ScannerError(Box::new(Problem { message: message.into(), offset: Some(offset) }))
    }
}

impl de::Error for ScannerError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ScannerError(Box::new(Problem { message: message.to_string(), offset: None }))
    }
}

impl fmt::Display for ScannerError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0.message)?;
        self.0.offset.map_or(Ok(()), |offset| write!(f, " at byte {offset}"))
    }
}

impl std::error::Error for ScannerError {}
