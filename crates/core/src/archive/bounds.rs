//! What an archive may hold: how large a member is and becomes in memory is known before it is parsed. The writer keeps to the same
//! bounds, so that every archive that was written can be read.

use std::borrow::Cow;

use super::format::{MAX_RATIO, Problem};
use geodesign_geometry::json::{Scanner, ScannerError, Value};

pub const MAX_MANIFEST_BYTES: u64 = 64 * 1024 * 1024;
pub const MAX_MEMBERS: u64 = 500_000;
/// A response about a project that a service takes by default is smaller.
pub const MAX_MEMBER_BYTES: u64 = 256 * 1024 * 1024;
pub const MAX_UNPACKED_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// Beside that: small members may repeat one thing, such as the same note.
pub const UNPACKED_ANYWAY: u64 = 1024 * 1024;
/// Of all members of a file together.
pub const ALL_UNPACKED_ANYWAY: u64 = 64 * 1024 * 1024;
/// Whatever is in fewer bytes is small when it is parsed, too.
const UNMEASURED_BYTES: usize = 64 * 1024;
/// How many values a member of any size may have; further ones need this many bytes each, as named fields have.
const VALUES_ANYWAY: usize = 1_000_000;
const BYTES_OF_A_VALUE: usize = 16;
const MAX_VALUES: usize = 3_000_000;
/// What an object takes beside its fields is the same as for this many values.
const OBJECT_VALUES: usize = 4;
const MAX_LEVELS: usize = 64;
/// Where members have coordinates, which no reader builds a tree of: they count as their bytes.
const IN_DIAGRAMS_AND_MAPS: &[&[&str]] =
    &[&["geojson", "features", "geometry"], &["geojson", "features", "geometry", "geometries"]];
const IN_DESIGNS: &[&[&str]] = &[&["features", "geometry"], &["features", "geometry", "geometries"], &["geometry"]];
/// What they are called, in GeoJSON and in the feature-JSON of Esri.
const COORDINATES: [&str; 4] = ["coordinates", "rings", "paths", "points"];

/// How many bytes may be unpacked of this many.
pub fn most_unpacked(packed: u64, anyway: u64) -> u64 {
    anyway.max(packed.saturating_mul(MAX_RATIO))
}

/// Whether so many bytes may have been packed into these.
pub fn is_plausible(unpacked: u64, packed: u64, anyway: u64) -> bool {
    unpacked <= most_unpacked(packed, anyway)
}

/// Refuses a JSON text that would take far more memory than its bytes. What is no JSON is left to its reader, which ends at the same
/// place.
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

/// Where the response in a member has geometries. Elsewhere, all values count.
fn geometry_paths(name: &str) -> &'static [&'static [&'static str]] {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let is_map = ["boundaries", "secondboundaries", "constraints"].contains(&stem) || stem.ends_with("/evaluation");
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
    /// The names of the objects' fields that lead to the value.
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

    /// Stops the measuring where there is too much.
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

/// Takes the value of `coordinates`, which is checked as far as its brackets.
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
