//! Diagrams, one by one and all at once, and what members and teams selected of them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::blocking;
use crate::client::{Error, Project, Result};
use crate::features::{FeatureCollection, Measuring, SystemLabel};
use crate::model::operations::{
    ALL_DIAGRAMS, DESIGN_DETAILS, DIAGRAM, GROUP_DIAGRAMS, LATEST_DESIGN_DETAILS, OfMember, SELECTED_POLICIES,
    SELECTED_PROJECTS, SELECTION, SELECTION_IN_SYSTEM, SET_NOTES, SYSTEMS, UPDATE_DIAGRAM,
};
use crate::model::{
    DesignDetails, DesignId, DiagramGroup, DiagramGroups, DiagramId, DiagramKind, DiagramUpdate, JsonObject, Note,
    NoteText, Status, SystemDetail, SystemId, TeamId, Username,
};

/// Which of the diagrams that a member selected are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// All of them, in any system.
    Everywhere,
    /// Those in one system, of one kind or of both kinds.
    InSystem(SystemId, Option<DiagramKind>),
}

impl Project {
    #[doc = summary!(ALL_DIAGRAMS)]
    ///
    /// One row per feature; a diagram without features has one row without geometry. What features tell of their system, this
    /// row has from the list of systems, which is read at the same time.
    pub async fn diagrams(&self) -> Result<FeatureCollection> {
        let (diagrams, systems) =
            (self.all_diagrams(Measuring::Skip), self.list::<SystemDetail>(SYSTEMS.at(self.in_project())));
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

    pub(super) async fn all_diagrams(&self, measuring: Measuring) -> Result<FeatureCollection> {
        self.client().transport.features(ALL_DIAGRAMS.at(self.in_project()), Some(measuring)).await
    }

    #[doc = summary!(UPDATE_DIAGRAM)]
    pub async fn update_diagram(&self, id: DiagramId, update: &DiagramUpdate) -> Result<String> {
        update.check().map_err(Error::input)?;
        Ok(self.post::<Status>(UPDATE_DIAGRAM.at(self.in_diagram(id)), update).await?.status)
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

    #[doc = summary!(SET_NOTES)]
    ///
    /// Returns the note as the service has stored it.
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

    /// The features of the diagrams that a member selected, in all systems or in one of them.
    pub async fn selection(&self, member: &Username, kind: SelectionKind) -> Result<FeatureCollection> {
        let in_system = |system| self.of_member_in_system(member, system);
        let endpoint = match kind {
            SelectionKind::Everywhere => {
                SELECTION.at(OfMember { projectid: self.id().clone(), username: member.as_str().to_owned() })
            }
            SelectionKind::InSystem(system, None) => SELECTION_IN_SYSTEM.at(in_system(system)),
            SelectionKind::InSystem(system, Some(DiagramKind::Project)) => SELECTED_PROJECTS.at(in_system(system)),
            SelectionKind::InSystem(system, Some(DiagramKind::Policy)) => SELECTED_POLICIES.at(in_system(system)),
        };
        self.features(endpoint).await
    }

    #[doc = summary!(DESIGN_DETAILS)]
    ///
    /// Without a design, those of the latest design of the team.
    pub async fn design_details(&self, team: TeamId, design: Option<&DesignId>) -> Result<DesignDetails> {
        let endpoint = match design {
            None => LATEST_DESIGN_DETAILS.at(self.in_team(team)),
            Some(design) => DESIGN_DETAILS.at(self.in_design(team, design)),
        };
        self.get(endpoint).await
    }
}
