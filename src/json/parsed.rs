//! JSON values that one thread reads and another one serializes.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::scanner::{Scanner, ScannerError};
use super::text::JsonText;

/// A JSON value whose decimals have been read, which is most of the work of reading a geometry. Serializing writes the same value
/// as its [`JsonText`].
pub enum ParsedJson<'t> {
    Array(Vec<ParsedJson<'t>>),
    Object(Vec<(Cow<'t, str>, ParsedJson<'t>)>),
    /// An array of two decimals.
    LonLat([f64; 2]),
    /// An array of such arrays, and of nothing else.
    LonLats(Vec<[f64; 2]>),
    Decimal(f64),
    /// Any other value.
    Text(JsonText<'t>),
}

impl<'de: 't, 't> Deserialize<'de> for ParsedJson<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let JsonText(text) = JsonText::deserialize(deserializer)?;
        ParsedJson::read(&mut Scanner::over_valid(text)).map_err(D::Error::custom)
    }
}

impl<'t> ParsedJson<'t> {
    fn read(scanner: &mut Scanner<'t>) -> Result<Self, ScannerError> {
        match scanner.peek() {
            Some(b'[') => ParsedJson::read_array(scanner),
            Some(b'{') => ParsedJson::read_object(scanner),
            _ => match scanner.decimal() {
                Some(decimal) => Ok(ParsedJson::Decimal(decimal)),
                None => JsonText::deserialize(scanner).map(ParsedJson::Text),
            },
        }
    }

    fn read_array(scanner: &mut Scanner<'t>) -> Result<Self, ScannerError> {
        let (mut positions, mut values) = (Vec::new(), Vec::new());
        scanner.open()?;
        let mut elements = scanner.elements();
        while elements.advance()? {
            match elements.scanner.take_lon_lat() {
                Some(position) if values.is_empty() => positions.push(position),
                Some(position) => values.push(ParsedJson::LonLat(position)),
                None => {
                    values.extend(positions.drain(..).map(ParsedJson::LonLat));
                    values.push(ParsedJson::read(elements.scanner)?);
                }
            }
        }
        elements.finish()?;
        Ok(if positions.is_empty() { ParsedJson::Array(values) } else { ParsedJson::LonLats(positions) })
    }

    fn read_object(scanner: &mut Scanner<'t>) -> Result<Self, ScannerError> {
        let mut values = Vec::new();
        scanner.open()?;
        let mut members = scanner.members();
        while members.advance()? {
            let key = members.scanner.string()?;
            members.scanner.take(b':')?;
            values.push((key, ParsedJson::read(members.scanner)?));
        }
        members.finish()?;
        Ok(ParsedJson::Object(values))
    }
}

impl Serialize for ParsedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ParsedJson::Array(elements) => {
                let mut list = serializer.serialize_seq(Some(elements.len()))?;
                elements.iter().try_for_each(|element| list.serialize_element(element))?;
                list.end()
            }
            ParsedJson::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(key, value)| map.serialize_entry(&**key, value))?;
                map.end()
            }
            ParsedJson::LonLat(position) => position.serialize(serializer),
            ParsedJson::LonLats(positions) => positions.serialize(serializer),
            ParsedJson::Decimal(decimal) => serializer.serialize_f64(*decimal),
            ParsedJson::Text(text) => text.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_was_read_before_is_written_like_its_text() {
        for text in [
            r#"{"type":"Polygon","coordinates":[[[-74.15,40.57],[-74.14,40.57,12.5],[1,2],[-74.15,40.57]]]}"#,
            r#"{"coordinates" : [ [-0.0, 1.5], [1e3, 2.5] ],"type":"LineString","bbox":[-74.15,40.5,1,2]}"#,
            r#"[null,true,-7,18446744073709551615,"a\nb",{},[],{"a":1.5,"a":2.5}]"#,
            "[[1.5,2.5],[3.5,4.5],7,[5.5,6.5],[8.5,9.5,0.5]]",
            "null",
        ] {
            let parsed: ParsedJson = ParsedJson::deserialize(&mut Scanner::new(text)).unwrap();
            let (ours, of_text) =
                (serde_json::to_string(&parsed).unwrap(), serde_json::to_string(&JsonText(text)).unwrap());
            assert_eq!(ours, of_text, "{text}");
        }
    }
}
