//! The table that shares of a body make together, each read into columns of its own.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{PrimitiveBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};

use super::columns::{Share, TOO_LONG, Values, infer};
use crate::features::table::{Geometries, Table};
use crate::model::Bounds;

/// One table of all rows, share after share, and the edges of its geometries. A column that a share lacks is null there.
pub fn join(shares: Vec<Share>) -> Result<(Table, Option<Bounds>), String> {
    let lengths: Vec<usize> = shares.iter().map(|share| share.rows).collect();
    let mut columns: Vec<(String, Vec<Option<Values>>)> = Vec::new();
    let mut places = HashMap::new();
    let (mut geometries, mut bounds, mut measures) = (Vec::new(), None::<Bounds>, Some(Vec::new()));
    for (number, share) in shares.into_iter().enumerate() {
        for (name, values) in share.columns {
            let place = *places.entry(name).or_insert_with_key(|name| {
                columns.push((name.clone(), lengths.iter().map(|_| None).collect()));
                columns.len() - 1
            });
            columns[place].1[number] = Some(values);
        }
        geometries.extend(share.geometries);
        bounds = bounds.into_iter().chain(share.bounds).reduce(Bounds::union);
        measures = measures.zip(share.measures).map(|(mut measures, more)| {
            measures.extend(more);
            measures
        });
    }
    let (mut fields, mut arrays) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
    for (name, values) in columns {
        let array = join_column(values, &lengths).map_err(|problem| format!("column {name}: {problem}"))?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(lengths.iter().sum()));
    let properties = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &rows);
    let properties = properties.map_err(|error| error.to_string())?;
    Ok((Table { properties, geometries: Geometries::new(geometries), measures }, bounds))
}

/// A name has one type in all shares.
fn join_column(values: Vec<Option<Values>>, lengths: &[usize]) -> Result<ArrayRef, String> {
    let known = values.iter().flatten().find_map(|values| match values {
        Values::Array(array) => Some(array.data_type().clone()),
        Values::Any(_) => None,
    });
    let Some(kind) = known else {
        let values = values.into_iter().zip(lengths).flat_map(|(values, rows)| match values {
            Some(Values::Any(values)) => values,
            _ => vec![None; *rows],
        });
        return infer(values.collect());
    };
    let arrays = values.into_iter().map(|values| match values {
        Some(Values::Array(array)) => Some(array),
        _ => None,
    });
    let arrays: Vec<Option<ArrayRef>> = arrays.collect();
    match (&arrays[..], kind) {
        ([Some(only)], _) => Ok(only.clone()),
        (_, DataType::Int64) => Ok(join_numbers::<Int64Type>(&arrays, lengths)),
        (_, DataType::Float64) => Ok(join_numbers::<Float64Type>(&arrays, lengths)),
        (_, DataType::Timestamp(..)) => Ok(join_numbers::<TimestampMicrosecondType>(&arrays, lengths)),
        _ => join_texts(&arrays, lengths),
    }
}

fn join_numbers<T: ArrowPrimitiveType>(arrays: &[Option<ArrayRef>], lengths: &[usize]) -> ArrayRef {
    let mut numbers = PrimitiveBuilder::<T>::with_capacity(lengths.iter().sum());
    for (array, rows) in arrays.iter().zip(lengths) {
        match array {
            Some(array) => numbers.append_array(array.as_primitive()),
            None => numbers.append_nulls(*rows),
        }
    }
    Arc::new(numbers.finish())
}

fn join_texts(arrays: &[Option<ArrayRef>], lengths: &[usize]) -> Result<ArrayRef, String> {
    let bytes = arrays.iter().flatten().map(|array| array.as_string::<i32>().value_data().len()).sum();
    let mut texts = StringBuilder::with_capacity(lengths.iter().sum(), bytes);
    for (array, rows) in arrays.iter().zip(lengths) {
        match array {
            Some(array) => texts.append_array(array.as_string()).map_err(|_| TOO_LONG)?,
            None => texts.append_nulls(*rows),
        }
    }
    Ok(Arc::new(texts.finish()))
}
