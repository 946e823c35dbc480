//! The answers in an archive, decoded.

use serde::de::DeserializeOwned;

use super::error::LoadProblem;
use super::interrupt::{self, IsInterrupted};
use crate::archive::Archive;
use crate::model::ProjectId;
use crate::model::operations::{Endpoint, InProject, Operation, PathIds};

/// Reads answers from an archive.
#[derive(Clone, Copy)]
pub struct Answers<'a> {
    archive: &'a Archive,
    is_interrupted: IsInterrupted<'a>,
}

impl<'a> Answers<'a> {
    pub fn new(archive: &'a Archive, is_interrupted: IsInterrupted<'a>) -> Self {
        Answers { archive, is_interrupted }
    }

    pub fn project(&self) -> &'a ProjectId {
        &self.archive.manifest().projectid
    }

    /// The answer about the project; `None` if the archive has none.
    pub fn of_project<T: DeserializeOwned>(&self, operation: Operation<InProject>) -> Result<Option<T>, LoadProblem> {
        self.at(operation, InProject { projectid: self.project().clone() })
    }

    /// The list about the project, which is empty if the archive has none.
    pub fn list<T: DeserializeOwned>(&self, operation: Operation<InProject>) -> Result<Vec<T>, LoadProblem> {
        Ok(self.of_project(operation)?.unwrap_or_default())
    }

    /// The answer about what has these ids.
    pub fn at<Ids: PathIds, T: DeserializeOwned>(
        &self,
        operation: Operation<Ids>,
        ids: Ids,
    ) -> Result<Option<T>, LoadProblem> {
        let endpoint = operation.at(ids);
        let Some(text) = self.text(&endpoint)? else { return Ok(None) };
        let decoded = serde_json::from_slice(&text);
        decoded.map(Some).map_err(|source| LoadProblem::Unreadable { name: endpoint.path, source })
    }

    fn text(&self, endpoint: &Endpoint) -> Result<Option<Vec<u8>>, LoadProblem> {
        interrupt::check(self.is_interrupted)?;
        Ok(self.archive.answer(&endpoint.path)?.ok())
    }
}
