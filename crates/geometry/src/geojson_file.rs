//! Splits GeoJSON from other programs into features. Refuses text that is not GeoJSON, refers to an address or has too many features.
//! The caller handles faults in single features.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value as Tree;

use super::crs::{MAX_CRS_BYTES, crs_name};
use crate::json::{JsonText, Scanner, ScannerError, Value};

/// Reasons not to read a GeoJSON file. The text continues a sentence that begins with the file's name.
#[derive(Debug, thiserror::Error)]
pub enum GeojsonFileError {
    #[error("is not GeoJSON: {0}")]
    NotGeojson(#[from] ScannerError),
    #[error("is {0}, not GeoJSON; {1}")]
    OtherFormat(&'static str, &'static str),
    /// Some GeoJSON readers request the CRS from an address, or open it at a path.
    #[error("has its CRS at an address, which is not fetched; write the CRS name into the file")]
    LinkedCrs,
    #[error("has about {0} values and positions; at most {1} are read per file. Split it, or save it as a GeoPackage")]
    TooManyValues(usize, usize),
    #[error("has more than {0} features, the most that are read per file. Split it")]
    TooManyFeatures(usize),
    #[error("has more than {0} properties, each of which would be a column. Leave some out")]
    TooManyProperties(usize),
}

/// An ordinary position has at least 15 bytes and three of the counted marks.
const MAX_VALUES: usize = 20_000_000;

/// Limits for one file.
#[derive(Debug, Clone, Copy)]
pub struct GeojsonFileLimits {
    pub features: usize,
    /// Distinct property names in all features.
    pub properties: usize,
}

/// A feature, as JSON text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GeojsonFeature<'t> {
    /// `null`, or the geometry without its own `crs`.
    pub geometry: Option<Cow<'t, str>>,
    pub properties: Option<&'t str>,
    /// The CRS name of the geometry, the feature or the file, unless it is WGS 84.
    pub crs: Option<String>,
    /// False for an object whose type is not `Feature`.
    pub is_feature: bool,
}

/// Reads the features of a FeatureCollection, of a single feature or geometry, or of one of these per line.
pub fn read_geojson(text: &str, limits: GeojsonFileLimits) -> Result<Vec<GeojsonFeature<'_>>, GeojsonFileError> {
    let values = text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if values > MAX_VALUES {
        return Err(GeojsonFileError::TooManyValues(values, MAX_VALUES));
    }
    let mut scanner = Scanner::new(text);
    let mut reader = Reader { text, limits, properties: HashSet::new(), features: Vec::new() };
    reader.root(&mut scanner)?;
    while scanner.peek() == Some(b'{') {
        reader.root(&mut scanner)?;
    }
    scanner.end()?;
    Ok(reader.features)
}

/// The object or array that a value is part of.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Features,
    Feature,
    Properties,
    Geometry,
    Elsewhere,
}

struct Reader<'t> {
    text: &'t str,
    limits: GeojsonFileLimits,
    properties: HashSet<Cow<'t, str>>,
    features: Vec<GeojsonFeature<'t>>,
}

/// Position of a `crs` member's key in the complete text, and the member's value.
type CrsMember<'t> = (Range<usize>, &'t str);

/// The members of an object that are read.
#[derive(Default)]
struct Members<'t> {
    kind: Option<String>,
    geometry: Option<&'t str>,
    geometry_crs: Option<CrsMember<'t>>,
    properties: Option<&'t str>,
    crs: Option<CrsMember<'t>>,
    has_features: bool,
    is_geometry: bool,
    is_esri: bool,
}

impl<'t> Reader<'t> {
    fn root(&mut self, scanner: &mut Scanner<'t>) -> Result<(), GeojsonFileError> {
        scanner.peek();
        let start = scanner.offset();
        let first = self.features.len();
        if scanner.peek().is_some_and(|byte| byte != b'{') {
            self.value(scanner, Place::Elsewhere, &mut Members::default())?;
            return Err(ScannerError::new("it is JSON, but not a GeoJSON object", start).into());
        }
        let mut members = Members::default();
        self.value(scanner, Place::Root, &mut members)?;
        let text = &self.text[start..scanner.offset()];
        match members.kind.as_deref() {
            Some("Topology") => {
                return Err(GeojsonFileError::OtherFormat(
                    "TopoJSON",
                    "convert it, for example with mapshaper or QGIS",
                ));
            }
            _ if members.is_esri => {
                return Err(GeojsonFileError::OtherFormat(
                    "feature-JSON of Esri",
                    "give its features to FeatureCollection.from_esri, or save it as GeoJSON",
                ));
            }
            _ if members.has_features => {
                let crs = crs_name(members.crs.map(|(_, crs)| crs));
                let own = self.features[first..].iter_mut().filter(|feature| feature.crs.is_none());
                own.for_each(|feature| feature.crs.clone_from(&crs));
            }
            Some("Feature") => self.push(members)?,
            Some("FeatureCollection") => return Err(no_features(scanner)),
            Some(_) if members.is_geometry => {
                let (kind, crs) = (Some("Feature".to_owned()), members.crs.take());
                self.push(Members { kind, geometry: Some(text), geometry_crs: crs, ..Members::default() })?;
            }
            Some(kind) => {
                let problem = format!("\"{kind}\" is no type of GeoJSON");
                return Err(ScannerError::new(&problem, scanner.offset()).into());
            }
            None => return Err(ScannerError::new("it has neither a type nor features", scanner.offset()).into()),
        }
        Ok(())
    }

    fn push(&mut self, members: Members<'t>) -> Result<(), GeojsonFileError> {
        if self.features.len() >= self.limits.features {
            return Err(GeojsonFileError::TooManyFeatures(self.limits.features));
        }
        let geometry = members.geometry.map(|text| match &members.geometry_crs {
            // Renamed, so that readers of the geometry use its numbers unchanged.
            Some((key, _)) => {
                let end = text.as_ptr().addr() + text.len() - self.text.as_ptr().addr();
                Cow::Owned([&self.text[end - text.len()..key.start], "\"its crs\"", &self.text[key.end..end]].concat())
            }
            None => Cow::Borrowed(text),
        });
        let crs = members.geometry_crs.or(members.crs).map(|(_, crs)| crs);
        let is_feature = members.kind.as_deref() == Some("Feature");
        self.features.push(GeojsonFeature { geometry, properties: members.properties, crs: crs_name(crs), is_feature });
        Ok(())
    }

    fn value(
        &mut self,
        scanner: &mut Scanner<'t>,
        place: Place,
        members: &mut Members<'t>,
    ) -> Result<(), GeojsonFileError> {
        match scanner.value()? {
            Value::Array => {
                let mut elements = scanner.elements();
                let mut number = 0_usize;
                while elements.advance()? {
                    match place {
                        Place::Features => self.feature(elements.scanner, number)?,
                        _ if elements.scanner.take_lon_lat().is_some() => {}
                        _ => self.value(elements.scanner, Place::Elsewhere, &mut Members::default())?,
                    }
                    number += 1;
                }
                Ok(elements.finish()?)
            }
            Value::Object => {
                let mut object = scanner.members();
                while object.advance()? {
                    object.scanner.peek();
                    let start = object.scanner.offset();
                    let key = object.scanner.string()?;
                    let key_range = start..object.scanner.offset();
                    object.scanner.take(b':')?;
                    self.member(object.scanner, key, key_range, place, members)?;
                }
                Ok(object.finish()?)
            }
            _ => Ok(()),
        }
    }

    fn feature(&mut self, scanner: &mut Scanner<'t>, number: usize) -> Result<(), GeojsonFileError> {
        if scanner.peek() != Some(b'{') {
            return Err(ScannerError::new(&format!("features[{number}] is not a feature"), scanner.offset()).into());
        }
        let mut members = Members::default();
        self.value(scanner, Place::Feature, &mut members)?;
        self.push(members)
    }

    fn member(
        &mut self,
        scanner: &mut Scanner<'t>,
        key: Cow<'t, str>,
        key_range: Range<usize>,
        place: Place,
        members: &mut Members<'t>,
    ) -> Result<(), GeojsonFileError> {
        scanner.peek();
        let start = scanner.offset();
        if key == "crs" {
            members.crs = Some((key_range, check_crs(scanner)?));
            return Ok(());
        }
        let is_object = matches!(place, Place::Root | Place::Feature);
        match key.as_ref() {
            "features" if place == Place::Root => {
                if members.has_features {
                    return Err(ScannerError::new("it has features twice", scanner.offset()).into());
                }
                if scanner.peek() != Some(b'[') {
                    return Err(no_features(scanner));
                }
                members.has_features = true;
                return self.value(scanner, Place::Features, members);
            }
            "properties" if is_object => {
                self.value(scanner, Place::Properties, &mut Members::default())?;
                members.properties = Some(&self.text[start..scanner.offset()]);
                return Ok(());
            }
            "geometry" if is_object => {
                let mut own = Members::default();
                self.value(scanner, Place::Geometry, &mut own)?;
                (members.geometry, members.geometry_crs) = (Some(&self.text[start..scanner.offset()]), own.crs);
                return Ok(());
            }
            "type" if is_object => {
                if let Value::String(kind) = scanner.value()? {
                    members.kind = Some(kind.into_owned());
                }
                return Ok(());
            }
            "coordinates" | "geometries" => members.is_geometry = true,
            "geometryType" | "spatialReference" if place == Place::Root => members.is_esri = true,
            name if place == Place::Properties && !self.properties.contains(name) => {
                if self.properties.len() >= self.limits.properties {
                    return Err(GeojsonFileError::TooManyProperties(self.limits.properties));
                }
                self.properties.insert(key);
            }
            _ => {}
        }
        self.value(scanner, Place::Elsewhere, &mut Members::default())
    }
}

fn no_features(scanner: &Scanner) -> GeojsonFileError {
    ScannerError::new("the FeatureCollection has no list of features", scanner.offset()).into()
}

fn check_crs<'t>(scanner: &mut Scanner<'t>) -> Result<&'t str, GeojsonFileError> {
    let JsonText(text) = JsonText::deserialize(scanner)?;
    // A value that is not clearly a name may be a link to the next reader.
    let crs = Some(text).filter(|text| text.len() <= MAX_CRS_BYTES).and_then(|text| serde_json::from_str(text).ok());
    match crs {
        Some(Tree::Object(crs)) if crs.get("type").is_some_and(|kind| kind != "name" && kind != "EPSG") => {
            Err(GeojsonFileError::LinkedCrs)
        }
        Some(Tree::Object(crs)) if !crs.contains_key("type") => Err(GeojsonFileError::LinkedCrs),
        Some(_) => Ok(text),
        None => Err(GeojsonFileError::LinkedCrs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        let limits = GeojsonFileLimits { features: 3, properties: 2 };
        read_geojson(text, limits).err().map(|error| error.to_string())
    }

    #[test]
    fn features_are_texts_with_the_crs_that_is_nearest_to_them() {
        let crs = |code: u32| format!(r#"{{"type":"name","properties":{{"name":"EPSG:{code}"}}}}"#);
        let text = format!(
            r#"{{"features":[{{"type":"Feature","geometry":{{"crs":{},"type":"Point","coordinates":[1,2]}},"properties":{{"a":1}}}},
            {{"type":"Feature","crs":{},"geometry":null}},{{"geometry":{{"type":"Point"}}}}],"crs":{}}}"#,
            crs(1),
            crs(2),
            crs(3),
        );
        let features = read_geojson(&text, GeojsonFileLimits { features: 3, properties: 2 }).unwrap();
        let of = |feature: &GeojsonFeature| feature.crs.clone();
        assert_eq!(features.iter().map(of).collect::<Vec<_>>(), [1, 2, 3].map(|code| Some(format!("EPSG:{code}"))));
        let point = features[0].geometry.as_deref().unwrap();
        assert!(point.starts_with(r#"{"its crs":{"#) && point.ends_with(r#""coordinates":[1,2]}"#), "{point}");
        assert_eq!((features[0].properties, features[1].geometry.as_deref()), (Some(r#"{"a":1}"#), Some("null")));
        assert_eq!(features.iter().map(|feature| feature.is_feature).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn geojson_of_any_type_is_opened() {
        for text in [
            r#"{"crs":{"type":"name","properties":{"name":"EPSG:3763"}},"features":[{"a":[[1.5,2],null,"crs"]}]}"#,
            r#"{"type":"Feature","properties":{"a":1,"b":{"c":2}},"geometry":null}"#,
            r#"{"type":"Point","coordinates":[1,2]}"#,
            "{\"type\":\"Feature\",\"geometry\":null}\n{\"type\":\"Feature\",\"geometry\":null}\n",
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
            (r#"{"type":"FeatureCollection","features":[{},[],[]]}"#, "features[1] is not a feature at byte 43"),
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
