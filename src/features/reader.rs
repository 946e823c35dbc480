//! From the text of a body to columns, in one pass.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use arrow_array::RecordBatch;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::columns::Columns;
use super::{BodyError, Layout};
use crate::geometry::{Geometry, GeometrySeed, Text};
use crate::json;
use crate::model::Bounds;

pub struct Read {
    pub columns: RecordBatch,
    pub metadata: Map<String, Value>,
    pub bounds: Option<Bounds>,
}

pub fn read(text: &str, layout: Layout) -> Result<Read, BodyError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let whole = BodySeed(layout).deserialize(&mut json).and_then(|read| json.end().map(|()| read));
    let (columns, metadata) = whole.map_err(|error| locate(text, layout, &error))?;
    let (columns, bounds) =
        columns.finish().map_err(|problem| BodyError::Invalid { at: "the whole body".into(), problem })?;
    Ok(Read { columns, metadata, bounds })
}

/// Reads once more, slowly, to learn the path of what went wrong.
fn locate(text: &str, layout: Layout, error: &serde_json::Error) -> BodyError {
    let mut track = serde_path_to_error::Track::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let again = BodySeed(layout).deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    let at = match again {
        Err(_) => track.path().to_string(),
        Ok(_) => "after the end".into(),
    };
    BodyError::Invalid { at, problem: json::explain(text.as_bytes(), error) }
}

struct BodySeed(Layout);

impl<'de> DeserializeSeed<'de> for BodySeed {
    type Value = (Columns, Map<String, Value>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match self.0 {
            Layout::Collection => deserializer.deserialize_map(CollectionVisitor),
            Layout::Diagrams => {
                let mut columns = Columns::of_diagrams();
                deserializer.deserialize_seq(ListVisitor { columns: &mut columns, element: Element::Diagram })?;
                Ok((columns, Map::new()))
            }
        }
    }
}

/// A FeatureCollection, or an object that has one as its `geojson`.
struct CollectionVisitor;

impl<'de> Visitor<'de> for CollectionVisitor {
    type Value = (Columns, Map<String, Value>);

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON FeatureCollection, or an object whose \"geojson\" is one")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut columns = Columns::default();
        let mut metadata = Map::new();
        let (mut plain, mut wrapped) = (false, false);
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "features" if !wrapped => {
                    plain = true;
                    map.next_value_seed(ListSeed { columns: &mut columns, element: Element::Feature })?;
                }
                "geojson" if !plain => {
                    wrapped = true;
                    map.next_value_seed(GeojsonSeed(&mut columns))?;
                }
                _ => drop(metadata.insert(key.into_owned(), map.next_value()?)),
            }
        }
        if plain {
            metadata.remove("type");
        } else if !wrapped {
            return Err(A::Error::custom("neither \"features\" nor \"geojson\" is there"));
        }
        Ok((columns, metadata))
    }
}

/// The value of `geojson`: a FeatureCollection or null.
struct GeojsonSeed<'c>(&'c mut Columns);

impl<'de> DeserializeSeed<'de> for GeojsonSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for GeojsonSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON FeatureCollection or null")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(Text(key)) = map.next_key()? {
            if key == "features" {
                found = true;
                map.next_value_seed(ListSeed { columns: &mut *self.0, element: Element::Feature })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if found { Ok(()) } else { Err(A::Error::missing_field("features")) }
    }
}

#[derive(Clone, Copy)]
enum Element {
    Feature,
    Diagram,
}

/// An array of features or of diagrams.
struct ListSeed<'c> {
    columns: &'c mut Columns,
    element: Element,
}

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(ListVisitor { columns: self.columns, element: self.element })
    }
}

struct ListVisitor<'c> {
    columns: &'c mut Columns,
    element: Element,
}

impl<'de> Visitor<'de> for ListVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.element {
            Element::Feature => "an array of GeoJSON features",
            Element::Diagram => "an array of diagrams",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let ListVisitor { columns, element } = self;
        while seq.next_element_seed(ElementSeed { columns: &mut *columns, element })?.is_some() {}
        Ok(())
    }
}

struct ElementSeed<'c> {
    columns: &'c mut Columns,
    element: Element,
}

impl<'de> DeserializeSeed<'de> for ElementSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ElementSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.element {
            Element::Feature => "a GeoJSON feature",
            Element::Diagram => "a diagram",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match self.element {
            Element::Feature => read_feature(self.columns, map),
            Element::Diagram => read_diagram(self.columns, map),
        }
    }
}

type Properties<'de> = Vec<(Cow<'de, str>, &'de RawValue)>;

fn read_feature<'de, A: MapAccess<'de>>(columns: &mut Columns, mut map: A) -> Result<(), A::Error> {
    let mut properties = Properties::new();
    let mut geometry: Option<Geometry> = None;
    while let Some(Text(key)) = map.next_key()? {
        match key.as_ref() {
            "properties" => properties = map.next_value_seed(PropertiesSeed)?,
            "geometry" => geometry = map.next_value_seed(GeometrySeed)?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    let row = columns.add_row(geometry.as_ref());
    set_all(columns, row..row + 1, &properties)
}

/// One row per feature, the diagram's fields over the features' own; one row in any case.
fn read_diagram<'de, A: MapAccess<'de>>(columns: &mut Columns, mut map: A) -> Result<(), A::Error> {
    let first = columns.rows();
    let mut fields = Properties::new();
    while let Some(Text(key)) = map.next_key()? {
        match key.as_ref() {
            "geojson" => map.next_value_seed(GeojsonSeed(columns))?,
            _ => fields.push((key, map.next_value()?)),
        }
    }
    let id = fields.iter().rev().find(|(name, _)| name == "id").map(|(_, id)| *id);
    let Some(id) = id.filter(|id| !matches!(id.get(), "null" | "\"\"")) else {
        return Err(A::Error::missing_field("id"));
    };
    if columns.rows() == first {
        columns.add_row(None);
    }
    let rows = first..columns.rows();
    columns.set(rows.clone(), "diagramid", id.get()).map_err(A::Error::custom)?;
    set_all(columns, rows, &fields)
}

fn set_all<E: Error>(columns: &mut Columns, rows: Range<usize>, properties: &Properties) -> Result<(), E> {
    properties.iter().try_for_each(|(name, value)| columns.set(rows.clone(), name, value.get()).map_err(E::custom))
}

/// The properties of a feature, values as their JSON text; null is no properties.
pub struct PropertiesSeed;

impl<'de> DeserializeSeed<'de> for PropertiesSeed {
    type Value = Properties<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for PropertiesSeed {
    type Value = Properties<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or null")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut properties = Vec::with_capacity(map.size_hint().unwrap_or(16));
        while let Some((Text(name), value)) = map.next_entry()? {
            properties.push((name, value));
        }
        Ok(properties)
    }
}
