//! JSON objects with any fields, as text: the service builds no tree of an object that it does not examine, because a tree takes a hundred
//! times as much memory as the text.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::fields::JsonObject;
use crate::json::in_plain_words;
use geodesign_geometry::json::{Scanner, ScannerError, Value};

/// A JSON object with any fields, as its text without white space between values.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct ObjectText(Box<RawValue>);

/// Size of a JSON value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The value itself and all values in it.
    pub values: usize,
    /// Levels of nested arrays and objects.
    pub levels: usize,
}

impl ObjectText {
    /// Reads the text of an earlier `ObjectText`.
    pub fn stored(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(ObjectText)
    }

    pub fn text(&self) -> &str {
        self.0.get()
    }

    pub fn extent(&self) -> Extent {
        extent_of(self.text()).expect("the text was scanned when it arrived, or when it was stored")
    }
}

/// Checks everything that a JSON reader checks: every client has to be able to read the text.
impl<'de> Deserialize<'de> for ObjectText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        if !text.get().starts_with('{') {
            // For the error of serde_json.
            let error = serde_json::from_str::<JsonObject>(text.get()).err();
            return Err(D::Error::custom(error.map_or("it is no object".to_owned(), |error| in_plain_words(&error))));
        }
        extent_of(text.get()).map_err(D::Error::custom)?;
        RawValue::from_string(compact(text.get())).map(ObjectText).map_err(D::Error::custom)
    }
}

impl Default for ObjectText {
    fn default() -> Self {
        ObjectText(RawValue::from_string("{}".into()).expect("this is JSON"))
    }
}

/// Objects are the same if their texts are.
impl PartialEq for ObjectText {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// Returns the size of a JSON text.
pub fn extent_of(text: &str) -> Result<Extent, ScannerError> {
    let mut extent = Extent::default();
    let mut scanner = Scanner::new(text);
    measure(&mut scanner, 0, &mut extent)?;
    scanner.end()?;
    Ok(extent)
}

/// Takes a value nested in `level` arrays and objects. The scanner limits the levels.
fn measure(scanner: &mut Scanner, level: usize, extent: &mut Extent) -> Result<(), ScannerError> {
    extent.values += 1;
    match scanner.value()? {
        Value::Array => {
            extent.levels = extent.levels.max(level + 1);
            let mut elements = scanner.elements();
            while elements.advance()? {
                measure(elements.scanner, level + 1, extent)?;
            }
            elements.finish()
        }
        Value::Object => {
            extent.levels = extent.levels.max(level + 1);
            let mut members = scanner.members();
            while members.advance()? {
                members.scanner.string()?;
                members.scanner.take(b':')?;
                measure(members.scanner, level + 1, extent)?;
            }
            members.finish()
        }
        _ => Ok(()),
    }
}

/// A JSON text without the white space between its values.
fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let (mut copied, mut in_string, mut escaped) = (0, false, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b' ' | b'\n' | b'\r' | b'\t' if !in_string => {
                compact.push_str(&text[copied..index]);
                copied = index + 1;
            }
            _ => {}
        }
    }
    compact.push_str(&text[copied..]);
    compact
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ObjectText, String> {
        serde_json::from_str(text).map_err(|error: serde_json::Error| error.to_string())
    }

    #[test]
    fn the_text_is_kept_without_white_space() {
        let text = "{ \"a b\" : [1.50, 1e2,\n\t\"\\\" { é\"] , \"c\": { } }";
        assert_eq!(read(text).unwrap().text(), r#"{"a b":[1.50,1e2,"\" { é"],"c":{}}"#);
    }

    #[test]
    fn values_and_levels_are_counted() {
        assert_eq!(read("{}").unwrap().extent(), Extent { values: 1, levels: 1 });
        assert_eq!(read(r#"{"a": [1, [true, null]], "b": "x"}"#).unwrap().extent(), Extent { values: 7, levels: 3 });
    }

    #[test]
    fn what_a_client_could_not_read_is_refused() {
        let deep = format!(r#"{{"a": {}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        for text in [r#"{"a": 1e400}"#, r#"{"a": "\ud800"}"#, r#"{"\udc00": 1}"#, deep.as_str()] {
            assert!(read(text).is_err(), "{}", &text[..12]);
        }
    }

    #[test]
    fn other_values_are_refused() {
        for text in ["[]", "1", "null", "\"{}\""] {
            let problem = read(text).unwrap_err();
            assert!(problem.contains("must be an object"), "{text}: {problem}");
        }
    }
}
