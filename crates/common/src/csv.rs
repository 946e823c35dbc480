//! Text in CSV cells. Spreadsheets run a cell that begins with certain characters as a formula, no matter who wrote it. An apostrophe
//! before the text prevents that, as OWASP advises.

use std::borrow::Cow;

/// Prefix of a text that a spreadsheet could take for a formula.
const ESCAPE: char = '\'';

/// Returns the text for a cell. Lists of numbers, such as bounds, stay unchanged.
pub fn escaped(text: &str) -> Cow<'_, str> {
    // A formula that has apostrophes already gets one more, because reading removes one.
    if is_formula(text.trim_start_matches(ESCAPE)) && !is_list_of_numbers(text) {
        Cow::Owned(format!("{ESCAPE}{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the text of a cell that [`escaped`] wrote.
pub fn unescaped(cell: &str) -> &str {
    match cell.strip_prefix(ESCAPE) {
        Some(text) if is_formula(text.trim_start_matches(ESCAPE)) => text,
        _ => cell,
    }
}

/// True if the text begins with one of OWASP's characters, or with a full-width form that some programs treat as the same.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

fn is_list_of_numbers(text: &str) -> bool {
    let is_number = |part: &str| part.trim_matches(' ').parse::<f64>().is_ok_and(f64::is_finite);
    text.contains(',') && text.split(',').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_a_formula_is_escaped_and_read_back() {
        for text in
            ["=1+1", "+351 21", "-", "-5", "@SUM(A1)", "\t=1", "\r\n=1", "＝1", "'=1", "''-5", "-1,=2", "-1,inf"]
        {
            let cell = escaped(text);
            assert_eq!(cell, format!("'{text}"));
            assert_eq!(unescaped(&cell), text);
        }
    }

    #[test]
    fn other_texts_and_lists_of_numbers_stay_as_they_are() {
        for text in
            ["", "Parks = 3", "'", "'quoted'", "2030-05-01", "-74.25,40.5,-74.05,40.65", "-1, 2", "POINT (-1 2)"]
        {
            assert_eq!((escaped(text).as_ref(), unescaped(text)), (text, text));
        }
    }
}
