//! What every handler can reach, and the ways to ask it.

use axum::response::Response;
use serde::Serialize;

use super::auth::Credentials;
use super::error::{ApiError, Result};
use super::extract::PageParams;
use super::group_commit::GroupCommit;
use super::paging::Paging;
use super::respond::{answer, encode, json};
use super::response_cache::ResponseCache;
use crate::blocking;
use crate::service::store::{self, ProjectKey, Reader, Store, Writer};

/// What every handler can reach.
#[derive(Clone)]
pub struct Service {
    pub store: Store,
    pub commits: GroupCommit,
    pub all_diagrams: ResponseCache,
    pub paging: Paging,
}

impl Service {
    /// Asks the database what it answers in microseconds, which is less than another thread would take to be told.
    pub fn look_up<T>(&self, question: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        self.store.read(|read| Ok(question(read)))?
    }

    /// Asks the database, on a thread that may take its time.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Reader) -> store::Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.store.clone();
        Ok(blocking::run(move || store.read(question)).await??)
    }

    /// Changes the database, all or nothing.
    pub async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Writer) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.commits.write(change).await
    }

    /// Answers with what the database says, or that there is no such thing.
    pub async fn find<T: Serialize>(
        &self,
        what: &'static str,
        question: impl FnOnce(&Reader) -> store::Result<Option<T>> + Send + 'static,
    ) -> Result<Response> {
        let body = self.read(|read| question(read)?.map(|answer| encode(&answer)).transpose()).await?;
        body.map(json).ok_or(ApiError::NotFound(what))
    }

    /// Answers with all diagrams of a project: by far the largest answer, and the one that a whole room asks for.
    pub async fn find_all_diagrams<T: Serialize>(
        &self,
        project: ProjectKey,
        question: impl FnOnce(&Reader) -> store::Result<T> + Send + 'static,
    ) -> Result<Response> {
        Ok(json(self.all_diagrams.get(project, |read| encode(&question(read)?)).await?))
    }

    /// The same for a resource that is small. Whether the caller may know of it is part of the question.
    pub fn find_small<T: Serialize>(
        &self,
        what: &'static str,
        credentials: &Credentials,
        question: impl FnOnce(&Reader, ProjectKey) -> Result<Option<T>>,
    ) -> Result<Response> {
        let found = self.look_up(|read| question(read, credentials.member(read)?.project))?;
        answer(&found.ok_or(ApiError::NotFound(what))?)
    }

    /// Answers with a list, cut as the request asks.
    pub async fn list<T: Serialize>(
        &self,
        page: PageParams,
        question: impl FnOnce(&Reader) -> store::Result<Vec<T>> + Send + 'static,
    ) -> Result<Response> {
        let paging = self.paging;
        let cut = move |all: Vec<T>| paging.page(all, page.query, &page.uri).map(|page| encode(&page));
        Ok(json(self.read(move |read| Ok(cut(question(read)?))).await???))
    }
}
