//! The column that undocumented properties share where a column for each of them would be nearly empty.
//!
//! A feature takes memory in each column, also in those in which it has no value. If every feature had a property of its own,
//! the columns would have as many cells as the square of the number of features.

use std::cmp::Reverse;

use arrow_array::ArrayRef;

use super::error::ColumnError;
use super::infer::string_array;
use super::undocumented::JsonCells;
use crate::features::schema::SHARED_COLUMN;

/// The most undocumented properties that have a column of their own.
const MAX_OWN_COLUMNS: usize = 4_096;
/// With no more cells than this, each of the properties has a column of its own, however empty it is.
const MAX_SPARSE_CELLS: usize = 1_000_000;
/// More cells for each byte of the body are nearly all empty: a value with its name takes six bytes at least.
const MAX_CELLS_PER_BYTE: usize = 4;
/// Where columns are shared, a property has its own if it has a value for one in so many features.
const FEATURES_PER_VALUE: usize = 32;
/// The features of a diagram repeat its fields. The column may take this many bytes, or [`MAX_REPETITIONS`] times the bytes of
/// its values if that is more.
const MAX_REPEATED_BYTES: usize = 64 * 1024 * 1024;
const MAX_REPETITIONS: usize = 16;

/// A property that is not documented, with its values: those of each chunk, and the first row of the chunk.
pub struct Property {
    pub name: String,
    pub chunks: Vec<(usize, JsonCells)>,
}

impl Property {
    /// How many values have been set, however many rows each of them is for.
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

/// For each property whether it shares the column. In ordinary collections none does.
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

/// For each row a JSON object of the properties that it has, or null if it has none of them.
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
