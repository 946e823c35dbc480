//! Geometries that have been checked before they are sent, or before they are stored.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::diagram_types::FeatureType;
use crate::geometry::{Geometry, GeometrySeed, InvalidGeometry, Measure, ShapeKind, check};

/// How far beyond longitude ±180 or latitude ±90 rounding may put a position, in degrees: 0.1 mm.
const MAX_ROUNDING: f64 = 1e-9;

/// A geometry that a diagram can be drawn with: lines or polygons that passed [`check`]. It is kept as JSON text, so that its
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
}

impl DrawnGeometry {
    /// Checks a geometry; the error says what is wrong and how to repair it. Positions that rounding has put beyond longitude
    /// ±180 or latitude ±90 are set to that.
    pub fn new(geometry: &Geometry) -> Result<Self, InvalidDrawing> {
        let geometry = without_rounding_beyond_earth(geometry);
        let text = to_raw_value(&*geometry).expect("numbers and the names of geometry types serialize");
        Self::with_text(&geometry, text)
    }

    fn with_text(geometry: &Geometry, text: Box<RawValue>) -> Result<Self, InvalidDrawing> {
        let feature_type = feature_type(geometry)?;
        check(geometry)?;
        Ok(DrawnGeometry { text, feature_type, measure: Measure::of(geometry).unwrap_or_default() })
    }

    pub fn feature_type(&self) -> FeatureType {
        self.feature_type
    }

    pub fn measure(&self) -> Measure {
        self.measure
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

fn without_rounding_beyond_earth(geometry: &Geometry) -> Cow<'_, Geometry> {
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

fn feature_type(geometry: &Geometry) -> Result<FeatureType, InvalidDrawing> {
    match geometry {
        Geometry::Shape(shape) => match shape.kind {
            ShapeKind::LineString | ShapeKind::MultiLineString => Ok(FeatureType::Line),
            ShapeKind::Polygon | ShapeKind::MultiPolygon => Ok(FeatureType::Polygon),
            ShapeKind::Point | ShapeKind::MultiPoint => Err(InvalidDrawing::Points(shape.kind)),
        },
        Geometry::Collection(_) => Err(InvalidDrawing::Collection),
    }
}

/// Why a diagram cannot be drawn with a geometry.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDrawing {
    #[error("a diagram is drawn with lines or polygons, not with a {}; buffer it", .0.name())]
    Points(ShapeKind),
    #[error("a diagram is drawn with lines or polygons, not with a GeometryCollection; give its members apart")]
    Collection,
    #[error(transparent)]
    Geometry(#[from] InvalidGeometry),
    #[cfg(feature = "geojson")]
    #[error(transparent)]
    Geojson(#[from] crate::geometry::GeojsonError),
}

impl Serialize for DrawnGeometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DrawnGeometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text.get()));
        let geometry = geometry.map_err(Error::custom)?.ok_or_else(|| Error::custom("the geometry is null"))?;
        Self::with_text(&geometry, text).map_err(Error::custom)
    }
}
