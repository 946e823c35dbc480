//! The files of external diagrams.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::blocking;
use crate::client::external::{ExternalLimits, download};
use crate::client::{Error, Project, Result};
use crate::costs::{OpenedFile, OpenedFiles};
use crate::features::{FeatureCollection, file_url};
use crate::geometry::Geometry;
use crate::model::DiagramId;

/// So many files are in memory at the same time.
const MAX_OPEN_FILES: usize = 4;

/// The downloaded file of an external diagram.
#[derive(Debug, Clone)]
pub struct ExternalFile {
    pub diagram: DiagramId,
    pub url: String,
    /// FlatGeobuf by its first bytes. The rest was not checked.
    pub content: Vec<u8>,
}

/// Reads the files of external diagrams. This crate downloads them, and has no code for their format.
#[derive(Debug, Clone, Copy)]
pub struct FileReader {
    pub limits: ExternalLimits,
    /// The geometries of a file in longitude and latitude, or why it cannot be read. It runs on a thread where it may block.
    pub read: fn(ExternalFile) -> Result<Vec<Geometry>, String>,
}

impl Project {
    /// Downloads the FlatGeobuf file of an external diagram from the server that it is on. The token is not sent there.
    pub async fn external_file(&self, id: DiagramId, limits: ExternalLimits) -> Result<ExternalFile> {
        check_limits(limits)?;
        let diagram = self.diagram(id).await?;
        let address = |field: &str| diagram.metadata().get(field)?.as_str();
        let Some(url) = file_url(address("flat_geobuf_url"), address("external_geometries")) else {
            let problem = format!("diagram {id} has no file on another server; project.diagram({id}) has its geometry");
            return Err(Error::Input(problem));
        };
        self.download(id, url.to_owned(), limits).await
    }

    /// What the files of diagrams without a geometry hold, or why they cannot be opened.
    pub(super) async fn open_files(
        &self,
        diagrams: &FeatureCollection,
        selected: Option<&HashSet<i64>>,
        reader: FileReader,
        check: bool,
    ) -> Result<OpenedFiles> {
        let mut files = diagrams.external_files();
        files.retain(|(id, _)| selected.is_none_or(|selected| selected.contains(id)));
        let slots = Arc::new(Semaphore::new(MAX_OPEN_FILES));
        let open = |project: Project, (id, url): (i64, String)| {
            let slots = slots.clone();
            async move {
                let _slot = slots.acquire().await.expect("the semaphore is never closed");
                let opened = match project.download(DiagramId(id), url, reader.limits).await {
                    Ok(file) => blocking::run(move || Ok(OpenedFile::new(&(reader.read)(file)?, check))).await?,
                    Err(problem) => Err(problem.to_string()),
                };
                Ok((id, opened))
            }
        };
        Ok(self.for_each(files, open, || {}).await?.into_iter().collect())
    }

    async fn download(&self, diagram: DiagramId, url: String, limits: ExternalLimits) -> Result<ExternalFile> {
        let transport = &self.client().transport;
        match download(&url, limits, transport.config(), transport.certificates()).await {
            Ok(content) => Ok(ExternalFile { diagram, url, content }),
            Err(source) => Err(Error::ExternalFile { diagram, url: url.into(), source }),
        }
    }
}

/// Refuses a limit that no file is within.
pub(super) fn check_limits(limits: ExternalLimits) -> Result<()> {
    match limits.max_bytes {
        0 => Err(Error::Input("max_bytes is 0, which no file is within; it is the largest file that is read".into())),
        _ => Ok(()),
    }
}
