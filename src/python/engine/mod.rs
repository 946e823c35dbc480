//! How a call from Python runs: on which runtime, on which thread, and what Python sees of it meanwhile.

pub mod caller_runtime;
pub mod coroutine;
pub mod logging;
pub mod operations;
pub mod progress;
pub mod runtime;
