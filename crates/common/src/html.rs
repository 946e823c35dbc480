//! HTML: escaped text, whole pages, and cards for notebooks. Pages made in Python have the same style sheet.

use std::fmt::{self, Display, Write};

/// How every page looks.
pub const STYLE: &str = include_str!("../../../web/page.css");
/// How texts look in a notebook, where styles are in the elements: some notebooks leave out style sheets.
pub const NOTEBOOK_FONT: &str = "font-family:sans-serif;font-size:13px";

/// Displays a whole page. It loads nothing, whatever a service has written into a name.
pub struct Page<'p, B> {
    pub title: &'p str,
    /// What the page has beyond the style of all pages.
    pub style: &'p str,
    pub body: B,
}

impl<B: Display> Display for Page<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{}</title><style>{STYLE}{}</style></head><body>{}</body></html>\n",
            Escaped(self.title),
            self.style,
            self.body
        )
    }
}

/// What a notebook shows of clients, projects and sandboxes: a small table of names and values below a heading. Values may
/// be any text.
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

/// Text that is displayed with the characters escaped that have a meaning in HTML, also inside quoted attributes.
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
