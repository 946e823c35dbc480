//! A JSON reader for bodies that are numbers for the most part. It borrows all it can, and takes eight bytes at a time where
//! digits or text run on.
//!
//! It reads what serde_json reads, to the same values, and refuses what serde_json refuses; its errors say less. Who reads a
//! text that came from outside asks serde_json for the reason (see [`super::explain`]).

use std::fmt;

use memchr::memchr3;
use serde::de::value::F64Deserializer;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::decimal::{MOST_DIGITS, nearest};
use super::{JSON_TEXT, POSITION};

/// Arrays and objects may lie this deep in one another.
const MOST_DEPTH: usize = 127;
/// For eight digits and fewer.
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A text that is read, and how far.
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// The text is JSON for sure.
    is_valid: bool,
}

/// What is wrong, and how many bytes were read before it showed.
#[derive(Debug)]
pub struct ScannerError(Box<Problem>);

#[derive(Debug)]
struct Problem {
    message: String,
    at: Option<usize>,
}

type Result<T> = std::result::Result<T, ScannerError>;

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Scanner::starting_at(text, 0)
    }

    /// Begins where a value does.
    pub fn starting_at(text: &'t str, at: usize) -> Self {
        Scanner { text, at, depth: 0, is_valid: false }
    }

    /// For a text that has been read before: what is not asked for is passed over without a look at it.
    pub fn over_valid(text: &'t str) -> Self {
        Scanner { is_valid: true, ..Scanner::new(text) }
    }

    /// How many bytes have been read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next byte that is no whitespace, not taken yet.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.here() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other,
            }
        }
    }

    /// Takes a byte, which may have whitespace before it.
    pub fn take(&mut self, wanted: u8) -> Result<()> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.problem(&format!("expected {:?}", char::from(wanted)))),
        }
    }

    /// Nothing but whitespace may be left.
    pub fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.problem("trailing characters")),
        }
    }

    fn here(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[cold]
    fn problem(&self, message: &str) -> ScannerError {
        ScannerError(Box::new(Problem { message: message.into(), at: Some(self.at) }))
    }

    /// The next eight bytes, the first of them in the lowest bits; none near the end.
    fn next_eight(&self) -> Option<u64> {
        let (eight, _) = self.text.as_bytes().get(self.at..)?.split_first_chunk()?;
        Some(u64::from_le_bytes(*eight))
    }

    fn literal(&mut self, literal: &str) -> Result<()> {
        if !self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()) {
            return Err(self.problem("expected a value"));
        }
        self.at += literal.len();
        Ok(())
    }

    /// Takes digits; `value` goes on with them. The number of digits.
    #[inline]
    fn digits(&mut self, value: &mut u64) -> usize {
        let start = self.at;
        while let Some(eight) = self.next_eight() {
            let count = leading_digits(eight);
            if count > 0 {
                let shifted = eight << (64 - 8 * count);
                *value = value.wrapping_mul(POWERS[count]).wrapping_add(eight_digits(shifted));
                self.at += count;
            }
            if count < 8 {
                return self.at - start;
            }
        }
        while let Some(digit @ b'0'..=b'9') = self.here() {
            *value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        self.at - start
    }

    /// Takes a number as JSON writes it.
    fn number(&mut self) -> Result<Number<'t>> {
        self.peek();
        let start = self.at;
        let negative = self.here() == Some(b'-');
        self.at += usize::from(negative);
        let leading_zero = self.here() == Some(b'0');
        let mut digits = 0;
        let whole = self.digits(&mut digits);
        if whole == 0 || (leading_zero && whole > 1) {
            return Err(self.problem("invalid number"));
        }
        let mut decimals = 0;
        let mut is_whole = true;
        if self.here() == Some(b'.') {
            self.at += 1;
            is_whole = false;
            decimals = self.digits(&mut digits);
            if decimals == 0 {
                return Err(self.problem("invalid number"));
            }
        }
        let mut fits = whole + decimals <= MOST_DIGITS;
        if let Some(b'e' | b'E') = self.here() {
            self.at += 1;
            is_whole = false;
            fits = false;
            self.at += usize::from(matches!(self.here(), Some(b'+' | b'-')));
            if self.digits(&mut 0) == 0 {
                return Err(self.problem("invalid number"));
            }
        }
        let digits = fits.then_some(digits);
        Ok(Number { text: &self.text[start..self.at], negative, is_whole, digits, decimals })
    }

    /// Takes a number such as `-74.12345678901234`, as coordinates are; none where it has another form.
    #[inline]
    fn decimal(&mut self) -> Option<f64> {
        let window: &[u8; 32] = self.text.as_bytes().get(self.at..)?.first_chunk()?;
        let eight = |at: usize| u64::from_le_bytes(*window[at..].first_chunk().expect("at is below 24"));
        let negative = window[0] == b'-';
        let start = usize::from(negative);
        let (whole, start) = match whole_and_point(eight(start))? {
            (whole, 2) => (whole, start + 2),
            (whole, 3) => (whole, start + 3),
            (whole, _) => (whole, start + 4),
        };
        let run = eight(start);
        let (digits, decimals, next) = match leading_digits(run) {
            8 => {
                let upper = whole * POWERS[8] + eight_digits(run);
                let run = eight(start + 8);
                let more = leading_digits(run) & 15;
                if more == 8 {
                    return None;
                }
                (upper * POWERS[more] + first_digits(run, more), 8 + more, run >> (8 * more))
            }
            0 => return None,
            count => (whole * POWERS[count] + first_digits(run, count), count, run >> (8 * count)),
        };
        // Small and great letters differ in this bit.
        if next as u8 | 0x20 == b'e' {
            return None;
        }
        self.at += start + decimals;
        let value = nearest(digits, decimals);
        Some(if negative { -value } else { value })
    }

    /// Takes a position: its first numbers and how many there are, at most as many as the array has. None where it is anything
    /// else than decimals without whitespace.
    #[inline]
    fn take_position<const N: usize>(&mut self) -> Option<Numbers<N>> {
        let start = self.at;
        let mut numbers = [0.0; N];
        let mut count = 0;
        if self.peek() == Some(b'[') {
            while count < N {
                self.at += 1;
                let Some(number) = self.decimal() else { break };
                numbers[count] = number;
                count += 1;
                match self.here() {
                    Some(b',') => {}
                    Some(b']') => {
                        self.at += 1;
                        return Some(Numbers { numbers, count, next: 0 });
                    }
                    _ => break,
                }
            }
        }
        self.at = start;
        None
    }

    fn float(&mut self) -> Result<f64> {
        self.peek();
        if let Some(decimal) = self.decimal() {
            return Ok(decimal);
        }
        let number = self.number()?;
        number.as_float().ok_or_else(|| self.problem("number out of range"))
    }

    /// Takes a string; its content as it is written, and whether that holds escapes.
    fn string(&mut self) -> Result<(&'t str, bool)> {
        self.take(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            if let Some(eight) = self.next_eight() {
                let plain = plain_bytes(eight);
                self.at += plain;
                if plain == 8 {
                    continue;
                }
            }
            match self.here() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((&self.text[start..self.at - 1], escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0..0x20) | None => return Err(self.problem("a string without an end")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<()> {
        let bytes = &self.text.as_bytes()[self.at + 1..];
        self.at += match bytes {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', hex @ ..] if hex.len() >= 4 && hex[..4].iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return Err(self.problem("invalid escape")),
        };
        Ok(())
    }

    fn visit_string<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        let (content, escaped) = self.string()?;
        if !escaped {
            return visitor.visit_borrowed_str(content);
        }
        let quoted = &self.text[self.at - content.len() - 2..self.at];
        let unescaped = serde_json::from_str::<String>(quoted);
        visitor.visit_string(unescaped.map_err(|_| self.problem("an escape stands for no character"))?)
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MOST_DEPTH { Err(self.problem("recursion limit exceeded")) } else { Ok(()) }
    }

    fn visit_array<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        self.take(b'[')?;
        self.enter()?;
        let mut elements = Parts { scanner: self, end: b']', place: Place::First };
        let value = visitor.visit_seq(&mut elements)?;
        elements.leave()?;
        Ok(value)
    }

    fn visit_object<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        self.take(b'{')?;
        self.enter()?;
        let mut members = Parts { scanner: self, end: b'}', place: Place::First };
        let value = visitor.visit_map(&mut members)?;
        members.leave()?;
        Ok(value)
    }

    /// Takes an object or array of a text that is JSON. Between its ends, what opens is closed: only strings need care.
    fn pass(&mut self, open: u8, close: u8) -> Result<()> {
        let mut depth = 0_usize;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let next = memchr3(open, close, b'"', rest).ok_or_else(|| self.problem("a value without an end"))?;
            self.at += next;
            match rest[next] {
                b'"' => drop(self.string()?),
                bracket => {
                    self.at += 1;
                    depth = if bracket == open { depth + 1 } else { depth.saturating_sub(1) };
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Takes a value of any kind, to its end.
    fn skip(&mut self) -> Result<()> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'{') if self.is_valid => self.pass(b'{', b'}'),
            Some(b'[') if self.is_valid => self.pass(b'[', b']'),
            Some(b'{') => self.visit_object(de::IgnoredAny).map(drop),
            Some(b'[') => self.visit_array(de::IgnoredAny).map(drop),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => match self.decimal() {
                Some(_) => Ok(()),
                None => self.number().map(drop),
            },
        }
    }
}

/// A number, and its digits without sign and point where they fit into 64 bits.
struct Number<'t> {
    text: &'t str,
    negative: bool,
    is_whole: bool,
    digits: Option<u64>,
    decimals: usize,
}

impl Number<'_> {
    /// The nearest float; none where that is infinite.
    fn as_float(&self) -> Option<f64> {
        match self.digits {
            Some(digits) => {
                let value = nearest(digits, self.decimals);
                Some(if self.negative { -value } else { value })
            }
            None => self.text.parse().ok().filter(|value: &f64| value.is_finite()),
        }
    }
}

const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// How many of eight bytes are digits, before the first that is none.
fn leading_digits(eight: u64) -> usize {
    let high = |bytes: u64| (bytes & repeated(0xF0)) ^ repeated(0x30);
    // A digit has 3 in its upper half, and still has after 6 were added. What is carried on goes to later bytes only.
    let others = high(eight) | high(eight.wrapping_add(repeated(6)));
    others.trailing_zeros() as usize / 8
}

/// The number of one to three digits that a point follows, without needless zeros, and the number of bytes up to the point.
#[inline]
fn whole_and_point(eight: u64) -> Option<(u64, usize)> {
    let byte = |at: u64| (eight >> (8 * at)) as u8;
    let digit = |at: u64| u64::from(byte(at).wrapping_sub(b'0'));
    let is_point = |at: u64| byte(at) == b'.';
    let (first, second, third) = (digit(0), digit(1), digit(2));
    if is_point(1) {
        return (first <= 9).then_some((first, 2));
    }
    let are_digits = matches!(first, 1..=9) && second <= 9;
    if is_point(2) {
        return are_digits.then_some((first * 10 + second, 3));
    }
    (are_digits && third <= 9 && is_point(3)).then_some((first * 100 + second * 10 + third, 4))
}

/// The number that the first digits of eight bytes stand for, fewer than eight.
#[inline]
fn first_digits(eight: u64, count: usize) -> u64 {
    eight_digits(eight << 8 << (56 - 8 * count))
}

/// The number that eight digits stand for; bytes of 0 count as digits 0.
fn eight_digits(eight: u64) -> u64 {
    let ones = eight & repeated(0x0F);
    let pairs = (ones.wrapping_mul(1 + (10 << 8)) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(1 + (100 << 16)) >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(1 + (10_000 << 32)) >> 32
}

/// How many of eight bytes need no thought in a string, before the first quote, backslash or control character.
fn plain_bytes(eight: u64) -> usize {
    // The high bit of each byte that is below `limit`; right up to the first such byte.
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(repeated(limit)) & !bytes & repeated(0x80);
    let special = below(eight ^ repeated(b'"'), 1) | below(eight ^ repeated(b'\\'), 1) | below(eight, 0x20);
    special.trailing_zeros() as usize / 8
}

/// A position that has been taken.
struct Numbers<const N: usize> {
    numbers: [f64; N],
    count: usize,
    next: usize,
}

impl<'t, const N: usize> SeqAccess<'t> for Numbers<N> {
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

/// The elements of an array or the members of an object.
struct Parts<'s, 't> {
    scanner: &'s mut Scanner<'t>,
    end: u8,
    place: Place,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    First,
    Later,
    End,
}

impl Parts<'_, '_> {
    /// Goes to the next part; false where there is none.
    fn advance(&mut self) -> Result<bool> {
        let scanner = &mut *self.scanner;
        match (scanner.peek(), self.place) {
            (_, Place::End) => return Ok(false),
            (Some(found), _) if found == self.end => {
                scanner.at += 1;
                self.place = Place::End;
                return Ok(false);
            }
            (Some(b','), Place::Later) => scanner.at += 1,
            (Some(_), Place::First) => self.place = Place::Later,
            _ => return Err(scanner.problem("expected ',' or the end")),
        }
        Ok(true)
    }

    /// The end is there, whether or not it has been asked for.
    fn leave(mut self) -> Result<()> {
        if self.place != Place::End && self.advance()? {
            return Err(self.scanner.problem("trailing characters"));
        }
        self.scanner.depth -= 1;
        Ok(())
    }
}

impl<'t> SeqAccess<'t> for &mut Parts<'_, 't> {
    type Error = ScannerError;

    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.scanner).map(Some)
    }
}

impl<'t> MapAccess<'t> for &mut Parts<'_, 't> {
    type Error = ScannerError;

    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        if self.scanner.peek() != Some(b'"') {
            return Err(self.scanner.problem("expected a key"));
        }
        seed.deserialize(&mut *self.scanner).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value> {
        self.scanner.take(b':')?;
        seed.deserialize(&mut *self.scanner)
    }
}

impl<'t> Deserializer<'t> for &mut Scanner<'t> {
    type Error = ScannerError;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'"') => self.visit_string(visitor),
            Some(b'[') => match self.take_position::<3>() {
                Some(position) => visitor.visit_seq(position),
                None => self.visit_array(visitor),
            },
            Some(b'{') => self.visit_object(visitor),
            Some(b't') => {
                self.literal("true")?;
                visitor.visit_bool(true)
            }
            Some(b'f') => {
                self.literal("false")?;
                visitor.visit_bool(false)
            }
            Some(b'n') => {
                self.literal("null")?;
                visitor.visit_unit()
            }
            _ => {
                if let Some(decimal) = self.decimal() {
                    return visitor.visit_f64(decimal);
                }
                let number = self.number()?;
                let whole = number.is_whole.then_some(number.text);
                if let Some(positive) = whole.and_then(|text| text.parse::<u64>().ok()) {
                    return visitor.visit_u64(positive);
                }
                match whole.filter(|text| *text != "-0").and_then(|text| text.parse::<i64>().ok()) {
                    Some(negative) => visitor.visit_i64(negative),
                    None => visitor.visit_f64(number.as_float().ok_or_else(|| self.problem("number out of range"))?),
                }
            }
        }
    }

    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_str<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        self.visit_string(visitor)
    }

    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        self.visit_string(visitor)
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        if self.peek() == Some(b'n') {
            self.literal("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        self.visit_array(visitor)
    }

    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        self.visit_object(visitor)
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'t>>(
        self,
        name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value> {
        if name == POSITION
            && let Some(position) = self.take_position::<3>()
        {
            return visitor.visit_seq(position);
        }
        self.visit_array(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if name != JSON_TEXT {
            return visitor.visit_newtype_struct(self);
        }
        self.peek();
        let start = self.at;
        self.skip()?;
        visitor.visit_borrowed_str(&self.text[start..self.at])
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char bytes byte_buf unit unit_struct tuple enum
        identifier
    }
}

impl de::Error for ScannerError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        ScannerError(Box::new(Problem { message: message.to_string(), at: None }))
    }
}

impl fmt::Display for ScannerError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0.message)?;
        self.0.at.map_or(Ok(()), |at| write!(f, " at byte {at}"))
    }
}

impl std::error::Error for ScannerError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::Value;

    use super::super::JsonText;
    use super::*;

    fn scanned<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T> {
        let mut scanner = Scanner::new(text);
        let value = T::deserialize(&mut scanner)?;
        scanner.end().map(|()| value)
    }

    /// Read by both, a text is refused by both, or is the same value; floats to the last bit.
    fn reads_like_serde_json(text: &str) {
        let theirs: Option<Value> = serde_json::from_str(text).ok();
        let ours: Option<Value> = scanned(text).ok();
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{text}");
        let theirs = serde_json::from_str::<Box<serde_json::value::RawValue>>(text).ok();
        let ours = scanned::<JsonText>(text).ok();
        assert_eq!(ours.map(|text| text.0), theirs.as_deref().map(|raw| raw.get()), "{text}");
        let theirs = serde_json::from_str::<Vec<f64>>(text).ok();
        let ours = scanned::<Vec<f64>>(text).ok();
        let bits =
            |floats: Option<Vec<f64>>| floats.map(|floats| floats.into_iter().map(f64::to_bits).collect::<Vec<_>>());
        assert_eq!(bits(ours), bits(theirs), "{text}");
    }

    #[test]
    fn it_reads_and_refuses_what_serde_json_does() {
        let numbers = "0 -0 00 01 -01 1. .5 1.5 -1.5e3 1e5 1E+5 1e-5 1e 1e+ -  +1 1e999 -1e999 1e-999 0.0 -0.0 0e0 1.0e 12345678 \
            123456789 9007199254740991 9007199254740992 9007199254740993 18446744073709551615 18446744073709551616 \
            -9223372036854775808 -9223372036854775809 0.1 0.30000000000000004 123456789.123456789123456789 9999.9999999999999999 \
            0.00000000000000000000000001 2.2250738585072014e-308 4.9e-324 1.7976931348623157e308 NaN Infinity 1_000 0x10 ١";
        #[rustfmt::skip]
        let strings = [
            r#""""#, r#""a""#, r#""abcdefg""#, r#""abcdefgh""#, r#""abcdefghi""#, r#""ä€😀""#, r#""\"""#, r#""\\""#,
            r#""abcdefg\n""#, r#""\u00e4\ud83d\ude00""#, r#""\ud83d""#, r#""\u12""#, r#""\x""#, r#"""#, "\"\u{1}\"", "\"a\nb\"",
            "\"\u{7f}\u{80}\"", r#""a\"#, r#""abcdefgh"#, r#""\u00e""#,
        ];
        #[rustfmt::skip]
        let shapes = [
            "", " ", "null", "nul", "nullx", "true", "false", "[]", "[ ]", "[1]", "[1,]", "[,1]", "[1 2]", "[1,2", "[", "]", "{}",
            r#"{"a":1}"#, r#"{"a":1,}"#, r#"{"a" 1}"#, r#"{"a"}"#, r#"{a:1}"#, r#"{"a":1 "b":2}"#, r#"{"a":1,"a":2}"#, "{1:2}",
            "[1}", "[1],", "[1] 2", " \n\t\r [ 1 , 2.5 ] \n", "\u{feff}[]", "\u{a0}1", r#"{"a":{"b":[null,true,{"c":[]}]}}"#,
        ];
        for text in numbers.split_whitespace().chain(strings).chain(shapes) {
            reads_like_serde_json(text);
            reads_like_serde_json(&format!("[{text}]"));
            reads_like_serde_json(&format!("[{text},{text}]"));
            reads_like_serde_json(&format!(r#"{{"key":{text}}}"#));
        }
    }

    #[test]
    fn over_valid_text_it_finds_the_same_ends() {
        let text = r#"{"a":[[1],{"b":"]}[{\"\\"},"]"],"c":{"d":[]},"e":"}","f":-1.5e3,"g":null}"#;
        let read = |mut scanner: Scanner| {
            let members = std::collections::BTreeMap::<String, JsonText>::deserialize(&mut scanner).unwrap();
            scanner.end().unwrap();
            format!("{members:?}")
        };
        assert_eq!(read(Scanner::over_valid(text)), read(Scanner::new(text)));
    }

    #[test]
    fn it_goes_as_deep_as_serde_json() {
        for depth in [126, 127, 128, 129] {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(scanned::<Value>(&text).is_ok(), serde_json::from_str::<Value>(&text).is_ok(), "{depth}");
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-180.0..180.0f64).prop_map(Value::from),
            ".{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(".{0,9}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_read_like_serde_json(value in json()) {
            reads_like_serde_json(&value.to_string());
            reads_like_serde_json(&serde_json::to_string_pretty(&value).unwrap());
            let text = value.to_string();
            let mut scanner = Scanner::over_valid(&text);
            prop_assert_eq!(JsonText::deserialize(&mut scanner).unwrap().0, &text);
        }

        #[test]
        fn every_cut_and_every_slip_is_refused_like_serde_json(value in json(), at in any::<prop::sample::Index>(), byte in 0..0x80u8) {
            let text = value.to_string();
            let at = (0..=at.index(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            reads_like_serde_json(&text[..at]);
            reads_like_serde_json(&format!("{}{}{}", &text[..at], char::from(byte), &text[at..]));
        }

        #[test]
        fn every_number_is_read_to_the_last_bit(whole in "-?(0|[1-9][0-9]{0,24})", rest in "(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?") {
            reads_like_serde_json(&format!("[{whole}{rest}]"));
        }
    }
}
