//! One id for the state of a whole project.

use sha2::{Digest, Sha256};

use crate::client::{Error, Project, Result};
use crate::model::ProjectChangeId;
use crate::model::operations::PROJECT_CHANGE_ID;

impl Project {
    #[doc = summary!(PROJECT_CHANGE_ID)]
    ///
    /// Where the service has no such id, it is a digest of the list of diagrams and of the change ids of all diagrams, and other
    /// changes than those of diagrams leave it as it is.
    pub async fn change_id(&self) -> Result<String> {
        match self.service_change_id().await? {
            Some(id) => Ok(id),
            None => self.digest_of_diagrams().await,
        }
    }

    /// The change id that the service, or an archive, tells. `None` if it has none.
    pub(in crate::client) async fn service_change_id(&self) -> Result<Option<String>> {
        if let Some(archive) = self.opened_archive() {
            return Ok(archive.manifest().changeid.clone());
        }
        match self.get::<ProjectChangeId>(PROJECT_CHANGE_ID.at(self.in_project())).await {
            Ok(answer) => Ok(Some(answer.changeid)),
            // Of a project that the user cannot read, the other requests tell.
            Err(Error::Api { status: 403 | 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn digest_of_diagrams(&self) -> Result<String> {
        let diagrams = self.diagram_summaries().await?;
        let change_ids = self.diagram_change_ids(Some(diagrams.iter().map(|diagram| diagram.id).collect())).await?;
        let state = serde_json::to_vec(&(diagrams, change_ids)).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Sha256::digest(&state).iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
