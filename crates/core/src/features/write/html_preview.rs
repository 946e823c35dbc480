//! An HTML preview of a collection for notebooks: a map, the systems and the bounds. Its size is limited, however large
//! the collection is.

use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Write};

use arrow_array::{Array, StringArray};

use crate::features::collection::FeatureCollection;
use crate::model::{Bounds, EvaluationClass};
use geodesign_common::html::{Escaped, NOTEBOOK_FONT};
use geodesign_geometry::{ShapeKind, read_wkb_coarsely};

/// At most this many features are drawn: every n-th feature of a larger collection.
const MAX_FEATURES: usize = 400;
/// About this many positions are drawn at most: every n-th position of longer lines and rings.
const MAX_POSITIONS: usize = 4_000;
/// At most this many systems are listed.
const MAX_SYSTEMS: usize = 12;
/// At most this many characters of a system's name are shown.
const MAX_LABEL_CHARS: usize = 60;
/// The largest width and height of the map, margins included, in pixels.
const MAX_WIDTH: f64 = 320.0;
const MAX_HEIGHT: f64 = 260.0;
/// Pixels around the map.
const MARGIN: f64 = 6.0;
/// Color of features and systems without one.
const DEFAULT_COLOR: &str = "#7a8288";

/// Displays a collection as HTML.
pub struct HtmlPreview<'c>(pub &'c FeatureCollection);

impl fmt::Display for HtmlPreview<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let collection = self.0;
        write!(f, r#"<div style="display:flex;gap:20px;align-items:flex-start;{NOTEBOOK_FONT}">"#)?;
        if let Some(bounds) = collection.bounds() {
            write_map(collection, bounds, f)?;
        }
        write!(f, "<div><b>{}</b>", summary(collection))?;
        if let Some(Bounds { west, south, east, north }) = collection.bounds() {
            write!(f, "<br>lon {west:.4} to {east:.4}, lat {south:.4} to {north:.4}")?;
        }
        write_systems(collection, f)?;
        f.write_str("</div></div>")
    }
}

/// The numbers of features and diagrams in words, such as `214 features, 180 diagrams`.
pub fn summary(collection: &FeatureCollection) -> String {
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    match collection.diagram_ids().len() {
        0 => count(collection.len(), "feature"),
        diagrams => format!("{}, {}", count(collection.len(), "feature"), count(diagrams, "diagram")),
    }
}

fn write_map(collection: &FeatureCollection, bounds: Bounds, f: &mut fmt::Formatter) -> fmt::Result {
    let geometries = &collection.table().geometries;
    let colors = collection.texts("color");
    let viewport = Viewport::around(bounds);
    write!(
        f,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{:.0}" height="{:.0}" "#,
        viewport.width, viewport.height
    )?;
    f.write_str(r##"style="background:#f6f7f8;border-radius:4px" stroke-width="1" fill-opacity="0.45">"##)?;
    let rows = collection.len();
    let drawn = (0..rows).step_by(rows.div_ceil(MAX_FEATURES).max(1));
    let drawn = drawn.filter_map(|row| Some((row, geometries.get(row)?)));
    // A position without height takes 16 bytes of WKB.
    let positions: usize = drawn.clone().map(|(_, wkb)| wkb.len() / 16).sum();
    let step = positions.div_ceil(MAX_POSITIONS);
    for (row, wkb) in drawn {
        viewport.write_geometry(wkb, step, shown_color(text_at(colors, row)), f)?;
    }
    f.write_str("</svg>")
}

/// Returns the color if it is valid, else the default: it comes from a service and is written into an attribute.
fn shown_color(color: Option<&str>) -> &str {
    let is_hex = |hex: &str| hex.len() <= 8 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    color.filter(|color| color.strip_prefix('#').is_some_and(is_hex)).unwrap_or(DEFAULT_COLOR)
}

fn text_at(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

/// Converts longitude and latitude to pixels of the map.
struct Viewport {
    bounds: Bounds,
    /// The size of the map in pixels.
    width: f64,
    height: f64,
    /// Pixels per degree of longitude and of latitude.
    scale: (f64, f64),
}

impl Viewport {
    fn around(bounds: Bounds) -> Self {
        // The length of a degree of longitude, relative to one of latitude.
        let lon_scale = bounds.center().latitude.to_radians().cos().abs().max(0.01);
        let (wide, high) = ((bounds.east - bounds.west) * lon_scale, bounds.north - bounds.south);
        let fit = |extent: f64, pixels: f64| if extent > 0.0 { pixels / extent } else { f64::INFINITY };
        let per_degree = fit(wide, MAX_WIDTH - 2.0 * MARGIN).min(fit(high, MAX_HEIGHT - 2.0 * MARGIN));
        let per_degree = if per_degree.is_finite() { per_degree } else { 1.0 };
        Viewport {
            bounds,
            width: wide * per_degree + 2.0 * MARGIN,
            height: high * per_degree + 2.0 * MARGIN,
            scale: (per_degree * lon_scale, per_degree),
        }
    }

    /// Writes an SVG path for each shape of a geometry, from every `step`-th position.
    fn write_geometry(&self, wkb: &[u8], step: usize, color: &str, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(geometry) = read_wkb_coarsely(wkb, step) else { return Ok(()) };
        let mut result = Ok(());
        geometry.for_each_shape(&mut |shape| {
            let mut path = String::new();
            let mut line = |ordinates: &[f64], close: bool| {
                for (index, position) in ordinates.chunks_exact(shape.stride()).enumerate() {
                    let x = (position[0] - self.bounds.west) * self.scale.0 + MARGIN;
                    let y = (self.bounds.north - position[1]) * self.scale.1 + MARGIN;
                    let _ = write!(path, "{}{x:.0} {y:.0}", if index == 0 { "M" } else { "L" });
                }
                path.push_str(if close { "z" } else { "" });
            };
            let fill = match shape.kind {
                ShapeKind::Point | ShapeKind::MultiPoint => {
                    // A line of length 0 with round caps is drawn as a dot.
                    shape.ordinates.chunks_exact(shape.stride()).for_each(|position| line(&position.repeat(2), false));
                    r#"none" stroke-width="5" stroke-linecap="round"#
                }
                ShapeKind::LineString | ShapeKind::MultiLineString => {
                    shape.lines().for_each(|ordinates| line(ordinates, false));
                    r#"none" stroke-width="2"#
                }
                ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                    shape.lines().for_each(|ordinates| line(ordinates, true));
                    color
                }
            };
            if result.is_ok() {
                result = write!(f, r#"<path d="{path}" stroke="{color}" fill="{fill}" fill-rule="evenodd"/>"#);
            }
        });
        result
    }
}

fn write_systems(collection: &FeatureCollection, f: &mut fmt::Formatter) -> fmt::Result {
    let systems = summarize_systems(collection);
    let rows = systems.iter().map(|(id, system)| {
        let name = system.name.map_or_else(|| format!("system {id}"), str::to_owned);
        (name, system.color, system.diagrams.len())
    });
    let rows: Vec<_> = if systems.is_empty() { summarize_classes(collection) } else { rows.collect() };
    if rows.is_empty() {
        return Ok(());
    }
    f.write_str(r#"<table style="margin-top:6px">"#)?;
    for (name, color, count) in rows.iter().take(MAX_SYSTEMS) {
        let label: String = name.chars().take(MAX_LABEL_CHARS).collect();
        let (color, label) = (shown_color(*color), Escaped(&label));
        write!(f, r#"<tr><td style="color:{color}">&#9632;</td><td style="text-align:left">{label}</td>"#)?;
        write!(f, "<td>{count}</td></tr>")?;
    }
    if let more @ 1.. = rows.len().saturating_sub(MAX_SYSTEMS) {
        write!(f, "<tr><td></td><td>and {more} more</td></tr>")?;
    }
    f.write_str("</table>")
}

/// The classes of an evaluation map, from where change is least wanted to where it is most wanted: name, colour and number of areas.
fn summarize_classes(collection: &FeatureCollection) -> Vec<(String, Option<&str>, usize)> {
    let Some(types) = collection.texts("areatype") else { return Vec::new() };
    let colors = collection.texts("color");
    let mut classes = BTreeMap::<(usize, &str), (Option<&str>, usize)>::new();
    for row in (0..collection.len()).filter(|row| types.is_valid(*row)) {
        let class = EvaluationClass::named(types.value(row));
        let name = class.map_or(types.value(row), |class| class.word());
        let place = class.map_or(usize::MAX, |class| EvaluationClass::rank(class.areatype));
        let (color, count) = classes.entry((place, name)).or_default();
        *color = color.or_else(|| text_at(colors, row));
        *count += 1;
    }
    classes.into_iter().map(|((_, name), (color, count))| (name.to_owned(), color, count)).collect()
}

/// A system of the collection: the first name and color found, and its diagrams.
#[derive(Default)]
struct SystemSummary<'c> {
    name: Option<&'c str>,
    color: Option<&'c str>,
    diagrams: HashSet<i64>,
}

fn summarize_systems(collection: &FeatureCollection) -> BTreeMap<i64, SystemSummary<'_>> {
    let mut systems = BTreeMap::<i64, SystemSummary>::new();
    let (Some(sysids), Some(diagrams)) = (collection.integers("sysid"), collection.integers("diagramid")) else {
        return systems;
    };
    let (names, colors) = (collection.texts("sysname"), collection.texts("color"));
    for row in (0..collection.len()).filter(|row| sysids.is_valid(*row) && diagrams.is_valid(*row)) {
        let system = systems.entry(sysids.value(row)).or_default();
        system.diagrams.insert(diagrams.value(row));
        system.name = system.name.or_else(|| text_at(names, row));
        system.color = system.color.or_else(|| text_at(colors, row));
    }
    systems
}
