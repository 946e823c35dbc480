//! A JSON reader for bodies that are numbers for the most part. It borrows all it can, and takes eight bytes at a time where
//! digits or text run on.
//!
//! It reads what serde_json reads, to the same values, and refuses what serde_json refuses; its errors say less. Who reads a
//! text that came from outside asks serde_json for the reason (see [`super::explain`]).

use std::borrow::Cow;
use std::fmt;

use memchr::memchr3;
use serde::de::value::F64Deserializer;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::decimal::{MAX_DIGITS, decimal, nearest, repeated, take_digits};
use super::{JSON_TEXT, POSITION, POSITIONS};

/// Arrays and objects may lie this deep in one another.
const MAX_DEPTH: usize = 127;
/// As many positions are handed over at once.
const RUN: usize = 64;

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
        self.expect(wanted)?;
        self.at += 1;
        Ok(())
    }

    fn expect(&mut self, wanted: u8) -> Result<()> {
        match self.peek() {
            Some(found) if found == wanted => Ok(()),
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
    fn digits(&mut self, value: &mut u64) -> usize {
        let count = take_digits(&mut &self.text.as_bytes()[self.at..], value);
        self.at += count;
        count
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
        let mut fits = whole + decimals <= MAX_DIGITS;
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
        let (number, length) = decimal(self.text.as_bytes().get(self.at..)?.first_chunk()?)?;
        self.at += length;
        Some(number)
    }

    /// Takes a position of three numbers at most. None where it is anything else than decimals without whitespace.
    #[inline]
    fn take_position(&mut self) -> Option<Position> {
        let start = self.at;
        let mut position = Position { numbers: [0.0; 3], count: 0, next: 0 };
        if self.peek() == Some(b'[') {
            while position.count < 3 {
                self.at += 1;
                let Some(number) = self.decimal() else { break };
                position.numbers[position.count] = number;
                position.count += 1;
                match self.here() {
                    Some(b',') => {}
                    Some(b']') => {
                        self.at += 1;
                        return Some(position);
                    }
                    _ => break,
                }
            }
        }
        self.at = start;
        None
    }

    /// Takes a position of two numbers; none where it is anything else than decimals without whitespace.
    #[inline(always)]
    pub fn take_position_of_two(&mut self) -> Option<[f64; 2]> {
        let (position, length) = position_of_two(self.text.as_bytes().get(self.at..)?)?;
        self.at += length;
        Some(position)
    }

    /// Takes such positions while they lie one after the other without whitespace and `run` has room for their bytes; how many.
    fn take_positions(&mut self, run: &mut [[[u8; 8]; 2]]) -> usize {
        for (count, place) in run.iter_mut().enumerate() {
            let start = self.at;
            if count > 0 {
                if self.here() != Some(b',') {
                    return count;
                }
                self.at += 1;
            }
            let Some([longitude, latitude]) = self.take_position_of_two() else {
                self.at = start;
                return count;
            };
            *place = [longitude.to_ne_bytes(), latitude.to_ne_bytes()];
        }
        run.len()
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

    /// Takes a string, escapes replaced by what they stand for.
    pub fn text(&mut self) -> Result<Cow<'t, str>> {
        let (content, escaped) = self.string()?;
        if !escaped {
            return Ok(content.into());
        }
        let quoted = &self.text[self.at - content.len() - 2..self.at];
        let unescaped = serde_json::from_str::<String>(quoted);
        unescaped.map(Cow::from).map_err(|_| self.problem("an escape stands for no character"))
    }

    fn visit_string<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    /// Takes a value without parts, or the begin of one that has some.
    #[inline]
    pub fn value(&mut self) -> Result<Value<'t>> {
        Ok(match self.peek() {
            Some(b'"') => Value::Text(self.text()?),
            Some(b'[') => {
                self.open()?;
                Value::Array
            }
            Some(b'{') => {
                self.open()?;
                Value::Object
            }
            Some(b't') => {
                self.literal("true")?;
                Value::Bool(true)
            }
            Some(b'f') => {
                self.literal("false")?;
                Value::Bool(false)
            }
            Some(b'n') => {
                self.literal("null")?;
                Value::Null
            }
            _ => {
                if let Some(decimal) = self.decimal() {
                    return Ok(Value::Float(decimal));
                }
                let number = self.number()?;
                let whole = number.is_whole.then_some(number.text);
                if let Some(positive) = whole.and_then(|text| text.parse().ok()) {
                    return Ok(Value::Positive(positive));
                }
                match whole.filter(|text| *text != "-0").and_then(|text| text.parse().ok()) {
                    Some(negative) => Value::Negative(negative),
                    None => Value::Float(number.as_float().ok_or_else(|| self.problem("number out of range"))?),
                }
            }
        })
    }

    /// The elements of an array that has been begun.
    pub fn elements(&mut self) -> Parts<'_, 't> {
        Parts { scanner: self, end: b']', place: Place::First }
    }

    /// The members of an object that has been begun.
    pub fn members(&mut self) -> Parts<'_, 't> {
        Parts { scanner: self, end: b'}', place: Place::First }
    }

    /// Takes a bracket.
    fn open(&mut self) -> Result<()> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.problem("recursion limit exceeded")) } else { Ok(()) }
    }

    fn visit_array<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(b'[')?;
        self.open()?;
        self.visit_elements(visitor)
    }

    fn visit_object<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(b'{')?;
        self.open()?;
        self.visit_members(visitor)
    }

    fn visit_elements<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut elements = self.elements();
        let value = visitor.visit_seq(&mut elements)?;
        elements.leave()?;
        Ok(value)
    }

    fn visit_members<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut members = self.members();
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
            Some(digits) => Some(nearest(self.negative, digits, self.decimals)),
            None => self.text.parse().ok().filter(|value: &f64| value.is_finite()),
        }
    }
}

/// How many of eight bytes need no thought in a string, before the first quote, backslash or control character.
fn plain_bytes(eight: u64) -> usize {
    // The high bit of each byte that is below `limit`; right up to the first such byte.
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(repeated(limit)) & !bytes & repeated(0x80);
    let special = below(eight ^ repeated(b'"'), 1) | below(eight ^ repeated(b'\\'), 1) | below(eight, 0x20);
    special.trailing_zeros() as usize / 8
}

/// A position of two decimals without whitespace at the begin of a text, and its length.
#[inline(always)]
fn position_of_two(text: &[u8]) -> Option<([f64; 2], usize)> {
    let window = |at: usize| text.get(at..)?.first_chunk();
    let (longitude, length) = decimal(window(1)?)?;
    let comma = 1 + length;
    let (latitude, length) = decimal(window(comma + 1)?)?;
    let end = comma + 1 + length;
    let is_position = text[0] == b'[' && text.get(comma) == Some(&b',') && text.get(end) == Some(&b']');
    is_position.then_some(([longitude, latitude], end + 1))
}

/// A position that has been taken.
struct Position {
    numbers: [f64; 3],
    count: usize,
    next: usize,
}

impl<'t> SeqAccess<'t> for Position {
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

/// A value without parts, or what kind of parts follow.
pub enum Value<'t> {
    Null,
    Bool(bool),
    Positive(u64),
    Negative(i64),
    Float(f64),
    Text(Cow<'t, str>),
    Array,
    Object,
}

/// The elements of an array or the members of an object.
pub struct Parts<'s, 't> {
    pub scanner: &'s mut Scanner<'t>,
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
    pub fn advance(&mut self) -> Result<bool> {
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
    pub fn leave(mut self) -> Result<()> {
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
        match self.value()? {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Positive(number) => visitor.visit_u64(number),
            Value::Negative(number) => visitor.visit_i64(number),
            Value::Float(number) => visitor.visit_f64(number),
            Value::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Value::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Value::Array => self.visit_elements(visitor),
            Value::Object => self.visit_members(visitor),
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
        if name == POSITIONS {
            self.peek();
            let mut run = [[[0; 8]; 2]; RUN];
            let taken = self.take_positions(&mut run);
            if taken > 0 {
                return visitor.visit_bytes(run[..taken].as_flattened().as_flattened());
            }
        }
        if matches!(name, POSITION | POSITIONS)
            && let Some(position) = self.take_position()
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

    use super::*;
    use crate::json::JsonText;

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
            prop_assert_eq!(serde_json::to_value(JsonText(&text)).unwrap(), value);
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
