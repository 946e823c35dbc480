//! JSON text, serialized as the value that it stands for.

use std::cell::RefCell;

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::JsonText;
use super::scanner::{Scanner, Value};

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        transcode(&mut Scanner::over_valid(self.0), serializer)
    }
}

/// The value that comes next in a text; to be serialized once.
struct Next<'s, 't>(RefCell<&'s mut Scanner<'t>>);

impl Serialize for Next<'_, '_> {
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
        Value::Text(text) => serializer.serialize_str(&text),
        Value::Array => {
            let mut list = serializer.serialize_seq(None)?;
            let mut elements = scanner.elements();
            while elements.advance().map_err(S::Error::custom)? {
                match elements.scanner.take_position_of_two() {
                    Some(position) => list.serialize_element(&position)?,
                    None => list.serialize_element(&Next(RefCell::new(elements.scanner)))?,
                }
            }
            elements.leave().map_err(S::Error::custom)?;
            list.end()
        }
        Value::Object => {
            let mut map = serializer.serialize_map(None)?;
            let mut members = scanner.members();
            while members.advance().map_err(S::Error::custom)? {
                let key = members.scanner.text().map_err(S::Error::custom)?;
                members.scanner.take(b':').map_err(S::Error::custom)?;
                map.serialize_entry(&*key, &Next(RefCell::new(members.scanner)))?;
            }
            members.leave().map_err(S::Error::custom)?;
            map.end()
        }
    }
}
