//! What the library reports, as records of Python's `logging`: `pygeodesign.client`, `pygeodesign.service`.

use std::fmt::{Debug, Write};

use pyo3::intern;
use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Rust modules of ours begin so.
const CRATE: &str = env!("CARGO_CRATE_NAME");

/// From here on, events of this crate go to Python. Where another library of this process listens already, it goes on.
pub fn begin() {
    let _ = tracing::subscriber::set_global_default(ToPython);
}

struct ToPython;

impl Subscriber for ToPython {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let room = metadata.target().strip_prefix(CRATE);
        metadata.is_event() && *metadata.level() <= Level::INFO && room.is_some_and(|room| room.starts_with("::"))
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            _ => 20,
        };
        let room = event.metadata().target().split("::").nth(1).unwrap_or_default();
        // Nobody can be told while the interpreter goes down.
        Python::try_attach(|py| {
            if let Err(error) = log(py, room, level, &message.0) {
                error.write_unraisable(py, None);
            }
        });
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

fn log(py: Python<'_>, room: &str, level: u8, message: &str) -> PyResult<()> {
    let logger = py.import(intern!(py, "logging"))?.call_method1("getLogger", (format!("pygeodesign.{room}"),))?;
    logger.call_method1("log", (level, "%s", message)).map(drop)
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}
