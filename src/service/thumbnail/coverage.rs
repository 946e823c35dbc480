//! What many lines or polygons cover, drawn in a time that depends on the pixels more than on their number: the points of a lattice
//! that lines pass, and the pixels that polygons cover.

use tiny_skia::{Pixmap, Point};

use super::colors::Rgb;
use super::paths::Outlines;
use super::viewport::{SIDE, SIZE};

const PIXELS: usize = SIZE as usize;
/// Lines are drawn on a lattice of points that are half a pixel apart, so that the centres of pixels are among them.
const LATTICE: usize = 2 * PIXELS + 1;
/// After so many steps along lines, every pixel was passed about fifty times. From then on a line is drawn only where one of
/// its ends is a point at which nothing was drawn yet, and polygons are no longer filled.
const MAX_STEPS: usize = 4_000_000;
/// The words of a row of bits with one bit for each pixel and one more.
const ROW_WORDS: usize = PIXELS / 64 + 1;
/// The largest distance that matters, in steps of the lattice: half the width of the widest line and half a pixel.
const REACH: usize = 10;
/// More layers of a translucent colour could not be told apart.
const MAX_LAYERS: i32 = 8;

/// Lines and polygons on one canvas. Those that it cannot tell apart cost little more than one of them.
pub struct Coverage {
    /// The points of the lattice that lines pass, row by row.
    passed: Vec<bool>,
    /// Where, from left to right, polygons begin (1) and end (-1), row by row.
    overlap_changes: Vec<i32>,
    /// The pixels before which the outline of the current polygon crosses the middle of a row an odd number of times.
    crossings: Vec<[u64; ROW_WORDS]>,
    steps: usize,
}

impl Coverage {
    pub fn of_lines(lines: &Outlines) -> Self {
        let mut coverage = Coverage::new();
        lines.lines().for_each(|line| coverage.add_line(line));
        coverage
    }

    /// Polygons whose width and height are both less than `min_size` are replaced by a dot of that diameter.
    pub fn of_polygons(polygons: &Outlines, min_size: f32) -> Self {
        let mut coverage = Coverage::new();
        // One for each pixel.
        let mut has_dot = vec![false; PIXELS * PIXELS];
        polygons.for_each_polygon(|rings| {
            let Some((center, size)) = center_and_size(rings) else { return };
            if size >= min_size {
                coverage.add_polygon(rings);
            } else if !std::mem::replace(&mut has_dot[pixel_at(center)], true) {
                coverage.add_polygon(&[&dot(center, min_size / 2.0)]);
            }
        });
        coverage
    }

    fn new() -> Self {
        Coverage {
            passed: vec![false; LATTICE * LATTICE],
            overlap_changes: vec![0; PIXELS * (PIXELS + 1)],
            crossings: vec![[0; ROW_WORDS]; PIXELS],
            steps: 0,
        }
    }

    fn add_line(&mut self, line: &[Point]) {
        match line {
            [point] => self.pass(*point, *point),
            _ => line.windows(2).for_each(|ends| self.pass(ends[0], ends[1])),
        }
    }

    fn add_polygon(&mut self, rings: &[&[Point]]) {
        let is_filled = self.steps as f64 + rings.iter().map(|ring| height(ring)).sum::<f64>() <= MAX_STEPS as f64;
        let mut rows = (PIXELS, 0);
        for ring in rings {
            let [first, .., last] = ring else { continue };
            self.add_line(ring);
            self.pass(*last, *first);
            if is_filled {
                let next = ring.iter().skip(1).chain([first]);
                for (from, to) in ring.iter().zip(next) {
                    let crossed = self.cross(*from, *to);
                    rows = (rows.0.min(crossed.0), rows.1.max(crossed.1));
                }
            }
        }
        self.count_overlaps(rows);
    }

    /// Marks the points of the lattice between two points.
    fn pass(&mut self, from: Point, to: Point) {
        let ([x, y], end) = (on_lattice(from), on_lattice(to));
        let at = |[x, y]: [i32; 2]| (y >> 16) as usize * LATTICE + (x >> 16) as usize;
        if self.steps > MAX_STEPS && self.passed[at([x, y])] && self.passed[at(end)] {
            return;
        }
        let distance = [end[0] - x, end[1] - y];
        let steps = (distance[0].abs().max(distance[1].abs()) >> 16) + 1;
        self.steps += steps as usize;
        let step = distance.map(|distance| distance / steps);
        let (mut x, mut y) = (x, y);
        for _ in 0..steps {
            self.passed[at([x, y])] = true;
            x += step[0];
            y += step[1];
        }
        self.passed[at(end)] = true;
    }

    /// Notes where an edge crosses the middles of rows. Returns the rows, without the one after them.
    fn cross(&mut self, from: Point, to: Point) -> (usize, usize) {
        let (upper, lower) = if from.y <= to.y { (from, to) } else { (to, from) };
        let row_below = |y: f32| ((y - 0.5).ceil().max(0.0) as usize).min(PIXELS);
        let rows = (row_below(upper.y), row_below(lower.y));
        let slope = f64::from(lower.x - upper.x) / f64::from(lower.y - upper.y);
        for row in rows.0..rows.1 {
            let x = f64::from(upper.x) + (row as f64 + 0.5 - f64::from(upper.y)) * slope;
            let pixel = ((x - 0.5).ceil().max(0.0) as usize).min(PIXELS);
            self.crossings[row][pixel / 64] ^= 1 << (pixel % 64);
        }
        self.steps += rows.1.saturating_sub(rows.0);
        rows
    }

    /// Turns the crossings of a polygon into changes of the number of polygons that overlap, by the even-odd rule.
    fn count_overlaps(&mut self, rows: (usize, usize)) {
        for row in rows.0..rows.1 {
            let mut change = 1;
            for (word, crossings) in self.crossings[row].iter_mut().enumerate() {
                let mut bits = std::mem::take(crossings);
                while bits != 0 {
                    let pixel = word * 64 + bits.trailing_zeros() as usize;
                    self.overlap_changes[row * (PIXELS + 1) + pixel] += change;
                    change = -change;
                    bits &= bits - 1;
                }
            }
        }
    }
}

/// The nearest point of the lattice, as fixed-point numbers with 16 binary digits after the point.
fn on_lattice(point: Point) -> [i32; 2] {
    [point.x, point.y].map(|pixels| ((pixels.clamp(0.0, SIDE) * 2.0 + 0.5) * 65536.0) as i32)
}

fn pixel_at(point: Point) -> usize {
    let [column, row] = [point.x, point.y].map(|pixels| (pixels as usize).min(PIXELS - 1));
    row * PIXELS + column
}

/// The middle of the bounds of a polygon, and the larger of their width and height; `None` without points.
fn center_and_size(rings: &[&[Point]]) -> Option<(Point, f32)> {
    let mut points = rings.iter().flat_map(|ring| ring.iter());
    let first = points.next()?;
    let (mut west, mut north, mut east, mut south) = (first.x, first.y, first.x, first.y);
    for point in points {
        (west, east) = (west.min(point.x), east.max(point.x));
        (north, south) = (north.min(point.y), south.max(point.y));
    }
    Some((Point::from_xy((west + east) / 2.0, (north + south) / 2.0), (east - west).max(south - north)))
}

/// How many rows of pixels the edges of a ring cross.
fn height(ring: &[Point]) -> f64 {
    ring.windows(2).map(|ends| f64::from((ends[1].y - ends[0].y).abs())).sum()
}

/// A circle with twelve corners.
fn dot(center: Point, radius: f32) -> [Point; 12] {
    std::array::from_fn(|corner| {
        let (sine, cosine) = (corner as f32 * std::f32::consts::TAU / 12.0).sin_cos();
        Point::from_xy(center.x + radius * cosine, center.y + radius * sine)
    })
}

impl Coverage {
    /// Paints the inside of polygons, once for each polygon.
    pub fn fill(&self, canvas: &mut Pixmap, color: Rgb, opacity: u8) {
        let rows = self.overlap_changes.chunks_exact(PIXELS + 1).zip(canvas.data_mut().chunks_exact_mut(4 * PIXELS));
        for (changes, row) in rows {
            let mut layers = 0;
            for (change, pixel) in changes.iter().zip(row.as_chunks_mut().0) {
                layers += change;
                (0..layers.min(MAX_LAYERS)).for_each(|_| blend(pixel, color, opacity));
            }
        }
    }

    /// Paints lines of these colours and widths over one another.
    pub fn stroke(&self, canvas: &mut Pixmap, layers: &[(Rgb, f32)]) {
        let distances = self.squared_distances();
        for &(color, width) in layers {
            // A pixel that a line only touches is painted in part.
            let opacity = |squared: usize| (width / 2.0 + 0.5 - (squared as f32).sqrt() / 2.0).clamp(0.0, 1.0) * 255.0;
            let opacities: [u8; 2 * REACH * REACH + 1] = std::array::from_fn(|squared| opacity(squared).round() as u8);
            for (pixel, &squared) in canvas.data_mut().as_chunks_mut().0.iter_mut().zip(&distances) {
                if let Some(&opacity @ 1..) = opacities.get(usize::from(squared)) {
                    blend(pixel, color, opacity);
                }
            }
        }
    }

    /// For each pixel, the square of the distance from its centre to the nearest point that a line passes, in steps of the
    /// lattice. Distances beyond [`REACH`] may be larger than they are.
    fn squared_distances(&self) -> Vec<u16> {
        const FAR: u16 = 2 * REACH as u16;
        let mut within_row = vec![0; LATTICE * PIXELS];
        for (passed, nearest) in self.passed.chunks_exact(LATTICE).zip(within_row.chunks_exact_mut(PIXELS)) {
            let mut from_left = [FAR; LATTICE];
            let mut distance = FAR;
            for (from_left, passed) in from_left.iter_mut().zip(passed) {
                distance = if *passed { 0 } else { FAR.min(distance + 1) };
                *from_left = distance;
            }
            distance = FAR;
            for at in (1..LATTICE).rev() {
                distance = if passed[at] { 0 } else { FAR.min(distance + 1) };
                if at % 2 == 1 {
                    nearest[at / 2] = distance.min(from_left[at]).pow(2);
                }
            }
        }
        let mut squared = vec![u16::MAX; PIXELS * PIXELS];
        for (row, squared) in squared.chunks_exact_mut(PIXELS).enumerate() {
            let center = 2 * row + 1;
            for other in center.saturating_sub(REACH)..(center + REACH + 1).min(LATTICE) {
                let between_rows = center.abs_diff(other).pow(2) as u16;
                let nearest = &within_row[other * PIXELS..][..PIXELS];
                squared
                    .iter_mut()
                    .zip(nearest)
                    .for_each(|(least, nearest)| *least = (*least).min(nearest + between_rows));
            }
        }
        squared
    }
}

/// Paints a colour over an opaque pixel.
fn blend(pixel: &mut [u8; 4], color: Rgb, opacity: u8) {
    let opacity = u32::from(opacity);
    for (channel, color) in pixel.iter_mut().zip(color) {
        *channel = ((u32::from(color) * opacity + u32::from(*channel) * (255 - opacity) + 127) / 255) as u8;
    }
}

#[cfg(test)]
mod tests;
