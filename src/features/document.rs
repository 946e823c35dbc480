//! The collection as GeoJSON, for any serializer: text for a file, Python objects for a notebook.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::reader::PropertiesSeed;
use super::schema::{GEOMETRY, column_name};
use super::{FeatureCollection, Layout};
use crate::geometry::Text;

impl Serialize for FeatureCollection {
    /// A GeoJSON FeatureCollection. One that arrived as such is passed on whole, foreign members included; diagrams
    /// become features that all have the same properties, those of the columns.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.layout {
            Layout::Collection => self.serialize_collection(serializer),
            Layout::Diagrams => {
                let diagrams: Vec<DiagramText> = serde_json::from_str(self.text()).map_err(S::Error::custom)?;
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
            (None, Some(geojson)) if geojson.get() != "null" => Json(geojson.get()).serialize(serializer),
            _ => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "FeatureCollection")?;
                map.serialize_entry("features", &[(); 0])?;
                map.end()
            }
        }
    }
}

/// JSON text, serialized as the value that it stands for.
struct Json<'t>(&'t str);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_transcode::transcode(&mut serde_json::Deserializer::from_str(self.0), serializer)
    }
}

/// The members of a JSON object, values as their text.
struct Members<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'t> Members<'t> {
    fn of(text: &'t str) -> serde_json::Result<Self> {
        PropertiesSeed.deserialize(&mut serde_json::Deserializer::from_str(text)).map(Members)
    }

    /// The last member of that name, as JSON readers have it.
    fn get(&self, name: &str) -> Option<&'t RawValue> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }
}

/// A diagram of the list: its own fields, and its features as text.
struct DiagramText<'t> {
    fields: Members<'t>,
    features: Vec<&'t RawValue>,
}

impl<'de> serde::Deserialize<'de> for DiagramText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Members(PropertiesSeed.deserialize(deserializer)?);
        let features = match fields.get("geojson") {
            Some(geojson) => features_of(geojson.get()).map_err(serde::de::Error::custom)?,
            None => Vec::new(),
        };
        Ok(DiagramText { fields, features })
    }
}

fn features_of(geojson: &str) -> serde_json::Result<Vec<&RawValue>> {
    match Members::of(geojson)?.get("features") {
        Some(features) => serde_json::from_str(features.get()),
        None => Ok(Vec::new()),
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
            let features = diagram.features.iter().map(|feature| Some(*feature)).chain(alone);
            features.map(move |feature| DiagramFeature { diagram, feature, names })
        }))
    }
}

/// A feature of a diagram, or a diagram without any.
struct DiagramFeature<'c> {
    diagram: &'c DiagramText<'c>,
    feature: Option<&'c RawValue>,
    names: &'c [&'c str],
}

impl Serialize for DiagramFeature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let feature = self.feature.map_or("{}", RawValue::get);
        let feature: FeatureText = serde_json::from_str(feature).map_err(S::Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "Feature")?;
        if let Some(id) = feature.id {
            map.serialize_entry("id", &Json(id.get()))?;
        }
        let properties = DiagramProperties { diagram: self.diagram, own: &feature.properties, names: self.names };
        map.serialize_entry("properties", &properties)?;
        map.serialize_entry(GEOMETRY, &feature.geometry.map(|geometry| Json(geometry.get())))?;
        map.end()
    }
}

#[derive(Default)]
struct FeatureText<'t> {
    id: Option<&'t RawValue>,
    properties: Vec<(Cow<'t, str>, &'t RawValue)>,
    geometry: Option<&'t RawValue>,
}

impl<'de> serde::Deserialize<'de> for FeatureText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FeatureVisitor;

        impl<'de> Visitor<'de> for FeatureVisitor {
            type Value = FeatureText<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a GeoJSON feature")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut feature = FeatureText::default();
                while let Some(Text(key)) = map.next_key()? {
                    match key.as_ref() {
                        "id" => feature.id = Some(map.next_value()?),
                        "properties" => feature.properties = map.next_value_seed(PropertiesSeed)?,
                        "geometry" => feature.geometry = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(feature)
            }
        }

        deserializer.deserialize_map(FeatureVisitor)
    }
}

/// A value for every column: the diagram's, else the feature's, else null.
struct DiagramProperties<'c> {
    diagram: &'c DiagramText<'c>,
    own: &'c [(Cow<'c, str>, &'c RawValue)],
    names: &'c [&'c str],
}

impl Serialize for DiagramProperties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = &self.diagram.fields;
        let mut map = serializer.serialize_map(Some(self.names.len()))?;
        for name in self.names {
            let of_diagram = match *name {
                "diagramid" => fields.get("id"),
                _ => find(&fields.0, name),
            };
            let value = of_diagram.or_else(|| find(self.own, name));
            map.serialize_entry(name, &value.map(|value| Json(value.get())))?;
        }
        map.end()
    }
}

fn find<'t>(members: &[(Cow<'t, str>, &'t RawValue)], column: &str) -> Option<&'t RawValue> {
    members.iter().rev().find(|(name, _)| column_name(name) == column).map(|(_, value)| *value)
}
