//! Geometries checked before they are sent or stored, and the share of them outside the study area.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::bounds::{Bounds, Center};
use super::diagram::FeatureType;
use crate::json::in_plain_words;
use crate::named::ALLOW_OUTSIDE;
use geodesign_geometry::{
    Geometry, GeometrySeed, InvalidGeometry, Measure, NEGLIGIBLE_SHARE, Region, Shape, ShapeKind, SharedWithDrawing,
    check, cut_at_antimeridian, extent_of,
};

/// Degrees between points on a parallel. The geodesic between them is a centimetre from the parallel.
const DEGREES_OF_A_STEP: f64 = 0.01;
/// Degrees by which rounding may put a position beyond longitude ±180 or latitude ±90: 0.1 mm.
pub const MAX_ROUNDING: f64 = 1e-9;

/// A geometry that a diagram can be drawn with: polygons, lines or points that passed [`check`]. It is kept as JSON text, so that its
/// coordinates are sent, stored and returned bit for bit.
///
/// ```
/// use geodesign::model::DrawnGeometry;
///
/// let path = r#"{"type": "LineString", "coordinates": [[-74.15, 40.570], [-74.14, 40.58]]}"#;
/// let drawn: DrawnGeometry = serde_json::from_str(path)?;
/// assert_eq!(drawn.text(), path);
///
/// let bow_tie = r#"{"type": "Polygon", "coordinates": [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]}"#;
/// let error = serde_json::from_str::<DrawnGeometry>(bow_tie).unwrap_err();
/// assert!(error.to_string().contains("crosses or touches itself at [1.0, 1.0]"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DrawnGeometry {
    text: Box<RawValue>,
    feature_type: FeatureType,
    measure: Measure,
    extent: Option<[f64; 4]>,
}

impl DrawnGeometry {
    /// Checks a geometry; the error says what is wrong and how to repair it. Positions that rounding has put beyond longitude ±180 or
    /// latitude ±90 are moved to that edge, and shapes across longitude ±180 are cut there.
    pub fn new(geometry: &Geometry) -> Result<Self, InvalidDrawing> {
        let geometry = without_rounding_beyond_earth(geometry);
        let geometry = cut_at_antimeridian(&geometry);
        let text = to_raw_value(&*geometry).expect("numbers and the names of geometry types serialize");
        Self::with_text(&geometry, text)
    }

    fn with_text(geometry: &Geometry, text: Box<RawValue>) -> Result<Self, InvalidDrawing> {
        let feature_type = feature_type_of(geometry)?;
        check(geometry)?;
        let (measure, extent) = (Measure::of(geometry).unwrap_or_default(), extent_of(geometry));
        Ok(DrawnGeometry { text, feature_type, measure, extent })
    }

    pub fn feature_type(&self) -> FeatureType {
        self.feature_type
    }

    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// West, south, east and north; `None` for a geometry without positions.
    pub fn extent(&self) -> Option<[f64; 4]> {
        self.extent
    }

    /// The geometry, read from its text.
    pub fn geometry(&self) -> Geometry {
        let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(self.text()));
        geometry.ok().flatten().expect("the text was read before the geometry was checked")
    }

    /// The geometry as GeoJSON text.
    pub fn text(&self) -> &str {
        self.text.get()
    }
}

/// Moves positions that rounding has put beyond longitude ±180 or latitude ±90 to that edge.
pub(super) fn without_rounding_beyond_earth(geometry: &Geometry) -> Cow<'_, Geometry> {
    let Geometry::Shape(shape) = geometry else { return Cow::Borrowed(geometry) };
    if shape.lon_lats().all(|(longitude, latitude)| longitude.abs() <= 180.0 && latitude.abs() <= 90.0) {
        return Cow::Borrowed(geometry);
    }
    let mut shape = shape.clone();
    let stride = shape.stride();
    for position in shape.ordinates.chunks_exact_mut(stride) {
        for (degrees, limit) in position.iter_mut().zip([180.0, 90.0]) {
            if degrees.abs() > limit && degrees.abs() <= limit + MAX_ROUNDING {
                *degrees = limit.copysign(*degrees);
            }
        }
    }
    Cow::Owned(Geometry::Shape(shape))
}

fn feature_type_of(geometry: &Geometry) -> Result<FeatureType, InvalidDrawing> {
    match geometry {
        Geometry::Shape(shape) => Ok(FeatureType::of(shape.kind)),
        Geometry::Collection(_) => Err(InvalidDrawing::Collection),
    }
}

/// Reasons why a diagram cannot be drawn with a geometry.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDrawing {
    #[error(
        "a diagram is drawn with polygons, lines or points, not with a GeometryCollection; give its members separately"
    )]
    Collection,
    #[error(transparent)]
    Geometry(#[from] InvalidGeometry),
    #[cfg(feature = "geojson")]
    #[error(transparent)]
    Geojson(#[from] geodesign_geometry::GeojsonError),
}

impl Serialize for DrawnGeometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DrawnGeometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (geometry, text) = with_its_text(deserializer)?;
        Self::with_text(&geometry, text).map_err(Error::custom)
    }
}

/// Reads a geometry, and returns its text, too.
pub(super) fn with_its_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(Geometry, Box<RawValue>), D::Error> {
    let text = Box::<RawValue>::deserialize(deserializer)?;
    let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text.get()));
    let geometry = geometry
        .map_err(|error| Error::custom(in_plain_words(&error)))?
        .ok_or_else(|| Error::custom("the geometry is null"))?;
    Ok((geometry, text))
}

/// The land of a project: within its boundaries, or within its bounds if it has none.
#[derive(Debug, Clone)]
pub struct StudyArea {
    land: Region,
    within: Within,
}

#[derive(Debug, Clone)]
enum Within {
    Boundaries(Vec<Geometry>),
    Bounds([f64; 4]),
}

impl StudyArea {
    /// The land of boundaries; `None` if they have no polygons.
    pub fn within_boundaries<'g>(boundaries: impl IntoIterator<Item = &'g Geometry>) -> Option<Self> {
        let areas: Vec<Geometry> = boundaries.into_iter().cloned().collect();
        Some(StudyArea { land: Region::of(&areas)?, within: Within::Boundaries(areas) })
    }

    pub fn within_bounds(Bounds { west, south, east, north }: Bounds) -> Option<Self> {
        let bounds = [west, south, east, north];
        Some(StudyArea { land: Region::of(&rectangles(bounds, f64::INFINITY))?, within: Within::Bounds(bounds) })
    }

    /// Returns the share of a geometry that lies outside; 0 if it is small enough to come from rounding a common edge. A geometry that does
    /// not touch the study area is an error.
    ///
    /// ```
    /// use geodesign::model::{DrawnGeometry, StudyArea};
    ///
    /// let lisbon = StudyArea::within_bounds("-9.23,38.69,-9.09,38.8".parse()?).expect("bounds have land");
    /// let leaving: DrawnGeometry = serde_json::from_str(r#"{"type":"LineString","coordinates":[[-9.1,38.7],[-9.08,38.7]]}"#)?;
    /// assert!((lisbon.share_outside(&leaving)? - 0.5).abs() < 1e-6);
    ///
    /// let swapped: DrawnGeometry = serde_json::from_str(r#"{"type":"LineString","coordinates":[[38.7,-9.2],[38.7,-9.1]]}"#)?;
    /// let error = lisbon.share_outside(&swapped).unwrap_err();
    /// assert!(error.to_string().contains("its longitude and latitude are swapped"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn share_outside(&self, drawn: &DrawnGeometry) -> Result<f64, OutsideStudyArea> {
        let geometry = drawn.geometry();
        let shared = self.land.shared_with(&geometry);
        match first_position(&geometry) {
            Some(begin) if !shared.touch => {
                let [west, south, east, north] = self.land.extent();
                let extent = Bounds { west, south, east, north };
                let is_swapped = extents_of(&geometry).iter().any(|around| around.swapped().meet(extent));
                let has_boundaries = matches!(self.within, Within::Boundaries(_));
                Err(OutsideStudyArea { study_area: extent, has_boundaries, begin, is_swapped })
            }
            _ => Ok(Some(self.share_of_area(drawn, &geometry).map_or(1.0 - shared.share, |share| 1.0 - share))
                .filter(|share| *share > NEGLIGIBLE_SHARE)
                .unwrap_or_default()),
        }
    }

    /// Returns the share of polygons that lies inside, by geodesic area. `None` if the share on the map is enough: for lines, and far from
    /// a border.
    fn share_of_area(&self, drawn: &DrawnGeometry, geometry: &Geometry) -> Option<f64> {
        let whole = drawn.measure().square_metres;
        if whole == 0.0 || !self.land.has_border_near(drawn.extent()?) {
            return None;
        }
        let areas = match &self.within {
            Within::Boundaries(areas) => Cow::Borrowed(areas),
            Within::Bounds(bounds) => Cow::Owned(rectangles(*bounds, DEGREES_OF_A_STEP)),
        };
        let shared = SharedWithDrawing::of(std::slice::from_ref(geometry), &[], &[&areas]).ok()?;
        Some(shared.classes.first()? / whole)
    }
}

/// Returns the land within bounds. The north and south edges are parallels with a point every `step` degrees. Bounds across the
/// antimeridian are two rectangles.
fn rectangles([west, south, east, north]: [f64; 4], step: f64) -> Vec<Geometry> {
    let sides = if west <= east { vec![(west, east)] } else { vec![(west, 180.0), (-180.0, east)] };
    let rectangle = |(west, east): (f64, f64)| {
        let steps = ((east - west) / step).ceil().max(1.0);
        let along = |latitude: f64, at: f64| [west + (east - west) * at / steps, latitude];
        let count = steps as u32;
        let there = (0..=count).map(|step| along(south, f64::from(step)));
        let back = (0..=count).rev().map(|step| along(north, f64::from(step)));
        let ordinates: Vec<f64> = there.chain(back).chain([[west, south]]).flatten().collect();
        Geometry::Shape(Shape { line_ends: vec![ordinates.len() / 2], ordinates, ..Shape::empty(ShapeKind::Polygon) })
    };
    sides.into_iter().map(rectangle).collect()
}

/// A geometry without a point in the study area of its project.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "it lies outside the study area{}{}: it begins at {}, and the study area has {}. {}",
    if *.has_boundaries { ", the boundaries of the project" } else { "" },
    if *.is_swapped { ", because its longitude and latitude are swapped" } else { "" },
    describe_position(.begin),
    describe_extent(.study_area),
    if *.is_swapped { "Give longitude first".to_owned() } else { format!("Correct it, or add it anyway with {ALLOW_OUTSIDE}") }
)]
pub struct OutsideStudyArea {
    /// The bounds of the study area.
    pub study_area: Bounds,
    /// True if the project has boundaries: then some land within these bounds is not study area.
    pub has_boundaries: bool,
    /// The first position of the geometry.
    pub begin: Center,
    /// True if the geometry would be in the study area with longitudes and latitudes exchanged.
    pub is_swapped: bool,
}

fn first_position(geometry: &Geometry) -> Option<Center> {
    let mut first = None;
    geometry.for_each_shape(&mut |shape| first = first.or_else(|| shape.lon_lats().next()));
    first.map(|(longitude, latitude)| Center { longitude, latitude })
}

/// The bounds of each point, line and ring. The bounds of a whole geometry with parts on both sides of longitude 180 would be a band
/// around the Earth.
fn extents_of(geometry: &Geometry) -> Vec<Bounds> {
    let mut extents = Vec::new();
    geometry.for_each_shape(&mut |shape: &Shape| {
        let extent =
            |part: &[f64]| Bounds::around(part.chunks_exact(shape.stride()).map(|position| (position[0], position[1])));
        extents.extend(shape.parts().filter_map(extent));
    });
    extents
}

fn describe_position(Center { longitude, latitude }: &Center) -> String {
    format!("longitude {longitude}, latitude {latitude}")
}

fn describe_extent(Bounds { west, south, east, north }: &Bounds) -> String {
    format!("longitudes from {west} to {east} and latitudes from {south} to {north}")
}

#[cfg(feature = "geo")]
impl TryFrom<&geo_types::Geometry<f64>> for DrawnGeometry {
    type Error = InvalidDrawing;

    fn try_from(geometry: &geo_types::Geometry<f64>) -> Result<Self, InvalidDrawing> {
        DrawnGeometry::new(&Geometry::from(geometry))
    }
}

/// A geometry with heights is an error. To leave them out, convert `drawn.geometry().without_heights()`.
#[cfg(feature = "geo")]
impl TryFrom<&DrawnGeometry> for geo_types::Geometry<f64> {
    type Error = geodesign_geometry::GeoTypesError;

    fn try_from(drawn: &DrawnGeometry) -> Result<Self, geodesign_geometry::GeoTypesError> {
        geo_types::Geometry::try_from(&drawn.geometry())
    }
}

#[cfg(all(test, feature = "geo"))]
mod tests {
    use geo_types::{line_string, point};

    use super::*;

    #[test]
    fn a_drawn_geometry_converted_there_and_back_is_the_same() {
        let path = geo_types::Geometry::from(line_string![(x: -74.15, y: 40.57), (x: -74.14, y: 40.58)]);
        let drawn = DrawnGeometry::try_from(&path).unwrap();
        assert_eq!(geo_types::Geometry::try_from(&drawn), Ok(path));
        let point = geo_types::Geometry::from(point!(x: -74.15, y: 40.57));
        assert_eq!(geo_types::Geometry::try_from(&DrawnGeometry::try_from(&point).unwrap()), Ok(point));
    }
}
