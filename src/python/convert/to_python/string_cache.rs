//! Python strings, made once for equal texts.

use pyo3::prelude::*;
use pyo3::types::PyString;

/// The strings that were made last, by hash. Features have the same few keys, and often equal values. Starts without memory for
/// strings, because most answers have few.
pub struct StringCache<'py>(Vec<Vec<Cached<'py>>>);

#[derive(Clone)]
struct Cached<'py> {
    text: Box<str>,
    string: Bound<'py, PyString>,
}

impl<'py> StringCache<'py> {
    const HASH_BITS: u32 = 7;
    /// So many strings of one hash are kept, so that two keys of a dict hardly ever drive out each other.
    const MAX_OF_HASH: usize = 4;
    /// A longer text is seldom repeated.
    const MAX_BYTES: usize = 64;

    pub fn new() -> Self {
        StringCache(vec![Vec::new(); 1 << Self::HASH_BITS])
    }

    pub fn get_or_make(&mut self, py: Python<'py>, text: &str) -> Bound<'py, PyString> {
        if text.len() > Self::MAX_BYTES {
            return PyString::new(py, text);
        }
        let of_hash = &mut self.0[hash(text.as_bytes())];
        if let Some(cached) = of_hash.iter().find(|cached| *cached.text == *text) {
            return cached.string.clone();
        }
        let string = PyString::new(py, text);
        of_hash.truncate(Self::MAX_OF_HASH - 1);
        of_hash.insert(0, Cached { text: text.into(), string: string.clone() });
        string
    }
}

/// Fibonacci hashing, of eight bytes at a time. Of a product, only the highest bits depend on all bytes.
fn hash(text: &[u8]) -> usize {
    let (eights, rest) = text.as_chunks::<8>();
    let rest = rest.iter().fold(text.len() as u64, |rest, byte| (rest << 8) | u64::from(*byte));
    let words = eights.iter().map(|eight| u64::from_le_bytes(*eight)).chain([rest]);
    let product =
        words.fold(0, |product: u64, word| (product.rotate_left(25) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (product >> (u64::BITS - StringCache::HASH_BITS)) as usize
}
