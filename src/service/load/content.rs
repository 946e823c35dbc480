//! What an archive tells of a project, apart from how its origin wrote it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answers::Answers;
use super::archived::{ArchivedSystem, DrawnFeature, DrawnFeatures};
use super::diagrams::{ArchivedDiagram, read_diagrams};
use super::error::LoadProblem;
use crate::model::operations::{
    BOUNDARIES, BOUNDS, CENTER, CONSTRAINTS, DESIGN, DESIGN_DIAGRAM_IDS, DESIGNS, EVALUATION, HISTORY, InDesign,
    InProject, InSystem, InTeam, LAYERS, MEMBERS, NEGOTIATION_LOGS, OfMember, OfMemberInSystem, Operation, PLUGINS,
    PROJECT, SECOND_BOUNDARIES, SELECTION, SELECTION_IN_SYSTEM, STAKEHOLDERS, SYSTEM, SYSTEMS, TAGS, TEAM_MEMBERS,
    TEAMS,
};
use crate::model::{
    Bounds, Center, ChangeTeam, DesignDetails, DesignDiagramIds, DiagramId, HistoryEntry, JsonObject, Layer, Members,
    NegotiationLogs, NegotiationSession, Plugin, ProjectBounds, ProjectCenter, ProjectInfo, Stakeholder, Stakeholders,
    Synthesis, SystemDetail, SystemId, Tag, TeamMembers, Username,
};
use crate::service::store::Geography;

/// The whole Earth, for a project whose bounds are not in the archive.
const EARTH: &str = "-180,-90,180,90";

/// A project in an archive.
#[derive(Debug)]
pub struct Content {
    pub info: ProjectInfo,
    /// `YYYY-MM-DD`
    pub start_date: String,
    pub bounds: Bounds,
    pub center: Center,
    pub members: Vec<Username>,
    pub stakeholders: Vec<Stakeholder>,
    pub plugins: Vec<Plugin>,
    pub layers: Vec<Layer<Box<RawValue>>>,
    pub tags: Vec<Tag>,
    pub geographies: Vec<(Geography, ArchivedMap)>,
    pub systems: Vec<ArchivedSystem>,
    pub diagrams: Vec<ArchivedDiagram>,
    pub selections: Vec<(Username, BTreeSet<DiagramId>)>,
    pub teams: Vec<ArchivedTeam>,
    pub negotiations: Vec<NegotiationSession>,
    /// Oldest first.
    pub history: Vec<HistoryEntry>,
}

/// Features with the fields beside them.
#[derive(Debug)]
pub struct ArchivedMap {
    /// As the origin wrote it.
    pub geojson: Box<RawValue>,
    pub resource: JsonObject,
}

#[derive(Debug)]
pub struct ArchivedTeam {
    pub team: ChangeTeam,
    pub members: Vec<Username>,
    pub designs: Vec<(DesignDetails, Vec<DiagramId>)>,
}

impl Content {
    pub fn read(answers: Answers) -> Result<Self, LoadProblem> {
        let info: ProjectInfo = answers.of_project(PROJECT)?.ok_or(LoadProblem::Missing("project.json"))?;
        let bounds: Option<ProjectBounds> = answers.of_project(BOUNDS)?;
        let bounds = match bounds {
            Some(ProjectBounds { bounds }) => bounds,
            None => EARTH.parse().expect("these are bounds"),
        };
        let center = answers.of_project(CENTER)?.map_or_else(|| bounds.center(), |ProjectCenter { center }| center);
        let members: Option<Members> = answers.of_project(MEMBERS)?;
        let members: Vec<_> = members.into_iter().flat_map(|list| list.members).map(|member| member.username).collect();
        let stakeholders: Option<Stakeholders> = answers.of_project(STAKEHOLDERS)?;
        let negotiations: Option<NegotiationLogs> = answers.of_project(NEGOTIATION_LOGS)?;
        let systems = read_systems(answers)?;
        let (teams, drawn) = read_teams(answers)?;
        let diagrams = read_diagrams(answers, &systems, &drawn)?;
        let selections = read_selections(answers, &members, &systems)?;
        let mut history: Vec<HistoryEntry> = answers.list(HISTORY)?;
        history.sort_by_key(|entry| entry.id.0);
        let start_date = info.startdate.as_ref().map_or("1970-01-01".to_owned(), ToString::to_string);
        Ok(Content {
            info,
            start_date,
            bounds,
            center,
            members,
            stakeholders: stakeholders.map(|list| list.stakeholders).unwrap_or_default(),
            plugins: answers.list(PLUGINS)?,
            layers: answers.list(LAYERS)?,
            tags: answers.list(TAGS)?,
            geographies: read_geographies(answers)?,
            systems,
            diagrams,
            selections,
            teams,
            negotiations: negotiations.map(|logs| logs.all_negotiations).unwrap_or_default(),
            history,
        })
    }
}

/// An answer with a map in the field `geojson`.
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

fn read_geographies(answers: Answers) -> Result<Vec<(Geography, ArchivedMap)>, LoadProblem> {
    let maps = [
        (Geography::Boundaries, read_map(answers, BOUNDARIES)?),
        (Geography::SecondBoundaries, read_map(answers, SECOND_BOUNDARIES)?),
        (Geography::Constraints, read_map(answers, CONSTRAINTS)?),
    ];
    Ok(maps.into_iter().filter_map(|(role, map)| Some((role, map?))).collect())
}

fn read_map(answers: Answers, operation: Operation<InProject>) -> Result<Option<ArchivedMap>, LoadProblem> {
    let name = operation.path;
    let Some(answer) = answers.of_project::<Box<RawValue>>(operation)? else { return Ok(None) };
    let read = || {
        let Some(geojson) = serde_json::from_str::<WithMap>(answer.get())?.into_map() else { return Ok(None) };
        let mut resource: JsonObject = serde_json::from_str(answer.get())?;
        resource.0.shift_remove("geojson");
        Ok(Some(ArchivedMap { geojson, resource }))
    };
    read().map_err(|source| LoadProblem::Unreadable { name: name.to_owned(), source })
}

fn read_systems(answers: Answers) -> Result<Vec<ArchivedSystem>, LoadProblem> {
    let listed: Vec<SystemDetail> = answers.list(SYSTEMS)?;
    let read = |listed: SystemDetail| {
        let ids = InSystem { projectid: answers.project().clone(), sysid: listed.item.id };
        let evaluation = answers.at::<_, WithMap>(EVALUATION, ids.clone())?.and_then(WithMap::into_map);
        Ok(ArchivedSystem { detail: answers.at(SYSTEM, ids)?.unwrap_or(listed), evaluation })
    };
    listed.into_iter().map(read).collect()
}

/// The teams with their designs, and the features in the designs.
fn read_teams(answers: Answers) -> Result<(Vec<ArchivedTeam>, Vec<DrawnFeature>), LoadProblem> {
    let mut drawn = Vec::new();
    let mut read = |team: ChangeTeam| {
        let in_team = InTeam { projectid: answers.project().clone(), cteamid: team.id };
        let members: Option<TeamMembers> = answers.at(TEAM_MEMBERS, in_team.clone())?;
        let designs: Option<Synthesis> = answers.at(DESIGNS, in_team)?;
        let mut read = Vec::new();
        for design in designs.into_iter().flat_map(|designs| designs.synthesis) {
            let ids = InDesign {
                projectid: answers.project().clone(),
                cteamid: team.id,
                synthesisid: design.details.id.clone(),
            };
            let features: Option<DrawnFeatures> = answers.at(DESIGN, ids.clone())?;
            let features = features.map(|design| design.features).unwrap_or_default();
            let diagrams: Option<DesignDiagramIds> = answers.at(DESIGN_DIAGRAM_IDS, ids)?;
            let diagrams = match diagrams {
                Some(DesignDiagramIds { diagrams, .. }) => diagrams,
                None => features.iter().filter_map(|feature| feature.properties.diagramid).collect(),
            };
            drawn.extend(features);
            read.push((design.details, diagrams));
        }
        let members = members.map(|list| list.members).unwrap_or_default();
        Ok(ArchivedTeam { team, members, designs: read })
    };
    let teams: Vec<ChangeTeam> = answers.list(TEAMS)?;
    let teams: Result<Vec<_>, LoadProblem> = teams.into_iter().map(&mut read).collect();
    Ok((teams?, drawn))
}

/// The diagrams that each member selected: in all systems or, if the archive does not tell this, in each of them.
fn read_selections(
    answers: Answers,
    members: &[Username],
    systems: &[ArchivedSystem],
) -> Result<Vec<(Username, BTreeSet<DiagramId>)>, LoadProblem> {
    let ids =
        |features: DrawnFeatures| features.features.into_iter().filter_map(|feature| feature.properties.diagramid);
    let selection = |member: &Username| {
        let (projectid, username) = (answers.project().clone(), member.as_str().to_owned());
        let selected: Option<DrawnFeatures> = answers.at(SELECTION, OfMember { projectid, username })?;
        let mut selection = BTreeSet::new();
        match selected {
            Some(selected) => selection.extend(ids(selected)),
            None => {
                for system in systems {
                    let of_member = of_member(answers, member, system.detail.item.id);
                    let selected: Option<DrawnFeatures> = answers.at(SELECTION_IN_SYSTEM, of_member)?;
                    selection.extend(selected.into_iter().flat_map(ids));
                }
            }
        }
        Ok((member.clone(), selection))
    };
    members.iter().map(selection).collect()
}

fn of_member(answers: Answers, member: &Username, sysid: SystemId) -> OfMemberInSystem {
    OfMemberInSystem { projectid: answers.project().clone(), sysid, username: member.as_str().to_owned() }
}
