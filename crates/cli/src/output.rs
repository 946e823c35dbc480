//! The output of commands: tables, JSON and CSV on the standard output, messages on the standard error.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{CommandError, Result};
use geodesign_client::{Progress, harmless, is_unseen, shown};
use geodesign_common::csv::escaped;

/// Separates the columns of a table.
const GAP: &str = "  ";

/// The form of rows: a table, unless an option names another.
#[derive(Args, Clone, Copy)]
pub struct ListingFormat {
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV, with all fields. Texts that a spreadsheet would run as formulas start with an apostrophe.
    #[arg(long)]
    pub csv: bool,
    /// Write CSV texts unchanged, without the apostrophe.
    #[arg(long)]
    pub unescaped: bool,
}

/// A column of a table.
#[derive(Clone)]
pub struct Column {
    /// The field of the JSON row.
    field: Cow<'static, str>,
    heading: Cow<'static, str>,
    /// The digits after the point; `None` for a text column.
    decimals: Option<usize>,
}

pub const fn text(field: &'static str, heading: &'static str) -> Column {
    Column { field: Cow::Borrowed(field), heading: Cow::Borrowed(heading), decimals: None }
}

pub const fn number(field: &'static str, heading: &'static str, decimals: usize) -> Column {
    Column { field: Cow::Borrowed(field), heading: Cow::Borrowed(heading), decimals: Some(decimals) }
}

/// Makes a column whose name is known only at run time, and is also its heading.
pub fn named(name: &str, decimals: Option<usize>) -> Column {
    Column { field: name.to_owned().into(), heading: name.to_owned().into(), decimals }
}

type Row = Map<String, Value>;

impl ListingFormat {
    /// Lists rows. A table has the `columns`; JSON and CSV have all fields.
    pub fn listing(self, rows: &[impl Serialize], columns: &[Column]) -> Result<String> {
        match self {
            ListingFormat { json: true, .. } => json(&rows),
            ListingFormat { csv: true, .. } => Ok(csv(&rows_of(rows)?, self.texts(io::stdout().is_terminal()))),
            _ => Ok(table(&rows_of(rows)?, columns, None)),
        }
    }

    /// Lists rows like `listing`. The long texts of a table are cut so that it has at most this width.
    pub fn listing_within(self, width: usize, rows: &[impl Serialize], columns: &[Column]) -> Result<String> {
        match self {
            ListingFormat { json: false, csv: false, .. } => Ok(table(&rows_of(rows)?, columns, Some(width))),
            _ => self.listing(rows, columns),
        }
    }

    fn texts(self, at_terminal: bool) -> Texts {
        Texts { unescaped: self.unescaped, at_terminal }
    }
}

/// Form of texts in CSV cells.
#[derive(Clone, Copy)]
struct Texts {
    unescaped: bool,
    /// True if the output is a terminal, which obeys control characters that files and programs take for text.
    at_terminal: bool,
}

/// Writes a value as indented JSON.
pub fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| CommandError::Print(error.into()))?;
    Ok(without_unseen(&text) + "\n")
}

/// Writes a value as JSON in one line.
pub fn json_line(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(|error| CommandError::Print(error.into()))?;
    Ok(without_unseen(&text) + "\n")
}

/// Escapes the characters of JSON that a terminal would obey. Outside its strings, JSON has only ASCII.
fn without_unseen(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        if character == '\n' || !is_unseen(character) {
            text.push(character);
        } else {
            character.encode_utf16(&mut units).iter().for_each(|unit| text += &format!("\\u{unit:04x}"));
        }
    }
    text
}

fn rows_of(rows: &[impl Serialize]) -> Result<Vec<Row>> {
    let row = |row| match serde_json::to_value(row) {
        Ok(Value::Object(row)) => Ok(row),
        Ok(other) => Ok(Row::from_iter([("value".to_owned(), other)])),
        Err(error) => Err(CommandError::Print(error.into())),
    };
    rows.iter().map(row).collect()
}

fn csv(rows: &[Row], texts: Texts) -> String {
    let mut fields: Vec<&str> = Vec::new();
    for field in rows.iter().flat_map(Row::keys) {
        if !fields.contains(&field.as_str()) {
            fields.push(field);
        }
    }
    let header = csv_line(fields.iter().map(|field| texts.cell((*field).to_owned())));
    let lines = rows.iter().map(|row| csv_line(fields.iter().map(|field| csv_cell(row.get(*field), texts))));
    std::iter::once(header).chain(lines).collect()
}

/// Writes a record by RFC 4180: cells that would otherwise end early are quoted.
fn csv_line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| {
        if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
    };
    let line = cells.map(quoted).collect::<Vec<_>>().join(",");
    // A single empty cell would be an empty line, which readers skip.
    if line.is_empty() { "\"\"\n".to_owned() } else { line + "\n" }
}

fn csv_cell(value: Option<&Value>, texts: Texts) -> String {
    let plain = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        None => String::new(),
        Some(Value::Number(number)) => number.to_string(),
        // A list of numbers begins with a number.
        Some(Value::Array(items)) if items.first().is_some_and(Value::is_number) => {
            items.iter().map(plain).collect::<Vec<_>>().join("; ")
        }
        Some(Value::Array(items)) => texts.cell(items.iter().map(plain).collect::<Vec<_>>().join("; ")),
        Some(other) => texts.cell(plain(other)),
    }
}

impl Texts {
    fn cell(self, text: String) -> String {
        let text = if self.unescaped { text } else { escaped(&text).into_owned() };
        if self.at_terminal { harmless(&text) } else { text }
    }
}

fn table(rows: &[Row], columns: &[Column], most: Option<usize>) -> String {
    let mut cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|column| column.cell(row.get(&*column.field))).collect()).collect();
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            cells.iter().map(|row| row[index].chars().count()).max().unwrap_or(0).max(column.heading.len())
        })
        .collect();
    if let Some(most) = most {
        narrow(&mut widths, columns, most);
        for row in &mut cells {
            row.iter_mut().zip(&widths).for_each(|(cell, width)| cut(cell, *width));
        }
    }
    let line = |cells: Vec<&str>| {
        let cells = cells.iter().zip(columns).zip(&widths);
        let padded = cells.map(|((cell, column), &width)| match column.decimals {
            Some(_) => format!("{cell:>width$}"),
            None => format!("{cell:width$}"),
        });
        padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    let headings = bold(&line(columns.iter().map(|column| &*column.heading).collect()));
    let rows = cells.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    std::iter::once(headings).chain(rows).map(|line| line + "\n").collect()
}

/// Narrows the widest columns of text until a table has at most this width, or only its headings are left.
fn narrow(widths: &mut [usize], columns: &[Column], most: usize) {
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > most {
        let texts = widths
            .iter_mut()
            .zip(columns)
            .filter(|(width, column)| column.decimals.is_none() && **width > column.heading.chars().count());
        let Some((widest, _)) = texts.max_by_key(|(width, _)| **width) else { return };
        *widest -= 1;
    }
}

/// Cuts a text to this width.
fn cut(text: &mut String, width: usize) {
    if text.chars().count() > width {
        *text = text.chars().take(width.saturating_sub(1)).chain(['…']).collect();
    }
}

impl Column {
    fn cell(&self, value: Option<&Value>) -> String {
        match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::Number(number)) => match (self.decimals, number.as_f64()) {
                (Some(decimals), Some(number)) => with_thousands(number, decimals),
                _ => number.to_string(),
            },
            Some(Value::Bool(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
            // A title's author may have wanted to move the readers' cursor.
            Some(Value::String(text)) => shown(text),
            Some(Value::Array(items)) => items.iter().map(|item| self.cell(Some(item))).collect::<Vec<_>>().join(", "),
            Some(other) => shown(&other.to_string()),
        }
    }
}

/// Writes a number with commas between thousands.
fn with_thousands(number: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", number.abs());
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let is_zero = digits.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = if number < 0.0 && !is_zero { "-" } else { "" };
    format!("{sign}{grouped}{fraction}")
}

/// Writes a number of things, such as `1 project` or `3 projects`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Prints a line about what happened.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(text));
}

/// Prints a line with the reason why the command failed.
pub fn error(text: &str) {
    let _ = writeln!(io::stderr(), "{} {}", red("error:"), harmless(text));
}

/// Interval between updates of the line.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Shows how many of all requests are finished, if the standard error is a terminal.
pub struct ProgressLine {
    what: &'static str,
    is_shown: bool,
    total: Cell<usize>,
    done: Cell<usize>,
    last_update: Cell<Option<Instant>>,
}

impl ProgressLine {
    /// `what` names the counted things, in the plural.
    pub fn new(what: &'static str) -> Self {
        let is_shown = io::stderr().is_terminal();
        ProgressLine { what, is_shown, total: Cell::new(0), done: Cell::new(0), last_update: Cell::new(None) }
    }
}

impl Progress for ProgressLine {
    fn expect(&self, total: usize) {
        self.total.set(total);
        self.done.set(0);
    }

    fn advance(&self) {
        self.done.set(self.done.get() + 1);
        if self.is_shown && self.last_update.get().is_none_or(|update| update.elapsed() >= UPDATE_INTERVAL) {
            self.last_update.set(Some(Instant::now()));
            let _ = write!(io::stderr(), "\r{} of {} {}", self.done.get(), self.total.get(), self.what);
        }
    }
}

impl Drop for ProgressLine {
    /// Clears the line, so that the next message starts at its beginning.
    fn drop(&mut self) {
        if self.last_update.get().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Makes text bold, for the standard output.
pub fn bold(text: &str) -> String {
    styled(text, "1", io::stdout().is_terminal())
}

/// Makes text bold red, for the standard error.
pub fn red(text: &str) -> String {
    styled(text, "1;31", io::stderr().is_terminal())
}

fn styled(text: &str, style: &str, is_terminal: bool) -> String {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Older Windows consoles show the escapes.
    let plain =
        cfg!(windows) || is_set("NO_COLOR") || std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    if is_terminal && !plain { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_have_commas_and_no_negative_zero() {
        for (number, decimals, text) in [
            (0.0, 1, "0.0"),
            (-0.04, 1, "0.0"),
            (999.95, 0, "1,000"),
            (-1_234_567.89, 1, "-1,234,567.9"),
            (12.0, 0, "12"),
        ] {
            assert_eq!(with_thousands(number, decimals), text);
        }
    }

    #[test]
    fn cells_of_csv_are_quoted_and_missing_values_are_empty() {
        let rows = rows_of(&[json!({"a": "one, \"two\""}), json!({"a": null, "b": [1, "x"]})]).unwrap();
        let texts = Texts { unescaped: false, at_terminal: false };
        assert_eq!(csv(&rows, texts), "a,b\n\"one, \"\"two\"\"\",\n,1; x\n");
    }

    #[test]
    fn texts_of_csv_are_no_formulas_and_do_nothing_at_a_terminal() {
        let row = json!({"=f": "=1+1", "n": -5, "list": [-9.2, 38.7], "names": ["+a", "b"], "bounds": "-9.2,38.7", "t": "\u{1b}[2J\u{202e}"});
        let rows = rows_of(&[row]).unwrap();
        let csv = |unescaped, at_terminal| csv(&rows, Texts { unescaped, at_terminal });
        let others = "-9.2; 38.7,";
        assert_eq!(
            csv(false, false),
            format!("'=f,n,list,names,bounds,t\n'=1+1,-5,{others}'+a; b,\"-9.2,38.7\",\u{1b}[2J\u{202e}\n")
        );
        assert_eq!(
            csv(true, true),
            format!("=f,n,list,names,bounds,t\n=1+1,-5,{others}+a; b,\"-9.2,38.7\",\\x1b[2J\\u202e\n")
        );
    }

    #[test]
    fn json_has_escapes_of_what_a_terminal_would_obey() {
        let value = json!({"title": "é\u{9b}2J\u{202e}\u{e0041}\u{1b}"});
        let text = super::json(&value).unwrap();
        assert!(text.chars().all(|character| character == '\n' || !is_unseen(character)), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_narrow_table_cuts_its_longest_texts() {
        let rows =
            rows_of(&[json!({"who": "ana", "what": "Ferry to Manhattan", "after": "Ferry to Brooklyn", "n": 1500})])
                .unwrap();
        let columns = [text("who", "Who"), text("what", "What"), text("after", "After"), number("n", "N", 0)];
        assert_eq!(
            table(&rows, &columns, Some(30)),
            "Who  What      After         N\nana  Ferry t…  Ferry t…  1,500\n"
        );
    }

    #[test]
    fn a_title_cannot_move_the_cursor() {
        let rows = rows_of(&[json!({"title": "\u{1b}[2Jgone", "cost": 1500})]).unwrap();
        assert_eq!(
            table(&rows, &[text("title", "Title"), number("cost", "Cost", 0)], None),
            "Title         Cost\n\\x1b[2Jgone  1,500\n"
        );
    }
}
