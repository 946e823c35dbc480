//! Diagrams, one by one and all at once.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::blocking;
use crate::client::{Error, Project, Result};
use crate::features::{FeatureCollection, Measuring, SystemLabel};
use crate::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, CHANGE_ID, DELETE_DIAGRAM, DIAGRAM, DIAGRAMS, GROUP_DIAGRAMS, NOTES, SET_NOTES,
    UPDATE_DIAGRAM,
};
use crate::model::{
    ChangeHash, Diagram, DiagramGroup, DiagramGroups, DiagramId, DiagramSummary, DiagramUpdate, JsonObject, Note,
    NoteText, Status,
};

impl Project {
    #[doc = summary!(DIAGRAMS)]
    pub async fn diagram_summaries(&self) -> Result<Vec<DiagramSummary>> {
        self.list(DIAGRAMS.at(self.in_project())).await
    }

    #[doc = summary!(ALL_DIAGRAM_DETAILS)]
    pub async fn diagram_details(&self) -> Result<Vec<Diagram>> {
        self.get(ALL_DIAGRAM_DETAILS.at(self.in_project())).await
    }

    #[doc = summary!(ALL_DIAGRAMS)]
    ///
    /// One row per feature; a diagram without features has one row without geometry. What features tell of their system, this
    /// row has from the list of systems, which is read at the same time.
    pub async fn diagrams(&self) -> Result<FeatureCollection> {
        let (diagrams, systems) = (self.all_diagrams(Measuring::Skip), self.systems());
        tokio::pin!(diagrams, systems);
        let mut listed = None;
        let diagrams = loop {
            tokio::select! {
                biased;
                diagrams = &mut diagrams => break diagrams?,
                systems = &mut systems, if listed.is_none() => listed = Some(systems),
            }
        };
        if !diagrams.lacks_labels() {
            return Ok(diagrams);
        }
        let systems = match listed {
            Some(systems) => systems,
            None => systems.await,
        };
        let systems = match systems {
            // A service without the list leaves these values open, as its diagrams do.
            Err(Error::Api { status: 404, .. }) => Vec::new(),
            systems => systems?,
        };
        Ok(blocking::run(move || diagrams.with_labels(systems.iter().map(SystemLabel::from))).await?)
    }

    /// The diagrams with the area and length of each row, without anything from the list of systems.
    pub(crate) async fn measured_diagrams(&self) -> Result<FeatureCollection> {
        self.all_diagrams(Measuring::EachRow).await
    }

    async fn all_diagrams(&self, measuring: Measuring) -> Result<FeatureCollection> {
        self.client().transport.features(ALL_DIAGRAMS.at(self.in_project()), Some(measuring)).await
    }

    #[doc = summary!(DIAGRAM)]
    ///
    /// The fields of the diagram are the metadata of the collection.
    pub async fn diagram(&self, id: DiagramId) -> Result<FeatureCollection> {
        self.features(DIAGRAM.at(self.in_diagram(id))).await
    }

    #[doc = summary!(UPDATE_DIAGRAM)]
    pub async fn update_diagram(&self, id: DiagramId, update: &DiagramUpdate) -> Result<String> {
        update.check().map_err(Error::input)?;
        Ok(self.post::<Status>(UPDATE_DIAGRAM.at(self.in_diagram(id)), update).await?.status)
    }

    #[doc = summary!(DELETE_DIAGRAM)]
    pub async fn delete_diagram(&self, id: DiagramId) -> Result<()> {
        self.client().transport.delete(DELETE_DIAGRAM.at(self.in_diagram(id))).await
    }

    /// Updates a diagram and keeps its metadata, which the service would replace by those of the update. They are read first; a
    /// change that another member makes of them in between is lost.
    pub async fn update_diagram_but_metadata(&self, id: DiagramId, mut update: DiagramUpdate) -> Result<String> {
        #[derive(Deserialize)]
        struct Metadata {
            #[serde(default)]
            additional_metadata: Option<JsonObject>,
        }
        update.check().map_err(Error::input)?;
        let Metadata { additional_metadata } = self.get(DIAGRAM.at(self.in_diagram(id))).await?;
        update.additional_metadata = additional_metadata.unwrap_or_default();
        self.update_diagram(id, &update).await
    }

    #[doc = summary!(NOTES)]
    pub async fn diagram_notes(&self, id: DiagramId) -> Result<String> {
        Ok(self.get::<Note>(NOTES.at(self.in_diagram(id))).await?.notes.unwrap_or_default())
    }

    #[doc = summary!(SET_NOTES)]
    ///
    /// Returns the note as the service keeps it.
    pub async fn set_diagram_notes(&self, id: DiagramId, notes: String) -> Result<String> {
        let note: Note = self.post(SET_NOTES.at(self.in_diagram(id)), &NoteText { notes }).await?;
        Ok(note.notes.unwrap_or_default())
    }

    #[doc = summary!(GROUP_DIAGRAMS)]
    pub async fn group_diagrams(&self, groups: Vec<DiagramGroup>) -> Result<String> {
        if groups.iter().any(|group| group.group_name.trim().is_empty()) {
            return Err(Error::Input("the name of a diagram group is empty".into()));
        }
        let groups = DiagramGroups { diagram_groups: groups };
        Ok(self.post::<Status>(GROUP_DIAGRAMS.at(self.in_project()), &groups).await?.status)
    }

    #[doc = summary!(CHANGE_ID)]
    pub async fn diagram_change_id(&self, id: DiagramId) -> Result<String> {
        Ok(self.get::<ChangeHash>(CHANGE_ID.at(self.in_diagram(id))).await?.changehash)
    }

    /// The change ids of many diagrams, concurrently. Without ids, those of all diagrams of the project.
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
}
