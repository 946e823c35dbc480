//! The diagrams that members selected.

use axum::extract::State;

use super::systems::check_system;
use crate::model::operations::{
    OfMember, OfMemberInSystem, SELECTED_POLICIES, SELECTED_PROJECTS, SELECTION, SELECTION_IN_SYSTEM,
};
use crate::model::{DiagramKind, GeojsonCollection, SelectionProperties};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::Member;
use crate::service::http::response::respond::Json;
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;
use crate::service::store::{DiagramFilter, ProjectKey, Reader, UserKey};

pub fn routes() -> Routes {
    Routes::of("Selections")
        .operation(SELECTION_IN_SYSTEM, selection_in_system)
        .operation(SELECTED_PROJECTS, selected_projects)
        .operation(SELECTED_POLICIES, selected_policies)
        .operation(SELECTION, selection)
}

type Selection = GeojsonCollection<SelectionProperties>;

async fn selection(member: Member<OfMember>, State(state): State<AppState>) -> Result<Json<Selection>> {
    state
        .read(member, |read, caller| {
            let member = member_named(read, caller.project, &caller.ids.username)?;
            let selected = DiagramFilter::Selected { project: caller.project, member, system: None, kind: None };
            Ok(read.selection_features(&selected)?)
        })
        .await
}

async fn selection_in_system(
    member: Member<OfMemberInSystem>,
    State(state): State<AppState>,
) -> Result<Json<Selection>> {
    selected_in_system(member, state, None).await
}

async fn selected_projects(member: Member<OfMemberInSystem>, State(state): State<AppState>) -> Result<Json<Selection>> {
    selected_in_system(member, state, Some(DiagramKind::Project)).await
}

async fn selected_policies(member: Member<OfMemberInSystem>, State(state): State<AppState>) -> Result<Json<Selection>> {
    selected_in_system(member, state, Some(DiagramKind::Policy)).await
}

/// The diagrams of one kind, or of both.
async fn selected_in_system(
    member: Member<OfMemberInSystem>,
    state: AppState,
    kind: Option<DiagramKind>,
) -> Result<Json<Selection>> {
    state
        .read(member, move |read, caller| {
            let (project, system) = (caller.project, caller.ids.sysid);
            let member = member_named(read, project, &caller.ids.username)?;
            check_system(read, project, system)?;
            Ok(read.selection_features(&DiagramFilter::Selected { project, member, system: Some(system), kind })?)
        })
        .await
}

/// The member of that name; refuses a request about another user.
pub fn member_named(read: &Reader, project: ProjectKey, username: &str) -> Result<UserKey> {
    read.member(project, username)?.ok_or(ApiError::Forbidden("That user is not a member of the project."))
}
