//! Finds the changes in a diagram's geometry when a program sends it back. In GIS, a diagram is one feature, and a program may round its
//! positions, drop heights or merge features. Features whose shapes come back unchanged stay as they are.

use serde_json::{Value, json};

use crate::http::error::{ApiError, Result};
use geodesign_geometry::{Geometry, Shape, ShapeKind};

/// Tolerance for equal positions, in degrees. It is a centimetre, which programs round away when they write seven decimals or convert
/// reference systems.
const ROUNDING: f64 = 1e-7;

/// A feature of a diagram as it was drawn.
pub struct Drawn {
    pub geometry: Geometry,
    /// Heights of a building, as JSON.
    pub heights: Option<Value>,
}

impl Drawn {
    fn to_feature(&self) -> Value {
        feature(json!(self.geometry), self.heights.as_ref())
    }
}

/// Returns a diagram's features with this geometry; `None` if the geometry is unchanged. Fails if the features have different heights and
/// it is unclear which of them a shape gets.
pub fn reshaped(before: &[Drawn], sent: &Geometry) -> Result<Option<Vec<Value>>> {
    let (mut new, known): (_, Vec<_>) =
        (pieces_of(sent), before.iter().map(|drawn| pieces_of(&drawn.geometry)).collect());
    let mut features = Vec::new();
    let mut changed = Vec::new();
    for (drawn, pieces) in before.iter().zip(known) {
        let found: Option<Vec<usize>> = pieces.iter().try_fold(Vec::new(), |mut found, piece| {
            let place = (0..new.len()).find(|place| !found.contains(place) && new[*place].is_same(piece))?;
            found.push(place);
            Some(found)
        });
        match found {
            Some(mut found) => {
                found.sort_unstable();
                found.into_iter().rev().for_each(|place| drop(new.remove(place)));
                features.push(drawn.to_feature());
            }
            None => changed.push(drawn),
        }
    }
    if new.is_empty() && changed.is_empty() {
        return Ok(None);
    }
    let of: Vec<&Drawn> = if changed.is_empty() { before.iter().collect() } else { changed };
    let mut heights: Vec<Option<&Value>> = of.iter().map(|drawn| drawn.heights.as_ref()).collect();
    heights.dedup();
    let heights = match heights.as_slice() {
        [same] => *same,
        // A shape that is added to them has none.
        _ if of.len() == before.len() && features.len() == before.len() => None,
        _ if new.is_empty() => None,
        _ => {
            let problem = "geometry: the diagram has several shapes with different heights, and more than one of them is changed; \
                           change one at a time, or change them in the room";
            return Err(ApiError::invalid(problem));
        }
    };
    for kind in [ShapeKind::Polygon, ShapeKind::LineString, ShapeKind::Point] {
        let of_kind: Vec<&Piece> = new.iter().filter(|piece| piece.kind == kind).collect();
        features.extend(geometry_of(&of_kind, kind).map(|geometry| feature(geometry, heights)));
    }
    Ok(Some(features))
}

fn feature(geometry: Value, heights: Option<&Value>) -> Value {
    let properties = heights.map_or(json!({}), |heights| json!({ "volume_information": heights }));
    json!({ "type": "Feature", "properties": properties, "geometry": geometry })
}

/// A polygon, a line or a point.
struct Piece<'g> {
    /// The kind of a single one.
    kind: ShapeKind,
    stride: usize,
    /// Ordinates of each ring, of the line, or of the point.
    lines: Vec<&'g [f64]>,
}

impl Piece<'_> {
    /// True if both have the same positions. Heights count only if both have them.
    fn is_same(&self, other: &Piece) -> bool {
        let ordinates = self.stride.min(other.stride);
        let is_same_line = |(one, other_line): (&&[f64], &&[f64])| {
            one.len() / self.stride == other_line.len() / other.stride
                && one.chunks_exact(self.stride).zip(other_line.chunks_exact(other.stride)).all(|(here, there)| {
                    let mut both = here.iter().zip(there).take(ordinates);
                    both.all(|(here, there)| {
                        here == there || (here - there).abs() <= ROUNDING || here.is_nan() && there.is_nan()
                    })
                })
        };
        self.kind == other.kind
            && self.lines.len() == other.lines.len()
            && self.lines.iter().zip(&other.lines).all(is_same_line)
    }

    fn coordinates(&self) -> Value {
        let line =
            |line: &&[f64]| -> Value { line.chunks_exact(self.stride).map(|position| json!(position)).collect() };
        match (self.kind, self.lines.first()) {
            (ShapeKind::Polygon, _) => self.lines.iter().map(line).collect(),
            (ShapeKind::Point, Some(point)) => json!(point),
            (_, first) => first.map_or(json!([]), line),
        }
    }
}

/// Joins pieces into one geometry; `None` without pieces.
fn geometry_of(pieces: &[&Piece], kind: ShapeKind) -> Option<Value> {
    match pieces {
        [] => None,
        [one] => Some(json!({ "type": kind.name(), "coordinates": one.coordinates() })),
        several => {
            let coordinates: Value = several.iter().map(|piece| piece.coordinates()).collect();
            Some(json!({ "type": format!("Multi{}", kind.name()), "coordinates": coordinates }))
        }
    }
}

/// The polygons, lines and points of a geometry.
fn pieces_of(geometry: &Geometry) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    geometry.for_each_shape(&mut |shape| pieces.extend(pieces_of_shape(shape)));
    pieces
}

fn pieces_of_shape(shape: &Shape) -> Vec<Piece<'_>> {
    let stride = shape.stride();
    let (kind, pieces): (_, Vec<Vec<&[f64]>>) = match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => {
            (ShapeKind::Point, shape.ordinates.chunks_exact(stride).map(|point| vec![point]).collect())
        }
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            (ShapeKind::LineString, shape.lines().map(|line| vec![line]).collect())
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => (ShapeKind::Polygon, shape.polygons().collect()),
    };
    pieces.into_iter().map(|lines| Piece { kind, stride, lines }).collect()
}
