//! Concatenates the chunks of a body into one table.
//!
//! Undocumented properties share a column if columns of their own would be nearly empty. A feature takes memory in every column, even
//! without a value: if every feature had a property of its own, the number of cells would be the square of the number of features.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{PrimitiveBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};

use super::cells::{ColumnError, ColumnValues, JsonCells, infer, string_array};
use super::{ColumnChunk, TableError};
use crate::features::table::{Geometries, SHARED_COLUMN, Table};
use crate::model::Bounds;

/// One table with the rows of all chunks in order, and the bounds of its geometries. A column that a chunk does not have is null in its
/// rows. `body_bytes` is the size of the body that the chunks come from.
pub fn concat(chunks: Vec<ColumnChunk>, body_bytes: usize) -> Result<(Table, Option<Bounds>), TableError> {
    let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.rows).collect();
    let rows = lengths.iter().sum();
    let (mut columns, mut index_by_name) = (Vec::new(), HashMap::new());
    let (mut geometries, mut bounds, mut measures) = (Vec::new(), None::<Bounds>, Some(Vec::new()));
    let mut first_row = 0;
    for (number, chunk) in chunks.into_iter().enumerate() {
        for (name, values) in chunk.columns {
            let index = *index_by_name.entry(name).or_insert_with_key(|name| {
                columns.push(Column::new(name.clone(), &values, lengths.len()));
                columns.len() - 1
            });
            columns[index].add(number, first_row, values);
        }
        first_row += chunk.rows;
        geometries.extend(chunk.geometries);
        bounds = bounds.into_iter().chain(chunk.bounds).reduce(Bounds::union);
        measures = measures.zip(chunk.measures).map(|(mut measures, more)| {
            measures.extend(more);
            measures
        });
    }
    drop(index_by_name);
    let shared = take_shared(&mut columns, rows, body_bytes);
    let (mut fields, mut arrays) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
    let mut add = |name: String, array: Result<ArrayRef, ColumnError>| match array {
        Ok(array) => {
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
            Ok(())
        }
        Err(source) => Err(TableError::Column { name, source }),
    };
    for column in columns {
        match column {
            Column::Typed { name, arrays } => add(name, concat_arrays(&arrays, &lengths))?,
            Column::Undocumented(property) => {
                let array = infer(&property.rows(rows));
                add(property.name, array)?;
            }
        }
    }
    let has_shared_column = !shared.is_empty();
    if has_shared_column {
        add(SHARED_COLUMN.to_owned(), shared_column(&shared, rows))?;
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let properties = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
        .expect("every column has a value or a null for each row of each chunk");
    Ok((Table { properties, has_shared_column, geometries: Geometries::new(geometries), measures }, bounds))
}

/// The values of a column in all chunks. A name has the same type in all of them.
enum Column {
    /// The array of each chunk, if it has one.
    Typed {
        name: String,
        arrays: Vec<Option<ArrayRef>>,
    },
    Undocumented(Property),
}

impl Column {
    /// Returns a column without values, of the same type as these values.
    fn new(name: String, values: &ColumnValues, chunks: usize) -> Self {
        match values {
            ColumnValues::Typed(_) => Column::Typed { name, arrays: vec![None; chunks] },
            ColumnValues::Undocumented(_) => Column::Undocumented(Property { name, chunks: Vec::new() }),
        }
    }

    fn add(&mut self, chunk: usize, first_row: usize, values: ColumnValues) {
        match (self, values) {
            (Column::Typed { arrays, .. }, ColumnValues::Typed(array)) => arrays[chunk] = Some(array),
            (Column::Undocumented(property), ColumnValues::Undocumented(cells)) => {
                property.chunks.push((first_row, cells));
            }
            _ => unreachable!("whether a column is documented follows from its name"),
        }
    }
}

/// Removes and returns the properties that share a column.
fn take_shared(columns: &mut Vec<Column>, rows: usize, body_bytes: usize) -> Vec<Property> {
    let properties = columns.iter().filter_map(|column| match column {
        Column::Undocumented(property) => Some(property),
        Column::Typed { .. } => None,
    });
    let mut shares = sharing(&properties.collect::<Vec<_>>(), rows, body_bytes).into_iter();
    let is_shared = |column: &mut Column| matches!(column, Column::Undocumented(_)) && shares.next() == Some(true);
    let shared = columns.extract_if(.., is_shared).filter_map(|column| match column {
        Column::Undocumented(property) => Some(property),
        Column::Typed { .. } => None,
    });
    shared.collect()
}

/// Joins the arrays of all chunks. At least one chunk has an array.
fn concat_arrays(arrays: &[Option<ArrayRef>], lengths: &[usize]) -> Result<ArrayRef, ColumnError> {
    match (arrays, arrays.iter().flatten().next().map(|array| array.data_type())) {
        ([Some(only)], _) => Ok(only.clone()),
        (_, Some(DataType::Int64)) => Ok(concat_primitives::<Int64Type>(arrays, lengths)),
        (_, Some(DataType::Float64)) => Ok(concat_primitives::<Float64Type>(arrays, lengths)),
        (_, Some(DataType::Timestamp(..))) => Ok(concat_primitives::<TimestampMicrosecondType>(arrays, lengths)),
        _ => concat_texts(arrays, lengths),
    }
}

fn concat_primitives<T: ArrowPrimitiveType>(arrays: &[Option<ArrayRef>], lengths: &[usize]) -> ArrayRef {
    let mut builder = PrimitiveBuilder::<T>::with_capacity(lengths.iter().sum());
    for (array, rows) in arrays.iter().zip(lengths) {
        match array {
            Some(array) => builder.append_array(array.as_primitive()),
            None => builder.append_nulls(*rows),
        }
    }
    Arc::new(builder.finish())
}

fn concat_texts(arrays: &[Option<ArrayRef>], lengths: &[usize]) -> Result<ArrayRef, ColumnError> {
    let bytes = arrays.iter().flatten().map(|array| array.as_string::<i32>().value_data().len()).sum();
    let mut builder = StringBuilder::with_capacity(lengths.iter().sum(), bytes);
    for (array, rows) in arrays.iter().zip(lengths) {
        match array {
            // The builder's offsets have 32 bits.
            Some(array) => builder.append_array(array.as_string()).map_err(|_| ColumnError::TextsTooLong)?,
            None => builder.append_nulls(*rows),
        }
    }
    Ok(Arc::new(builder.finish()))
}

/// At most this many undocumented properties have a column of their own.
const MAX_OWN_COLUMNS: usize = 4_096;
/// Up to this many cells, each property has a column of its own, however empty it is.
const MAX_SPARSE_CELLS: usize = 1_000_000;
/// Beyond this many cells per byte of the body, nearly all cells are empty: a value with its name takes at least six bytes.
const MAX_CELLS_PER_BYTE: usize = 4;
/// If nearly empty columns are shared, a property with a value in at least one of this many features has its own column.
const FEATURES_PER_VALUE: usize = 32;
/// The features of a diagram repeat its fields. The shared column may take this many bytes, or [`MAX_REPETITIONS`] times the bytes of its
/// values if that is more.
const MAX_REPEATED_BYTES: usize = 64 * 1024 * 1024;
const MAX_REPETITIONS: usize = 16;

/// An undocumented property: its values in each chunk, with the number of the chunk's first row.
pub struct Property {
    pub name: String,
    pub chunks: Vec<(usize, JsonCells)>,
}

impl Property {
    /// Returns the number of values set; a value counts once, however many rows it is for.
    fn count(&self) -> usize {
        self.chunks.iter().map(|(_, cells)| cells.count()).sum()
    }

    /// The value of each row, or `None`; JSON's `null` is no value.
    pub fn rows(&self, rows: usize) -> Vec<Option<&str>> {
        let mut values = vec![None; rows];
        for (first_row, cells) in &self.chunks {
            for (rows, json) in cells.iter() {
                values[first_row + rows.start..first_row + rows.end].fill(Some(json).filter(|json| *json != "null"));
            }
        }
        values
    }
}

/// Returns `true` for each property that shares the column. In ordinary collections none does.
pub fn sharing(properties: &[&Property], rows: usize, body_bytes: usize) -> Vec<bool> {
    let cells = properties.len().saturating_mul(rows);
    let are_sparse = cells > MAX_SPARSE_CELLS && cells / MAX_CELLS_PER_BYTE > body_bytes;
    if !are_sparse && properties.len() <= MAX_OWN_COLUMNS {
        return vec![false; properties.len()];
    }
    let counts: Vec<usize> = properties.iter().map(|property| property.count()).collect();
    let is_frequent = |count: usize| !are_sparse || count.saturating_mul(FEATURES_PER_VALUE) >= rows;
    let mut own: Vec<usize> = (0..properties.len()).filter(|index| is_frequent(counts[*index])).collect();
    own.sort_by_key(|index| Reverse(counts[*index]));
    own.truncate(MAX_OWN_COLUMNS);
    if own.len() < properties.len() {
        // Its column would have the name of the shared one.
        own.retain(|index| properties[*index].name != SHARED_COLUMN);
    }
    let mut shared = vec![true; properties.len()];
    own.into_iter().for_each(|index| shared[index] = false);
    shared
}

/// Returns for each row a JSON object of its properties, or null if it has none of them.
pub fn shared_column(properties: &[Property], rows: usize) -> Result<ArrayRef, ColumnError> {
    let keys: Vec<String> =
        properties.iter().map(|property| serde_json::Value::from(property.name.as_str()).to_string()).collect();
    let (mut cells, mut bytes, mut bytes_of_values) = (Vec::new(), 0_usize, 0_usize);
    for (index, property) in properties.iter().enumerate() {
        for (first_row, values) in &property.chunks {
            for (rows, json) in values.iter() {
                bytes_of_values += json.len();
                bytes = bytes.saturating_add((keys[index].len() + json.len()).saturating_mul(rows.len()));
                if bytes > MAX_REPEATED_BYTES && bytes / MAX_REPETITIONS > bytes_of_values {
                    return Err(ColumnError::TooManyRepetitions { max_bytes: MAX_REPEATED_BYTES });
                }
                cells.extend(rows.map(|row| (first_row + row, index, json)));
            }
        }
    }
    // Stable: the properties of a row stay in order, and a value stays after one that it replaces.
    cells.sort_by_key(|(row, ..)| *row);
    let mut objects: Vec<Option<String>> = vec![None; rows];
    let mut cells = cells.into_iter().peekable();
    while let Some((row, index, json)) = cells.next() {
        if cells.peek().is_some_and(|(next_row, next_index, _)| (*next_row, *next_index) == (row, index)) {
            continue;
        }
        let object = objects[row].get_or_insert_default();
        object.push(if object.is_empty() { '{' } else { ',' });
        object.push_str(&keys[index]);
        object.push(':');
        object.push_str(json);
        if cells.peek().is_none_or(|(next_row, ..)| *next_row != row) {
            object.push('}');
        }
    }
    string_array(objects.iter().map(Option::as_deref))
}
