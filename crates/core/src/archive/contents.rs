//! Contents of an archive: the responses to every archived operation of the table, read in three steps. Each step needs ids from the
//! responses of the step before.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::json::{DecodeError, decode_around_gaps};
use crate::model::operations::{
    DESIGNS, DIAGRAMS, Endpoint, GENERATE_THUMBNAILS, InDesign, InDesignSystem, InDiagram, InProject, InSystem, InTeam,
    MEMBERS, OfMember, OfMemberInSystem, PathIds, SYSTEMS, TEAMS, archived_operations,
};
use crate::model::{DesignId, DiagramId, Members, ProjectId, Synthesis, SystemId, TeamId, Username};

/// A request whose response becomes a member of the archive.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub endpoint: Endpoint,
    /// True if the service may divide the response into pages.
    pub is_list: bool,
    /// True if later requests need ids from the response.
    pub has_ids: bool,
    /// True if nothing can be archived without the response: it is an error if the service refuses it.
    pub is_required: bool,
}

impl Wanted {
    /// True if the response is a picture; all others are JSON.
    pub fn is_picture(&self) -> bool {
        self.endpoint.path.contains("/thumbnail/")
    }
}

/// Responses whose ids are needed, by the paths of their requests.
pub type Responses = BTreeMap<String, Bytes>;

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
pub fn of_project(project: &ProjectId, with_thumbnails: bool) -> Vec<Wanted> {
    let mut wanted = Vec::from(with_ids(project));
    let others = archived(InProject::new(project.clone()))
        .filter(|other| wanted.iter().all(|known| known.endpoint != other.endpoint));
    let others: Vec<Wanted> = others.collect();
    wanted.extend(others);
    let thumbnails = || Wanted { has_ids: true, ..one(GENERATE_THUMBNAILS.at(InProject::new(project.clone()))) };
    wanted.extend(with_thumbnails.then(thumbnails));
    wanted
}

/// The requests for the ids in the project. Their responses also show whether the project changed meanwhile.
pub fn with_ids(project: &ProjectId) -> [Wanted; 4] {
    [SYSTEMS, MEMBERS, TEAMS, DIAGRAMS].map(|operation| Wanted {
        endpoint: operation.at(InProject::new(project.clone())),
        is_list: operation.is_list,
        has_ids: true,
        is_required: true,
    })
}

/// The requests about each change team.
pub fn of_teams(project: &ProjectId, ids: &Ids) -> Vec<Wanted> {
    let of_team = |team: &TeamId| {
        let designs = DESIGNS.at(InTeam::new(project.clone(), *team));
        archived(InTeam::new(project.clone(), *team))
            .map(move |wanted| Wanted { has_ids: wanted.endpoint == designs, ..wanted })
    };
    ids.teams.iter().flat_map(of_team).collect()
}

/// The requests about each system.
pub fn of_systems(project: &ProjectId, ids: &Ids) -> Vec<Wanted> {
    ids.systems.iter().flat_map(|&system| archived(InSystem::new(project.clone(), system))).collect()
}

/// The requests about each member.
pub fn of_members(project: &ProjectId, ids: &Ids) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for member in &ids.members {
        wanted.extend(archived(OfMember::new(project.clone(), member.as_str().to_owned())));
        wanted.extend(
            ids.systems.iter().flat_map(|&system| {
                archived(OfMemberInSystem::new(project.clone(), system, member.as_str().to_owned()))
            }),
        );
    }
    wanted
}

/// The requests about a diagram.
pub fn of_diagram(project: &ProjectId, diagram: DiagramId) -> impl Iterator<Item = Wanted> {
    archived(InDiagram::new(project.clone(), diagram))
}

/// The requests about each design.
pub fn of_designs(project: &ProjectId, ids: &Ids) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (team, design) in &ids.designs {
        let in_system = |&system| InDesignSystem::new(project.clone(), *team, design.clone(), system);
        wanted.extend(archived(InDesign::new(project.clone(), *team, design.clone())));
        wanted.extend(ids.systems.iter().map(in_system).flat_map(archived));
    }
    wanted
}

/// The requests of all archived operations with these ids.
fn archived<Ids: PathIds>(ids: Ids) -> impl Iterator<Item = Wanted> {
    archived_operations::<Ids>()
        .map(move |operation| Wanted { is_list: operation.is_list, ..one(operation.at(ids.clone())) })
}

impl Ids {
    /// The ids in the responses about the project.
    pub fn in_project(project: &ProjectId, responses: &Responses) -> Result<Self, Undecodable> {
        let [systems, members, teams, diagrams] = with_ids(project).map(|wanted| wanted.endpoint);
        let systems: Vec<WithId<SystemId>> = decode(responses, &systems)?;
        let members: Members = decode(responses, &members)?;
        let teams: Vec<WithId<TeamId>> = decode(responses, &teams)?;
        let diagrams: Vec<WithId<DiagramId>> = decode(responses, &diagrams)?;
        Ok(Ids {
            systems: systems.into_iter().map(|system| system.id).collect(),
            members: members.members.into_iter().map(|member| member.username).collect(),
            teams: teams.into_iter().map(|team| team.id).collect(),
            diagrams: diagrams.into_iter().map(|diagram| diagram.id).collect(),
            designs: Vec::new(),
        })
    }

    /// Adds the designs in the responses about the teams.
    pub fn add_designs(&mut self, project: &ProjectId, responses: &Responses) -> Result<(), Undecodable> {
        for &team in &self.teams {
            let designs = DESIGNS.at(InTeam::new(project.clone(), team));
            // A team without a response has no designs.
            if responses.contains_key(&designs.path) {
                let designs: Synthesis = decode(responses, &designs)?;
                self.designs.extend(designs.synthesis.into_iter().map(|design| (team, design.details.id)));
            }
        }
        Ok(())
    }

    /// Returns the number of items of each kind, for the manifest.
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

/// An element of a list; only its id matters.
#[derive(Deserialize)]
struct WithId<Id> {
    id: Id,
}

/// A response that does not have its operation's form.
#[derive(Debug, thiserror::Error)]
#[error("{endpoint:?}: {source}")]
pub struct Undecodable {
    pub endpoint: Endpoint,
    pub source: Box<DecodeError>,
}

/// Decodes a response. Values that cannot be read are archived as they are, and reported when the archive is read.
pub fn decode<T: DeserializeOwned>(responses: &Responses, endpoint: &Endpoint) -> Result<T, Undecodable> {
    let response = responses.get(&endpoint.path).map_or(b"null".as_slice(), Bytes::as_ref);
    let decoded = decode_around_gaps(response).map(|(content, _)| content);
    decoded.map_err(|source| Undecodable { endpoint: endpoint.clone(), source: source.into() })
}
