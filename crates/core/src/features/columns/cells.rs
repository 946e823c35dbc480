//! The cells of one column while it is built: of a documented type, or as JSON text until the type is inferred from all values.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, TimestampMicrosecondArray};
use jiff::civil::{Date, date};

use crate::features::table::ColumnType;
use crate::model::DateTime;

/// The features of a diagram repeat its texts. Repeated texts may take this many bytes, or [`MAX_REPETITIONS`] times the bytes of the texts
/// themselves if that is more.
const MAX_REPEATED_BYTES: usize = 256 * 1024 * 1024;
const MAX_REPETITIONS: usize = 64;

/// The cells of a column, by row. Rows at the end that have no value are missing until the column is finished.
pub enum Cells {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Timestamps(Vec<Option<i64>>),
    Texts(TextCells),
    Json(TextCells),
    /// Values of an undocumented property: the type is inferred when all of them are known.
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

    /// Returns the values of `rows` rows.
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

/// The values of a column.
pub enum ColumnValues {
    /// One per row.
    Typed(ArrayRef),
    /// Values of an undocumented property. The type is inferred from the values of all chunks.
    Undocumented(JsonCells),
}

/// A column that cannot be finished. The message continues one that names the column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    #[error("its texts take more than 2 GiB; request one system at a time")]
    TextsTooLong,
    #[error("its texts take more than {} MiB, because every feature of a diagram repeats them; request single diagrams", .max_bytes >> 20)]
    TooManyRepetitions { max_bytes: usize },
    #[error("a value is {0}")]
    Value(#[from] UnexpectedValue),
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

/// The JSON texts of one property. Rows without a value take no memory.
#[derive(Default)]
pub struct JsonCells {
    texts: String,
    runs: Vec<Run>,
}

/// Rows that have the same text.
struct Run {
    rows: Range<usize>,
    /// End of the text in [`JsonCells::texts`]. It starts at the end of the previous run's text.
    end: usize,
}

impl JsonCells {
    /// Sets the cells of some rows to the same JSON value; replaces earlier values.
    #[inline]
    pub fn set(&mut self, rows: Range<usize>, json: &str) {
        self.texts.push_str(json);
        self.runs.push(Run { rows, end: self.texts.len() });
    }

    /// Returns the number of values set; a value counts once, however many rows it is for.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The values with their rows, in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (Range<usize>, &str)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|run| run.end));
        self.runs.iter().zip(starts).map(|(run, start)| (run.rows.clone(), &self.texts[start..run.end]))
    }
}

/// An integer written with fewer characters than this has at most 15 digits, all of which a float keeps.
const MIN_INEXACT_CHARS: usize = 16;

/// A column of the narrowest type that holds every JSON value: booleans, integers, floats, or else text.
pub fn infer(values: &[Option<&str>]) -> Result<ArrayRef, ColumnError> {
    if let Some(booleans) = parse_all(values, |json| json.parse::<bool>().ok()) {
        return Ok(Arc::new(BooleanArray::from(booleans)));
    }
    if let Some(integers) = parse_all(values, |json| json.parse::<i64>().ok()) {
        return Ok(Arc::new(Int64Array::from(integers)));
    }
    if let Some(floats) = parse_all(values, float) {
        return Ok(Arc::new(Float64Array::from(floats)));
    }
    let texts: Vec<_> = values.iter().map(|json| json.map_or(Ok(None), text)).collect::<Result<_, _>>()?;
    string_array(texts.iter().map(Option::as_deref))
}

/// A column of text.
pub fn string_array<'t>(texts: impl Iterator<Item = Option<&'t str>> + Clone) -> Result<ArrayRef, ColumnError> {
    let bytes: usize = texts.clone().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        return Err(ColumnError::TextsTooLong);
    }
    let mut builder = StringBuilder::with_capacity(texts.size_hint().0, bytes);
    texts.for_each(|text| builder.append_option(text));
    Ok(Arc::new(builder.finish()))
}

/// All values parsed; `None` if one of them cannot be parsed, or if there are none.
fn parse_all<'v, T>(values: &[Option<&'v str>], parse: impl Fn(&'v str) -> Option<T>) -> Option<Vec<Option<T>>> {
    let parse = |value: &Option<&'v str>| match value {
        Some(value) => parse(value).map(Some),
        None => Some(None),
    };
    values.iter().any(Option::is_some).then(|| values.iter().map(parse).collect()).flatten()
}

/// A float; `None` for an integer with more digits than a float keeps.
fn float(json: &str) -> Option<f64> {
    json.parse().ok().filter(|_| json.contains(['.', 'e', 'E']) || json.len() < MIN_INEXACT_CHARS)
}

/// Floats below 2^53 hold every integer exactly.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A JSON value of another type than the column's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not {0}")]
pub struct UnexpectedValue(&'static str);

/// Returns the integer of a JSON number, or of a number written as text; `None` for an empty text.
#[inline]
pub fn integer(json: &str) -> Result<Option<i64>, UnexpectedValue> {
    const EXPECTED: UnexpectedValue = UnexpectedValue("an integer");
    let Some(content) = text(json)? else { return Ok(None) };
    match content.trim() {
        "" => Ok(None),
        trimmed => match trimmed.parse::<i64>() {
            Ok(exact) => Ok(Some(exact)),
            Err(_) => {
                let float: f64 = trimmed.parse().map_err(|_| EXPECTED)?;
                let is_exact = float.fract() == 0.0 && float.abs() < MAX_EXACT_INTEGER;
                is_exact.then_some(Some(float as i64)).ok_or(EXPECTED)
            }
        },
    }
}

/// Returns the float of a JSON number, or of a number written as text; `None` for an empty text.
#[inline]
pub fn number(json: &str) -> Result<Option<f64>, UnexpectedValue> {
    const EXPECTED: UnexpectedValue = UnexpectedValue("a number");
    let Some(content) = text(json)? else { return Ok(None) };
    match content.trim() {
        "" => Ok(None),
        trimmed => trimmed.parse().ok().filter(|float: &f64| float.is_finite()).map(Some).ok_or(EXPECTED),
    }
}

/// The microseconds from 1970-01-01 00:00 to a date or date-time without a time zone. `None` for an empty text.
#[inline]
pub fn timestamp(json: &str) -> Result<Option<i64>, UnexpectedValue> {
    const EXPECTED: UnexpectedValue = UnexpectedValue("a date or date-time such as 2026-03-02 or 2026-03-02T09:30:00");
    let Some(content) = text(json)? else { return Ok(None) };
    if content.is_empty() {
        return Ok(None);
    }
    let midnight = || content.parse().ok().map(|date: Date| date.at(0, 0, 0, 0));
    let date_time = if content.len() == 10 { midnight() } else { content.parse::<DateTime>().ok().map(|at| *at) };
    let since_epoch = date_time.ok_or(EXPECTED)?.duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
    i64::try_from(since_epoch.as_micros()).map(Some).map_err(|_| EXPECTED)
}

/// The content of a JSON string, or the JSON text of any other value.
#[inline]
pub fn text(json: &str) -> Result<Option<Cow<'_, str>>, UnexpectedValue> {
    match json.as_bytes() {
        b"null" => Ok(None),
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => Ok(Some(json[1..json.len() - 1].into())),
        [b'"', ..] => match serde_json::from_str::<String>(json) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) => Err(UnexpectedValue("text: an escape in it stands for no character")),
        },
        _ => Ok(Some(json.into())),
    }
}
