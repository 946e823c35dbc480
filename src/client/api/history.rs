//! The history of a project.

use crate::client::{Project, Result};
use crate::model::operations::{HISTORY, InHistory, UNDO};
use crate::model::{EntryId, HistoryEntry, Status};

impl Project {
    #[doc = summary!(HISTORY)]
    pub async fn history(&self) -> Result<Vec<HistoryEntry>> {
        self.list(HISTORY.at(self.in_project())).await
    }

    #[doc = summary!(UNDO)]
    pub async fn undo(&self, entry: EntryId) -> Result<String> {
        let ids = InHistory { projectid: self.id().clone(), entry };
        Ok(self.post::<Status>(UNDO.at(ids), &()).await?.status)
    }
}
