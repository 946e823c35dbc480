//! Escaping of text in HTML.

use std::fmt::{self, Write};

/// Text that is displayed with the characters escaped that have a meaning in HTML, also inside quoted attributes.
pub struct Escaped<'t>(pub &'t str);

impl fmt::Display for Escaped<'_> {
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
