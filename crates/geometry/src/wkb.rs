//! Well-known binary (OGC 06-103r4). It is written little-endian in the ISO form, in which 1000 is added to the type code of a geometry
//! with heights; other forms are read, too.

use super::shape::{Geometry, Shape, ShapeKind};

const LITTLE_ENDIAN: u8 = 1;
const COLLECTION: u32 = 7;
const WITH_HEIGHT: u32 = 1000;

/// Appends the WKB of a geometry. Open rings are closed, since WKB readers expect that.
pub fn write(geometry: &Geometry, out: &mut Vec<u8>) {
    write_geometry(geometry, true, out);
}

/// Appends the WKB of a geometry unchanged: open rings stay open.
pub fn write_as_is(geometry: &Geometry, out: &mut Vec<u8>) {
    write_geometry(geometry, false, out);
}

fn write_geometry(geometry: &Geometry, closes: bool, out: &mut Vec<u8>) {
    match geometry {
        Geometry::Shape(shape) => write_shape(shape, closes, out),
        Geometry::Collection(members) => {
            let mut heights = false;
            geometry.for_each_shape(&mut |shape| heights |= shape.has_height);
            write_header(COLLECTION, heights, out);
            write_count(members.len(), out);
            members.iter().for_each(|member| write_geometry(member, closes, out));
        }
    }
}

fn write_shape(shape: &Shape, closes: bool, out: &mut Vec<u8>) {
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
            shape.lines().for_each(|ring| write_ring(ring, shape.stride(), closes, out));
        }
        ShapeKind::MultiPolygon => {
            write_count(shape.polygon_ends.len(), out);
            for rings in shape.polygons() {
                write_header(code(ShapeKind::Polygon), heights, out);
                write_count(rings.len(), out);
                rings.iter().for_each(|ring| write_ring(ring, shape.stride(), closes, out));
            }
        }
    }
}

fn write_ring(ring: &[f64], stride: usize, closes: bool, out: &mut Vec<u8>) {
    let open = closes && ring.len() > stride && ring[..2] != ring[ring.len() - stride..][..2];
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

/// Reasons why bytes cannot be read as a geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WkbError {
    #[error("its WKB is damaged; save the geometry again")]
    Damaged,
    #[error("it has more than {MAX_DEPTH} nested collections; take its parts out of them")]
    TooDeep,
    /// A kind of OGC 06-103r4 that GeoJSON lacks.
    #[error("it is a {0}, which cannot be drawn; convert it into polygons or lines first")]
    Kind(&'static str),
}

/// Nesting depth of collections. Each level takes a stack frame.
const MAX_DEPTH: usize = 100;
/// Flags of EWKB, PostGIS's form.
const EWKB_HEIGHT: u32 = 0x8000_0000;
const EWKB_MEASURE: u32 = 0x4000_0000;
const EWKB_SRID: u32 = 0x2000_0000;

/// Reads WKB of either byte order, in the ISO form or as EWKB; `None` if the bytes are anything else. Measures (M) are left out: they
/// are not heights.
pub fn read(wkb: &[u8]) -> Option<Geometry> {
    read_or_reason(wkb).ok()
}

/// Reads WKB as [`read()`] does, and gives the reason if it cannot be read.
pub fn read_or_reason(wkb: &[u8]) -> Result<Geometry, WkbError> {
    Reader { rest: wkb, step: 1 }.whole()
}

/// Reads only every `step`th position, and the last one, of each line and ring: enough for a small drawing of a large shape.
pub fn read_coarsely(wkb: &[u8], step: usize) -> Option<Geometry> {
    Reader { rest: wkb, step: step.max(1) }.whole().ok()
}

type Read<T> = Result<T, WkbError>;

/// The first bytes of a geometry: its type code, and the form of its numbers.
#[derive(Clone, Copy)]
struct Header {
    code: u32,
    is_little_endian: bool,
    heights: bool,
    measures: bool,
}

struct Reader<'b> {
    rest: &'b [u8],
    step: usize,
}

impl Reader<'_> {
    fn whole(mut self) -> Read<Geometry> {
        let geometry = self.geometry(0)?;
        if self.rest.is_empty() { Ok(geometry) } else { Err(WkbError::Damaged) }
    }

    fn geometry(&mut self, depth: usize) -> Read<Geometry> {
        let header = self.header()?;
        if header.code == COLLECTION {
            if depth == MAX_DEPTH {
                return Err(WkbError::TooDeep);
            }
            let members = self.count(header)?;
            return (0..members).map(|_| self.geometry(depth + 1)).collect::<Read<_>>().map(Geometry::Collection);
        }
        let mut shape = Shape::empty(kind(header.code)?);
        shape.has_height = header.heights;
        match shape.kind {
            ShapeKind::Point => {
                self.ordinates(1, header, &mut shape)?;
                if shape.ordinates[..2].iter().all(|ordinate| ordinate.is_nan()) {
                    shape.ordinates.clear();
                }
            }
            ShapeKind::LineString => {
                let positions = self.count(header)?;
                self.ordinates(positions, header, &mut shape)?;
            }
            ShapeKind::MultiPoint => {
                for _ in 0..self.count(header)? {
                    let member = self.member(ShapeKind::Point, header)?;
                    self.ordinates(1, member, &mut shape)?;
                }
            }
            ShapeKind::MultiLineString => {
                for _ in 0..self.count(header)? {
                    let member = self.member(ShapeKind::LineString, header)?;
                    self.line(member, &mut shape)?;
                }
            }
            ShapeKind::Polygon => self.rings(header, &mut shape)?,
            ShapeKind::MultiPolygon => {
                for _ in 0..self.count(header)? {
                    let member = self.member(ShapeKind::Polygon, header)?;
                    self.rings(member, &mut shape)?;
                    shape.polygon_ends.push(shape.line_ends.len());
                }
            }
        }
        Ok(Geometry::Shape(shape))
    }

    fn rings(&mut self, header: Header, shape: &mut Shape) -> Read<()> {
        (0..self.count(header)?).try_for_each(|_| self.line(header, shape))
    }

    fn line(&mut self, header: Header, shape: &mut Shape) -> Read<()> {
        let positions = self.count(header)?;
        self.ordinates(positions, header, shape)?;
        shape.line_ends.push(shape.positions());
        Ok(())
    }

    fn ordinates(&mut self, positions: usize, header: Header, shape: &mut Shape) -> Read<()> {
        let kept = shape.stride() * 8;
        let size = kept + if header.measures { 8 } else { 0 };
        let wanted = positions.checked_mul(size).ok_or(WkbError::Damaged)?;
        let (bytes, rest) = self.rest.split_at_checked(wanted).ok_or(WkbError::Damaged)?;
        self.rest = rest;
        let number = if header.is_little_endian { f64::from_le_bytes } else { f64::from_be_bytes };
        let mut append = |positions: &[u8]| {
            shape.ordinates.extend(positions.as_chunks::<8>().0.iter().map(|ordinate| number(*ordinate)));
        };
        if self.step == 1 && !header.measures {
            append(bytes);
            return Ok(());
        }
        let mut each = bytes.chunks_exact(size).map(|position| &position[..kept]);
        if let Some(last) = each.next_back() {
            each.step_by(self.step).for_each(&mut append);
            append(last);
        }
        Ok(())
    }

    /// Reads the header of a part, which must be of the wanted kind and have heights if the complete geometry has them.
    fn member(&mut self, wanted: ShapeKind, whole: Header) -> Read<Header> {
        let header = self.header()?;
        match kind(header.code)? {
            found if found == wanted && header.heights == whole.heights => Ok(header),
            _ => Err(WkbError::Damaged),
        }
    }

    fn header(&mut self) -> Read<Header> {
        let (&[order], rest) = self.rest.split_first_chunk().ok_or(WkbError::Damaged)?;
        if order > LITTLE_ENDIAN {
            return Err(WkbError::Damaged);
        }
        self.rest = rest;
        let mut header = Header { code: 0, is_little_endian: order == LITTLE_ENDIAN, heights: false, measures: false };
        let flags = self.number(header)?;
        let code = flags & !(EWKB_HEIGHT | EWKB_MEASURE | EWKB_SRID);
        if flags & EWKB_SRID != 0 {
            self.number(header)?;
        }
        header.heights = flags & EWKB_HEIGHT != 0 || matches!(code / WITH_HEIGHT, 1 | 3);
        header.measures = flags & EWKB_MEASURE != 0 || matches!(code / WITH_HEIGHT, 2 | 3);
        header.code = code % WITH_HEIGHT;
        if code / WITH_HEIGHT > 3 { Err(WkbError::Damaged) } else { Ok(header) }
    }

    fn count(&mut self, header: Header) -> Read<usize> {
        usize::try_from(self.number(header)?).map_err(|_| WkbError::Damaged)
    }

    fn number(&mut self, header: Header) -> Read<u32> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WkbError::Damaged)?;
        self.rest = rest;
        Ok(if header.is_little_endian { u32::from_le_bytes(*bytes) } else { u32::from_be_bytes(*bytes) })
    }
}

fn kind(wkb_code: u32) -> Read<ShapeKind> {
    Ok(match wkb_code {
        1 => ShapeKind::Point,
        2 => ShapeKind::LineString,
        3 => ShapeKind::Polygon,
        4 => ShapeKind::MultiPoint,
        5 => ShapeKind::MultiLineString,
        6 => ShapeKind::MultiPolygon,
        COLLECTION => return Err(WkbError::Kind("collection in a shape of several parts")),
        8 => return Err(WkbError::Kind("curve (CircularString)")),
        9 => return Err(WkbError::Kind("curve (CompoundCurve)")),
        10 => return Err(WkbError::Kind("polygon with curves (CurvePolygon)")),
        11 => return Err(WkbError::Kind("collection of curves (MultiCurve)")),
        12 => return Err(WkbError::Kind("collection of polygons with curves (MultiSurface)")),
        13 => return Err(WkbError::Kind("curve (Curve)")),
        14 => return Err(WkbError::Kind("surface (Surface)")),
        15 => return Err(WkbError::Kind("polyhedral surface (PolyhedralSurface)")),
        16 => return Err(WkbError::Kind("triangulated surface (TIN)")),
        17 => return Err(WkbError::Kind("triangle (Triangle)")),
        _ => return Err(WkbError::Damaged),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::GeometrySeed;

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
    fn measures_are_no_heights() {
        let numbers = |numbers: &[f64]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
        let line = |code: u32, ordinates: &[f64]| {
            [&[0][..], &code.to_be_bytes(), &2_u32.to_be_bytes(), &numbers(ordinates)].concat()
        };
        let flat = parse(r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#);
        let high = parse(r#"{"type":"LineString","coordinates":[[1,2,5],[3,4,6]]}"#);
        for (code, ordinates, expected) in [
            (2, &[1.0, 2.0, 3.0, 4.0][..], &flat),
            (2002, &[1.0, 2.0, 1110.0, 3.0, 4.0, 2220.0], &flat),
            (2 | EWKB_MEASURE, &[1.0, 2.0, 1110.0, 3.0, 4.0, 2220.0], &flat),
            (3002, &[1.0, 2.0, 5.0, 1110.0, 3.0, 4.0, 6.0, 2220.0], &high),
            (2 | EWKB_HEIGHT, &[1.0, 2.0, 5.0, 3.0, 4.0, 6.0], &high),
        ] {
            assert_eq!(read(&line(code, ordinates)).as_ref(), Some(expected), "{code}");
        }
    }

    #[test]
    fn what_geojson_lacks_is_named() {
        for (code, name) in [(10_u32, "CurvePolygon"), (1015, "PolyhedralSurface"), (16, "TIN"), (2017, "Triangle")] {
            let wkb = [&[1][..], &code.to_le_bytes(), &[0; 4]].concat();
            assert!(read_or_reason(&wkb).unwrap_err().to_string().contains(name));
        }
        let deep = [&[1][..], &7_u32.to_le_bytes(), &1_u32.to_le_bytes()].concat().repeat(100_000);
        assert_eq!(read_or_reason(&deep), Err(WkbError::TooDeep));
    }

    #[test]
    fn truncated_wkb_is_rejected() {
        let mut wkb = Vec::new();
        write(&parse(r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#), &mut wkb);
        (0..wkb.len()).for_each(|end| assert_eq!(read(&wkb[..end]), None));
    }
}
