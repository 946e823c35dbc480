//! A JSON reader for texts that consist mostly of numbers. It borrows from the text where it can, and reads digits and strings
//! eight bytes at a time.
//!
//! It accepts what serde_json accepts, with the same values, and rejects what serde_json rejects, but its errors are less detailed.
//! After an error in a user's text, read the text again with serde_json.

mod deserializer;
mod numbers;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use serde::de;

use super::decimal::repeated;

pub use deserializer::{JSON_TEXT, POSITION, POSITIONS, Value};

/// Arrays and objects may be nested this deep, as in serde_json.
const MAX_DEPTH: usize = 127;

/// Reads a JSON text from front to back.
pub struct Scanner<'t> {
    pub(super) text: &'t str,
    /// The number of bytes read so far.
    pub(super) offset: usize,
    /// Number of arrays and objects open at `offset`.
    pub(super) depth: usize,
    /// True if the text is known to be valid JSON.
    pub(super) is_valid: bool,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Scanner::starting_at(text, 0)
    }

    /// Starts at the first byte of a value.
    pub fn starting_at(text: &'t str, offset: usize) -> Self {
        Scanner { text, offset, depth: 0, is_valid: false }
    }

    /// Reads a text known to be valid JSON. Skipped values are not checked.
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

    /// The next eight bytes, the first of them in the lowest bits; `None` if fewer are left.
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

impl<'t> Scanner<'t> {
    /// Takes a string, and replaces its escapes with the characters that they stand for.
    pub fn string(&mut self) -> Result<Cow<'t, str>> {
        let (content, escaped) = self.raw_string()?;
        if !escaped {
            return Ok(content.into());
        }
        let quoted = &self.text[self.offset - content.len() - 2..self.offset];
        let unescaped = serde_json::from_str::<String>(quoted);
        unescaped.map(Cow::from).map_err(|_| self.error("an escape stands for no character"))
    }

    /// Takes a string. Returns the text between its quotes, and true if it has escapes.
    pub(super) fn raw_string(&mut self) -> Result<(&'t str, bool)> {
        self.take(b'"')?;
        let start = self.offset;
        let mut escaped = false;
        loop {
            if let Some(eight) = self.next_eight() {
                let plain = plain_bytes(eight);
                self.offset += plain;
                if plain == 8 {
                    continue;
                }
            }
            match self.here() {
                Some(b'"') => {
                    self.offset += 1;
                    return Ok((&self.text[start..self.offset - 1], escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0..0x20) | None => return Err(self.error("a string without an end")),
                Some(_) => self.offset += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<()> {
        let bytes = &self.text.as_bytes()[self.offset + 1..];
        self.offset += match bytes {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', hex @ ..] if hex.len() >= 4 && hex[..4].iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return Err(self.error("invalid escape")),
        };
        Ok(())
    }
}

/// Counts the bytes of a string, of eight, before the first quote, backslash or control character.
#[inline]
fn plain_bytes(eight: u64) -> usize {
    // The high bit of each byte that is below `limit`; right up to the first such byte.
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(repeated(limit)) & !bytes & repeated(0x80);
    let special = below(eight ^ repeated(b'"'), 1) | below(eight ^ repeated(b'\\'), 1) | below(eight, 0x20);
    special.trailing_zeros() as usize / 8
}

/// The items of an open array or object: its elements or members.
pub struct Items<'s, 't> {
    pub scanner: &'s mut Scanner<'t>,
    closing_bracket: u8,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    BeforeFirst,
    AfterFirst,
    Ended,
}

impl<'t> Scanner<'t> {
    /// The elements of an array whose opening bracket has been taken.
    pub fn elements(&mut self) -> Items<'_, 't> {
        Items { scanner: self, closing_bracket: b']', state: State::BeforeFirst }
    }

    /// The members of an object whose opening bracket has been taken.
    pub fn members(&mut self) -> Items<'_, 't> {
        Items { scanner: self, closing_bracket: b'}', state: State::BeforeFirst }
    }
}

impl Items<'_, '_> {
    /// Moves the scanner to the next item; false if there is none.
    #[inline]
    pub fn advance(&mut self) -> Result<bool> {
        let scanner = &mut *self.scanner;
        match (scanner.peek(), self.state) {
            (_, State::Ended) => return Ok(false),
            (Some(found), _) if found == self.closing_bracket => {
                scanner.offset += 1;
                self.state = State::Ended;
                return Ok(false);
            }
            (Some(b','), State::AfterFirst) => scanner.offset += 1,
            (Some(_), State::BeforeFirst) => self.state = State::AfterFirst,
            _ => return Err(scanner.error("expected ',' or the end")),
        }
        Ok(true)
    }

    /// Checks that no item is left, and takes the closing bracket unless [`Items::advance`] has taken it.
    #[inline]
    pub fn finish(mut self) -> Result<()> {
        if self.state != State::Ended && self.advance()? {
            return Err(self.scanner.error("trailing characters"));
        }
        self.scanner.depth -= 1;
        Ok(())
    }
}

/// The error, and the byte of the text where it was noticed.
#[derive(Debug)]
pub struct ScannerError(Box<Problem>);

#[derive(Debug)]
struct Problem {
    message: String,
    /// `None` for errors of the deserialized type: it does not know the position of its value in the text.
    offset: Option<usize>,
}

pub type Result<T> = std::result::Result<T, ScannerError>;

impl ScannerError {
    #[cold]
    pub fn new(message: &str, offset: usize) -> Self {
        ScannerError(Box::new(Problem { message: message.into(), offset: Some(offset) }))
    }
}

impl de::Error for ScannerError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ScannerError(Box::new(Problem { message: message.to_string(), offset: None }))
    }
}

impl fmt::Display for ScannerError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0.message)?;
        self.0.offset.map_or(Ok(()), |offset| write!(f, " at byte {offset}"))
    }
}

impl std::error::Error for ScannerError {}
