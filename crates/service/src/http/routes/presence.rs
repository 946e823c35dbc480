//! Members who are here, and outlines of what they draw.

use axum::extract::{FromRef, State};
use axum::http::StatusCode;

use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::response::Json;
use crate::http::router::{NO_NAMES, Routes};
use crate::http::state::AppState;
use crate::store::{Reader, Store};
use geodesign::model::operations::{PRESENCE, SHOW_OUTLINE};
use geodesign::model::{Activity, Outline, OutlineShown, Presence};

pub fn routes() -> Routes {
    Routes::of("Presence")
        .operation(PRESENCE, presence)
        .refuses(StatusCode::FORBIDDEN, NO_NAMES)
        .operation(SHOW_OUTLINE, show_outline)
}

async fn presence(member: Member, State(state): State<AppState>) -> Result<Json<Presence>> {
    let here = state.presence().clone();
    let rows = move |read: &Reader, member: Membership| {
        member.check_shows_names()?;
        Ok(Presence { presence: read.present_members(member.project, here.here(member.project))? })
    };
    state.read(member.uncached(), rows).await
}

async fn show_outline(
    member: Member,
    State(state): State<AppState>,
    JsonBody(outline): JsonBody<Outline>,
) -> Result<Json<OutlineShown>> {
    outline.check().map_err(ApiError::invalid)?;
    let (here, store) = (state.presence().clone(), Store::from_ref(&state));
    let shown = move |read: &Reader, member: Membership| {
        member.check_activity(read, Activity::Drawing)?;
        let is_allowed = read.shows_drawings(member.project)?;
        let (Some(feed), true) = (store.feed(), is_allowed) else { return Ok(OutlineShown { shown: false }) };
        let username = read.name_of(member.user)?;
        Ok(OutlineShown { shown: here.show(feed, (member.project, member.user), &username, &outline) })
    };
    state.read(member, shown).await
}
