//! HTML: escaped text, complete pages, and cards for notebooks. Pages made in Python have the same style sheet.

use std::fmt::{self, Display, Write};

/// Style sheet of every page.
pub const STYLE: &str = include_str!("../../../web/page.css");
/// Style of text in a notebook, set on the elements: some notebooks leave out style sheets.
pub const NOTEBOOK_FONT: &str = "font-family:sans-serif;font-size:13px";

/// Languages written from right to left.
const RIGHT_TO_LEFT: [&str; 1] = ["ar"];

/// Displays a complete page. It loads no other resources, whatever a service wrote into a name.
pub struct Page<'p, B> {
    /// The BCP 47 tag of its language.
    pub language: &'p str,
    pub title: &'p str,
    /// Style rules of this page, in addition to [`STYLE`].
    pub style: &'p str,
    pub body: B,
}

impl<B: Display> Display for Page<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"{}\"{}><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{}</title><style>{STYLE}{}</style></head><body>{}</body></html>\n",
            Escaped(self.language),
            if RIGHT_TO_LEFT.contains(&self.language) { " dir=\"rtl\"" } else { "" },
            Escaped(self.title),
            self.style,
            self.body
        )
    }
}

/// Returns the card that a notebook shows for clients, projects and sandboxes: a small table of names and values below a heading. Values
/// may be any text.
pub fn card(heading: &str, rows: &[(&str, String)]) -> String {
    let heading = Escaped(heading);
    let mut html = format!(r#"<div style="{NOTEBOOK_FONT}"><b>{heading}</b><table style="margin-top:4px">"#);
    for (name, value) in rows {
        let (name, value) = (Escaped(name), Escaped(value));
        // Writing to a string cannot fail.
        let _ = write!(html, r#"<tr><td style="text-align:left;opacity:0.7">{name}</td>"#);
        let _ = write!(html, r#"<td style="text-align:left">{value}</td></tr>"#);
    }
    html + "</table></div>"
}

/// Displays text with HTML's special characters escaped, for use in quoted attributes too.
pub struct Escaped<'t>(pub &'t str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '&' => f.write_str("&amp;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            _ => f.write_char(char),
        })
    }
}
