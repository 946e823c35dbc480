//! Who is calling, and may they.

use axum::extract::{FromRef, FromRequestParts, Path};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use serde::Deserialize;
use utoipa::IntoParams;

use super::error::Refusal;
use super::routes::Service;
use super::store::{ProjectKey, UserKey};
use crate::model::ProjectId;

/// A user with a token that is valid now.
pub struct Caller {
    pub user: UserKey,
}

/// A caller who is a member of the project in the path. A project of others is not found, so that ids cannot be probed.
pub struct Member {
    pub project: ProjectKey,
    pub user: UserKey,
}

/// A member who administers the project.
pub struct Administrator {
    pub project: ProjectKey,
}

impl<S: Send + Sync> FromRequestParts<S> for Caller
where
    Service: FromRef<S>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let mut headers = parts.headers.get_all(AUTHORIZATION).iter();
        let Some(header) = headers.next() else {
            return Err(Refusal::Unauthorized("Authentication credentials were not provided."));
        };
        // Whoever stands in between may have looked at the other one.
        if headers.next().is_some() {
            return Err(Refusal::Unauthorized("More than one Authorization header."));
        }
        let invalid = || Refusal::Unauthorized("The token is invalid or has expired.");
        let (scheme, token) = header.to_str().ok().and_then(|header| header.split_once(' ')).ok_or_else(invalid)?;
        if !scheme.eq_ignore_ascii_case("token") {
            return Err(invalid());
        }
        let user = Service::from_ref(state).look_up(|read| read.user_of_token(token.trim()))?;
        user.map(|user| Caller { user }).ok_or_else(invalid)
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ProjectPath {
    #[param(inline)]
    pub projectid: ProjectId,
}

impl<S: Send + Sync> FromRequestParts<S> for Member
where
    Service: FromRef<S>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let Caller { user } = Caller::from_request_parts(parts, state).await?;
        let unknown = || Refusal::not_found("project");
        let Path(ProjectPath { projectid }) = Path::from_request_parts(parts, state).await.map_err(|_| unknown())?;
        let project = Service::from_ref(state).look_up(|read| read.project_of_member(&projectid, user))?;
        project.map(|project| Member { project, user }).ok_or_else(unknown)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Administrator
where
    Service: FromRef<S>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let Member { project, user } = Member::from_request_parts(parts, state).await?;
        let administers = Service::from_ref(state).look_up(|read| read.is_administrator(project, user))?;
        match administers {
            true => Ok(Administrator { project }),
            false => Err(Refusal::Forbidden("Only an administrator of the project may do this.")),
        }
    }
}
