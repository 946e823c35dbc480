//! Messages, on the standard error. Nobody has to read them, so that they cannot be written is no error.

use std::io::{self, Write};

use super::style::red;

/// What happened, in a line.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Why the command failed, in a line.
pub fn error(text: &str) {
    let _ = writeln!(io::stderr(), "{} {text}", red("error:"));
}
