//! Decoding of whole JSON texts, with errors that name the field and the byte.

use std::fmt;

use serde::de::DeserializeOwned;

use super::objects::ObjectOnly;

/// Why a JSON text could not be decoded.
#[derive(Debug, thiserror::Error)]
pub struct DecodeError {
    /// The path of the field that the error is about, such as `features[3].geometry`; `None` for the text as a whole.
    pub path: Option<String>,
    /// The message of `source`, with the byte in place of line and column.
    message: String,
    pub source: serde_json::Error,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Decodes a JSON text. After an error it is decoded once more, to learn the path of the field.
pub fn decode<T: DeserializeOwned>(text: &[u8]) -> Result<T, DecodeError> {
    serde_json::from_slice(text).map_err(|source| {
        let mut json = serde_json::Deserializer::from_slice(text);
        let located = serde_path_to_error::deserialize::<_, T>(&mut json);
        DecodeError::new(text, source, located)
    })
}

/// Decodes a JSON text of which the whole is an object, where `T` is a struct.
pub fn decode_object<T: DeserializeOwned>(text: &[u8]) -> Result<T, DecodeError> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let decoded = T::deserialize(ObjectOnly(&mut json)).and_then(|decoded| json.end().map(|()| decoded));
    decoded.map_err(|source| {
        let mut json = serde_json::Deserializer::from_slice(text);
        let located = serde_path_to_error::deserialize::<_, T>(ObjectOnly(&mut json));
        DecodeError::new(text, source, located)
    })
}

impl DecodeError {
    /// `located` is the result of the second decoding.
    fn new<T>(
        text: &[u8],
        source: serde_json::Error,
        located: Result<T, serde_path_to_error::Error<serde_json::Error>>,
    ) -> Self {
        let path = located.err().map(|error| error.path().to_string()).filter(|path| path != ".");
        DecodeError { path, message: message_with_byte(text, &source), source }
    }
}

/// The message of an error about `text`, with a byte position, counted from 0, in place of line and column.
pub fn message_with_byte(text: &[u8], error: &serde_json::Error) -> String {
    let message = error.to_string();
    let line_and_column = format!(" at line {} column {}", error.line(), error.column());
    match message.strip_suffix(&line_and_column) {
        // The column counts the bytes of the line that serde_json has read, the wrong one included.
        Some(problem) if error.line() > 0 => {
            let byte = start_of_line(text, error.line()) + error.column().saturating_sub(1);
            format!("{problem} at byte {byte}")
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

    fn message(text: &str) -> String {
        message_with_byte(text.as_bytes(), &serde_json::from_str::<Vec<u8>>(text).unwrap_err())
    }

    #[test]
    fn bytes_are_counted_from_the_start_of_the_text_whatever_the_line() {
        assert_eq!(message("[1, x]"), "expected value at byte 4");
        assert_eq!(message("[1,\n 2,\n x]"), "expected value at byte 9");
        assert_eq!(message("[1, 2"), "EOF while parsing a list at byte 4");
    }

    #[test]
    fn an_error_begins_with_the_path_of_its_field() {
        let error = decode::<std::collections::BTreeMap<String, Vec<u8>>>(br#"{"a":[1,true]}"#).unwrap_err();
        assert_eq!(error.path.as_deref(), Some("a[1]"));
        assert!(error.to_string().starts_with("a[1]: invalid type: boolean"), "{error}");
    }
}
