//! Merging of work done offline: archives of copies, into their project.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::ArchiveBody;
use crate::http::response::Json;
use crate::http::router::{CLOSED, Routes};
use crate::http::state::AppState;
use crate::merge::{Copy, MergeError, merge};
use geodesign::model::operations::{MERGE, ORIGINS};
use geodesign::model::{MergeReport, ProjectOrigins};

pub fn routes() -> Routes {
    Routes::of("Merging")
        .read(ORIGINS, |read, member: Membership| Ok(ProjectOrigins { origins: read.origins(member.project)? }))
        .operation(MERGE, merge_archive)
        .refuses(StatusCode::FORBIDDEN, CLOSED)
        .refuses(StatusCode::CONFLICT, "The archive and the project have no common origin")
}

async fn merge_archive(
    member: Member,
    State(state): State<AppState>,
    ArchiveBody { content, options }: ArchiveBody,
) -> Result<Json<MergeReport>> {
    let projectid = state.look_up(member.clone(), |_, member| Ok(member.ids.projectid))?;
    let limits = state.limits().clone();
    let copy = gate::run(move || Copy::read(content, &projectid, &limits)).await??;
    let merged = state.write_within_quota(member, move |write, member| {
        let user = (member.user, write.name_of(member.user)?.parse().map_err(ApiError::invalid)?);
        merge(write, member.project, user, &copy, options, |activity| member.check_activity(write, activity))
    });
    Ok(Json::new(&merged.await?)?)
}

impl From<MergeError> for ApiError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Store(error) => error.into(),
            MergeError::NoCommonOrigin => ApiError::Conflict(error.to_string()),
            error => ApiError::Invalid(error.to_string()),
        }
    }
}
