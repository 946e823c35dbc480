//! The execution of a call from Python: its runtime and thread, its progress and logs, and its end.

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
