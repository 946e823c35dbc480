//! Links with which guests, such as a council, the press or citizens, read a project.

use axum::extract::State;
use axum::response::NoContent;

use crate::http::error::{ApiError, Result};
use crate::http::request::auth::Administrator;
use crate::http::request::extract::JsonBody;
use crate::http::response::{Created, Json, List};
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{NewToken, StoreError};
use geodesign::model::operations::{ADD_LINK, LINKS, OfLink, WITHDRAW_LINK};
use geodesign::model::{GuestLink, NewGuest, NewGuestLink, join_link};

pub fn routes() -> Routes {
    Routes::of("Guests").operation(LINKS, links).operation(ADD_LINK, add_link).operation(WITHDRAW_LINK, withdraw_link)
}

async fn links(administrator: Administrator, State(state): State<AppState>) -> Result<Json<List<GuestLink>>> {
    state.read(administrator, |read, administrator| Ok(List(read.links(administrator.project)?))).await
}

async fn add_link(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(new): JsonBody<NewGuestLink>,
) -> Result<Created<NewGuest>> {
    new.check().map_err(ApiError::invalid)?;
    let (limits, prefix, key) = (state.limits().clone(), state.prefix().to_owned(), state.authority_key().copied());
    let added = state.write(administrator, move |write, administrator| {
        let project = administrator.project;
        let token = NewToken::until(write, Some(new.expires_at))?;
        limits.project_links().check_total("the project", write.count_links(project)?, 1)?;
        write.add_link(project, &new, &token)?;
        let id = token.id()?;
        let link = write.links(project)?.into_iter().find(|link| link.id == id);
        let link = link.ok_or_else(|| StoreError::content("a link that was just added is not there"))?;
        let path = join_link(&prefix, &link.title, &token.token, key.as_ref());
        Ok(NewGuest { link, token: token.token, path })
    });
    Ok(Created(Json::new(&added.await?)?))
}

async fn withdraw_link(administrator: Administrator<OfLink>, State(state): State<AppState>) -> Result<NoContent> {
    let withdrawn = state.write(administrator, |write, administrator| {
        Ok(write.withdraw_link(administrator.project, &administrator.ids.linkid)?)
    });
    if withdrawn.await? { Ok(NoContent) } else { Err(ApiError::NotFound("link")) }
}
