//! Diagrams, one by one and all at once, and the selections of members and teams.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bytes::Bytes;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use super::chosen::{CostSelection, SelectionKind, selected_ids};
use crate::bad_rows::BadRows;
use crate::error::Request;
use crate::http::{Identified, MAX_PAGES, ReceivedFeatures, WithEtag, cut};
use crate::{Error, GivenDesign, Project, Result, SystemReference};
use geodesign::features::{FeatureCollection, ListedSystems, Measuring, SystemLabel};
use geodesign::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, DESIGN, DESIGN_DETAILS, DIAGRAM, DIAGRAMS, Endpoint, GROUP_DIAGRAMS,
    LATEST_DESIGN_DETAILS, OfMember, SELECTED_POLICIES, SELECTED_PROJECTS, SELECTION, SELECTION_IN_SYSTEM, SET_NOTES,
    SYSTEMS, UPDATE_DIAGRAM,
};
use geodesign::model::{
    DesignDetails, DesignId, Diagram, DiagramGroup, DiagramGroups, DiagramId, DiagramIds, DiagramKind, DiagramSummary,
    DiagramUpdate, EsriFeature, JsonObject, Note, NoteText, Status, SystemDetail, TeamId, Username,
};
use geodesign_common::blocking;

/// Selects the diagrams that match all given conditions.
#[derive(Debug, Clone, Default)]
pub struct DiagramFilter {
    pub design: Option<GivenDesign>,
    pub system: Option<SystemReference>,
    pub member: Option<Username>,
    pub ids: Option<Vec<DiagramId>>,
}

/// A diagram's id, for services that send rows without one.
#[derive(Deserialize)]
struct PerhapsIdentified {
    #[serde(default)]
    id: Value,
}

/// Adds each system's fields from the list of systems to the diagrams.
fn complete(diagrams: FeatureCollection, systems: &[SystemDetail]) -> FeatureCollection {
    let listed = ListedSystems::new(systems.iter().map(|system| system.item.id.0));
    diagrams.with_listed_systems(&listed).with_labels(systems.iter().map(SystemLabel::from))
}

impl DiagramFilter {
    /// Returns an error if the project lacks one of the named diagrams.
    fn check_ids(&self, listed: impl FnOnce() -> HashSet<i64>) -> Result<()> {
        let Some(ids) = &self.ids else { return Ok(()) };
        let listed = listed();
        match ids.iter().find(|id| !listed.contains(&id.0)) {
            None => Ok(()),
            Some(missing) => Err(Error::Input(format!("the project has no diagram {missing}"))),
        }
    }
}

/// Returns an id, which may be text.
fn id_in(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

impl Project {
    #[doc = summary!(DIAGRAMS)]
    pub async fn diagram_summaries(&self) -> Result<Vec<DiagramSummary>> {
        let endpoint = DIAGRAMS.at(self.in_project());
        let (summaries, is_told) = self.list_with_certainty::<DiagramSummary>(endpoint.clone()).await?;
        if is_told {
            return Ok(summaries);
        }
        let named = self.client().transport.ids_of_systems(self.id()).await?;
        let missing_in = |summaries: &[DiagramSummary]| {
            let listed = summaries.iter().map(|diagram| diagram.id.0).collect();
            named.difference(&listed).next().copied()
        };
        if missing_in(&summaries).is_none() {
            return Ok(summaries);
        }
        // A diagram may have been added between the two requests.
        let (again, _) = self.list_with_certainty::<DiagramSummary>(endpoint.clone()).await?;
        match missing_in(&again) {
            None => Ok(again),
            Some(missing) => Err(cut(&endpoint, again.len(), "diagrams", &format!("diagram {missing}"))),
        }
    }

    #[doc = summary!(ALL_DIAGRAM_DETAILS)]
    pub async fn diagram_details(&self) -> Result<Vec<Diagram>> {
        let endpoint = ALL_DIAGRAM_DETAILS.at(self.in_project());
        let transport = &self.client().transport;
        let response = transport.diagrams_if_changed(&endpoint, None).await?;
        let WithEtag { content, total, .. } = response.expect("without an ETag, every response has a content");
        let mut details: Vec<Diagram> = transport.decode_list(&endpoint, content.clone()).await?;
        let ids = details.iter().map(|diagram| diagram.id.0).collect();
        if !self.has_all(&ids, total).await? {
            let sent = total.is_none().then_some(content);
            details = transport.decode_list(&endpoint, Box::pin(self.all_pages(&endpoint, sent)).await?).await?;
        }
        Ok(details.into_iter().map(Diagram::without_assumed_dates).collect())
    }

    #[doc = summary!(ALL_DIAGRAMS)]
    ///
    /// One row per feature; a diagram without features has one row without geometry. That row gets its system's fields from the list of
    /// systems, which is read concurrently.
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
            // Without the list, rows without geometry lack these fields, as in the service's diagrams.
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => diagrams.with_labels([]),
            Err(_) if !diagrams.lacks_labels() => diagrams,
            Err(error) => return Err(error),
        };
        self.tell_bad_features(&ALL_DIAGRAMS.at(self.in_project()), &diagrams)?;
        Ok(diagrams)
    }

    /// Returns the ids of the selected diagrams; `None` for all.
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

    /// Returns the selected diagrams as drawn.
    pub async fn diagrams_among(&self, filter: &DiagramFilter) -> Result<FeatureCollection> {
        let (diagrams, ids) = tokio::try_join!(self.diagrams(), self.ids_among(filter))?;
        filter.check_ids(|| diagrams.diagram_ids().into_iter().collect())?;
        if let (Some(_), Some(ids)) = (&filter.design, &ids) {
            self.tell_unlisted(ids, &diagrams)?;
        }
        match ids {
            None => Ok(diagrams),
            Some(ids) => blocking::run(move || diagrams.of_diagrams(&ids)).await?.map_err(Error::input),
        }
    }

    /// Warns of diagrams in a design that the project does not list. Reads of designs leave them out.
    pub(super) fn tell_unlisted(&self, ids: &HashSet<i64>, listed: &FeatureCollection) -> Result<BTreeSet<i64>> {
        let listed: HashSet<i64> = listed.diagram_ids().into_iter().collect();
        let unlisted: BTreeSet<i64> = ids.difference(&listed).copied().collect();
        let rows =
            BadRows::new(&unlisted, |id| format!("diagram {id} of the design is not in the project, and is left out"));
        self.client().transport.tell_bad_rows(&ALL_DIAGRAMS.at(self.in_project()), &rows)?;
        Ok(unlisted)
    }

    /// Returns the details of the selected diagrams.
    pub async fn details_among(&self, filter: &DiagramFilter) -> Result<Vec<Diagram>> {
        let (mut details, ids) = tokio::try_join!(self.diagram_details(), self.ids_among(filter))?;
        filter.check_ids(|| details.iter().map(|diagram| diagram.id.0).collect())?;
        details.retain(|diagram| ids.as_ref().is_none_or(|ids| ids.contains(&diagram.id.0)));
        Ok(details)
    }

    /// Returns the summaries of the selected diagrams.
    pub async fn summaries_among(&self, filter: &DiagramFilter) -> Result<Vec<DiagramSummary>> {
        let (mut summaries, ids) = tokio::try_join!(self.diagram_summaries(), self.ids_among(filter))?;
        filter.check_ids(|| summaries.iter().map(|diagram| diagram.id.0).collect())?;
        summaries.retain(|diagram| ids.as_ref().is_none_or(|ids| ids.contains(&diagram.id.0)));
        Ok(summaries)
    }

    /// Returns a diagram's fields without its features.
    pub(crate) async fn fields_of_diagram(&self, id: DiagramId) -> Result<Diagram> {
        let diagram = self.diagram(id).await?;
        let fields = serde_json::to_value(diagram.metadata()).and_then(serde_json::from_value::<Diagram>);
        fields.map(Diagram::without_assumed_dates).map_err(|problem| Error::Decode {
            request: (&DIAGRAM.at(self.in_diagram(id))).into(),
            problem: problem.to_string(),
            source: None,
        })
    }

    /// Returns the diagrams with the area and length of each row, without fields from the list of systems.
    pub(crate) async fn measured_diagrams(&self) -> Result<FeatureCollection> {
        self.all_diagrams(Measuring::EachRow).await
    }

    pub(super) async fn all_diagrams(&self, measuring: Measuring) -> Result<FeatureCollection> {
        let endpoint = ALL_DIAGRAMS.at(self.in_project());
        let transport = &self.client().transport;
        let ReceivedFeatures { collection, total } = transport.features(&endpoint, Some(measuring)).await?;
        if self.has_all(&collection.diagram_ids().into_iter().collect(), total).await? {
            return Ok(collection);
        }
        let sent = total.is_none().then(|| collection.source().0.clone());
        let body = Box::pin(self.all_pages(&endpoint, sent.clone())).await?;
        if sent.is_some_and(|sent| sent == body) {
            return Ok(collection);
        }
        transport.parse_diagrams(&endpoint, body, measuring).await
    }

    /// Returns the ids of a design's diagrams. If the service lacks this operation, they come from the design's features: as
    /// feature-JSON, or else as GeoJSON.
    pub(super) async fn ids_of_design(&self, endpoint: Endpoint) -> Result<Vec<DiagramId>> {
        let missing = match self.get::<DiagramIds>(endpoint.clone()).await {
            Err(missing @ Error::Api { status: StatusCode::NOT_FOUND, .. }) => missing,
            response => return Ok(response?.diagrams),
        };
        let design = endpoint.path.strip_suffix("diagrams/").unwrap_or(&endpoint.path).to_owned();
        let feature_json = Endpoint::at_path(Method::GET, format!("{design}esri/"));
        let geojson = Endpoint { listed_in: DESIGN.listed_in, ..Endpoint::at_path(Method::GET, design) };
        let ids: BTreeSet<i64> = match self.list::<EsriFeature>(feature_json).await {
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => match self.features(geojson).await {
                // The design does not exist.
                Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => return Err(missing),
                features => features?.diagram_ids().into_iter().collect(),
            },
            features => {
                // Some features have no attribute except `id`.
                let id = |feature: &EsriFeature| {
                    let named = |name: &str| feature.attributes.get(name).and_then(id_in);
                    named("diagramid").or_else(|| named("id"))
                };
                features?.iter().filter_map(id).collect()
            }
        };
        tracing::info!("the service has no {}; diagrams without features are left out", Request::from(&endpoint));
        Ok(ids.into_iter().map(DiagramId).collect())
    }

    /// Reads a response that covers all diagrams, as one array. `None`: 304 Not Modified, it still has this ETag.
    pub(crate) async fn all_if_changed(&self, endpoint: &Endpoint, etag: Option<&str>) -> Result<Option<WithEtag>> {
        let transport = &self.client().transport;
        let Some(mut response) = transport.diagrams_if_changed(endpoint, etag).await? else { return Ok(None) };
        let ids = self.ids_in(endpoint, &response.content).await?;
        if !self.has_all(&ids, response.total).await? {
            let sent = response.total.is_none().then_some(response.content);
            let content = Box::pin(self.all_pages(endpoint, sent)).await?;
            response = WithEtag { content, etag: None, total: None, next: None };
        }
        Ok(Some(response))
    }

    /// True if the project has no diagrams except those with these ids.
    async fn has_all(&self, ids: &BTreeSet<i64>, total: Option<usize>) -> Result<bool> {
        if self.client().transport.archive().is_some() || total.is_some_and(|total| ids.len() >= total) {
            return Ok(true);
        }
        Ok(self.named_ids().await?.is_some_and(|named| named.is_subset(ids)))
    }

    /// Returns the ids in the list of diagrams. If the service has no such list, or does not say that it is complete, the ids that
    /// systems name are added. `None`: the service has neither.
    async fn named_ids(&self) -> Result<Option<BTreeSet<i64>>> {
        let (listed, is_told) = match self.list_with_certainty::<Identified>(DIAGRAMS.at(self.in_project())).await {
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => (None, false),
            listed => listed.map(|(listed, is_told)| (Some(listed), is_told))?,
        };
        let has_list = listed.is_some();
        let mut named: BTreeSet<i64> = listed.into_iter().flatten().map(|diagram| diagram.id.0).collect();
        if !is_told {
            named.extend(self.client().transport.ids_of_systems(self.id()).await?);
        }
        Ok((has_list || !named.is_empty()).then_some(named))
    }

    /// Returns all pages of a response that covers all diagrams, if the first page was incomplete. Diagrams that other lists name, but
    /// no page has, are read one by one.
    async fn all_pages(&self, endpoint: &Endpoint, sent: Option<Bytes>) -> Result<Bytes> {
        let content = self.client().transport.all_pages(endpoint, sent).await?;
        let ids = self.ids_in(endpoint, &content).await?;
        let named = self.named_ids().await?.unwrap_or_default();
        let missing: Vec<DiagramId> = named.difference(&ids).copied().map(DiagramId).collect();
        if missing.is_empty() {
            return Ok(content);
        }
        if missing.len() > MAX_PAGES as usize {
            let unlisted = format!("{} others, such as diagram {},", missing.len(), missing[0]);
            return Err(cut(endpoint, ids.len(), "diagrams", &unlisted));
        }
        tracing::info!("{} lacks {} diagrams, which are read one by one", Request::from(endpoint), missing.len());
        let one = |project: Project, id| async move {
            match project.client().transport.read(&DIAGRAM.at(project.in_diagram(id))).await {
                // It was removed in the meantime.
                Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => Ok(None),
                diagram => diagram.map(Some),
            }
        };
        let others: Vec<Option<Bytes>> = self.for_each(missing.clone(), one, || {}).await?;
        let mut absent = missing.iter().zip(&others).filter(|(_, diagram)| diagram.is_none()).map(|(id, _)| id.0);
        if others.contains(&None)
            && let Some(named) = self.named_ids().await?
            && let Some(id) = absent.find(|id| named.contains(id))
        {
            let problem = format!("it lacks diagram {id}, which other lists name and the service does not have");
            return Err(Error::Decode { request: endpoint.into(), problem, source: None });
        }
        let mut whole = content.trim_ascii().strip_suffix(b"]").unwrap_or(&content).to_vec();
        for diagram in others.into_iter().flatten() {
            whole.extend_from_slice(if whole.trim_ascii_end() == b"[" { b"" } else { b"," });
            whole.extend_from_slice(&diagram);
        }
        whole.push(b']');
        Ok(whole.into())
    }

    async fn ids_in(&self, endpoint: &Endpoint, body: &Bytes) -> Result<BTreeSet<i64>> {
        let diagrams: Vec<Option<PerhapsIdentified>> =
            self.client().transport.decode_body(endpoint, body.clone()).await?;
        Ok(diagrams.iter().flatten().filter_map(|diagram| id_in(&diagram.id)).collect())
    }

    #[doc = summary!(UPDATE_DIAGRAM)]
    pub async fn update_diagram(&self, id: DiagramId, update: &DiagramUpdate) -> Result<String> {
        update.check().map_err(Error::input)?;
        Ok(self.post::<Status>(UPDATE_DIAGRAM.at(self.in_diagram(id)), update).await?.status)
    }

    /// Updates a diagram and keeps its metadata, which the service would otherwise replace. The metadata is read first; a change by
    /// another member in between is lost.
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
    /// Returns the note as the service stored it.
    pub async fn set_diagram_notes(&self, id: DiagramId, notes: String) -> Result<String> {
        let note: Note = self.post(SET_NOTES.at(self.in_diagram(id)), &NoteText { notes }).await?;
        Ok(note.notes.unwrap_or_default())
    }

    #[doc = summary!(GROUP_DIAGRAMS)]
    pub async fn group_diagrams(&self, groups: Vec<DiagramGroup>) -> Result<String> {
        if groups.iter().any(|group| group.group_name.trim().is_empty()) {
            return Err(Error::Input("the name of a diagram group is empty; give it one".into()));
        }
        let groups = DiagramGroups { diagram_groups: groups };
        Ok(self.post::<Status>(GROUP_DIAGRAMS.at(self.in_project()), &groups).await?.status)
    }

    /// Reads the change ids of these diagrams, or of all diagrams of the project, concurrently.
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

    /// Returns the features of a member's selected diagrams, in all systems or in one of them.
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
    /// Without a design, reads the team's latest one.
    pub async fn design_details(&self, team: TeamId, design: Option<&DesignId>) -> Result<DesignDetails> {
        let endpoint = match design {
            None => LATEST_DESIGN_DETAILS.at(self.in_team(team)),
            Some(design) => DESIGN_DETAILS.at(self.in_design(team, design)),
        };
        self.get(endpoint).await
    }
}
