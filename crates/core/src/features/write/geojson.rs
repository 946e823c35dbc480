//! Serializes a collection as GeoJSON: to the text of a file, or to Python objects.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use arrow_array::Array;
use serde::Serialize;
use serde::ser::{Error, SerializeMap, SerializeSeq, Serializer};

use super::diagram_texts::{ByColumn, DiagramText, FeatureText, Members, for_each_diagram};
use crate::features::collection::FeatureCollection;
use crate::features::columns::cells::{integer, number};
use crate::features::read::Layout;
use crate::features::table::{ColumnType, FILLED_COLUMNS, GEOMETRY, column_name, documented_type};
use geodesign_geometry::json::JsonText;

impl Serialize for FeatureCollection {
    /// Writes a GeoJSON FeatureCollection. One in the body is written unchanged, with its foreign members. Diagrams
    /// become features that all have the same properties, one for each column of the table. Properties without a column of their
    /// own are written only for the features that have them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (_, layout) = self.source();
        match layout {
            Layout::Collection => self.serialize_collection(serializer),
            Layout::Diagrams => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "FeatureCollection")?;
                map.serialize_entry("features", &DiagramFeatures(self))?;
                map.end()
            }
        }
    }
}

impl FeatureCollection {
    /// Writes a body of [`Layout::Collection`].
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

/// The features of all diagrams.
struct DiagramFeatures<'c>(&'c FeatureCollection);

impl Serialize for DiagramFeatures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DiagramFeatures(collection) = *self;
        let table = collection.table();
        let fields = table.properties.schema_ref().fields();
        let own_columns = fields.len() - usize::from(table.has_shared_column);
        let columns: Vec<_> =
            fields.iter().take(own_columns).map(|field| PropertyColumn::named(field.name())).collect();
        let columns = &columns;
        let names: HashSet<&str> = columns.iter().map(|column| column.name).collect();
        let names = table.has_shared_column.then_some(&names);
        let mut list = serializer.serialize_seq(None)?;
        let (mut row, mut written) = (0, Ok(()));
        let mut write = |diagram: &DiagramText| {
            let fields = diagram.fields.by_column();
            let diagram_values: Vec<_> =
                columns.iter().map(|column| column.diagram_value(&diagram.fields, &fields)).collect();
            let diagram_values = &diagram_values;
            let placeholder = diagram.features.is_empty().then_some(None);
            diagram.features.iter().map(Some).chain(placeholder).try_for_each(|feature| {
                let feature = DiagramFeature { collection, row, diagram, feature, columns, names, diagram_values };
                row += 1;
                list.serialize_element(&feature)
            })
        };
        let read = for_each_diagram(collection.text(), |diagram| {
            written = write(&diagram);
            written.is_ok()
        });
        written?;
        read.map_err(S::Error::custom)?;
        list.end()
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

    /// Returns the diagram's value for this column.
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
    /// A value that is missing in the body: see [`FeatureCollection::with_labels`].
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
    diagram_values: &'c [Option<JsonText<'c>>],
}

impl Serialize for DiagramFeature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "Feature")?;
        if let Some(id) = self.feature.and_then(|feature| feature.id) {
            map.serialize_entry("id", &id)?;
        }
        map.serialize_entry("properties", &DiagramProperties(self))?;
        map.serialize_entry(GEOMETRY, &self.feature.and_then(|feature| feature.geometry.as_ref()))?;
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
        for (column, diagram_value) in columns.iter().zip(*diagram_values) {
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
