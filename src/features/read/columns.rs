//! Columns under construction: cells are set by row and name, from the JSON text of their values.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, TimestampMicrosecondArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use jiff::civil::date;

use crate::features::Diagrams;
use crate::features::schema::{ColumnType, DIAGRAM_COLUMNS, column_name, documented_type};
use crate::geometry::{Geometry, Measure, write_wkb};
use crate::model::{Bounds, DateTime};

/// A piece of the geometries takes about so many bytes at most.
const PIECE: usize = 64 * 1024 * 1024;

/// A table that grows by rows. Columns appear with the first property of their name.
#[derive(Default)]
pub struct Columns {
    columns: Vec<Column>,
    by_name: HashMap<String, usize>,
    /// The column that was set last.
    latest: usize,
    rows: usize,
    /// Those of the first rows.
    finished_geometries: Vec<Wkb>,
    geometries: Wkb,
    bounds: Option<Bounds>,
    /// Those of all rows, where they are wanted.
    measures: Option<Vec<Option<Measure>>>,
}

impl Columns {
    /// An empty table that has the columns of diagrams, whether or not any diagram fills them.
    pub fn of(diagrams: Diagrams) -> Self {
        let measures = (diagrams == Diagrams::Measured).then(Vec::new);
        let mut columns = Columns { measures, ..Columns::default() };
        for (name, kind) in DIAGRAM_COLUMNS {
            columns.add(name, Cells::documented(kind));
        }
        columns
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row with a geometry and no properties yet.
    pub fn add_row(&mut self, geometry: Option<&Geometry>) -> usize {
        if self.geometries.bytes.len() > PIECE {
            self.finished_geometries.push(std::mem::take(&mut self.geometries));
        }
        self.geometries.push(geometry);
        if let Some(geometry) = geometry {
            geometry.for_each_shape(&mut |shape| {
                let around = Bounds::around(shape.lon_lats());
                self.bounds = self.bounds.into_iter().chain(around).reduce(Bounds::union);
            });
        }
        if let Some(measures) = &mut self.measures {
            measures.push(geometry.and_then(Measure::of));
        }
        self.rows += 1;
        self.rows - 1
    }

    /// Sets a property in some rows from the text of its JSON value, over whatever stood there.
    pub fn set(&mut self, rows: Range<usize>, property: &str, json: &str) -> Result<(), String> {
        if property.contains('\0') {
            return Err(format!("the property name {property:?} holds a NUL, which no table can have"));
        }
        let at = self.column(column_name(property), property);
        self.columns[at]
            .cells
            .set(rows, json)
            .map_err(|expected| format!("{property} is {}, not {expected}", shortened(json)))
    }

    fn column(&mut self, name: &str, property: &str) -> usize {
        let latest = self.latest;
        let probable = self.columns.get(latest).map_or(0, |column| column.next);
        self.latest = match self.columns.get(probable).filter(|column| column.name == name) {
            Some(_) => probable,
            None => match self.by_name.get(name) {
                Some(at) => *at,
                None => self.add(name, documented_type(property).map_or(Cells::Any(Vec::new()), Cells::documented)),
            },
        };
        if let Some(column) = self.columns.get_mut(latest) {
            column.next = self.latest;
        }
        self.latest
    }

    fn add(&mut self, name: &str, cells: Cells) -> usize {
        self.columns.push(Column { name: name.to_owned(), cells, next: 0 });
        self.by_name.insert(name.to_owned(), self.columns.len() - 1);
        self.columns.len() - 1
    }

    /// The rows, complete.
    pub fn finish(self) -> Result<Share, String> {
        let rows = self.rows;
        let finished = self.columns.into_iter().map(|Column { name, cells, .. }| match cells.finish(rows) {
            Ok(values) => Ok((name, values)),
            Err(problem) => Err(format!("column {name}: {problem}")),
        });
        let columns = finished.collect::<Result<_, _>>()?;
        let geometries = self.finished_geometries.into_iter().chain([self.geometries]).map(Wkb::finish);
        let geometries = geometries.collect::<Result<_, _>>()?;
        Ok(Share { rows, columns, geometries, bounds: self.bounds, measures: self.measures })
    }
}

/// Some rows, complete.
pub struct Share {
    pub rows: usize,
    pub columns: Vec<(String, Values)>,
    /// Those of the first rows first.
    pub geometries: Vec<BinaryArray>,
    pub bounds: Option<Bounds>,
    /// Those of all rows, where they are wanted.
    pub measures: Option<Vec<Option<Measure>>>,
}

/// The values of a column, one for each row.
pub enum Values {
    Array(ArrayRef),
    /// Those of a property that nothing is known of, as JSON: its type shows when the values of all shares are there.
    Any(Vec<Option<Box<str>>>),
}

/// The WKB of rows, one after the other.
#[derive(Default)]
struct Wkb {
    bytes: Vec<u8>,
    /// Where each row's ends, and whether it has any.
    ends: Vec<(usize, bool)>,
}

impl Wkb {
    fn push(&mut self, geometry: Option<&Geometry>) {
        if let Some(geometry) = geometry {
            write_wkb(geometry, &mut self.bytes);
        }
        self.ends.push((self.bytes.len(), geometry.is_some()));
    }

    fn finish(self) -> Result<BinaryArray, String> {
        if i32::try_from(self.bytes.len()).is_err() {
            return Err("a geometry takes more than 2 GiB".into());
        }
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end as i32));
        let present: NullBuffer = self.ends.iter().map(|(_, present)| *present).collect();
        let present = Some(present).filter(|present| present.null_count() > 0);
        BinaryArray::try_new(OffsetBuffer::new(starts.collect()), Buffer::from_vec(self.bytes), present)
            .map_err(|error| error.to_string())
    }
}

struct Column {
    name: String,
    cells: Cells,
    /// The column that was set after this one the last time: features name their properties in the same order.
    next: usize,
}

/// The values of a column so far. Rows at the end that have none are left out until the table is finished.
enum Cells {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Timestamps(Vec<Option<i64>>),
    Texts(Texts),
    Json(Texts),
    /// A property that nothing is known of: its type shows when all values are there.
    Any(Vec<Option<Box<str>>>),
}

impl Cells {
    fn documented(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Integer => Cells::Integers(Vec::new()),
            ColumnType::Number => Cells::Numbers(Vec::new()),
            ColumnType::Timestamp => Cells::Timestamps(Vec::new()),
            ColumnType::Text => Cells::Texts(Texts::default()),
            ColumnType::Json => Cells::Json(Texts::default()),
        }
    }

    /// An error says what the column wants.
    fn set(&mut self, rows: Range<usize>, json: &str) -> Result<(), &'static str> {
        match self {
            Cells::Integers(values) => fill(values, rows, integer(json)?),
            Cells::Numbers(values) => fill(values, rows, number(json)?),
            Cells::Timestamps(values) => fill(values, rows, timestamp(json)?),
            Cells::Texts(texts) => texts.set(rows, text(json)?.as_deref()),
            Cells::Json(texts) => texts.set(rows, Some(json).filter(|json| *json != "null")),
            Cells::Any(values) => fill(values, rows, Some(json.into()).filter(|_| json != "null")),
        }
        Ok(())
    }

    fn finish(self, rows: usize) -> Result<Values, String> {
        Ok(Values::Array(match self {
            Cells::Integers(values) => Arc::new(Int64Array::from(padded(values, rows))),
            Cells::Numbers(values) => Arc::new(Float64Array::from(padded(values, rows))),
            Cells::Timestamps(values) => Arc::new(TimestampMicrosecondArray::from(padded(values, rows))),
            Cells::Texts(texts) | Cells::Json(texts) => texts.finish(rows)?,
            Cells::Any(values) => return Ok(Values::Any(padded(values, rows))),
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

/// Texts of a column. Rows that share a text share its bytes.
#[derive(Default)]
struct Texts {
    bytes: String,
    spans: Vec<Span>,
}

/// Where a text begins and ends; [`Span::NONE`] where there is none. Longer texts than it can say are refused in the end.
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

impl Texts {
    fn set(&mut self, rows: Range<usize>, text: Option<&str>) {
        let span = text.map_or(Span::NONE, |text| {
            let start = self.bytes.len();
            self.bytes.push_str(text);
            Span(start as u32, self.bytes.len() as u32)
        });
        fill(&mut self.spans, rows, span);
    }

    fn finish(self, rows: usize) -> Result<ArrayRef, String> {
        if i32::try_from(self.bytes.len()).is_err() {
            return Err(TOO_LONG.into());
        }
        let spans = padded(self.spans, rows);
        string_array(spans.iter().map(|span| span.of(&self.bytes)))
    }
}

pub const TOO_LONG: &str = "its texts take more than 2 GiB; ask for them system by system";

fn string_array<'t>(texts: impl Iterator<Item = Option<&'t str>> + Clone) -> Result<ArrayRef, String> {
    let bytes: usize = texts.clone().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        return Err(TOO_LONG.into());
    }
    let mut builder = StringBuilder::with_capacity(texts.size_hint().0, bytes);
    texts.for_each(|text| builder.append_option(text));
    Ok(Arc::new(builder.finish()))
}

/// The narrowest type that takes every value: booleans, integers, numbers, else text.
pub fn infer(values: Vec<Option<Box<str>>>) -> Result<ArrayRef, String> {
    fn all<'v, T>(values: &'v [Option<Box<str>>], read: impl Fn(&'v str) -> Option<T>) -> Option<Vec<Option<T>>> {
        let read = |value: &'v Option<Box<str>>| match value {
            Some(value) => read(value).map(Some),
            None => Some(None),
        };
        values.iter().any(Option::is_some).then(|| values.iter().map(read).collect()).flatten()
    }
    let whole_number = |json: &str| json.parse::<i64>().ok();
    let any_number =
        |json: &str| json.parse::<f64>().ok().filter(|_| json.contains(['.', 'e', 'E']) || json.len() < 16);
    if let Some(booleans) = all(&values, |json| json.parse::<bool>().ok()) {
        return Ok(Arc::new(BooleanArray::from(booleans)));
    }
    if let Some(integers) = all(&values, whole_number) {
        return Ok(Arc::new(Int64Array::from(integers)));
    }
    if let Some(numbers) = all(&values, any_number) {
        return Ok(Arc::new(Float64Array::from(numbers)));
    }
    let texts: Vec<_> = values.iter().map(|json| json.as_deref().map_or(Ok(None), text)).collect::<Result<_, _>>()?;
    string_array(texts.iter().map(Option::as_deref))
}

/// The integer that a JSON value stands for, also as text.
pub fn integer(json: &str) -> Result<Option<i64>, &'static str> {
    const EXPECTED: &str = "an integer";
    let Some(text) = text(json)? else { return Ok(None) };
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<i64>() {
            Ok(integer) => Ok(Some(integer)),
            Err(_) => {
                let number: f64 = text.parse().map_err(|_| EXPECTED)?;
                let whole = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
                whole.then_some(Some(number as i64)).ok_or(EXPECTED)
            }
        },
    }
}

/// The number that a JSON value stands for, also as text.
pub fn number(json: &str) -> Result<Option<f64>, &'static str> {
    const EXPECTED: &str = "a number";
    let Some(text) = text(json)? else { return Ok(None) };
    match text.trim() {
        "" => Ok(None),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Some).ok_or(EXPECTED),
    }
}

fn timestamp(json: &str) -> Result<Option<i64>, &'static str> {
    const EXPECTED: &str = "a date or date-time such as 2026-03-02 or 2026-03-02T09:30:00";
    let Some(text) = text(json)? else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    let midnight = || text.parse().ok().map(|date: jiff::civil::Date| date.at(0, 0, 0, 0));
    let at = if text.len() == 10 { midnight() } else { text.parse::<DateTime>().ok().map(|at| *at) };
    let since_epoch = at.ok_or(EXPECTED)?.duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
    i64::try_from(since_epoch.as_micros()).map(Some).map_err(|_| EXPECTED)
}

/// The text of a JSON value: a string's content, anything else as it is written; `None` for null.
fn text(json: &str) -> Result<Option<std::borrow::Cow<'_, str>>, &'static str> {
    match json.as_bytes() {
        b"null" => Ok(None),
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => Ok(Some(json[1..json.len() - 1].into())),
        [b'"', ..] => match serde_json::from_str::<String>(json) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) => Err("text: an escape in it stands for no character"),
        },
        _ => Ok(Some(json.into())),
    }
}

fn shortened(json: &str) -> String {
    match json.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json.to_owned(),
    }
}
