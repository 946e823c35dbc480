//! JSON read fast; and where that fails, what is wrong with it, in which field, and at which of its bytes.

mod decimal;
mod scanner;
mod transcode;

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Visitor};
use serde_json::value::RawValue;

pub use scanner::{Scanner, ScannerError};

/// A value as the text that it is written in, checked to be JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JsonText<'t>(pub &'t str);

/// By this name a [`Scanner`] knows that the text is wanted.
const JSON_TEXT: &str = "geodesign::JsonText";

/// The name of a tuple struct of numbers, two or three mostly, that a [`Scanner`] takes at once.
pub const POSITION: &str = "geodesign::Position";

/// The name of such a tuple struct among the elements of an array. For one of them a [`Scanner`] may take several that have
/// two numbers each, and give their numbers as bytes in the order of the machine, eight for each.
pub const POSITIONS: &str = "geodesign::Positions";

impl<'de: 't, 't> Deserialize<'de> for JsonText<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(JSON_TEXT, JsonTextVisitor)
    }
}

struct JsonTextVisitor;

impl<'de> Visitor<'de> for JsonTextVisitor {
    type Value = JsonText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    /// From a [`Scanner`].
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(JsonText(text))
    }

    /// From serde_json, which has a type of its own for it.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| JsonText(raw.get()))
    }
}

/// Reads a text. An error comes with the path of the field that it is about, where it is about one.
pub fn decode<T: DeserializeOwned>(text: &[u8]) -> Result<T, (Option<String>, serde_json::Error)> {
    serde_json::from_slice(text).map_err(|error| {
        let mut json = serde_json::Deserializer::from_slice(text);
        let located = serde_path_to_error::deserialize::<_, T>(&mut json);
        (located.err().map(|error| error.path().to_string()).filter(|path| path != "."), error)
    })
}

/// The message of an error with a byte position in the text that it is about, counted from 0.
pub fn explain(text: &[u8], error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match message.strip_suffix(&place) {
        // The column counts the bytes of the line that have been read.
        Some(what) if error.line() > 0 => {
            format!("{what} at byte {}", start_of_line(text, error.line()) + error.column().saturating_sub(1))
        }
        _ => message,
    }
}

fn start_of_line(text: &[u8], line: usize) -> usize {
    text.split_inclusive(|&byte| byte == b'\n').take(line - 1).map(<[u8]>::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(text: &str) -> String {
        explain(text.as_bytes(), &serde_json::from_str::<Vec<u8>>(text).unwrap_err())
    }

    #[test]
    fn it_is_a_byte_of_the_whole_text() {
        assert_eq!(explained("[1, x]"), "expected value at byte 4");
        assert_eq!(explained("[1,\n 2,\n x]"), "expected value at byte 9");
        assert_eq!(explained("[1, 2"), "EOF while parsing a list at byte 4");
    }
}
