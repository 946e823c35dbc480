//! Thumbnails: drawn by the service, then downloaded.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::Method;

use super::Progress;
use crate::{Error, Project, Result};
use geodesign::model::operations::{Endpoint, GENERATE_THUMBNAIL, GENERATE_THUMBNAILS};
use geodesign::model::{DiagramId, ThumbnailJob, ThumbnailJobs};

/// Prefix, in a result path, of the path below the API root.
const VERSION: &str = "/api/v1/";

impl Project {
    /// Asks the service to draw a diagram's thumbnail, and downloads it: a PNG image of 256 × 256 pixels.
    pub async fn thumbnail(&self, id: DiagramId) -> Result<Bytes> {
        if self.opened_archive().is_some() {
            return self.archived_thumbnail(id).await;
        }
        let generate = GENERATE_THUMBNAIL.at(self.in_diagram(id));
        let job: ThumbnailJob = self.get(generate.clone()).await?;
        let (_, image) = self.thumbnail_result(&generate, &job.results_url)?;
        self.client().transport.png(image).await
    }

    /// Reads the thumbnails of many diagrams concurrently. Without ids, of all diagrams of the project, which the service draws in one
    /// request.
    pub async fn thumbnails(
        &self,
        ids: Option<Vec<DiagramId>>,
        progress: &impl Progress,
    ) -> Result<BTreeMap<DiagramId, Bytes>> {
        let images = match ids {
            Some(ids) => {
                progress.expect(ids.len());
                let one = |project: Project, id| async move { Ok((id, project.thumbnail(id).await?)) };
                self.for_each(ids, one, || progress.advance()).await?
            }
            None => {
                let generate = GENERATE_THUMBNAILS.at(self.in_project());
                let jobs: ThumbnailJobs = self.get(generate.clone()).await?;
                progress.expect(jobs.results_url.len());
                let image = |project: Project, url: String| {
                    let result = project.thumbnail_result(&generate, &url);
                    async move {
                        let (diagram, image) = result?;
                        Ok((diagram, project.client().transport.png(image).await?))
                    }
                };
                self.for_each(jobs.results_url, image, || progress.advance()).await?
            }
        };
        Ok(images.into_iter().collect())
    }

    /// An archive has the pictures of all diagrams that the service drew at once.
    async fn archived_thumbnail(&self, id: DiagramId) -> Result<Bytes> {
        let generate = GENERATE_THUMBNAILS.at(self.in_project());
        let jobs: ThumbnailJobs = self.get(generate.clone()).await?;
        for url in &jobs.results_url {
            let (diagram, image) = self.thumbnail_result(&generate, url)?;
            if diagram == id {
                return self.client().transport.png(image).await;
            }
        }
        // The archive reports that it has no such diagram.
        self.get::<ThumbnailJob>(GENERATE_THUMBNAIL.at(self.in_diagram(id))).await.map(|_| Bytes::new())
    }

    /// Returns the diagram and the endpoint of a result path in the response to `generate`. The path must lead to a thumbnail of this
    /// project.
    pub(crate) fn thumbnail_result(&self, generate: &Endpoint, result_path: &str) -> Result<(DiagramId, Endpoint)> {
        let parse = || {
            let (_, path) = result_path.split_once(VERSION)?;
            let in_project = path.strip_prefix("projects/")?.strip_prefix(self.id().as_str())?;
            let (diagram, job) = in_project.strip_prefix("/diagrams/")?.split_once("/thumbnail/")?;
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            job.strip_suffix('/')?.bytes().all(is_plain).then_some(())?;
            let endpoint = Endpoint::at_path(Method::GET, path);
            Some((DiagramId(diagram.parse().ok()?), endpoint))
        };
        parse().ok_or_else(|| Error::Decode {
            request: generate.into(),
            problem: format!("{result_path:?} is not the address of a thumbnail in this project"),
            source: None,
        })
    }
}
