//! Bold and coloured text, on terminals only.

use std::io::{self, IsTerminal};

/// A text in bold, for the standard output.
pub fn bold(text: &str) -> String {
    styled(text, "1", io::stdout().is_terminal())
}

/// A text in bold red, for the standard error.
pub fn red(text: &str) -> String {
    styled(text, "1;31", io::stderr().is_terminal())
}

fn styled(text: &str, style: &str, is_terminal: bool) -> String {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Older consoles of Windows show the escapes.
    let plain =
        cfg!(windows) || is_set("NO_COLOR") || std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    if is_terminal && !plain { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}
