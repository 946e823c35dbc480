//! The diagrams of a body, and the members of JSON objects, with their values as JSON text, for writers.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::features::read::visitors::{Properties, PropertiesSeed, forget_assumed_dates};
use crate::features::table::column_name;
use geodesign_geometry::json::{CowStr, JsonText, Scanner, ScannerError};

/// Reads the diagrams of a body that is known to be valid, one by one, until `write` returns `false`.
pub fn for_each_diagram<'t>(body: &'t str, write: impl FnMut(DiagramText<'t>) -> bool) -> Result<(), ScannerError> {
    Scanner::over_valid(body).deserialize_seq(DiagramsVisitor(write))
}

struct DiagramsVisitor<F>(F);

impl<'de, F: FnMut(DiagramText<'de>) -> bool> Visitor<'de> for DiagramsVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of diagrams")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(diagram) = seq.next_element()? {
            if !(self.0)(diagram) {
                break;
            }
        }
        Ok(())
    }
}

/// A diagram of the body: its fields and its features, with their values as JSON text.
pub struct DiagramText<'t> {
    pub fields: Members<'t>,
    pub features: Vec<FeatureText<'t>>,
}

#[derive(Default, Deserialize)]
struct FeaturesText<'t> {
    #[serde(borrow, default)]
    features: Vec<FeatureText<'t>>,
}

#[derive(Default, Deserialize)]
pub struct FeatureText<'t> {
    #[serde(borrow, default)]
    pub id: Option<JsonText<'t>>,
    #[serde(borrow, default)]
    pub properties: Members<'t>,
    #[serde(borrow, default)]
    pub geometry: Option<JsonText<'t>>,
}

impl<'de> Deserialize<'de> for DiagramText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DiagramVisitor)
    }
}

struct DiagramVisitor;

impl<'de> Visitor<'de> for DiagramVisitor {
    type Value = DiagramText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a diagram")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut diagram = DiagramText { fields: Members::default(), features: Vec::new() };
        while let Some(CowStr(key)) = map.next_key()? {
            match key.as_ref() {
                "geojson" => diagram.features = map.next_value::<Option<FeaturesText>>()?.unwrap_or_default().features,
                _ => diagram.fields.0.push((key, map.next_value()?)),
            }
        }
        forget_assumed_dates(&mut diagram.fields.0);
        Ok(diagram)
    }
}

/// The members of a JSON object, with their values as JSON text.
#[derive(Default)]
pub struct Members<'t>(pub Properties<'t>);

impl<'t> Members<'t> {
    pub fn of(text: &'t str) -> Result<Self, ScannerError> {
        PropertiesSeed.deserialize(&mut Scanner::over_valid(text)).map(Members)
    }

    /// The value of the last member of this name: where names repeat, JSON parsers take the last.
    pub fn get(&self, name: &str) -> Option<JsonText<'t>> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    pub fn by_column(&self) -> ByColumn<'_, 't> {
        match self.0.len() {
            ..=MAX_SEARCHED => ByColumn::Few(self),
            _ => ByColumn::Many(self.0.iter().map(|(name, value)| (column_name(name), *value)).collect()),
        }
    }
}

impl<'de: 't, 't> Deserialize<'de> for Members<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PropertiesSeed.deserialize(deserializer).map(Members)
    }
}

/// Up to this many members are searched one by one.
const MAX_SEARCHED: usize = 64;

/// The members by the name of their column.
pub enum ByColumn<'m, 't> {
    Few(&'m Members<'t>),
    Many(HashMap<&'m str, JsonText<'t>>),
}

impl<'t> ByColumn<'_, 't> {
    /// The value of the last member that belongs to this column.
    pub fn get(&self, column: &str) -> Option<JsonText<'t>> {
        match self {
            ByColumn::Few(Members(members)) => {
                members.iter().rev().find(|(name, _)| column_name(name) == column).map(|(_, value)| *value)
            }
            ByColumn::Many(values) => values.get(column).copied(),
        }
    }
}
