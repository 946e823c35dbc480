//! Events of the client and the service as records of Python's `logging`, from the loggers `pygeodesign.client` and `pygeodesign.service`.

use std::ffi::CString;
use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyUserWarning;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

use super::callback::in_request;
use super::interrupts::postpone_interrupt;
use geodesign_client::BAD_ROWS;

/// True if the client's logger takes records of the level DEBUG. It is asked once per call, when Python runs anyway: asking for
/// each request would make requests wait for other Python threads.
static TAKES_DEBUG: AtomicBool = AtomicBool::new(false);

/// The crates whose events become records, by the first segment of their modules' paths, and their loggers.
const LOGGERS: [(&str, &str); 2] =
    [("geodesign_client", "pygeodesign.client"), ("geodesign_service", "pygeodesign.service")];

/// A Python warning, issued each time: the user of a notebook has to see it, whatever is logged.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let message = CString::new(message.replace('\0', " "))?;
    PyErr::warn_explicit(py, &py.get_type::<PyUserWarning>(), &message, c"pygeodesign", 1, Some(c"pygeodesign"), None)
}

/// Sends these events to Python from now on.
pub fn start() {
    // An error means that another Rust library of this process has set its own subscriber, which then stays.
    let _ = tracing::subscriber::set_global_default(ToPython);
}

/// The number of Python's level.
const DEBUG: u8 = 10;

/// Asks if the client's logger takes records of the level DEBUG, before a call sends requests.
pub fn ask_level(py: Python<'_>) {
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let asked = || {
        // A program that has not imported `logging` has set no level.
        if LOGGER.get(py).is_none() {
            let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
            if !modules.contains(intern!(py, "logging"))? {
                return Ok(false);
            }
        }
        let logger = LOGGER.get_or_try_init(py, || {
            let logging = py.import(intern!(py, "logging"))?;
            Ok::<_, PyErr>(logging.call_method1(intern!(py, "getLogger"), ("pygeodesign.client",))?.unbind())
        })?;
        logger.bind(py).call_method1(intern!(py, "isEnabledFor"), (DEBUG,))?.extract()
    };
    match asked() {
        Ok(takes_debug) => TAKES_DEBUG.store(takes_debug, Ordering::Relaxed),
        Err(error) => postpone_interrupt(py, &error),
    }
}

struct ToPython;

impl Subscriber for ToPython {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_span() || logger_of(metadata).is_none() {
            return Interest::never();
        }
        match *metadata.level() {
            Level::ERROR | Level::WARN | Level::INFO => Interest::always(),
            Level::DEBUG => Interest::sometimes(),
            Level::TRACE => Interest::never(),
        }
    }

    /// Decides about events whose interest is `sometimes`.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO || TAKES_DEBUG.load(Ordering::Relaxed)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        if event.metadata().target() == BAD_ROWS {
            Python::try_attach(|py| {
                if let Err(error) = warn(py, &message.0) {
                    postpone_interrupt(py, &error);
                    error.write_unraisable(py, None);
                }
            });
            return;
        }
        // The numbers of Python's levels.
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            Level::INFO => 20,
            _ => DEBUG,
        };
        let Some(logger) = logger_of(event.metadata()) else { return };
        // While the interpreter shuts down there is no logger left.
        Python::try_attach(|py| {
            if let Err(error) = in_request(|| log(py, logger, level, &message.0)) {
                postpone_interrupt(py, &error);
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

fn logger_of(metadata: &Metadata<'_>) -> Option<&'static str> {
    let name = metadata.target().split("::").next();
    LOGGERS.iter().find(|(module, _)| name == Some(*module)).map(|(_, logger)| *logger)
}

fn log(py: Python<'_>, logger: &str, level: u8, message: &str) -> PyResult<()> {
    let logger = py.import(intern!(py, "logging"))?.call_method1("getLogger", (logger,))?;
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
