//! What an archive holds: every request that reads from a project, in three steps. Each step needs ids from the answers to the
//! one before.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::client::{Error, Project, Result};
use crate::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, BOUNDARIES, BOUNDS, CENTER, CHANGE_ID, CONSTRAINTS, DESIGN, DESIGN_DETAILS,
    DESIGN_DIAGRAM_IDS, DESIGN_ESRI, DESIGN_SYSTEM_PROJECTS, DESIGN_TIMELINE, DESIGNS, DIAGRAM, DIAGRAM_TAG_CODES,
    DIAGRAM_TAGS, DIAGRAMS, EVALUATION, Endpoint, GENERATE_THUMBNAILS, HISTORY, InDesignSystem, LATEST_DESIGN_DETAILS,
    LAYERS, MEMBERS, NEGOTIATION_LOGS, NOTES, OfMember, PLUGINS, PROJECT, SECOND_BOUNDARIES, SELECTED_POLICIES,
    SELECTED_PROJECTS, SELECTION, SELECTION_IN_SYSTEM, STAKEHOLDERS, SYSTEM, SYSTEM_DIAGRAM_IDS, SYSTEMS, TAGS,
    TEAM_MEMBERS, TEAMS,
};
use crate::model::{
    ChangeTeam, DesignId, DiagramId, DiagramSummary, Members, Synthesis, SystemDetail, SystemId, TeamId, Username,
};

/// A request whose answer becomes a member of the archive.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub endpoint: Endpoint,
    /// Whether the service may divide the answer into pages.
    pub is_list: bool,
    /// Whether later requests need ids of the answer.
    pub has_ids: bool,
    /// Whether nothing can be archived without the answer: if the service refuses it, that is an error.
    pub is_required: bool,
}

impl Wanted {
    /// Whether the answer is a picture; all others are JSON.
    pub fn is_picture(&self) -> bool {
        self.endpoint.path.contains("/thumbnail/")
    }
}

/// The answers that are needed for the ids in them, by the paths of their requests.
pub type Answers = BTreeMap<String, Bytes>;

/// The ids of a project.
#[derive(Debug, Default)]
pub struct Ids {
    pub systems: Vec<SystemId>,
    pub members: Vec<Username>,
    pub teams: Vec<TeamId>,
    pub diagrams: Vec<DiagramId>,
    pub designs: Vec<(TeamId, DesignId)>,
}

/// The requests about the project as a whole.
pub fn of_project(project: &Project, with_thumbnails: bool) -> Vec<Wanted> {
    let at = || project.in_project();
    let mut wanted = Vec::from(with_ids(project));
    wanted.extend([HISTORY, LAYERS, TAGS, PLUGINS].map(|list| one_list(list.at(at()))));
    let resources = [
        PROJECT,
        STAKEHOLDERS,
        BOUNDS,
        CENTER,
        BOUNDARIES,
        SECOND_BOUNDARIES,
        CONSTRAINTS,
        ALL_DIAGRAMS,
        ALL_DIAGRAM_DETAILS,
        NEGOTIATION_LOGS,
    ];
    wanted.extend(resources.map(|resource| one(resource.at(at()))));
    wanted.extend(with_thumbnails.then(|| Wanted { has_ids: true, ..one(GENERATE_THUMBNAILS.at(at())) }));
    wanted
}

/// The requests for the ids in the project. Their answers also tell whether the project changed meanwhile.
pub fn with_ids(project: &Project) -> [Wanted; 4] {
    let at = || project.in_project();
    let wanted =
        [one_list(SYSTEMS.at(at())), one(MEMBERS.at(at())), one_list(TEAMS.at(at())), one_list(DIAGRAMS.at(at()))];
    wanted.map(|wanted| Wanted { has_ids: true, is_required: true, ..wanted })
}

/// The requests about each change team.
pub fn of_teams(project: &Project, ids: &Ids) -> Vec<Wanted> {
    let of_team = |team: &TeamId| {
        let [designs, others @ ..] =
            [DESIGNS, TEAM_MEMBERS, LATEST_DESIGN_DETAILS].map(|resource| one(resource.at(project.in_team(*team))));
        [Wanted { has_ids: true, ..designs }].into_iter().chain(others)
    };
    ids.teams.iter().flat_map(of_team).collect()
}

/// The requests about each system.
pub fn of_systems(project: &Project, ids: &Ids) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for &system in &ids.systems {
        wanted.extend(
            [SYSTEM, SYSTEM_DIAGRAM_IDS, EVALUATION].map(|resource| one(resource.at(project.in_system(system)))),
        );
    }
    wanted
}

/// The requests about each member.
pub fn of_members(project: &Project, ids: &Ids) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for member in &ids.members {
        let of_member = OfMember { projectid: project.id().clone(), username: member.as_str().to_owned() };
        wanted.push(one(SELECTION.at(of_member)));
        for &system in &ids.systems {
            let resources = [SELECTION_IN_SYSTEM, SELECTED_PROJECTS, SELECTED_POLICIES];
            wanted.extend(resources.map(|resource| one(resource.at(project.of_member_in_system(member, system)))));
        }
    }
    wanted
}

/// The requests about a diagram.
pub fn of_diagram(project: &Project, diagram: DiagramId) -> [Wanted; 5] {
    let resources = [DIAGRAM, DIAGRAM_TAGS, DIAGRAM_TAG_CODES, NOTES, CHANGE_ID];
    resources.map(|resource| one(resource.at(project.in_diagram(diagram))))
}

/// The requests about each design.
pub fn of_designs(project: &Project, ids: &Ids) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (team, design) in &ids.designs {
        let resources = [DESIGN, DESIGN_DETAILS, DESIGN_DIAGRAM_IDS, DESIGN_TIMELINE, DESIGN_ESRI];
        wanted.extend(resources.map(|resource| one(resource.at(project.in_design(*team, design)))));
        wanted.extend(ids.systems.iter().map(|&sysid| {
            let (projectid, synthesisid) = (project.id().clone(), design.clone());
            one(DESIGN_SYSTEM_PROJECTS.at(InDesignSystem { projectid, cteamid: *team, synthesisid, sysid }))
        }));
    }
    wanted
}

impl Ids {
    /// The ids in the answers about the project.
    pub fn in_project(project: &Project, answers: &Answers) -> Result<Self> {
        let [systems, members, teams, diagrams] = with_ids(project).map(|wanted| wanted.endpoint);
        let systems: Vec<SystemDetail> = decode(answers, &systems)?;
        let members: Members = decode(answers, &members)?;
        let teams: Vec<ChangeTeam> = decode(answers, &teams)?;
        let diagrams: Vec<DiagramSummary> = decode(answers, &diagrams)?;
        Ok(Ids {
            systems: systems.into_iter().map(|system| system.item.id).collect(),
            members: members.members.into_iter().map(|member| member.username).collect(),
            teams: teams.into_iter().map(|team| team.id).collect(),
            diagrams: diagrams.into_iter().map(|diagram| diagram.id).collect(),
            designs: Vec::new(),
        })
    }

    /// Adds the designs in the answers about the teams.
    pub fn add_designs(&mut self, project: &Project, answers: &Answers) -> Result<()> {
        for &team in &self.teams {
            let designs = DESIGNS.at(project.in_team(team));
            // A team of which the service tells nothing has no designs.
            if answers.contains_key(&designs.path) {
                let designs: Synthesis = decode(answers, &designs)?;
                self.designs.extend(designs.synthesis.into_iter().map(|design| (team, design.details.id)));
            }
        }
        Ok(())
    }

    /// How many of each there are, for the manifest.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let counts = [
            ("systems", self.systems.len()),
            ("members", self.members.len()),
            ("teams", self.teams.len()),
            ("diagrams", self.diagrams.len()),
            ("designs", self.designs.len()),
        ];
        counts.into_iter().map(|(name, count)| (name.to_owned(), count as u64)).collect()
    }
}

pub fn one(endpoint: Endpoint) -> Wanted {
    Wanted { endpoint, is_list: false, has_ids: false, is_required: false }
}

pub fn one_list(endpoint: Endpoint) -> Wanted {
    Wanted { is_list: true, ..one(endpoint) }
}

pub fn decode<T: DeserializeOwned>(answers: &Answers, endpoint: &Endpoint) -> Result<T> {
    serde_json::from_slice(answers.get(&endpoint.path).map_or(b"null", Bytes::as_ref)).map_err(|error| Error::Decode {
        request: endpoint.into(),
        problem: error.to_string(),
        source: Some(error.into()),
    })
}
