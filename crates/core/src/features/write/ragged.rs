//! Geometries as ragged arrays, one for each kind of shape, for `shapely.from_ragged_array`: it makes all shapes of an
//! array in one call.

use std::ops::Range;

use crate::features::collection::FeatureCollection;
use geodesign_geometry::{Geometry, Shape, ShapeKind, read_wkb};

/// Shapes of one kind, either all with heights or all without.
pub struct RaggedArray {
    pub kind: ShapeKind,
    /// The number of ordinates per position: 2, or 3 with heights.
    pub stride: usize,
    /// The row number of each shape.
    pub rows: Vec<i64>,
    /// Longitude, latitude[, height] of all positions of all shapes, in degrees.
    pub ordinates: Vec<f64>,
    /// The offsets of each level of nesting, the innermost first. For multi-polygons these are the starts of the rings
    /// (counted in positions), of the polygons (in rings) and of the shapes (in polygons). The last offset of a level
    /// is the end of its last element. Points have no levels.
    pub offsets: Vec<Vec<i64>>,
}

/// The geometries of some rows as ragged arrays.
#[derive(Default)]
pub struct RaggedArrays<'c> {
    pub arrays: Vec<RaggedArray>,
    /// The row number and WKB of every other geometry: of collections, and of shapes that are empty, too short or not finite. shapely reads
    /// these from WKB, so it refuses each of them exactly as elsewhere.
    pub others: Vec<(i64, &'c [u8])>,
}

/// Bytes of WKB per range, whose shapes are made in some milliseconds. A single larger row is not split.
const MAX_RANGE_BYTES: usize = 4 * 1024 * 1024;

impl FeatureCollection {
    /// All rows, in ranges of at most `max_rows`, and of fewer rows if these have many vertices.
    pub fn row_ranges(&self, max_rows: usize) -> impl Iterator<Item = Range<usize>> {
        let geometries = &self.table().geometries;
        let mut start = 0;
        std::iter::from_fn(move || {
            let mut bytes = 0;
            let rows = (start..geometries.len()).take(max_rows.max(1)).take_while(|row| {
                bytes += geometries.get(*row).map_or(0, <[u8]>::len);
                *row == start || bytes <= MAX_RANGE_BYTES
            });
            let range = start..start + rows.count();
            start = range.end;
            Some(range).filter(|range| !range.is_empty())
        })
    }

    /// The geometries of some rows; rows without a geometry are left out.
    pub fn ragged_arrays(&self, rows: Range<usize>) -> RaggedArrays<'_> {
        let mut result = RaggedArrays::default();
        for (row, wkb) in rows.filter_map(|row| Some((row as i64, self.table().geometries.get(row)?))) {
            match read_wkb(wkb) {
                Some(Geometry::Shape(shape)) if is_regular(&shape) => result.array_for(&shape).push(row, &shape),
                _ => result.others.push((row, wkb)),
            }
        }
        result
    }
}

impl RaggedArrays<'_> {
    /// The array for shapes of this kind and stride; a new one if there is none.
    fn array_for(&mut self, shape: &Shape) -> &mut RaggedArray {
        let (kind, stride) = (shape.kind, shape.stride());
        let existing = self.arrays.iter().position(|array| array.kind == kind && array.stride == stride);
        let index = existing.unwrap_or_else(|| {
            let offsets = vec![vec![0]; kind.nesting()];
            self.arrays.push(RaggedArray { kind, stride, rows: Vec::new(), ordinates: Vec::new(), offsets });
            self.arrays.len() - 1
        });
        &mut self.arrays[index]
    }
}

impl RaggedArray {
    fn push(&mut self, row: i64, shape: &Shape) {
        let positions = (self.ordinates.len() / self.stride) as i64;
        self.rows.push(row);
        self.ordinates.extend_from_slice(&shape.ordinates);
        let end = (self.ordinates.len() / self.stride) as i64;
        let shifted =
            |before: i64, ends: &[usize]| ends.iter().map(move |end| before + *end as i64).collect::<Vec<_>>();
        match &mut self.offsets[..] {
            [] => {}
            [shapes] => shapes.push(end),
            [lines, shapes] => {
                lines.extend(shifted(positions, &shape.line_ends));
                shapes.push(lines.len() as i64 - 1);
            }
            [rings, polygons, shapes, ..] => {
                let before = rings.len() as i64 - 1;
                rings.extend(shifted(positions, &shape.line_ends));
                polygons.extend(shifted(before, &shape.polygon_ends));
                shapes.push(polygons.len() as i64 - 1);
            }
        }
    }
}

/// True if a shape has positions, each line at least 2 and each ring at least 4 of them, each polygon a ring, and all ordinates are finite.
fn is_regular(shape: &Shape) -> bool {
    let min_positions = match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => 1,
        ShapeKind::LineString | ShapeKind::MultiLineString => 2,
        ShapeKind::Polygon | ShapeKind::MultiPolygon => 4,
    };
    let polygons_have_rings =
        shape.kind != ShapeKind::MultiPolygon || shape.rings_per_polygon().iter().all(|rings| *rings > 0);
    !shape.ordinates.is_empty()
        && polygons_have_rings
        && shape.lines().all(|line| line.len() / shape.stride() >= min_positions)
        && shape.ordinates.iter().all(|ordinate| ordinate.is_finite())
}
