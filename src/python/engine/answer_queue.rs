//! Answers on their way to the event loops of asyncio.
//!
//! The threads of the runtime put answers into a queue, for which they do not need the GIL, and wake the event loop if the queue was
//! empty. The loop then takes all that are there. A thread that took the GIL for each answer would wait for Python meanwhile,
//! instead of receiving the next ones.

use std::mem::take;
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{IntoPyObjectExt, intern};

use super::loop_waker::LoopWaker;

/// Makes the Python object of an answer.
pub type Answer = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// The answers for one event loop. Cheap to clone.
#[derive(Clone)]
pub struct AnswerQueue(Arc<Shared>);

struct Shared {
    /// The futures that wait, each with its answer.
    answered: Mutex<Vec<(Py<PyAny>, Answer)>>,
    waker: LoopWaker,
}

impl AnswerQueue {
    /// The queue of an event loop. It lives as long as the loop.
    pub fn of(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        static QUEUES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = event_loop.py();
        let make = || py.import("weakref")?.call_method0("WeakKeyDictionary").map(Bound::unbind);
        let queues = QUEUES.get_or_try_init(py, make)?.bind(py);
        if let Ok(known) = queues.call_method1(intern!(py, "get"), (event_loop,))?.cast::<AnswerTaker>() {
            return Ok(known.get().0.clone());
        }
        let queue = Self::new(event_loop)?;
        queues.set_item(event_loop, AnswerTaker(queue.clone()))?;
        Ok(queue)
    }

    fn new(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        let with = |waker| AnswerQueue(Arc::new(Shared { answered: Mutex::default(), waker }));
        #[cfg(unix)]
        {
            let queue = with(LoopWaker::socket()?);
            let arguments = (queue.0.waker.socket_to_read(), AnswerTaker(queue.clone()));
            match event_loop.call_method1(intern!(event_loop.py(), "add_reader"), arguments) {
                Ok(_) => return Ok(queue),
                Err(error) if error.is_instance_of::<PyNotImplementedError>(event_loop.py()) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(with(LoopWaker::calls(event_loop)?))
    }

    /// Has the event loop set the answer of a future. From any thread.
    pub fn put(&self, future: Py<PyAny>, answer: Answer) {
        let was_empty = {
            let mut answered = self.0.answered.lock();
            answered.push((future, answer));
            answered.len() == 1
        };
        if was_empty {
            self.0.waker.wake(|py| AnswerTaker(self.clone()).into_py_any(py));
        }
    }
}

/// The callback with which an event loop takes its answers.
#[pyclass(frozen)]
struct AnswerTaker(AnswerQueue);

#[pymethods]
impl AnswerTaker {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let Shared { answered, waker } = &*self.0.0;
        // Before the answers are taken, so that the next one wakes the loop again.
        waker.forget_calls();
        let answered = take(&mut *answered.lock());
        let mut outcome = Ok(());
        for (future, answer) in answered {
            outcome = outcome.and(set_answer(future.bind(py), answer));
        }
        outcome
    }
}

/// The future may have been cancelled in the meantime.
fn set_answer(future: &Bound<'_, PyAny>, answer: Answer) -> PyResult<()> {
    let py = future.py();
    if future.call_method0(intern!(py, "done"))?.is_truthy()? {
        return Ok(());
    }
    let set = match answer(py) {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,)),
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error.into_value(py),)),
    };
    set.map(drop)
}
