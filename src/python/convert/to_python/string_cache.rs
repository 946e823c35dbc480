//! Python strings, made once for equal texts.

use pyo3::prelude::*;
use pyo3::types::PyString;

/// The strings that were made last, by hash. Features have the same few keys, and often equal values.
pub struct StringCache<'py>(Vec<[Option<Cached<'py>>; PLACES]>);

#[derive(Clone)]
struct Cached<'py> {
    text: Box<str>,
    string: Bound<'py, PyString>,
}

/// Texts of one hash have so many places, so that two keys of a dict hardly ever drive out each other.
const PLACES: usize = 4;

impl<'py> StringCache<'py> {
    const HASH_BITS: u32 = 7;
    /// A longer text is seldom repeated.
    const MAX_BYTES: usize = 64;

    pub fn new() -> Self {
        StringCache(vec![[const { None }; PLACES]; 1 << Self::HASH_BITS])
    }

    pub fn get_or_make(&mut self, py: Python<'py>, text: &str) -> Bound<'py, PyString> {
        if text.len() > Self::MAX_BYTES {
            return PyString::new(py, text);
        }
        let places = &mut self.0[hash(text.as_bytes())];
        if let Some(cached) = places.iter().flatten().find(|cached| *cached.text == *text) {
            return cached.string.clone();
        }
        let string = PyString::new(py, text);
        places.rotate_right(1);
        places[0] = Some(Cached { text: text.into(), string: string.clone() });
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
