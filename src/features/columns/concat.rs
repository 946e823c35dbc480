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
use crate::features::table::{Geometries, Table};
use crate::model::Bounds;

/// One table with the rows of all chunks in order, and the bounds of its geometries. A column that a chunk does not
/// have is null in its rows.
pub fn concat(chunks: Vec<ColumnChunk>) -> Result<(Table, Option<Bounds>), TableError> {
    let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.rows).collect();
    // For each column its name, and its values in each chunk.
    let mut columns: Vec<(String, Vec<Option<ColumnValues>>)> = Vec::new();
    let mut index_by_name = HashMap::new();
    let (mut geometries, mut bounds, mut measures) = (Vec::new(), None::<Bounds>, Some(Vec::new()));
    for (number, chunk) in chunks.into_iter().enumerate() {
        for (name, values) in chunk.columns {
            let index = *index_by_name.entry(name).or_insert_with_key(|name| {
                columns.push((name.clone(), lengths.iter().map(|_| None).collect()));
                columns.len() - 1
            });
            columns[index].1[number] = Some(values);
        }
        geometries.extend(chunk.geometries);
        bounds = bounds.into_iter().chain(chunk.bounds).reduce(Bounds::union);
        measures = measures.zip(chunk.measures).map(|(mut measures, more)| {
            measures.extend(more);
            measures
        });
    }
    let (mut fields, mut arrays) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
    for (name, values) in columns {
        let array = match concat_column(values, &lengths) {
            Ok(array) => array,
            Err(source) => return Err(TableError::Column { name, source }),
        };
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(lengths.iter().sum()));
    let properties = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &rows)
        .expect("every column has a value or a null for each row of each chunk");
    Ok((Table { properties, geometries: Geometries::new(geometries), measures }, bounds))
}

/// One array of the values of all chunks; a name has the same type in all of them.
fn concat_column(values: Vec<Option<ColumnValues>>, lengths: &[usize]) -> Result<ArrayRef, ColumnError> {
    let documented = values.iter().flatten().find_map(|values| match values {
        ColumnValues::Typed(array) => Some(array.data_type().clone()),
        ColumnValues::Untyped(_) => None,
    });
    let Some(kind) = documented else {
        let values = values.into_iter().zip(lengths).flat_map(|(values, rows)| match values {
            Some(ColumnValues::Untyped(values)) => values,
            _ => vec![None; *rows],
        });
        return infer(values.collect());
    };
    let arrays = values.into_iter().map(|values| match values {
        Some(ColumnValues::Typed(array)) => Some(array),
        _ => None,
    });
    let arrays: Vec<Option<ArrayRef>> = arrays.collect();
    match (&arrays[..], kind) {
        ([Some(only)], _) => Ok(only.clone()),
        (_, DataType::Int64) => Ok(concat_primitives::<Int64Type>(&arrays, lengths)),
        (_, DataType::Float64) => Ok(concat_primitives::<Float64Type>(&arrays, lengths)),
        (_, DataType::Timestamp(..)) => Ok(concat_primitives::<TimestampMicrosecondType>(&arrays, lengths)),
        _ => concat_texts(&arrays, lengths),
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
