//! The values of a property that is not documented, until all values of all chunks are known.

use std::ops::Range;

/// The JSON texts of one property. They take memory for the values that there are, and none for rows without a value.
#[derive(Default)]
pub struct JsonCells {
    texts: String,
    runs: Vec<Run>,
}

/// Rows that have the same text.
struct Run {
    rows: Range<usize>,
    /// Where the text ends in [`JsonCells::texts`]. It starts where that of the run before ends.
    end: usize,
}

impl JsonCells {
    /// Sets the cells of some rows to the same JSON value; replaces earlier values.
    #[inline]
    pub fn set(&mut self, rows: Range<usize>, json: &str) {
        self.texts.push_str(json);
        self.runs.push(Run { rows, end: self.texts.len() });
    }

    /// How many values have been set, however many rows each of them is for.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The values with their rows, in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (Range<usize>, &str)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|run| run.end));
        self.runs.iter().zip(starts).map(|(run, start)| (run.rows.clone(), &self.texts[start..run.end]))
    }
}
