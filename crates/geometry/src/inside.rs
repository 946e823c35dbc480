//! The parts of geometries inside an area, such as a study area, and their sizes. Land and lines are cut along geodesics, so both parts
//! together have the size of the whole.

use super::antimeridian;
use super::geodesic::{Measure, total};
use super::ground::TooMuch;
use super::lines::{self, LineInside};
use super::overlay::{Lands, MIN_SHARED};
use super::region::Region;
use super::shape::{Geometry, Shape, ShapeKind};

/// A geometry's part inside an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Inside {
    /// Its polygons, lines and points inside the area. The geometry itself if all of it is inside.
    pub geometry: Geometry,
    pub inside: Measure,
    pub outside: Measure,
}

/// Cuts geometries at the border of an area, which is the land under any of its polygons. What lies along the border is inside.
///
/// ```
/// use geodesign_geometry::{Geometry, GeometrySeed, inside};
/// use serde::de::DeserializeSeed;
///
/// fn read(geojson: &str) -> Option<Geometry> {
///     GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(geojson)).ok()?
/// }
///
/// let square = r#"{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}"#;
/// let area = read(square).expect("it is a polygon");
/// let road = read(r#"{"type": "LineString", "coordinates": [[0, 0], [4, 0]]}"#).expect("it is a line");
/// let cut = &inside(&[&road], &[area])?[0];
/// assert!((cut.inside.metres / cut.outside.metres - 1.0).abs() < 1e-12);
/// # Ok::<(), geodesign_geometry::TooMuch>(())
/// ```
pub fn inside(geometries: &[&Geometry], area: &[Geometry]) -> Result<Vec<Inside>, TooMuch> {
    let lands = lands_inside(geometries, area)?;
    let lines = lines::inside(geometries, area)?;
    let area = Region::of(area);
    let parts = geometries.iter().zip(lands).zip(lines);
    Ok(parts.map(|((geometry, land), lines)| together(geometry, land, &lines, area.as_ref())).collect())
}

/// The land inside, if any is outside; and the square metres inside and outside.
struct LandInside {
    cut: Option<Geometry>,
    square_metres: [f64; 2],
}

fn lands_inside(geometries: &[&Geometry], area: &[Geometry]) -> Result<Vec<LandInside>, TooMuch> {
    let map = geometries.len();
    let lands = Lands::of(geometries.iter().copied().chain(area).map(Some), map)?;
    let whole: Vec<f64> =
        geometries.iter().map(|geometry| Measure::of(geometry).unwrap_or_default().square_metres).collect();
    let sizes: Vec<[f64; 2]> =
        lands
            .in_classes(&whole, &vec![0; area.len()], 1)
            .into_iter()
            .map(|found| {
                if found.classes[0] < MIN_SHARED {
                    [0.0, found.all]
                } else {
                    [found.all - found.outside, found.outside]
                }
            })
            .collect();
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); map];
    for (row, other) in lands.near(u32::try_from(map).ok()) {
        near[row as usize].push(other as usize);
    }
    let is_cut = |row: &usize| sizes[*row][1] > 0.0;
    let rows: Vec<(usize, Vec<usize>)> =
        (0..map).filter(is_cut).map(|row| (row, std::mem::take(&mut near[row]))).collect();
    let mut cut = lands.common(&rows).geometries().into_iter();
    let of_row = |square_metres: [f64; 2]| {
        let cut = (square_metres[1] > 0.0).then(|| cut.next()).flatten();
        let is_whole_outside = square_metres[0] == 0.0;
        let cut = cut
            .map(|land| if is_whole_outside { Geometry::Shape(Shape::empty(ShapeKind::MultiPolygon)) } else { land });
        LandInside { cut, square_metres }
    };
    Ok(sizes.into_iter().map(of_row).collect())
}

/// The points inside, and the number of the others.
#[derive(Default)]
struct PointsInside {
    ordinates: Vec<f64>,
    has_height: bool,
    count: u64,
    outside: u64,
}

fn points_inside(geometry: &Geometry, area: Option<&Region>) -> PointsInside {
    let mut found = PointsInside::default();
    geometry.for_each_shape(&mut |shape| {
        if !matches!(shape.kind, ShapeKind::Point | ShapeKind::MultiPoint) {
            return;
        }
        found.has_height |= shape.has_height;
        for position in shape.ordinates.chunks_exact(shape.stride()) {
            if area.is_some_and(|area| area.has([position[0], position[1]])) {
                found.count += 1;
                found.ordinates.extend(position);
            } else {
                found.outside += 1;
            }
        }
    });
    found
}

fn together(geometry: &Geometry, land: LandInside, lines: &[LineInside], area: Option<&Region>) -> Inside {
    let points = points_inside(geometry, area);
    let metres = |of: fn(&LineInside) -> f64| total(lines.iter().map(of));
    let [inside, outside] = land.square_metres;
    let metres_outside = metres(|line| line.metres * (1.0 - line.share));
    let outside = Measure { square_metres: outside, metres: metres_outside, pieces: points.outside };
    let metres_inside = metres(|line| line.metres * line.share);
    let inside = Measure { square_metres: inside, metres: metres_inside, pieces: points.count };
    let is_whole = points.outside == 0 && lines.iter().all(|line| line.share == 1.0);
    let geometry = match land.cut {
        None if is_whole => geometry.clone(),
        cut => parts(geometry, cut, lines, points),
    };
    Inside { geometry, inside, outside }
}

/// Returns a geometry's polygons or in their place the cut ones, and its lines and points inside.
fn parts(geometry: &Geometry, cut: Option<Geometry>, lines: &[LineInside], points: PointsInside) -> Geometry {
    let mut parts: Vec<Geometry> = Vec::new();
    geometry.for_each_shape(&mut |shape| match shape.kind {
        ShapeKind::Polygon | ShapeKind::MultiPolygon if cut.is_none() => parts.push(Geometry::Shape(shape.clone())),
        _ => {}
    });
    parts.extend(cut);
    if points.count + points.outside > 0 {
        let PointsInside { ordinates, has_height, .. } = points;
        parts.push(Geometry::Shape(Shape { ordinates, has_height, ..Shape::empty(ShapeKind::MultiPoint) }));
    }
    if !lines.is_empty() {
        let mut shape = Shape::empty(ShapeKind::MultiLineString);
        for part in lines.iter().flat_map(|line| &line.parts) {
            shape.ordinates.extend(part.as_flattened());
            shape.line_ends.push(shape.ordinates.len() / 2);
        }
        parts.push(antimeridian::cut(&Geometry::Shape(shape)).into_owned());
    }
    if parts.len() == 1 { parts.remove(0) } else { Geometry::Collection(parts) }
}
