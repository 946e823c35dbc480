//! A JSON reader for texts that consist mostly of numbers. It borrows from the text where it can, and reads digits and strings
//! eight bytes at a time.
//!
//! It accepts what serde_json accepts, with the same values, and rejects what serde_json rejects, but its errors tell less.
//! After an error in a text of a user, read the text again with serde_json (see [`super::message_with_byte`]).

mod containers;
mod cursor;
mod deserializer;
mod error;
mod numbers;
mod positions;
mod strings;
#[cfg(test)]
mod tests;
mod value;

pub use cursor::Scanner;
pub use deserializer::{JSON_TEXT, POSITION, POSITIONS};
pub use error::ScannerError;
pub use value::Value;
