//! Reads lists of which some values cannot be read: these are left out, and named. One bad value is no reason to refuse the others.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::decode::{DecodeError, decode};
use super::scanner::{Scanner, ScannerError, Value};

/// The most values of one element that are left out.
const MAX_GAPS_PER_ELEMENT: usize = 40;

/// A value that could not be read, and was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Where it is, such as `[3].start_date`.
    pub path: String,
    pub problem: String,
}

/// Decodes an array. Of an element that cannot be read, the values that are wrong are read as null; an element without a value that
/// it needs is an error.
pub fn decode_list<T: DeserializeOwned>(text: &[u8]) -> Result<(Vec<T>, Vec<Gap>), DecodeError> {
    let whole = match decode(text) {
        Ok(list) => return Ok((list, Vec::new())),
        Err(error) => error,
    };
    let Ok(elements) = serde_json::from_slice::<Vec<&RawValue>>(text) else { return Err(whole) };
    let (mut list, mut gaps) = (Vec::with_capacity(elements.len()), Vec::new());
    for (index, element) in elements.into_iter().enumerate() {
        match decode_with_gaps(element.get(), |_| true) {
            Ok((element, found)) => {
                list.push(element);
                gaps.extend(found.into_iter().map(|gap| Gap { path: format!("[{index}].{}", gap.path), ..gap }));
            }
            // The first error that nothing mends is the one to tell; that of the whole has its place in the text.
            Err(_) if gaps.is_empty() => return Err(whole),
            Err(error) => {
                let path = error.path.map_or_else(|| format!("[{index}]"), |path| format!("[{index}].{path}"));
                return Err(DecodeError { path: Some(path), ..error });
            }
        }
    }
    Ok((list, gaps))
}

/// Decodes an object; the values in its lists are read as null where they are wrong.
pub fn decode_lists_in<T: DeserializeOwned>(text: &[u8]) -> Result<(T, Vec<Gap>), DecodeError> {
    match str::from_utf8(text) {
        Ok(text) => decode_with_gaps(text, |path| path.contains('[')),
        Err(_) => Ok((decode(text)?, Vec::new())),
    }
}

/// Reads values as null that are wrong, where `may_lack` says so of their paths.
fn decode_with_gaps<T: DeserializeOwned>(text: &str, may_lack: fn(&str) -> bool) -> Result<(T, Vec<Gap>), DecodeError> {
    let first = match decode(text.as_bytes()) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    let (mut text, mut gaps) = (text.to_owned(), Vec::new());
    let mut path = first.path.clone();
    let mut problem = first.message.clone();
    while gaps.len() < MAX_GAPS_PER_ELEMENT {
        let Some(wrong) = path.filter(|path| may_lack(path)) else { break };
        let wrong = field_of::<T>(&text, wrong);
        let Some(start_and_end) = span_of(&text, &wrong) else { break };
        // It is not enough that a value is missing.
        if &text[start_and_end.clone()] == "null" {
            break;
        }
        text.replace_range(start_and_end, "null");
        gaps.push(Gap { path: wrong, problem: without_byte(&problem).to_owned() });
        match decode(text.as_bytes()) {
            Ok(value) => return Ok((value, gaps)),
            Err(error) => (path, problem) = (error.path, error.message),
        }
    }
    Err(first)
}

/// The path of the field that is wrong. Where fields of two structs are in one object, the error is about the object as a whole.
fn field_of<T: DeserializeOwned>(text: &str, path: String) -> String {
    let Some(object) = span_of(text, &path).map(|span| &text[span]) else { return path };
    let Ok(fields) = serde_json::from_str::<std::collections::BTreeMap<String, &RawValue>>(object) else { return path };
    let is_mended = |field: &String| {
        span_of(text, field).is_some_and(|span| {
            let mended = format!("{}null{}", &text[..span.start], &text[span.end..]);
            decode::<T>(mended.as_bytes()).err().is_none_or(|error| error.path.as_deref() != Some(path.as_str()))
        })
    };
    fields.keys().map(|name| format!("{path}.{name}")).find(is_mended).unwrap_or_else(|| path.clone())
}

/// A message without the byte, which counts from the start of an element.
fn without_byte(message: &str) -> &str {
    message.rsplit_once(" at byte ").map_or(message, |(problem, _)| problem)
}

/// Where the value of a path is in the text: the last one, where names repeat.
fn span_of(text: &str, path: &str) -> Option<std::ops::Range<usize>> {
    let (mut scanner, mut found) = (Scanner::new(text), None);
    find(&mut scanner, &mut String::new(), path, &mut found).ok()?;
    found
}

fn find(
    scanner: &mut Scanner,
    path: &mut String,
    wanted: &str,
    found: &mut Option<std::ops::Range<usize>>,
) -> Result<(), ScannerError> {
    scanner.peek();
    let (start, length) = (scanner.offset(), path.len());
    match scanner.value()? {
        Value::Array => {
            let mut elements = scanner.elements();
            let mut index = 0_usize;
            while elements.advance()? {
                path.push_str(&format!("[{index}]"));
                find(elements.scanner, path, wanted, found)?;
                path.truncate(length);
                index += 1;
            }
            elements.finish()?;
        }
        Value::Object => {
            let mut members = scanner.members();
            while members.advance()? {
                let key = members.scanner.string()?;
                path.extend([if length == 0 { "" } else { "." }, &key]);
                members.scanner.take(b':')?;
                find(members.scanner, path, wanted, found)?;
                path.truncate(length);
            }
            members.finish()?;
        }
        _ => {}
    }
    if path == wanted {
        *found = Some(start..scanner.offset());
    }
    Ok(())
}

/// For lists, with `#[serde(default)]`: null is a list without elements.
pub fn null_is_empty<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Diagram, Synthesis};

    #[test]
    fn a_wrong_value_is_left_out_and_named() {
        let text = br#"[{"id":1,"sysid":2},{"id":2,"sysid":2,"start_date":"2024-13-45","area":[1],"rank":3}]"#;
        let (diagrams, gaps) = decode_list::<Diagram>(text).unwrap();
        assert_eq!((diagrams[1].start_date.clone(), diagrams[1].area, diagrams[1].rank), (None, None, Some(3)));
        assert_eq!(gaps.iter().map(|gap| gap.path.as_str()).collect::<Vec<_>>(), ["[1].start_date", "[1].area"]);
        assert!(gaps[0].problem.contains("2024-13-45"), "{gaps:?}");
    }

    #[test]
    fn an_element_without_what_it_needs_is_an_error() {
        for text in [r#"[{"id":1,"sysid":2},{"sysid":2,"area":[]}]"#, r#"[{"id":"x","sysid":2}]"#, "[1]", "[", "{}"] {
            assert!(decode_list::<Diagram>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_value_in_a_list_of_an_object_is_left_out() {
        let text = br#"{"synthesis":[{"cteamid":4,"id":"a023631f09bc2e31","creationdate":"2024-13-45"}]}"#;
        let (designs, gaps) = decode_lists_in::<Synthesis>(text).unwrap();
        assert_eq!((designs.synthesis[0].details.creationdate.clone(), gaps.len()), (None, 1));
        assert!(decode_lists_in::<Diagram>(br#"{"id":1,"sysid":2,"start_date":"2024-13-45"}"#).is_err());
    }
}
