//! Tags, and the diagrams that have them.

use std::collections::HashSet;

use axum::extract::State;
use axum::http::StatusCode;

use super::diagrams::{check_diagram, tags_named};
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::request::keyed::Keyed;
use crate::http::response::{Json, List};
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{Reader, SharedCode, TagReference, TagsToAdd};
use geodesign::model::operations::{
    CREATE_TAGS, CREATE_TAGS_ALIAS, DIAGRAM_TAG_CODES, DIAGRAM_TAGS, InDiagram, SET_DIAGRAM_TAG_CODES,
    SET_DIAGRAM_TAGS, TAGS,
};
use geodesign::model::{NewTags, Status, Tag, Uuid};

pub fn routes() -> Routes {
    Routes::of("Tags")
        .list(TAGS, |read, member: Membership| Ok(read.tags(member.project)?))
        .operation(CREATE_TAGS, create_tags)
        .refuses(StatusCode::CONFLICT, "A code belongs to another tag of the project")
        .operation(CREATE_TAGS_ALIAS, create_tags)
        .refuses(StatusCode::CONFLICT, "A code belongs to another tag of the project")
        .whole(DIAGRAM_TAGS, diagram_tags)
        .operation(SET_DIAGRAM_TAGS, set_diagram_tags)
        // The same response: each tag in it has its code.
        .whole(DIAGRAM_TAG_CODES, diagram_tags)
        .operation(SET_DIAGRAM_TAG_CODES, set_diagram_tag_codes)
}

async fn create_tags(
    member: Keyed<Member>,
    State(state): State<AppState>,
    JsonBody(NewTags { tags }): JsonBody<NewTags>,
) -> Result<Json<Status>> {
    for (at, tag) in tags.iter().enumerate() {
        tag.check().map_err(|problem| ApiError::invalid(format!("tags[{at}]: {problem}")))?;
    }
    let conflict = |code: &str| ApiError::Conflict(format!("The code {code:?} belongs to another tag of the project."));
    let tags = TagsToAdd::prepare(tags)?.map_err(|SharedCode(code)| conflict(&code))?;
    let limits = state.limits().clone();
    let added = state.add(member, move |write, member| {
        if let Some(code) = write.taken_code(member.project, &tags)? {
            return Err(conflict(code));
        }
        let before = write.count_in("tags", member.project)?;
        let added = write.add_tags(member.project, &tags)?;
        limits.project_tags().check_total("the project", before, added as u64)?;
        Ok(Json::new(&Status { status: format!("Tags created: {added}.") })?)
    });
    added.await
}

fn diagram_tags(read: &Reader, member: Membership<InDiagram>) -> Result<List<Tag>> {
    check_diagram(read, member.project, member.ids.diagramid)?;
    Ok(List(read.diagram_tags(member.project, member.ids.diagramid)?))
}

async fn set_diagram_tags(
    member: Member<InDiagram>,
    State(state): State<AppState>,
    JsonBody(List(ids)): JsonBody<List<Uuid>>,
) -> Result<Json<Status>> {
    let ids = ids.iter().map(|id| id.as_str().to_owned()).collect();
    set_tags(member, state, TagReference::ById, ids).await
}

async fn set_diagram_tag_codes(
    member: Member<InDiagram>,
    State(state): State<AppState>,
    JsonBody(codes): JsonBody<Vec<String>>,
) -> Result<Json<Status>> {
    set_tags(member, state, TagReference::ByCode, codes).await
}

async fn set_tags(
    member: Member<InDiagram>,
    state: AppState,
    named: TagReference,
    names: Vec<String>,
) -> Result<Json<Status>> {
    let mut known = HashSet::new();
    let names: Vec<String> = names.into_iter().filter(|name| known.insert(name.clone())).collect();
    let assigned = state.write(member, move |write, member| {
        let diagramid = member.ids.diagramid;
        check_diagram(write, member.project, diagramid)?;
        let tags = tags_named(write, member.project, named, &names)?;
        write.set_diagram_tags(member.project, diagramid, &tags)?;
        Ok(tags.len())
    });
    Ok(Json::new(&Status { status: format!("Tags assigned to the diagram: {}.", assigned.await?) })?)
}
