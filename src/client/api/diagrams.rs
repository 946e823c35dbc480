//! Diagrams, one by one and all at once, and what members selected.

use std::collections::BTreeMap;

use tokio::task::JoinSet;

use crate::client::{Error, Project, Result};
use crate::features::{FeatureCollection, Measuring};
use crate::model::{
    ChangeHash, Diagram, DiagramGroup, DiagramGroups, DiagramId, DiagramKind, DiagramSummary, DiagramUpdate, Note,
    NoteText, Status, SystemId, Username,
};

/// Which diagrams of a member's selection are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// Whatever the member selected, in any system.
    Everywhere,
    /// In one system, of one kind or of both.
    InSystem(SystemId, Option<DiagramKind>),
}

impl Project {
    /// `GET …/diagrams/`
    pub async fn diagram_summaries(&self) -> Result<Vec<DiagramSummary>> {
        self.list("diagrams/").await
    }

    /// `GET …/diagrams/all/details/`: every diagram without its geography.
    pub async fn diagram_details(&self) -> Result<Vec<Diagram>> {
        self.get("diagrams/all/details/").await
    }

    /// `GET …/diagrams/all/`: one row per feature; a diagram without features keeps one row.
    pub async fn diagrams(&self) -> Result<FeatureCollection> {
        self.all_diagrams(Measuring::Skip).await
    }

    /// The same, with what each row measures.
    pub(crate) async fn measured_diagrams(&self) -> Result<FeatureCollection> {
        self.all_diagrams(Measuring::EachRow).await
    }

    async fn all_diagrams(&self, measuring: Measuring) -> Result<FeatureCollection> {
        self.client.transport.features(&self.path("diagrams/all/"), Some(measuring)).await
    }

    /// `GET …/diagrams/{diagramid}/`: the features; the diagram's own fields are the metadata.
    pub async fn diagram(&self, id: DiagramId) -> Result<FeatureCollection> {
        self.features(format!("diagrams/{id}/")).await
    }

    /// `POST …/diagrams/{diagramid}/`: sets title, tags, dates and metadata.
    pub async fn update_diagram(&self, id: DiagramId, update: &DiagramUpdate) -> Result<String> {
        update.check().map_err(|problem| Error::Input(problem.to_string()))?;
        Ok(self.post::<Status>(format!("diagrams/{id}/"), update).await?.status)
    }

    /// `GET …/diagrams/{diagramid}/notes/`
    pub async fn diagram_notes(&self, id: DiagramId) -> Result<String> {
        Ok(self.get::<Note>(format!("diagrams/{id}/notes/")).await?.notes.unwrap_or_default())
    }

    /// `POST …/diagrams/{diagramid}/notes/`: the note as it is stored.
    pub async fn set_diagram_notes(&self, id: DiagramId, notes: String) -> Result<String> {
        let note: Note = self.post(format!("diagrams/{id}/notes/"), &NoteText { notes }).await?;
        Ok(note.notes.unwrap_or_default())
    }

    /// `POST …/diagrams/group/`: each group then has exactly its diagrams.
    pub async fn group_diagrams(&self, groups: Vec<DiagramGroup>) -> Result<String> {
        if groups.iter().any(|group| group.group_name.trim().is_empty()) {
            return Err(Error::Input("the name of a diagram group is empty".into()));
        }
        let groups = DiagramGroups { diagram_groups: groups };
        Ok(self.post::<Status>("diagrams/group/", &groups).await?.status)
    }

    /// `GET …/diagrams/{diagramid}/changeid/`: compare it with an earlier one to see a change.
    pub async fn diagram_change_id(&self, id: DiagramId) -> Result<String> {
        Ok(self.get::<ChangeHash>(format!("diagrams/{id}/changeid/")).await?.changehash)
    }

    /// The change ids of many diagrams, concurrently; of all, where none are named.
    pub async fn diagram_change_ids(&self, ids: Option<Vec<DiagramId>>) -> Result<BTreeMap<DiagramId, String>> {
        let ids = match ids {
            Some(ids) => ids,
            None => self.diagram_summaries().await?.into_iter().map(|diagram| diagram.id).collect(),
        };
        let hashes = self
            .for_each(ids, |project, id| async move { Ok((id, project.diagram_change_id(id).await?)) }, || {})
            .await?;
        Ok(hashes.into_iter().collect())
    }

    /// `GET …/members/{username}/diagrams/` or `…/systems/{sysid}/{username}/diagrams/[projects/|policies/]`: what a
    /// member selected.
    pub async fn selection(&self, member: &Username, kind: SelectionKind) -> Result<FeatureCollection> {
        let member = member.as_segment();
        let path = match kind {
            SelectionKind::Everywhere => format!("members/{member}/diagrams/"),
            SelectionKind::InSystem(system, None) => format!("systems/{system}/{member}/diagrams/"),
            SelectionKind::InSystem(system, Some(DiagramKind::Project)) => {
                format!("systems/{system}/{member}/diagrams/projects/")
            }
            SelectionKind::InSystem(system, Some(DiagramKind::Policy)) => {
                format!("systems/{system}/{member}/diagrams/policies/")
            }
        };
        self.features(path).await
    }

    /// Runs a request for each id, as many at once as the client allows; the answers in the order of the ids. The first
    /// failure ends the rest. `progress` is called after each.
    pub(super) async fn for_each<I, T, F>(
        &self,
        ids: Vec<I>,
        request: impl Fn(Project, I) -> F,
        progress: impl Fn(),
    ) -> Result<Vec<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut running = JoinSet::new();
        for (at, id) in ids.into_iter().enumerate() {
            let request = request(self.clone(), id);
            running.spawn(async move { (at, request.await) });
        }
        let mut answers: Vec<Option<T>> = (0..running.len()).map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            let (at, answer) = done?;
            answers[at] = Some(answer?);
            progress();
        }
        Ok(answers.into_iter().flatten().collect())
    }
}
