//! The finished columns of one chunk of a body.

use arrow_array::{ArrayRef, BinaryArray};

use super::undocumented::JsonCells;
use crate::geometry::Measured;
use crate::model::Bounds;

/// The columns of some consecutive rows: those of one chunk of a body, or of the whole body.
pub struct ColumnChunk {
    pub rows: usize,
    /// The properties by column name.
    pub columns: Vec<(String, ColumnValues)>,
    /// The WKB of the rows, in order. Each array holds the next rows.
    pub geometries: Vec<BinaryArray>,
    /// The bounds of all geometries; `None` if they have no positions.
    pub bounds: Option<Bounds>,
    /// The measure of every row, if measures were requested.
    pub measures: Option<Vec<Measured>>,
}

/// The values of a column.
pub enum ColumnValues {
    /// One per row.
    Typed(ArrayRef),
    /// Of a property that is not documented. Its type is inferred from the values of all chunks.
    Undocumented(JsonCells),
}
