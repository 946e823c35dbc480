//! The features of a collection, in pages, and single features.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{FromRef, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::catalogue::described;
use super::parameters::{Parameters, pairs, reference_systems};
use super::{
    AppStateArg, GEOJSON, HTML, Handled, InCollection, JSON, NO_FEATURE, OgcRoot, html, link, read_from, wants_html,
};
use crate::http::error::{ApiError, Result};
use crate::http::request::conditional::has_etag;
use crate::http::response::Json;
use crate::http::response::memory::Memory;
use crate::store::{Collection, Item, ItemsPage, ItemsQuery, ProjectKey, Reader};
use geodesign::model::{DiagramId, GeometryText};
use geodesign_geometry::Crs;

/// Names the reference system of a response's geometries.
pub const CONTENT_CRS: HeaderName = HeaderName::from_static("content-crs");

/// A request for a page of features.
struct Asked {
    page: ItemsPage,
    crs: Crs,
    kept: Vec<(String, String)>,
}

fn ask(
    read: &Reader,
    project: ProjectKey,
    collection: Collection,
    shows_names: bool,
    uri: &axum::http::Uri,
) -> Result<Asked> {
    let described = described(read, project, collection, shows_names)?;
    let Parameters { query, crs, kept } = Parameters::read(uri, collection, &reference_systems(described.bounds))?;
    let page = read.items(project, collection, &query)?.map_err(ApiError::invalid)?;
    Ok(Asked { page, crs, kept })
}

pub async fn list(State(state): AppStateArg, request: Request) -> Handled {
    let (mut parts, _) = request.into_parts();
    let InCollection { member, collection, id, root: OgcRoot(root), .. } = InCollection::of(&mut parts, &state).await?;
    let here = format!("{root}/collections/{id}");
    let uri = parts.uri.clone();
    if wants_html(&parts.uri, &parts.headers)? {
        let asked = uri.clone();
        let (title, documented) = read_from(&state, member.uncached(), move |read, member| {
            let described = described(read, member.project, collection, member.shows_names())?;
            // The page shows no features, and refuses requests for which features would be refused.
            let Parameters { query, .. } = Parameters::read(&asked, collection, &reference_systems(described.bounds))?;
            let one = ItemsQuery { limit: 1, counts: false, ..query };
            read.items(member.project, collection, &one)?.map_err(ApiError::invalid)?;
            Ok((described.title, read.documented_fields(collection)))
        })
        .await?;
        let geojson = address(&here, &with_format(&pairs(&uri)?, "json"), None);
        let body = html::items(&root, &here, &geojson, &documented);
        return Ok(html::page(&title, &body));
    }
    let crs = crs_of(&uri);
    let about = here.clone();
    let json = state.read(member.depending_on(&root), move |read, member| {
        let asked = ask(read, member.project, collection, member.shows_names(), &uri)?;
        Ok(GeometryText(page_text(&asked, &about)?))
    });
    Ok(with_crs(json.await?, crs))
}

/// The reference system of the response to this address.
fn crs_of(uri: &axum::http::Uri) -> Crs {
    let pairs = pairs(uri).unwrap_or_default();
    let named = pairs.into_iter().find(|(name, _)| name == "crs");
    named.and_then(|(_, text)| Crs::parse(&text)).unwrap_or(Crs::Crs84)
}

fn with_crs(json: Json<GeometryText>, crs: Crs) -> Response {
    let mut response = json.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(GEOJSON));
    if let Ok(uri) = HeaderValue::try_from(format!("<{}>", crs.uri())) {
        headers.insert(CONTENT_CRS, uri);
    }
    response
}

/// The address of a page of a collection.
fn address(here: &str, kept: &[(String, String)], after: Option<&str>) -> String {
    let mut address = format!("{here}/items");
    let after = after.map(|after| ("after".to_owned(), after.to_owned()));
    for (index, (name, value)) in kept.iter().cloned().chain(after).enumerate() {
        let (name, value) =
            (utf8_percent_encode(&name, NON_ALPHANUMERIC), utf8_percent_encode(&value, NON_ALPHANUMERIC));
        write!(address, "{}{name}={value}", if index == 0 { '?' } else { '&' }).unwrap_or_default();
    }
    address
}

fn page_text(asked: &Asked, here: &str) -> Result<String> {
    let Asked { page, crs, kept, .. } = asked;
    let mut links = vec![
        link("self", GEOJSON, "This page", address(here, kept, None)),
        link("alternate", HTML, "This page as HTML", address(here, &with_format(kept, "html"), None)),
        link("collection", JSON, "The collection", here),
    ];
    if let Some(next) = &page.next {
        links.push(link("next", GEOJSON, "The next page", address(here, kept, Some(&next.encode()))));
    }
    let mut text = format!("{{\"type\":\"FeatureCollection\",\"links\":{}", Value::from(links));
    if let Some(matched) = page.matched {
        write!(text, ",\"numberMatched\":{matched}").unwrap_or_default();
    }
    write!(text, ",\"numberReturned\":{},\"features\":[", page.items.len()).unwrap_or_default();
    for (index, item) in page.items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push_feature(&mut text, item, *crs, "")?;
    }
    text.push_str("]}");
    Ok(text)
}

fn with_format(kept: &[(String, String)], format: &str) -> Vec<(String, String)> {
    let others = kept.iter().filter(|(name, _)| name != "f").cloned();
    others.chain([("f".to_owned(), format.to_owned())]).collect()
}

/// Writes a feature as GeoJSON. `members` are additional members, each after a comma.
fn push_feature(text: &mut String, item: &Item, crs: Crs, members: &str) -> Result<()> {
    let project = |position| crs.project(position);
    let geometry = item.geometry((crs != Crs::Crs84).then_some(&project))?;
    let Item { id, properties, .. } = item;
    write!(text, "{{\"type\":\"Feature\",\"id\":{id},\"geometry\":{geometry},\"properties\":{properties}{members}}}")
        .unwrap_or_default();
    Ok(())
}

/// Returns a feature with an ETag of its state, for conditional writes.
pub async fn one(State(state): AppStateArg, request: Request) -> Handled {
    let (mut parts, _) = request.into_parts();
    let InCollection { member, collection, id, item, root: OgcRoot(root) } =
        InCollection::of(&mut parts, &state).await?;
    let here = format!("{root}/collections/{id}");
    let wanted = item.unwrap_or_default();
    let html = wants_html(&parts.uri, &parts.headers)?;
    let uri = parts.uri.clone();
    let asked_for = wanted.clone();
    let (asked, etag, title, documented) = read_from(&state, member.uncached(), move |read, member| {
        let wanted = asked_for;
        let described = described(read, member.project, collection, member.shows_names())?;
        let systems = reference_systems(described.bounds);
        let mut parameters = Parameters::read(&uri, collection, &systems)?;
        parameters.query.id = Some(wanted.clone());
        let page = read.items(member.project, collection, &parameters.query)?.map_err(ApiError::invalid)?;
        let etag = match (super::schemas::is_edited(collection), wanted.parse()) {
            (true, Ok(id)) => {
                read.change_hash(member.project, DiagramId(id))?.map(|hash| format!("\"{}\"", hash.changehash))
            }
            _ => None,
        };
        let asked = Asked { page, crs: parameters.crs, kept: parameters.kept };
        Ok((asked, etag, described.title, read.documented_fields(collection)))
    })
    .await?;
    let item = asked.page.items.first().ok_or(NO_FEATURE)?;
    if etag.as_ref().is_some_and(|etag| has_etag(&parts.headers, etag)) {
        return Ok(with_etag(StatusCode::NOT_MODIFIED.into_response(), etag));
    }
    let address = format!("{here}/items/{}", utf8_percent_encode(&wanted, NON_ALPHANUMERIC));
    if html {
        let values: Value = serde_json::from_str(&item.properties).unwrap_or_default();
        let body = html::item(&root, &here, &format!("{address}?f=json"), &documented, &values);
        return Ok(html::page(&format!("{title}: {wanted}"), &body));
    }
    let links = json!([
        link("self", GEOJSON, "This feature", format!("{address}?f=json")),
        link("alternate", HTML, "This feature as a page", format!("{address}?f=html")),
        link("collection", JSON, "The collection", here),
    ]);
    let mut text = String::new();
    push_feature(&mut text, item, asked.crs, &format!(",\"links\":{links}"))?;
    let memory = Arc::<Memory>::from_ref(&state);
    let body = memory.keep(text.into(), memory.empty_lease(None)).await?;
    Ok(with_etag(with_crs(Json::from_encoded(body), asked.crs), etag))
}

/// Adds the ETag of a feature's state to a response.
pub fn with_etag(mut response: Response, etag: Option<String>) -> Response {
    if let Some(etag) = etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
        response.headers_mut().insert(header::ETAG, etag);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    response
}
