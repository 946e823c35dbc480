//! Well-known binary (OGC 06-103r4): little-endian, in the ISO form, in which 1000 is added to the type code of a geometry with
//! heights.

use super::shape::{Geometry, Shape, ShapeKind};

const LITTLE_ENDIAN: u8 = 1;
const COLLECTION: u32 = 7;
const WITH_HEIGHT: u32 = 1000;

/// Appends the WKB of a geometry. Open rings are closed, since readers of WKB expect that.
pub fn write(geometry: &Geometry, out: &mut Vec<u8>) {
    match geometry {
        Geometry::Shape(shape) => write_shape(shape, out),
        Geometry::Collection(members) => {
            let mut heights = false;
            geometry.for_each_shape(&mut |shape| heights |= shape.has_height);
            write_header(COLLECTION, heights, out);
            write_count(members.len(), out);
            members.iter().for_each(|member| write(member, out));
        }
    }
}

fn write_shape(shape: &Shape, out: &mut Vec<u8>) {
    let heights = shape.has_height;
    write_header(code(shape.kind), heights, out);
    match shape.kind {
        ShapeKind::Point if shape.ordinates.is_empty() => write_ordinates(&[f64::NAN; 2], out),
        ShapeKind::Point => write_ordinates(&shape.ordinates, out),
        ShapeKind::LineString => write_line(&shape.ordinates, shape.stride(), out),
        ShapeKind::MultiPoint => {
            write_count(shape.positions(), out);
            for position in shape.ordinates.chunks_exact(shape.stride()) {
                write_header(code(ShapeKind::Point), heights, out);
                write_ordinates(position, out);
            }
        }
        ShapeKind::MultiLineString => {
            write_count(shape.line_ends.len(), out);
            for line in shape.lines() {
                write_header(code(ShapeKind::LineString), heights, out);
                write_line(line, shape.stride(), out);
            }
        }
        ShapeKind::Polygon => {
            write_count(shape.line_ends.len(), out);
            shape.lines().for_each(|ring| write_ring(ring, shape.stride(), out));
        }
        ShapeKind::MultiPolygon => {
            write_count(shape.polygon_ends.len(), out);
            for rings in shape.polygons() {
                write_header(code(ShapeKind::Polygon), heights, out);
                write_count(rings.len(), out);
                rings.iter().for_each(|ring| write_ring(ring, shape.stride(), out));
            }
        }
    }
}

fn write_ring(ring: &[f64], stride: usize, out: &mut Vec<u8>) {
    let open = ring.len() > stride && ring[..2] != ring[ring.len() - stride..][..2];
    write_count(ring.len() / stride + usize::from(open), out);
    write_ordinates(ring, out);
    if open {
        write_ordinates(&ring[..stride], out);
    }
}

fn write_line(line: &[f64], stride: usize, out: &mut Vec<u8>) {
    write_count(line.len() / stride, out);
    write_ordinates(line, out);
}

fn write_header(code: u32, heights: bool, out: &mut Vec<u8>) {
    out.push(LITTLE_ENDIAN);
    out.extend((code + if heights { WITH_HEIGHT } else { 0 }).to_le_bytes());
}

fn write_count(count: usize, out: &mut Vec<u8>) {
    let count = u32::try_from(count).expect("a geometry in memory has fewer than 2^32 positions, rings or members");
    out.extend(count.to_le_bytes());
}

fn write_ordinates(ordinates: &[f64], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + ordinates.len() * 8, 0);
    for (bytes, ordinate) in out[start..].as_chunks_mut().0.iter_mut().zip(ordinates) {
        *bytes = ordinate.to_le_bytes();
    }
}

fn code(kind: ShapeKind) -> u32 {
    match kind {
        ShapeKind::Point => 1,
        ShapeKind::LineString => 2,
        ShapeKind::Polygon => 3,
        ShapeKind::MultiPoint => 4,
        ShapeKind::MultiLineString => 5,
        ShapeKind::MultiPolygon => 6,
    }
}

/// Reads WKB in the form that [`write()`] writes; `None` where the bytes are anything else.
pub fn read(wkb: &[u8]) -> Option<Geometry> {
    read_coarsely(wkb, 1)
}

/// Reads only every `step`th position, and the last one, of each line and ring. That is enough for a small drawing of a large
/// shape.
pub fn read_coarsely(wkb: &[u8], step: usize) -> Option<Geometry> {
    let mut reader = Reader { rest: wkb, step: step.max(1) };
    let geometry = reader.geometry()?;
    reader.rest.is_empty().then_some(geometry)
}

struct Reader<'b> {
    rest: &'b [u8],
    step: usize,
}

impl Reader<'_> {
    fn geometry(&mut self) -> Option<Geometry> {
        let (code, heights) = self.header()?;
        if code == COLLECTION {
            let members = self.count()?;
            return (0..members).map(|_| self.geometry()).collect::<Option<_>>().map(Geometry::Collection);
        }
        let mut shape = Shape::empty(kind(code)?);
        shape.has_height = heights;
        match shape.kind {
            ShapeKind::Point => {
                self.ordinates(1, &mut shape)?;
                if shape.ordinates[..2].iter().all(|ordinate| ordinate.is_nan()) {
                    shape.ordinates.clear();
                }
            }
            ShapeKind::LineString => {
                let positions = self.count()?;
                self.ordinates(positions, &mut shape)?;
            }
            ShapeKind::MultiPoint => {
                for _ in 0..self.count()? {
                    self.header()?;
                    self.ordinates(1, &mut shape)?;
                }
            }
            ShapeKind::MultiLineString => {
                for _ in 0..self.count()? {
                    self.header()?;
                    self.line(&mut shape)?;
                }
            }
            ShapeKind::Polygon => self.rings(&mut shape)?,
            ShapeKind::MultiPolygon => {
                for _ in 0..self.count()? {
                    self.header()?;
                    self.rings(&mut shape)?;
                    shape.polygon_ends.push(shape.line_ends.len());
                }
            }
        }
        Some(Geometry::Shape(shape))
    }

    fn rings(&mut self, shape: &mut Shape) -> Option<()> {
        (0..self.count()?).try_for_each(|_| self.line(shape))
    }

    fn line(&mut self, shape: &mut Shape) -> Option<()> {
        let positions = self.count()?;
        self.ordinates(positions, shape)?;
        shape.line_ends.push(shape.positions());
        Some(())
    }

    fn ordinates(&mut self, positions: usize, shape: &mut Shape) -> Option<()> {
        let size = shape.stride() * 8;
        let (bytes, rest) = self.rest.split_at_checked(positions.checked_mul(size)?)?;
        self.rest = rest;
        let mut append = |positions: &[u8]| {
            shape.ordinates.extend(positions.as_chunks::<8>().0.iter().map(|ordinate| f64::from_le_bytes(*ordinate)));
        };
        if self.step == 1 {
            append(bytes);
        } else if let Some(last) = bytes.chunks_exact(size).next_back() {
            bytes.chunks_exact(size).take(positions - 1).step_by(self.step).for_each(&mut append);
            append(last);
        }
        Some(())
    }

    fn header(&mut self) -> Option<(u32, bool)> {
        let (&[LITTLE_ENDIAN], rest) = self.rest.split_first_chunk()? else {
            return None;
        };
        self.rest = rest;
        let code = u32::try_from(self.count()?).ok()?;
        Some((code % WITH_HEIGHT, code >= WITH_HEIGHT))
    }

    fn count(&mut self) -> Option<usize> {
        let (count, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        usize::try_from(u32::from_le_bytes(*count)).ok()
    }
}

fn kind(wkb_code: u32) -> Option<ShapeKind> {
    use ShapeKind::*;
    [Point, LineString, Polygon, MultiPoint, MultiLineString, MultiPolygon]
        .into_iter()
        .find(|kind| code(*kind) == wkb_code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::geometry::GeometrySeed;

    fn parse(json: &str) -> Geometry {
        let mut json = serde_json::Deserializer::from_str(json);
        GeometrySeed.deserialize(&mut json).unwrap().unwrap()
    }

    fn position() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-180.0..180.0f64, 2)
    }

    fn ring() -> impl Strategy<Value = Vec<Vec<f64>>> {
        prop::collection::vec(position(), 3..9).prop_map(|mut ring| {
            ring.push(ring[0].clone());
            ring
        })
    }

    fn geometry() -> impl Strategy<Value = serde_json::Value> {
        let shape = |kind: &'static str| move |coordinates: serde_json::Value| serde_json::json!({"type": kind, "coordinates": coordinates});
        let rings = || prop::collection::vec(ring(), 0..4);
        prop_oneof![
            position().prop_map(|c| c.into()).prop_map(shape("Point")),
            prop::collection::vec(position(), 0..9).prop_map(|c| c.into()).prop_map(shape("MultiPoint")),
            prop::collection::vec(position(), 0..9).prop_map(|c| c.into()).prop_map(shape("LineString")),
            rings().prop_map(|c| c.into()).prop_map(shape("MultiLineString")),
            rings().prop_map(|c| c.into()).prop_map(shape("Polygon")),
            prop::collection::vec(rings(), 0..4).prop_map(|c| c.into()).prop_map(shape("MultiPolygon")),
        ]
    }

    proptest! {
        #[test]
        fn every_geometry_written_as_wkb_and_read_again_is_the_same(json in geometry()) {
            let mut wkb = Vec::new();
            write(&parse(&json.to_string()), &mut wkb);
            let back = read(&wkb).unwrap();
            prop_assert_eq!(serde_json::to_value(&back).unwrap(), json);
        }
    }

    #[test]
    fn an_open_ring_is_closed() {
        let mut wkb = Vec::new();
        write(&parse(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}"#), &mut wkb);
        let closed = parse(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#);
        assert_eq!(read(&wkb), Some(closed));
    }

    #[test]
    fn coordinates_may_come_before_the_type() {
        let type_first = parse(r#"{"type":"MultiPolygon","coordinates":[[],[[[0,0],[1,0],[1,1],[0,0]]]]}"#);
        let coordinates_first = parse(r#"{"coordinates":[[],[[[0,0],[1,0],[1,1],[0,0]]]],"type":"MultiPolygon"}"#);
        assert_eq!(type_first, coordinates_first);
    }

    #[test]
    fn heights_are_kept_and_a_missing_height_is_nan() {
        let line = parse(r#"{"type":"LineString","coordinates":[[1,2],[3,4,5]]}"#);
        let Geometry::Shape(line) = line else { panic!("a line is a shape") };
        assert!(line.has_height && line.ordinates[2].is_nan());
        assert_eq!(line.ordinates[3..], [3.0, 4.0, 5.0]);
    }

    #[test]
    fn truncated_wkb_is_rejected() {
        let mut wkb = Vec::new();
        write(&parse(r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#), &mut wkb);
        (0..wkb.len()).for_each(|end| assert_eq!(read(&wkb[..end]), None));
    }
}
