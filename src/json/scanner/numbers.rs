//! Numbers of a scanned text.

use super::cursor::Scanner;
use super::error::Result;
use crate::json::decimal::{MAX_DIGITS, decimal, nearest, take_digits};

/// A number as it is written.
pub struct Number<'t> {
    pub text: &'t str,
    negative: bool,
    /// Written without point and exponent.
    pub is_integer: bool,
    /// The digits as one integer, sign and point left out; `None` where they do not fit into 64 bits, or an exponent follows.
    digits: Option<u64>,
    /// How many of the digits follow the point.
    decimals: usize,
}

impl Number<'_> {
    /// The nearest float; `None` where that is infinite.
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

    /// Takes digits and appends them to `value`; returns how many there were.
    #[inline]
    fn digits(&mut self, value: &mut u64) -> usize {
        let count = take_digits(&mut &self.text.as_bytes()[self.offset..], value);
        self.offset += count;
        count
    }

    /// Takes a number such as `-74.12345678901234`, the form of coordinates. Takes nothing where the number has another form.
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
