//! How far a long command is, in a line of the terminal that is written over again and again.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::client::Progress;

/// The time between two updates of the line.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Shows how many of many requests are answered, if the standard error is a terminal.
pub struct ProgressLine {
    what: &'static str,
    is_shown: bool,
    total: Cell<usize>,
    done: Cell<usize>,
    last_update: Cell<Option<Instant>>,
}

impl ProgressLine {
    /// `what` is what is counted, in the plural.
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
    /// Clears the line, so that the next message does not begin in its middle.
    fn drop(&mut self) {
        if self.last_update.get().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
