//! The collections of the projects that a user sees.

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::catalogue::{described, of_user};
use super::{AppStateArg, HTML, Handled, InCollection, JSON, OgcRoot, html, link, read_from, respond, wants_html};
use crate::http::request::auth::Caller;

pub async fn list(
    caller: Caller,
    State(state): AppStateArg,
    root: OgcRoot,
    headers: HeaderMap,
    request: Request,
) -> Handled {
    let OgcRoot(root) = root;
    let html = wants_html(request.uri(), &headers)?;
    let collections = read_from(&state, caller, of_user).await?;
    if html {
        return Ok(html::page("Collections", &html::collections(&root, &collections)));
    }
    let collections: Vec<Value> = collections.iter().map(|collection| collection.to_json(&root)).collect();
    let links = [
        link("self", JSON, "The collections", format!("{root}/collections?f=json")),
        link("alternate", HTML, "The collections as a page", format!("{root}/collections?f=html")),
    ];
    Ok(respond(JSON, &json!({ "links": links, "collections": collections })))
}

pub async fn one(State(state): AppStateArg, request: Request) -> Handled {
    let (mut parts, _) = request.into_parts();
    let InCollection { member, collection, root: OgcRoot(root), .. } = InCollection::of(&mut parts, &state).await?;
    let html = wants_html(&parts.uri, &parts.headers)?;
    let described = read_from(&state, member.uncached(), move |read, member| {
        described(read, member.project, collection, member.shows_names())
    })
    .await?;
    Ok(if html {
        html::page(&described.title, &html::collection(&root, &described))
    } else {
        respond(JSON, &described.to_json(&root))
    })
}
