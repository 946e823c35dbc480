//! Writing of GeoJSON geometries.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::geometry::shape::{Geometry, Shape, ShapeKind};

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
                let mut lines = shape.lines().map(|ordinates| Line { ordinates, stride });
                let mut seq = serializer.serialize_seq(Some(shape.polygon_ends.len()))?;
                for rings in shape.rings_per_polygon() {
                    seq.serialize_element(&lines.by_ref().take(rings).collect::<Vec<_>>())?;
                }
                seq.end()
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
