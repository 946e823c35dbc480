//! How much memory a JSON text takes as values, estimated before it is read. A tree of values takes up to a hundred times its text
//! where the values are tiny (`[[],[],…`), so that a body within its limit could take all memory of a machine.

use super::scanner::{Scanner, ScannerError, Value};

/// What a text becomes takes no more than this many times its bytes.
pub const MAX_BYTES_PER_BYTE: usize = 8;
/// Less than this is never refused.
const NEGLIGIBLE: usize = 16 << 20;

/// A value in a tree: that of serde_json, and the copy in which fields wait until all known ones are read. Measured: 240 bytes.
const TREE_VALUE: usize = 240;
/// A field of a row: its name and its place in a map.
const FIELD: usize = 100;
/// The same where the row has a place for it.
const KNOWN_FIELD: usize = 40;
/// The fields that every list has, and those that every row of feature-JSON has.
const KNOWN: [&str; 10] =
    ["id", "name", "title", "description", "color", "sysid", "rank", "tag", "attributes", "geometry"];
/// A row of a list: the struct, and what it is in Python.
const ROW: usize = 100;
/// A value of a type that is known, in a list.
const TYPED_VALUE: usize = 24;

/// A value in a tree that is not copied.
const FREE_VALUE: usize = 64;

/// Fields with any values, which are read at once.
const FREE: [&str; 3] = ["additional_metadata", "attributes", "building_data"];

/// Fields with the rows of a list.
const LISTS: [&str; 4] = ["all_negotiations", "members", "stakeholders", "synthesis"];

/// Fields whose values have a type, or are text, so that they become no tree.
const TYPED: [&str; 14] = [
    "cteams",
    "diagrams",
    "features",
    "geojson",
    "geometry",
    "coordinates",
    "moves",
    "paths",
    "properties",
    // The rows of a page are text until all pages are there.
    "results",
    "results_url",
    "rings",
    "timeline_data",
    "volume_information",
];

/// A text that would take too much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "its {bytes} bytes would take about {} MB of memory, more than {MAX_BYTES_PER_BYTE} times as much: it consists of tiny values, or of \
     rows with little in each",
    .memory >> 20
)]
pub struct TooManyValues {
    bytes: usize,
    memory: usize,
}

/// Refuses a text that would take much more memory than it has bytes. What is no JSON is left to its reader.
pub fn check_weight(text: &[u8]) -> Result<(), TooManyValues> {
    if most(text) <= NEGLIGIBLE {
        return Ok(());
    }
    let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let mut memory = 0;
    // Where the text is no JSON, its reader gets as far as this.
    let _ = weigh(&mut Scanner::new(valid), Place::List, &mut memory);
    let bytes = text.len();
    if memory > NEGLIGIBLE.max(bytes.saturating_mul(MAX_BYTES_PER_BYTE)) {
        return Err(TooManyValues { bytes, memory });
    }
    Ok(())
}

/// What the values of a text take if each is the heaviest that there is. Counting bytes is a hundred times as fast as reading them.
fn most(text: &[u8]) -> usize {
    // A value is the first of the text, or of an array or an object, or follows a comma. Those within texts count as well.
    let values = 1 + text.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    values.saturating_mul(TREE_VALUE + FIELD)
}

/// As [`check_weight`], for a text that becomes a tree as a whole, and is not copied before.
pub fn check_tree(text: &str) -> Result<(), TooManyValues> {
    let (bytes, mut memory) = (text.len(), 0);
    let _ = weigh(&mut Scanner::new(text), Place::Free, &mut memory);
    if memory > NEGLIGIBLE.max(bytes.saturating_mul(MAX_BYTES_PER_BYTE)) {
        return Err(TooManyValues { bytes, memory });
    }
    Ok(())
}

/// What becomes of the values at a place in the text.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The rows of a list, or a struct that has such lists.
    List,
    /// What is in a row: structs, or lists of them or of numbers.
    Row,
    /// A tree, which is read at once.
    Free,
    /// A tree in a field that nobody knows.
    Tree,
}

fn weigh(scanner: &mut Scanner, place: Place, memory: &mut usize) -> Result<(), ScannerError> {
    *memory += match place {
        Place::List | Place::Row => TYPED_VALUE,
        Place::Free => FREE_VALUE,
        Place::Tree => TREE_VALUE,
    };
    match scanner.value()? {
        Value::Array => {
            let mut elements = scanner.elements();
            while elements.advance()? {
                if place == Place::List && elements.scanner.peek() == Some(b'{') {
                    *memory += ROW;
                }
                weigh(elements.scanner, place, memory)?;
            }
            elements.finish()
        }
        Value::Object => {
            let mut members = scanner.members();
            while members.advance()? {
                let key = members.scanner.string()?;
                members.scanner.take(b':')?;
                *memory += if KNOWN.contains(&key.as_ref()) { KNOWN_FIELD } else { FIELD };
                let is_flat = !matches!(members.scanner.peek(), Some(b'[' | b'{'));
                let inner = match place {
                    Place::List if LISTS.contains(&key.as_ref()) => Place::List,
                    Place::List | Place::Row if is_flat || TYPED.contains(&key.as_ref()) => Place::Row,
                    Place::List | Place::Row if FREE.contains(&key.as_ref()) => Place::Free,
                    Place::List | Place::Row => Place::Tree,
                    within_a_tree => within_a_tree,
                };
                weigh(members.scanner, inner, memory)?;
            }
            members.finish()
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(row: &str, bytes: usize) -> String {
        format!("[{}]", vec![row; bytes / row.len()].join(","))
    }

    #[test]
    fn tiny_values_in_an_unknown_field_are_refused() {
        for tiny in ["0", "[]", "{}", "\"\"", r#"{"a":1}"#] {
            let text = format!(r#"[{{"id":1,"shade":{}}}]"#, rows(tiny, 4 << 20));
            assert!(check_weight(text.as_bytes()).is_err(), "{tiny}");
            // Before it turns out to be no JSON.
            assert!(check_weight(&text.as_bytes()[..text.len() - 3]).is_err(), "{tiny}");
        }
        assert!(check_weight(rows(r#"{"a":1,"b":2,"c":3}"#, 8 << 20).as_bytes()).is_err());
    }

    #[test]
    fn what_services_send_is_read() {
        for row in [
            r#"{"id":1,"worlddescription":"Park","author":"ana","created_at":"2026-03-02T09:30:00","rank":1,"sysid":1}"#,
            r#"{"id":"8f9a2a7e-0b3e-4b7e-9b1a-2f0a6a3c4d5e","tag":"a","diagrams":[1001,1002,1003,1004,1005,1006,1007,1008]}"#,
            r#"{"attributes":{"diagramid":1},"geometry":{"rings":[[[-74.151234,40.571234],[-74.151234,40.571235]]]}}"#,
            r#"{"id":1,"additional_metadata":{"phase":1,"by":"Ana","notes":"A text of some length, as people write it"}}"#,
        ] {
            assert_eq!(check_weight(rows(row, 16 << 20).as_bytes()), Ok(()), "{row}");
        }
    }

    #[test]
    fn a_small_text_may_have_any_values() {
        assert_eq!(check_weight(rows("[]", 60_000).as_bytes()), Ok(()));
    }
}
