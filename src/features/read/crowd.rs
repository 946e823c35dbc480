//! Arrays of diagrams with so little in each row that the columns, which are mostly empty, would take far more memory than the body has
//! bytes.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::BodyError;
use crate::json::{Scanner, ScannerError};

/// What a row takes in the documented columns.
const ROW_MEMORY: usize = 600;
const MEMORY_PER_BYTE: usize = 8;
/// So many rows are read, however small they are.
const ALWAYS_READ: usize = 100_000;
/// The most rows that are read of a body of so many bytes.
pub fn max_rows(bytes: usize) -> usize {
    ALWAYS_READ.max(bytes.saturating_mul(MEMORY_PER_BYTE) / ROW_MEMORY)
}

/// Whether a body that consists of parts such as this one, which may end anywhere, could have too many rows.
pub fn is_crowded(part: &[u8]) -> bool {
    let most = part.len() * MEMORY_PER_BYTE / ROW_MEMORY;
    // Nearly every row has a brace.
    braces(part) > most && count(part) > most
}

/// Refuses a body of too many rows before they are parsed. What is no JSON is left to its reader.
pub fn check(text: &str) -> Result<(), BodyError> {
    let most = max_rows(text.len());
    if braces(text.as_bytes()) <= most {
        return Ok(());
    }
    check_rows(count(text.as_bytes()), text.len())
}

/// The same for rows that were parsed already.
pub fn check_rows(rows: usize, bytes: usize) -> Result<(), BodyError> {
    if rows > max_rows(bytes) { Err(BodyError::TooManyRows { rows, bytes }) } else { Ok(()) }
}

fn braces(part: &[u8]) -> usize {
    memchr::memchr_iter(b'{', part).count()
}

/// The rows of diagrams from the first brace on. They are counted by the brackets, without being checked.
fn count(part: &[u8]) -> usize {
    let text = part.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (mut scanner, mut rows) = (Scanner::over_valid(&text[text.find('{').unwrap_or(text.len())..]), 0);
    while let Ok(features) = member(&mut scanner, &["geojson", "features"]) {
        rows += features.max(1);
        if scanner.take(b',').is_err() {
            break;
        }
    }
    rows
}

/// How many elements the array has that is at this place in a value.
fn member(scanner: &mut Scanner, path: &[&str]) -> Result<usize, ScannerError> {
    let mut found = 0;
    match (path, scanner.peek()) {
        ([name, rest @ ..], Some(b'{')) => {
            scanner.value()?;
            let mut members = scanner.members();
            while members.advance()? {
                let is_on_the_way = members.scanner.string()? == *name;
                members.scanner.take(b':')?;
                if is_on_the_way {
                    found += member(members.scanner, rest)?;
                } else {
                    IgnoredAny::deserialize(&mut *members.scanner)?;
                }
            }
            members.finish()?;
        }
        ([], Some(b'[')) => {
            scanner.value()?;
            let mut elements = scanner.elements();
            while elements.advance()? {
                IgnoredAny::deserialize(&mut *elements.scanner)?;
                found += 1;
            }
            elements.finish()?;
        }
        _ => drop(IgnoredAny::deserialize(scanner)?),
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(row: &str, count: usize) -> String {
        format!("[{}]", vec![row; count].join(","))
    }

    #[test]
    fn very_many_rows_of_a_few_bytes_are_refused() {
        let features = rows(&format!(r#"{{"id":1,"geojson":{{"features":{}}}}}"#, rows("{}", 1_000)), 101);
        for (text, expected) in [(rows(r#"{"id":1}"#, 100_001), 100_001), (features, 101_000)] {
            assert!(is_crowded(text.as_bytes()));
            let bytes = text.len();
            assert_eq!(check(&text), Err(BodyError::TooManyRows { rows: expected, bytes }));
        }
    }

    #[test]
    fn as_many_rows_are_read_as_have_a_hundred_bytes() {
        let row = format!(r#"{{"id":1,"sysid":2,"notes":"{}","geojson":null}}"#, "x".repeat(100));
        assert_eq!(check(&rows(&row, 101_000)), Ok(()));
        assert_eq!(check(&rows(r#"{"id":1}"#, 100_000)), Ok(()));
        assert_eq!(check(&rows("null", 10)[..20]), Ok(()));
        assert!(!is_crowded(&rows(&row, 1_000).as_bytes()[..100_000]));
    }
}
