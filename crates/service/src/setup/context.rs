//! The context in a setup file: features inline or in their own files, and places by their names.

use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as FormatResult};
use std::path::{Path, PathBuf};

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::maps::{MapFileError, MapReader, cell, present_objects, read_features, unread};
use crate::store::{ProjectKey, Result, Writer};
use geodesign::model::{ContextFeatures, ContextGeometry, Feature, JsonObject};

/// The parts of a context, which are joined.
#[derive(Debug)]
pub struct ContextSetup(Vec<Part>);

#[derive(Debug, Deserialize)]
#[serde(try_from = "PartFields")]
enum Part {
    Here(ContextFeatures),
    /// A file, whose path is relative to the setup file's folder until it is read.
    InFile {
        file: PathBuf,
        /// The kind of all its features; `None`: the column `kind` has the kinds.
        kind: Option<String>,
        /// The column with the names.
        name: Option<String>,
    },
}

/// A part as the setup file writes it.
#[derive(Deserialize)]
struct PartFields {
    r#type: Option<String>,
    #[serde(default, deserialize_with = "present_objects")]
    features: Option<Vec<Feature<Option<JsonObject>, ContextGeometry>>>,
    file: Option<PathBuf>,
    kind: Option<String>,
    name: Option<String>,
}

impl TryFrom<PartFields> for Part {
    type Error = String;

    fn try_from(PartFields { r#type, features, file, kind, name }: PartFields) -> std::result::Result<Self, String> {
        match (r#type.as_deref(), features, file) {
            // GeoJSON may have a name.
            (Some("FeatureCollection"), Some(features), None) if kind.is_none() => {
                let features: ContextFeatures = features.into_iter().collect();
                features.with_kinds().map(Part::Here).map_err(|problem| problem.to_string())
            }
            (None, None, Some(file)) => Ok(Part::InFile { file, kind, name }),
            _ => Err("a context is a FeatureCollection, or has file (its path) and perhaps kind (the kind of \
                      its features) and name (the column with the names)"
                .into()),
        }
    }
}

impl<'de> Deserialize<'de> for ContextSetup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = ContextSetup;

    fn expecting(&self, formatter: &mut Formatter) -> FormatResult {
        formatter.write_str("a FeatureCollection, a file, or a list of them")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<ContextSetup, A::Error> {
        Ok(ContextSetup(vec![Part::deserialize(MapAccessDeserializer::new(map))?]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<ContextSetup, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(ContextSetup)
    }
}

/// Places as the setup file writes them: their names with longitude and latitude, or a file.
#[derive(Deserialize)]
struct PlacesFields {
    file: Option<PathBuf>,
    name: Option<String>,
    #[serde(flatten)]
    positions: BTreeMap<String, [f64; 2]>,
}

/// Reads places.
pub fn places<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<ContextSetup>, D::Error> {
    let Some(PlacesFields { file, name, positions }) = Option::deserialize(deserializer)? else { return Ok(None) };
    let part = match (file, name) {
        (None, None) => Part::Here(ContextFeatures::places(positions).map_err(D::Error::custom)?),
        (Some(file), name) if positions.is_empty() => Part::InFile { file, kind: Some("place".into()), name },
        _ => {
            let advice = "places are names with [longitude, latitude], or have file (the path of a map) and name (the column with the names)";
            return Err(D::Error::custom(advice));
        }
    };
    Ok(Some(ContextSetup(vec![part])))
}

impl ContextSetup {
    /// Returns its own files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter_map(|part| match part {
            Part::Here(_) => None,
            Part::InFile { file, .. } => Some(file.as_path()),
        })
    }

    /// Reads the features that are in their own files.
    pub fn read_files(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        for part in &mut self.0 {
            if let Part::InFile { file, kind, name } = part {
                *part = Part::Here(read_file(&folder.join(file), kind.as_deref(), name.as_deref(), reader)?);
            }
        }
        Ok(())
    }
}

fn read_file(
    path: &Path,
    kind: Option<&str>,
    name: Option<&str>,
    reader: MapReader,
) -> std::result::Result<ContextFeatures, MapFileError> {
    let refused = |problem| MapFileError::Context { path: path.to_owned(), problem };
    let mut map: ContextFeatures = read_features(path, reader)?;
    for (index, feature) in map.features.iter_mut().enumerate() {
        let mut columns = feature.properties.take().unwrap_or_default();
        let name = match name {
            Some(column) => Some(cell(&mut columns, column, index + 1).map_err(refused)?),
            None => columns.remove("name"),
        };
        let kind = kind.map(Value::from).or_else(|| columns.remove("kind"));
        let known = [("kind", kind), ("name", name.map(text))];
        let known = known.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?)));
        feature.properties = Some(JsonObject(known.collect()));
    }
    map.with_kinds().map_err(|problem| refused(problem.to_string()))
}

/// Returns a name as text: columns of files may have numbers, and whole ones as 3.0.
fn text(name: Value) -> Value {
    match name {
        Value::Number(number) => number.as_f64().unwrap_or_default().to_string().into(),
        _ => name,
    }
}

/// Sets the context of a project to all its parts, if there are any.
pub fn set_context(write: &Writer, project: ProjectKey, parts: [&Option<ContextSetup>; 2]) -> Result<()> {
    if parts.iter().all(|part| part.is_none()) {
        return Ok(());
    }
    let mut features = Vec::new();
    for part in parts.into_iter().flatten().flat_map(|ContextSetup(parts)| parts) {
        match part {
            Part::Here(map) => features.extend_from_slice(&map.features),
            Part::InFile { file, .. } => return Err(unread(file).into()),
        }
    }
    write.set_context(project, "", &features.into_iter().collect())
}
