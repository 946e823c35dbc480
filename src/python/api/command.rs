//! The command line from Python.

use std::io::Write;
use std::time::Duration;

use pyo3::prelude::*;

use crate::cli;

/// How often the process looks for Ctrl-C while it serves.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Runs the command line and returns its exit code.
#[pyfunction]
pub fn _run(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    let print = |text: &str| {
        let mut out = std::io::stdout();
        out.write_all(text.as_bytes())?;
        out.flush()
    };
    let until_interrupted = || {
        while Python::attach(|py| py.check_signals()).is_ok() {
            std::thread::sleep(SIGNAL_CHECK_INTERVAL);
        }
    };
    py.detach(|| cli::run(arguments, print, until_interrupted))
}
