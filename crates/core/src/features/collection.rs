//! Features with their properties; the addresses of external diagrams' files; and faults of geometries that a service holds. Geometries are
//! read and measured as they are; only [`FeatureCollection::geometry_problems`] looks for faults.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array, Int64Array, StringArray};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::problems::{RowProblem, override_problems};
use super::read::repair::{Irreparable, MAX_PROBLEMS, Repaired, repair};
use super::read::{BodyError, Layout, Parsed, parse};
use super::table::{SystemLabel, Table};
use crate::model::{Bounds, DiagramId, EsriFeature, Feature, GeojsonCollection, JsonObject, StudyArea};
use geodesign_geometry::{EsriError, Geometry, read_wkb};

/// Features with their properties, as a table and as the JSON body that they were parsed from. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FeatureCollection {
    body: Bytes,
    layout: Layout,
    table: Arc<Table>,
    metadata: Arc<Map<String, Value>>,
    bounds: Option<Bounds>,
    /// The systems from which rows without geometry got missing values.
    labels: Option<Arc<[SystemLabel]>>,
    /// Problems of rows, in the order of the rows.
    pub(super) problems: Arc<[RowProblem]>,
    /// The reason why the body could not be read as it is, with the place in it; `None` if it could.
    error: Option<Arc<BodyError>>,
}

impl FeatureCollection {
    /// Parses a body. Values of a row that cannot be read are left out, and named by [`row_problems`](Self::row_problems). An error is
    /// about the body as a whole, or about a diagram without an id, and gives its place in the body.
    pub fn from_json(body: impl Into<Bytes>, layout: Layout) -> Result<Self, BodyError> {
        let body = body.into();
        let text = str::from_utf8(&body).map_err(|error| BodyError::NotUtf8(error.valid_up_to()))?;
        let error = match parse(text, layout) {
            Ok(parsed) => return Ok(FeatureCollection::from_parsed(body, layout, parsed)),
            Err(error @ BodyError::Invalid { .. }) => error,
            Err(error) => return Err(error),
        };
        let Repaired { body, problems } = match repair(text, layout) {
            Ok(repaired) => repaired,
            Err(Irreparable::Whole) => return Err(error),
            Err(Irreparable::TooManyProblems) => return Err(error.among(MAX_PROBLEMS)),
        };
        let Ok(parsed) = parse(&body, layout) else { return Err(error) };
        let collection = FeatureCollection::from_parsed(body.into(), layout, parsed).with_problems(problems);
        Ok(FeatureCollection { error: Some(Arc::new(error)), ..collection })
    }

    /// Returns the collection of all diagrams with these ids, in the same order.
    pub fn of_diagrams(&self, ids: &HashSet<i64>) -> Result<Self, BodyError> {
        #[derive(Deserialize)]
        struct Row {
            id: DiagramId,
        }
        let diagrams: Vec<&RawValue> = serde_json::from_str(self.text()).unwrap_or_default();
        let is_one =
            |diagram: &&RawValue| serde_json::from_str::<Row>(diagram.get()).is_ok_and(|row| ids.contains(&row.id.0));
        let chosen: Vec<&str> = diagrams.into_iter().filter(is_one).map(RawValue::get).collect();
        let chosen = FeatureCollection::from_json(format!("[{}]", chosen.join(",")), self.layout)?;
        Ok(match &self.labels {
            Some(labels) => chosen.with_labels(labels.iter().cloned()),
            None => chosen,
        })
    }

    /// The reason why the body could not be read as it is, with the place in it; `None` if it could.
    pub fn error(&self) -> Option<&BodyError> {
        // A list of tag codes is another form, not a mistake.
        self.error.as_deref().filter(|_| !self.problems.is_empty())
    }

    /// Returns the collection, or the reason why its body could not be read as it is.
    pub fn without_problems(self) -> Result<Self, BodyError> {
        match self.error().cloned() {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// The collection of a body that has been parsed, and is therefore UTF-8.
    pub(super) fn from_parsed(body: Bytes, layout: Layout, parsed: Parsed) -> Self {
        let (table, metadata) = (Arc::new(parsed.table), Arc::new(parsed.metadata));
        let problems = override_problems(&table.properties).into();
        FeatureCollection { body, layout, table, metadata, bounds: parsed.bounds, labels: None, problems, error: None }
    }

    /// True if [`with_labels`](Self::with_labels) has anything to fill.
    pub fn lacks_labels(&self) -> bool {
        self.labels.is_none() && self.layout == Layout::Diagrams && self.table.lacks_labels()
    }

    /// Returns the same diagrams. Rows without geometry get missing values: name, short name and colour of their system, and the type of
    /// their diagram as `areatype`. In other rows, the features have these values.
    pub fn with_labels(self, labels: impl IntoIterator<Item = SystemLabel>) -> Self {
        if !self.lacks_labels() {
            return self;
        }
        let labels: Arc<[SystemLabel]> = labels.into_iter().collect();
        let mut table = Arc::unwrap_or_clone(self.table);
        table.properties = table.with_labels(&labels);
        FeatureCollection { table: Arc::new(table), labels: Some(labels), ..self }
    }

    /// The systems from which rows without geometry got missing values; `None` if nothing was filled.
    pub fn labels(&self) -> Option<&[SystemLabel]> {
        self.labels.as_deref()
    }

    /// The number of rows: one per feature, and one for each diagram without features.
    pub fn len(&self) -> usize {
        self.table.geometries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows: one per feature, and one for each diagram without features.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The members of the body's object other than the features: the fields of a single diagram, the description of a
    /// boundary. Empty for an array of diagrams, whose fields are columns.
    pub fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    /// The bounds of all geometries in degrees; `None` if no geometry has a position.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// The ids of the diagrams, each once, in order of appearance.
    pub fn diagram_ids(&self) -> Vec<i64> {
        let mut seen = HashSet::new();
        let ids = self.integers("diagramid");
        ids.iter().flat_map(|ids| ids.iter().flatten()).filter(|id| seen.insert(*id)).collect()
    }

    /// The land of these boundaries; `None` if they have no polygons.
    pub fn study_area(&self) -> Option<StudyArea> {
        StudyArea::within_boundaries(&self.geometries())
    }

    /// The geometries of all rows that have one.
    pub fn geometries(&self) -> Vec<Geometry> {
        (0..self.len()).filter_map(|row| self.table.geometries.get(row).and_then(read_wkb)).collect()
    }

    /// The rows of a system's diagrams, each with the id of its diagram.
    pub fn rows_in_system(&self, system: i64) -> Vec<(i64, usize)> {
        let (Some(ids), Some(systems)) = (self.integers("diagramid"), self.integers("sysid")) else {
            return Vec::new();
        };
        let pairs = ids.iter().zip(systems).enumerate();
        pairs.filter(|(_, (_, own))| *own == Some(system)).filter_map(|(row, (id, _))| Some((id?, row))).collect()
    }

    /// The body and its layout, from which [`from_json`](Self::from_json) makes the same collection, except for the
    /// [`labels`](Self::labels).
    pub fn source(&self) -> (&Bytes, Layout) {
        (&self.body, self.layout)
    }

    /// A column of integers; `None` if there is no such column, or if it has another type.
    pub(super) fn integers(&self, name: &str) -> Option<&Int64Array> {
        self.table.properties.column_by_name(name)?.as_any().downcast_ref()
    }

    /// A column of text; `None` if there is no such column, or if it has another type.
    pub(super) fn texts(&self, name: &str) -> Option<&StringArray> {
        self.table.properties.column_by_name(name)?.as_any().downcast_ref()
    }

    /// The text of the body.
    pub(super) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("a collection is made only of a body that was checked to be UTF-8")
    }
}

impl FeatureCollection {
    /// The diagrams without a geometry that have a file on another server, each once: the id and the address.
    pub fn external_files(&self) -> Vec<(i64, String)> {
        let Some(ids) = self.integers("diagramid") else { return Vec::new() };
        let addresses = ["flat_geobuf_url", "external_geometries"].map(|name| self.texts(name));
        let mut seen = HashSet::new();
        let file = |row: usize| {
            let [flatgeobuf, other] = addresses.map(|column| text(column, row));
            let url = file_url(flatgeobuf, other)?;
            let is_first = ids.is_valid(row) && seen.insert(ids.value(row));
            is_first.then(|| (ids.value(row), url.to_owned()))
        };
        let geometries = &self.table().geometries;
        (0..self.len()).filter(|row| geometries.get(*row).is_none()).filter_map(file).collect()
    }
}

/// Returns the address of a diagram's file, from the fields `flat_geobuf_url` and `external_geometries`, which may be empty. The second one
/// may lead to a FlatGeobuf file, too.
pub fn file_url<'u>(flat_geobuf_url: Option<&'u str>, external_geometries: Option<&'u str>) -> Option<&'u str> {
    [flat_geobuf_url, external_geometries].into_iter().flatten().find(|url| !url.is_empty())
}

fn text(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

/// Feature-JSON that cannot become a collection.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EsriFeatureError {
    /// A feature, counted from 0, that cannot be converted.
    #[error("feature {index}: {source}")]
    Feature { index: usize, source: EsriError },
    #[error(transparent)]
    Body(#[from] BodyError),
}

impl FeatureCollection {
    /// Converts feature-JSON in WGS 84 (wkid 4326) or Web Mercator (wkid 3857 or 102100). Attributes become properties,
    /// rings become polygons with holes, and coordinates become longitude and latitude in degrees.
    pub fn from_esri(features: &[EsriFeature]) -> Result<Self, EsriFeatureError> {
        let collection: GeojsonCollection<&JsonObject, Option<Geometry>> = features
            .iter()
            .enumerate()
            .map(|(index, feature)| {
                let geometry = feature.geometry.as_ref().map(|geometry| geometry.to_geometry()).transpose();
                let geometry = geometry.map_err(|source| EsriFeatureError::Feature { index, source })?;
                // Empty rings or paths stand for none.
                let geometry = geometry.filter(|geometry| !geometry.is_empty());
                Ok(Feature::new(&feature.attributes, geometry))
            })
            .collect::<Result<_, EsriFeatureError>>()?;
        let body = serde_json::to_vec(&collection).expect("numbers and text always serialize");
        let ambiguous = features.iter().enumerate().filter_map(|(row, feature)| {
            let ring = feature.geometry.as_ref()?.ambiguous_ring()?;
            let reason = format!(
                "ring {ring} lies inside another that runs in the same direction, so it was taken for a hole; reverse it, \
                 or leave it out if there is land"
            );
            Some(RowProblem::new(row, None, reason))
        });
        let ambiguous: Vec<_> = ambiguous.collect();
        Ok(FeatureCollection::from_json(body, Layout::Collection)?.with_problems(ambiguous))
    }
}
