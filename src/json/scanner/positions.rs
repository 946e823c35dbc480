//! GeoJSON positions of a scanned text, in their usual form: decimals such as `-74.1234` without whitespace between them.

use serde::de::value::F64Deserializer;
use serde::de::{DeserializeSeed, SeqAccess};

use super::cursor::Scanner;
use super::error::{Result, ScannerError};
use crate::json::decimal::decimal;

/// A position of up to three numbers.
pub struct ScannedPosition {
    numbers: [f64; 3],
    count: usize,
    /// The index of the number that is handed over next.
    next: usize,
}

impl Scanner<'_> {
    /// Takes a position of at most three numbers. Takes nothing where the position has another form.
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

    /// Takes a position of two numbers, longitude and latitude. Takes nothing where the position has another form.
    #[inline(always)]
    pub fn take_lon_lat(&mut self) -> Option<[f64; 2]> {
        let (position, length) = lon_lat(self.text.as_bytes().get(self.offset..)?)?;
        self.offset += length;
        Some(position)
    }

    /// Takes consecutive positions of two numbers into `buffer` as native-endian bytes, until the buffer is full or a position
    /// has another form. Returns how many it took.
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

/// The position of two numbers at the start of `text`, and its length in bytes.
#[inline(always)]
fn lon_lat(text: &[u8]) -> Option<([f64; 2], usize)> {
    let window = |at: usize| text.get(at..)?.first_chunk();
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
