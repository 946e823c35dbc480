//! Arrow columns of a body: built row by row from JSON, one chunk at a time, and concatenated into one table.

pub mod cells;
mod concat;

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::BinaryArray;
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};

use super::table::{DIAGRAM_COLUMNS, Measuring, column_name, documented_type};
use crate::model::Bounds;
use cells::{Cells, ColumnValues};
use geodesign_geometry::{Geometry, Measured, write_wkb};

pub use cells::{ColumnError, UnexpectedValue};
pub use concat::concat;

/// Builds the columns of a chunk: a row is added with its geometry, then its properties are set by name. A column is
/// created with the first property of its name.
#[derive(Default)]
pub struct ChunkBuilder {
    columns: Vec<ColumnBuilder>,
    index_by_name: HashMap<String, usize>,
    /// The index of the column that was set last.
    latest: usize,
    rows: usize,
    /// The ids of the diagrams; each has one row or more.
    pub diagrams: Vec<i64>,
    geometries: WkbBuilder,
    bounds: Option<Bounds>,
    /// The measure of every row, if measures are requested.
    measures: Option<Vec<Measured>>,
}

impl ChunkBuilder {
    /// No rows, but all documented columns of diagrams, which are present even if no diagram has a value for them.
    pub fn for_diagrams(measuring: Measuring) -> Self {
        let measures = (measuring == Measuring::EachRow).then(Vec::new);
        let mut builder = ChunkBuilder { measures, ..ChunkBuilder::default() };
        for (name, kind) in DIAGRAM_COLUMNS {
            builder.add_column(name, Cells::new(Some(kind)));
        }
        builder
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row with a geometry and no properties yet; returns its number.
    pub fn add_row(&mut self, geometry: Option<&Geometry>) -> usize {
        self.geometries.push(geometry);
        let mut bounds = None::<Bounds>;
        if let Some(geometry) = geometry {
            geometry.for_each_shape(&mut |shape| {
                let around = Bounds::around(shape.lon_lats());
                bounds = bounds.into_iter().chain(around).reduce(Bounds::union);
            });
        }
        self.bounds = self.bounds.into_iter().chain(bounds).reduce(Bounds::union);
        if let Some(measures) = &mut self.measures {
            measures.push(match (geometry, bounds) {
                (Some(geometry), Some(Bounds { west, east, .. })) if east - west >= 360.0 => Measured::of(geometry),
                (Some(geometry), _) => Measured::of_regional(geometry),
                (None, _) => Measured::Nothing,
            });
        }
        self.rows += 1;
        self.rows - 1
    }

    /// Sets a property in some rows from the text of its JSON value; replaces earlier values.
    pub fn set(&mut self, rows: Range<usize>, property: &str, json: &str) -> Result<(), PropertyError> {
        if property.contains('\0') {
            return Err(PropertyError::NulInName(property.to_owned()));
        }
        let index = self.column_index(column_name(property), property);
        self.columns[index].cells.set(rows, json).map_err(|source| PropertyError::WrongType {
            property: property.to_owned(),
            value: shortened(json),
            source,
        })
    }

    /// The column of a property; a new one if there is none. Looks first where the previous feature had it.
    fn column_index(&mut self, name: &str, property: &str) -> usize {
        let latest = self.latest;
        let probable = self.columns.get(latest).map_or(0, |column| column.next);
        self.latest = match self.columns.get(probable).filter(|column| column.name == name) {
            Some(_) => probable,
            None => match self.index_by_name.get(name) {
                Some(index) => *index,
                None => self.add_column(name, Cells::new(documented_type(property))),
            },
        };
        if let Some(column) = self.columns.get_mut(latest) {
            column.next = self.latest;
        }
        self.latest
    }

    fn add_column(&mut self, name: &str, cells: Cells) -> usize {
        self.columns.push(ColumnBuilder { name: name.to_owned(), cells, next: 0 });
        self.index_by_name.insert(name.to_owned(), self.columns.len() - 1);
        self.columns.len() - 1
    }

    pub fn finish(self) -> Result<ColumnChunk, TableError> {
        let ChunkBuilder { rows, diagrams, columns, geometries, bounds, measures, .. } = self;
        let finished = columns.into_iter().map(|ColumnBuilder { name, cells, .. }| match cells.finish(rows) {
            Ok(values) => Ok((name, values)),
            Err(source) => Err(TableError::Column { name, source }),
        });
        let columns = finished.collect::<Result<_, _>>()?;
        let geometries = geometries.finish()?;
        Ok(ColumnChunk { rows, diagrams, columns, geometries, bounds, measures })
    }
}

struct ColumnBuilder {
    name: String,
    cells: Cells,
    /// The column that was set after this one the last time: features list their properties in the same order.
    next: usize,
}

fn shortened(json: &str) -> String {
    match json.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json.to_owned(),
    }
}

/// The columns of some consecutive rows: those of one chunk of a body, or of the whole body.
pub struct ColumnChunk {
    pub rows: usize,
    pub diagrams: Vec<i64>,
    /// The properties by column name.
    pub columns: Vec<(String, ColumnValues)>,
    /// The WKB of the rows, in order. Each array holds the next rows.
    pub geometries: Vec<BinaryArray>,
    /// The bounds of all geometries; `None` if they have no positions.
    pub bounds: Option<Bounds>,
    /// The measure of every row, if measures were requested.
    pub measures: Option<Vec<Measured>>,
}

/// A new array is started once the current one is larger than this, so that no array comes near Arrow's limit of 2 GiB.
const MAX_ARRAY_BYTES: usize = 64 * 1024 * 1024;

/// Builds the WKB of consecutive rows, in several arrays where it is large.
#[derive(Default)]
pub struct WkbBuilder {
    /// The full arrays, which hold the first rows.
    full: Vec<ArrayBuilder>,
    current: ArrayBuilder,
}

impl WkbBuilder {
    /// Adds a row.
    #[inline]
    pub fn push(&mut self, geometry: Option<&Geometry>) {
        if self.current.bytes.len() > MAX_ARRAY_BYTES {
            self.full.push(std::mem::take(&mut self.current));
        }
        self.current.push(geometry);
    }

    pub fn finish(self) -> Result<Vec<BinaryArray>, TableError> {
        self.full.into_iter().chain([self.current]).map(ArrayBuilder::finish).collect()
    }
}

/// The WKB of rows, one after the other.
#[derive(Default)]
struct ArrayBuilder {
    bytes: Vec<u8>,
    /// For each row: the offset at which its WKB ends, and true if it has a geometry.
    ends: Vec<(usize, bool)>,
}

impl ArrayBuilder {
    #[inline]
    fn push(&mut self, geometry: Option<&Geometry>) {
        if let Some(geometry) = geometry {
            write_wkb(geometry, &mut self.bytes);
        }
        self.ends.push((self.bytes.len(), geometry.is_some()));
    }

    fn finish(self) -> Result<BinaryArray, TableError> {
        if i32::try_from(self.bytes.len()).is_err() {
            return Err(TableError::GeometryTooLong);
        }
        let offsets = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end as i32));
        let validity: NullBuffer = self.ends.iter().map(|(_, has_geometry)| *has_geometry).collect();
        let validity = Some(validity).filter(|validity| validity.null_count() > 0);
        let array = BinaryArray::try_new(OffsetBuffer::new(offsets.collect()), Buffer::from_vec(self.bytes), validity);
        Ok(array.expect("the last offset is the number of bytes, and every row has one bit of validity"))
    }
}

/// A property that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    #[error("the property name {0:?} holds a NUL character, which a column name cannot contain")]
    NulInName(String),
    /// `value` is the JSON text, shortened.
    #[error("{property} is {value}, {source}")]
    WrongType { property: String, value: String, source: UnexpectedValue },
}

/// An error in making a table of the rows that were read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("column {name}: {source}")]
    Column { name: String, source: ColumnError },
    #[error("a geometry takes more than 2 GiB as WKB")]
    GeometryTooLong,
}
