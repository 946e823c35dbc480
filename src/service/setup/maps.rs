//! Boundaries and constraints in a setup file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::geometry::Shape;
use crate::model::{AreaFeatures, Bounds};
use crate::service::store::{Geography, InputError, ProjectKey, Result, Writer};

/// Boundaries or constraints: a GeoJSON FeatureCollection, here or in a file of its own.
#[derive(Debug, Deserialize)]
#[serde(try_from = "MapFields")]
pub struct MapSetup {
    description: String,
    features: MapFeatures,
}

#[derive(Debug)]
enum MapFeatures {
    Here(AreaFeatures),
    /// Relative to the folder of the setup file, until it is read.
    InFile(PathBuf),
}

/// A map as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFields {
    #[serde(default)]
    description: String,
    geojson: Option<AreaFeatures>,
    file: Option<PathBuf>,
}

/// Why the file of a map cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    #[error("the map {path} cannot be read: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "the map {path} is not a GeoJSON FeatureCollection with longitudes and latitudes in degrees: {}: {}",
        source.path(), source.inner()
    )]
    Parse { path: PathBuf, source: serde_path_to_error::Error<serde_json::Error> },
}

impl TryFrom<MapFields> for MapSetup {
    type Error = &'static str;

    fn try_from(MapFields { description, geojson, file }: MapFields) -> std::result::Result<Self, &'static str> {
        let features = match (geojson, file) {
            (Some(features), None) => MapFeatures::Here(features),
            (None, Some(file)) => MapFeatures::InFile(file),
            _ => {
                return Err(
                    "a map has either geojson, which is a FeatureCollection, or file, which is the path of one",
                );
            }
        };
        Ok(MapSetup { description, features })
    }
}

impl MapSetup {
    /// Reads the features, if they are in a file of their own.
    pub fn read_file(&mut self, folder: &Path) -> std::result::Result<(), MapFileError> {
        let MapFeatures::InFile(file) = &self.features else { return Ok(()) };
        let path = folder.join(file);
        let text = fs::read_to_string(&path).map_err(|source| MapFileError::Read { path: path.clone(), source })?;
        let mut json = serde_json::Deserializer::from_str(&text);
        let features = serde_path_to_error::deserialize(&mut json);
        self.features = MapFeatures::Here(features.map_err(|source| MapFileError::Parse { path, source })?);
        Ok(())
    }

    /// The bounds of all features; `None` without features.
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
            MapFeatures::InFile(file) => Err(InputError::map(format!(
                "the map {} is a file, which only a setup file of the command line may name; send its geojson",
                file.display()
            ))
            .into()),
        }
    }

    /// `None` before the file is read.
    fn features(&self) -> Option<&AreaFeatures> {
        match &self.features {
            MapFeatures::Here(features) => Some(features),
            MapFeatures::InFile(_) => None,
        }
    }
}
