//! Builds the columns of a chunk.

use std::collections::HashMap;
use std::ops::Range;

use super::cells::Cells;
use super::chunk::ColumnChunk;
use super::error::{PropertyError, TableError};
use super::wkb::WkbBuilder;
use crate::features::schema::{DIAGRAM_COLUMNS, column_name, documented_type};
use crate::features::table::Measuring;
use crate::geometry::{Geometry, Measured};
use crate::model::Bounds;

/// Builds the columns of a chunk: a row is added with its geometry, then its properties are set by name. A column is
/// created with the first property of its name.
#[derive(Default)]
pub struct ChunkBuilder {
    columns: Vec<ColumnBuilder>,
    index_by_name: HashMap<String, usize>,
    /// The index of the column that was set last.
    latest: usize,
    rows: usize,
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
        let rows = self.rows;
        let finished = self.columns.into_iter().map(|ColumnBuilder { name, cells, .. }| match cells.finish(rows) {
            Ok(values) => Ok((name, values)),
            Err(source) => Err(TableError::Column { name, source }),
        });
        let columns = finished.collect::<Result<_, _>>()?;
        let geometries = self.geometries.finish()?;
        Ok(ColumnChunk { rows, columns, geometries, bounds: self.bounds, measures: self.measures })
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
