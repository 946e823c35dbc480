//! Values of any type in a scanned text.

use std::borrow::Cow;

use super::cursor::Scanner;
use super::error::Result;

/// A null, boolean, number or string; or that an array or object starts.
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
