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
/// Rows of diagrams as services send them have several times as many bytes for each brace.
const MIN_BYTES_PER_BRACE: usize = 24;

/// The most rows that are read of a body of so many bytes.
pub fn max_rows(bytes: usize) -> usize {
    ALWAYS_READ.max(bytes / ROW_MEMORY * MEMORY_PER_BYTE)
}

/// Whether a part of a body may have very many rows.
pub fn is_suspicious(part: &[u8]) -> bool {
    braces(part) > part.len() / MIN_BYTES_PER_BRACE
}

/// Refuses a body of too many rows before they are parsed. They are counted by the brackets, without being checked.
pub fn check(text: &str) -> Result<(), BodyError> {
    let bytes = text.len();
    // Nearly every row has a brace. What is no JSON is left to its reader.
    if bytes / 4 <= ALWAYS_READ || braces(text.as_bytes()) <= max_rows(bytes) {
        return Ok(());
    }
    match count(text) {
        Ok(rows) if rows > max_rows(bytes) => Err(BodyError::TooManyRows { rows, bytes }),
        _ => Ok(()),
    }
}

fn braces(part: &[u8]) -> usize {
    memchr::memchr_iter(b'{', part).count()
}

fn count(text: &str) -> Result<usize, ScannerError> {
    let (mut scanner, mut rows) = (Scanner::over_valid(text), 0);
    if scanner.peek() != Some(b'[') {
        return Ok(0);
    }
    scanner.value()?;
    let mut diagrams = scanner.elements();
    while diagrams.advance()? {
        rows += member(diagrams.scanner, &["geojson", "features"])?.max(1);
    }
    Ok(rows)
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
            assert!(is_suspicious(text.as_bytes()));
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
    }
}
