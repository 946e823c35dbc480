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
    let (Some(mut new), Some(known)) = (pieces_of(sent), pieces_of_all(before)) else {
        let is_same = matches!(before, [one] if one.geometry == *sent);
        return Ok((!is_same).then(|| vec![feature(json!(sent), None)]));
    };
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
    for is_area in [true, false] {
        let of_kind: Vec<&Piece> = new.iter().filter(|piece| piece.is_area == is_area).collect();
        features.extend(geometry_of(&of_kind, is_area).map(|geometry| feature(geometry, heights)));
    }
    Ok(Some(features))
}

fn feature(geometry: Value, heights: Option<&Value>) -> Value {
    let properties = heights.map_or(json!({}), |heights| json!({ "volume_information": heights }));
    json!({ "type": "Feature", "properties": properties, "geometry": geometry })
}

/// A polygon or a line.
struct Piece<'g> {
    is_area: bool,
    stride: usize,
    /// Ordinates of each ring, or of the line.
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
        self.is_area == other.is_area
            && self.lines.len() == other.lines.len()
            && self.lines.iter().zip(&other.lines).all(is_same_line)
    }

    fn coordinates(&self) -> Value {
        let line =
            |line: &&[f64]| -> Value { line.chunks_exact(self.stride).map(|position| json!(position)).collect() };
        if self.is_area { self.lines.iter().map(line).collect() } else { self.lines.first().map_or(json!([]), line) }
    }
}

/// Joins pieces into one geometry; `None` without pieces.
fn geometry_of(pieces: &[&Piece], is_area: bool) -> Option<Value> {
    let kind = if is_area { ShapeKind::Polygon } else { ShapeKind::LineString };
    match pieces {
        [] => None,
        [one] => Some(json!({ "type": kind.name(), "coordinates": one.coordinates() })),
        several => {
            let coordinates: Value = several.iter().map(|piece| piece.coordinates()).collect();
            Some(json!({ "type": format!("Multi{}", kind.name()), "coordinates": coordinates }))
        }
    }
}

fn pieces_of_all(drawn: &[Drawn]) -> Option<Vec<Vec<Piece<'_>>>> {
    drawn.iter().map(|drawn| pieces_of(&drawn.geometry)).collect()
}

/// The polygons and lines of a geometry; `None` if it has points.
fn pieces_of(geometry: &Geometry) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Some(Vec::new());
    geometry.for_each_shape(&mut |shape| {
        let added = pieces_of_shape(shape);
        pieces = pieces.take().zip(added).map(|(known, added)| known.into_iter().chain(added).collect());
    });
    pieces
}

fn pieces_of_shape(shape: &Shape) -> Option<Vec<Piece<'_>>> {
    let stride = shape.stride();
    match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => None,
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            Some(shape.lines().map(|line| Piece { is_area: false, stride, lines: vec![line] }).collect())
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => {
            Some(shape.polygons().map(|lines| Piece { is_area: true, stride, lines }).collect())
        }
    }
}
