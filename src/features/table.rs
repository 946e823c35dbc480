//! The parsed rows: properties in one record batch, geometries in the chunks in which they were parsed.

use std::sync::Arc;

use arrow_array::{Array, BinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::schema::{GEOARROW_METADATA, GEOMETRY};
use crate::geometry::Measured;

/// One row per feature, and one for each diagram without features.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub properties: RecordBatch,
    /// Whether the last column of the properties is `properties`: for each row a JSON object of the properties that have no column
    /// of their own. A table has it only where a column for each property would be nearly empty, or where there are more than
    /// some thousand.
    pub has_shared_column: bool,
    pub geometries: Geometries,
    /// The area and length of each row's geometry, if [requested](Measuring).
    pub measures: Option<Vec<Measured>>,
}

/// Whether geometries are measured while diagrams are parsed, which fills [`Table::measures`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measuring {
    Skip,
    EachRow,
}

impl Table {
    /// The columns of the properties, then the geometry column.
    pub fn schema(&self) -> SchemaRef {
        let extension = [("ARROW:extension:name", "geoarrow.wkb"), ("ARROW:extension:metadata", GEOARROW_METADATA)];
        let metadata = extension.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let geometry = Field::new(GEOMETRY, DataType::Binary, true).with_metadata(metadata.into());
        let properties = self.properties.schema_ref().fields().iter().map(|field| field.as_ref().clone());
        Arc::new(Schema::new(properties.chain([geometry]).collect::<Vec<_>>()))
    }

    /// All rows with the columns of [`schema`](Self::schema), one batch per chunk of geometries. Shares their memory.
    pub fn batches(&self) -> impl Iterator<Item = RecordBatch> {
        let schema = self.schema();
        self.geometries.0.iter().map(move |chunk| {
            let mut columns = self.properties.slice(chunk.first_row, chunk.wkb.len()).columns().to_vec();
            columns.push(Arc::new(chunk.wkb.clone()));
            RecordBatch::try_new(schema.clone(), columns).expect("a table has as many properties as geometries")
        })
    }
}

/// The geometry of every row as WKB in WGS 84, longitude before latitude.
#[derive(Debug, Clone)]
pub struct Geometries(Vec<WkbChunk>);

/// The geometries of consecutive rows.
#[derive(Debug, Clone)]
struct WkbChunk {
    first_row: usize,
    wkb: BinaryArray,
}

impl Geometries {
    /// The geometries of arrays that each hold the next rows.
    pub fn new(arrays: impl IntoIterator<Item = BinaryArray>) -> Self {
        let mut rows = 0;
        let chunks = arrays.into_iter().map(|wkb| {
            let first_row = rows;
            rows += wkb.len();
            WkbChunk { first_row, wkb }
        });
        Geometries(chunks.collect())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |chunk| chunk.first_row + chunk.wkb.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The WKB of a row; `None` if it has no geometry.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let next_chunk = self.0.partition_point(|chunk| chunk.first_row <= row);
        let chunk = &self.0[next_chunk.checked_sub(1)?];
        let row = row - chunk.first_row;
        (row < chunk.wkb.len() && chunk.wkb.is_valid(row)).then(|| chunk.wkb.value(row))
    }
}

/// Equal if every row is, however the rows are distributed over chunks.
impl PartialEq for Geometries {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|row| self.get(row) == other.get(row))
    }
}
