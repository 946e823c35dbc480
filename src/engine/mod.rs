//! How a call from Python runs: on which runtime and thread, how it reports progress and logs, and how it ends.

mod callback;
pub mod coroutine;
pub mod interpreter;
pub mod interrupts;
pub mod logging;
pub mod method;
pub mod operations;
pub mod package;
pub mod progress;
pub mod runtime;
