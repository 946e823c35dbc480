//! Diagrams, one by one and all at once, and what members and teams selected of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::costs::selected_ids;
use crate::blocking;
use crate::client::http::{ReceivedFeatures, WithEtag};
use crate::client::{CostSelection, Error, GivenDesign, Project, Result, SystemReference};
use crate::features::{FeatureCollection, ListedSystems, Measuring, SystemLabel};
use crate::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, DESIGN_DETAILS, DIAGRAM, DIAGRAMS, Endpoint, GROUP_DIAGRAMS,
    LATEST_DESIGN_DETAILS, OfMember, SELECTED_POLICIES, SELECTED_PROJECTS, SELECTION, SELECTION_IN_SYSTEM, SET_NOTES,
    SYSTEMS, UPDATE_DIAGRAM,
};
use crate::model::{
    DesignDetails, DesignId, Diagram, DiagramGroup, DiagramGroups, DiagramId, DiagramIds, DiagramKind, DiagramSummary,
    DiagramUpdate, EsriFeature, JsonObject, Note, NoteText, Status, SystemDetail, SystemId, TeamId, Username,
};

/// Which of the diagrams that a member selected are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// All of them, in any system.
    Everywhere,
    /// Those in one system, of one kind or of both kinds.
    InSystem(SystemId, Option<DiagramKind>),
}

/// Which diagrams are wanted: those that all that is given has in common.
#[derive(Debug, Clone, Default)]
pub struct DiagramFilter {
    pub design: Option<GivenDesign>,
    pub system: Option<SystemReference>,
    pub member: Option<Username>,
    pub ids: Option<Vec<DiagramId>>,
}

/// A diagram, of which only the id matters.
#[derive(Deserialize)]
struct Identified {
    id: DiagramId,
}

/// The diagrams with what the list of systems tells of them.
fn complete(diagrams: FeatureCollection, systems: &[SystemDetail]) -> FeatureCollection {
    let listed = ListedSystems::new(systems.iter().map(|system| system.item.id.0));
    diagrams.with_listed_systems(&listed).with_labels(systems.iter().map(SystemLabel::from))
}

impl DiagramFilter {
    /// An error where the project lacks one of the diagrams that were named.
    fn check_ids(&self, listed: impl FnOnce() -> HashSet<i64>) -> Result<()> {
        let Some(ids) = &self.ids else { return Ok(()) };
        let listed = listed();
        match ids.iter().find(|id| !listed.contains(&id.0)) {
            None => Ok(()),
            Some(missing) => Err(Error::Input(format!("the project has no diagram {missing}"))),
        }
    }
}

/// An id that may be a text.
fn id_in(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

impl Project {
    #[doc = summary!(DIAGRAMS)]
    pub async fn diagram_summaries(&self) -> Result<Vec<DiagramSummary>> {
        self.list(DIAGRAMS.at(self.in_project())).await
    }

    #[doc = summary!(ALL_DIAGRAM_DETAILS)]
    pub async fn diagram_details(&self) -> Result<Vec<Diagram>> {
        let endpoint = ALL_DIAGRAM_DETAILS.at(self.in_project());
        let transport = &self.client().transport;
        let response = transport.diagrams_if_changed(&endpoint, None).await?;
        let WithEtag { content, total, .. } = response.expect("without an ETag, every response has a content");
        let mut details: Vec<Diagram> = transport.decode_list(&endpoint, content).await?;
        let ids = details.iter().map(|diagram| diagram.id.0).collect();
        if self.has_all(&ids, total).await? != Some(true) {
            details = transport.decode_list(&endpoint, Box::pin(self.all_pages(&endpoint)).await?).await?;
        }
        Ok(details.into_iter().map(Diagram::without_assumed_dates).collect())
    }

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
        let listed = match listed {
            Some(systems) => systems,
            None => systems.await,
        };
        let diagrams = match listed {
            Ok(systems) => blocking::run(move || complete(diagrams, &systems)).await?,
            // A service without the list leaves open what rows without geometry lack, as its diagrams do.
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => diagrams.with_labels([]),
            Err(_) if !diagrams.lacks_labels() => diagrams,
            Err(error) => return Err(error),
        };
        self.tell_bad_features(&ALL_DIAGRAMS.at(self.in_project()), &diagrams)?;
        Ok(diagrams)
    }

    /// The ids of the diagrams that are wanted; `None` for all.
    pub async fn ids_among(&self, filter: &DiagramFilter) -> Result<Option<HashSet<i64>>> {
        let mut choices = Vec::new();
        if let Some(design) = &filter.design {
            let (team, design) = self.find_design(design).await?;
            choices.push(CostSelection::Design(team, design));
        }
        if let Some(system) = &filter.system {
            let system = self.find_system(system).await?;
            choices.push(CostSelection::Diagrams(self.system_diagram_ids(system).await?));
        }
        choices.extend(filter.member.clone().map(CostSelection::Member));
        choices.extend(filter.ids.clone().map(CostSelection::Diagrams));
        let mut common: Option<HashSet<i64>> = None;
        for choice in &choices {
            common = match (common, selected_ids(self, choice).await?) {
                (Some(before), Some(ids)) => Some(&before & &ids),
                (before, ids) => before.or(ids),
            };
        }
        Ok(common)
    }

    /// The diagrams that are wanted, as they were drawn.
    pub async fn diagrams_among(&self, filter: &DiagramFilter) -> Result<FeatureCollection> {
        let (diagrams, ids) = tokio::try_join!(self.diagrams(), self.ids_among(filter))?;
        filter.check_ids(|| diagrams.diagram_ids().into_iter().collect())?;
        match ids {
            None => Ok(diagrams),
            Some(ids) => blocking::run(move || diagrams.of_diagrams(&ids)).await?.map_err(Error::input),
        }
    }

    /// The details of the diagrams that are wanted.
    pub async fn details_among(&self, filter: &DiagramFilter) -> Result<Vec<Diagram>> {
        let (mut details, ids) = tokio::try_join!(self.diagram_details(), self.ids_among(filter))?;
        filter.check_ids(|| details.iter().map(|diagram| diagram.id.0).collect())?;
        details.retain(|diagram| ids.as_ref().is_none_or(|ids| ids.contains(&diagram.id.0)));
        Ok(details)
    }

    /// The summaries of the diagrams that are wanted.
    pub async fn summaries_among(&self, filter: &DiagramFilter) -> Result<Vec<DiagramSummary>> {
        let (mut summaries, ids) = tokio::try_join!(self.diagram_summaries(), self.ids_among(filter))?;
        filter.check_ids(|| summaries.iter().map(|diagram| diagram.id.0).collect())?;
        summaries.retain(|diagram| ids.as_ref().is_none_or(|ids| ids.contains(&diagram.id.0)));
        Ok(summaries)
    }

    /// The fields of a diagram, without its features.
    pub(in crate::client) async fn fields_of_diagram(&self, id: DiagramId) -> Result<Diagram> {
        let diagram = self.diagram(id).await?;
        let fields = serde_json::to_value(diagram.metadata()).and_then(serde_json::from_value::<Diagram>);
        fields.map(Diagram::without_assumed_dates).map_err(|problem| Error::Decode {
            request: (&DIAGRAM.at(self.in_diagram(id))).into(),
            problem: problem.to_string(),
            source: None,
        })
    }

    /// The diagrams with the area and length of each row, without anything from the list of systems.
    pub(crate) async fn measured_diagrams(&self) -> Result<FeatureCollection> {
        self.all_diagrams(Measuring::EachRow).await
    }

    pub(super) async fn all_diagrams(&self, measuring: Measuring) -> Result<FeatureCollection> {
        let endpoint = ALL_DIAGRAMS.at(self.in_project());
        let transport = &self.client().transport;
        let ReceivedFeatures { collection, total } = transport.features(&endpoint, Some(measuring)).await?;
        match self.has_all(&collection.diagram_ids().into_iter().collect(), total).await? {
            Some(true) => Ok(collection),
            _ => {
                let body = Box::pin(self.all_pages(&endpoint)).await?;
                transport.parse_diagrams(&endpoint, body, measuring).await
            }
        }
    }

    /// The ids of the diagrams in a design. A service without this operation is asked for the features of the design: as feature-JSON,
    /// or else as GeoJSON.
    pub(super) async fn ids_of_design(&self, endpoint: Endpoint) -> Result<Vec<DiagramId>> {
        let missing = match self.get::<DiagramIds>(endpoint.clone()).await {
            Err(missing @ Error::Api { status: StatusCode::NOT_FOUND, .. }) => missing,
            response => return Ok(response?.diagrams),
        };
        let below_design = |path: &str| {
            let design = endpoint.path.strip_suffix("diagrams/").unwrap_or(&endpoint.path);
            Endpoint { path: format!("{design}{path}"), ..endpoint.clone() }
        };
        let ids: BTreeSet<i64> = match self.list::<EsriFeature>(below_design("esri/")).await {
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => match self.features(below_design("")).await {
                // There is no such design.
                Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => return Err(missing),
                features => features?.diagram_ids().into_iter().collect(),
            },
            features => features?.iter().filter_map(|feature| id_in(feature.attributes.get("diagramid")?)).collect(),
        };
        tracing::info!(
            "{} is missing, so that the diagrams are those with features",
            crate::client::error::Request::from(&endpoint)
        );
        Ok(ids.into_iter().map(DiagramId).collect())
    }

    /// A response with something of every diagram, as one array. `None`: 304 Not Modified, it still has this ETag.
    pub(in crate::client) async fn all_if_changed(
        &self,
        endpoint: &Endpoint,
        etag: Option<&str>,
    ) -> Result<Option<WithEtag>> {
        let transport = &self.client().transport;
        let Some(mut response) = transport.diagrams_if_changed(endpoint, etag).await? else { return Ok(None) };
        let ids = self.ids_in(endpoint, &response.content).await?;
        if self.has_all(&ids, response.total).await? != Some(true) {
            let content = Box::pin(self.all_pages(endpoint)).await?;
            response = WithEtag { content, etag: None, total: None };
        }
        Ok(Some(response))
    }

    /// Whether diagrams with these ids are all that the project has. `None`: the service does not tell.
    async fn has_all(&self, ids: &BTreeSet<i64>, total: Option<usize>) -> Result<Option<bool>> {
        if self.client().transport.archive().is_some() || total.is_some_and(|total| ids.len() >= total) {
            return Ok(Some(true));
        }
        match self.list::<Identified>(DIAGRAMS.at(self.in_project())).await {
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => Ok(None),
            listed => Ok(Some(listed?.iter().all(|diagram| ids.contains(&diagram.id.0)))),
        }
    }

    /// All pages of a response with something of every diagram, where its first page was not all. An error where the list of the
    /// diagrams has more of them.
    async fn all_pages(&self, endpoint: &Endpoint) -> Result<Bytes> {
        let body = self.client().transport.whole_list(endpoint).await?;
        let ids = self.ids_in(endpoint, &body).await?;
        match self.has_all(&ids, None).await? {
            Some(false) => {
                let problem = format!(
                    "it has {} diagrams, and the list of the diagrams has others; if nobody added one meanwhile, the service cuts it",
                    ids.len()
                );
                Err(Error::Decode { request: endpoint.into(), problem, source: None })
            }
            _ => Ok(body),
        }
    }

    async fn ids_in(&self, endpoint: &Endpoint, body: &Bytes) -> Result<BTreeSet<i64>> {
        let diagrams: Vec<Identified> = self.client().transport.decode_body(endpoint, body.clone()).await?;
        Ok(diagrams.into_iter().map(|diagram| diagram.id.0).collect())
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
