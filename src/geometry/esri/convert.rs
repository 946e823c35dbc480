//! Conversion between feature-JSON and geometries in WGS 84.

use std::f64::consts::FRAC_PI_2;

use super::geometry::{EsriGeometry, EsriLine, EsriPosition, SpatialReference};
use super::rings::{into_polygons, oriented};
use crate::geometry::shape::{Geometry, Shape, ShapeKind};

/// WGS 84, longitude and latitude in degrees.
const WGS84: u32 = 4326;
/// Web Mercator in metres, which has two numbers.
const WEB_MERCATOR: [u32; 2] = [3857, 102_100];
/// The radius of the sphere of Web Mercator, in metres (EPSG guidance note 7-2, method 1024).
const WEB_MERCATOR_RADIUS: f64 = 6_378_137.0;

/// Why a feature-JSON geometry cannot be converted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EsriError {
    #[error(
        "wkid {0} is not supported; only 4326 (WGS 84) and 3857 or 102100 (Web Mercator) are: reproject the feature first"
    )]
    UnknownWkid(u32),
    #[error("the geometry has no spatialReference with a wkid, so its coordinates cannot be placed")]
    NoSpatialReference,
    #[error("the geometry has none of rings, paths, points or x and y")]
    NoCoordinates,
    #[error("a position needs two or three numbers and has {0}")]
    BadPosition(usize),
}

impl EsriGeometry {
    /// The geometry in WGS 84, each hole in the polygon whose exterior surrounds it, exteriors counter-clockwise.
    pub fn to_geometry(&self) -> Result<Geometry, EsriError> {
        let reference = self.spatial_reference.ok_or(EsriError::NoSpatialReference)?;
        let to_wgs84 = to_wgs84(reference.wkid)?;
        let shape = if let Some(rings) = &self.rings {
            // Checked first, since the rings are compared below.
            rings.iter().flatten().try_for_each(|position| lon_lat(position).map(drop))?;
            polygons(into_polygons(rings.iter().filter(|ring| !ring.is_empty())))
        } else if let Some(paths) = &self.paths {
            lines(paths)
        } else if let Some(points) = &self.points {
            single(ShapeKind::MultiPoint, points)
        } else if let (Some(x), Some(y)) = (self.x, self.y) {
            single(ShapeKind::Point, &[[x, y].into_iter().chain(self.z).collect()])
        } else {
            return Err(EsriError::NoCoordinates);
        };
        let mut shape = shape?;
        let stride = shape.stride();
        for position in shape.ordinates.chunks_exact_mut(stride) {
            [position[0], position[1]] = to_wgs84([position[0], position[1]]);
        }
        Ok(Geometry::Shape(shape))
    }

    /// The geometry of a feature that is drawn with polygons and has none.
    pub fn no_rings() -> Self {
        EsriGeometry { rings: Some(Vec::new()), ..EsriGeometry::in_wgs84() }
    }

    /// The geometry of a feature that is drawn with lines and has none.
    pub fn no_paths() -> Self {
        EsriGeometry { paths: Some(Vec::new()), ..EsriGeometry::in_wgs84() }
    }

    fn in_wgs84() -> Self {
        EsriGeometry { spatial_reference: Some(SpatialReference { wkid: WGS84 }), ..EsriGeometry::default() }
    }

    /// A WGS 84 geometry as feature-JSON, exteriors clockwise; `None` for a collection, which feature-JSON cannot express.
    pub fn from_geometry(geometry: &Geometry) -> Option<Self> {
        let Geometry::Shape(shape) = geometry else {
            return None;
        };
        let to_line = |line: &[f64]| line.chunks_exact(shape.stride()).map(<[f64]>::to_vec).collect::<EsriLine>();
        let mut esri = EsriGeometry::in_wgs84();
        match shape.kind {
            ShapeKind::Point => {
                esri.x = shape.ordinates.first().copied();
                esri.y = shape.ordinates.get(1).copied();
                esri.z = shape.ordinates.get(2).copied();
            }
            ShapeKind::MultiPoint => esri.points = Some(to_line(&shape.ordinates)),
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                esri.paths = Some(shape.lines().map(to_line).collect())
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let is_exterior =
                    shape.rings_per_polygon().into_iter().flat_map(|count| (0..count).map(|ring| ring == 0));
                let oriented_rings =
                    shape.lines().map(to_line).zip(is_exterior).map(|(ring, exterior)| oriented(ring, exterior));
                esri.rings = Some(oriented_rings.collect());
            }
        }
        Some(esri)
    }
}

type ToWgs84 = fn([f64; 2]) -> [f64; 2];

fn to_wgs84(wkid: u32) -> Result<ToWgs84, EsriError> {
    match wkid {
        WGS84 => Ok(|lon_lat| lon_lat),
        _ if WEB_MERCATOR.contains(&wkid) => Ok(|[x, y]| {
            let latitude = 2.0 * (y / WEB_MERCATOR_RADIUS).exp().atan() - FRAC_PI_2;
            [(x / WEB_MERCATOR_RADIUS).to_degrees(), latitude.to_degrees()]
        }),
        _ => Err(EsriError::UnknownWkid(wkid)),
    }
}

fn polygons(polygons: Vec<Vec<EsriLine>>) -> Result<Shape, EsriError> {
    let kind = if polygons.len() == 1 { ShapeKind::Polygon } else { ShapeKind::MultiPolygon };
    let mut shape = Shape::empty(kind);
    shape.has_height = has_heights(polygons.iter().flatten().flatten());
    for polygon in &polygons {
        polygon.iter().try_for_each(|ring| push_line(&mut shape, ring))?;
        if kind == ShapeKind::MultiPolygon {
            shape.polygon_ends.push(shape.line_ends.len());
        }
    }
    Ok(shape)
}

fn lines(paths: &[EsriLine]) -> Result<Shape, EsriError> {
    if let [path] = paths {
        return single(ShapeKind::LineString, path);
    }
    let mut shape = Shape::empty(ShapeKind::MultiLineString);
    shape.has_height = has_heights(paths.iter().flatten());
    paths.iter().try_for_each(|path| push_line(&mut shape, path))?;
    Ok(shape)
}

fn single(kind: ShapeKind, positions: &[EsriPosition]) -> Result<Shape, EsriError> {
    let mut shape = Shape::empty(kind);
    shape.has_height = has_heights(positions.iter());
    positions.iter().try_for_each(|position| push_position(&mut shape, position))?;
    Ok(shape)
}

fn has_heights<'p>(mut positions: impl Iterator<Item = &'p EsriPosition>) -> bool {
    positions.any(|position| position.len() > 2)
}

fn push_line(shape: &mut Shape, line: &[EsriPosition]) -> Result<(), EsriError> {
    line.iter().try_for_each(|position| push_position(shape, position))?;
    shape.line_ends.push(shape.positions());
    Ok(())
}

fn push_position(shape: &mut Shape, position: &[f64]) -> Result<(), EsriError> {
    let (lon_lat, height) = lon_lat(position)?;
    shape.ordinates.extend(lon_lat);
    if shape.has_height {
        shape.ordinates.push(height.first().copied().unwrap_or(f64::NAN));
    }
    Ok(())
}

/// Splits a position into its first two numbers and the others.
fn lon_lat(position: &[f64]) -> Result<(&[f64; 2], &[f64]), EsriError> {
    position.split_first_chunk().ok_or(EsriError::BadPosition(position.len()))
}
