//! Conversion of drawn geometries from and to the types of the crate `geo-types`.

use super::drawn_geometry::{DrawnGeometry, InvalidDrawing};
use crate::geometry::{GeoTypesError, Geometry};

impl TryFrom<&geo_types::Geometry<f64>> for DrawnGeometry {
    type Error = InvalidDrawing;

    fn try_from(geometry: &geo_types::Geometry<f64>) -> Result<Self, InvalidDrawing> {
        DrawnGeometry::new(&Geometry::from(geometry))
    }
}

/// A geometry with heights is an error. To leave them out, convert `drawn.geometry().without_heights()`.
impl TryFrom<&DrawnGeometry> for geo_types::Geometry<f64> {
    type Error = GeoTypesError;

    fn try_from(drawn: &DrawnGeometry) -> Result<Self, GeoTypesError> {
        geo_types::Geometry::try_from(&drawn.geometry())
    }
}

#[cfg(test)]
mod tests {
    use geo_types::{line_string, point};

    use super::*;

    #[test]
    fn a_drawn_geometry_converted_there_and_back_is_the_same() {
        let path = geo_types::Geometry::from(line_string![(x: -74.15, y: 40.57), (x: -74.14, y: 40.58)]);
        let drawn = DrawnGeometry::try_from(&path).unwrap();
        assert_eq!(geo_types::Geometry::try_from(&drawn), Ok(path));
        let point = geo_types::Geometry::from(point!(x: -74.15, y: 40.57));
        assert!(matches!(DrawnGeometry::try_from(&point), Err(InvalidDrawing::Points(_))));
    }
}
