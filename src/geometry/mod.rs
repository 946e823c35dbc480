//! What a shape is: GeoJSON coordinates in, WKB out, hectares and kilometres on WGS 84.
//!
//! Coordinates are longitude, latitude (degrees, WGS 84) and, where given, a height.

mod esri;
mod geodesic;
mod geojson;
mod short_edges;
mod validity;
mod wkb;

pub use esri::{EsriError, EsriGeometry};
pub use geodesic::{Measure, total};
pub use geojson::GeometrySeed;
pub(crate) use geojson::Text;
pub use validity::{InvalidGeometry, check};
pub use wkb::{read as read_wkb, read_coarsely as read_wkb_coarsely, write as write_wkb};

/// A GeoJSON geometry: one shape, or a collection of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    Shape(Shape),
    Collection(Vec<Geometry>),
}

impl Geometry {
    /// Calls `visit` for every shape, those in collections included.
    pub fn for_each_shape<'g>(&'g self, visit: &mut impl FnMut(&'g Shape)) {
        match self {
            Geometry::Shape(shape) => visit(shape),
            Geometry::Collection(members) => {
                members.iter().for_each(|member| member.for_each_shape(visit));
            }
        }
    }

    /// A geometry without a single position, such as `{"type": "Polygon", "coordinates": []}`.
    pub fn is_empty(&self) -> bool {
        let mut empty = true;
        self.for_each_shape(&mut |shape| empty &= shape.ordinates.is_empty());
        empty
    }
}

/// The six kinds of shape in GeoJSON (RFC 7946, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeKind {
    Point,
    MultiPoint,
    LineString,
    MultiLineString,
    Polygon,
    MultiPolygon,
}

impl ShapeKind {
    /// The name in GeoJSON.
    pub fn name(self) -> &'static str {
        match self {
            ShapeKind::Point => "Point",
            ShapeKind::MultiPoint => "MultiPoint",
            ShapeKind::LineString => "LineString",
            ShapeKind::MultiLineString => "MultiLineString",
            ShapeKind::Polygon => "Polygon",
            ShapeKind::MultiPolygon => "MultiPolygon",
        }
    }

    /// How many arrays stand around a position.
    pub(crate) fn nesting(self) -> usize {
        match self {
            ShapeKind::Point => 0,
            ShapeKind::MultiPoint | ShapeKind::LineString => 1,
            ShapeKind::MultiLineString | ShapeKind::Polygon => 2,
            ShapeKind::MultiPolygon => 3,
        }
    }
}

/// One shape with its ordinates in a single run, so that reading a polygon costs three allocations however many rings it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub kind: ShapeKind,
    /// Whether positions have a height: three ordinates each instead of two.
    pub has_height: bool,
    /// Longitude, latitude[, height] of every position, one after the other.
    pub ordinates: Vec<f64>,
    /// Where each line or ring ends, counted in positions. Empty for points and single lines.
    pub line_ends: Vec<usize>,
    /// Where each polygon ends, counted in rings. Empty but for multi-polygons.
    pub polygon_ends: Vec<usize>,
}

impl Shape {
    /// A shape of this kind that has no positions yet.
    pub fn empty(kind: ShapeKind) -> Self {
        Shape { kind, has_height: false, ordinates: Vec::new(), line_ends: Vec::new(), polygon_ends: Vec::new() }
    }

    /// Ordinates in a position: 2, or 3 with heights.
    pub fn stride(&self) -> usize {
        if self.has_height { 3 } else { 2 }
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.ordinates.len() / self.stride()
    }

    /// Longitude and latitude of every position, in order.
    pub fn lon_lats(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.ordinates.chunks_exact(self.stride()).map(|position| (position[0], position[1]))
    }

    /// The lines of a line shape, or the rings of a polygon shape, as runs of ordinates.
    pub fn lines(&self) -> impl Iterator<Item = &[f64]> + '_ {
        let single = (self.kind.nesting() == 1).then(|| self.positions());
        let ends = self.line_ends.iter().copied().chain(single);
        let mut start = 0;
        ends.map(move |end| {
            let line = &self.ordinates[start * self.stride()..end * self.stride()];
            start = end;
            line
        })
    }

    /// Ring counts of the polygons in a polygon shape.
    pub fn rings_per_polygon(&self) -> Vec<usize> {
        match self.kind {
            ShapeKind::Polygon => vec![self.line_ends.len()],
            _ => {
                let starts = std::iter::once(0).chain(self.polygon_ends.iter().copied());
                starts.zip(&self.polygon_ends).map(|(start, end)| end - start).collect()
            }
        }
    }
}
