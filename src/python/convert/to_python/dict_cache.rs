//! Dicts that have the same keys as the one before.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The last dict with many keys. The next feature has the same ones, and a copy of all items takes a fraction of the time of
/// inserting them one by one, which enlarges the dict over and over.
#[derive(Default)]
pub struct DictCache<'py> {
    keys: Vec<Bound<'py, PyAny>>,
    last: Option<Bound<'py, PyDict>>,
}

impl<'py> DictCache<'py> {
    /// Dicts with fewer keys never become larger than they are made.
    const MIN_KEYS: usize = 6;

    /// A new dict for these keys: either empty, or with all of them, in their order, and values that are to be replaced.
    pub fn with_keys(&mut self, py: Python<'py>, keys: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyDict>> {
        let dict = match &self.last {
            _ if keys.len() < Self::MIN_KEYS => return Ok(PyDict::new(py)),
            Some(last) if self.has(keys) => last.copy()?,
            _ => {
                self.keys = keys.to_vec();
                PyDict::new(py)
            }
        };
        self.last = Some(dict.clone());
        Ok(dict)
    }

    /// Keys are the same objects, because the cache of keys makes each once.
    fn has(&self, keys: &[Bound<'py, PyAny>]) -> bool {
        self.keys.len() == keys.len() && self.keys.iter().zip(keys).all(|(last, key)| last.is(key))
    }
}
