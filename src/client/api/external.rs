//! The files of external diagrams.

use crate::client::external::{ExternalLimits, download};
use crate::client::{Error, Project, Result};
use crate::model::DiagramId;

/// The downloaded file of an external diagram.
#[derive(Debug, Clone)]
pub struct ExternalFile {
    pub diagram: DiagramId,
    pub url: String,
    /// FlatGeobuf by its first bytes. The rest was not checked.
    pub content: Vec<u8>,
}

impl Project {
    /// Downloads the FlatGeobuf file of an external diagram from the server that it is on. The token is not sent there.
    pub async fn external_file(&self, id: DiagramId, limits: ExternalLimits) -> Result<ExternalFile> {
        let diagram = self.diagram(id).await?;
        let address = |field: &str| diagram.metadata().get(field)?.as_str().filter(|url| !url.is_empty());
        // A file may be FlatGeobuf although its author called it otherwise.
        let Some(url) = address("flat_geobuf_url").or_else(|| address("external_geometries")) else {
            let problem = format!("diagram {id} has no file on another server; project.diagram({id}) has its geometry");
            return Err(Error::Input(problem));
        };
        let transport = &self.client().transport;
        let content = download(url, limits, transport.config(), transport.certificates()).await;
        match content {
            Ok(content) => Ok(ExternalFile { diagram: id, url: url.to_owned(), content }),
            Err(source) => Err(Error::ExternalFile { diagram: id, url: url.into(), source }),
        }
    }
}
