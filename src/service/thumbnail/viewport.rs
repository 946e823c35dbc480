//! Where on the picture a position on the Earth is.

use tiny_skia::Point;

use crate::geometry::{Geometry, Shape, ShapeKind};
use crate::model::Bounds;

/// The width and height of a thumbnail in pixels.
pub const SIZE: u32 = 256;
/// The same, for drawing. All lengths in this module are pixels, unless they say otherwise.
pub const SIDE: f32 = SIZE as f32;
/// Free space on every side, wide enough for the halo of a diagram at the edge.
pub const MARGIN: f32 = 14.0;

/// The least width and height that a viewport shows, in degrees: about a metre.
const MIN_DEGREES: f64 = 1e-5;

/// The part of the Earth that a picture shows, in an equirectangular projection: degrees of longitude are shortened as they
/// are at the centre.
#[derive(Debug, Clone, Copy)]
pub struct Viewport {
    /// The centre, in degrees.
    longitude: f64,
    latitude: f64,
    /// Pixels per degree of longitude and of latitude.
    scale: (f64, f64),
}

impl Viewport {
    /// A viewport in which the extent fits between the margins.
    pub fn around(extent: Option<Bounds>) -> Self {
        let extent = extent.unwrap_or(Bounds { west: 0.0, south: 0.0, east: 0.0, north: 0.0 });
        let center = extent.center();
        // At the poles, where the cosine is 0, a division by it would fail.
        let shortening = center.latitude.to_radians().cos().max(0.01);
        let width = (extent.east - extent.west) * shortening;
        let height = extent.north - extent.south;
        let scale = f64::from(SIDE - 2.0 * MARGIN) / width.max(height).max(MIN_DEGREES);
        Viewport { longitude: center.longitude, latitude: center.latitude, scale: (scale * shortening, scale) }
    }

    pub fn to_pixels(self, (longitude, latitude): (f64, f64)) -> Point {
        let x = (longitude - self.longitude) * self.scale.0;
        let y = (self.latitude - latitude) * self.scale.1;
        Point::from_xy(x as f32 + SIDE / 2.0, y as f32 + SIDE / 2.0)
    }

    /// The upper left and the lower right corner of an extent.
    pub fn corners(self, extent: Bounds) -> [Point; 2] {
        [self.to_pixels((extent.west, extent.north)), self.to_pixels((extent.east, extent.south))]
    }

    /// Whether the whole extent lies between the margins, with a tolerance of half a pixel for rounding.
    pub fn contains(self, extent: Bounds) -> bool {
        let inside = MARGIN - 0.5..=SIDE - MARGIN + 0.5;
        self.corners(extent).iter().all(|corner| inside.contains(&corner.x) && inside.contains(&corner.y))
    }
}

/// The smallest bounds around all positions of the geometries that are on the Earth.
pub fn extent(geometries: &[Geometry]) -> Option<Bounds> {
    let mut extent: Option<Bounds> = None;
    let mut widen = |shape: &Shape| {
        let bounds = Bounds::around(shape.lon_lats().filter(is_on_earth));
        extent = extent.into_iter().chain(bounds).reduce(Bounds::union);
    };
    geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut widen));
    extent
}

/// False for NaN as well. Longitudes may continue beyond the antimeridian.
pub fn is_on_earth(&(longitude, latitude): &(f64, f64)) -> bool {
    longitude.abs() <= 360.0 && latitude.abs() <= 90.0
}

/// Bounds as a polygon; `None` if they enclose no area.
pub fn rectangle(Bounds { west, south, east, north }: Bounds) -> Option<Geometry> {
    let has_area = is_on_earth(&(west, south)) && is_on_earth(&(east, north)) && west < east && south < north;
    let ordinates = vec![west, south, east, south, east, north, west, north, west, south];
    let shape = Shape { ordinates, line_ends: vec![5], ..Shape::empty(ShapeKind::Polygon) };
    has_area.then_some(Geometry::Shape(shape))
}
