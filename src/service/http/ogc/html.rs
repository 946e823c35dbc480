//! The pages of the standard for people: plain, without scripts, in the style of all pages. Features are drawn as SVG.

use std::collections::BTreeSet;
use std::fmt::Write;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeSeed;
use serde_json::Value;

use super::collections::Described;
use crate::geometry::{Geometry, GeometrySeed, ShapeKind, extent_of};
use crate::html::{Escaped, Page};
use crate::model::{OTHER_EVALUATION_COLOR, evaluation_color};
use crate::service::store::Field;

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE: &str = "body{padding:1.5em}table{border-collapse:collapse}td,th{padding:.2em .6em;text-align:left;vertical-align:top}\
                     svg{max-width:100%;height:auto;border:1px solid currentColor}.wide{overflow-x:auto}";

/// A whole page.
pub fn page(title: &str, body: &str) -> Response {
    let heading = format!("<main><h1>{}</h1>{body}</main>", Escaped(title));
    let page = Page { title, style: STYLE, body: heading }.to_string();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::VARY, HeaderValue::from_static("accept")),
    ];
    (headers, page).into_response()
}

fn anchor(href: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", Escaped(href), Escaped(text))
}

pub fn landing(root: &str) -> String {
    format!(
        "<p>The diagrams, designs and maps of geodesign projects, for geographic information systems. Connect yours to {} \
         with any username, and your token as the password.</p><ul><li>{}</li><li>{}</li><li>{}</li></ul>",
        Escaped(root),
        anchor(&format!("{root}/collections?f=html"), "The collections of features"),
        anchor(&format!("{root}/api?f=html"), "What can be asked"),
        anchor(&format!("{root}/conformance?f=html"), "What the service keeps to"),
    )
}

pub fn list_of_texts(texts: &[&str]) -> String {
    let items: String = texts.iter().map(|text| format!("<li>{}</li>", Escaped(text))).collect();
    format!("<ul>{items}</ul>")
}

pub fn collections(root: &str, collections: &[Described]) -> String {
    let rows: String = collections
        .iter()
        .map(|collection| {
            let here = format!("{root}/collections/{}", collection.id);
            format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                anchor(&format!("{here}?f=html"), &collection.title),
                Escaped(&collection.description),
                anchor(&format!("{here}/items?f=html"), "features")
            )
        })
        .collect();
    format!("<div class=\"wide\"><table>{rows}</table></div>")
}

pub fn collection(root: &str, described: &Described) -> String {
    let here = format!("{root}/collections/{}", described.id);
    format!(
        "<p>{}</p><ul><li>{}</li><li>{}</li><li>{}</li><li>{}</li></ul>",
        Escaped(&described.description),
        anchor(&format!("{here}/items?f=html"), "The features"),
        anchor(&format!("{here}/schema?f=html"), "The properties"),
        anchor(&format!("{here}/queryables?f=json"), "The properties to filter by, as a schema"),
        anchor(&format!("{root}/collections?f=html"), "All collections"),
    )
}

/// What the properties of features are.
pub fn properties(fields: &[Field]) -> String {
    let row = |field: &Field| format!("<tr><td>{}</td><td>{}</td></tr>", Escaped(&field.name), Escaped(field.about));
    format!("<div class=\"wide\"><table>{}</table></div>", fields.iter().map(row).collect::<String>())
}

/// The parameters of each collection.
pub fn paths(root: &str, collections: &[(Described, Vec<Field>)]) -> String {
    let mut body = format!(
        "<p>{}</p><p>limit, offset, bbox, bbox-crs, crs, datetime, filter, filter-lang and filter-crs, and for each collection its properties:</p>",
        anchor(&format!("{root}/api?f=json"), "The same as an OpenAPI document")
    );
    for (described, fields) in collections {
        let names: Vec<&str> = fields.iter().filter(|field| field.is_queryable).map(|field| &*field.name).collect();
        let link = anchor(&format!("{root}/collections/{}/items?f=html", described.id), &described.title);
        write!(body, "<h2>{link}</h2><p>{}</p>", Escaped(&names.join(", "))).unwrap_or_default();
    }
    body
}

/// Features, each with its id, its properties and its geometry as GeoJSON.
pub fn items(here: &str, matched: Option<u64>, features: &[(String, Value, String)], next: Option<&str>) -> String {
    let mut body = String::new();
    if let Some(matched) = matched {
        write!(body, "<p>{} of {matched} features.</p>", features.len()).unwrap_or_default();
    }
    body.push_str(&map(features));
    let mut names: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    for (_, properties, _) in features {
        let own = properties.as_object().into_iter().flat_map(|properties| properties.keys());
        names.extend(own.filter(|name| seen.insert(name.as_str())).map(String::as_str));
    }
    body.push_str("<div class=\"wide\"><table><thead><tr><th>id</th>");
    names.iter().for_each(|name| write!(body, "<th>{}</th>", Escaped(name)).unwrap_or_default());
    body.push_str("</tr></thead><tbody>");
    for (id, properties, _) in features {
        let id = id.trim_matches('"');
        write!(body, "<tr><td>{}</td>", anchor(&format!("{here}/items/{id}?f=html"), id)).unwrap_or_default();
        for name in &names {
            let text = match properties.get(name) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
            };
            write!(body, "<td>{}</td>", Escaped(&text)).unwrap_or_default();
        }
        body.push_str("</tr>");
    }
    body.push_str("</tbody></table></div>");
    if let Some(next) = next {
        write!(body, "<p>{}</p>", anchor(next, "The next page")).unwrap_or_default();
    }
    write!(body, "<p>{}</p>", anchor(&format!("{here}?f=html"), "The collection")).unwrap_or_default();
    body
}

/// Of the map, in pixels.
const WIDTH: f64 = 800.0;
const MAX_HEIGHT: f64 = 800.0;

/// The features as a picture, as wide in the middle as they are high.
fn map(features: &[(String, Value, String)]) -> String {
    let read = |text: &str| GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text)).ok().flatten();
    let shapes: Vec<(Geometry, &str)> =
        features.iter().filter_map(|(_, properties, text)| Some((read(text)?, color(properties)))).collect();
    let extents = shapes.iter().filter_map(|(geometry, _)| extent_of(geometry));
    let all = extents.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]);
    let Some([west, south, east, north]) = all else { return String::new() };
    let stretch = ((south + north) / 2.0).to_radians().cos().max(0.01);
    let (width, height) = (((east - west) * stretch).max(1e-6), (north - south).max(1e-6));
    let scale = (WIDTH / width).min(MAX_HEIGHT / height);
    let mut paths = String::new();
    for (geometry, color) in &shapes {
        geometry.for_each_shape(&mut |shape| {
            let mut path = String::new();
            for line in shape.lines() {
                for (index, position) in line.chunks_exact(shape.stride()).enumerate() {
                    let (x, y) = ((position[0] - west) * stretch * scale, (north - position[1]) * scale);
                    write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' }).unwrap_or_default();
                }
            }
            let is_area = matches!(shape.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon);
            let fill = if is_area { *color } else { "none" };
            write!(
                paths,
                "<path d=\"{path}\" fill=\"{fill}\" fill-opacity=\".5\" stroke=\"{color}\" fill-rule=\"evenodd\"/>"
            )
            .unwrap_or_default();
        });
    }
    let (width, height) = (width * scale, height * scale);
    format!(
        "<svg role=\"img\" aria-label=\"The features\" viewBox=\"-5 -5 {:.0} {:.0}\" width=\"{:.0}\">{paths}</svg>",
        width + 10.0,
        height + 10.0,
        width + 10.0
    )
}

/// The color of a feature's system or class, if it is one.
fn color(properties: &Value) -> &str {
    let color = properties.get("color").and_then(Value::as_str).unwrap_or_default();
    let is_hex = color.len() == 7 && color.starts_with('#') && color[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
    match properties.get("areatype").and_then(Value::as_str) {
        _ if is_hex => color,
        Some(class) => evaluation_color(class),
        None => OTHER_EVALUATION_COLOR,
    }
}
