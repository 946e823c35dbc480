//! What a notebook shows of clients, projects and sandboxes: what is known without a request, and never a token.

use std::fmt::Write;

use crate::html::Escaped;

/// A small table of names and values below a heading. Values may be any text.
pub fn card(heading: &str, rows: &[(&str, String)]) -> String {
    let mut html = format!(
        r#"<div style="font-family:sans-serif;font-size:13px"><b>{}</b><table style="margin-top:4px">"#,
        Escaped(heading)
    );
    for (name, value) in rows {
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            r#"<tr><td style="text-align:left;opacity:0.7">{}</td><td style="text-align:left">{}</td></tr>"#,
            Escaped(name),
            Escaped(value)
        );
    }
    html + "</table></div>"
}
