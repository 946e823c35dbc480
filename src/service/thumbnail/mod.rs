//! Small pictures of diagrams: their shapes in their system's colour over the outline of the study area.

use std::collections::{HashMap, HashSet};

use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Point, Rect, Stroke, Transform};

use crate::geometry::{Geometry, Shape, ShapeKind};
use crate::model::Bounds;

/// Width and height of a thumbnail in pixels.
pub const SIZE: u32 = 256;

/// All lengths below are pixels.
const SIDE: f32 = SIZE as f32;
/// Kept free on every side; wide enough for the halo of a diagram at the very edge.
const MARGIN: f32 = 14.0;
/// Positions that lie closer together than this are drawn as one.
const APART: f32 = 0.3;
/// Of one line or ring; with more, positions that lie further apart are drawn as one, too.
const MAX_POINTS: usize = 4096;
/// A diagram that is smaller than this both ways gets a halo.
const EASILY_SEEN: f32 = 14.0;
const HALO_RADIUS: f32 = 12.0;
/// What a point is drawn as, in width.
const DOT: f32 = 8.0;
/// A polygon that is smaller than this both ways is drawn as a dot of this width.
const SPECK: f32 = 4.0;

/// The narrowest frame in degrees, about a metre.
const NARROWEST: f64 = 1e-5;

type Rgb = [u8; 3];

const LAND: Rgb = [0xef, 0xf1, 0xee];
const SHORE: Rgb = [0xb3, 0xb9, 0xb4];
const WHITE: Rgb = [0xff; 3];
/// For systems whose colour cannot be read.
const NEUTRAL: Rgb = [0x7a, 0x80, 0x88];

/// Of 255; lets the outline of the study area and overlaps show through.
const FILL_OPACITY: u8 = 153;

#[derive(Debug, thiserror::Error)]
pub enum ThumbnailError {
    #[error("there is no canvas of {SIZE} by {SIZE} pixels")]
    Canvas,
    #[error("the picture cannot be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}

/// The study area, prepared once for many thumbnails: framed, and drawn where nothing but a diagram is to be added.
pub struct Backdrop {
    outline: Vec<Geometry>,
    /// What every frame contains; `None` when nothing is known about where the project is.
    extent: Option<Bounds>,
    frame: Frame,
    canvas: Option<Pixmap>,
}

impl Backdrop {
    /// `study_area`: the outlines of the project's boundaries (longitude, latitude in degrees), may be empty;
    /// `bounds`: the project's bounds, shown in place of an outline.
    pub fn new(study_area: &[Geometry], bounds: Bounds) -> Self {
        let (outline, extent) = match (extent(study_area), rectangle(bounds)) {
            (None, Some(rectangle)) => (vec![rectangle], Some(bounds)),
            (extent, _) => (study_area.to_vec(), extent),
        };
        let frame = Frame::around(extent);
        let canvas = draw_outline(&outline, &frame);
        Backdrop { outline, extent, frame, canvas }
    }

    /// A PNG of [`SIZE`] × [`SIZE`] pixels. `color` is `#RRGGBB`; anything else is shown in a neutral grey.
    ///
    /// Positions that are not on the Earth are left out. A diagram beyond the study area widens the frame.
    pub fn draw(&self, diagram: &[Geometry], color: &str) -> Result<Vec<u8>, ThumbnailError> {
        let colors = Colors::of(color);
        let Some(extent) = extent(diagram) else {
            let mut canvas = self.canvas.clone().ok_or(ThumbnailError::Canvas)?;
            draw_cased(&mut canvas, empty_mark().as_ref(), 2.5, colors);
            return encode(&canvas);
        };
        let (frame, canvas) = if self.frame.holds(extent) {
            (self.frame, self.canvas.clone())
        } else {
            let frame = Frame::around(Some(self.extent.map_or(extent, |own| own.union(extent))));
            (frame, draw_outline(&self.outline, &frame))
        };
        let mut canvas = canvas.ok_or(ThumbnailError::Canvas)?;
        draw_halo(&mut canvas, frame.corners(extent), colors);
        draw_diagram(&mut canvas, diagram, &frame, colors);
        encode(&canvas)
    }
}

/// Where positions come to lie. Equirectangular, with degrees of longitude shortened as they are in the middle.
#[derive(Debug, Clone, Copy)]
struct Frame {
    longitude: f64,
    latitude: f64,
    /// Pixels per degree of longitude and of latitude.
    scale: (f64, f64),
}

impl Frame {
    fn around(extent: Option<Bounds>) -> Self {
        let extent = extent.unwrap_or(Bounds { west: 0.0, south: 0.0, east: 0.0, north: 0.0 });
        let center = extent.center();
        // Not zero, not even at the poles.
        let shortening = center.latitude.to_radians().cos().max(0.01);
        let width = (extent.east - extent.west) * shortening;
        let height = extent.north - extent.south;
        let scale = f64::from(SIDE - 2.0 * MARGIN) / width.max(height).max(NARROWEST);
        Frame { longitude: center.longitude, latitude: center.latitude, scale: (scale * shortening, scale) }
    }

    fn place(&self, (longitude, latitude): (f64, f64)) -> Point {
        let x = (longitude - self.longitude) * self.scale.0;
        let y = (self.latitude - latitude) * self.scale.1;
        Point::from_xy(x as f32 + SIDE / 2.0, y as f32 + SIDE / 2.0)
    }

    /// Upper left and lower right.
    fn corners(&self, extent: Bounds) -> [Point; 2] {
        [self.place((extent.west, extent.north)), self.place((extent.east, extent.south))]
    }

    /// Whether all of the extent lies within the margins, give or take what rounding may do.
    fn holds(&self, extent: Bounds) -> bool {
        let inside = MARGIN - 0.5..=SIDE - MARGIN + 0.5;
        self.corners(extent).iter().all(|corner| inside.contains(&corner.x) && inside.contains(&corner.y))
    }
}

/// A colour, and a darker one that stands out from it and from white.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Colors {
    fill: Rgb,
    edge: Rgb,
}

impl Colors {
    fn of(color: &str) -> Self {
        let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6 && !digits.contains('+'));
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let fill = number.map_or(NEUTRAL, |number| [(number >> 16) as u8, (number >> 8) as u8, number as u8]);
        let [red, green, blue] = fill.map(f32::from);
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
        let darkening = (105.0 / brightness.max(1.0)).min(0.68);
        Colors { fill, edge: fill.map(|channel| (f32::from(channel) * darkening) as u8) }
    }
}

/// The shapes of some geometries in pixels, by how they are drawn.
struct Parts {
    polygons: Vec<Path>,
    lines: Option<Path>,
    /// Lines without length.
    dots: Option<Path>,
}

impl Parts {
    fn new(geometries: &[Geometry], frame: &Frame) -> Self {
        let mut polygons = Vec::new();
        let mut lines = PathBuilder::new();
        let mut points = Vec::new();
        let mut add = |shape: &Shape| match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => {
                points.extend(shape.lon_lats().filter(on_earth).map(|position| frame.place(position)));
            }
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                shape.lines().for_each(|line| trace(&mut lines, line, shape.stride(), frame));
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let mut rings = shape.lines();
                for count in shape.rings_per_polygon() {
                    let mut path = PathBuilder::new();
                    for ring in rings.by_ref().take(count) {
                        trace(&mut path, ring, shape.stride(), frame);
                        path.close();
                    }
                    polygons.extend(path.finish());
                }
            }
        };
        geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut add));
        // Of dots that would hide one another, one is enough.
        let mut taken = HashSet::new();
        points.retain(|point| taken.insert(((point.x / 3.0) as i32, (point.y / 3.0) as i32)));
        let mut dots = PathBuilder::new();
        points.iter().for_each(|point| push_line(&mut dots, &[*point]));
        Parts { polygons, lines: lines.finish(), dots: dots.finish() }
    }
}

fn draw_outline(outline: &[Geometry], frame: &Frame) -> Option<Pixmap> {
    let mut canvas = Pixmap::new(SIZE, SIZE)?;
    canvas.fill(Color::WHITE);
    let parts = Parts::new(outline, frame);
    parts.polygons.iter().for_each(|polygon| fill(&mut canvas, polygon, LAND, u8::MAX));
    parts.polygons.iter().chain(&parts.lines).for_each(|path| stroke(&mut canvas, path, SHORE, 1.25));
    Some(canvas)
}

/// Rings the place of a diagram that would be overlooked.
fn draw_halo(canvas: &mut Pixmap, [from, to]: [Point; 2], colors: Colors) {
    if (to.x - from.x).max(to.y - from.y) < EASILY_SEEN
        && let Some(halo) = PathBuilder::from_circle((from.x + to.x) / 2.0, (from.y + to.y) / 2.0, HALO_RADIUS)
    {
        fill(canvas, &halo, WHITE, FILL_OPACITY);
        draw_cased(canvas, Some(&halo), 1.0, colors);
    }
}

fn draw_diagram(canvas: &mut Pixmap, diagram: &[Geometry], frame: &Frame, colors: Colors) {
    let mut parts = Parts::new(diagram, frame);
    parts.polygons.iter_mut().for_each(enlarge_speck);
    // One by one: the even-odd rule keeps holes open and must not do so where two polygons overlap.
    parts.polygons.iter().for_each(|polygon| fill(canvas, polygon, colors.fill, FILL_OPACITY));
    parts.polygons.iter().for_each(|polygon| stroke(canvas, polygon, colors.edge, 1.5));
    draw_cased(canvas, parts.lines.as_ref(), 3.0, colors);
    draw_cased(canvas, parts.dots.as_ref(), DOT, colors);
}

fn enlarge_speck(polygon: &mut Path) {
    let bounds = polygon.bounds();
    let (x, y) = ((bounds.left() + bounds.right()) / 2.0, (bounds.top() + bounds.bottom()) / 2.0);
    if bounds.width().max(bounds.height()) < SPECK {
        PathBuilder::from_circle(x, y, SPECK / 2.0).into_iter().for_each(|dot| *polygon = dot);
    }
}

/// A line of that width between two darker ones between two white ones.
fn draw_cased(canvas: &mut Pixmap, path: Option<&Path>, width: f32, colors: Colors) {
    if let Some(path) = path {
        stroke(canvas, path, WHITE, width + 5.5);
        stroke(canvas, path, colors.edge, width + 2.5);
        stroke(canvas, path, colors.fill, width);
    }
}

/// Says that a diagram has no geometry: a square, struck through, in the lower right corner.
fn empty_mark() -> Option<Path> {
    let (near, far) = (SIDE - 40.0, SIDE - 16.0);
    let mut path = PathBuilder::new();
    path.push_rect(Rect::from_ltrb(near, near, far, far)?);
    path.move_to(near + 6.0, far - 6.0);
    path.line_to(far - 6.0, near + 6.0);
    path.finish()
}

fn fill(canvas: &mut Pixmap, path: &Path, color: Rgb, opacity: u8) {
    canvas.fill_path(path, &paint(color, opacity), FillRule::EvenOdd, Transform::identity(), None);
}

fn stroke(canvas: &mut Pixmap, path: &Path, color: Rgb, width: f32) {
    let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    canvas.stroke_path(path, &paint(color, u8::MAX), &stroke, Transform::identity(), None);
}

fn paint([red, green, blue]: Rgb, opacity: u8) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, opacity);
    paint
}

/// Adds a line or ring, without the positions that would fall into the same part of a pixel.
fn trace(path: &mut PathBuilder, line: &[f64], stride: usize, frame: &Frame) {
    let positions = line.chunks_exact(stride).map(|position| (position[0], position[1]));
    let mut points: Vec<Point> = positions.filter(on_earth).map(|position| frame.place(position)).collect();
    let mut apart = APART;
    points.dedup_by(|next, kept| next.distance(*kept) < apart);
    while points.len() > MAX_POINTS {
        apart *= 2.0;
        points.dedup_by(|next, kept| next.distance(*kept) < apart);
    }
    push_line(path, &points);
}

fn push_line(path: &mut PathBuilder, points: &[Point]) {
    let Some((first, rest)) = points.split_first() else { return };
    path.move_to(first.x, first.y);
    rest.iter().for_each(|point| path.line_to(point.x, point.y));
    if rest.is_empty() {
        // What has no length at all would not be drawn.
        path.line_to(first.x + 0.01, first.y);
    }
}

/// The smallest bounds around all positions that are on the Earth.
fn extent(geometries: &[Geometry]) -> Option<Bounds> {
    let mut extent: Option<Bounds> = None;
    let mut widen = |shape: &Shape| {
        let own = Bounds::around(shape.lon_lats().filter(on_earth));
        extent = extent.into_iter().chain(own).reduce(Bounds::union);
    };
    geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut widen));
    extent
}

/// Longitudes may go on beyond the antimeridian. Says no to what is not a number, too.
fn on_earth(&(longitude, latitude): &(f64, f64)) -> bool {
    longitude.abs() <= 360.0 && latitude.abs() <= 90.0
}

/// Bounds as a polygon; `None` where they enclose nothing.
fn rectangle(Bounds { west, south, east, north }: Bounds) -> Option<Geometry> {
    let encloses = on_earth(&(west, south)) && on_earth(&(east, north)) && west < east && south < north;
    let ordinates = vec![west, south, east, south, east, north, west, north, west, south];
    let shape = Shape { ordinates, line_ends: vec![5], ..Shape::empty(ShapeKind::Polygon) };
    encloses.then_some(Geometry::Shape(shape))
}

/// Indexed colours and fast compression: `Pixmap::encode_png` takes many times as long, and more bytes.
fn encode(canvas: &Pixmap) -> Result<Vec<u8>, ThumbnailError> {
    let (palette, pixels) = index(canvas.data());
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIZE, SIZE);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::Fastest);
    encoder.set_filter(png::Filter::Up);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(file)
}

/// A palette of at most 256 colours, and for every pixel its place there. Where there are more colours than that, those
/// which agree in their higher bits share a place.
fn index(rgba: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut palette = Vec::new();
    let mut places = Vec::with_capacity(rgba.len() / 4);
    for mask in (0..8).map(|bits| u32::from_le_bytes([u8::MAX << bits; 4])) {
        palette.clear();
        places.clear();
        let mut known = HashMap::new();
        // Most pixels are like the one before. None is transparent, as this one is.
        let mut last = (0, 0);
        for pixel in rgba.as_chunks().0.iter().copied().map(u32::from_le_bytes) {
            if pixel != last.0 {
                let place = *known.entry(pixel & mask).or_insert_with(|| {
                    palette.extend_from_slice(&pixel.to_le_bytes()[..3]);
                    palette.len() / 3 - 1
                });
                last = (pixel, place as u8);
            }
            places.push(last.1);
        }
        if known.len() <= 256 {
            break;
        }
    }
    (palette, places)
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::geometry::GeometrySeed;

    const NOWHERE: Bounds = Bounds { west: 0.0, south: 0.0, east: 0.0, north: 0.0 };
    const GREEN: &str = "#3C9D4E";

    fn geometry(kind: &str, coordinates: &str) -> Geometry {
        let json = format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#);
        GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(&json)).unwrap().unwrap()
    }

    fn square(from: f64, to: f64) -> String {
        format!("[[{from},{from}],[{to},{from}],[{to},{to}],[{from},{to}],[{from},{from}]]")
    }

    fn polygon(rings: &[String]) -> Geometry {
        geometry("Polygon", &format!("[{}]", rings.join(",")))
    }

    /// A square degree at the equator.
    fn backdrop() -> Backdrop {
        Backdrop::new(&[polygon(&[square(0.0, 1.0)])], NOWHERE)
    }

    fn drawn(backdrop: &Backdrop, diagram: &[Geometry], color: &str) -> Pixmap {
        let picture = Pixmap::decode_png(&backdrop.draw(diagram, color).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (SIZE, SIZE));
        picture
    }

    fn at(picture: &Pixmap, backdrop: &Backdrop, longitude: f64, latitude: f64) -> Rgb {
        let point = backdrop.frame.place((longitude, latitude));
        let pixel = picture.pixel(point.x as u32, point.y as u32).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    fn differing(a: &Pixmap, b: &Pixmap) -> usize {
        a.pixels().iter().zip(b.pixels()).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn holes_stay_open_and_overlapping_polygons_do_not_cancel_each_other() {
        let backdrop = backdrop();
        let rings = [[square(0.1, 0.6), square(0.2, 0.3)].join(","), square(0.5, 0.9)];
        let diagram = geometry("MultiPolygon", &format!("[[{}],[{}]]", rings[0], rings[1]));
        let picture = drawn(&backdrop, &[diagram], GREEN);
        let [outside, hole, once, twice] = [0.05, 0.25, 0.4, 0.55].map(|both| at(&picture, &backdrop, both, both));
        assert_eq!((outside, hole), (LAND, LAND));
        assert!(once[0] < LAND[0] - 50 && twice[0] < once[0] - 20, "{once:?} {twice:?}");
    }

    #[test]
    fn a_white_diagram_has_an_outline_that_shows_on_white() {
        let backdrop = Backdrop::new(&[], NOWHERE);
        let shapes = [
            polygon(&[square(0.0, 1.0)]),
            geometry("LineString", "[[0,0],[1,1]]"),
            geometry("MultiPoint", "[[0,0],[1,1]]"),
        ];
        for shape in shapes {
            let picture = drawn(&backdrop, &[shape], "#ffffff");
            assert!(picture.pixels().iter().filter(|pixel| pixel.green() < 150).count() > 20);
        }
    }

    #[test]
    fn dots_that_overlap_do_not_cancel_each_other() {
        let backdrop = backdrop();
        let picture = drawn(&backdrop, &[geometry("MultiPoint", "[[0.5,0.5],[0.515,0.5],[0.2,0.2]]")], GREEN);
        for (longitude, latitude) in [(0.5, 0.5), (0.5075, 0.5), (0.515, 0.5), (0.2, 0.2)] {
            assert_eq!(at(&picture, &backdrop, longitude, latitude), [0x3c, 0x9d, 0x4e]);
        }
    }

    #[test]
    fn a_diagram_too_small_to_see_is_ringed() {
        let backdrop = backdrop();
        let ringed = |size| {
            let picture = drawn(&backdrop, &[polygon(&[square(0.5 - size / 2.0, 0.5 + size / 2.0)])], GREEN);
            at(&picture, &backdrop, 0.5 + f64::from(HALO_RADIUS / (SIDE - 2.0 * MARGIN)), 0.5) != LAND
        };
        assert_eq!([0.0, 1e-9, 0.05, 0.07].map(ringed), [true, true, true, false]);
    }

    #[test]
    fn a_diagram_without_geometry_shows_the_outline_and_a_mark() {
        let backdrop = backdrop();
        let nothing = [vec![], vec![geometry("Polygon", "[]")], vec![Geometry::Collection(vec![])]];
        let pictures = nothing.map(|diagram| drawn(&backdrop, &diagram, GREEN));
        assert!(pictures.iter().all(|picture| at(picture, &backdrop, 0.5, 0.5) == LAND));
        let marked = differing(&pictures[0], backdrop.canvas.as_ref().unwrap());
        assert!((200..1000).contains(&marked), "{marked}");
    }

    #[test]
    fn a_diagram_beyond_the_study_area_widens_the_frame() {
        let backdrop = backdrop();
        let picture = drawn(&backdrop, &[polygon(&[square(2.0, 3.0)])], GREEN);
        let third = (SIDE - 2.0 * MARGIN) as u32 / 3;
        let pixel = |x, y| picture.pixel(x, y).unwrap().red();
        let (near, far) = (MARGIN as u32 + third / 2, (SIDE - MARGIN) as u32 - third / 2);
        assert_eq!((pixel(near, far), pixel(near, near)), (LAND[0], 0xff));
        assert!(pixel(far, near) < 150);
    }

    #[test]
    fn bounds_stand_in_for_an_outline() {
        let bounds = Bounds { west: 5.0, south: 50.0, east: 6.0, north: 51.0 };
        let backdrop = Backdrop::new(&[], bounds);
        assert_eq!(at(&drawn(&backdrop, &[], GREEN), &backdrop, 5.5, 50.5), LAND);
        let unknown = Backdrop::new(&[], NOWHERE);
        assert!(unknown.extent.is_none());
    }

    #[test]
    fn nothing_that_is_odd_keeps_a_picture_from_being_drawn() {
        let odd = [0.0, 0.5, f64::NAN, f64::INFINITY, -90.0, 1e300, f64::MIN_POSITIVE];
        let kinds = [ShapeKind::MultiPoint, ShapeKind::LineString, ShapeKind::Polygon];
        for (west, north) in odd.iter().flat_map(|west| odd.map(|north| (*west, north))) {
            let bounds = Bounds { west, south: 0.25, east: 1.0, north };
            for kind in kinds {
                let ordinates = vec![west, north, north, west, 0.5, west];
                let line_ends = if kind == ShapeKind::Polygon { vec![3] } else { vec![] };
                let diagram = [Geometry::Shape(Shape { ordinates, line_ends, ..Shape::empty(kind) })];
                drawn(&Backdrop::new(&[], bounds), &diagram, "#12345");
                drawn(&Backdrop::new(&diagram, bounds), &diagram, "");
                drawn(&backdrop(), &diagram, "#é1234");
            }
        }
    }

    #[test]
    fn a_color_is_six_hexadecimal_digits_and_grey_otherwise() {
        assert_eq!(Colors::of("#F2a091").fill, [0xf2, 0xa0, 0x91]);
        for other in ["", "#", "red", "#fff", "F2A091", "#+2A091", "#F2A0911", "#F2A09é", "#F2A09 "] {
            assert_eq!(Colors::of(other).fill, NEUTRAL, "{other}");
        }
    }

    #[test]
    fn a_line_has_only_as_many_points_as_can_be_told_apart() {
        let line: Vec<f64> = (0..100_000).flat_map(|i| [f64::from(i) / 1e5, f64::from(i % 2) / 10.0]).collect();
        let points = |line: &[f64]| {
            let mut path = PathBuilder::new();
            trace(&mut path, line, 2, &backdrop().frame);
            path.finish().unwrap().len()
        };
        assert!(points(&line) <= MAX_POINTS);
        assert_eq!(points(&line[..40]), 20);
        assert_eq!(points(&[0.1, 0.1, 0.9, 0.1, 0.900_001, 0.1, 0.9, 0.9]), 3);
    }

    #[test]
    fn more_colors_than_a_palette_has_are_brought_near() {
        let rgba: Vec<u8> = (0..4096_u32).flat_map(|i| [(i >> 4) as u8, (i << 4) as u8, 7, 255]).collect();
        let (palette, places) = index(&rgba);
        assert!((64..=256).contains(&(palette.len() / 3)));
        for (pixel, place) in rgba.chunks(4).zip(places) {
            let near = &palette[usize::from(place) * 3..][..3];
            assert!(pixel.iter().zip(near).all(|(a, b)| a.abs_diff(*b) < 32));
        }
    }
}
