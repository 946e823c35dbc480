//! The OpenAPI document of the collections that a user sees. Programs look up a collection's path and parameters in it.

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::catalogue::{Described, of_user};
use super::parameters::{DEFAULT_LIMIT, MAX_LIMIT, NAMES, reference_systems};
use super::schemas::{is_edited, of_field};
use super::{AppStateArg, GEOJSON, Handled, JSON, OPENAPI, OgcRoot, SCHEMA, html, read_from, respond, wants_html};
use crate::http::request::auth::Caller;
use crate::store::Field;
use geodesign_geometry::Crs;

pub async fn document(
    caller: Caller,
    State(state): AppStateArg,
    root: OgcRoot,
    headers: HeaderMap,
    request: Request,
) -> Handled {
    let OgcRoot(root) = root;
    let html = wants_html(request.uri(), &headers)?;
    let collections = read_from(&state, caller, move |read, user| {
        let described = of_user(read, user)?;
        let mut with_fields = Vec::with_capacity(described.len());
        for collection in described {
            let id = collection.id.split_once('.').map(|(project, _)| project).unwrap_or_default().parse();
            let project = id.ok().map(|id| read.project_of_member(&id, user)).transpose()?.flatten();
            let Some((project, _)) = project else { continue };
            let fields = if html {
                read.documented_fields(collection.collection)
            } else {
                read.item_fields(project, collection.collection)?
            };
            with_fields.push((collection, fields));
        }
        Ok(with_fields)
    })
    .await?;
    if html {
        return Ok(html::page("API documentation", &html::paths(&root, &collections)));
    }
    Ok(respond(OPENAPI, &describe(&root, &collections)))
}

fn describe(root: &str, collections: &[(Described, Vec<Field>)]) -> Value {
    let mut paths = Map::new();
    let mut plain = |path: &str, summary: &str, kind: &str| {
        let operation = json!({ "get": { "summary": summary, "parameters": [format()], "responses": answers(kind) } });
        paths.insert(path.to_owned(), operation);
    };
    plain("/", "The landing page", JSON);
    plain("/conformance", "Conformance classes", JSON);
    plain("/api", "This document", OPENAPI);
    plain("/collections", "The collections of features", JSON);
    for (collection, _) in collections {
        let here = format!("/collections/{}", collection.id);
        plain(&here, &collection.title, JSON);
        plain(&format!("{here}/schema"), "The properties of the features", SCHEMA);
        plain(&format!("{here}/queryables"), "The properties to filter by", SCHEMA);
    }
    for open in ["/", "/conformance"] {
        // Without a token.
        paths[open]["get"]["security"] = json!([]);
    }
    for (collection, fields) in collections {
        let here = format!("/collections/{}/items", collection.id);
        paths.insert(here.clone(), items(collection, fields));
        paths.insert(format!("{here}/{{featureId}}"), item(collection));
    }
    json!({
        "openapi": "3.0.3",
        "info": { "title": "pygeodesign: OGC API – Features", "version": env!("CARGO_PKG_VERSION") },
        "servers": [{ "url": root }],
        "security": [{ "basic": [] }, { "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic", "description": "Any username, and a token as the password." },
                "bearer": { "type": "http", "scheme": "bearer", "description": "A token." },
            },
            "schemas": {
                "exception": {
                    "type": "object",
                    "required": ["code", "description"],
                    "properties": { "code": { "type": "string" }, "description": { "type": "string" } },
                },
                "feature": {
                    "type": "object",
                    "required": ["type", "geometry", "properties"],
                    "properties": {
                        "type": { "type": "string", "enum": ["Feature"] },
                        "geometry": { "type": "object", "nullable": true },
                        "properties": { "type": "object", "nullable": true },
                    },
                },
                "features": {
                    "type": "object",
                    "required": ["type", "features"],
                    "properties": {
                        "type": { "type": "string", "enum": ["FeatureCollection"] },
                        "features": { "type": "array", "items": { "$ref": "#/components/schemas/feature" } },
                        "numberMatched": { "type": "integer", "minimum": 0 },
                        "numberReturned": { "type": "integer", "minimum": 0 },
                    },
                },
            },
        },
    })
}

fn parameter(name: &str, about: &str, schema: Value) -> Value {
    // Strings with commas, such as corners and filters, are one value.
    json!({ "name": name, "in": "query", "required": false, "description": about, "schema": schema, "style": "form", "explode": false })
}

fn format() -> Value {
    parameter("f", "The format: JSON or an HTML page.", json!({ "type": "string", "enum": ["json", "html"] }))
}

fn items(collection: &Described, fields: &[Field]) -> Value {
    let systems: Vec<String> = reference_systems(collection.bounds).into_iter().map(Crs::uri).collect();
    let system = || json!({ "type": "string", "enum": systems, "default": Crs::Crs84.uri() });
    let corners = json!({ "type": "array", "items": { "type": "number" }, "minItems": 4, "maxItems": 6 });
    let mut parameters = vec![
        format(),
        parameter(
            "limit",
            &format!("At most this many features. Larger values count as {MAX_LIMIT}."),
            json!({ "type": "integer", "minimum": 1, "default": DEFAULT_LIMIT }),
        ),
        parameter("offset", "Number of features to skip.", json!({ "type": "integer", "minimum": 0, "default": 0 })),
        parameter(
            "bbox",
            "West, south, east and north: features that have a point in common with it, or no geometry.",
            corners,
        ),
        parameter("bbox-crs", "The reference system of bbox.", system()),
        parameter("crs", "The reference system of the response.", system()),
        parameter(
            "datetime",
            "A moment, or two separated by a slash. Diagrams without days match any time.",
            json!({ "type": "string" }),
        ),
        parameter("filter", "A condition that the features fulfil.", json!({ "type": "string" })),
        parameter(
            "filter-lang",
            "The language of the filter.",
            json!({ "type": "string", "enum": ["cql2-text", "cql2-json", "cql-text"], "default": "cql2-text" }),
        ),
        parameter("filter-crs", "The reference system of geometries in the filter.", system()),
    ];
    let queryable = fields.iter().filter(|field| field.is_queryable && !NAMES.contains(&&*field.name));
    parameters.extend(queryable.map(|field| parameter(&field.name, field.about, of_field(field))));
    let mut path = json!({ "get": { "summary": collection.title, "parameters": parameters, "responses": answers_with(GEOJSON, "features") } });
    if is_edited(collection.collection) {
        path["post"] = json!({ "summary": "Adds a diagram", "requestBody": body(GEOJSON), "responses": written("201", "Added. `Location` is its address.") });
    }
    path
}

fn item(collection: &Described) -> Value {
    let id = json!({ "name": "featureId", "in": "path", "required": true, "schema": { "type": "string" } });
    let get =
        json!({ "summary": "A feature", "parameters": [format()], "responses": answers_with(GEOJSON, "feature") });
    let mut path = json!({ "parameters": [id], "get": get });
    if is_edited(collection.collection) {
        let if_match = json!({ "name": "If-Match", "in": "header", "required": false, "description": "The ETag of the state that the write is for.", "schema": { "type": "string" } });
        let write = |summary: &str| json!({ "summary": summary, "parameters": [if_match], "responses": written("204", "Done.") });
        path["put"] = write("Replaces all writable values of a diagram");
        path["put"]["requestBody"] = body(GEOJSON);
        path["patch"] = write("Changes the given values of a diagram");
        path["patch"]["requestBody"] = body("application/merge-patch+json");
        path["delete"] = write("Removes a diagram");
    }
    path
}

fn body(kind: &str) -> Value {
    json!({ "required": true, "content": { kind: { "schema": { "$ref": "#/components/schemas/feature" } } } })
}

fn failed() -> Value {
    json!({ "description": "Refused; the body says why.", "content": { JSON: { "schema": { "$ref": "#/components/schemas/exception" } } } })
}

fn answers(kind: &str) -> Value {
    let page = json!({ "schema": { "type": "string" } });
    json!({ "200": { "description": "As asked.", "content": { kind: { "schema": { "type": "object" } }, "text/html": page } }, "default": failed() })
}

fn answers_with(kind: &str, schema: &str) -> Value {
    let mut answers = answers(kind);
    answers["200"]["content"][kind]["schema"] = json!({ "$ref": format!("#/components/schemas/{schema}") });
    answers
}

fn written(status: &str, about: &str) -> Value {
    json!({ status: { "description": about }, "default": failed() })
}
