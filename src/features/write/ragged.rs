//! Geometries by kind, as runs of numbers, of which shapely makes arrays in one go instead of one by one.

use std::ops::Range;

use crate::features::FeatureCollection;
use crate::geometry::{Geometry, Shape, ShapeKind, read_wkb};

/// The shapes of one kind, all with heights or all without.
pub struct RaggedArray {
    pub kind: ShapeKind,
    /// Ordinates in a position: 2, or 3 with heights.
    pub stride: usize,
    /// The row of each shape.
    pub rows: Vec<i64>,
    /// Those of all shapes, one after the other.
    pub ordinates: Vec<f64>,
    /// Where the parts of each level begin, and the last ends, counted in parts of the level below; the innermost level, whose
    /// parts are positions, first. None for points.
    pub offsets: Vec<Vec<i64>>,
}

/// The geometries of some rows.
#[derive(Default)]
pub struct RaggedArrays<'c> {
    pub runs: Vec<RaggedArray>,
    /// Collections, and shapes that shapely has a word to say to: their rows and their WKB.
    pub others: Vec<(i64, &'c [u8])>,
}

impl FeatureCollection {
    /// The geometries of some rows by kind. Rows without geometry are in none.
    pub fn geometry_runs(&self, rows: Range<usize>) -> RaggedArrays<'_> {
        let mut runs = RaggedArrays::default();
        for (row, wkb) in rows.filter_map(|row| Some((row as i64, self.table().geometries.get(row)?))) {
            match read_wkb(wkb) {
                Some(Geometry::Shape(shape)) if is_usual(&shape) => runs.run_for(&shape).push(row, &shape),
                _ => runs.others.push((row, wkb)),
            }
        }
        runs
    }
}

impl RaggedArrays<'_> {
    fn run_for(&mut self, shape: &Shape) -> &mut RaggedArray {
        let (kind, stride) = (shape.kind, shape.stride());
        let at = self.runs.iter().position(|run| run.kind == kind && run.stride == stride).unwrap_or_else(|| {
            let offsets = vec![vec![0]; kind.nesting()];
            self.runs.push(RaggedArray { kind, stride, rows: Vec::new(), ordinates: Vec::new(), offsets });
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }
}

impl RaggedArray {
    fn push(&mut self, row: i64, shape: &Shape) {
        let positions = (self.ordinates.len() / self.stride) as i64;
        self.rows.push(row);
        self.ordinates.extend_from_slice(&shape.ordinates);
        let end = (self.ordinates.len() / self.stride) as i64;
        let after = |before: i64, ends: &[usize]| ends.iter().map(move |end| before + *end as i64).collect::<Vec<_>>();
        match &mut self.offsets[..] {
            [] => {}
            [shapes] => shapes.push(end),
            [lines, shapes] => {
                lines.extend(after(positions, &shape.line_ends));
                shapes.push(lines.len() as i64 - 1);
            }
            [rings, polygons, shapes, ..] => {
                let before = rings.len() as i64 - 1;
                rings.extend(after(positions, &shape.line_ends));
                polygons.extend(after(before, &shape.polygon_ends));
                shapes.push(polygons.len() as i64 - 1);
            }
        }
    }
}

/// A shape that is not empty, nor any part of it, with enough positions in every line and ring.
fn is_usual(shape: &Shape) -> bool {
    let least = match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => 1,
        ShapeKind::LineString | ShapeKind::MultiLineString => 2,
        ShapeKind::Polygon | ShapeKind::MultiPolygon => 4,
    };
    let polygons_have_rings =
        shape.kind != ShapeKind::MultiPolygon || shape.rings_per_polygon().iter().all(|rings| *rings > 0);
    !shape.ordinates.is_empty()
        && polygons_have_rings
        && shape.lines().all(|line| line.len() / shape.stride() >= least)
        && shape.ordinates.iter().all(|ordinate| ordinate.is_finite())
}
