//! Systems, their diagrams and their evaluation maps.

use axum::extract::State;

use crate::model::operations::{EVALUATION, InSystem, SYSTEM, SYSTEM_DIAGRAM_IDS, SYSTEMS};
use crate::model::{
    DiagramIds, Evaluated, EvaluationProperties, GeojsonCollection, SystemDetailWithBothNames, SystemId,
    SystemItemWithBothNames, WithGeojson,
};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::Member;
use crate::service::http::request::extract::PageParams;
use crate::service::http::response::respond::{Json, PageAnswer};
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;
use crate::service::store::{ProjectKey, Reader};

pub fn routes() -> Routes {
    Routes::tagged("Systems")
        .operation(SYSTEMS, systems)
        .operation(SYSTEM, system)
        .operation(SYSTEM_DIAGRAM_IDS, system_diagram_ids)
        .operation(EVALUATION, evaluation)
}

async fn systems(
    member: Member,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageAnswer<SystemItemWithBothNames>> {
    state
        .read_page(member, page, |read, member| {
            Ok(read
                .listed_systems(member.project)?
                .into_iter()
                .map(|listed| (listed.item, listed.extra).into())
                .collect())
        })
        .await
}

async fn system(member: Member<InSystem>, State(state): State<AppState>) -> Result<Json<SystemDetailWithBothNames>> {
    state.read_small(member, |read, member| {
        let system = read.system(member.project, member.ids.sysid)?.ok_or(NO_SYSTEM)?;
        Ok(SystemDetailWithBothNames::from(system))
    })
}

async fn system_diagram_ids(member: Member<InSystem>, State(state): State<AppState>) -> Result<Json<DiagramIds>> {
    state
        .read(member, |read, member| {
            check_system(read, member.project, member.ids.sysid)?;
            Ok(DiagramIds { diagrams: read.system_diagram_ids(member.project, member.ids.sysid)? })
        })
        .await
}

async fn evaluation(
    member: Member<InSystem>,
    State(state): State<AppState>,
) -> Result<Json<WithGeojson<GeojsonCollection<EvaluationProperties>, Evaluated>>> {
    // The store keeps the features as text.
    let evaluation =
        state.read_large(member, |read, member| read.evaluation(member.project, member.ids.sysid)?.ok_or(NO_SYSTEM));
    Ok(evaluation.await?.described_as())
}

/// Refuses a request about a system that the project does not have.
pub fn check_system(read: &Reader, project: ProjectKey, id: SystemId) -> Result<()> {
    if read.has_system(project, id)? { Ok(()) } else { Err(NO_SYSTEM) }
}

pub const NO_SYSTEM: ApiError = ApiError::NotFound("system");
