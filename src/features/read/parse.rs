//! From the text of a body to columns, in one pass.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use memchr::memmem;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::columns::{Columns, Share};
use super::concat::join;
use crate::features::table::Table;
use crate::features::{BodyError, Diagrams, Layout};
use crate::geometry::{Geometry, GeometrySeed};
use crate::json::{self, CowStr, JsonText, Scanner, ScannerError};
use crate::model::Bounds;

/// A processor is not called for fewer bytes.
const MIN_CHUNK: usize = 256 * 1024;

pub struct Read {
    pub table: Table,
    pub metadata: Map<String, Value>,
    pub bounds: Option<Bounds>,
}

pub fn read(text: &str, layout: Layout) -> Result<Read, BodyError> {
    if layout == Layout::Diagrams
        && let Some(shares) = scan_diagrams_in_shares(text)
    {
        return read_shares(shares);
    }
    let (columns, metadata) = match scan(text, layout) {
        Ok(whole) => whole,
        Err(_) => read_for_the_reason(text, layout)?,
    };
    let share = columns.finish().map_err(in_the_whole)?;
    Ok(Read { metadata, ..read_shares(vec![share])? })
}

/// What has been read when all shares are there.
pub fn read_shares(shares: Vec<Share>) -> Result<Read, BodyError> {
    let (table, bounds) = join(shares).map_err(in_the_whole)?;
    Ok(Read { table, metadata: Map::new(), bounds })
}

fn in_the_whole(problem: String) -> BodyError {
    BodyError::Invalid { at: "the whole body".into(), problem }
}

type Whole = (Columns, Map<String, Value>);

/// Reads fast. An error says only that there is one.
fn scan(text: &str, layout: Layout) -> Result<Whole, ScannerError> {
    let mut scanner = Scanner::new(text);
    let whole = BodySeed(layout).deserialize(&mut scanner)?;
    scanner.end().map(|()| whole)
}

/// Reads again, slowly, to learn what went wrong, and where.
fn read_for_the_reason(text: &str, layout: Layout) -> Result<Whole, BodyError> {
    let mut track = serde_path_to_error::Track::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let whole = BodySeed(layout).deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    let at = if whole.is_err() { track.path().to_string() } else { "after the end".into() };
    let whole = whole.and_then(|whole| json.end().map(|()| whole));
    whole.map_err(|error| BodyError::Invalid { at, problem: json::message_with_byte(text.as_bytes(), &error) })
}

/// Reads a large array of diagrams on all processors, each from what looks like the begin of a diagram on. A share counts
/// only where the one before it ends there; `None` where that fails, or there is an error, or nothing to share.
fn scan_diagrams_in_shares(text: &str) -> Option<Vec<Share>> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let starts = share_diagrams(text, processors.min(text.len() / MIN_CHUNK))?;
    let ends = starts.iter().skip(1).map(|start| Some(*start)).chain([None]);
    std::thread::scope(|scope| {
        let shares: Vec<_> = starts
            .iter()
            .zip(ends)
            .map(|(start, end)| scope.spawn(move || scan_share(text, *start, end, Diagrams::Read)))
            .collect();
        shares.into_iter().map(|share| share.join().ok().flatten()).collect()
    })
}

/// Where so many shares may begin, each with a diagram.
fn share_diagrams(text: &str, shares: usize) -> Option<Vec<usize>> {
    let first = begin_of_diagrams(text)?;
    let begin = &text.as_bytes()[first.clone()];
    let mut starts = vec![first.start];
    for share in 1..shares {
        let from = (text.len() / shares * share).max(starts.last()? + 1);
        starts.extend(memmem::find(&text.as_bytes()[from..], begin).map(|at| from + at));
    }
    starts.dedup();
    (starts.len() > 1).then_some(starts)
}

/// Where the first diagram of an array begins, to the end of its first key. Other diagrams mostly begin alike.
pub fn begin_of_diagrams(text: &str) -> Option<Range<usize>> {
    let mut scanner = Scanner::new(text);
    scanner.take(b'[').ok()?;
    scanner.peek();
    let start = scanner.offset();
    scanner.take(b'{').ok()?;
    <CowStr as serde::Deserialize>::deserialize(&mut scanner).ok()?;
    Some(start..scanner.offset())
}

/// Where the last diagram that begins like the others probably does; not the first.
pub fn last_diagram_begin(bytes: &[u8], begin: &[u8]) -> Option<usize> {
    let at = memmem::rfind(bytes, begin)?;
    (memmem::find(bytes, begin)? < at).then_some(at)
}

/// The diagrams from one on, to where the next share begins or to the end of the text. `None` where one does not end there.
pub fn scan_share(text: &str, start: usize, end: Option<usize>, diagrams: Diagrams) -> Option<Share> {
    let mut columns = Columns::of(diagrams);
    let mut scanner = Scanner::starting_at(text, start);
    loop {
        ElementSeed { columns: &mut columns, element: Element::Diagram }.deserialize(&mut scanner).ok()?;
        match scanner.peek()? {
            b',' => {
                scanner.take(b',').ok()?;
                scanner.peek();
                match end {
                    Some(end) if scanner.offset() == end => return columns.finish().ok(),
                    Some(end) if scanner.offset() > end => return None,
                    _ => {}
                }
            }
            b']' if end.is_none() => {
                scanner.take(b']').ok()?;
                scanner.end().ok()?;
                return columns.finish().ok();
            }
            _ => return None,
        }
    }
}

struct BodySeed(Layout);

impl<'de> DeserializeSeed<'de> for BodySeed {
    type Value = Whole;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match self.0 {
            Layout::Collection => deserializer.deserialize_map(CollectionVisitor),
            Layout::Diagrams => {
                let mut columns = Columns::of(Diagrams::Read);
                deserializer.deserialize_seq(ListVisitor { columns: &mut columns, element: Element::Diagram })?;
                Ok((columns, Map::new()))
            }
        }
    }
}

/// A FeatureCollection, or an object that has one as its `geojson`.
struct CollectionVisitor;

impl<'de> Visitor<'de> for CollectionVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON FeatureCollection, or an object whose \"geojson\" is one")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut columns = Columns::default();
        let mut metadata = Map::new();
        let (mut plain, mut wrapped) = (false, false);
        while let Some(CowStr(key)) = map.next_key()? {
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
        while let Some(CowStr(key)) = map.next_key()? {
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

/// As many as diagrams have.
const USUAL_FIELDS: usize = 32;

type Properties<'de> = Vec<(Cow<'de, str>, JsonText<'de>)>;

fn read_feature<'de, A: MapAccess<'de>>(columns: &mut Columns, mut map: A) -> Result<(), A::Error> {
    let mut properties = Properties::new();
    let mut geometry: Option<Geometry> = None;
    while let Some(CowStr(key)) = map.next_key()? {
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
    let mut fields = Properties::with_capacity(USUAL_FIELDS);
    while let Some(CowStr(key)) = map.next_key()? {
        match key.as_ref() {
            "geojson" => map.next_value_seed(GeojsonSeed(columns))?,
            _ => fields.push((key, map.next_value()?)),
        }
    }
    let id = fields.iter().rev().find(|(name, _)| name == "id").map(|(_, id)| *id);
    let Some(JsonText(id)) = id.filter(|id| !matches!(id.0, "null" | "\"\"")) else {
        return Err(A::Error::missing_field("id"));
    };
    if columns.rows() == first {
        columns.add_row(None);
    }
    let rows = first..columns.rows();
    columns.set(rows.clone(), "diagramid", id).map_err(A::Error::custom)?;
    set_all(columns, rows, &fields)
}

fn set_all<E: Error>(columns: &mut Columns, rows: Range<usize>, properties: &Properties) -> Result<(), E> {
    properties.iter().try_for_each(|(name, value)| columns.set(rows.clone(), name, value.0).map_err(E::custom))
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
        while let Some((CowStr(name), value)) = map.next_entry()? {
            properties.push((name, value));
        }
        Ok(properties)
    }
}
