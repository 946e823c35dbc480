//! Waking an event loop of asyncio from another thread.

#[cfg(unix)]
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsRawFd, RawFd};
#[cfg(unix)]
use std::os::unix::net::UnixStream;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;

/// How an event loop is told to call a callback.
pub enum LoopWaker {
    /// The loop calls it when there is something to read, so that nobody else needs the GIL to wake it.
    #[cfg(unix)]
    Socket { read: UnixStream, write: UnixStream },
    /// `call_soon_threadsafe`, for event loops that do not wait for sockets. The reference is weak, because the loop owns what owns
    /// this.
    Calls(Py<PyWeakrefReference>),
}

impl LoopWaker {
    #[cfg(unix)]
    pub fn socket() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        write.set_nonblocking(true)?;
        Ok(LoopWaker::Socket { read, write })
    }

    pub fn calls(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(LoopWaker::Calls(PyWeakrefReference::new(event_loop)?.unbind()))
    }

    /// What the loop is to wait for.
    #[cfg(unix)]
    pub fn socket_to_read(&self) -> Option<RawFd> {
        match self {
            LoopWaker::Socket { read, .. } => Some(read.as_raw_fd()),
            LoopWaker::Calls(_) => None,
        }
    }

    /// Wakes the loop. An error is ignored: it means that the loop is closed, so that nothing waits; or that the socket is full of
    /// earlier calls.
    pub fn wake(&self, callback: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        match self {
            #[cfg(unix)]
            LoopWaker::Socket { write, .. } => {
                let mut write = write;
                let _ = write.write(&[0]);
            }
            LoopWaker::Calls(event_loop) => {
                let _ = Python::try_attach(|py| -> PyResult<()> {
                    let Some(event_loop) = event_loop.bind(py).upgrade() else { return Ok(()) };
                    event_loop.call_method1(intern!(py, "call_soon_threadsafe"), (callback(py)?,)).map(drop)
                });
            }
        }
    }

    /// Calls until now have been heard.
    pub fn forget_calls(&self) {
        match self {
            #[cfg(unix)]
            LoopWaker::Socket { read, .. } => {
                let mut read = read;
                while read.read(&mut [0; 64]).is_ok_and(|count| count == 64) {}
            }
            LoopWaker::Calls(_) => {}
        }
    }
}
