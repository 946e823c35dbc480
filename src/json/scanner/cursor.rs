//! The scanner: a text, and how far it has been read.

use super::error::{Result, ScannerError};

/// Arrays and objects may be nested this deep, as in serde_json.
const MAX_DEPTH: usize = 127;

/// Reads a JSON text from front to back.
pub struct Scanner<'t> {
    pub(super) text: &'t str,
    /// The number of bytes read so far.
    pub(super) offset: usize,
    /// How many arrays and objects are open at `offset`.
    pub(super) depth: usize,
    /// The text is known to be valid JSON.
    pub(super) is_valid: bool,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Scanner::starting_at(text, 0)
    }

    /// Starts at a byte at which a value starts.
    pub fn starting_at(text: &'t str, offset: usize) -> Self {
        Scanner { text, offset, depth: 0, is_valid: false }
    }

    /// For a text that is known to be valid JSON: values that nothing asks for are skipped without being checked.
    pub fn over_valid(text: &'t str) -> Self {
        Scanner { is_valid: true, ..Scanner::new(text) }
    }

    /// The number of bytes read so far.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Skips whitespace, and returns the byte that follows without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.here() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.offset += 1,
                other => return other,
            }
        }
    }

    /// Takes this byte, and any whitespace before it.
    #[inline]
    pub fn take(&mut self, wanted: u8) -> Result<()> {
        self.expect(wanted)?;
        self.offset += 1;
        Ok(())
    }

    #[inline]
    pub(super) fn expect(&mut self, wanted: u8) -> Result<()> {
        match self.peek() {
            Some(found) if found == wanted => Ok(()),
            _ => Err(self.error(&format!("expected {:?}", char::from(wanted)))),
        }
    }

    /// Checks that nothing but whitespace is left.
    pub fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("trailing characters")),
        }
    }

    /// The next byte, whitespace or not.
    #[inline]
    pub(super) fn here(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    /// An error at the next byte.
    #[cold]
    pub(super) fn error(&self, message: &str) -> ScannerError {
        ScannerError::new(message, self.offset)
    }

    /// The next eight bytes, the first of them in the lowest bits; `None` where fewer are left.
    #[inline]
    pub(super) fn next_eight(&self) -> Option<u64> {
        let (eight, _) = self.text.as_bytes().get(self.offset..)?.split_first_chunk()?;
        Some(u64::from_le_bytes(*eight))
    }

    /// Takes `true`, `false` or `null`.
    #[inline]
    pub(super) fn literal(&mut self, literal: &str) -> Result<()> {
        if !self.text.as_bytes()[self.offset..].starts_with(literal.as_bytes()) {
            return Err(self.error("expected a value"));
        }
        self.offset += literal.len();
        Ok(())
    }

    /// Takes the opening bracket that is the next byte.
    #[inline]
    pub fn open(&mut self) -> Result<()> {
        self.offset += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.error("recursion limit exceeded")) } else { Ok(()) }
    }
}
