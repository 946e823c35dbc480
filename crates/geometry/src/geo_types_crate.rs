//! Conversion from and to the geometries of the crate `geo-types`.

use geo_types::{Coord, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon};

use super::shape::{Geometry, Shape, ShapeKind};

/// A geometry of the crate `geo-types`, whose positions are longitude (x) and latitude (y).
///
/// That crate has no heights: a geometry with heights is an error. Convert [`Geometry::without_heights`] to leave them out. geo-types
/// also has no empty point, and closes every ring.
///
/// ```
/// use geo_types::line_string;
/// use geodesign_geometry::Geometry;
///
/// let path = geo_types::Geometry::from(line_string![(x: -74.15, y: 40.57), (x: -74.14, y: 40.58)]);
/// let geometry = Geometry::from(&path);
/// assert_eq!(geo_types::Geometry::try_from(&geometry)?, path);
/// # Ok::<(), geodesign_geometry::GeoTypesError>(())
/// ```
impl TryFrom<&Geometry> for geo_types::Geometry<f64> {
    type Error = GeoTypesError;

    fn try_from(geometry: &Geometry) -> Result<Self, GeoTypesError> {
        match geometry {
            Geometry::Shape(shape) if shape.has_height => Err(GeoTypesError::Heights),
            Geometry::Shape(shape) => to_geo_types(shape),
            Geometry::Collection(members) => {
                let members = members.iter().map(Self::try_from).collect::<Result<_, _>>()?;
                Ok(geo_types::Geometry::GeometryCollection(GeometryCollection(members)))
            }
        }
    }
}

/// A geometry in longitude (x) and latitude (y). Lines become line strings; rectangles and triangles become polygons.
impl From<&geo_types::Geometry<f64>> for Geometry {
    fn from(geometry: &geo_types::Geometry<f64>) -> Self {
        use geo_types::Geometry::*;
        let shape = match geometry {
            Point(point) => line(ShapeKind::Point, [point.0]),
            MultiPoint(points) => line(ShapeKind::MultiPoint, points.iter().map(|point| point.0)),
            Line(ends) => line(ShapeKind::LineString, [ends.start, ends.end]),
            LineString(line_string) => line(ShapeKind::LineString, line_string.coords().copied()),
            MultiLineString(line_strings) => lines(ShapeKind::MultiLineString, &line_strings.0),
            Polygon(polygon) => lines(ShapeKind::Polygon, rings(polygon)),
            Rect(rect) => lines(ShapeKind::Polygon, rings(&rect.to_polygon())),
            Triangle(triangle) => lines(ShapeKind::Polygon, rings(&triangle.to_polygon())),
            MultiPolygon(polygons) => multi_polygon(polygons),
            GeometryCollection(members) => return Geometry::Collection(members.iter().map(Geometry::from).collect()),
        };
        Geometry::Shape(shape)
    }
}

/// Reasons why a geometry cannot be converted into one of the crate `geo-types`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeoTypesError {
    #[error("the geometry has heights, which geo-types lacks; convert Geometry::without_heights to leave them out")]
    Heights,
    #[error("the geometry has a point without a position, which geo-types lacks")]
    EmptyPoint,
}

fn to_geo_types(shape: &Shape) -> Result<geo_types::Geometry<f64>, GeoTypesError> {
    let line_strings = shape.lines().map(line_string);
    Ok(match shape.kind {
        ShapeKind::Point => Point(coords(&shape.ordinates).next().ok_or(GeoTypesError::EmptyPoint)?).into(),
        ShapeKind::MultiPoint => MultiPoint(coords(&shape.ordinates).map(Point).collect()).into(),
        ShapeKind::LineString => line_string(&shape.ordinates).into(),
        ShapeKind::MultiLineString => MultiLineString(line_strings.collect()).into(),
        ShapeKind::Polygon => polygon(line_strings).into(),
        ShapeKind::MultiPolygon => {
            let polygons = shape.polygons().map(|rings| polygon(rings.into_iter().map(line_string)));
            MultiPolygon(polygons.collect()).into()
        }
    })
}

fn coords(ordinates: &[f64]) -> impl Iterator<Item = Coord<f64>> {
    ordinates.as_chunks().0.iter().map(|&[x, y]| Coord { x, y })
}

fn line_string(ordinates: &[f64]) -> LineString<f64> {
    coords(ordinates).collect()
}

/// A polygon from its rings, the exterior first. geo-types writes a polygon without rings as an exterior without positions.
fn polygon(rings: impl IntoIterator<Item = LineString<f64>>) -> Polygon<f64> {
    let mut rings = rings.into_iter();
    let exterior = rings.next().unwrap_or_else(LineString::empty);
    Polygon::new(exterior, rings.collect())
}

fn rings(polygon: &Polygon<f64>) -> impl Iterator<Item = &LineString<f64>> {
    let exterior = Some(polygon.exterior()).filter(|ring| !ring.0.is_empty() || !polygon.interiors().is_empty());
    exterior.into_iter().chain(polygon.interiors())
}

fn line(kind: ShapeKind, coords: impl IntoIterator<Item = Coord<f64>>) -> Shape {
    let ordinates = coords.into_iter().flat_map(|Coord { x, y }| [x, y]).collect();
    Shape { ordinates, ..Shape::empty(kind) }
}

fn lines<'l>(kind: ShapeKind, lines: impl IntoIterator<Item = &'l LineString<f64>>) -> Shape {
    let mut shape = Shape::empty(kind);
    push_lines(&mut shape, lines);
    shape
}

fn multi_polygon(polygons: &MultiPolygon<f64>) -> Shape {
    let mut shape = Shape::empty(ShapeKind::MultiPolygon);
    for polygon in polygons {
        push_lines(&mut shape, rings(polygon));
        shape.polygon_ends.push(shape.line_ends.len());
    }
    shape
}

fn push_lines<'l>(shape: &mut Shape, lines: impl IntoIterator<Item = &'l LineString<f64>>) {
    for line in lines {
        shape.ordinates.extend(line.coords().flat_map(|coord| [coord.x, coord.y]));
        shape.line_ends.push(shape.positions());
    }
}

#[cfg(test)]
mod tests {
    use geo_types::{Line, Rect, Triangle};
    use proptest::prelude::*;

    use super::*;
    use crate::shape::random::{Heights, geometry};

    proptest! {
        #[test]
        fn a_geometry_without_heights_converted_there_and_back_is_the_same(geometry in geometry(Heights::None)) {
            let there = geo_types::Geometry::try_from(&geometry).unwrap();
            prop_assert_eq!(Geometry::from(&there), geometry);
        }

        #[test]
        fn heights_are_left_out_only_where_that_is_asked_for(geometry in geometry(Heights::All)) {
            let has_positions = !geometry.is_empty();
            if has_positions {
                prop_assert_eq!(geo_types::Geometry::try_from(&geometry), Err(GeoTypesError::Heights));
            }
            let flat = geometry.without_heights();
            let there = geo_types::Geometry::try_from(&flat).unwrap();
            prop_assert_eq!(Geometry::from(&there), flat);
        }
    }

    #[test]
    fn a_point_without_a_position_is_an_error() {
        let point = Geometry::Shape(Shape::empty(ShapeKind::Point));
        assert_eq!(geo_types::Geometry::try_from(&point), Err(GeoTypesError::EmptyPoint));
    }

    #[test]
    fn lines_rectangles_and_triangles_become_line_strings_and_polygons() {
        let (origin, east, north) = (Coord { x: 0.0, y: 0.0 }, Coord { x: 1.0, y: 0.0 }, Coord { x: 0.0, y: 1.0 });
        let shapes = [
            (Line::new(origin, east).into(), ShapeKind::LineString, 2),
            (Rect::new(origin, Coord { x: 1.0, y: 1.0 }).into(), ShapeKind::Polygon, 5),
            (Triangle::new(origin, east, north).into(), ShapeKind::Polygon, 4),
        ];
        for (geometry, kind, positions) in shapes {
            let Geometry::Shape(shape) = Geometry::from(&geometry) else { panic!("{geometry:?} is a shape") };
            assert_eq!((shape.kind, shape.positions()), (kind, positions));
        }
    }
}
