//! JSON objects with any fields.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON object with any fields. As the flattened field `extra` of a resource it holds the fields that the resource does not
/// declare, and writes them again as they were read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonObject(pub Map<String, Value>);

impl JsonObject {
    pub fn new() -> Self {
        JsonObject::default()
    }
}

impl Deref for JsonObject {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for JsonObject {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
