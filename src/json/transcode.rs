//! Serializes JSON text as the value that it stands for, without a tree of values in between.

use std::cell::RefCell;

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::json_text::JsonText;
use super::scanner::{Scanner, Value};

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        transcode(&mut Scanner::over_valid(self.0), serializer)
    }
}

/// The next value of the scanned text. It can be serialized only once, since that moves the scanner on.
struct NextValue<'s, 't>(RefCell<&'s mut Scanner<'t>>);

impl Serialize for NextValue<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        transcode(&mut self.0.borrow_mut(), serializer)
    }
}

fn transcode<S: Serializer>(scanner: &mut Scanner, serializer: S) -> Result<S::Ok, S::Error> {
    match scanner.value().map_err(S::Error::custom)? {
        Value::Null => serializer.serialize_unit(),
        Value::Bool(value) => serializer.serialize_bool(value),
        Value::Positive(number) => serializer.serialize_u64(number),
        Value::Negative(number) => serializer.serialize_i64(number),
        Value::Float(number) => serializer.serialize_f64(number),
        Value::String(text) => serializer.serialize_str(&text),
        Value::Array => {
            let mut list = serializer.serialize_seq(None)?;
            let mut elements = scanner.elements();
            while elements.advance().map_err(S::Error::custom)? {
                match elements.scanner.take_lon_lat() {
                    Some(position) => list.serialize_element(&position)?,
                    None => list.serialize_element(&NextValue(RefCell::new(elements.scanner)))?,
                }
            }
            elements.finish().map_err(S::Error::custom)?;
            list.end()
        }
        Value::Object => {
            let mut map = serializer.serialize_map(None)?;
            let mut members = scanner.members();
            while members.advance().map_err(S::Error::custom)? {
                let key = members.scanner.string().map_err(S::Error::custom)?;
                members.scanner.take(b':').map_err(S::Error::custom)?;
                map.serialize_entry(&*key, &NextValue(RefCell::new(members.scanner)))?;
            }
            members.finish().map_err(S::Error::custom)?;
            map.end()
        }
    }
}
