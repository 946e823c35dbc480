//! What the serializers of all parts of a value share.

use std::cell::{Cell, RefCell};

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::key_cache::KeyCache;
use super::leftovers::Leftovers;
use super::problem::Problem;
use crate::python::engine::interrupts::Steps;

pub struct Context<'py> {
    pub py: Python<'py>,
    keys: RefCell<KeyCache<'py>>,
    steps: Steps,
    is_interrupted: Cell<bool>,
    leftovers: RefCell<Leftovers>,
}

impl<'py> Context<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Context {
            py,
            keys: RefCell::new(KeyCache::new()),
            steps: Steps::default(),
            is_interrupted: Cell::new(false),
            leftovers: RefCell::default(),
        }
    }

    /// The string of a key.
    pub fn key(&self, key: &str) -> Bound<'py, PyString> {
        self.keys.borrow_mut().get_or_make(self.py, key)
    }

    /// To be called for every object that is made. An error ends the conversion: Ctrl-C, in most cases.
    #[inline]
    pub fn count(&self) -> Result<(), Problem> {
        self.steps.count(self.py).map_err(|interrupt| {
            self.is_interrupted.set(true);
            Problem::Python(interrupt)
        })
    }

    #[inline]
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.get()
    }

    /// Keeps what an interrupted conversion has made, see [`Leftovers`].
    pub fn leave(&self, objects: Vec<Py<PyAny>>) {
        self.leftovers.borrow_mut().add(objects);
    }

    pub fn into_leftovers(self) -> Leftovers {
        self.leftovers.into_inner()
    }
}
