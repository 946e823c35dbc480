//! Diagrams added, changed and removed as features (Part 4), with the rights that the operations give the sender.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRef, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::items::{CONTENT_CRS, with_etag};
use super::parameters::reference_systems;
use super::reshaped::{Drawn, reshaped};
use super::schemas::is_edited;
use super::{AppStateArg, Handled, InCollection, NO_FEATURE, OgcRoot};
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::bodies::receive;
use crate::http::request::extract::{JsonBody, decode};
use crate::http::request::keyed::Keyed;
use crate::http::response::memory::Memory;
use crate::http::routes::{add_drawn, edit_own_diagram, remove_diagram};
use crate::http::state::AppState;
use crate::store::{Collection, Field, ItemsQuery};
use geodesign::model::{
    AddedDiagram, ChangeHash, DiagramEdit, DiagramId, DiagramKind, DrawnDiagram, FeatureType, SystemId,
};
use geodesign_geometry::{Crs, Geometry, GeometrySeed};

/// At most this many features per diagram are read for their heights.
const MAX_FEATURES: usize = 100_000;

/// A feature in a request.
#[derive(Deserialize)]
struct SentFeature<'b> {
    /// `null` for no geometry; `None` if it is left out.
    #[serde(borrow, default)]
    geometry: Option<&'b RawValue>,
    #[serde(default)]
    properties: Option<Map<String, Value>>,
}

/// The geometry in WGS 84, and the properties in the request.
type Given = (Option<Box<RawValue>>, Map<String, Value>);

/// A write that its sender is allowed to make.
struct Change {
    member: Member,
    parts: Parts,
    root: String,
    collection: String,
    item: Option<String>,
    body: Bytes,
    /// Reference system of the body's geometry.
    crs: Crs,
    fields: Vec<Field>,
}

impl Change {
    async fn read(state: &AppState, request: Request) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let InCollection { member, collection, id, item, root: OgcRoot(root) } =
            InCollection::of(&mut parts, state).await?;
        let (bounds, fields) = state.look_up(member.clone(), |read, member| {
            Ok((read.bounds(member.project)?, read.item_fields(member.project, collection)?))
        })?;
        if !is_edited(collection) {
            return Err(ApiError::MethodNotAllowed);
        }
        let crs = crs_of_body(&parts.headers, &reference_systems(bounds))?;
        let has_body = parts.method != axum::http::Method::DELETE;
        // A page of another service cannot send one of these types without a preflight request.
        if has_body && !is_json(&parts.headers) {
            let problem = "Content-Type: send a feature as application/geo+json or application/json";
            return Err(ApiError::invalid(problem));
        }
        let memory = Arc::<Memory>::from_ref(state);
        let body =
            if has_body { receive(&memory, Request::from_parts(parts.clone(), body)).await? } else { Bytes::new() };
        Ok(Change { member, parts, root, collection: id, item, body, crs, fields })
    }

    /// The id of the diagram in the path.
    fn diagram(&self) -> Result<DiagramId> {
        self.item.as_deref().and_then(|item| item.parse().ok()).map(DiagramId).ok_or(NO_FEATURE)
    }

    fn feature(&self) -> Result<Given> {
        let sent: SentFeature = serde_json::from_slice(&self.body)
            .map_err(|error| ApiError::Invalid(format!("The body is not a GeoJSON feature: {error}")))?;
        let properties = sent.properties.unwrap_or_default();
        let known = |name: &str| self.fields.iter().any(|field| field.name == name);
        if let Some(unknown) = properties.keys().find(|name| !known(name) && *name != "id") {
            let writable = self.fields.iter().filter(|field| field.is_writable).map(|field| &*field.name);
            let writable = writable.collect::<Vec<_>>().join(", ");
            return Err(ApiError::Invalid(format!("A diagram has no property {unknown}; set only {writable}")));
        }
        let geometry = sent.geometry.filter(|geometry| geometry.get() != "null").map(RawValue::to_owned);
        Ok((geometry.map(|geometry| self.in_wgs84(geometry)).transpose()?, properties))
    }

    fn in_wgs84(&self, geometry: Box<RawValue>) -> Result<Box<RawValue>> {
        if self.crs == Crs::Crs84 {
            return Ok(geometry);
        }
        let geometry = parsed(geometry.get())?.map_positions(&|position| self.crs.unproject(position));
        let text = serde_json::to_string(&geometry).map_err(|error| ApiError::invalid(error.to_string()))?;
        RawValue::from_string(text).map_err(|error| ApiError::invalid(error.to_string()))
    }

    fn address(&self, id: DiagramId) -> String {
        format!("{}/collections/{}/items/{id}", self.root, self.collection)
    }
}

fn parsed(geometry: &str) -> Result<Geometry> {
    let read = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(geometry));
    let read = read.map_err(|error| ApiError::Invalid(format!("geometry: {error}")))?;
    read.ok_or_else(|| ApiError::invalid("geometry: must not be null"))
}

/// True if the content type is JSON. Some programs send none; a browser that sends a page's request names the page's origin.
fn is_json(headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::CONTENT_TYPE) {
        return !headers.contains_key(header::ORIGIN) && !headers.contains_key("sec-fetch-site");
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    ["application/geo+json", "application/json", "application/merge-patch+json"].contains(&kind)
}

/// The reference system of the body.
fn crs_of_body(headers: &HeaderMap, systems: &[Crs]) -> Result<Crs> {
    let Some(named) = headers.get(CONTENT_CRS).and_then(|named| named.to_str().ok()) else { return Ok(Crs::Crs84) };
    let known = Crs::parse(named).filter(|crs| systems.contains(crs));
    known.ok_or_else(|| ApiError::Invalid(format!("Content-Crs: the collection has no reference system {named}")))
}

/// Returns a geometry as the feature collection that the operation expects.
fn drawing(geometry: &RawValue) -> Value {
    // The text becomes a tree only for a moment: the body of the operation is checked like any other client's.
    let geometry: Value = serde_json::from_str(geometry.get()).unwrap_or_default();
    let feature = json!({ "type": "Feature", "properties": {}, "geometry": geometry });
    json!({ "type": "FeatureCollection", "features": [feature] })
}

fn text<'p>(properties: &'p Map<String, Value>, name: &str) -> Result<Option<&'p str>> {
    match properties.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ApiError::Invalid(format!("{name}: must be a text"))),
    }
}

fn system(properties: &Map<String, Value>) -> Result<Option<SystemId>> {
    match properties.get("sysid") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let id = value.as_i64().or_else(|| value.as_str()?.parse().ok());
            id.map(SystemId).map(Some).ok_or_else(|| ApiError::invalid("sysid: must be the id of a system"))
        }
    }
}

/// Adds a diagram.
pub async fn create(State(state): AppStateArg, request: Request) -> Handled {
    let mut change = Change::read(&state, request).await?;
    let (geometry, properties) = change.feature()?;
    let geometry = geometry.ok_or_else(|| ApiError::invalid("geometry: missing; draw the diagram first"))?;
    let title = text(&properties, "description")?.filter(|title| !title.trim().is_empty());
    let title = title.ok_or_else(|| ApiError::invalid("description: missing; give the diagram a title"))?;
    let system = match system(&properties)? {
        Some(system) => system,
        None => named_system(&state, &change, text(&properties, "sysname")?)?,
    };
    let kind = match text(&properties, "type")? {
        None => DiagramKind::Project,
        Some(name) => DiagramKind::from_name(name)
            .ok_or_else(|| ApiError::Invalid(format!("type: {name:?} is neither project nor policy")))?,
    };
    let feature_type = match &parsed(geometry.get())? {
        Geometry::Shape(shape) => FeatureType::of(shape.kind),
        Geometry::Collection(_) => FeatureType::Polygon,
    };
    let mut body = json!({
        "geometry": drawing(&geometry),
        "featuretype": feature_type.name(),
        "description": title,
    });
    if let Some(funding) = text(&properties, "fundingtype")? {
        body["fundingtype"] = funding.into();
    }
    let days = days(&properties)?;
    let JsonBody(days) =
        decode::<DiagramEdit>(Value::Object(midnights(days).collect()).to_string().as_bytes(), None, state.limits())?;
    days.check().map_err(ApiError::invalid)?;
    let days = match [days.start_date, days.end_date].map(|day| day.map(|day| day.date())) {
        [Some(first), Some(last)] => Some((first, last)),
        [first, last] => first.or(last).map(|only| (only, only)),
    };
    let member = Keyed::in_request(change.member.clone(), &mut change.parts)?;
    if let Some(key) = member.key() {
        // As it was sent: all of the feature distinguishes it from another one, including what is not part of a drawing.
        key.set_body(&change.body);
    }
    let drawn = decode::<DrawnDiagram>(body.to_string().as_bytes(), None, state.limits());
    let JsonBody(drawn) = drawn.map_err(of_feature)?;
    let into = move |member: &Membership| {
        member.check_unchanged(None)?;
        Ok(system)
    };
    let added = add_drawn(member, state, into, drawn, kind, days).await?;
    let AddedDiagram { diagram_id: id, .. } = serde_json::from_slice(added.encoded()).map_err(|_| ApiError::Panic)?;
    let mut response = StatusCode::CREATED.into_response();
    if let Ok(address) = HeaderValue::try_from(change.address(id)) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    Ok(response)
}

/// Turns errors of the operation's body into errors of the feature.
fn of_feature(error: ApiError) -> ApiError {
    match error {
        ApiError::Invalid(problem) => {
            ApiError::Invalid(problem.replace("geometry.features[0].geometry", "geometry").replace("feature 0: ", ""))
        }
        error => error,
    }
}

fn named_system(state: &AppState, change: &Change, name: Option<&str>) -> Result<SystemId> {
    let systems = state.look_up(change.member.clone(), |read, member| Ok(read.systems(member.project)?))?;
    let known =
        || systems.iter().map(|system| format!("{} ({})", system.item.id, system.item.name)).collect::<Vec<_>>();
    let found = name.and_then(|name| systems.iter().find(|system| system.item.name == name));
    let found = found.map(|system| system.item.id);
    found.ok_or_else(|| ApiError::Invalid(format!("sysid: choose one of the systems {}", known().join(", "))))
}

/// Returns the given first and last day as YYYY-MM-DD, without a time that programs may add.
fn days(properties: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut days = Map::new();
    for name in ["start_date", "end_date"] {
        if let Some(given) = text(properties, name)? {
            let day = given.get(..10).and_then(|day| day.parse::<jiff::civil::Date>().ok());
            let day =
                day.ok_or_else(|| ApiError::Invalid(format!("{name}: {given:?} is not a day such as 2037-10-01")))?;
            days.insert(name.to_owned(), day.to_string().into());
        }
    }
    Ok(days)
}

/// Converts days to midnights, as the operation expects them.
fn midnights(days: Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    days.into_iter().map(|(name, day)| {
        let midnight = format!("{}T00:00:00.000Z", day.as_str().unwrap_or_default());
        (name, midnight.into())
    })
}

/// Replaces all writable values of a diagram.
pub async fn replace(State(state): AppStateArg, request: Request) -> Handled {
    let change = Change::read(&state, request).await?;
    let (geometry, properties) = change.feature()?;
    for name in ["description", "type", "sysid", "fundingtype"] {
        if properties.get(name).is_none_or(Value::is_null) {
            let problem = format!("{name}: missing; PUT replaces the whole feature, PATCH changes parts of it");
            return Err(ApiError::Invalid(problem));
        }
    }
    edit(state, change, geometry, properties).await
}

/// Changes the given values of a diagram.
pub async fn update(State(state): AppStateArg, request: Request) -> Handled {
    let change = Change::read(&state, request).await?;
    let (geometry, properties) = change.feature()?;
    let fixed = change.fields.iter().find(|field| !field.is_writable && properties.contains_key(&*field.name));
    if let Some(field) = fixed {
        return Err(ApiError::Invalid(format!("{}: set by the service; leave it out", field.name)));
    }
    edit(state, change, geometry, properties).await
}

async fn edit(
    state: AppState,
    change: Change,
    geometry: Option<Box<RawValue>>,
    properties: Map<String, Value>,
) -> Handled {
    let id = change.diagram()?;
    let mut edit = Map::new();
    for (name, operation) in [("description", "title"), ("type", "type"), ("fundingtype", "fundingtype")] {
        if let Some(value) = text(&properties, name)? {
            edit.insert(operation.to_owned(), value.into());
        }
    }
    if let Some(system) = system(&properties)? {
        edit.insert("sysid".to_owned(), system.0.into());
    }
    let now = now(&state, &change, id)?;
    let days = days(&properties)?;
    let named = ["start_date", "end_date"].iter().any(|name| properties.contains_key(*name));
    match (days.is_empty(), named) {
        (true, true) if now.is_undated => {}
        (true, true) => drop(edit.insert("undated".to_owned(), true.into())),
        _ => edit.extend(midnights(days)),
    }
    if let Some(geometry) = geometry
        && let Some(features) = reshaped(&now.features, &parsed(geometry.get())?)?
    {
        edit.insert("geometry".to_owned(), json!({ "type": "FeatureCollection", "features": features }));
    }
    let decoded = decode::<DiagramEdit>(Value::from(edit).to_string().as_bytes(), None, state.limits());
    let JsonBody(edit) = decoded.map_err(of_feature)?;
    let changed = edit_own_diagram(change.member, state, move |_| id, edit).await?;
    let changed: ChangeHash = serde_json::from_slice(changed.encoded()).map_err(|_| ApiError::Panic)?;
    let response: Response = StatusCode::NO_CONTENT.into_response();
    Ok(with_etag(response, Some(format!("\"{}\"", changed.changehash))))
}

/// A diagram as it is before a change.
struct Now {
    features: Vec<Drawn>,
    is_undated: bool,
}

fn now(state: &AppState, change: &Change, id: DiagramId) -> Result<Now> {
    let query = |name: &str, value: String| ItemsQuery {
        limit: MAX_FEATURES,
        equal: vec![(name.to_owned(), value)],
        ..ItemsQuery::default()
    };
    let (item, parts) = state.look_up(change.member.clone(), |read, member| {
        let of = |collection| {
            let page = read.items(member.project, collection, &query("diagramid", id.to_string()))?;
            page.map_err(ApiError::invalid)
        };
        Ok((of(Collection::Diagrams)?, of(Collection::Parts)?))
    })?;
    let item = item.items.first().ok_or(NO_FEATURE)?;
    let properties = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
    let own = properties(&item.properties);
    let heights = parts.items.iter().map(|part| {
        let heights = properties(&part.properties).get("volume_information").cloned();
        heights.and_then(|heights| serde_json::from_str(heights.as_str()?).ok())
    });
    if parts.next.is_some() || parts.items.len() < item.geometries.len() {
        return Err(ApiError::invalid("The diagram has more shapes than can be changed as one feature"));
    }
    let features = item
        .geometries
        .iter()
        .zip(heights)
        .map(|(geometry, heights)| Ok(Drawn { geometry: parsed(geometry)?, heights }));
    let is_undated = own.get("undated") == Some(&Value::Bool(true));
    Ok(Now { features: features.collect::<Result<_>>()?, is_undated })
}

/// Removes a diagram.
pub async fn remove(State(state): AppStateArg, request: Request) -> Handled {
    let change = Change::read(&state, request).await?;
    let id = change.diagram()?;
    Ok(remove_diagram(change.member, state, move |_| id).await?.into_response())
}
