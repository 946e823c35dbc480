//! Limits of an archive: a member's size, in the file and in memory, is known before it is parsed. The writer keeps the same limits, so
//! every archive that it writes can be read.

use std::borrow::Cow;

use super::format::{MAX_RATIO, Problem};
use geodesign_geometry::json::{Scanner, ScannerError, Value};

pub const MAX_MANIFEST_BYTES: u64 = 64 * 1024 * 1024;
pub const MAX_MEMBERS: u64 = 500_000;
/// Largest size of a member. Responses about a project that a service accepts by default are smaller.
pub const MAX_MEMBER_BYTES: u64 = 256 * 1024 * 1024;
pub const MAX_UNPACKED_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// Bytes that a member may unpack to at any ratio: small members may be repetitive, such as one note many times.
pub const UNPACKED_ANYWAY: u64 = 1024 * 1024;
/// Bytes that all members of a file together may unpack to at any ratio.
pub const ALL_UNPACKED_ANYWAY: u64 = 64 * 1024 * 1024;
/// Members up to this many bytes are not measured, because they are small when parsed, too.
const UNMEASURED_BYTES: usize = 64 * 1024;
/// Values allowed in a member of any size. Beyond these, each value needs `BYTES_OF_A_VALUE` bytes of the member, as named fields have.
const VALUES_ANYWAY: usize = 1_000_000;
const BYTES_OF_A_VALUE: usize = 16;
const MAX_VALUES: usize = 3_000_000;
/// Values that an object counts as, in addition to its fields: it takes as much memory.
const OBJECT_VALUES: usize = 4;
const MAX_LEVELS: usize = 64;
/// Paths of geometries in members. Coordinates below these paths are not counted, since no reader builds a tree of them.
const IN_DIAGRAMS_AND_MAPS: &[&[&str]] =
    &[&["geojson", "features", "geometry"], &["geojson", "features", "geometry", "geometries"]];
const IN_DESIGNS: &[&[&str]] = &[&["features", "geometry"], &["features", "geometry", "geometries"], &["geometry"]];
/// Names of coordinates in GeoJSON and in Esri's feature-JSON.
const COORDINATES: [&str; 4] = ["coordinates", "rings", "paths", "points"];

/// Returns the number of bytes that `packed` bytes may unpack to.
pub fn most_unpacked(packed: u64, anyway: u64) -> u64 {
    anyway.max(packed.saturating_mul(MAX_RATIO))
}

/// True if `packed` bytes may unpack to `unpacked` bytes.
pub fn is_plausible(unpacked: u64, packed: u64, anyway: u64) -> bool {
    unpacked <= most_unpacked(packed, anyway)
}

/// Refuses a JSON text that would take far more memory than its bytes. Invalid JSON passes: its reader stops at the same place.
pub fn check_values(name: &str, content: &[u8]) -> Result<(), Problem> {
    if content.len() <= UNMEASURED_BYTES {
        return Ok(());
    }
    let text = match std::str::from_utf8(content) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&content[..error.valid_up_to()]).unwrap_or_default(),
    };
    let limit = MAX_VALUES.min(VALUES_ANYWAY + content.len() / BYTES_OF_A_VALUE);
    let mut measure =
        Measure { values: 0, limit, path: Vec::new(), geometry_paths: geometry_paths(name), problem: None };
    let _ = measure.value(&mut Scanner::new(text), 0);
    match measure.problem {
        Some(Excess::Values) => Err(Problem::TooManyValues { name: name.to_owned(), limit }),
        Some(Excess::Levels) => Err(Problem::TooDeep { name: name.to_owned(), limit: MAX_LEVELS }),
        None => Ok(()),
    }
}

/// Returns the paths of geometries in a member's response. Everywhere else, all values count.
fn geometry_paths(name: &str) -> &'static [&'static [&'static str]] {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let is_map =
        ["boundaries", "secondboundaries", "constraints", "context"].contains(&stem) || stem.ends_with("/evaluation");
    let is_selection = stem.ends_with("/diagrams/projects") || stem.ends_with("/diagrams/policies");
    if is_map || stem.starts_with("diagrams/") {
        IN_DIAGRAMS_AND_MAPS
    } else if is_selection || (stem.starts_with("cteams/") && stem.matches('/').count() > 1) {
        IN_DESIGNS
    } else {
        &[]
    }
}

enum Excess {
    Values,
    Levels,
}

struct Measure<'t> {
    values: usize,
    limit: usize,
    /// Names of the fields that lead to the value.
    path: Vec<Cow<'t, str>>,
    geometry_paths: &'static [&'static [&'static str]],
    problem: Option<Excess>,
}

impl<'t> Measure<'t> {
    fn value(&mut self, scanner: &mut Scanner<'t>, level: usize) -> Result<(), ScannerError> {
        match scanner.value()? {
            Value::Array => {
                self.count(1, level, scanner)?;
                let mut elements = scanner.elements();
                while elements.advance()? {
                    self.value(elements.scanner, level + 1)?;
                }
                elements.finish()
            }
            Value::Object => {
                self.count(1 + OBJECT_VALUES, level, scanner)?;
                let mut members = scanner.members();
                while members.advance()? {
                    let name = members.scanner.string()?;
                    members.scanner.take(b':')?;
                    if COORDINATES.contains(&name.as_ref()) && self.is_in_geometry() {
                        skip(members.scanner)?;
                        continue;
                    }
                    self.path.push(name);
                    self.value(members.scanner, level + 1)?;
                    self.path.pop();
                }
                members.finish()
            }
            _ => self.count(1, level, scanner),
        }
    }

    /// Counts values; returns an error if there are too many values or levels.
    fn count(&mut self, values: usize, level: usize, scanner: &Scanner) -> Result<(), ScannerError> {
        self.values += values;
        if self.values > self.limit {
            self.problem = Some(Excess::Values);
        } else if level >= MAX_LEVELS {
            self.problem = Some(Excess::Levels);
        } else {
            return Ok(());
        }
        Err(ScannerError::new("too much", scanner.offset()))
    }

    fn is_in_geometry(&self) -> bool {
        let is_same = |path: &[&str]| path.iter().copied().eq(self.path.iter().map(AsRef::as_ref));
        self.geometry_paths.iter().copied().any(is_same)
    }
}

/// Skips the value of `coordinates`; only its brackets are checked.
fn skip(scanner: &mut Scanner) -> Result<(), ScannerError> {
    match scanner.value()? {
        Value::Array => {
            let mut elements = scanner.elements();
            while elements.advance()? {
                if elements.scanner.take_lon_lat().is_none() {
                    skip(elements.scanner)?;
                }
            }
            elements.finish()
        }
        Value::Object => Err(ScannerError::new("coordinates are numbers", scanner.offset())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, start: &str, repeated: &str, count: usize, end: &str) -> Result<(), String> {
        let text = [start, &repeated.repeat(count), end].concat();
        check_values(name, text.as_bytes()).map_err(|problem| problem.to_string())
    }

    #[test]
    fn tiny_values_are_refused_and_coordinates_are_not() {
        for repeated in ["1,", "[],", "{},", r#"{"":0},"#] {
            let refused = check("project.json", "[", repeated, 2_000_000, "0]").unwrap_err();
            assert!(refused.contains("project.json") && refused.contains("values"), "{refused}");
        }
        let start = r#"[{"geojson":{"features":[{"geometry":{"type":"LineString","coordinates":["#;
        assert_eq!(check("diagrams/all.json", start, "[1.5,2.25],", 2_000_000, "[1,2]]}}]}}]"), Ok(()));
        assert!(check("systems.json", start, "[1.5,2.25],", 2_000_000, "[1,2]]}}]}}]").is_err());
        let unknown = r#"[{"x":{"features":[{"geometry":{"type":"LineString","coordinates":["#;
        assert!(check("diagrams/all.json", unknown, "[1.5,2.25],", 2_000_000, "[1,2]]}}]}}]").is_err());
    }

    #[test]
    fn deep_values_are_refused() {
        let deep = check("project.json", &" ".repeat(UNMEASURED_BYTES), "[", 100, &"]".repeat(100)).unwrap_err();
        assert!(deep.contains("64 levels"), "{deep}");
    }
}
