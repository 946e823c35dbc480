//! Numbers and GeoJSON positions of a scanned text. Positions in their usual form, decimals such as `-74.1234` without whitespace
//! between them, are taken at once.

use serde::de::value::F64Deserializer;
use serde::de::{DeserializeSeed, SeqAccess};

use super::{Result, Scanner, ScannerError};
use crate::json::decimal::{MAX_DIGITS, decimal, nearest, take_digits};

/// A number as written.
pub struct Number<'t> {
    pub text: &'t str,
    negative: bool,
    /// True if written without a point or an exponent.
    pub is_integer: bool,
    /// The digits as one integer, without sign and point; `None` if they do not fit into 64 bits, or if an exponent follows.
    digits: Option<u64>,
    /// Number of digits after the point.
    decimals: usize,
}

impl Number<'_> {
    /// Returns the nearest float; `None` if it is infinite.
    pub fn as_float(&self) -> Option<f64> {
        match self.digits {
            Some(digits) => Some(nearest(self.negative, digits, self.decimals)),
            None => self.text.parse().ok().filter(|value: &f64| value.is_finite()),
        }
    }
}

impl<'t> Scanner<'t> {
    /// Takes a number in any form that JSON allows.
    pub(super) fn number(&mut self) -> Result<Number<'t>> {
        self.peek();
        let start = self.offset;
        let negative = self.here() == Some(b'-');
        self.offset += usize::from(negative);
        let leading_zero = self.here() == Some(b'0');
        let mut digits = 0;
        let integer_digits = self.digits(&mut digits);
        if integer_digits == 0 || (leading_zero && integer_digits > 1) {
            return Err(self.error("invalid number"));
        }
        let mut decimals = 0;
        let mut is_integer = true;
        if self.here() == Some(b'.') {
            self.offset += 1;
            is_integer = false;
            decimals = self.digits(&mut digits);
            if decimals == 0 {
                return Err(self.error("invalid number"));
            }
        }
        let mut fits = integer_digits + decimals <= MAX_DIGITS;
        if let Some(b'e' | b'E') = self.here() {
            self.offset += 1;
            is_integer = false;
            fits = false;
            self.offset += usize::from(matches!(self.here(), Some(b'+' | b'-')));
            if self.digits(&mut 0) == 0 {
                return Err(self.error("invalid number"));
            }
        }
        let digits = fits.then_some(digits);
        Ok(Number { text: &self.text[start..self.offset], negative, is_integer, digits, decimals })
    }

    /// Takes digits and appends them to `value`. Returns their number.
    #[inline]
    fn digits(&mut self, value: &mut u64) -> usize {
        let count = take_digits(&mut &self.text.as_bytes()[self.offset..], value);
        self.offset += count;
        count
    }

    /// Takes a number such as `-74.12345678901234`, the form of coordinates. Takes nothing if the number has another form.
    #[inline]
    pub fn decimal(&mut self) -> Option<f64> {
        let (number, length) = decimal(self.text.as_bytes().get(self.offset..)?.first_chunk()?)?;
        self.offset += length;
        Some(number)
    }

    #[inline]
    pub(super) fn float(&mut self) -> Result<f64> {
        self.peek();
        if let Some(decimal) = self.decimal() {
            return Ok(decimal);
        }
        let number = self.number()?;
        number.as_float().ok_or_else(|| self.error("number out of range"))
    }
}

/// A position of up to three numbers.
pub struct ScannedPosition {
    numbers: [f64; 3],
    count: usize,
    /// Index of the number that is handed over next.
    next: usize,
}

impl Scanner<'_> {
    /// Takes a position of at most three numbers. Takes nothing if the position has another form.
    #[inline]
    pub(super) fn take_position(&mut self) -> Option<ScannedPosition> {
        let start = self.offset;
        let mut position = ScannedPosition { numbers: [0.0; 3], count: 0, next: 0 };
        if self.peek() == Some(b'[') {
            while position.count < 3 {
                self.offset += 1;
                let Some(number) = self.decimal() else { break };
                position.numbers[position.count] = number;
                position.count += 1;
                match self.here() {
                    Some(b',') => {}
                    Some(b']') => {
                        self.offset += 1;
                        return Some(position);
                    }
                    _ => break,
                }
            }
        }
        self.offset = start;
        None
    }

    /// Takes a position of two numbers, longitude and latitude. Takes nothing if the position has another form.
    #[inline(always)]
    pub fn take_lon_lat(&mut self) -> Option<[f64; 2]> {
        let (position, length) = lon_lat(self.text.as_bytes().get(self.offset..)?)?;
        self.offset += length;
        Some(position)
    }

    /// Takes consecutive positions of two numbers into `buffer` as native-endian bytes, until the buffer is full or a position has
    /// another form. Returns their number.
    #[inline]
    pub(super) fn take_lon_lats(&mut self, buffer: &mut [[[u8; 8]; 2]]) -> usize {
        for (count, slot) in buffer.iter_mut().enumerate() {
            let start = self.offset;
            if count > 0 {
                if self.here() != Some(b',') {
                    return count;
                }
                self.offset += 1;
            }
            let Some([longitude, latitude]) = self.take_lon_lat() else {
                self.offset = start;
                return count;
            };
            *slot = [longitude.to_ne_bytes(), latitude.to_ne_bytes()];
        }
        buffer.len()
    }
}

/// Returns the position of two numbers at the start of `text`, and its length in bytes.
#[inline(always)]
fn lon_lat(text: &[u8]) -> Option<([f64; 2], usize)> {
    let window = |start: usize| text.get(start..)?.first_chunk();
    let (longitude, length) = decimal(window(1)?)?;
    let comma = 1 + length;
    let (latitude, length) = decimal(window(comma + 1)?)?;
    let end = comma + 1 + length;
    let is_position = text[0] == b'[' && text.get(comma) == Some(&b',') && text.get(end) == Some(&b']');
    is_position.then_some(([longitude, latitude], end + 1))
}

impl<'t> SeqAccess<'t> for ScannedPosition {
    type Error = ScannerError;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let number = self.numbers[..self.count].get(self.next);
        self.next += 1;
        number.map(|number| seed.deserialize(F64Deserializer::new(*number))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count.saturating_sub(self.next))
    }
}
