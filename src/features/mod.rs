//! A feature collection: the bytes that arrived, their columns, and GeoJSON again.
//!
//! The body is read once, on arrival, into Arrow columns (geometry as WKB). Whoever wants GeoJSON gets it from the bytes
//! themselves, without a tree in between.

#[cfg(feature = "geojson")]
mod geojson_crate;
mod read;
mod schema;
mod table;
mod write;

use std::sync::Arc;

use arrow_array::{Array, Int64Array, StringArray};
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::model::Bounds;
use read::parse;

pub use read::feature_json::EsriFeatureError;
pub use read::streaming::DiagramStream;
pub use table::{Geometries, Table};
pub use write::html_preview::{HtmlPreview, summary};
pub use write::ragged::{RaggedArray, RaggedArrays};

/// What a body holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A GeoJSON FeatureCollection, or an object whose `geojson` is one.
    Collection,
    /// An array of diagrams, each with its fields beside its `geojson`.
    Diagrams,
}

/// What is wanted of diagrams while they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagrams {
    Read,
    /// Every row with its [measure](Table::measures), too.
    Measured,
}

/// A body that is not what it should be, with the place where it goes wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BodyError {
    #[error("the body is not UTF-8 text: byte {0} is invalid")]
    NotUtf8(usize),
    #[error("{at}: {problem}")]
    Invalid { at: String, problem: String },
}

/// Features with their properties, over the JSON that they came in. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FeatureCollection {
    body: Bytes,
    layout: Layout,
    table: Arc<Table>,
    metadata: Arc<Map<String, Value>>,
    bounds: Option<Bounds>,
}

impl FeatureCollection {
    /// Reads a body whole; an error names the place in it.
    pub fn from_json(body: impl Into<Bytes>, layout: Layout) -> Result<Self, BodyError> {
        let body = body.into();
        let text = str::from_utf8(&body).map_err(|error| BodyError::NotUtf8(error.valid_up_to()))?;
        let read = parse::read(text, layout)?;
        Ok(FeatureCollection::over(body, layout, read))
    }

    fn over(body: Bytes, layout: Layout, read: parse::Read) -> Self {
        let (table, metadata) = (Arc::new(read.table), Arc::new(read.metadata));
        FeatureCollection { body, layout, table, metadata, bounds: read.bounds }
    }

    /// The number of rows: one per feature, and one for each diagram without any.
    pub fn len(&self) -> usize {
        self.table.geometries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row per feature.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What came beside the features: the diagram's own fields, a boundary's description.
    pub fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    /// The edges of all geometries; `None` where there is not one position.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// The distinct diagrams, in order of appearance.
    pub fn diagram_ids(&self) -> Vec<i64> {
        let mut seen = std::collections::HashSet::new();
        let ids = self.integers("diagramid");
        ids.iter().flat_map(|ids| ids.iter().flatten()).filter(|id| seen.insert(*id)).collect()
    }

    /// The body and its layout, from which the same collection can be made again.
    pub fn source(&self) -> (&Bytes, Layout) {
        (&self.body, self.layout)
    }

    fn integers(&self, name: &str) -> Option<&Int64Array> {
        self.table.properties.column_by_name(name)?.as_any().downcast_ref()
    }

    fn texts(&self, name: &str) -> Option<&StringArray> {
        self.table.properties.column_by_name(name)?.as_any().downcast_ref()
    }

    /// The text of the body; it was checked when the collection was made.
    fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("from_json takes UTF-8 only")
    }
}
