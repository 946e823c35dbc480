//! The finished columns: properties in one piece, geometries in the pieces that they were read in.

use std::sync::Arc;

use arrow_array::{Array, BinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::schema::{GEOARROW_METADATA, GEOMETRY};
use crate::geometry::Measure;

/// One row per feature.
#[derive(Debug, PartialEq)]
pub struct Table {
    pub properties: RecordBatch,
    pub geometries: Geometries,
    /// What each row's geometry measures, where that was wanted; none for a row without positions.
    pub measures: Option<Vec<Option<Measure>>>,
}

impl Table {
    /// The columns of the properties, and the geometries as the last.
    pub fn schema(&self) -> SchemaRef {
        let extension = [("ARROW:extension:name", "geoarrow.wkb"), ("ARROW:extension:metadata", GEOARROW_METADATA)];
        let metadata = extension.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let geometry = Field::new(GEOMETRY, DataType::Binary, true).with_metadata(metadata.into());
        let properties = self.properties.schema_ref().fields().iter().map(|field| field.as_ref().clone());
        Arc::new(Schema::new(properties.chain([geometry]).collect::<Vec<_>>()))
    }

    /// All rows, piece by piece. Nothing is copied.
    pub fn batches(&self) -> impl Iterator<Item = RecordBatch> {
        let schema = self.schema();
        self.geometries.0.iter().map(move |piece| {
            let mut columns = self.properties.slice(piece.first_row, piece.wkb.len()).columns().to_vec();
            columns.push(Arc::new(piece.wkb.clone()));
            RecordBatch::try_new(schema.clone(), columns).expect("a table has as many properties as geometries")
        })
    }
}

/// The geometry of every row, in WGS 84.
#[derive(Debug)]
pub struct Geometries(Vec<Piece>);

#[derive(Debug)]
struct Piece {
    first_row: usize,
    wkb: BinaryArray,
}

impl Geometries {
    pub fn new(pieces: impl IntoIterator<Item = BinaryArray>) -> Self {
        let mut rows = 0;
        let pieces = pieces.into_iter().map(|wkb| {
            let first_row = rows;
            rows += wkb.len();
            Piece { first_row, wkb }
        });
        Geometries(pieces.collect())
    }

    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |piece| piece.first_row + piece.wkb.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The WKB of a row; `None` where it has no geometry.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let after = self.0.partition_point(|piece| piece.first_row <= row);
        let piece = &self.0[after.checked_sub(1)?];
        let row = row - piece.first_row;
        (row < piece.wkb.len() && piece.wkb.is_valid(row)).then(|| piece.wkb.value(row))
    }
}

/// However they are cut into pieces.
impl PartialEq for Geometries {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|row| self.get(row) == other.get(row))
    }
}
