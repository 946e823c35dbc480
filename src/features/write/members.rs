//! The members of JSON objects, by name and by column.

use std::collections::HashMap;

use serde::de::{Deserialize, DeserializeSeed, Deserializer};

use crate::features::read::visitors::{Properties, PropertiesSeed};
use crate::features::table::column_name;
use crate::json::{JsonText, Scanner, ScannerError};

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

/// Among no more members than this, one is found by looking at all of them.
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
