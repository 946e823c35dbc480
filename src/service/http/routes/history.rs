//! The history of projects.

use axum::extract::State;
use axum::http::StatusCode;

use crate::model::operations::{HISTORY, InHistory, UNDO};
use crate::model::{HistoryEntry, Status};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::Administrator;
use crate::service::http::request::extract::PageParams;
use crate::service::http::response::respond::{Json, PageResponse};
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;
use crate::service::store::Undone;

pub fn routes() -> Routes {
    Routes::of("History")
        .operation(HISTORY, history)
        .operation(UNDO, undo)
        .refuses(StatusCode::CONFLICT, "The change cannot be undone")
}

async fn history(
    administrator: Administrator,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<HistoryEntry>> {
    state.read_page(administrator, page, |read, member| Ok(read.history(Some(member.project))?)).await
}

async fn undo(administrator: Administrator<InHistory>, State(state): State<AppState>) -> Result<Json<Status>> {
    let undone = state.write(administrator, |write, administrator| {
        let entry = administrator.ids.entry;
        match write.undo(administrator.project, entry)? {
            Undone::Yes => Ok(entry),
            Undone::NoSuchEntry => Err(ApiError::NotFound("entry in the history")),
            Undone::Impossible => Err(ApiError::Conflict(format!(
                "Entry {entry} cannot be undone: only changes of diagrams, notes, evaluation maps and impact maps can."
            ))),
        }
    });
    Ok(Json::new(&Status { status: format!("Entry {} was undone.", undone.await?) })?)
}
