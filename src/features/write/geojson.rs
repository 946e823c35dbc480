//! Serializes a collection as GeoJSON: to the text of a file, or to Python objects.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use arrow_array::Array;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{Error, SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::features::body::Layout;
use crate::features::collection::FeatureCollection;
use crate::features::columns::json_values::{integer, number};
use crate::features::read::properties::{Properties, PropertiesSeed};
use crate::features::schema::{ColumnType, GEOMETRY, column_name, documented_type};
use crate::features::system_labels::FILLED_COLUMNS;
use crate::json::CowStr;
use crate::json::{JsonText, Scanner, ScannerError};

impl Serialize for FeatureCollection {
    /// Writes a GeoJSON FeatureCollection. One in the body is written unchanged, with its foreign members. Diagrams
    /// become features that all have the same properties, one for each column of the table. Properties without a column of their
    /// own are written only for the features that have them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (_, layout) = self.source();
        match layout {
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
    /// For [`Layout::Collection`].
    fn serialize_collection<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = Members::of(self.text()).map_err(S::Error::custom)?;
        match (members.get("features"), members.get("geojson")) {
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

/// The members of a JSON object, with their values as JSON text.
#[derive(Default)]
struct Members<'t>(Properties<'t>);

impl<'t> Members<'t> {
    fn of(text: &'t str) -> Result<Self, ScannerError> {
        PropertiesSeed.deserialize(&mut Scanner::over_valid(text)).map(Members)
    }

    /// The value of the last member of this name: where names repeat, JSON parsers take the last.
    fn get(&self, name: &str) -> Option<JsonText<'t>> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn by_column(&self) -> ByColumn<'_, 't> {
        match self.0.len() {
            ..=MAX_SEARCHED => ByColumn::Few(self),
            _ => ByColumn::Many(self.0.iter().map(|(name, value)| (column_name(name), *value)).collect()),
        }
    }
}

/// Among no more members than this, one is found by looking at all of them.
const MAX_SEARCHED: usize = 64;

/// The members by the name of their column.
enum ByColumn<'m, 't> {
    Few(&'m Members<'t>),
    Many(HashMap<&'m str, JsonText<'t>>),
}

impl<'t> ByColumn<'_, 't> {
    /// The value of the last member that belongs to this column.
    fn get(&self, column: &str) -> Option<JsonText<'t>> {
        match self {
            ByColumn::Few(Members(members)) => {
                members.iter().rev().find(|(name, _)| column_name(name) == column).map(|(_, value)| *value)
            }
            ByColumn::Many(values) => values.get(column).copied(),
        }
    }
}

/// A diagram of the body: its fields and its features, with their values as JSON text.
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

/// The features of all diagrams.
struct DiagramFeatures<'c> {
    collection: &'c FeatureCollection,
    diagrams: &'c [DiagramText<'c>],
}

impl Serialize for DiagramFeatures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.collection.table();
        let fields = table.properties.schema_ref().fields();
        let own_columns = fields.len() - usize::from(table.has_shared_column);
        let columns: Vec<_> =
            fields.iter().take(own_columns).map(|field| PropertyColumn::named(field.name())).collect();
        let columns = &columns;
        let names: HashSet<&str> = columns.iter().map(|column| column.name).collect();
        let names = table.has_shared_column.then_some(&names);
        let mut next_row = 0;
        serializer.collect_seq(self.diagrams.iter().flat_map(|diagram| {
            let first_row = next_row;
            next_row += diagram.features.len().max(1);
            let fields = diagram.fields.by_column();
            let diagram_values: Rc<[_]> =
                columns.iter().map(|column| column.diagram_value(&diagram.fields, &fields)).collect();
            let placeholder = diagram.features.is_empty().then_some(None);
            let features = diagram.features.iter().map(Some).chain(placeholder);
            features.enumerate().map(move |(index, feature)| {
                let row = first_row + index;
                DiagramFeature {
                    collection: self.collection,
                    row,
                    diagram,
                    feature,
                    columns,
                    names,
                    diagram_values: diagram_values.clone(),
                }
            })
        }))
    }
}

/// A column of the table, which is a property of every feature.
struct PropertyColumn<'c> {
    name: &'c str,
    /// The documented type.
    kind: Option<ColumnType>,
}

impl<'c> PropertyColumn<'c> {
    fn named(name: &'c str) -> Self {
        PropertyColumn { name, kind: documented_type(name) }
    }

    /// The value that a diagram has for this column.
    fn diagram_value<'t>(&self, fields: &Members<'t>, by_column: &ByColumn<'_, 't>) -> Option<JsonText<'t>> {
        if self.name == "diagramid" { fields.get("id") } else { by_column.get(self.name) }
    }

    fn value<'t>(&self, json: JsonText<'t>) -> PropertyValue<'t> {
        match self.kind.filter(|_| json.0.starts_with('"')) {
            Some(ColumnType::Integer) => integer(json.0).map_or(PropertyValue::Json(json), PropertyValue::Integer),
            Some(ColumnType::Number) => number(json.0).map_or(PropertyValue::Json(json), PropertyValue::Number),
            _ => PropertyValue::Json(json),
        }
    }
}

/// The value of a property. A number that the body has as text is written as a number if the column is one of numbers.
#[derive(Serialize)]
#[serde(untagged)]
enum PropertyValue<'t> {
    Json(JsonText<'t>),
    Integer(Option<i64>),
    Number(Option<f64>),
    /// A value that the body does not have: see [`FeatureCollection::with_labels`].
    Filled(&'t str),
}

/// A feature of a diagram; `None` stands for a diagram without features.
struct DiagramFeature<'c> {
    collection: &'c FeatureCollection,
    /// The row of the table.
    row: usize,
    diagram: &'c DiagramText<'c>,
    feature: Option<&'c FeatureText<'c>>,
    columns: &'c [PropertyColumn<'c>],
    /// The names of the columns, if there are properties without a column of their own.
    names: Option<&'c HashSet<&'c str>>,
    /// The value that the diagram has for each column.
    diagram_values: Rc<[Option<JsonText<'c>>]>,
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

/// The value for every column: the diagram's, or else the feature's, or else null. Then the properties without a column of
/// their own.
struct DiagramProperties<'c>(&'c DiagramFeature<'c>);

impl Serialize for DiagramProperties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DiagramFeature { feature, columns, diagram_values, .. } = self.0;
        let properties = feature.as_ref().map(|feature| feature.properties.by_column());
        let mut map = serializer.serialize_map(Some(columns.len()))?;
        for (column, diagram_value) in columns.iter().zip(&diagram_values[..]) {
            let value = diagram_value.or_else(|| properties.as_ref()?.get(column.name));
            let value = match value.filter(|value| value.0 != "null") {
                Some(value) => Some(column.value(value)),
                None => self.0.filled_value(column.name).map(PropertyValue::Filled),
            };
            map.serialize_entry(column.name, &value)?;
        }
        for (name, value) in self.0.without_column() {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

impl<'c> DiagramFeature<'c> {
    /// The properties that have no column of their own, each once, with the diagram's value or else the feature's.
    fn without_column(&self) -> Vec<(&'c str, JsonText<'c>)> {
        let Some(names) = self.names else { return Vec::new() };
        let of_feature = self.feature.map_or(&[][..], |feature| &feature.properties.0);
        let rare =
            of_feature.iter().chain(&self.diagram.fields.0).map(|(name, value): &(Cow<'c, str>, _)| (name, value));
        let (mut found, mut index_by_name) = (Vec::new(), HashMap::new());
        for (name, value) in rare.filter(|(name, _)| !names.contains(column_name(name))) {
            let index = *index_by_name.entry(&**name).or_insert(found.len());
            match found.get_mut(index) {
                Some((_, earlier)) => *earlier = *value,
                None => found.push((&**name, *value)),
            }
        }
        found
    }

    /// The value of a column that the collection got from the list of systems.
    fn filled_value(&self, column: &str) -> Option<&str> {
        self.collection.labels()?;
        let texts = self.collection.texts(column).filter(|_| FILLED_COLUMNS.contains(&column))?;
        texts.is_valid(self.row).then(|| texts.value(self.row))
    }
}
