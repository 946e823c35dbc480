//! The properties of a collection as JSON Schema (Part 5), and those that filters may use (Part 3).

use axum::extract::{Request, State};
use serde_json::{Map, Value, json};

use super::catalogue::described;
use super::{AppStateArg, Handled, InCollection, OgcRoot, SCHEMA, html, read_from, respond, wants_html};
use crate::store::{Collection, Field, FieldKind};

const GEOMETRY: &str = "geometry";
/// GeoJSON Schema's name for a geometry of any type.
const ANY_GEOMETRY: &str = "geometry-any";

/// The schema of a property.
pub fn of_field(field: &Field) -> Value {
    let mut schema = match field.kind {
        FieldKind::Text => json!({ "type": "string" }),
        FieldKind::Integer => json!({ "type": "integer", "format": "int64" }),
        FieldKind::Number => json!({ "type": "number" }),
        FieldKind::Boolean => json!({ "type": "boolean" }),
        FieldKind::Date => json!({ "type": "string", "format": "date" }),
        FieldKind::DateTime => json!({ "type": "string", "format": "date-time" }),
    };
    if !field.values.is_empty() {
        schema["enum"] = json!(field.values);
    }
    if !field.about.is_empty() {
        schema["description"] = field.about.into();
    }
    schema
}

async fn of_collection(
    State(state): AppStateArg,
    request: Request,
    name: &str,
    property: fn(&Field) -> Option<Value>,
) -> Handled {
    let (mut parts, _) = request.into_parts();
    let InCollection { member, collection, id, root: OgcRoot(root), .. } = InCollection::of(&mut parts, &state).await?;
    let html = wants_html(&parts.uri, &parts.headers)?;
    let (title, fields) = read_from(&state, member.uncached(), move |read, member| {
        let described = described(read, member.project, collection, member.shows_names())?;
        let fields =
            if html { read.documented_fields(collection) } else { read.item_fields(member.project, collection)? };
        Ok((described.title, fields))
    })
    .await?;
    if html {
        return Ok(html::page(&title, &html::properties(&fields)));
    }
    let mut properties = Map::new();
    if collection.has_geometry() {
        let about = "In longitude and latitude, unless another reference system is asked for.";
        let role = "primary-geometry";
        properties
            .insert(GEOMETRY.to_owned(), json!({ "format": ANY_GEOMETRY, "x-ogc-role": role, "description": about }));
    }
    // A map may have a property of that name too.
    for field in fields.iter().filter(|field| field.name != GEOMETRY) {
        if let Some(schema) = property(field) {
            properties.insert(field.name.clone().into_owned(), schema);
        }
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("{root}/collections/{id}/{name}"),
        "title": title,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    Ok(respond(SCHEMA, &schema))
}

/// The schema of a property, marked if only the service sets it or if it stands for time.
pub fn of_item_field(field: &Field) -> Value {
    let mut schema = of_field(field);
    if !field.is_writable {
        schema["readOnly"] = true.into();
    }
    match &*field.name {
        "start_date" => schema["x-ogc-role"] = "primary-interval-start".into(),
        "end_date" => schema["x-ogc-role"] = "primary-interval-end".into(),
        _ => {}
    }
    schema
}

pub async fn schema(state: AppStateArg, request: Request) -> Handled {
    of_collection(state, request, "schema", |field| Some(of_item_field(field))).await
}

pub async fn queryables(state: AppStateArg, request: Request) -> Handled {
    of_collection(state, request, "queryables", |field| field.is_queryable.then(|| of_field(field))).await
}

/// True if features of a collection can be added, changed and removed.
pub fn is_edited(collection: Collection) -> bool {
    collection == super::EDITED
}
