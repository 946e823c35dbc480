//! The study area of a project, and thumbnails over it.

use tiny_skia::Pixmap;

use super::date_line::{beside_each_other, cut_of};
use super::drawing::{DiagramColors, draw_diagram, draw_empty_mark, draw_halo, draw_outline};
use super::paths::{Viewport, extent, rectangle};
use super::{ThumbnailError, encode};
use geodesign::model::Bounds;
use geodesign_geometry::Geometry;

/// The study area, drawn once for many thumbnails.
pub struct Backdrop {
    outline: Vec<Geometry>,
    /// The extent of the study area, which every thumbnail shows; `None` if it is unknown.
    extent: Option<Bounds>,
    /// The longitude at which the Earth is cut, so that the study area lies on one side.
    cut: f64,
    viewport: Viewport,
    /// The outline in that viewport; `None` if there was no memory for it.
    canvas: Option<Pixmap>,
}

impl Backdrop {
    /// Draws the outline. `study_area` are the boundaries of the project (longitude, latitude in degrees). If there are none, the project's
    /// `bounds` replace them.
    pub fn new(study_area: &[Geometry], bounds: Bounds) -> Self {
        let cut = cut_of(study_area);
        let study_area = beside_each_other(study_area, cut);
        let (outline, extent) = match (extent(&study_area), rectangle(bounds)) {
            (None, Some(rectangle)) => (vec![rectangle], Some(bounds)),
            (extent, _) => (study_area, extent),
        };
        let viewport = Viewport::around(extent);
        let canvas = draw_outline(&outline, viewport);
        Backdrop { outline, extent, cut, viewport, canvas }
    }

    /// Returns the thumbnail of a diagram, as a PNG of 256 × 256 pixels. `color` is `#RRGGBB`; any other text gives grey.
    ///
    /// Positions that are not on the Earth are left out. For a diagram that lies partly outside the study area, the thumbnail
    /// shows a larger area.
    pub fn draw(&self, diagram: &[Geometry], color: &str) -> Result<Vec<u8>, ThumbnailError> {
        let colors = DiagramColors::from_hex(color);
        let cut = if self.extent.is_none() { cut_of(diagram) } else { self.cut };
        let diagram = &beside_each_other(diagram, cut);
        let Some(extent) = extent(diagram) else {
            let mut canvas = self.canvas.clone().ok_or(ThumbnailError::Canvas)?;
            draw_empty_mark(&mut canvas, colors);
            return encode(&canvas);
        };
        let (viewport, canvas) = if self.viewport.contains(extent) {
            (self.viewport, self.canvas.clone())
        } else {
            let viewport = Viewport::around(Some(self.extent.map_or(extent, |study_area| study_area.union(extent))));
            (viewport, draw_outline(&self.outline, viewport))
        };
        let mut canvas = canvas.ok_or(ThumbnailError::Canvas)?;
        draw_halo(&mut canvas, extent, viewport, colors);
        draw_diagram(&mut canvas, diagram, viewport, colors);
        encode(&canvas)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::thumbnail::drawing::{HALO_RADIUS, LAND, Rgb};
    use crate::thumbnail::paths::{MARGIN, SIDE, SIZE};
    use geodesign_geometry::{GeometrySeed, Shape, ShapeKind};

    const EMPTY_BOUNDS: Bounds = Bounds { west: 0.0, south: 0.0, east: 0.0, north: 0.0 };
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

    /// Returns a study area of one square degree at the equator.
    fn backdrop() -> Backdrop {
        Backdrop::new(&[polygon(&[square(0.0, 1.0)])], EMPTY_BOUNDS)
    }

    fn draw(backdrop: &Backdrop, diagram: &[Geometry], color: &str) -> Pixmap {
        let picture = Pixmap::decode_png(&backdrop.draw(diagram, color).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (SIZE, SIZE));
        picture
    }

    fn color_at(picture: &Pixmap, backdrop: &Backdrop, longitude: f64, latitude: f64) -> Rgb {
        let point = backdrop.viewport.to_pixels((longitude, latitude));
        let pixel = picture.pixel(point.x as u32, point.y as u32).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    fn differing_pixels(a: &Pixmap, b: &Pixmap) -> usize {
        a.pixels().iter().zip(b.pixels()).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn holes_stay_open_and_overlapping_polygons_do_not_cancel_each_other() {
        let backdrop = backdrop();
        let rings = [[square(0.1, 0.6), square(0.2, 0.3)].join(","), square(0.5, 0.9)];
        let diagram = geometry("MultiPolygon", &format!("[[{}],[{}]]", rings[0], rings[1]));
        let picture = draw(&backdrop, &[diagram], GREEN);
        let [outside, hole, once, twice] =
            [0.05, 0.25, 0.4, 0.55].map(|both| color_at(&picture, &backdrop, both, both));
        assert_eq!((outside, hole), (LAND, LAND));
        assert!(once[0] < LAND[0] - 50 && twice[0] < once[0] - 20, "{once:?} {twice:?}");
    }

    #[test]
    fn a_white_diagram_has_a_dark_outline() {
        let backdrop = Backdrop::new(&[], EMPTY_BOUNDS);
        let shapes = [
            polygon(&[square(0.0, 1.0)]),
            geometry("LineString", "[[0,0],[1,1]]"),
            geometry("MultiPoint", "[[0,0],[1,1]]"),
        ];
        for shape in shapes {
            let picture = draw(&backdrop, &[shape], "#ffffff");
            assert!(picture.pixels().iter().filter(|pixel| pixel.green() < 150).count() > 20);
        }
    }

    #[test]
    fn overlapping_points_do_not_cancel_each_other() {
        let backdrop = backdrop();
        let picture = draw(&backdrop, &[geometry("MultiPoint", "[[0.5,0.5],[0.515,0.5],[0.2,0.2]]")], GREEN);
        for (longitude, latitude) in [(0.5, 0.5), (0.5075, 0.5), (0.515, 0.5), (0.2, 0.2)] {
            assert_eq!(color_at(&picture, &backdrop, longitude, latitude), [0x3c, 0x9d, 0x4e]);
        }
    }

    #[test]
    fn a_diagram_that_is_hard_to_see_has_a_halo() {
        let backdrop = backdrop();
        let has_halo = |size| {
            let picture = draw(&backdrop, &[polygon(&[square(0.5 - size / 2.0, 0.5 + size / 2.0)])], GREEN);
            color_at(&picture, &backdrop, 0.5 + f64::from(HALO_RADIUS / (SIDE - 2.0 * MARGIN)), 0.5) != LAND
        };
        assert_eq!([0.0, 1e-9, 0.05, 0.07].map(has_halo), [true, true, true, false]);
    }

    #[test]
    fn a_diagram_without_geometry_shows_the_study_area_and_a_mark() {
        let backdrop = backdrop();
        let nothing = [vec![], vec![geometry("Polygon", "[]")], vec![Geometry::Collection(vec![])]];
        let pictures = nothing.map(|diagram| draw(&backdrop, &diagram, GREEN));
        assert!(pictures.iter().all(|picture| color_at(picture, &backdrop, 0.5, 0.5) == LAND));
        let marked = differing_pixels(&pictures[0], backdrop.canvas.as_ref().unwrap());
        assert!((200..1000).contains(&marked), "{marked}");
    }

    #[test]
    fn the_viewport_is_widened_for_a_diagram_outside_the_study_area() {
        let backdrop = backdrop();
        let picture = draw(&backdrop, &[polygon(&[square(2.0, 3.0)])], GREEN);
        let third = (SIDE - 2.0 * MARGIN) as u32 / 3;
        let pixel = |x, y| picture.pixel(x, y).unwrap().red();
        let (near, far) = (MARGIN as u32 + third / 2, (SIDE - MARGIN) as u32 - third / 2);
        assert_eq!((pixel(near, far), pixel(near, near)), (LAND[0], 0xff));
        assert!(pixel(far, near) < 150);
    }

    #[test]
    fn both_sides_of_longitude_180_lie_beside_each_other() {
        let area =
            |west: f64, east: f64| polygon(&[format!("[[{west},0],[{east},0],[{east},1],[{west},1],[{west},0]]")]);
        let backdrop = Backdrop::new(&[area(179.5, 180.0), area(-180.0, -179.5)], EMPTY_BOUNDS);
        let picture = draw(&backdrop, &[area(179.7, 180.0), area(-180.0, -179.7)], GREEN);
        let reds = [179.6, 179.8, 180.2, 180.4].map(|longitude| color_at(&picture, &backdrop, longitude, 0.5)[0]);
        assert_eq!((reds[0], reds[3]), (LAND[0], LAND[0]));
        assert!(reds[1] < LAND[0] - 50 && reds[2] < LAND[0] - 50, "{reds:?}");
        // Alone, without a study area.
        let alone = Backdrop::new(&[], EMPTY_BOUNDS);
        let picture = draw(&alone, &[area(179.7, 180.0), area(-180.0, -179.7)], GREEN);
        let filled = picture.pixels().iter().filter(|pixel| pixel.red() < 200).count();
        assert!(filled > 20_000, "{filled}");
    }

    #[test]
    fn the_bounds_of_the_project_take_the_place_of_missing_boundaries() {
        let bounds = Bounds { west: 5.0, south: 50.0, east: 6.0, north: 51.0 };
        let backdrop = Backdrop::new(&[], bounds);
        assert_eq!(color_at(&draw(&backdrop, &[], GREEN), &backdrop, 5.5, 50.5), LAND);
        let unknown = Backdrop::new(&[], EMPTY_BOUNDS);
        assert!(unknown.extent.is_none());
    }

    #[test]
    fn any_coordinates_bounds_and_colors_give_a_picture() {
        let values = [0.0, 0.5, f64::NAN, f64::INFINITY, -90.0, 1e300, f64::MIN_POSITIVE];
        let kinds = [ShapeKind::MultiPoint, ShapeKind::LineString, ShapeKind::Polygon];
        for (west, north) in values.iter().flat_map(|west| values.map(|north| (*west, north))) {
            let bounds = Bounds { west, south: 0.25, east: 1.0, north };
            for kind in kinds {
                let ordinates = vec![west, north, north, west, 0.5, west];
                let line_ends = if kind == ShapeKind::Polygon { vec![3] } else { vec![] };
                let diagram = [Geometry::Shape(Shape { ordinates, line_ends, ..Shape::empty(kind) })];
                draw(&Backdrop::new(&[], bounds), &diagram, "#12345");
                draw(&Backdrop::new(&diagram, bounds), &diagram, "");
                draw(&backdrop(), &diagram, "#é1234");
            }
        }
    }
}
