//! Answers for asyncio.

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::answer_queue::{Answer, AnswerQueue};
use super::panics::panicked;

const NO_EVENT_LOOP: &str = "AsyncClient and AsyncProject need asyncio, and no event loop of asyncio runs in this thread: await them \
    within asyncio.run(…). With trio, call the blocking Client in a thread: await trio.to_thread.run_sync(…)";

/// The future that an event loop waits for, completed from a thread of the runtime.
pub struct LoopFuture {
    answers: AnswerQueue,
    /// `None` once it is completed.
    future: Option<Py<PyAny>>,
}

impl LoopFuture {
    /// A future of the event loop that runs in this thread; the second is the same future for Python to await. An error where
    /// another library awaits, such as trio, which cannot wait for a future of asyncio.
    pub fn new(py: Python<'_>) -> PyResult<(Self, Py<PyAny>)> {
        static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let event_loop = RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0();
        let event_loop = event_loop.map_err(|error| {
            let needed = PyRuntimeError::new_err(NO_EVENT_LOOP);
            needed.set_cause(py, Some(error));
            needed
        })?;
        let future = event_loop.call_method0(intern!(py, "create_future"))?.unbind();
        Ok((LoopFuture { answers: AnswerQueue::of(&event_loop)?, future: Some(future.clone_ref(py)) }, future))
    }

    pub fn complete(mut self, answer: PyResult<Answer>) {
        self.put(answer.unwrap_or_else(|error| Box::new(|_| Err(error))));
    }

    fn put(&mut self, answer: Answer) {
        if let Some(future) = self.future.take() {
            self.answers.put(future, answer);
        }
    }
}

impl Drop for LoopFuture {
    /// A task that panics must not leave its future waiting.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.put(Box::new(|_| Err(panicked())));
        }
    }
}
