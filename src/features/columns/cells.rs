//! The cells of one column while it is built.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, TimestampMicrosecondArray};

use super::chunk::ColumnValues;
use super::error::ColumnError;
use super::infer::string_array;
use super::json_values::{UnexpectedValue, integer, number, text, timestamp};
use super::undocumented::JsonCells;
use crate::features::schema::ColumnType;

/// The features of a diagram repeat its texts. Texts that are repeated may take this many bytes, or [`MAX_REPETITIONS`] times the
/// bytes of the texts themselves if that is more.
const MAX_REPEATED_BYTES: usize = 256 * 1024 * 1024;
const MAX_REPETITIONS: usize = 64;

/// The cells of a column, by row. Rows at the end that have no value are missing until the column is finished.
pub enum Cells {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Timestamps(Vec<Option<i64>>),
    Texts(TextCells),
    Json(TextCells),
    /// Of a property that is not documented: its type is inferred when all values are known.
    Undocumented(JsonCells),
}

impl Cells {
    /// No cells yet; `kind` is the documented type of the property.
    pub fn new(kind: Option<ColumnType>) -> Self {
        match kind {
            Some(ColumnType::Integer) => Cells::Integers(Vec::new()),
            Some(ColumnType::Number) => Cells::Numbers(Vec::new()),
            Some(ColumnType::Timestamp) => Cells::Timestamps(Vec::new()),
            Some(ColumnType::Text) => Cells::Texts(TextCells::default()),
            Some(ColumnType::Json) => Cells::Json(TextCells::default()),
            None => Cells::Undocumented(JsonCells::default()),
        }
    }

    /// Sets the cells of some rows to the same JSON value.
    #[inline]
    pub fn set(&mut self, rows: Range<usize>, json: &str) -> Result<(), UnexpectedValue> {
        match self {
            Cells::Integers(values) => fill(values, rows, integer(json)?),
            Cells::Numbers(values) => fill(values, rows, number(json)?),
            Cells::Timestamps(values) => fill(values, rows, timestamp(json)?),
            Cells::Texts(texts) => texts.set(rows, text(json)?.as_deref()),
            Cells::Json(texts) => texts.set(rows, Some(json).filter(|json| *json != "null")),
            Cells::Undocumented(values) => values.set(rows, json),
        }
        Ok(())
    }

    /// The values of `rows` rows.
    pub fn finish(self, rows: usize) -> Result<ColumnValues, ColumnError> {
        Ok(ColumnValues::Typed(match self {
            Cells::Integers(values) => Arc::new(Int64Array::from(padded(values, rows))),
            Cells::Numbers(values) => Arc::new(Float64Array::from(padded(values, rows))),
            Cells::Timestamps(values) => Arc::new(TimestampMicrosecondArray::from(padded(values, rows))),
            Cells::Texts(texts) | Cells::Json(texts) => texts.finish(rows)?,
            Cells::Undocumented(values) => return Ok(ColumnValues::Undocumented(values)),
        }))
    }
}

fn fill<T: Clone + Default>(values: &mut Vec<T>, rows: Range<usize>, value: T) {
    if values.len() < rows.end {
        values.resize(rows.end, T::default());
    }
    values[rows].fill(value);
}

fn padded<T: Clone + Default>(mut values: Vec<T>, rows: usize) -> Vec<T> {
    values.resize(rows, T::default());
    values
}

/// Cells of text. Rows that are set together share the bytes of their text.
#[derive(Default)]
pub struct TextCells {
    bytes: String,
    spans: Vec<Span>,
}

/// The start and the end of a text in [`TextCells::bytes`], or [`Span::NONE`]. The offsets wrap beyond 4 GiB, but
/// [`TextCells::finish`] refuses more than 2 GiB.
#[derive(Clone, Copy, PartialEq)]
struct Span(u32, u32);

impl Default for Span {
    fn default() -> Self {
        Span::NONE
    }
}

impl Span {
    const NONE: Span = Span(u32::MAX, 0);

    fn of(self, bytes: &str) -> Option<&str> {
        (self != Span::NONE).then(|| &bytes[self.0 as usize..self.1 as usize])
    }
}

impl TextCells {
    fn set(&mut self, rows: Range<usize>, text: Option<&str>) {
        let span = text.map_or(Span::NONE, |text| {
            let start = self.bytes.len();
            self.bytes.push_str(text);
            Span(start as u32, self.bytes.len() as u32)
        });
        fill(&mut self.spans, rows, span);
    }

    fn finish(self, rows: usize) -> Result<ArrayRef, ColumnError> {
        if i32::try_from(self.bytes.len()).is_err() {
            return Err(ColumnError::TextsTooLong);
        }
        let spans = padded(self.spans, rows);
        let bytes: usize = spans.iter().map(|span| span.of(&self.bytes).map_or(0, str::len)).sum();
        if bytes > MAX_REPEATED_BYTES && bytes / MAX_REPETITIONS > self.bytes.len() {
            return Err(ColumnError::TooManyRepetitions { max_bytes: MAX_REPEATED_BYTES });
        }
        string_array(spans.iter().map(|span| span.of(&self.bytes)))
    }
}
