//! Python code that runs in the middle of a request, such as handlers of `logging` and of signals. It cannot wait for another request:
//! the thread that it runs on has to go on with the first.

use std::cell::Cell;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::Handle;

thread_local! {
    static IS_IN_REQUEST: Cell<bool> = const { Cell::new(false) };
}

/// Does work that may run Python code in the middle of a request.
pub fn in_request<T>(work: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_IN_REQUEST.set(self.0);
        }
    }
    let _before = Before(IS_IN_REQUEST.replace(true));
    work()
}

/// Fails if this thread must not wait for a request.
pub fn check_may_wait() -> PyResult<()> {
    if IS_IN_REQUEST.get() && Handle::try_current().is_ok() {
        return Err(PyRuntimeError::new_err(
            "a blocking method of pygeodesign is called in the middle of a request, by a handler of logging or of a signal, \
             or by a progress bar; hand the work to another thread, for example through queue.Queue",
        ));
    }
    Ok(())
}
