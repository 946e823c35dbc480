//! Values of any type in a scanned text, and the scanner as a deserializer of serde.

use std::borrow::Cow;

use memchr::memchr3;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Items, Result, Scanner, ScannerError};

/// A null, boolean, number or string, or the start of an array or object.
pub enum Value<'t> {
    Null,
    Bool(bool),
    Positive(u64),
    Negative(i64),
    Float(f64),
    String(Cow<'t, str>),
    /// Its [elements](Scanner::elements) follow.
    Array,
    /// Its [members](Scanner::members) follow.
    Object,
}

impl<'t> Scanner<'t> {
    /// Takes a null, boolean, number or string, or the opening bracket of an array or object.
    #[inline]
    pub fn value(&mut self) -> Result<Value<'t>> {
        Ok(match self.peek() {
            Some(b'"') => Value::String(self.string()?),
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
                let integer = number.is_integer.then_some(number.text);
                if let Some(positive) = integer.and_then(|text| text.parse().ok()) {
                    return Ok(Value::Positive(positive));
                }
                match integer.filter(|text| *text != "-0").and_then(|text| text.parse().ok()) {
                    Some(negative) => Value::Negative(negative),
                    None => Value::Float(number.as_float().ok_or_else(|| self.error("number out of range"))?),
                }
            }
        })
    }
}

/// Name of a newtype struct to be read as a value's JSON text.
pub const JSON_TEXT: &str = "geodesign::JsonText";

/// Name of a tuple struct for a position: an array of numbers, mostly two or three.
pub const POSITION: &str = "geodesign::Position";

/// Name of a tuple struct for a position in an array of positions. In place of one position, the scanner may visit several consecutive
/// ones of two numbers each, as bytes: eight native-endian bytes per number.
pub const POSITIONS: &str = "geodesign::Positions";

/// At most this many positions are visited together.
const MAX_POSITIONS: usize = 64;

impl<'t> Scanner<'t> {
    #[inline]
    fn visit_string<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
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
        elements.finish()?;
        Ok(value)
    }

    fn visit_members<V: Visitor<'t>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut members = self.members();
        let value = visitor.visit_map(&mut members)?;
        members.finish()?;
        Ok(value)
    }

    /// Takes a complete value of any type.
    fn skip(&mut self) -> Result<()> {
        match self.peek() {
            Some(b'"') => self.raw_string().map(drop),
            Some(b'{') if self.is_valid => self.skip_valid(b'{', b'}'),
            Some(b'[') if self.is_valid => self.skip_valid(b'[', b']'),
            Some(b'{') => self.visit_object(IgnoredAny).map(drop),
            Some(b'[') => self.visit_array(IgnoredAny).map(drop),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => match self.decimal() {
                Some(_) => Ok(()),
                None => self.number().map(drop),
            },
        }
    }

    /// Takes an object or array of a valid text by counting its brackets, except those inside strings.
    fn skip_valid(&mut self, open: u8, close: u8) -> Result<()> {
        let mut depth = 0_usize;
        loop {
            let rest = &self.text.as_bytes()[self.offset..];
            let next = memchr3(open, close, b'"', rest).ok_or_else(|| self.error("a value without an end"))?;
            self.offset += next;
            match rest[next] {
                b'"' => drop(self.raw_string()?),
                bracket => {
                    self.offset += 1;
                    depth = if bracket == open { depth + 1 } else { depth.saturating_sub(1) };
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
        }
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
            Value::String(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Value::String(Cow::Owned(text)) => visitor.visit_string(text),
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
            let mut positions = [[[0; 8]; 2]; MAX_POSITIONS];
            let taken = self.take_lon_lats(&mut positions);
            if taken > 0 {
                return visitor.visit_bytes(positions[..taken].as_flattened().as_flattened());
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
        let start = self.offset;
        self.skip()?;
        visitor.visit_borrowed_str(&self.text[start..self.offset])
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

impl<'t> SeqAccess<'t> for &mut Items<'_, 't> {
    type Error = ScannerError;

    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.scanner).map(Some)
    }
}

impl<'t> MapAccess<'t> for &mut Items<'_, 't> {
    type Error = ScannerError;

    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        if self.scanner.peek() != Some(b'"') {
            return Err(self.scanner.error("expected a key"));
        }
        seed.deserialize(&mut *self.scanner).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value> {
        self.scanner.take(b':')?;
        seed.deserialize(&mut *self.scanner)
    }
}
