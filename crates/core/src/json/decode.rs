//! Decodes complete JSON texts, with errors that name the field and the byte. Also reads structs from objects only: the code that serde
//! derives accepts an array of the field values, too.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Visitor};

use super::plain_words::{in_plain_words_with_byte, start_of_line};
use geodesign_geometry::json::{Scanner, ScannerError, Value};

/// An error in decoding a JSON text.
#[derive(Debug, thiserror::Error)]
pub struct DecodeError {
    /// The path of the field that the error is about, such as `features[3].geometry`; `None` for the text as a whole.
    pub path: Option<String>,
    /// The message of `source`, with the byte in place of line and column.
    pub message: String,
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

/// Decodes a JSON text.
pub fn decode<T: DeserializeOwned>(text: &[u8]) -> Result<T, DecodeError> {
    let read = |text: &[u8]| serde_json::from_slice::<T>(text);
    read(text).map_err(|source| DecodeError::new(text, source, &|start| read(start).err()))
}

/// Decodes a JSON text that is an object; `T` is a struct.
pub fn decode_object<T: DeserializeOwned>(text: &[u8]) -> Result<T, DecodeError> {
    let read = |text: &[u8]| {
        let mut json = serde_json::Deserializer::from_slice(text);
        let decoded = object::<T, _>(&mut json)?;
        json.end().map(|()| decoded)
    };
    read(text).map_err(|source| DecodeError::new(text, source, &|start| read(start).err()))
}

/// Decodes the first bytes of a text, and returns the error if they cannot be decoded.
pub type ErrorOfStart<'d> = &'d dyn Fn(&[u8]) -> Option<serde_json::Error>;

impl DecodeError {
    /// Returns the error for the sender of the text: the field, and what it must be.
    pub fn in_plain_words(&self, text: &[u8]) -> String {
        let problem = in_plain_words_with_byte(text, &self.source);
        self.path.as_ref().map_or(problem.clone(), |path| format!("{path}: {problem}"))
    }

    /// Adds the path of the field that `source` is about.
    pub fn new(text: &[u8], source: serde_json::Error, error_of_start: ErrorOfStart) -> Self {
        let path = path_of_error(text, &source, error_of_start);
        DecodeError {
            path: Some(path).filter(|path| !path.is_empty()),
            message: message_with_byte(text, &source),
            source,
        }
    }
}

/// The path of the value that an error is about; empty for the text as a whole.
///
/// serde_json reports how far it had read. By then it may have read to the ends of several values; the error is about the innermost value
/// that causes it alone. Decoding the start of the text again needs no second deserializer, which would be compiled for every type.
fn path_of_error(text: &[u8], error: &serde_json::Error, error_of_start: ErrorOfStart) -> String {
    let read = if error.line() > 0 { start_of_line(text, error.line()) + error.column() } else { text.len() };
    let read = &text[..read.min(text.len())];
    let (mut path, mut ended) = (String::new(), Vec::new());
    let valid = read.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // An early end of the text does not matter here: `path` is then the path of the value in which it ends.
    let _ = follow(&mut Scanner::new(valid), &mut path, &mut ended);
    let is_enough = |end: usize| error_of_start(&text[..end]).is_some_and(|error| !error.is_eof());
    let first = ended.partition_point(|(_, end)| !is_enough(*end));
    if let Some((innermost, _)) = ended.into_iter().nth(first) {
        return innermost;
    }
    // A value of the wrong type may not have been read at all. If it is the first element, the start of its list is no error yet.
    if error.is_data() && read.trim_ascii_end().ends_with(b"[") && !is_enough(read.len()) {
        path.push_str("[0]");
    }
    path
}

/// Reads a value and collects the paths and ends of the values that end last, the innermost first.
fn follow(scanner: &mut Scanner, path: &mut String, ended: &mut Vec<(String, usize)>) -> Result<(), ScannerError> {
    ended.clear();
    let length = path.len();
    match scanner.value()? {
        Value::Array => {
            let mut elements = scanner.elements();
            let mut indices = 0..;
            while elements.advance()? {
                path.extend(indices.next().map(|index: usize| format!("[{index}]")));
                follow(elements.scanner, path, ended)?;
                path.truncate(length);
            }
            elements.finish()?;
        }
        Value::Object => {
            let mut members = scanner.members();
            while members.advance()? {
                let key = members.scanner.string()?;
                path.extend([if length == 0 { "" } else { "." }, &key]);
                members.scanner.take(b':')?;
                follow(members.scanner, path, ended)?;
                path.truncate(length);
            }
            members.finish()?;
        }
        _ => {}
    }
    ended.push((path.clone(), scanner.offset()));
    Ok(())
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

/// Reads a struct from an object only, for fields with `deserialize_with`. Structs in its own fields need the attribute, too.
pub fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(ObjectOnly(deserializer))
}

/// Does the same for an optional struct.
pub fn optional_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(object)| object))
}

/// Does the same for a list of structs.
pub fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|Object(object)| object).collect())
}

struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Object)
    }
}

/// Reads one struct with the deserializer inside, from an object only.
struct ObjectOnly<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    /// Reads a struct that reads the object's text itself.
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::model::{Diagram, NewProject, Synthesis};

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
        let error = decode::<BTreeMap<String, Vec<u8>>>(br#"{"a":[1,true]}"#).unwrap_err();
        assert_eq!(error.path.as_deref(), Some("a[1]"));
        assert!(error.to_string().starts_with("a[1]: invalid type: boolean"), "{error}");
    }

    /// Checks that both give the same path for a wrong value. If the text is not JSON, or a key is repeated, one path may end earlier than
    /// the other.
    fn assert_path_is_that_of_serde_path_to_error<T: DeserializeOwned>(text: &str) {
        let Err(error) = decode::<T>(text.as_bytes()) else { return };
        let theirs = serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(text));
        let theirs = theirs.err().map(|error| error.path().to_string()).filter(|path| path != ".").unwrap_or_default();
        let ours = error.path.clone().unwrap_or_default();
        let theirs = theirs.trim_end_matches(['?', '.']);
        let is_one_value = error.source.is_data() && !error.to_string().contains("duplicate field");
        let is_same = ours == theirs || !is_one_value && (ours.starts_with(theirs) || theirs.starts_with(&ours));
        assert!(is_same, "{ours:?} {theirs:?} {text}: {error}");
    }

    const DIAGRAMS: &str = r#"[{"id": 1, "sysid": "2", "start_date": "2026-03-02", "area": 7.5, "notes": null, "extra": [{}, []]},
        {"sysid": 2, "id": 3, "end_date": "2026-03-02T09:30:00"}]"#;
    const DESIGNS: &str =
        r#"{"synthesis": [{"cteamid": 4, "id": "a023631f09bc2e31", "creationdate": "2026-03-02 09:30:00"}]}"#;
    const PROJECT: &str = r##"{"project_title": "Lisbon", "map_bounds": "-9.23,38.69,-9.09,38.8", "map_center": "-9.1,38.7", "zoom_level":
        12, "systems": [{"name": "Water", "color": "#00f", "cost": 2.0}], "tags": [{"tag": "x"} , {"tag":"y"} ]}"##;

    #[test]
    fn the_last_value_of_a_list_or_an_object_can_be_the_wrong_one() {
        let wrong = |text: &str, from: &str, to: &str| text.replacen(from, to, 1);
        assert_path_is_that_of_serde_path_to_error::<Vec<Diagram>>(&wrong(DIAGRAMS, "2026-03-02T09", "2026-03-32T09"));
        assert_path_is_that_of_serde_path_to_error::<Synthesis>(&wrong(DESIGNS, "2026-03-02 09", "2026-03-32 09"));
        assert_path_is_that_of_serde_path_to_error::<NewProject>(&wrong(PROJECT, r#""tag":"y""#, r#""tog":"y""#));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn every_wrong_value_is_found(
            at in any::<prop::sample::Index>(),
            length in 0..9_usize,
            other in prop::sample::select(vec!["", "1", "-1.5", "true", "null", "\"\"", "\"x\"", "[]", "{}", "[1]", "[[]]", ",", "x"]),
        ) {
            for text in [DIAGRAMS, DESIGNS, PROJECT] {
                let start = at.index(text.len());
                let changed = format!("{}{other}{}", &text[..start], text.get(start + length..).unwrap_or_default());
                assert_path_is_that_of_serde_path_to_error::<Vec<Diagram>>(&changed);
                assert_path_is_that_of_serde_path_to_error::<Synthesis>(&changed);
                assert_path_is_that_of_serde_path_to_error::<NewProject>(&changed);
            }
        }
    }

    #[derive(Debug, Deserialize)]
    struct Outer {
        #[serde(default, deserialize_with = "optional_object")]
        one: Option<Inner>,
        #[serde(default, deserialize_with = "objects")]
        many: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    struct Inner {
        value: u8,
    }

    #[test]
    fn objects_are_read() {
        let outer = decode_object::<Outer>(br#"{"one": {"value": 1}, "many": [{"value": 2}, {"value": 3}]}"#).unwrap();
        assert_eq!(outer.one.unwrap().value, 1);
        assert_eq!(outer.many.iter().map(|inner| inner.value).collect::<Vec<_>>(), [2, 3]);
        assert!(decode_object::<Outer>(br#"{"one": null}"#).unwrap().one.is_none());
    }

    #[test]
    fn an_array_in_place_of_an_object_is_refused() {
        for (text, path) in
            [(r#"[{"value": 1}, []]"#, ""), (r#"{"one": [1]}"#, "one: "), (r#"{"many": [[1]]}"#, "many[0]: ")]
        {
            let error = decode_object::<Outer>(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{path}invalid type: sequence, expected struct")), "{text}: {error}");
        }
    }
}
