//! Conversion from and to the geometries of the crate `geojson`.

use std::{iter, slice};

use geojson::{GeometryValue, Position};

use super::shape::{Geometry, Shape, ShapeKind};

/// Converts to a geometry of the crate `geojson`. Nothing is lost: positions with an unknown height get two numbers.
///
/// ```
/// use geodesign_geometry::Geometry;
///
/// let path = geojson::Geometry::new_line_string([[-74.15, 40.57], [-74.14, 40.58]]);
/// let geometry = Geometry::try_from(&path)?;
/// assert_eq!(geojson::Geometry::from(&geometry), path);
/// # Ok::<(), geodesign_geometry::GeojsonError>(())
/// ```
impl From<&Geometry> for geojson::Geometry {
    fn from(geometry: &Geometry) -> Self {
        geojson::Geometry::new(match geometry {
            Geometry::Shape(shape) => value(shape),
            Geometry::Collection(members) => {
                GeometryValue::GeometryCollection { geometries: members.iter().map(geojson::Geometry::from).collect() }
            }
        })
    }
}

/// Converts the coordinates of a geometry of the crate `geojson`. Its bounding box and foreign members are left out, since a
/// [`Geometry`] consists of coordinates only.
impl TryFrom<&geojson::Geometry> for Geometry {
    type Error = GeojsonError;

    fn try_from(geometry: &geojson::Geometry) -> Result<Self, GeojsonError> {
        let lines = |kind, lines| shape(kind, iter::once(lines));
        let shape = match &geometry.value {
            GeometryValue::GeometryCollection { geometries } => {
                return geometries.iter().map(Geometry::try_from).collect::<Result<_, _>>().map(Geometry::Collection);
            }
            GeometryValue::Point { coordinates } if coordinates.is_empty() => Ok(Shape::empty(ShapeKind::Point)),
            GeometryValue::Point { coordinates } => lines(ShapeKind::Point, &[vec![coordinates.clone()]]),
            GeometryValue::MultiPoint { coordinates } => lines(ShapeKind::MultiPoint, slice::from_ref(coordinates)),
            GeometryValue::LineString { coordinates } => lines(ShapeKind::LineString, slice::from_ref(coordinates)),
            GeometryValue::MultiLineString { coordinates } => lines(ShapeKind::MultiLineString, coordinates),
            GeometryValue::Polygon { coordinates } => lines(ShapeKind::Polygon, coordinates),
            GeometryValue::MultiPolygon { coordinates } => {
                shape(ShapeKind::MultiPolygon, coordinates.iter().map(Vec::as_slice))
            }
        };
        shape.map(Geometry::Shape)
    }
}

/// Reasons why a geometry of the crate `geojson` cannot be converted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeojsonError {
    #[error("a position has {0} numbers; it needs longitude, latitude and, if known, a height")]
    PositionLength(usize),
}

fn value(shape: &Shape) -> GeometryValue {
    let positions = |line: &[f64]| line.chunks_exact(shape.stride()).map(position).collect::<Vec<_>>();
    let all = || positions(&shape.ordinates);
    let lines = || shape.lines().map(positions).collect();
    match shape.kind {
        ShapeKind::Point => GeometryValue::Point { coordinates: position(&shape.ordinates) },
        ShapeKind::MultiPoint => GeometryValue::MultiPoint { coordinates: all() },
        ShapeKind::LineString => GeometryValue::LineString { coordinates: all() },
        ShapeKind::MultiLineString => GeometryValue::MultiLineString { coordinates: lines() },
        ShapeKind::Polygon => GeometryValue::Polygon { coordinates: lines() },
        ShapeKind::MultiPolygon => {
            let polygons = shape.polygons().map(|rings| rings.into_iter().map(positions).collect());
            GeometryValue::MultiPolygon { coordinates: polygons.collect() }
        }
    }
}

fn position(ordinates: &[f64]) -> Position {
    match ordinates {
        [longitude, latitude, height] if height.is_nan() => Position::from([*longitude, *latitude]),
        _ => Position::from(ordinates.to_vec()),
    }
}

fn shape<'l>(
    kind: ShapeKind,
    polygons: impl Iterator<Item = &'l [Vec<Position>]> + Clone,
) -> Result<Shape, GeojsonError> {
    Shape::from_positions(kind, polygons, |position: &Position| match position.as_slice().split_first_chunk() {
        Some((lon_lat, height)) if height.len() < 2 => Ok((lon_lat, height)),
        _ => Err(GeojsonError::PositionLength(position.len())),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shape::random::{Heights, geometry};

    proptest! {
        #[test]
        fn a_geometry_converted_there_and_back_is_the_same(geometry in geometry(Heights::Any)) {
            let there = geojson::Geometry::from(&geometry);
            // As text, because an unknown height is NaN, which equals nothing.
            prop_assert_eq!(format!("{:?}", Geometry::try_from(&there)), format!("Ok({geometry:?})"));
        }

        #[test]
        fn a_converted_geometry_is_written_as_the_same_geojson(geometry in geometry(Heights::Any)) {
            let theirs = serde_json::to_value(geojson::Geometry::from(&geometry)).unwrap();
            prop_assert_eq!(theirs, serde_json::to_value(&geometry).unwrap());
        }
    }

    #[test]
    fn a_position_of_one_or_four_numbers_is_an_error() {
        for numbers in [vec![1.0], vec![1.0, 2.0, 3.0, 4.0]] {
            let point = geojson::Geometry::new_point(numbers.clone());
            assert_eq!(Geometry::try_from(&point), Err(GeojsonError::PositionLength(numbers.len())));
        }
    }
}
