//! How a call from Python runs: on which runtime and thread, how it reports progress and logs, and how it ends.

pub mod answer_queue;
pub mod caller_runtime;
pub mod coroutine;
pub mod interrupts;
pub mod logging;
pub mod loop_future;
pub mod loop_waker;
pub mod method;
pub mod operations;
pub mod panics;
pub mod progress;
pub mod python_thread;
pub mod runtime;
