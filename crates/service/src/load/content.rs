//! The content of a project in an archive.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::problem::{IsInterrupted, LoadProblem, check};
use crate::store::{Geography, GridLocation};
use geodesign::archive::{Archive, Manifest};
use geodesign::json::{DecodeError, Gap, Gaps, decode_around_gaps, decode_list, null_is_empty};
use geodesign::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, BOUNDARIES, BOUNDS, CENTER, CHANGE_ID, COMMENTS, CONSTRAINTS, CONTEXT, DESIGN,
    DESIGN_DIAGRAM_IDS, DESIGN_ESRI, DESIGNS, DIAGRAM, DIAGRAMS, EVALUATION, Endpoint, GROUPS, HISTORY, InDesign,
    InDiagram, InProject, InSystem, InTeam, LAYERS, MEMBERS, NEGOTIATION_LOGS, ORIGINS, OfMember, OfMemberInSystem,
    Operation, PLUGINS, PROJECT, PathIds, SECOND_BOUNDARIES, SELECTION, SELECTION_IN_SYSTEM, STAKEHOLDERS, SYSTEM,
    SYSTEMS, TAGS, TEAM_MEMBERS, TEAMS, VOTES,
};
use geodesign::model::{
    Bounds, Center, ChangeHash, ChangeTeam, Comment, Comments, Design, DesignDiagramIds, Diagram, DiagramGroup,
    DiagramGroups, DiagramId, DiagramSummary, FeatureType, HistoryEntry, JsonObject, Layer, LoadedFrom, Member,
    Members, NegotiationLogs, NegotiationSession, Plugin, ProjectBounds, ProjectCenter, ProjectId, ProjectInfo,
    ProjectOrigins, Stakeholder, Stakeholders, Synthesis, SystemDetail, SystemId, Tag, TeamMembers, Username,
    VolumeInformation, Vote, Votes, WorkState, check_impacts, check_quantities,
};
use geodesign_geometry::is_wgs84;

/// At most this many selections in an archive: one per member and system.
const MAX_SELECTIONS: usize = 100_000;

/// The whole Earth, for a project whose bounds are not in the archive.
const EARTH: &str = "-180,-90,180,90";

/// A project in an archive.
#[derive(Debug)]
pub struct Content {
    pub info: ProjectInfo,
    /// The archive, and the change id of the project at its origin.
    pub loaded_from: LoadedFrom,
    /// `YYYY-MM-DD`
    pub start_date: String,
    pub bounds: Bounds,
    pub center: Center,
    pub members: Vec<Member>,
    pub stakeholders: Vec<Stakeholder>,
    pub plugins: Vec<Plugin>,
    pub layers: Vec<Layer<Box<RawValue>>>,
    pub tags: Vec<Tag>,
    pub geographies: Vec<(Geography, ArchivedMap)>,
    pub systems: Vec<ArchivedSystem>,
    pub diagrams: Vec<ArchivedDiagram>,
    pub selections: Vec<(Username, Vec<DiagramId>)>,
    pub votes: Vec<Vote>,
    /// True if the archive lacks the votes of others.
    pub hides_votes: bool,
    pub comments: Vec<Comment>,
    pub groups: Vec<DiagramGroup>,
    pub teams: Vec<ArchivedTeam>,
    pub negotiations: Vec<NegotiationSession>,
    /// The history, oldest first.
    pub history: Vec<HistoryEntry>,
    /// The states that the project began with, oldest first.
    pub origins: Vec<WorkState>,
}

/// Features with the fields next to them.
#[derive(Debug)]
pub struct ArchivedMap {
    /// JSON as the origin wrote it.
    pub geojson: Box<RawValue>,
    pub resource: JsonObject,
}

#[derive(Debug)]
pub struct ArchivedTeam {
    pub team: ChangeTeam,
    pub members: Vec<Username>,
    pub designs: Vec<(Design, Vec<DiagramId>)>,
}

impl Content {
    pub fn read(responses: Responses) -> Result<Self, LoadProblem> {
        let info: ProjectInfo = responses.of_project(PROJECT)?.ok_or(LoadProblem::Missing("project.json"))?;
        let bounds = responses.of_project(BOUNDS)?.and_then(|ProjectBounds { bounds }| bounds);
        let bounds = bounds.unwrap_or_else(|| EARTH.parse().expect("these are bounds"));
        let center = responses.of_project(CENTER)?.and_then(|ProjectCenter { center }| center);
        let center = center.unwrap_or_else(|| bounds.center());
        let members: Option<Members> = responses.of_project(MEMBERS)?;
        let members: Vec<_> = members.into_iter().flat_map(|list| list.members).collect();
        refuse_repeated("members", &members, |member| member.username.as_str())?;
        let stakeholders: Option<Stakeholders> = responses.of_project(STAKEHOLDERS)?;
        let negotiations: Option<NegotiationLogs> = responses.of_project(NEGOTIATION_LOGS)?;
        let systems = read_systems(responses)?;
        let (teams, drawn) = read_teams(responses)?;
        let diagrams = read_diagrams(responses, &systems, &drawn)?;
        let selections = read_selections(responses, &members, &systems)?;
        let votes: Option<Votes> = responses.of_project(VOTES)?;
        let (votes, hides_votes) = votes.map(|list| (list.votes, list.hidden)).unwrap_or_default();
        let comments: Option<Comments> = responses.of_project(COMMENTS)?;
        let comments = comments.map(|list| list.comments).unwrap_or_default();
        refuse_repeated("comments", &comments, |comment| comment.id.as_str())?;
        let groups: Option<DiagramGroups> = responses.of_project(GROUPS)?;
        let history: Vec<HistoryEntry> = responses.list(HISTORY)?;
        let mut history: Vec<_> = history.into_iter().map(HistoryEntry::with_diagram).collect();
        history.sort_by_key(|entry| entry.id.0);
        let origins: Option<ProjectOrigins> = responses.of_project(ORIGINS)?;
        let start_date = info.startdate.as_ref().map_or("1970-01-01".to_owned(), ToString::to_string);
        Ok(Content {
            info,
            loaded_from: loaded_from(responses.archive.manifest()),
            start_date,
            bounds,
            center,
            members,
            stakeholders: stakeholders.map(|list| list.stakeholders).unwrap_or_default(),
            plugins: responses.list(PLUGINS)?,
            layers: responses.list(LAYERS)?,
            tags: responses.list(TAGS)?,
            geographies: read_geographies(responses)?,
            systems,
            diagrams,
            selections,
            votes,
            hides_votes,
            comments,
            groups: groups.map(|list| list.diagram_groups).unwrap_or_default(),
            teams,
            negotiations: negotiations.map(|logs| logs.all_negotiations).unwrap_or_default(),
            history,
            origins: origins.map(|list| list.origins).unwrap_or_default(),
        })
    }
}

/// Refuses a list with duplicates: the archive would be read again for each, however large the data.
fn refuse_repeated<'t, T, Id: Ord + fmt::Display>(
    what: &'static str,
    things: &'t [T],
    id: impl Fn(&'t T) -> Id,
) -> Result<(), LoadProblem> {
    let mut seen = BTreeSet::new();
    let mut ids = things.iter().map(id);
    ids.try_for_each(|id| match seen.get(&id) {
        Some(_) => Err(LoadProblem::Repeated { what, id: id.to_string() }),
        None => {
            seen.insert(id);
            Ok(())
        }
    })
}

fn loaded_from(manifest: &Manifest) -> LoadedFrom {
    LoadedFrom {
        service: manifest.service.clone(),
        source: manifest.source.clone(),
        created_at: manifest.created_at.clone(),
        changeid: manifest.changeid.clone(),
        edited: false,
    }
}

#[derive(Debug)]
pub struct ArchivedSystem {
    pub detail: SystemDetail,
    /// JSON as the origin wrote it; `None` if the archive has none.
    pub evaluation: Option<Box<RawValue>>,
}

/// A feature of a diagram in a response about several diagrams.
#[derive(Debug, Deserialize)]
pub struct DrawnFeature {
    /// The properties, which feature-JSON calls `attributes`.
    #[serde(default, alias = "attributes")]
    pub properties: DrawnProperties,
    #[serde(default)]
    pub geometry: Option<Box<RawValue>>,
}

impl DrawnFeature {
    /// The type that it shows, also without any coordinates, as feature-JSON of external diagrams may. `None` for polygons, which everything
    /// else is shown as.
    fn feature_type(&self) -> Option<FeatureType> {
        let geometry = self.geometry.as_ref()?.get();
        let names = [("LineString", "\"paths\"", FeatureType::Line), ("Point", "\"points\"", FeatureType::Point)];
        let shown = names.into_iter().find(|(geojson, esri, _)| geometry.contains(geojson) || geometry.contains(esri));
        shown.map(|(.., feature_type)| feature_type)
    }
}

#[derive(Debug, Default, Deserialize)]
pub struct DrawnProperties {
    #[serde(default)]
    pub diagramid: Option<DiagramId>,
    #[serde(default)]
    pub grid_location: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct DrawnFeatures {
    #[serde(default, deserialize_with = "null_is_empty")]
    pub features: Vec<DrawnFeature>,
}

#[derive(Debug)]
pub struct ArchivedDiagram {
    pub summary: DiagramSummary,
    pub fields: Diagram<Box<RawValue>>,
    pub location: GridLocation,
    /// Change id at the origin.
    pub changeid: Option<String>,
    /// The kind of features in an external diagram.
    pub feature_type: FeatureType,
    pub features: Vec<ArchivedFeature>,
}

#[derive(Debug)]
pub struct ArchivedFeature {
    pub heights: VolumeInformation,
    /// JSON as the origin wrote it.
    pub geometry: String,
    /// The properties that this service does not know.
    pub extra: JsonObject,
}

/// A diagram in the response with all diagrams of a project.
#[derive(Deserialize)]
struct WithFeatures {
    id: DiagramId,
    #[serde(default)]
    geojson: Option<Features>,
}

#[derive(Deserialize)]
struct Features {
    #[serde(default, deserialize_with = "null_is_empty")]
    features: Vec<Feature>,
    #[serde(default)]
    crs: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Feature {
    #[serde(default)]
    properties: Option<Properties>,
    #[serde(default)]
    geometry: Option<Box<RawValue>>,
    #[serde(default)]
    crs: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
struct Properties {
    #[serde(default)]
    volume_information: Option<Heights>,
    #[serde(flatten)]
    others: JsonObject,
}

#[derive(Deserialize)]
struct Heights {
    #[serde(default)]
    min_height: f64,
    #[serde(default)]
    max_height: f64,
}

/// Reads all diagrams. `drawn` are features in designs, which have data that the diagrams themselves lack.
pub fn read_diagrams(
    responses: Responses,
    systems: &[ArchivedSystem],
    drawn: &[DrawnFeature],
) -> Result<Vec<ArchivedDiagram>, LoadProblem> {
    let columns: BTreeMap<SystemId, u8> =
        systems.iter().map(|system| system.detail.item.id).zip((b'A'..=b'Z').chain(std::iter::repeat(b'Z'))).collect();
    let all: Vec<WithFeatures> = responses.list(ALL_DIAGRAMS)?;
    let mut features: HashMap<DiagramId, Option<Features>> =
        all.into_iter().map(|diagram| (diagram.id, diagram.geojson)).collect();
    let mut details = read_details(responses)?;
    let seen = Seen::new(drawn);
    let summaries: Vec<DiagramSummary> = responses.list(DIAGRAMS)?;
    refuse_repeated("diagrams", &summaries, |summary| summary.id)?;
    let read = |summary: DiagramSummary| {
        let id = summary.id;
        let ids = InDiagram { projectid: responses.project().clone(), diagramid: id };
        let mut fields = match details.remove(&id) {
            Some(fields) => fields,
            None => responses.at(DIAGRAM, ids.clone())?.unwrap_or_else(|| without_fields(&summary)),
        };
        fields.extra.shift_remove("geojson");
        let changeid = responses.at::<_, ChangeHash>(CHANGE_ID, ids.clone())?.map(|change| change.changehash);
        let geojson = match features.remove(&id) {
            Some(geojson) => geojson,
            None => responses.at::<_, WithFeatures>(DIAGRAM, ids)?.and_then(|diagram| diagram.geojson),
        };
        let &column =
            columns.get(&fields.sysid).ok_or(LoadProblem::UnknownSystem { diagram: id, system: fields.sysid })?;
        let rank = fields.rank.or(summary.rank).unwrap_or_default();
        let name = seen.locations.get(&id).map_or_else(|| format!("{}{rank}", char::from(column)), ToString::to_string);
        Ok(ArchivedDiagram {
            changeid,
            fields,
            location: GridLocation { rank, name },
            feature_type: seen.types.get(&id).copied().unwrap_or(FeatureType::Polygon),
            features: geojson.map(archived_features).unwrap_or_default(),
            summary,
        })
    };
    summaries.into_iter().map(read).collect()
}

/// The properties that this service sets on each feature of a diagram.
const OWN_PROPERTIES: [&str; 7] = ["areatype", "author", "color", "diagramid", "sysid", "sysname", "systag"];

/// The fields of diagrams. Those that the list without geometries lacks are taken from the list with them.
fn read_details(responses: Responses) -> Result<HashMap<DiagramId, Diagram<Box<RawValue>>>, LoadProblem> {
    type Fields = BTreeMap<String, Box<RawValue>>;
    let id = |fields: &Fields| fields.get("id").and_then(|id| serde_json::from_str::<DiagramId>(id.get()).ok());
    let all: Vec<Fields> = responses.list(ALL_DIAGRAMS)?;
    let with_id = |mut fields: Fields| {
        fields.remove("geojson");
        Some((id(&fields)?, fields))
    };
    let mut known: HashMap<DiagramId, Fields> = all.into_iter().filter_map(with_id).collect();
    let details: Vec<Fields> = responses.list(ALL_DIAGRAM_DETAILS)?;
    for (id, fields) in details.into_iter().filter_map(with_id) {
        let known = known.entry(id).or_default();
        for (name, value) in fields {
            if value.get() != "null" || !known.contains_key(&name) {
                known.insert(name, value);
            }
        }
    }
    known.retain(|_, fields| fields.contains_key("sysid"));
    let read = |(id, fields): (DiagramId, Fields)| {
        let text = serde_json::to_string(&fields);
        let unreadable = |source| LoadProblem::Unreadable { name: ALL_DIAGRAM_DETAILS.path.to_owned(), source };
        let diagram = decode_around_gaps(text.map_err(unreadable)?.as_bytes());
        let endpoint = ALL_DIAGRAM_DETAILS.at(InProject { projectid: responses.project().clone() });
        Ok((id, told(&endpoint, diagram)?))
    };
    known.into_iter().map(read).collect()
}

fn archived_features(Features { features, crs }: Features) -> Vec<ArchivedFeature> {
    features.into_iter().map(|feature| archived_feature(feature, crs.as_deref())).collect()
}

/// A feature, without its geometry if that is not in WGS 84; `crs` is the collection's.
fn archived_feature(Feature { properties, geometry, crs: own }: Feature, crs: Option<&RawValue>) -> ArchivedFeature {
    #[derive(Deserialize)]
    struct WithCrs<'t> {
        #[serde(borrow)]
        crs: Option<&'t RawValue>,
    }

    let of_geometry =
        geometry.as_deref().and_then(|geometry| serde_json::from_str::<WithCrs>(geometry.get()).ok()?.crs);
    let is_here = [crs, own.as_deref(), of_geometry].into_iter().all(|crs| is_wgs84(crs.map(RawValue::get)));
    let geometry = geometry.filter(|_| is_here);

    let Properties { volume_information: heights, others: mut extra } = properties.unwrap_or_default();
    let (min_height, max_height) = heights.map_or((0.0, 0.0), |heights| (heights.min_height, heights.max_height));
    extra.retain(|name, _| !OWN_PROPERTIES.contains(&name.as_str()));
    let geometry = geometry.map_or("null".to_owned(), |text| text.get().to_owned());
    ArchivedFeature { heights: VolumeInformation { min_height, max_height }, geometry, extra }
}

/// Data about diagrams from features in designs.
struct Seen<'d> {
    locations: HashMap<DiagramId, &'d str>,
    /// The types of external diagrams that show lines or points.
    types: HashMap<DiagramId, FeatureType>,
}

impl<'d> Seen<'d> {
    fn new(drawn: &'d [DrawnFeature]) -> Self {
        let (mut locations, mut types) = (HashMap::new(), HashMap::new());
        for feature in drawn {
            let Some(id) = feature.properties.diagramid else { continue };
            locations.extend(feature.properties.grid_location.as_deref().map(|location| (id, location)));
            types.extend(feature.feature_type().map(|shown| (id, shown)));
        }
        Seen { locations, types }
    }
}

/// A diagram from its summary, if the archive has nothing else of it.
fn without_fields(summary: &DiagramSummary) -> Diagram<Box<RawValue>> {
    Diagram {
        sysid: summary.sysid,
        rank: summary.rank,
        id: summary.id,
        description: summary.worlddescription.clone(),
        ..Diagram::default()
    }
}

/// A response with a map in the field `geojson`.
#[derive(Deserialize)]
struct WithMap {
    #[serde(default)]
    geojson: Option<Box<RawValue>>,
}

impl WithMap {
    /// The map, if it is an object.
    fn into_map(self) -> Option<Box<RawValue>> {
        self.geojson.filter(|map| map.get().starts_with('{'))
    }
}

fn read_geographies(responses: Responses) -> Result<Vec<(Geography, ArchivedMap)>, LoadProblem> {
    let maps = [
        (Geography::Boundaries, read_map(responses, BOUNDARIES)?),
        (Geography::SecondBoundaries, read_map(responses, SECOND_BOUNDARIES)?),
        (Geography::Constraints, read_map(responses, CONSTRAINTS)?),
        (Geography::Context, read_map(responses, CONTEXT)?),
    ];
    Ok(maps.into_iter().filter_map(|(role, map)| Some((role, map?))).collect())
}

fn read_map(responses: Responses, operation: Operation<InProject>) -> Result<Option<ArchivedMap>, LoadProblem> {
    let name = operation.path;
    let Some(response) = responses.of_project::<Box<RawValue>>(operation)? else { return Ok(None) };
    let read = || {
        let Some(geojson) = serde_json::from_str::<WithMap>(response.get())?.into_map() else { return Ok(None) };
        let mut resource: JsonObject = serde_json::from_str(response.get())?;
        resource.0.shift_remove("geojson");
        Ok(Some(ArchivedMap { geojson, resource }))
    };
    read().map_err(|source| LoadProblem::Unreadable { name: name.to_owned(), source })
}

fn read_systems(responses: Responses) -> Result<Vec<ArchivedSystem>, LoadProblem> {
    let listed: Vec<SystemDetail> = responses.list(SYSTEMS)?;
    refuse_repeated("systems", &listed, |system| system.item.id)?;
    let read = |listed: SystemDetail| {
        let ids = InSystem { projectid: responses.project().clone(), sysid: listed.item.id };
        let evaluation = responses.at::<_, WithMap>(EVALUATION, ids.clone())?.and_then(WithMap::into_map);
        let detail = match responses.at(SYSTEM, ids)? {
            Some(detail) => with_fields_of_list(detail, listed),
            None => listed,
        };
        Ok(ArchivedSystem { detail, evaluation })
    };
    let systems: Vec<ArchivedSystem> = listed.into_iter().map(read).collect::<Result<_, LoadProblem>>()?;
    let known: BTreeSet<SystemId> = systems.iter().map(|system| system.detail.item.id).collect();
    for ArchivedSystem { detail, .. } in &systems {
        check_impacts(Some(detail.item.id), &detail.impacts)?;
        check_quantities(detail.quantities.iter().map(|(name, quantity)| (name, Some(quantity))))?;
        if let Some(unknown) = detail.impacts.keys().find(|id| !known.contains(id)) {
            return Err(LoadProblem::UnknownAffected(*unknown));
        }
    }
    Ok(systems)
}

/// A system, with the fields that only the list of systems has.
fn with_fields_of_list(mut detail: SystemDetail, listed: SystemDetail) -> SystemDetail {
    let item = &mut detail.item;
    item.color = item.color.take().or(listed.item.color);
    item.verbose_description = item.verbose_description.take().or(listed.item.verbose_description);
    for (name, value) in listed.extra.0 {
        detail.extra.0.entry(name).or_insert(value);
    }
    if detail.impacts.is_empty() {
        detail.impacts = listed.impacts;
    }
    if detail.quantities.is_empty() {
        detail.quantities = listed.quantities;
    }
    detail
}

/// The teams with their designs, and the features in the designs.
fn read_teams(responses: Responses) -> Result<(Vec<ArchivedTeam>, Vec<DrawnFeature>), LoadProblem> {
    let mut drawn = Vec::new();
    let mut read = |team: ChangeTeam| {
        let in_team = InTeam { projectid: responses.project().clone(), cteamid: team.id };
        let members: Option<TeamMembers> = responses.at(TEAM_MEMBERS, in_team.clone())?;
        let designs: Option<Synthesis> = responses.at(DESIGNS, in_team)?;
        let mut read = Vec::new();
        let designs = designs.map(|designs| designs.synthesis).unwrap_or_default();
        refuse_repeated("designs", &designs, |design| design.details.id.clone())?;
        for design in designs {
            let ids = InDesign {
                projectid: responses.project().clone(),
                cteamid: team.id,
                synthesisid: design.details.id.clone(),
            };
            let features: Option<DrawnFeatures> = responses.at(DESIGN, ids.clone())?;
            let features = features.map(|design| design.features).unwrap_or_default();
            let feature_json: Option<Vec<DrawnFeature>> = responses.at(DESIGN_ESRI, ids.clone())?;
            let diagrams: Option<DesignDiagramIds> = responses.at(DESIGN_DIAGRAM_IDS, ids)?;
            let diagrams = match diagrams {
                Some(DesignDiagramIds { diagrams, .. }) => diagrams,
                None => features.iter().filter_map(|feature| feature.properties.diagramid).collect(),
            };
            drawn.extend(features);
            drawn.extend(feature_json.into_iter().flatten().filter(|feature| feature.feature_type().is_some()));
            read.push((design, diagrams));
        }
        let members = members.map(|list| list.members).unwrap_or_default();
        Ok(ArchivedTeam { team, members, designs: read })
    };
    let teams: Vec<ChangeTeam> = responses.list(TEAMS)?;
    refuse_repeated("teams", &teams, |team| team.id)?;
    let teams: Result<Vec<_>, LoadProblem> = teams.into_iter().map(&mut read).collect();
    Ok((teams?, drawn))
}

/// The diagrams that each member selected, from one list for all systems or, if the archive lacks it, from lists per system.
fn read_selections(
    responses: Responses,
    members: &[Member],
    systems: &[ArchivedSystem],
) -> Result<Vec<(Username, Vec<DiagramId>)>, LoadProblem> {
    let most = MAX_SELECTIONS / systems.len().max(1);
    if members.len() > most {
        return Err(LoadProblem::TooManyMembers { members: members.len(), systems: systems.len(), most });
    }
    let ids =
        |features: DrawnFeatures| features.features.into_iter().filter_map(|feature| feature.properties.diagramid);
    let selection = |Member { username: member, .. }: &Member| {
        let (projectid, username) = (responses.project().clone(), member.as_str().to_owned());
        let selected: Option<DrawnFeatures> = responses.at(SELECTION, OfMember { projectid, username })?;
        let mut selection = Vec::new();
        match selected {
            Some(selected) => selection.extend(ids(selected)),
            None => {
                for system in systems {
                    let of_member = of_member(responses, member, system.detail.item.id);
                    let selected: Option<DrawnFeatures> = responses.at(SELECTION_IN_SYSTEM, of_member)?;
                    selection.extend(selected.into_iter().flat_map(ids));
                }
            }
        }
        let mut seen = HashSet::new();
        selection.retain(|diagram| seen.insert(*diagram));
        Ok((member.clone(), selection))
    };
    members.iter().map(selection).collect()
}

fn of_member(responses: Responses, member: &Username, sysid: SystemId) -> OfMemberInSystem {
    OfMemberInSystem { projectid: responses.project().clone(), sysid, username: member.as_str().to_owned() }
}

/// Reads responses from an archive.
#[derive(Clone, Copy)]
pub struct Responses<'a> {
    archive: &'a Archive,
    is_interrupted: IsInterrupted<'a>,
}

impl<'a> Responses<'a> {
    pub fn new(archive: &'a Archive, is_interrupted: IsInterrupted<'a>) -> Self {
        Responses { archive, is_interrupted }
    }

    pub fn project(&self) -> &'a ProjectId {
        &self.archive.manifest().projectid
    }

    /// The response about the project; `None` if the archive has none.
    pub fn of_project<T: DeserializeOwned>(&self, operation: Operation<InProject>) -> Result<Option<T>, LoadProblem> {
        self.at(operation, InProject { projectid: self.project().clone() })
    }

    /// The list about the project, which is empty if the archive has none.
    pub fn list<T: DeserializeOwned>(&self, operation: Operation<InProject>) -> Result<Vec<T>, LoadProblem> {
        let endpoint = operation.at(InProject { projectid: self.project().clone() });
        let Some(text) = self.text(&endpoint)? else { return Ok(Vec::new()) };
        if text.trim_ascii() == b"null" {
            return Ok(Vec::new());
        }
        told(&endpoint, decode_list(&text))
    }

    /// The response about the thing with these ids.
    pub fn at<Ids: PathIds, T: DeserializeOwned>(
        &self,
        operation: Operation<Ids>,
        ids: Ids,
    ) -> Result<Option<T>, LoadProblem> {
        let endpoint = operation.at(ids);
        let Some(text) = self.text(&endpoint)? else { return Ok(None) };
        told(&endpoint, decode_around_gaps(&text)).map(Some)
    }

    fn text(&self, endpoint: &Endpoint) -> Result<Option<Vec<u8>>, LoadProblem> {
        check(self.is_interrupted)?;
        Ok(self.archive.answer(&endpoint.path)?.ok())
    }
}

/// Returns the readable part of a response. The log names the rest for the operator.
fn told<T>(endpoint: &Endpoint, read: Result<(T, Gaps), DecodeError>) -> Result<T, LoadProblem> {
    let name = &endpoint.path;
    let (content, gaps) = read.map_err(|error| LoadProblem::Unreadable { name: name.clone(), source: error.source })?;
    for Gap { path, problem } in gaps.described() {
        tracing::warn!("the response {name} of the archive: {path}: {problem}");
    }
    let more = gaps.count() - gaps.described().len();
    if more > 0 {
        tracing::warn!("the response {name} of the archive: {more} more values are wrong");
    }
    Ok(content)
}
