//! Features with their properties.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array, Int64Array, StringArray};
use bytes::Bytes;
use serde_json::{Map, Value};

use super::columns::TableError;
use super::read::{Parsed, parse};
use super::table::{SystemLabel, Table};
use crate::model::Bounds;

/// The structure of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A GeoJSON FeatureCollection, or an object whose `geojson` is one.
    Collection,
    /// An array of diagrams, each an object of fields whose `geojson` is a FeatureCollection or null.
    Diagrams,
}

/// A body that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The offset of the first byte that is not part of a character.
    #[error("the body is not UTF-8 text: byte {0} is invalid")]
    NotUtf8(usize),
    /// `at` is the path of the value in the body, such as `[3].geojson.features[0]`.
    #[error("{at}: {problem}")]
    Invalid { at: String, problem: String },
    #[error("the whole body: {0}")]
    Table(#[from] TableError),
}

/// Features with their properties, as a table and as the JSON body that they were parsed from. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FeatureCollection {
    body: Bytes,
    layout: Layout,
    table: Arc<Table>,
    metadata: Arc<Map<String, Value>>,
    bounds: Option<Bounds>,
    /// The systems from which rows without geometry got what they lacked.
    labels: Option<Arc<[SystemLabel]>>,
}

impl FeatureCollection {
    /// Parses a body. An error tells where in the body it is.
    pub fn from_json(body: impl Into<Bytes>, layout: Layout) -> Result<Self, BodyError> {
        let body = body.into();
        let text = str::from_utf8(&body).map_err(|error| BodyError::NotUtf8(error.valid_up_to()))?;
        let parsed = parse(text, layout)?;
        Ok(FeatureCollection::from_parsed(body, layout, parsed))
    }

    /// The collection of a body that has been parsed, and is therefore UTF-8.
    pub(super) fn from_parsed(body: Bytes, layout: Layout, parsed: Parsed) -> Self {
        let (table, metadata) = (Arc::new(parsed.table), Arc::new(parsed.metadata));
        FeatureCollection { body, layout, table, metadata, bounds: parsed.bounds, labels: None }
    }

    /// Whether [`with_labels`](Self::with_labels) has anything to fill.
    pub fn lacks_labels(&self) -> bool {
        self.labels.is_none() && self.layout == Layout::Diagrams && self.table.lacks_labels()
    }

    /// The same diagrams; rows without geometry get the name, short name and colour of their system, and as `areatype` the
    /// type of their diagram, where they have none. Elsewhere it is the features that have these values.
    pub fn with_labels(self, labels: impl IntoIterator<Item = SystemLabel>) -> Self {
        if !self.lacks_labels() {
            return self;
        }
        let labels: Arc<[SystemLabel]> = labels.into_iter().collect();
        let mut table = Arc::unwrap_or_clone(self.table);
        table.properties = table.with_labels(&labels);
        FeatureCollection { table: Arc::new(table), labels: Some(labels), ..self }
    }

    /// The systems from which rows without geometry got what they lacked; `None` if nothing was filled.
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

    /// The body and its layout, from which [`from_json`](Self::from_json) makes the same collection, apart from the
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

/// The address of a diagram's file, of the fields `flat_geobuf_url` and `external_geometries`, which may be empty. A file may be
/// FlatGeobuf although its author called it otherwise.
pub fn file_url<'u>(flat_geobuf_url: Option<&'u str>, external_geometries: Option<&'u str>) -> Option<&'u str> {
    [flat_geobuf_url, external_geometries].into_iter().flatten().find(|url| !url.is_empty())
}

fn text(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}
