//! GeoJSON geometries (RFC 7946), read and written without a tree of JSON values in between.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::crs::{OTHER_CRS, is_wgs84};
use super::shape::{Geometry, Shape, ShapeKind};
use crate::json::{CowStr, JsonText, POSITION, POSITIONS, Scanner, null_is, seeds};

/// Reads a geometry; `None` stands for JSON `null`.
///
/// ```
/// use geodesign_geometry::{Geometry, GeometrySeed};
/// use serde::de::DeserializeSeed;
///
/// let mut json = serde_json::Deserializer::from_str(r#"{"type": "Point", "coordinates": [-74.15, 40.57]}"#);
/// let point = GeometrySeed.deserialize(&mut json)?;
/// assert!(matches!(point, Some(Geometry::Shape(shape)) if shape.ordinates == [-74.15, 40.57]));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct GeometrySeed;

seeds! { GeometrySeed => Option<Geometry>, by deserialize_option; }

impl<'de> Visitor<'de> for GeometrySeed {
    type Value = Option<Geometry>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a GeoJSON geometry or null")
    }

    null_is! { None }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut kind: Option<CowStr<'de>> = None;
        let mut shape: Option<Shape> = None;
        // Coordinates before the type are kept as text until the type shows how deep they are nested.
        let mut early: Option<JsonText<'de>> = None;
        let mut members: Option<Vec<Geometry>> = None;
        while let Some(CowStr(key)) = map.next_key()? {
            match key.as_ref() {
                "type" => kind = Some(map.next_value()?),
                "coordinates" => match kind.as_ref().and_then(shape_kind) {
                    Some(kind) => shape = Some(map.next_value_seed(ShapeSeed(kind))?),
                    None => early = Some(map.next_value()?),
                },
                "geometries" => members = Some(map.next_value_seed(MembersSeed)?),
                "crs" if !is_wgs84(Some(map.next_value::<JsonText>()?.0)) => return Err(A::Error::custom(OTHER_CRS)),
                "crs" => {}
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let Some(name) = kind else {
            return Err(A::Error::custom("a geometry has no \"type\""));
        };
        if name.0 == "GeometryCollection" {
            return members
                .map(|members| Some(Geometry::Collection(members)))
                .ok_or_else(|| A::Error::missing_field("geometries"));
        }
        let kind = shape_kind(&name)
            .ok_or_else(|| A::Error::custom(format!("\"{}\" is not a GeoJSON geometry type", name.0)))?;
        if let Some(JsonText(early)) = early {
            let scanned = ShapeSeed(kind).deserialize(&mut Scanner::new(early));
            let read = scanned.or_else(|_| ShapeSeed(kind).deserialize(&mut serde_json::Deserializer::from_str(early)));
            shape = Some(read.map_err(A::Error::custom)?);
        }
        shape.map(|shape| Some(Geometry::Shape(shape))).ok_or_else(|| A::Error::missing_field("coordinates"))
    }
}

fn shape_kind(name: &CowStr) -> Option<ShapeKind> {
    use ShapeKind::*;
    [Point, MultiPoint, LineString, MultiLineString, Polygon, MultiPolygon]
        .into_iter()
        .find(|kind| kind.name() == name.0)
}

struct MembersSeed;

seeds! { MembersSeed => Vec<Geometry>, by deserialize_seq; }

impl<'de> Visitor<'de> for MembersSeed {
    type Value = Vec<Geometry>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of GeoJSON geometries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = seq.next_element_seed(GeometrySeed)? {
            members.extend(member);
        }
        Ok(members)
    }
}

/// Ordinates that memory is reserved for; most lines and polygons have no more.
const RESERVED_ORDINATES: usize = 256;

/// Reads the coordinates of a shape of this kind.
struct ShapeSeed(ShapeKind);

impl<'de> DeserializeSeed<'de> for ShapeSeed {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        let mut shape = Shape::empty(self.0);
        let nesting = self.0.nesting();
        shape.ordinates.reserve(if nesting == 0 { 3 } else { RESERVED_ORDINATES });
        CoordinatesSeed { shape: &mut shape, nesting }.deserialize(deserializer)?;
        Ok(shape)
    }
}

/// Reads one array of coordinates: a position if `nesting` is 0, else an array of arrays. A [`Scanner`] may hand over several consecutive
/// positions in place of one.
struct CoordinatesSeed<'s> {
    shape: &'s mut Shape,
    nesting: usize,
}

impl<'de> DeserializeSeed<'de> for CoordinatesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match (self.nesting, self.shape.kind) {
            (0, ShapeKind::Point) => deserializer.deserialize_tuple_struct(POSITION, 3, self),
            (0, _) => deserializer.deserialize_tuple_struct(POSITIONS, 3, self),
            _ => deserializer.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for CoordinatesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.nesting {
            0 => write!(f, "a position [longitude, latitude] in a {}", self.shape.kind.name()),
            depth => write!(f, "arrays of positions, {depth} deep, in a {}", self.shape.kind.name()),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let CoordinatesSeed { shape, nesting } = self;
        if nesting == 0 {
            return read_position(shape, &mut seq);
        }
        while seq.next_element_seed(CoordinatesSeed { shape, nesting: nesting - 1 })?.is_some() {
            let polygons = shape.kind == ShapeKind::MultiPolygon;
            match (nesting, polygons) {
                (3, _) => shape.polygon_ends.push(shape.line_ends.len()),
                (2, _) => shape.line_ends.push(shape.positions()),
                _ => {}
            }
        }
        Ok(())
    }

    fn visit_bytes<E: Error>(self, positions: &[u8]) -> Result<(), E> {
        let ordinates = positions.as_chunks().0.iter().map(|ordinate| f64::from_ne_bytes(*ordinate));
        if self.shape.has_height {
            let positions = ordinates.clone().step_by(2).zip(ordinates.skip(1).step_by(2));
            self.shape.ordinates.extend(positions.flat_map(|(longitude, latitude)| [longitude, latitude, f64::NAN]));
        } else {
            self.shape.ordinates.extend(ordinates);
        }
        Ok(())
    }
}

fn read_position<'de, A: SeqAccess<'de>>(shape: &mut Shape, seq: &mut A) -> Result<(), A::Error> {
    let Some(longitude) = seq.next_element::<f64>()? else {
        return match shape.kind {
            ShapeKind::Point => Ok(()),
            _ => Err(A::Error::custom("a position is empty; it needs longitude and latitude")),
        };
    };
    let latitude = seq
        .next_element::<f64>()?
        .ok_or_else(|| A::Error::custom("a position has one number; it needs longitude and latitude"))?;
    let height = seq.next_element::<f64>()?;
    // RFC 7946 lets a reader ignore the numbers after the height.
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    if height.is_some() && !shape.has_height {
        add_unknown_heights(shape);
    }
    shape.ordinates.push(longitude);
    shape.ordinates.push(latitude);
    if shape.has_height {
        shape.ordinates.push(height.unwrap_or(f64::NAN));
    }
    Ok(())
}

/// Gives every position so far an unknown height (NaN), for a shape in which only some positions have heights.
fn add_unknown_heights(shape: &mut Shape) {
    shape.ordinates =
        shape.ordinates.chunks_exact(2).flat_map(|position| [position[0], position[1], f64::NAN]).collect();
    shape.has_height = true;
}

impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        match self {
            Geometry::Collection(members) => {
                map.serialize_entry("type", "GeometryCollection")?;
                map.serialize_entry("geometries", members)?;
            }
            Geometry::Shape(shape) => {
                map.serialize_entry("type", shape.kind.name())?;
                map.serialize_entry("coordinates", &Coordinates(shape))?;
            }
        }
        map.end()
    }
}

struct Coordinates<'s>(&'s Shape);

impl Serialize for Coordinates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shape = self.0;
        let stride = shape.stride();
        match shape.kind {
            ShapeKind::Point => shape.ordinates.serialize(serializer),
            ShapeKind::MultiPoint | ShapeKind::LineString => {
                Line { ordinates: &shape.ordinates, stride }.serialize(serializer)
            }
            ShapeKind::MultiLineString | ShapeKind::Polygon => {
                serializer.collect_seq(shape.lines().map(|ordinates| Line { ordinates, stride }))
            }
            ShapeKind::MultiPolygon => {
                let line = |ordinates| Line { ordinates, stride };
                serializer.collect_seq(shape.polygons().map(|rings| rings.into_iter().map(line).collect::<Vec<_>>()))
            }
        }
    }
}

struct Line<'s> {
    ordinates: &'s [f64],
    stride: usize,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // JSON cannot write NaN, which stands for an unknown height: such a position is written without height.
        let known = |position: &&'_ [f64]| position.iter().take_while(|ordinate| ordinate.is_finite()).count();
        serializer.collect_seq(self.ordinates.chunks_exact(self.stride).map(|position| &position[..known(&position)]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The scanner and serde_json both reject the text, or both read the same geometry from it, unknown heights included.
    fn assert_read_as_by_serde_json(text: &str) {
        let read = |geometry: Option<Option<Geometry>>| format!("{geometry:?}");
        let mut scanner = Scanner::new(text);
        let ours = GeometrySeed.deserialize(&mut scanner).ok().filter(|_| scanner.end().is_ok());
        let mut json = serde_json::Deserializer::from_str(text);
        let theirs = GeometrySeed.deserialize(&mut json).ok().filter(|_| json.end().is_ok());
        assert_eq!(read(ours), read(theirs), "{text}");
    }

    /// A number in the forms that JSON allows, and in some that it does not.
    fn ordinate() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => (-180.0..180.0f64).prop_map(|ordinate| ordinate.to_string()),
            2 => (-180.0..180.0f64).prop_map(|ordinate| format!("{ordinate:.6}")),
            1 => "-?[0-9]{1,4}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
            1 => " ?-?[0-9]\\.[0-9] ?",
        ]
    }

    fn position() -> impl Strategy<Value = String> {
        let ordinates =
            prop_oneof![30 => prop::collection::vec(ordinate(), 2), 1 => prop::collection::vec(ordinate(), 0..5)];
        ordinates.prop_map(|ordinates| format!("[{}]", ordinates.join(",")))
    }

    fn line() -> impl Strategy<Value = String> {
        let comma = prop_oneof![20 => Just(","), 1 => Just(" , "), 1 => Just("\n,")];
        (prop::collection::vec(position(), 0..150), comma).prop_map(|(line, comma)| format!("[{}]", line.join(comma)))
    }

    proptest! {
        #[test]
        fn every_geometry_is_read_as_serde_json_reads_it(
            lines in prop::collection::vec(line(), 1..4),
            point in position(),
            slip in prop::option::of((any::<prop::sample::Index>(), 0x20..0x7F_u8)),
        ) {
            let rings = lines.join(",");
            // Long enough to make the scanner look ahead.
            let note = r#""note":"a foreign member, which readers of geometries skip""#;
            let mut texts = [
                format!(r#"{{"type":"Point","coordinates":{point},{note}}}"#),
                format!(r#"{{"type":"LineString","coordinates":{},{note}}}"#, lines[0]),
                format!(r#"{{"coordinates":[{rings}],"type":"Polygon"}}"#),
                format!(r#"{{"type":"MultiPolygon","coordinates":[[{rings}],[]],{note}}}"#),
                format!(r#"{{"type":"Point","coordinates":{point},{point},{note}}}"#),
            ];
            for text in &mut texts {
                assert_read_as_by_serde_json(text);
                if let Some((at, byte)) = &slip {
                    text.insert(at.index(text.len()), char::from(*byte));
                    assert_read_as_by_serde_json(text);
                }
            }
        }
    }
}
