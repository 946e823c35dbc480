//! Who is calling, and may they.
//!
//! A [`Credentials`] is what a request says of that; the database says whether it is true. What answers at once asks for both in one
//! transaction, so that it is true at the moment of the answer.

use axum::extract::{FromRef, FromRequestParts, Path};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Service;
use super::error::ApiError;
use crate::model::ProjectId;
use crate::service::store::{ProjectKey, Reader, UserKey};

/// The token and the project that a request comes with.
pub struct Credentials {
    token: String,
    /// `None` where it cannot be that of any.
    project: Option<ProjectId>,
}

impl Credentials {
    fn user(&self, read: &Reader) -> Result<UserKey, ApiError> {
        read.user_of_token(&self.token)?.ok_or(INVALID)
    }

    pub fn member(&self, read: &Reader) -> Result<Member, ApiError> {
        let user = self.user(read)?;
        let project = self.project.as_ref().map(|project| read.project_of_member(project, user)).transpose()?;
        project.flatten().map(|project| Member { project, user }).ok_or(ApiError::NotFound("project"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Credentials {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<ProjectPath>::from_request_parts(parts, state).await;
        let token = token_in(&parts.headers)?.to_owned();
        Ok(Credentials { token, project: path.ok().map(|Path(path)| path.projectid) })
    }
}

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
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let credentials = Credentials::from_request_parts(parts, state).await?;
        let user = Service::from_ref(state).look_up(|read| credentials.user(read))?;
        Ok(Caller { user })
    }
}

const INVALID: ApiError = ApiError::Unauthorized("The token is invalid or has expired.");

/// The token that a request comes with.
fn token_in(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut headers = headers.get_all(AUTHORIZATION).iter();
    let Some(header) = headers.next() else {
        return Err(ApiError::Unauthorized("Authentication credentials were not provided."));
    };
    // Whoever stands in between may have looked at the other one.
    if headers.next().is_some() {
        return Err(ApiError::Unauthorized("More than one Authorization header."));
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
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let credentials = Credentials::from_request_parts(parts, state).await?;
        Service::from_ref(state).look_up(|read| credentials.member(read))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Administrator
where
    Service: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let credentials = Credentials::from_request_parts(parts, state).await?;
        Service::from_ref(state).look_up(|read| {
            let Member { project, user } = credentials.member(read)?;
            match read.is_administrator(project, user)? {
                true => Ok(Administrator { project }),
                false => Err(ApiError::Forbidden("Only an administrator of the project may do this.")),
            }
        })
    }
}
