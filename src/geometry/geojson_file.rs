//! GeoJSON that somebody else wrote, before a library opens it: whether it is GeoJSON at all, leads to no other file, and has no more in
//! it than that library can take in a short time.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value as Tree;

use super::crs::MAX_CRS_BYTES;
use crate::json::{JsonText, Scanner, ScannerError, Value};

/// Why a file of GeoJSON is not opened. The text continues a sentence that begins with the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum GeojsonFileError {
    #[error("is not GeoJSON: {0}")]
    NotGeojson(#[from] ScannerError),
    /// Some readers of GeoJSON ask for the CRS at an address, or open it at a path.
    #[error("has its CRS at an address, which is not asked; write its name into the file")]
    LinkedCrs,
    #[error("has more than {0} features, which is the most that are read of a file. Divide it")]
    TooManyFeatures(usize),
    #[error("has more than {0} properties, each of which would be a column. Leave some out")]
    TooManyProperties(usize),
}

/// What a file may have.
#[derive(Debug, Clone, Copy)]
pub struct GeojsonFileLimits {
    pub features: usize,
    /// Different names in the properties of features.
    pub properties: usize,
}

/// Checks the text of a file.
pub fn check_geojson_file(text: &str, limits: GeojsonFileLimits) -> Result<(), GeojsonFileError> {
    let mut scanner = Scanner::new(text);
    let mut check = Check { limits, properties: HashSet::new(), has_features: false, is_geojson: false };
    check.value(&mut scanner, Place::Root)?;
    scanner.end()?;
    if !check.is_geojson {
        return Err(ScannerError::new("it has neither a type nor features", text.len()).into());
    }
    Ok(())
}

/// What a value is part of.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Features,
    Feature,
    Properties,
    Elsewhere,
}

struct Check<'t> {
    limits: GeojsonFileLimits,
    properties: HashSet<Cow<'t, str>>,
    has_features: bool,
    is_geojson: bool,
}

impl<'t> Check<'t> {
    fn value(&mut self, scanner: &mut Scanner<'t>, place: Place) -> Result<(), GeojsonFileError> {
        match scanner.value()? {
            Value::Array => {
                let mut elements = scanner.elements();
                let mut number = 0_usize;
                while elements.advance()? {
                    match place {
                        Place::Features => self.feature(elements.scanner, number)?,
                        _ if elements.scanner.take_lon_lat().is_some() => {}
                        _ => self.value(elements.scanner, Place::Elsewhere)?,
                    }
                    number += 1;
                }
                Ok(elements.finish()?)
            }
            Value::Object => {
                let mut members = scanner.members();
                while members.advance()? {
                    let key = members.scanner.string()?;
                    members.scanner.take(b':')?;
                    self.member(members.scanner, key, place)?;
                }
                Ok(members.finish()?)
            }
            _ => Ok(()),
        }
    }

    fn feature(&mut self, scanner: &mut Scanner<'t>, number: usize) -> Result<(), GeojsonFileError> {
        if number >= self.limits.features {
            return Err(GeojsonFileError::TooManyFeatures(self.limits.features));
        }
        if scanner.peek() != Some(b'{') {
            return Err(ScannerError::new(&format!("features[{number}] is no feature"), scanner.offset()).into());
        }
        self.value(scanner, Place::Feature)
    }

    fn member(&mut self, scanner: &mut Scanner<'t>, key: Cow<'t, str>, place: Place) -> Result<(), GeojsonFileError> {
        let first = scanner.peek();
        if key == "crs" {
            return check_crs(scanner);
        }
        let inner = match (place, key.as_ref()) {
            (Place::Root, "features") => {
                if self.has_features {
                    return Err(ScannerError::new("it has features twice", scanner.offset()).into());
                }
                (self.has_features, self.is_geojson) = (true, true);
                Place::Features
            }
            (Place::Root | Place::Feature, "properties") => Place::Properties,
            (Place::Root, "type") => {
                self.is_geojson |= first == Some(b'"');
                Place::Elsewhere
            }
            (Place::Properties, name) if !self.properties.contains(name) => {
                if self.properties.len() >= self.limits.properties {
                    return Err(GeojsonFileError::TooManyProperties(self.limits.properties));
                }
                self.properties.insert(key);
                Place::Elsewhere
            }
            _ => Place::Elsewhere,
        };
        self.value(scanner, inner)
    }
}

fn check_crs(scanner: &mut Scanner) -> Result<(), GeojsonFileError> {
    let JsonText(text) = JsonText::deserialize(scanner)?;
    // What cannot be told to be a name may be a link to who reads it next.
    let crs = Some(text).filter(|text| text.len() <= MAX_CRS_BYTES).and_then(|text| serde_json::from_str(text).ok());
    match crs {
        Some(Tree::Object(crs)) if crs.get("type") != Some(&Tree::from("name")) => Err(GeojsonFileError::LinkedCrs),
        Some(_) => Ok(()),
        None => Err(GeojsonFileError::LinkedCrs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        let limits = GeojsonFileLimits { features: 3, properties: 2 };
        check_geojson_file(text, limits).err().map(|error| error.to_string())
    }

    #[test]
    fn geojson_of_any_type_is_opened() {
        for text in [
            r#"{"crs":{"type":"name","properties":{"name":"EPSG:3763"}},"features":[{"a":[[1.5,2],null,"crs"]}]}"#,
            r#"{"type":"Feature","properties":{"a":1,"b":{"c":2}},"geometry":null}"#,
            r#"{"type":"Point","coordinates":[1,2]}"#,
            r#"{"type":"FeatureCollection","features":[{"properties":{"a":1,"b":2}},{"properties":{"b":3}},{}],"crs":null}"#,
        ] {
            assert_eq!(problem(text), None, "{text}");
        }
    }

    #[test]
    fn a_crs_at_an_address_is_found_wherever_it_is() {
        let link = r#"{"type":"link","properties":{"href":"https://example.org/crs"}}"#;
        let long = format!(r#"{{"type":"name","x":[{}0]}}"#, "0,".repeat(MAX_CRS_BYTES));
        for text in [
            format!(r#"{{"crs":{link}}}"#),
            format!(r#"{{"features":[{{"geometry":{{"\u0063rs":{link}}}}}]}}"#),
            r#"{"crs":{"type":"link","properties":{"href":"\ud800"}}}"#.to_owned(),
            format!(r#"{{"crs":{long}}}"#),
        ] {
            assert!(problem(&text).unwrap().contains("at an address"), "{text:.80}");
        }
    }

    #[test]
    fn what_is_no_geojson_or_too_much_is_named() {
        for (text, expected) in [
            (r#"{"type":"FeatureCollection","features":[{},[],[]]}"#, "features[1] is no feature at byte 43"),
            (r#"{"features":[],"features":[]}"#, "it has features twice"),
            (r#"{"a":[[],[]]}"#, "neither a type nor features"),
            (r#"{"type":"Point"} {"#, "is not GeoJSON"),
            (r#"{"features":[{},{},{},{}]}"#, "more than 3 features"),
            (r#"{"features":[{"properties":{"a":1,"b":2}},{"properties":{"c":3}}]}"#, "more than 2 properties"),
        ] {
            assert!(problem(text).unwrap_or_default().contains(expected), "{text} {:?}", problem(text));
        }
    }
}
