//! The collection as GeoJSON, for any serializer: text for a file, Python objects for a notebook.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{Error, Serialize, SerializeMap, Serializer};

use super::reader::PropertiesSeed;
use super::schema::{ColumnType, GEOMETRY, column_name, documented_type};
use super::{FeatureCollection, Layout};
use crate::geometry::Text;
use crate::json::{JsonText, Scanner, ScannerError};

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
            (Some(_), _) => Json(self.text()).serialize(serializer),
            (None, Some(geojson)) if geojson.0 != "null" => Json(geojson.0).serialize(serializer),
            _ => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "FeatureCollection")?;
                map.serialize_entry("features", &Vec::<()>::new())?;
                map.end()
            }
        }
    }
}

/// JSON text, serialized as the value that it stands for.
struct Json<'t>(&'t str);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_transcode::transcode(&mut Scanner::over_valid(self.0), serializer)
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
        while let Some(Text(key)) = map.next_key()? {
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
        let schema = self.collection.columns.schema_ref();
        let names: Vec<&str> =
            schema.fields().iter().map(|field| field.name().as_str()).filter(|n| *n != GEOMETRY).collect();
        let names = &names;
        serializer.collect_seq(self.diagrams.iter().flat_map(|diagram| {
            let alone = diagram.features.is_empty().then_some(None);
            let features = diagram.features.iter().map(Some).chain(alone);
            features.map(move |feature| DiagramFeature { diagram, feature, names })
        }))
    }
}

/// A feature of a diagram, or a diagram without any.
struct DiagramFeature<'c> {
    diagram: &'c DiagramText<'c>,
    feature: Option<&'c FeatureText<'c>>,
    names: &'c [&'c str],
}

impl Serialize for DiagramFeature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "Feature")?;
        if let Some(id) = self.feature.and_then(|feature| feature.id) {
            map.serialize_entry("id", &Json(id.0))?;
        }
        let own = self.feature.map(|feature| &feature.properties);
        map.serialize_entry("properties", &DiagramProperties { diagram: self.diagram, own, names: self.names })?;
        let geometry = self.feature.and_then(|feature| feature.geometry);
        map.serialize_entry(GEOMETRY, &geometry.map(|geometry| Json(geometry.0)))?;
        map.end()
    }
}

/// A value for every column: the diagram's, else the feature's, else null.
struct DiagramProperties<'c> {
    diagram: &'c DiagramText<'c>,
    own: Option<&'c Members<'c>>,
    names: &'c [&'c str],
}

impl Serialize for DiagramProperties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = &self.diagram.fields;
        let mut map = serializer.serialize_map(Some(self.names.len()))?;
        for name in self.names {
            let of_diagram = match *name {
                "diagramid" => fields.get("id"),
                _ => fields.of_column(name),
            };
            let value = of_diagram.or_else(|| self.own?.of_column(name));
            map.serialize_entry(name, &value.map(|value| Json(as_column(name, value.0))))?;
        }
        map.end()
    }
}

/// A number that arrived as text is a number here as well as in the column.
fn as_column<'t>(name: &str, json: &'t str) -> &'t str {
    let is_number = matches!(documented_type(name), Some(ColumnType::Integer | ColumnType::Number));
    let quoted = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).map(str::trim);
    match quoted {
        Some("") if is_number => "null",
        Some(number) if is_number => number,
        _ => json,
    }
}
