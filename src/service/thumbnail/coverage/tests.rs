use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Pixmap, Point, Stroke, Transform};

use super::{Coverage, LATTICE, MAX_STEPS, on_lattice};
use crate::geometry::{Geometry, Shape, ShapeKind};
use crate::model::Bounds;
use crate::service::thumbnail::colors::Rgb;
use crate::service::thumbnail::paths::Paths;
use crate::service::thumbnail::viewport::{SIZE, Viewport};

const GREEN: Rgb = [0x3c, 0x9d, 0x4e];
const DARK: Rgb = [0x20, 0x50, 0x28];

/// Numbers from 0 to 1 that are the same in every run.
fn random() -> impl FnMut() -> f64 {
    let mut state = fastrand::Rng::with_seed(7);
    move || state.f64()
}

/// A shape of lines or rings whose positions are in the unit square, as paths of a picture of that square.
fn paths(kind: ShapeKind, lines: &[Vec<f64>]) -> Paths {
    let mut shape = Shape::empty(kind);
    for line in lines {
        shape.ordinates.extend(line);
        shape.line_ends.push(shape.positions());
        if kind == ShapeKind::MultiPolygon {
            shape.polygon_ends.push(shape.line_ends.len());
        }
    }
    let unit_square = Bounds { west: 0.0, south: 0.0, east: 1.0, north: 1.0 };
    Paths::new(&[Geometry::Shape(shape)], Viewport::around(Some(unit_square)))
}

fn canvas() -> Pixmap {
    let mut canvas = Pixmap::new(SIZE, SIZE).unwrap();
    canvas.fill(Color::WHITE);
    canvas
}

fn paint([red, green, blue]: Rgb, opacity: u8) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, opacity);
    paint
}

fn round_stroke(width: f32) -> Stroke {
    Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() }
}

/// The mean difference of a channel, from 0 to 255.
fn difference(a: &Pixmap, b: &Pixmap) -> f64 {
    let differences = a.data().iter().zip(b.data()).map(|(a, b)| f64::from(a.abs_diff(*b)));
    differences.sum::<f64>() / a.data().len() as f64
}

fn random_line(points: usize, size: f64, random: &mut impl FnMut() -> f64) -> Vec<f64> {
    let (x, y) = (random(), random());
    (0..points).flat_map(|_| [x, y].map(|start| (start + size * (random() - 0.5)).clamp(0.0, 1.0))).collect()
}

#[test]
fn lines_look_as_tiny_skia_draws_them() {
    let mut random = random();
    let lines: Vec<_> = (0..40).map(|_| random_line(5, 0.3, &mut random)).collect();
    let lines = paths(ShapeKind::MultiLineString, &lines).lines;
    let (mut ours, mut theirs) = (canvas(), canvas());
    Coverage::of_lines(&lines).stroke(&mut ours, &[(DARK, 6.0), (GREEN, 3.0)]);
    let path = lines.line_path().unwrap();
    for (color, width) in [(DARK, 6.0), (GREEN, 3.0)] {
        theirs.stroke_path(&path, &paint(color, 255), &round_stroke(width), Transform::identity(), None);
    }
    assert!(difference(&canvas(), &theirs) > 20.0);
    assert!(difference(&ours, &theirs) < 2.5, "{}", difference(&ours, &theirs));
}

#[test]
fn polygons_look_as_tiny_skia_draws_them() {
    let mut random = random();
    let triangles = (0..40).map(|_| {
        let mut ring = random_line(3, 0.4, &mut random);
        ring.extend_from_within(..2);
        ring
    });
    let polygons = paths(ShapeKind::MultiPolygon, &triangles.collect::<Vec<_>>()).polygons;
    let (mut ours, mut theirs) = (canvas(), canvas());
    let coverage = Coverage::of_polygons(&polygons, 0.0);
    coverage.fill(&mut ours, GREEN, 153);
    coverage.stroke(&mut ours, &[(DARK, 1.5)]);
    for path in polygons.polygon_paths() {
        theirs.fill_path(&path, &paint(GREEN, 153), FillRule::EvenOdd, Transform::identity(), None);
    }
    for path in polygons.polygon_paths() {
        theirs.stroke_path(&path, &paint(DARK, 255), &round_stroke(1.5), Transform::identity(), None);
    }
    assert!(difference(&canvas(), &theirs) > 20.0);
    assert!(difference(&ours, &theirs) < 2.5, "{}", difference(&ours, &theirs));
}

#[test]
fn a_tiny_polygon_is_a_dot() {
    let mut canvas = canvas();
    let triangle = vec![0.5, 0.5, 0.5001, 0.5, 0.5, 0.5001, 0.5, 0.5];
    let coverage = Coverage::of_polygons(&paths(ShapeKind::MultiPolygon, &[triangle]).polygons, 4.0);
    coverage.stroke(&mut canvas, &[(DARK, 1.5)]);
    let dark = canvas.pixels().iter().filter(|pixel| pixel.red() < 128).count();
    assert!((8..40).contains(&dark), "{dark}");
}

#[test]
fn lines_beyond_any_number_are_drawn_where_nothing_was() {
    let mut random = random();
    let mut lines: Vec<_> = (0..120_000).map(|_| random_line(2, 2.0, &mut random)).collect();
    lines.iter_mut().flatten().for_each(|ordinate| *ordinate *= 0.5);
    lines.push(vec![0.7, 0.9, 0.9, 0.9]);
    let coverage = Coverage::of_lines(&paths(ShapeKind::MultiLineString, &lines).lines);
    assert!((MAX_STEPS..2 * MAX_STEPS).contains(&coverage.steps), "{}", coverage.steps);
    let [x, y] = on_lattice(Point::from_xy(14.0 + 0.8 * 228.0, 14.0 + 0.1 * 228.0)).map(|at| (at >> 16) as usize);
    assert!(coverage.passed[y * LATTICE + x], "the line apart");
}

#[test]
fn a_ring_with_any_number_of_spikes_is_drawn_in_few_steps() {
    let spikes = (0..400_000_u32).flat_map(|i| [f64::from(i) / 4e5, f64::from(i % 2)]);
    let ring: Vec<f64> = spikes.chain([1.0, -0.1, 0.0, -0.1, 0.0, 0.0]).collect();
    let coverage = Coverage::of_polygons(&paths(ShapeKind::MultiPolygon, &[ring]).polygons, 4.0);
    assert!(coverage.steps < 2 * MAX_STEPS, "{}", coverage.steps);
}
