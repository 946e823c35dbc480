//! Maps in a setup file: boundaries, constraints and evaluation maps, inline or in their own files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::store::{Geography, InputError, ProjectKey, Result, Writer};
use geodesign::json::objects;
use geodesign::model::{
    AreaFeatures, Bounds, DrawnGeometry, EvaluationClass, EvaluationFeatures, EvaluationProperties, Feature,
    JsonObject, evaluation_classes_in_words,
};
use geodesign_geometry::Shape;

/// Boundaries or constraints: a GeoJSON FeatureCollection, inline or in its own file.
#[derive(Debug, Deserialize)]
#[serde(try_from = "MapFields")]
pub struct MapSetup {
    description: String,
    features: MapFeatures,
}

#[derive(Debug)]
enum MapFeatures {
    Here(AreaFeatures),
    /// A file, whose path is relative to the setup file's folder until it is read.
    InFile(PathBuf),
}

/// A map as the setup file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFields {
    #[serde(default)]
    description: String,
    geojson: Option<AreaFeatures>,
    file: Option<PathBuf>,
}

/// Reads a map's file, and returns it as GeoJSON in WGS 84, or says why it cannot be read.
pub type MapReader<'r> = &'r dyn Fn(&Path) -> std::result::Result<String, String>;

/// Reasons why the file of a map cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    /// The reason that a [`MapReader`] gave.
    #[error("{0}")]
    Format(String),
    #[error(
        "the map {path} is not a GeoJSON FeatureCollection with longitudes and latitudes in degrees: {}: {}",
        source.path(), source.inner()
    )]
    Parse { path: PathBuf, source: serde_path_to_error::Error<serde_json::Error> },
    #[error("the evaluation map {path}: {problem}")]
    Evaluation { path: PathBuf, problem: String },
    #[error("the context {path}: {problem}")]
    Context { path: PathBuf, problem: String },
}

/// Reads the polygons of a file.
pub fn read_map_file(path: &Path, reader: MapReader) -> std::result::Result<AreaFeatures, MapFileError> {
    read_features(path, reader)
}

/// Reads the features of a file.
pub(super) fn read_features<T: DeserializeOwned>(
    path: &Path,
    reader: MapReader,
) -> std::result::Result<T, MapFileError> {
    let text = reader(path).map_err(MapFileError::Format)?;
    let mut json = serde_json::Deserializer::from_str(&text);
    let features = serde_path_to_error::deserialize(&mut json);
    features.map_err(|source| MapFileError::Parse { path: path.to_owned(), source })
}

/// Reads the polygons of a file, and the class of each from a column.
pub fn read_evaluation_file(
    path: &Path,
    column: &str,
    reader: MapReader,
) -> std::result::Result<EvaluationFeatures, MapFileError> {
    let refused = |problem| MapFileError::Evaluation { path: path.to_owned(), problem };
    let map = read_map_file(path, reader)?;
    let evaluated = |(index, feature): (usize, Feature<Option<JsonObject>, _>)| {
        let number = index + 1;
        let mut properties = feature.properties.unwrap_or_default();
        let class = cell(&mut properties, column, number)?;
        let areatype = class_of(&class).ok_or_else(|| {
            format!(
                "feature {number} has {class} in the column {column:?}, which is not a class; the classes are {}, or 1 to 5",
                evaluation_classes_in_words()
            )
        })?;
        Ok(Feature::new(EvaluationProperties { areatype, color: None, extra: JsonObject::new() }, feature.geometry))
    };
    let evaluated: std::result::Result<EvaluationFeatures, String> = map
        .features
        .into_iter()
        .enumerate()
        .map(evaluated)
        .collect::<std::result::Result<Vec<_>, _>>()
        .map(EvaluationFeatures::from_iter);
    let evaluated = evaluated.map_err(refused)?;
    evaluated.check().map_err(|error| refused(error.to_string()))?;
    Ok(evaluated)
}

/// Takes the value of a column from a feature of a file.
pub(super) fn cell(properties: &mut JsonObject, column: &str, number: usize) -> std::result::Result<Value, String> {
    properties.remove(column).ok_or_else(|| {
        let columns = properties.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        format!("feature {number} has no column {column:?}; its columns are: {columns}")
    })
}

/// Returns the `areatype` that a cell means: a class, its word in any language, or one of the numbers with which Geodesignhub explains its
/// classes.
fn class_of(cell: &Value) -> Option<String> {
    let text = match cell {
        Value::String(text) => Cow::Borrowed(text.trim()),
        // GIS formats may have whole numbers as 3.0.
        Value::Number(number) => Cow::Owned(number.as_f64()?.to_string()),
        _ => return None,
    };
    let class = match text.as_ref() {
        "1" => "red",
        "2" => "yellow",
        "3" => "green",
        "4" => "green2",
        "5" => "green3",
        text => EvaluationClass::named(text)?.areatype,
    };
    Some(class.to_owned())
}

/// An evaluation map: a GeoJSON FeatureCollection whose features have an `areatype`, or a file with a column for the classes.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "EvaluationFields")]
pub enum EvaluationSetup {
    Here(EvaluationFeatures),
    /// A file, whose path is relative to the setup file's folder until it is read.
    InFile {
        file: PathBuf,
        column: String,
    },
}

/// An evaluation map as the setup file writes it.
#[derive(Deserialize)]
struct EvaluationFields {
    r#type: Option<String>,
    #[serde(default, deserialize_with = "present_objects")]
    features: Option<Vec<Feature<EvaluationProperties, DrawnGeometry>>>,
    file: Option<PathBuf>,
    column: Option<String>,
}

pub(super) fn present_objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Vec<T>>, D::Error> {
    objects(deserializer).map(Some)
}

impl TryFrom<EvaluationFields> for EvaluationSetup {
    type Error = &'static str;

    fn try_from(fields: EvaluationFields) -> std::result::Result<Self, &'static str> {
        let EvaluationFields { r#type, features, file, column } = fields;
        match (r#type.as_deref(), features, file, column) {
            (Some("FeatureCollection"), Some(features), None, None) => Ok(Self::Here(features.into_iter().collect())),
            (None, None, Some(file), Some(column)) => Ok(Self::InFile { file, column }),
            _ => Err(
                "an evaluation map is either a FeatureCollection, or has file (its path) and column (the column with the classes)",
            ),
        }
    }
}

impl EvaluationSetup {
    /// Returns the map's own file, if it has one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            EvaluationSetup::Here(_) => None,
            EvaluationSetup::InFile { file, .. } => Some(file),
        }
    }

    /// Reads the features, if they are in their own file.
    pub fn read_file(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        if let EvaluationSetup::InFile { file, column } = self {
            *self = EvaluationSetup::Here(read_evaluation_file(&folder.join(file), column, reader)?);
        }
        Ok(())
    }

    pub fn features(&self) -> Result<&EvaluationFeatures> {
        match self {
            EvaluationSetup::Here(features) => Ok(features),
            EvaluationSetup::InFile { file, .. } => Err(unread(file).into()),
        }
    }
}

/// Refuses a file that is named in a setup sent by a request.
pub(super) fn unread(file: &Path) -> InputError {
    InputError::map(format!(
        "the map {} is a file, but only a setup file on the command line may name files; send its geojson",
        file.display()
    ))
}

impl TryFrom<MapFields> for MapSetup {
    type Error = &'static str;

    fn try_from(MapFields { description, geojson, file }: MapFields) -> std::result::Result<Self, &'static str> {
        let features = match (geojson, file) {
            (Some(features), None) => MapFeatures::Here(features),
            (None, Some(file)) => MapFeatures::InFile(file),
            _ => {
                return Err("a map has either geojson (a FeatureCollection) or file (its path)");
            }
        };
        Ok(MapSetup { description, features })
    }
}

impl MapSetup {
    /// Returns the map's own file, if it has one.
    pub fn file(&self) -> Option<&Path> {
        match &self.features {
            MapFeatures::Here(_) => None,
            MapFeatures::InFile(file) => Some(file),
        }
    }

    /// Reads the features, if they are in their own file.
    pub fn read_file(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        let MapFeatures::InFile(file) = &self.features else { return Ok(()) };
        self.features = MapFeatures::Here(read_map_file(&folder.join(file), reader)?);
        Ok(())
    }

    /// Returns the bounds of all features; `None` without features.
    pub fn bounds(&self) -> Option<Bounds> {
        let mut positions = Vec::new();
        let mut add = |shape: &Shape| positions.extend(shape.lon_lats());
        self.features().iter().flat_map(|map| &map.features).for_each(|feature| {
            feature.geometry.geometry().for_each_shape(&mut add);
        });
        Bounds::around(positions)
    }

    pub fn apply(&self, write: &Writer, project: ProjectKey, role: Geography) -> Result<()> {
        match &self.features {
            MapFeatures::Here(features) => write.set_geography(project, role, &self.description, features),
            MapFeatures::InFile(file) => Err(unread(file).into()),
        }
    }

    /// Returns the features; `None` before the file is read.
    fn features(&self) -> Option<&AreaFeatures> {
        match &self.features {
            MapFeatures::Here(features) => Some(features),
            MapFeatures::InFile(_) => None,
        }
    }
}
