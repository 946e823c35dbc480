//! Drawing outlines and diagrams on a canvas, and their colours.

use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

use super::paths::{Outlines, Paths, SIDE, SIZE, Viewport};
use geodesign::model::Bounds;
use geodesign_geometry::Geometry;

pub type Rgb = [u8; 3];

pub const LAND: Rgb = [0xef, 0xf1, 0xee];
const SHORE: Rgb = [0xb3, 0xb9, 0xb4];
const WHITE: Rgb = [0xff; 3];
/// The colour of systems without a colour of the form `#RRGGBB`.
const GREY: Rgb = [0x7a, 0x80, 0x88];

/// The opacity of a diagram's polygons, from 0 to 255. The outline of the study area and overlaps show through.
const FILL_OPACITY: u8 = 153;

/// The colours of a diagram: its system's colour, and a darker one that is visible on it and on white.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiagramColors {
    fill: Rgb,
    edge: Rgb,
}

impl DiagramColors {
    /// Reads `#RRGGBB`; any other text gives grey.
    pub fn from_hex(color: &str) -> Self {
        let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6 && !digits.contains('+'));
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let fill = number.map_or(GREY, |number| [(number >> 16) as u8, (number >> 8) as u8, number as u8]);
        let [red, green, blue] = fill.map(f32::from);
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
        let darkening = (105.0 / brightness.max(1.0)).min(0.68);
        DiagramColors { fill, edge: fill.map(|channel| (f32::from(channel) * darkening) as u8) }
    }
}

/// A diagram whose width and height are both less than this gets a halo.
const MIN_VISIBLE_SIZE: f32 = 14.0;
pub const HALO_RADIUS: f32 = 12.0;
/// The diameter of a point.
const DOT_WIDTH: f32 = 8.0;
/// Smaller polygons are drawn as a dot.
const MIN_POLYGON_SIZE: f32 = 4.0;

/// Returns a white canvas with the outline of the study area; `None` if it cannot be allocated.
pub fn draw_outline(outline: &[Geometry], viewport: Viewport) -> Option<Pixmap> {
    let mut canvas = Pixmap::new(SIZE, SIZE)?;
    canvas.fill(Color::WHITE);
    let Paths { polygons, lines, .. } = Paths::new(outline, viewport);
    draw_polygons(
        &mut canvas,
        &polygons,
        &PolygonStyle { fill: LAND, opacity: u8::MAX, edge: SHORE, width: 1.25, min_size: 0.0 },
    );
    draw_lines(&mut canvas, &lines, &[(SHORE, 1.25)]);
    Some(canvas)
}

/// Draws a circle around a diagram that is small enough to be overlooked.
pub fn draw_halo(canvas: &mut Pixmap, extent: Bounds, viewport: Viewport, colors: DiagramColors) {
    let [upper_left, lower_right] = viewport.corners(extent);
    let size = lower_right - upper_left;
    let (x, y) = ((upper_left.x + lower_right.x) / 2.0, (upper_left.y + lower_right.y) / 2.0);
    if size.x.max(size.y) < MIN_VISIBLE_SIZE
        && let Some(halo) = PathBuilder::from_circle(x, y, HALO_RADIUS)
    {
        fill(canvas, &halo, WHITE, FILL_OPACITY);
        draw_cased(canvas, &halo, 1.0, colors);
    }
}

pub fn draw_diagram(canvas: &mut Pixmap, diagram: &[Geometry], viewport: Viewport, colors: DiagramColors) {
    let DiagramColors { fill, edge } = colors;
    let Paths { polygons, lines, dots } = Paths::new(diagram, viewport);
    let style = PolygonStyle { fill, opacity: FILL_OPACITY, edge, width: 1.5, min_size: MIN_POLYGON_SIZE };
    draw_polygons(canvas, &polygons, &style);
    draw_lines(canvas, &lines, &cased(3.0, colors));
    dots.iter().for_each(|dots| draw_cased(canvas, dots, DOT_WIDTH, colors));
}

/// The style of polygons.
struct PolygonStyle {
    fill: Rgb,
    /// The opacity of `fill`.
    opacity: u8,
    edge: Rgb,
    /// The width of the edge.
    width: f32,
    /// A polygon whose width and height are both less than this is drawn as a dot of this diameter.
    min_size: f32,
}

fn draw_polygons(canvas: &mut Pixmap, polygons: &Outlines, style: &PolygonStyle) {
    let polygons = polygons.polygon_paths(style.min_size);
    // One by one: in a single path, the even-odd rule that keeps holes open would also leave overlaps open.
    polygons.iter().for_each(|polygon| fill(canvas, polygon, style.fill, style.opacity));
    polygons.iter().for_each(|polygon| stroke(canvas, polygon, style.edge, style.width));
}

/// Draws lines in these colours and widths, over one another.
fn draw_lines(canvas: &mut Pixmap, lines: &Outlines, layers: &[(Rgb, f32)]) {
    let paths = lines.line_paths();
    for (color, width) in layers {
        paths.iter().for_each(|path| stroke(canvas, path, *color, *width));
    }
}

/// Marks a diagram that has no geometry: a crossed-out square in the lower right corner.
pub fn draw_empty_mark(canvas: &mut Pixmap, colors: DiagramColors) {
    empty_mark().iter().for_each(|mark| draw_cased(canvas, mark, 2.5, colors));
}

fn empty_mark() -> Option<Path> {
    let (near, far) = (SIDE - 40.0, SIDE - 16.0);
    let mut path = PathBuilder::new();
    path.push_rect(Rect::from_ltrb(near, near, far, far)?);
    path.move_to(near + 6.0, far - 6.0);
    path.line_to(far - 6.0, near + 6.0);
    path.finish()
}

fn draw_cased(canvas: &mut Pixmap, path: &Path, width: f32, colors: DiagramColors) {
    cased(width, colors).iter().for_each(|(color, width)| stroke(canvas, path, *color, *width));
}

/// Returns a line of this width with a dark edge and a white one around it.
fn cased(width: f32, colors: DiagramColors) -> [(Rgb, f32); 3] {
    [(WHITE, width + 5.5), (colors.edge, width + 2.5), (colors.fill, width)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_hexadecimal_digits_are_a_color_and_any_other_text_is_grey() {
        assert_eq!(DiagramColors::from_hex("#F2a091").fill, [0xf2, 0xa0, 0x91]);
        for other in ["", "#", "red", "#fff", "F2A091", "#+2A091", "#F2A0911", "#F2A09é", "#F2A09 "] {
            assert_eq!(DiagramColors::from_hex(other).fill, GREY, "{other}");
        }
    }
}
