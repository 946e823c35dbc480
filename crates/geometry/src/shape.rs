//! Geometries in memory.

/// A GeoJSON geometry: one shape, or a collection of geometries.
///
/// ```
/// use geodesign_geometry::{GeometrySeed, check, read_wkb, write_wkb};
/// use serde::de::DeserializeSeed;
///
/// let geojson = r#"{"type":"LineString","coordinates":[[-74.15,40.57],[-74.14,40.58]]}"#;
/// let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(geojson))?.expect("it is not null");
/// assert_eq!(check(&geometry), Ok(()));
///
/// let mut wkb = Vec::new();
/// write_wkb(&geometry, &mut wkb);
/// assert_eq!(read_wkb(&wkb).as_ref(), Some(&geometry));
/// assert_eq!(serde_json::to_string(&geometry)?, geojson);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    Shape(Shape),
    Collection(Vec<Geometry>),
}

impl Geometry {
    /// Calls `visit` for every shape, including those inside collections.
    pub fn for_each_shape<'g>(&'g self, visit: &mut impl FnMut(&'g Shape)) {
        match self {
            Geometry::Shape(shape) => visit(shape),
            Geometry::Collection(members) => {
                members.iter().for_each(|member| member.for_each_shape(visit));
            }
        }
    }

    /// Calls `change` for the ordinates of every position.
    pub fn for_each_position(&mut self, change: &mut impl FnMut(&mut [f64])) {
        match self {
            Geometry::Shape(shape) => {
                let stride = shape.stride();
                shape.ordinates.chunks_exact_mut(stride).for_each(change);
            }
            Geometry::Collection(members) => members.iter_mut().for_each(|member| member.for_each_position(change)),
        }
    }

    /// Returns the same geometry with NaN for heights that `is_none` marks as unknown, and without heights if all are NaN.
    pub fn with_known_heights(mut self, is_none: impl Fn(f64) -> bool) -> Geometry {
        let mut has_height = false;
        self.for_each_position(&mut |position| {
            if let [_, _, height] = position {
                *height = if is_none(*height) { f64::NAN } else { *height };
                has_height |= !height.is_nan();
            }
        });
        if has_height { self } else { self.without_heights() }
    }

    /// Returns the same geometry with longitudes and latitudes only.
    pub fn without_heights(&self) -> Geometry {
        match self {
            Geometry::Shape(shape) => Geometry::Shape(shape.without_heights()),
            Geometry::Collection(members) => {
                Geometry::Collection(members.iter().map(Geometry::without_heights).collect())
            }
        }
    }

    /// True if there is no position at all, as in `{"type": "Polygon", "coordinates": []}`.
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
    /// Its name in GeoJSON.
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

    /// Number of arrays around a position in the coordinates.
    pub fn nesting(self) -> usize {
        match self {
            ShapeKind::Point => 0,
            ShapeKind::MultiPoint | ShapeKind::LineString => 1,
            ShapeKind::MultiLineString | ShapeKind::Polygon => 2,
            ShapeKind::MultiPolygon => 3,
        }
    }
}

/// A geometry that is not a collection. All ordinates are in a single `Vec`, so that reading a polygon takes three allocations,
/// whatever the number of its rings.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub kind: ShapeKind,
    /// True if positions have a height: three ordinates each instead of two.
    pub has_height: bool,
    /// Longitude and latitude in degrees of each position in turn, each followed by the height in metres if `has_height`. An unknown
    /// height is NaN.
    pub ordinates: Vec<f64>,
    /// End of each line or ring, counted in positions. Empty for points and single lines.
    pub line_ends: Vec<usize>,
    /// End of each polygon, counted in rings. Empty except for multi-polygons.
    pub polygon_ends: Vec<usize>,
}

impl Shape {
    /// A shape without positions.
    pub fn empty(kind: ShapeKind) -> Self {
        Shape { kind, has_height: false, ordinates: Vec::new(), line_ends: Vec::new(), polygon_ends: Vec::new() }
    }

    /// A shape from the positions of each line or ring of each polygon; other kinds have one such list of lines. `numbers` gives
    /// longitude and latitude of a position, then its height, if it has one.
    pub(super) fn from_positions<'l, P: 'l, E>(
        kind: ShapeKind,
        polygons: impl Iterator<Item = &'l [Vec<P>]> + Clone,
        numbers: impl Fn(&P) -> Result<(&[f64; 2], &[f64]), E>,
    ) -> Result<Shape, E> {
        let mut shape = Shape::empty(kind);
        let mut heights =
            polygons.clone().flatten().flatten().map(|position| numbers(position).map(|(_, height)| height));
        shape.has_height = heights.any(|height| height.is_ok_and(|height| !height.is_empty()));
        for polygon in polygons {
            for line in polygon {
                for position in line {
                    let (lon_lat, height) = numbers(position)?;
                    shape.ordinates.extend(lon_lat);
                    shape.ordinates.extend(shape.has_height.then(|| height.first().copied().unwrap_or(f64::NAN)));
                }
                shape.line_ends.extend((kind.nesting() > 1).then_some(shape.ordinates.len() / shape.stride()));
            }
            shape.polygon_ends.extend((kind.nesting() > 2).then_some(shape.line_ends.len()));
        }
        Ok(shape)
    }

    /// Returns the same shape with longitudes and latitudes only.
    pub fn without_heights(&self) -> Shape {
        let ordinates = self.lon_lats().flat_map(|(longitude, latitude)| [longitude, latitude]).collect();
        Shape { has_height: false, ordinates, ..self.clone() }
    }

    /// The number of ordinates in a position: 2, or 3 with heights.
    pub fn stride(&self) -> usize {
        if self.has_height { 3 } else { 2 }
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.ordinates.len() / self.stride()
    }

    /// Longitude and latitude, in degrees, of every position.
    pub fn lon_lats(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.ordinates.chunks_exact(self.stride()).map(|position| (position[0], position[1]))
    }

    /// The ordinates of each point, line or ring.
    pub fn parts(&self) -> impl Iterator<Item = &[f64]> + '_ {
        let is_points = matches!(self.kind, ShapeKind::Point | ShapeKind::MultiPoint);
        let points = if is_points { self.ordinates.as_slice() } else { &[] };
        points.chunks_exact(self.stride()).chain(self.lines())
    }

    /// The ordinates of each line of a line shape, or of each ring of a polygon shape. Points have none.
    pub fn lines(&self) -> impl Iterator<Item = &[f64]> + '_ {
        let single = (self.kind == ShapeKind::LineString).then(|| self.positions());
        let ends = self.line_ends.iter().copied().chain(single);
        let mut start = 0;
        ends.map(move |end| {
            let line = &self.ordinates[start * self.stride()..end * self.stride()];
            start = end;
            line
        })
    }

    /// The rings of each polygon in a polygon shape.
    pub fn polygons(&self) -> impl Iterator<Item = Vec<&[f64]>> {
        let mut rings = self.lines();
        self.rings_per_polygon().into_iter().map(move |count| rings.by_ref().take(count).collect())
    }

    /// The number of rings of each polygon in a polygon shape.
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

/// Random geometries for property tests of conversions.
#[cfg(all(test, any(feature = "geo", feature = "geojson")))]
pub mod random {
    use proptest::prelude::*;

    use super::{Geometry, Shape, ShapeKind};

    /// The positions of a geometry that have a height.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Heights {
        None,
        All,
        /// Some shapes have heights, for all or some of their positions.
        Any,
    }

    /// Geometries of all types, nested collections included. Rings are closed; points have a position.
    pub fn geometry(heights: Heights) -> impl Strategy<Value = Geometry> {
        let leaf = shape(heights).prop_map(Geometry::Shape);
        leaf.prop_recursive(2, 8, 3, |member| prop::collection::vec(member, 0..4).prop_map(Geometry::Collection))
    }

    fn shape(heights: Heights) -> impl Strategy<Value = Shape> {
        let has_height = match heights {
            Heights::None => Just(false).boxed(),
            Heights::All => Just(true).boxed(),
            Heights::Any => any::<bool>().boxed(),
        };
        has_height.prop_flat_map(move |has_height| {
            let position = position(has_height, heights);
            let line = |sizes| prop::collection::vec(position.clone(), sizes);
            let ring = || {
                line(3..6).prop_map(|mut ring| {
                    ring.push(ring[0].clone());
                    ring
                })
            };
            let rings = || prop::collection::vec(ring(), 0..3);
            let single = |kind| move |line: Vec<Vec<f64>>| build(kind, has_height, &[vec![line]]);
            let several = |kind| move |lines| build(kind, has_height, &[lines]);
            prop_oneof![
                line(1..2).prop_map(single(ShapeKind::Point)),
                line(0..4).prop_map(single(ShapeKind::MultiPoint)),
                line(0..4).prop_map(single(ShapeKind::LineString)),
                prop::collection::vec(line(0..4), 0..3).prop_map(several(ShapeKind::MultiLineString)),
                rings().prop_map(several(ShapeKind::Polygon)),
                prop::collection::vec(rings(), 0..3).prop_map(move |polygons| build(
                    ShapeKind::MultiPolygon,
                    has_height,
                    &polygons
                )),
            ]
        })
    }

    fn position(has_height: bool, heights: Heights) -> BoxedStrategy<Vec<f64>> {
        let height = match heights {
            Heights::Any => prop_oneof![3 => -10.0..3000.0, 1 => Just(f64::NAN)].boxed(),
            Heights::None | Heights::All => (-10.0..3000.0).boxed(),
        };
        let lon_lat = (-180.0..180.0, -90.0..90.0);
        (lon_lat, height)
            .prop_map(move |((longitude, latitude), height)| {
                [longitude, latitude].into_iter().chain(has_height.then_some(height)).collect()
            })
            .boxed()
    }

    /// Builds a shape in the same way as reading: with heights only if at least one is known.
    fn build(kind: ShapeKind, has_height: bool, polygons: &[Vec<Vec<Vec<f64>>>]) -> Shape {
        let mut positions = polygons.iter().flatten().flatten();
        let has_height = has_height && positions.any(|position| !position[2].is_nan());
        let mut shape = Shape { has_height, ..Shape::empty(kind) };
        for polygon in polygons {
            for line in polygon {
                let stride = shape.stride();
                shape.ordinates.extend(line.iter().flat_map(|position| &position[..stride]));
                if kind.nesting() > 1 {
                    shape.line_ends.push(shape.positions());
                }
            }
            if kind == ShapeKind::MultiPolygon {
                shape.polygon_ends.push(shape.line_ends.len());
            }
        }
        shape
    }
}
