//! Strings of a scanned text.

use std::borrow::Cow;

use super::cursor::Scanner;
use super::error::Result;
use crate::json::decimal::repeated;

impl<'t> Scanner<'t> {
    /// Takes a string, and replaces its escapes by the characters that they stand for.
    pub fn string(&mut self) -> Result<Cow<'t, str>> {
        let (content, escaped) = self.raw_string()?;
        if !escaped {
            return Ok(content.into());
        }
        let quoted = &self.text[self.offset - content.len() - 2..self.offset];
        let unescaped = serde_json::from_str::<String>(quoted);
        unescaped.map(Cow::from).map_err(|_| self.error("an escape stands for no character"))
    }

    /// Takes a string. Returns what stands between its quotes, and whether that has escapes.
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

/// How many of eight bytes of a string come before the first quote, backslash or control character.
#[inline]
fn plain_bytes(eight: u64) -> usize {
    // The high bit of each byte that is below `limit`; right up to the first such byte.
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(repeated(limit)) & !bytes & repeated(0x80);
    let special = below(eight ^ repeated(b'"'), 1) | below(eight ^ repeated(b'\\'), 1) | below(eight, 0x20);
    special.trailing_zeros() as usize / 8
}
