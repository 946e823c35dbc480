//! Concatenates the chunks of a body into one table.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{PrimitiveBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};

use super::chunk::{ColumnChunk, ColumnValues};
use super::error::{ColumnError, TableError};
use super::infer::infer;
use super::shared::{Property, shared_column, sharing};
use crate::features::schema::SHARED_COLUMN;
use crate::features::table::{Geometries, Table};
use crate::model::Bounds;

/// One table with the rows of all chunks in order, and the bounds of its geometries. A column that a chunk does not
/// have is null in its rows. The body that the chunks are of has `body_bytes` bytes.
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
    /// For each chunk its array, if it has one.
    Typed {
        name: String,
        arrays: Vec<Option<ArrayRef>>,
    },
    Undocumented(Property),
}

impl Column {
    /// A column without values, of the type of these values.
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

/// Removes the properties that share a column.
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

/// One array of the arrays of all chunks, at least one of which is there.
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
