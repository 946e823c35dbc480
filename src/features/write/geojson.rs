//! The collection as GeoJSON, for any serializer: text for a file, Python objects for a notebook.

use std::borrow::Cow;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{Error, SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::features::read::columns::{integer, number};
use crate::features::read::parse::PropertiesSeed;
use crate::features::schema::{ColumnType, GEOMETRY, column_name, documented_type};
use crate::features::{FeatureCollection, Layout};
use crate::json::{CowStr, JsonText, Scanner, ScannerError};

impl Serialize for FeatureCollection {
    /// A GeoJSON FeatureCollection. One that arrived as such is passed on whole, foreign members included; diagrams
    /// become features that all have the same properties, those of the columns.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.layout {
            Layout::Collection => self.serialize_collection(serializer),
            Layout::Diagrams => {
                let diagrams =
                    Vec::<DiagramText>::deserialize(&mut Scanner::over_valid(self.text())).map_err(S::Error::custom)?;
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "FeatureCollection")?;
                map.serialize_entry("features", &DiagramFeatures { collection: self, diagrams: &diagrams })?;
                map.end()
            }
        }
    }
}

impl FeatureCollection {
    fn serialize_collection<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let top = Members::of(self.text()).map_err(S::Error::custom)?;
        match (top.get("features"), top.get("geojson")) {
            (Some(_), _) => JsonText(self.text()).serialize(serializer),
            (None, Some(geojson)) if geojson.0 != "null" => geojson.serialize(serializer),
            _ => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "FeatureCollection")?;
                map.serialize_entry("features", &Vec::<()>::new())?;
                map.end()
            }
        }
    }
}

/// The members of a JSON object, values as their text.
#[derive(Default)]
struct Members<'t>(Vec<(Cow<'t, str>, JsonText<'t>)>);

impl<'t> Members<'t> {
    fn of(text: &'t str) -> Result<Self, ScannerError> {
        PropertiesSeed.deserialize(&mut Scanner::over_valid(text)).map(Members)
    }

    /// The last member of that name, as JSON readers have it.
    fn get(&self, name: &str) -> Option<JsonText<'t>> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn of_column(&self, column: &str) -> Option<JsonText<'t>> {
        self.0.iter().rev().find(|(name, _)| column_name(name) == column).map(|(_, value)| *value)
    }
}

/// A diagram of the list: its own fields and its features, values as text. One pass over the body makes them all.
struct DiagramText<'t> {
    fields: Members<'t>,
    features: Vec<FeatureText<'t>>,
}

#[derive(Default, Deserialize)]
struct FeaturesText<'t> {
    #[serde(borrow, default)]
    features: Vec<FeatureText<'t>>,
}

#[derive(Default, Deserialize)]
struct FeatureText<'t> {
    #[serde(borrow, default)]
    id: Option<JsonText<'t>>,
    #[serde(borrow, default)]
    properties: Members<'t>,
    #[serde(borrow, default)]
    geometry: Option<JsonText<'t>>,
}

impl<'de: 't, 't> Deserialize<'de> for Members<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PropertiesSeed.deserialize(deserializer).map(Members)
    }
}

impl<'de> Deserialize<'de> for DiagramText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DiagramVisitor)
    }
}

struct DiagramVisitor;

impl<'de> Visitor<'de> for DiagramVisitor {
    type Value = DiagramText<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
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
        Ok(diagram)
    }
}

struct DiagramFeatures<'c> {
    collection: &'c FeatureCollection,
    diagrams: &'c [DiagramText<'c>],
}

impl Serialize for DiagramFeatures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.collection.table().properties.schema_ref().fields();
        let columns: Vec<_> = fields.iter().map(|field| DocumentColumn::named(field.name())).collect();
        let columns = &columns;
        serializer.collect_seq(self.diagrams.iter().flat_map(|diagram| {
            let of_diagram: Rc<[_]> = columns.iter().map(|column| column.of_diagram(&diagram.fields)).collect();
            let alone = diagram.features.is_empty().then_some(None);
            let features = diagram.features.iter().map(Some).chain(alone);
            features.map(move |feature| DiagramFeature { feature, columns, of_diagram: of_diagram.clone() })
        }))
    }
}

/// A column of the collection as a property of its features.
struct DocumentColumn<'c> {
    name: &'c str,
    kind: Option<ColumnType>,
}

impl<'c> DocumentColumn<'c> {
    fn named(name: &'c str) -> Self {
        DocumentColumn { name, kind: documented_type(name) }
    }

    fn of_diagram<'t>(&self, fields: &Members<'t>) -> Option<JsonText<'t>> {
        if self.name == "diagramid" { fields.get("id") } else { fields.of_column(self.name) }
    }

    fn value<'t>(&self, json: JsonText<'t>) -> DocumentValue<'t> {
        match self.kind.filter(|_| json.0.starts_with('"')) {
            Some(ColumnType::Integer) => integer(json.0).map_or(DocumentValue::Json(json), DocumentValue::Integer),
            Some(ColumnType::Number) => number(json.0).map_or(DocumentValue::Json(json), DocumentValue::Number),
            _ => DocumentValue::Json(json),
        }
    }
}

/// A value of a property. A number that arrived as text is a number here as well as in the column.
#[derive(Serialize)]
#[serde(untagged)]
enum DocumentValue<'t> {
    Json(JsonText<'t>),
    Integer(Option<i64>),
    Number(Option<f64>),
}

/// A feature of a diagram, or a diagram without any.
struct DiagramFeature<'c> {
    feature: Option<&'c FeatureText<'c>>,
    columns: &'c [DocumentColumn<'c>],
    /// What the diagram has for each column.
    of_diagram: Rc<[Option<JsonText<'c>>]>,
}

impl Serialize for DiagramFeature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "Feature")?;
        if let Some(id) = self.feature.and_then(|feature| feature.id) {
            map.serialize_entry("id", &id)?;
        }
        map.serialize_entry("properties", &DiagramProperties(self))?;
        map.serialize_entry(GEOMETRY, &self.feature.and_then(|feature| feature.geometry))?;
        map.end()
    }
}

/// A value for every column: the diagram's, else the feature's, else null.
struct DiagramProperties<'c>(&'c DiagramFeature<'c>);

impl Serialize for DiagramProperties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DiagramFeature { feature, columns, of_diagram } = self.0;
        let mut map = serializer.serialize_map(Some(columns.len()))?;
        for (column, of_diagram) in columns.iter().zip(&of_diagram[..]) {
            let value = of_diagram.or_else(|| feature.as_ref()?.properties.of_column(column.name));
            map.serialize_entry(column.name, &value.map(|value| column.value(value)))?;
        }
        map.end()
    }
}
