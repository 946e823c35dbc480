//! Reads the rows of a body with any serde deserializer, so that the fast [`Scanner`](geodesign_geometry::json::Scanner) and
//! serde_json, which has the better errors, accept the same bodies.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::Layout;
use crate::features::columns::ChunkBuilder;
use crate::features::columns::cells::integer;
use crate::features::table::Measuring;
use crate::model::is_undated;
use geodesign_geometry::json::{CowStr, JsonText, null_is, seeds};
use geodesign_geometry::{Geometry, GeometrySeed, OTHER_CRS, ShapeKind, is_wgs84};

/// Reads a complete body: its rows as one chunk, and its members other than the features.
pub fn deserialize_body<'de, D: Deserializer<'de>>(
    deserializer: D,
    layout: Layout,
) -> Result<(ChunkBuilder, Map<String, Value>), D::Error> {
    match layout {
        Layout::Collection => deserializer.deserialize_map(CollectionVisitor),
        Layout::Diagrams => {
            let mut chunk = ChunkBuilder::for_diagrams(Measuring::Skip);
            ListSeed { chunk: &mut chunk, element: Element::Diagram }.deserialize(deserializer)?;
            Ok((chunk, Map::new()))
        }
    }
}

/// Reads a FeatureCollection, or an object whose `geojson` is one.
struct CollectionVisitor;

impl<'de> Visitor<'de> for CollectionVisitor {
    type Value = (ChunkBuilder, Map<String, Value>);

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON FeatureCollection, or an object whose \"geojson\" is one")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut chunk = ChunkBuilder::default();
        let mut metadata = Map::new();
        let (mut has_features, mut has_geojson, mut crs) = (false, false, None);
        while let Some(CowStr(key)) = map.next_key()? {
            match key.as_ref() {
                "features" if !has_geojson => {
                    has_features = true;
                    map.next_value_seed(ListSeed { chunk: &mut chunk, element: Element::Feature })?;
                }
                "geojson" if !has_features => {
                    has_geojson = true;
                    map.next_value_seed(GeojsonSeed(&mut chunk))?;
                }
                _ => {
                    let JsonText(value) = map.next_value()?;
                    crs = if key == "crs" { Some(value) } else { crs };
                    metadata.insert(key.into_owned(), serde_json::from_str(value).map_err(A::Error::custom)?);
                }
            }
        }
        if has_features && !is_wgs84(crs) {
            return Err(A::Error::custom(OTHER_CRS));
        }
        if is_without_dates(|name| Some(Cow::Owned(metadata.get(name)?.to_string()))) {
            metadata.extend(DATES.map(|name| (name.to_owned(), Value::Null)));
        }
        if metadata.contains_key("start_date") {
            metadata.remove("undated");
        }
        if has_features {
            metadata.remove("type");
        } else if !has_geojson {
            return Err(A::Error::custom("it has neither \"features\" nor \"geojson\""));
        }
        Ok((chunk, metadata))
    }
}

seeds! {
    GeojsonSeed<'_> => (), by deserialize_option;
    ListSeed<'_> => (), by deserialize_seq;
    ElementSeed<'_> => (), by deserialize_map;
    PropertiesSeed => Properties<'de>, by deserialize_option;
}

/// Reads the value of `geojson`: a FeatureCollection or null.
struct GeojsonSeed<'c>(&'c mut ChunkBuilder);

impl<'de> Visitor<'de> for GeojsonSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON FeatureCollection or null")
    }

    null_is! { () }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut found, mut crs) = (false, None);
        while let Some(CowStr(key)) = map.next_key()? {
            match key.as_ref() {
                "features" => {
                    found = true;
                    map.next_value_seed(ListSeed { chunk: &mut *self.0, element: Element::Feature })?;
                }
                "crs" => crs = Some(map.next_value::<JsonText>()?.0),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match found {
            false => Err(A::Error::missing_field("features")),
            true if !is_wgs84(crs) => Err(A::Error::custom(OTHER_CRS)),
            true => Ok(()),
        }
    }
}

/// Kind of an array's elements.
#[derive(Clone, Copy)]
pub enum Element {
    Feature,
    Diagram,
}

/// Reads an array of features or of diagrams.
struct ListSeed<'c> {
    chunk: &'c mut ChunkBuilder,
    element: Element,
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.element {
            Element::Feature => "an array of GeoJSON features",
            Element::Diagram => "an array of diagrams",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let ListSeed { chunk, element } = self;
        while seq.next_element_seed(ElementSeed { chunk: &mut *chunk, element })?.is_some() {}
        Ok(())
    }
}

/// Reads one feature or one diagram.
pub struct ElementSeed<'c> {
    pub chunk: &'c mut ChunkBuilder,
    pub element: Element,
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
            Element::Feature => read_feature(self.chunk, map),
            Element::Diagram => read_diagram(self.chunk, map),
        }
    }
}

/// Enough for the fields that a diagram usually has.
const USUAL_FIELDS: usize = 32;

fn read_feature<'de, A: MapAccess<'de>>(chunk: &mut ChunkBuilder, mut map: A) -> Result<(), A::Error> {
    let mut properties = Properties::new();
    let mut geometry: Option<Geometry> = None;
    while let Some(CowStr(key)) = map.next_key()? {
        match key.as_ref() {
            "properties" => properties = map.next_value_seed(PropertiesSeed)?,
            "geometry" => geometry = map.next_value_seed(GeometrySeed)?,
            "crs" if !is_wgs84(Some(map.next_value::<JsonText>()?.0)) => return Err(A::Error::custom(OTHER_CRS)),
            "crs" => {}
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    let row = chunk.add_row(geometry.as_ref().filter(|geometry| !stands_for_none(geometry)));
    set_all(chunk, row..row + 1, &properties)
}

/// True if a geometry stands for none. Services write an empty polygon, line or collection for a feature without geometry, because many
/// programs fail on null.
fn stands_for_none(geometry: &Geometry) -> bool {
    match geometry {
        Geometry::Shape(shape) => {
            shape.ordinates.is_empty() && matches!(shape.kind, ShapeKind::Polygon | ShapeKind::LineString)
        }
        Geometry::Collection(members) => members.is_empty(),
    }
}

/// Adds one row per feature, or one row if there are no features. The fields of the diagram replace properties of the
/// features that have the same name.
fn read_diagram<'de, A: MapAccess<'de>>(chunk: &mut ChunkBuilder, mut map: A) -> Result<(), A::Error> {
    let first = chunk.rows();
    let mut fields = Properties::with_capacity(USUAL_FIELDS);
    while let Some(CowStr(key)) = map.next_key()? {
        match key.as_ref() {
            "geojson" => map.next_value_seed(GeojsonSeed(chunk))?,
            _ => fields.push((key, map.next_value()?)),
        }
    }
    forget_assumed_dates(&mut fields);
    let id = fields.iter().rev().find(|(name, _)| name == "id").map(|(_, id)| *id);
    let Some(JsonText(id)) = id.filter(|id| !matches!(id.0, "null" | "\"\"")) else {
        return Err(A::Error::missing_field("id"));
    };
    if chunk.rows() == first {
        chunk.add_row(None);
    }
    let rows = first..chunk.rows();
    chunk.set(rows.clone(), "diagramid", id).map_err(A::Error::custom)?;
    chunk.diagrams.extend(integer(id).ok().flatten());
    set_all(chunk, rows, &fields)
}

/// Sets the same properties in each of the rows.
fn set_all<E: Error>(chunk: &mut ChunkBuilder, rows: Range<usize>, properties: &Properties) -> Result<(), E> {
    properties.iter().try_for_each(|(name, value)| match name.as_ref() {
        // The repair of a body joins the list to one text.
        "tag_codes" if value.0.starts_with('[') => Err(E::custom("tag_codes is a list")),
        _ => chunk.set(rows.clone(), name, value.0).map_err(E::custom),
    })
}

/// The properties of a feature or the fields of a diagram, in the order of the JSON text. A name may occur more than
/// once.
pub type Properties<'de> = Vec<(Cow<'de, str>, JsonText<'de>)>;

const DATES: [&str; 2] = ["start_date", "end_date"];

/// Sets assumed dates to null, and removes the mark that says so.
pub fn forget_assumed_dates(fields: &mut Properties) {
    if !fields.iter().any(|(name, _)| name == "start_date") {
        return;
    }
    let text = |name: &str| fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| Cow::Borrowed(value.0));
    if is_without_dates(text) {
        let dates = fields.iter_mut().filter(|(name, _)| DATES.contains(&name.as_ref()));
        dates.for_each(|(_, value)| *value = JsonText("null"));
    }
    fields.retain(|(name, _)| name != "undated");
}

/// True if no dates were given for a diagram. `text` returns the JSON text of each field.
fn is_without_dates<'t>(text: impl Fn(&str) -> Option<Cow<'t, str>>) -> bool {
    fn read<T: DeserializeOwned>(text: Option<Cow<str>>) -> Option<T> {
        serde_json::from_str(&text?).ok()
    }
    let (mark, [start, end]) = (read(text("undated")), DATES.map(&text));
    // This alone decides for most diagrams.
    if mark.is_none() && (start.is_none() || start != end) {
        return false;
    }
    let (start, end, created_at) = (read(start), read(end), read(text("created_at")));
    is_undated(mark, created_at.as_ref(), start.as_ref(), end.as_ref())
}

/// Reads the properties of a feature; `null` stands for no properties.
pub struct PropertiesSeed;

impl<'de> Visitor<'de> for PropertiesSeed {
    type Value = Properties<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or null")
    }

    null_is! { Vec::new() }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut properties = Vec::with_capacity(map.size_hint().unwrap_or(16));
        while let Some((CowStr(name), value)) = map.next_entry()? {
            properties.push((name, value));
        }
        forget_assumed_dates(&mut properties);
        Ok(properties)
    }
}
