//! The standard's pages for people: plain, without scripts, in the style of all pages. The room shows features, and programs read them. A
//! collection's page documents its features instead of listing them, so it stays small whatever is in a map.

use std::fmt::Write;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::OGC;
use super::catalogue::Described;
use crate::store::Field;
use geodesign_common::html::{Escaped, Page};

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE: &str = "body{padding:1.5em}table{border-collapse:collapse}td,th{padding:.2em .6em;text-align:left;vertical-align:top}\
                     .wide{overflow-x:auto}";

/// A complete page.
pub fn page(title: &str, body: &str) -> Response {
    let heading = format!("<main><h1>{}</h1>{body}</main>", Escaped(title));
    let page = Page { language: "en", title, style: STYLE, body: heading }.to_string();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
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
        anchor(&format!("{root}/api?f=html"), "API documentation"),
        anchor(&format!("{root}/conformance?f=html"), "Conformance classes"),
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

/// A table of the features' properties.
pub fn properties(fields: &[Field]) -> String {
    let row = |field: &Field| format!("<tr><td>{}</td><td>{}</td></tr>", Escaped(&field.name), Escaped(field.about));
    format!("<div class=\"wide\"><table>{}</table></div>", fields.iter().map(row).collect::<String>())
}

/// The parameters of each collection.
pub fn paths(root: &str, collections: &[(Described, Vec<Field>)]) -> String {
    let mut body = format!(
        "<p>{}</p><p>limit, offset, bbox, bbox-crs, crs, datetime, filter, filter-lang and filter-crs, and for each collection its properties. \
         The properties of a map are in its schema.</p>",
        anchor(&format!("{root}/api?f=json"), "The same as an OpenAPI document")
    );
    for (described, fields) in collections {
        let names: Vec<&str> = fields.iter().filter(|field| field.is_queryable).map(|field| &*field.name).collect();
        let link = anchor(&format!("{root}/collections/{}/items?f=html", described.id), &described.title);
        write!(body, "<h2>{link}</h2><p>{}</p>", Escaped(&names.join(", "))).unwrap_or_default();
    }
    body
}

/// A collection's features: links to see them and to read them, and their documented properties.
pub fn items(root: &str, here: &str, geojson: &str, documented: &[Field]) -> String {
    format!("{}{}{}", where_features_are(root, geojson), properties(documented), back_to(here))
}

/// A feature: the same links, and the values of its documented properties.
pub fn item(root: &str, here: &str, geojson: &str, documented: &[Field], values: &Value) -> String {
    let row = |field: &Field| {
        let text = match values.get(&*field.name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        format!("<tr><td>{}</td><td>{}</td></tr>", Escaped(&field.name), Escaped(&text))
    };
    let rows: String = documented.iter().map(row).collect();
    let table = format!("<div class=\"wide\"><table>{rows}</table></div>");
    format!("{}{table}{}", where_features_are(root, geojson), back_to(here))
}

fn where_features_are(root: &str, geojson: &str) -> String {
    let room = format!("{}/", root.strip_suffix(OGC).unwrap_or(root));
    format!("<ul><li>{}</li><li>{}</li></ul>", anchor(&room, "Open the room"), anchor(geojson, "Read as GeoJSON"))
}

fn back_to(here: &str) -> String {
    format!("<p>{}</p>", anchor(&format!("{here}?f=html"), "The collection"))
}
