//! Pictures of geometries on both sides of longitude 180, where GeoJSON divides them: both sides next to each other.

use super::paths::is_on_earth;
use geodesign_geometry::{Geometry, Shape};

/// The longitude at which the Earth is cut for pictures that do not show longitude 180.
const DATE_LINE: f64 = -180.0;

/// Returns the longitude at which the Earth is cut, so that geometries lie next to each other: in the widest gap between them.
pub fn cut_of(geometries: &[Geometry]) -> f64 {
    let mut spans = Vec::new();
    let mut add = |shape: &Shape| {
        for part in shape.parts() {
            let positions = part.chunks_exact(shape.stride()).map(|position| (position[0], position[1]));
            let longitudes = positions.filter(is_on_earth).map(|(longitude, _)| longitude);
            let span = longitudes.fold(None, |span: Option<(f64, f64)>, longitude| {
                Some(span.map_or((longitude, longitude), |(west, east)| (west.min(longitude), east.max(longitude))))
            });
            spans.extend(span);
        }
    };
    geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut add));
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let Some(&(west, mut end)) = spans.first() else { return DATE_LINE };
    // The gap across longitude 180, which is there without a cut.
    let east = spans.iter().map(|span| span.1).fold(end, f64::max);
    let (mut widest, mut cut) = (west + 360.0 - east, DATE_LINE);
    for (west, east) in spans {
        if west - end > widest {
            (widest, cut) = (west - end, west);
        }
        end = end.max(east);
    }
    cut
}

/// Returns geometries with longitudes from the cut on, which are beyond 180 on the other side.
pub fn beside_each_other(geometries: &[Geometry], cut: f64) -> Vec<Geometry> {
    let turned =
        |[longitude, latitude]: [f64; 2]| [if longitude < cut { longitude + 360.0 } else { longitude }, latitude];
    geometries.iter().map(|geometry| geometry.map_positions(&turned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geodesign_geometry::ShapeKind;

    #[test]
    fn each_point_lies_on_its_own_side_of_the_cut() {
        let ordinates = vec![179.0, -17.0, -179.0, -17.0, 178.0, -16.0];
        let wells = Geometry::Shape(Shape { ordinates, ..Shape::empty(ShapeKind::MultiPoint) });
        assert_eq!(cut_of(&[wells]), 178.0);
    }
}
