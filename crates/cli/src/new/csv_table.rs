//! Reads a table from a CSV file, as spreadsheet programs write it: the first line has the names of the columns. Errors give line and
//! column.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::error::{CommandError, Result};
use geodesign_common::regular_file::read_text;

/// Size limit for a table.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Maximum columns of a table: each is compared with the others.
const MAX_COLUMNS: usize = 100;

pub struct CsvTable {
    path: PathBuf,
    /// Names of the columns, trimmed and in lower case.
    columns: Vec<String>,
    records: Vec<Record>,
}

/// A record, and the number of its first line, counted from 1.
struct Record {
    line: usize,
    cells: Vec<String>,
}

/// A table's record.
#[derive(Clone, Copy)]
pub struct Row<'t> {
    table: &'t CsvTable,
    record: &'t Record,
}

impl CsvTable {
    /// Reads a UTF-8 file, with cells separated by commas, semicolons or tabs. It must have the `required` columns.
    pub fn read(path: &Path, required: &[&str]) -> Result<Self> {
        let text = read_text(path, MAX_BYTES).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => {
                CommandError::Input(format!("{} is not in UTF-8; save it as \"CSV UTF-8\"", path.display()))
            }
            _ => CommandError::File(format!("{} cannot be read", path.display()), error),
        })?;
        let table = CsvTable::parse(path, text.trim_start_matches('\u{feff}'))?;
        if let Some(missing) = required.iter().find(|required| !table.has(required)) {
            let columns = table.columns.join(", ");
            return Err(table.wrong_line(1, format_args!("there is no column {missing:?}; the columns are {columns}")));
        }
        Ok(table)
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        let header = text.lines().next().unwrap_or_default();
        let count = |separator: &char| header.matches(*separator).count();
        // If several are equally frequent, the comma.
        let separator = ['\t', ';', ','].into_iter().max_by_key(count).unwrap_or(',');
        let mut table = CsvTable { path: path.to_owned(), columns: Vec::new(), records: Vec::new() };
        let mut records = records(text, separator)
            .map_err(|line| table.wrong_line(line, "a quotation mark is not closed"))?
            .into_iter()
            .filter(|record| record.cells.iter().any(|cell| !cell.trim().is_empty()));
        let header = records.next().ok_or_else(|| table.wrong_line(1, "the first line has no column names"))?;
        if header.cells.len() > MAX_COLUMNS {
            let problem = format_args!("it has {} columns, more than the {MAX_COLUMNS} allowed", header.cells.len());
            return Err(table.wrong_line(header.line, problem));
        }
        table.columns = header.cells.iter().map(|name| name.trim().to_lowercase()).collect();
        for (index, column) in table.columns.iter().enumerate() {
            if !column.is_empty() && table.columns[..index].contains(column) {
                return Err(
                    table.wrong_line(header.line, format_args!("two columns have the name {column:?}; rename one"))
                );
            }
        }
        for record in records {
            if let Some(extra) = record.cells.get(table.columns.len()..).and_then(|extra| extra.first()) {
                let problem = format_args!("the cell {extra:?} is after the last column");
                return Err(table.wrong_line(record.line, problem));
            }
            table.records.push(record);
        }
        Ok(table)
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.records.iter().map(|record| Row { table: self, record })
    }

    fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|other| other == column)
    }

    /// Returns the columns whose names are not in `known`.
    pub fn columns_beside(&self, known: &[&str]) -> Vec<&str> {
        let named = self.columns.iter().map(String::as_str).filter(|column| !column.is_empty());
        named.filter(|column| !known.contains(column)).collect()
    }

    pub fn wrong_line(&self, line: usize, problem: impl Display) -> CommandError {
        CommandError::Input(format!("{}, line {line}: {problem}", self.path.display()))
    }
}

impl<'t> Row<'t> {
    pub fn line(self) -> usize {
        self.record.line
    }

    /// Returns the text of a cell; `None` if it is empty, or if the table has no such column.
    pub fn text(self, column: &str) -> Option<&'t str> {
        let index = self.table.columns.iter().position(|other| other == column)?;
        let cell = self.record.cells.get(index)?.trim();
        Some(cell).filter(|cell| !cell.is_empty())
    }

    /// Returns a number that is not negative.
    pub fn number(self, column: &str) -> Result<Option<f64>> {
        let Some(cell) = self.text(column) else { return Ok(None) };
        match cell.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
            _ => Err(self.wrong(column, format_args!("{cell:?} is not a number of at least 0, such as 12500.5"))),
        }
    }

    pub fn wrong(self, column: &str, problem: impl Display) -> CommandError {
        self.table.wrong_line(self.record.line, format_args!("column {column:?}: {problem}"))
    }
}

/// Splits a text into records, by RFC 4180. The error is the line of an unclosed quotation mark.
fn records(text: &str, separator: char) -> Result<Vec<Record>, usize> {
    let mut records = Vec::new();
    let mut line = 1;
    let mut record = Record { line, cells: vec![String::new()] };
    let mut characters = text.chars().peekable();
    // The line of the opening quotation mark of the current cell.
    let mut opened = None;
    while let Some(character) = characters.next() {
        let cell = record.cells.last_mut().expect("a record has a cell");
        match character {
            '"' if opened.is_some() => {
                if characters.next_if_eq(&'"').is_some() {
                    cell.push('"');
                } else {
                    opened = None;
                }
            }
            '"' if cell.trim().is_empty() => {
                cell.clear();
                opened = Some(line);
            }
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\r' => {
                line += 1;
                if opened.is_some() {
                    cell.push('\n');
                } else {
                    records.push(std::mem::replace(&mut record, Record { line, cells: vec![String::new()] }));
                }
            }
            _ if character == separator && opened.is_none() => record.cells.push(String::new()),
            _ => cell.push(character),
        }
    }
    records.push(record);
    opened.map_or(Ok(records), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<CsvTable> {
        CsvTable::parse(Path::new("members.csv"), text)
    }

    #[test]
    fn cells_are_separated_as_programs_for_tables_do_it() {
        for text in ["Name,team\n\"Sousa, \"\"Ana\"\"\",Water\n", "name;Team\r\n\"Sousa, \"\"Ana\"\"\";Water\r\n\r\n"] {
            let table = table(text).unwrap();
            let rows: Vec<_> = table.rows().map(|row| (row.line(), row.text("name"), row.text("team"))).collect();
            assert_eq!(rows, [(2, Some("Sousa, \"Ana\""), Some("Water"))]);
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        for (text, told) in [
            ("name\n\"a\nb\"\nana,ben\n", "line 4: the cell \"ben\" is after the last column"),
            ("name\nana\n\"ben\n", "line 3: a quotation mark is not closed"),
            ("name,Name\n", "line 1: two columns have the name \"name\"; rename one"),
            ("", "line 1: the first line has no column names"),
            (&"a,".repeat(100), "line 1: it has 101 columns, more than the 100 allowed"),
        ] {
            let error = table(text).map(|_| ()).unwrap_err().to_string();
            assert_eq!(error, format!("members.csv, {told}"), "{text:?}");
        }
    }

    #[test]
    fn a_number_that_is_none_is_named_by_line_and_column() {
        let table = table("name;cost\nWater;12,5\n").unwrap();
        let row = table.rows().next().unwrap();
        let error = row.number("cost").unwrap_err().to_string();
        assert_eq!(
            error,
            "members.csv, line 2: column \"cost\": \"12,5\" is not a number of at least 0, such as 12500.5"
        );
    }
}
