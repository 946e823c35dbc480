//! Strings for the keys of dicts, each made once.

use pyo3::prelude::*;
use pyo3::types::PyString;

/// The keys of dicts that were made last, by hash. Features have the same few keys, each of them many times.
pub struct KeyCache<'py>(Vec<Option<(Box<str>, Bound<'py, PyString>)>>);

impl<'py> KeyCache<'py> {
    const SLOTS: usize = 256;
    const MAX_KEY_BYTES: usize = 64;

    pub fn new() -> Self {
        KeyCache(vec![None; KeyCache::SLOTS])
    }

    pub fn get_or_make(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if key.len() > KeyCache::MAX_KEY_BYTES {
            return PyString::new(py, key);
        }
        // The hash function FNV-1a.
        let hash = key.bytes().fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let slot = &mut self.0[hash as usize % KeyCache::SLOTS];
        match slot {
            Some((text, cached)) if **text == *key => cached.clone(),
            _ => {
                let string = PyString::new(py, key);
                *slot = Some((key.into(), string.clone()));
                string
            }
        }
    }
}
