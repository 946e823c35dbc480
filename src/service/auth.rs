//! Who is calling, and may they.

use axum::extract::{FromRef, FromRequestParts, Path};
use axum::http::HeaderMap;
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
        let token = token_in(&parts.headers)?;
        let user = Service::from_ref(state).look_up(|read| read.user_of_token(token))?;
        user.map(|user| Caller { user }).ok_or(INVALID)
    }
}

const INVALID: Refusal = Refusal::Unauthorized("The token is invalid or has expired.");

/// The token that a request comes with.
fn token_in(headers: &HeaderMap) -> Result<&str, Refusal> {
    let mut headers = headers.get_all(AUTHORIZATION).iter();
    let Some(header) = headers.next() else {
        return Err(Refusal::Unauthorized("Authentication credentials were not provided."));
    };
    // Whoever stands in between may have looked at the other one.
    if headers.next().is_some() {
        return Err(Refusal::Unauthorized("More than one Authorization header."));
    }
    let (scheme, token) = header.to_str().ok().and_then(|header| header.split_once(' ')).ok_or(INVALID)?;
    if scheme.eq_ignore_ascii_case("token") { Ok(token.trim()) } else { Err(INVALID) }
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
        let unknown = || Refusal::not_found("project");
        let path = Path::<ProjectPath>::from_request_parts(parts, state).await;
        let token = token_in(&parts.headers)?;
        // Both in one question: every request asks it.
        let (user, project) = Service::from_ref(state).look_up(|read| {
            let user = read.user_of_token(token)?;
            let asked = user.zip(path.ok());
            let project = asked.map(|(user, Path(path))| read.project_of_member(&path.projectid, user));
            Ok((user, project.transpose()?.flatten()))
        })?;
        let user = user.ok_or(INVALID)?;
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
