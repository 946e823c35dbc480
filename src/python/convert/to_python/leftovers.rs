//! What an interrupted conversion has made so far.

use std::thread::{Builder, sleep};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::python::convert::garbage_collection::GarbageCollectionPaused;

/// Objects that are dropped in portions, so that nobody waits for it: dropping millions of objects takes a third of the time of
/// making them.
#[derive(Default)]
pub struct Leftovers(Vec<Vec<Py<PyAny>>>);

impl Leftovers {
    /// So many objects are dropped before other threads have a turn.
    const PORTION: usize = 64;
    /// Long enough that a thread that waits for the GIL has it before the next portion.
    const PAUSE: Duration = Duration::from_micros(100);
    /// A list of no more elements is dropped with them.
    const SHORT_LIST: usize = 256;

    pub fn add(&mut self, objects: Vec<Py<PyAny>>) {
        self.0.push(objects);
    }

    fn take_one(&mut self) -> Option<Py<PyAny>> {
        loop {
            match self.0.last_mut()?.pop() {
                Some(object) => return Some(object),
                None => drop(self.0.pop()),
            }
        }
    }

    /// Drops all objects on a thread of its own. Garbage collection, which would visit all of them, stays paused until then.
    pub fn drop_in_portions(mut self, paused: GarbageCollectionPaused<'_>) {
        if self.0.is_empty() {
            return;
        }
        let pause = paused.into_pause();
        // Without a thread they are dropped here.
        let _ = Builder::new().name("pygeodesign".into()).spawn(move || {
            while !self.0.is_empty() {
                if Python::try_attach(|py| self.drop_portion(py)).is_none() {
                    // The interpreter shuts down, which frees all memory.
                    return std::mem::forget(self);
                }
                sleep(Self::PAUSE);
            }
            drop(pause);
        });
    }

    fn drop_portion(&mut self, py: Python<'_>) {
        for _ in 0..Self::PORTION {
            let Some(object) = self.take_one() else { return };
            // What a container holds can be as large as all the rest, so it is left over in its turn.
            if let Ok(dict) = object.bind(py).cast::<PyDict>() {
                self.add(dict.values().iter().map(Bound::unbind).collect());
                dict.clear();
            } else if let Ok(list) = object.bind(py).cast::<PyList>()
                && list.len() > Self::SHORT_LIST
            {
                self.add(list.iter().map(Bound::unbind).collect());
            }
        }
    }
}
