//! What the serializers of all parts of a value share.

use std::cell::{Cell, RefCell};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::dict_cache::DictCache;
use super::leftovers::Leftovers;
use super::problem::Problem;
use super::string_cache::StringCache;
use crate::python::engine::interrupts::Steps;

pub struct Context<'py> {
    pub py: Python<'py>,
    keys: RefCell<StringCache<'py>>,
    texts: RefCell<StringCache<'py>>,
    dicts: RefCell<DictCache<'py>>,
    steps: Steps,
    is_interrupted: Cell<bool>,
    leftovers: RefCell<Leftovers>,
}

impl<'py> Context<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Context {
            py,
            keys: RefCell::new(StringCache::new()),
            texts: RefCell::new(StringCache::new()),
            dicts: RefCell::default(),
            steps: Steps::default(),
            is_interrupted: Cell::new(false),
            leftovers: RefCell::default(),
        }
    }

    /// The string of a key.
    pub fn key(&self, key: &str) -> Bound<'py, PyString> {
        self.keys.borrow_mut().get_or_make(self.py, key)
    }

    /// The string of a value. Strings never change, so that equal values can be one object.
    pub fn text(&self, text: &str) -> Bound<'py, PyString> {
        self.texts.borrow_mut().get_or_make(self.py, text)
    }

    /// A new dict of these items.
    pub fn dict(
        &self,
        keys: &[Bound<'py, PyAny>],
        values: impl IntoIterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.dicts.borrow_mut().with_keys(self.py, keys)?;
        keys.iter().zip(values).try_for_each(|(key, value)| dict.set_item(key, value))?;
        Ok(dict)
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
