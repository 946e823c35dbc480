//! Handles on parts of a project: a change team, a design, a system, a diagram, a member. They send nothing until a method needs it.
//! The table of operations has more of their methods.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use http::StatusCode;

use super::api::diagrams::DiagramFilter;
use super::http::cut;
use super::reference::{DiagramReference, GivenDesign, Reference, SystemReference, TeamReference, Titled, among};
use super::{CostOptions, CostSelection, Error, Project, Result};
use geodesign::costs::CostReport;
use geodesign::features::FeatureCollection;
use geodesign::model::operations::{DESIGNS, Endpoint, MEMBERS, SYSTEM, SYSTEMS, TEAMS};
use geodesign::model::{
    ChangeTeam, Design, DesignDetails, DesignId, Diagram, DiagramId, DiagramSummary, Member, Members, NewDesign,
    Synthesis, SystemDetail, SystemEdit, SystemId, TeamEdit, TeamId, Username,
};

/// A part of a project. Clones share the fields that they have read.
#[derive(Debug)]
pub struct Part<T: Referred> {
    project: Project,
    given: T::Reference,
    known: Arc<OnceLock<T>>,
}

/// A change team.
///
/// ```no_run
/// # use geodesign_client::{CostOptions, Part, Project, Reference, TeamHandle};
/// # use geodesign::model::NewDesign;
/// # async fn ask(project: Project) -> geodesign_client::Result<()> {
/// let team: TeamHandle = Part::new(project, Reference::titled("Conservation"));
/// for design in team.designs().await? {
///     println!("{}: {}", design.text(), design.costs(CostOptions::default()).await?.total());
/// }
/// let selections = NewDesign { description: "Round 2".into(), members: team.members().await?, ..NewDesign::default() };
/// team.save(&selections).await?;
/// # Ok(())
/// # }
/// ```
pub type TeamHandle = Part<ChangeTeam>;
/// A design of a change team.
///
/// ```no_run
/// # use geodesign_client::{DesignHandle, GivenDesign, Part, Project, Reference};
/// # async fn ask(project: Project) -> geodesign_client::Result<()> {
/// let given = GivenDesign { design: Some(Reference::titled("Round 2")), ..GivenDesign::default() };
/// let design: DesignHandle = Part::new(project, given);
/// println!("{} diagrams cost {}", design.diagram_ids().await?.len(), design.service_costs().await?.total);
/// # Ok(())
/// # }
/// ```
pub type DesignHandle = Part<Design>;
/// A system.
///
/// ```no_run
/// # use geodesign_client::{Part, Project, Reference, SystemHandle};
/// # use geodesign::model::SystemEdit;
/// # async fn ask(project: Project) -> geodesign_client::Result<()> {
/// let water: SystemHandle = Part::new(project, Reference::titled("Water"));
/// println!("{} areas", water.evaluation().await?.len());
/// water.edit(&SystemEdit { budget: Some(4e9), ..SystemEdit::default() }).await?;
/// # Ok(())
/// # }
/// ```
pub type SystemHandle = Part<SystemDetail>;
/// A diagram.
///
/// ```no_run
/// # use geodesign_client::{DiagramHandle, Part, Project};
/// # use geodesign::model::DiagramId;
/// # async fn ask(project: Project) -> geodesign_client::Result<()> {
/// let diagram: DiagramHandle = Part::new(project, DiagramId(1001).into());
/// println!("{:?}, in {} features", diagram.read().await?.description, diagram.features().await?.len());
/// # Ok(())
/// # }
/// ```
pub type DiagramHandle = Part<Diagram>;
/// A member.
///
/// ```no_run
/// # use geodesign_client::{MemberHandle, Part, Project};
/// # async fn ask(project: Project) -> Result<(), Box<dyn std::error::Error>> {
/// let member: MemberHandle = Part::new(project, "amara.okafor".parse()?);
/// println!("{}", member.service_costs().await?.total);
/// # Ok(())
/// # }
/// ```
pub type MemberHandle = Part<Member>;

/// The fields that a handle reads when they are first needed.
pub trait Referred: Titled + Sized + Send + Sync + 'static {
    type Reference: Given;

    fn reference(&self, project: &Project) -> Self::Reference;

    fn read(project: &Project, given: &Self::Reference) -> impl Future<Output = Result<Self>> + Send;
}

/// A reference to a part.
pub trait Given: Clone + PartialEq + Send + Sync {
    /// Text for a reader.
    fn shown(&self) -> String;

    /// The arguments of `Project::team` and the like.
    fn arguments(&self) -> Vec<Option<String>>;

    /// Its id, if known.
    fn id(&self) -> Option<String>;
}

impl<T: Referred> Clone for Part<T> {
    fn clone(&self) -> Self {
        Part { project: self.project.clone(), given: self.given.clone(), known: self.known.clone() }
    }
}

impl<T: Referred> Part<T> {
    pub fn new(project: Project, given: T::Reference) -> Self {
        Part { project, given, known: Arc::default() }
    }

    /// Makes a handle whose fields have been read.
    pub fn known(project: Project, thing: T) -> Self {
        Part { given: thing.reference(&project), project, known: Arc::new(OnceLock::from(thing)) }
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Returns a reference to the part, by its id once that is known.
    pub fn reference(&self) -> T::Reference {
        self.known.get().map_or_else(|| self.given.clone(), |known| known.reference(&self.project))
    }

    /// The fields, if they have been read.
    pub fn get(&self) -> Option<&T> {
        self.known.get()
    }

    /// Returns its fields, which are read once.
    pub async fn read(&self) -> Result<&T> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        self.project.find().await?;
        let read = T::read(&self.project, &self.given).await?;
        Ok(self.known.get_or_init(|| read))
    }

    /// The arguments of the project's method that makes this handle.
    pub fn arguments(&self) -> Vec<Option<String>> {
        self.reference().arguments()
    }

    /// The same part, where an unreadable row is an error.
    pub fn strictly(&self) -> Self {
        Part { project: self.project.strictly(), ..self.clone() }
    }

    /// The reference that was given, or its title once that is known.
    pub fn text(&self) -> String {
        let Some(known) = self.known.get() else { return self.given.shown() };
        let (id, title) = (known.id().to_string(), known.title());
        if title.is_empty() || title == id { id } else { format!("{id} {title:?}") }
    }
}

impl TeamHandle {
    pub async fn id(&self) -> Result<TeamId> {
        self.project.find_team(&self.reference()).await
    }

    /// Returns the design saved last.
    pub async fn latest(&self) -> Result<DesignHandle> {
        let given = GivenDesign { team: Some(self.reference()), design: None };
        let design = Design::read(&self.project, &given).await?;
        Ok(Part::known(self.project.clone(), design))
    }

    /// Returns its designs, oldest first.
    pub async fn designs(&self) -> Result<Vec<DesignHandle>> {
        self.project.design_handles(Some(&self.reference())).await
    }

    /// Saves a design of the team.
    pub async fn save(&self, design: &NewDesign) -> Result<DesignHandle> {
        let cteamid = self.id().await?;
        let details = self.project.save_design(cteamid, design).await?;
        Ok(Part::known(self.project.clone(), Design { cteamid, details }))
    }

    /// Changes the given fields of the team.
    pub async fn edit(&self, edit: &TeamEdit) -> Result<TeamHandle> {
        let team = self.project.edit_team(self.id().await?, edit).await?;
        Ok(Part::known(self.project.clone(), team))
    }
}

impl DesignHandle {
    pub async fn ids(&self) -> Result<(TeamId, DesignId)> {
        self.project.find_design(&self.reference()).await
    }

    pub async fn costs(&self, options: CostOptions) -> Result<CostReport> {
        let (team, design) = self.ids().await?;
        self.project.costs(CostSelection::Design(team, design), options).await
    }

    /// Returns its current name and the time when it was saved.
    pub async fn details(&self) -> Result<DesignDetails> {
        let given = self.reference();
        if let GivenDesign { team: Some(team), design: None } = &given {
            let team = self.project.find_team(team).await?;
            let listed = async { Ok(Design::read(&self.project, &given).await?.details) };
            // A service's "latest" design need not be the latest, and need not be in its list either.
            let (listed, told) = tokio::join!(listed, self.project.design_details(team, None));
            return match (listed, told) {
                (Ok(listed), Ok(told)) if saved_at(&told) > saved_at(&listed) => Ok(told),
                (listed, _) => listed,
            };
        }
        let (team, design) = self.ids().await?;
        match self.project.design_details(team, Some(&design)).await {
            // Without this operation, the list has the same fields.
            Err(missing @ Error::Api { status: StatusCode::NOT_FOUND, .. }) => {
                let mut designs = self.project.designs(team).await?.into_iter().map(|listed| listed.details);
                designs.find(|listed| listed.id == design).ok_or(missing)
            }
            details => details,
        }
    }

    /// Returns its features, one for each part of a geometry; with a system, only features of its projects in that system.
    pub async fn features(&self, system: Option<&SystemReference>) -> Result<FeatureCollection> {
        let (team, design) = self.ids().await?;
        match system {
            None => self.project.design_features(team, design).await,
            Some(system) => {
                let system = self.project.find_system(system).await?;
                self.project.design_system_projects(team, design, system).await
            }
        }
    }

    /// Returns its diagrams as drawn.
    pub async fn diagrams(&self) -> Result<FeatureCollection> {
        self.project.diagrams_among(&DiagramFilter { design: Some(self.reference()), ..DiagramFilter::default() }).await
    }

    pub async fn rename(&self, title: String) -> Result<DesignHandle> {
        let (cteamid, design) = self.ids().await?;
        let details = self.project.rename_design(cteamid, &design, title).await?;
        Ok(Part::known(self.project.clone(), Design { cteamid, details }))
    }
}

impl SystemHandle {
    pub async fn id(&self) -> Result<SystemId> {
        self.project.find_system(&self.reference()).await
    }

    /// Changes the given fields of the system.
    pub async fn edit(&self, edit: &SystemEdit) -> Result<SystemHandle> {
        let system = self.project.edit_system(self.id().await?, edit).await?;
        Ok(Part::known(self.project.clone(), system))
    }
}

impl DiagramHandle {
    pub async fn id(&self) -> Result<DiagramId> {
        self.project.find_diagram(&self.reference()).await
    }
}

impl MemberHandle {
    // Like the other handles, so that rows of the table have one form.
    #[allow(clippy::unused_async)]
    pub async fn id(&self) -> Result<Username> {
        Ok(self.reference())
    }
}

impl Project {
    #[doc = summary!(TEAMS)]
    pub async fn teams(&self) -> Result<Vec<ChangeTeam>> {
        self.list(TEAMS.at(self.in_project())).await
    }

    #[doc = summary!(DESIGNS)]
    ///
    /// The designs are sorted by date, whatever the service's order.
    pub async fn designs(&self, team: TeamId) -> Result<Vec<Design>> {
        let endpoint = DESIGNS.at(self.in_team(team));
        let transport = &self.client().transport;
        let (Synthesis { synthesis: mut designs }, is_told) = transport.get_with_certainty(endpoint.clone()).await?;
        if !is_told {
            self.check_latest(&endpoint, team, &designs).await?;
        }
        designs.sort_by_key(|design| saved_at(&design.details));
        Ok(designs)
    }

    /// Fails if the service names a team's latest design that is not among those it listed.
    async fn check_latest(&self, endpoint: &Endpoint, team: TeamId, designs: &[Design]) -> Result<()> {
        let latest = match self.design_details(team, None).await {
            // The team has none, or the service does not say.
            Err(Error::Api { .. } | Error::Decode { .. }) => return Ok(()),
            latest => latest?.id,
        };
        if designs.iter().any(|design| design.details.id == latest) {
            return Ok(());
        }
        Err(cut(endpoint, designs.len(), "designs of the team", &format!("design {latest}")))
    }

    #[doc = summary!(SYSTEMS)]
    ///
    /// If the service leaves figures out of the list, each system is read.
    pub async fn systems(&self) -> Result<Vec<SystemDetail>> {
        self.list_with_figures(SYSTEMS.at(self.in_project())).await
    }

    #[doc = summary!(SYSTEM)]
    pub async fn system(&self, id: SystemId) -> Result<SystemDetail> {
        self.get(SYSTEM.at(self.in_system(id))).await
    }

    #[doc = summary!(MEMBERS)]
    pub async fn members(&self) -> Result<Vec<Member>> {
        self.get::<Members>(MEMBERS.at(self.in_project())).await.map(|response| response.members)
    }

    pub async fn team_handles(&self) -> Result<Vec<TeamHandle>> {
        Ok(self.handles(self.teams().await?))
    }

    pub async fn system_handles(&self) -> Result<Vec<SystemHandle>> {
        Ok(self.handles(self.systems().await?))
    }

    /// Returns the designs of a team or of all teams, oldest first.
    pub async fn design_handles(&self, team: Option<&TeamReference>) -> Result<Vec<DesignHandle>> {
        let designs = match team {
            Some(team) => self.designs(self.find_team(team).await?).await?,
            None => self.all_designs().await?,
        };
        Ok(self.handles(designs))
    }

    fn handles<T: Referred>(&self, things: Vec<T>) -> Vec<Part<T>> {
        things.into_iter().map(|thing| Part::known(self.clone(), thing)).collect()
    }

    /// Returns all teams' designs, newest last; designs saved at the same time are in the order of their teams.
    pub async fn all_designs(&self) -> Result<Vec<Design>> {
        let teams = self.teams().await?.into_iter().map(|team| team.id).collect();
        let of_team = |project: Project, team| async move { project.designs(team).await };
        let mut designs = self.for_each(teams, of_team, || {}).await?.concat();
        designs.sort_by_key(|design| saved_at(&design.details));
        Ok(designs)
    }

    /// Returns the id of a team. Titles are looked up in the list of teams; an id needs no request.
    pub async fn find_team(&self, team: &TeamReference) -> Result<TeamId> {
        match team.id_in(self.id(), ChangeTeam::KIND.0)? {
            Some(id) => Ok(id),
            None => Ok(among(team, &self.teams().await?)?.id),
        }
    }

    pub async fn member_handles(&self) -> Result<Vec<MemberHandle>> {
        Ok(self.handles(self.members().await?))
    }

    /// Returns the id of a diagram. Titles are looked up in the list of diagrams; an id needs no request.
    pub async fn find_diagram(&self, diagram: &DiagramReference) -> Result<DiagramId> {
        Ok(self.find_diagrams(std::slice::from_ref(diagram)).await?[0])
    }

    /// Returns the ids of several diagrams, in the same order.
    pub async fn find_diagrams(&self, diagrams: &[DiagramReference]) -> Result<Vec<DiagramId>> {
        let ids = diagrams.iter().map(|diagram| diagram.id_in(self.id(), DiagramSummary::KIND.0));
        let ids: Vec<Option<DiagramId>> = ids.collect::<Result<_>>()?;
        let listed = if ids.contains(&None) { self.diagram_summaries().await? } else { Vec::new() };
        let found = ids.into_iter().zip(diagrams).map(|(id, given)| match id {
            Some(id) => Ok(id),
            None => Ok(among(given, &listed)?.id),
        });
        found.collect()
    }

    /// Returns the ids of several teams.
    pub async fn find_teams(&self, teams: &[TeamReference]) -> Result<Vec<TeamId>> {
        let mut ids = Vec::with_capacity(teams.len());
        for team in teams {
            ids.push(self.find_team(team).await?);
        }
        Ok(ids)
    }

    /// Returns the ids of a design and its team. If the design's id and a team are given, no request is sent.
    pub async fn find_design(&self, given: &GivenDesign) -> Result<(TeamId, DesignId)> {
        if let (Some(team), Some(design)) = (&given.team, &given.design)
            && let Some(design) = design.id_in(self.id(), Design::KIND.0)?
        {
            return Ok((self.find_team(team).await?, design));
        }
        let Design { cteamid, details } = Design::read(self, given).await?;
        Ok((cteamid, details.id))
    }
}

/// Time when a design was saved; before all others if unknown.
fn saved_at(design: &DesignDetails) -> Option<String> {
    design.creationdate.as_ref().map(ToString::to_string)
}

impl Titled for ChangeTeam {
    type Id = TeamId;

    const KIND: (&'static str, &'static str) = ("team", "teams");

    fn id(&self) -> TeamId {
        self.id
    }

    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or_default()
    }
}

impl Titled for Design {
    type Id = DesignId;

    const KIND: (&'static str, &'static str) = ("design", "designs");

    fn id(&self) -> DesignId {
        self.details.id.clone()
    }

    fn title(&self) -> &str {
        self.details.description.as_deref().unwrap_or_default()
    }
}

impl Titled for SystemDetail {
    type Id = SystemId;

    const KIND: (&'static str, &'static str) = ("system", "systems");

    fn id(&self) -> SystemId {
        self.item.id
    }

    fn title(&self) -> &str {
        &self.item.name
    }

    fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }
}

impl Titled for DiagramSummary {
    type Id = DiagramId;

    const KIND: (&'static str, &'static str) = ("diagram", "diagrams");

    fn id(&self) -> DiagramId {
        self.id
    }

    fn title(&self) -> &str {
        self.worlddescription.as_deref().unwrap_or_default()
    }
}

impl Titled for Diagram {
    type Id = DiagramId;

    const KIND: (&'static str, &'static str) = DiagramSummary::KIND;

    fn id(&self) -> DiagramId {
        self.id
    }

    fn title(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }
}

impl Titled for Member {
    type Id = Username;

    const KIND: (&'static str, &'static str) = ("member", "members");

    fn id(&self) -> Username {
        self.username.clone()
    }

    fn title(&self) -> &str {
        self.username.as_str()
    }
}

impl Referred for ChangeTeam {
    type Reference = TeamReference;

    fn reference(&self, project: &Project) -> TeamReference {
        Reference::Of(project.id().clone(), self.id)
    }

    async fn read(project: &Project, given: &TeamReference) -> Result<Self> {
        given.id_in(project.id(), Self::KIND.0)?;
        Ok(among(given, &project.teams().await?)?.clone())
    }
}

impl Referred for SystemDetail {
    type Reference = SystemReference;

    fn reference(&self, project: &Project) -> SystemReference {
        Reference::Of(project.id().clone(), self.item.id)
    }

    async fn read(project: &Project, given: &SystemReference) -> Result<Self> {
        project.system(project.find_system(given).await?).await
    }
}

impl Referred for Design {
    type Reference = GivenDesign;

    fn reference(&self, project: &Project) -> GivenDesign {
        let of = |id: DesignId| Reference::Of(project.id().clone(), id);
        let team = Reference::Of(project.id().clone(), self.cteamid);
        GivenDesign { team: Some(team), design: Some(of(self.details.id.clone())) }
    }

    async fn read(project: &Project, given: &GivenDesign) -> Result<Self> {
        let GivenDesign { team, design } = given;
        let team_id = match team {
            Some(team) => Some(project.find_team(team).await?),
            None => None,
        };
        let designs = match team_id {
            Some(team) => project.designs(team).await?,
            None => project.all_designs().await?,
        };
        let Some(design) = design else {
            // If not all have a date, the service may say which one is the latest.
            let is_undated = designs.iter().any(|design| design.details.creationdate.is_none());
            if let Some(team) = team_id.filter(|_| is_undated && designs.len() > 1)
                && let Ok(told) = project.design_details(team, None).await
                && let Some(latest) = designs.iter().find(|design| design.details.id == told.id)
            {
                return Ok(latest.clone());
            }
            let whose = team.as_ref().map_or_else(|| "project".to_owned(), |team| format!("team {team}"));
            // Services need not sort them by date. Of two of the same moment, the last in the list counts.
            let latest = designs.into_iter().max_by_key(|design| saved_at(&design.details));
            return latest.ok_or_else(|| Error::Input(format!("the {whose} has no design yet")));
        };
        design.id_in(project.id(), Self::KIND.0)?;
        // An id takes precedence over a title with the same spelling, which may have 16 characters.
        let by_title = Reference::Title(design.text());
        let found = among(design, &designs).or_else(|unknown| among(&by_title, &designs).map_err(|_| unknown));
        Ok(found?.clone())
    }
}

impl Referred for Diagram {
    type Reference = DiagramReference;

    fn reference(&self, project: &Project) -> DiagramReference {
        Reference::Of(project.id().clone(), self.id)
    }

    async fn read(project: &Project, given: &DiagramReference) -> Result<Self> {
        project.fields_of_diagram(project.find_diagram(given).await?).await
    }
}

impl Referred for Member {
    type Reference = Username;

    fn reference(&self, _project: &Project) -> Username {
        self.username.clone()
    }

    async fn read(project: &Project, given: &Username) -> Result<Self> {
        Ok(among(&Reference::Id(given.clone()), &project.members().await?)?.clone())
    }
}

impl Given for Username {
    fn shown(&self) -> String {
        self.to_string()
    }

    fn arguments(&self) -> Vec<Option<String>> {
        vec![Some(self.to_string())]
    }

    fn id(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<Id: Clone + Display + PartialEq + Send + Sync> Given for Reference<Id> {
    fn shown(&self) -> String {
        self.to_string()
    }

    fn arguments(&self) -> Vec<Option<String>> {
        vec![Some(self.text())]
    }

    fn id(&self) -> Option<String> {
        match self {
            Reference::Id(id) | Reference::Of(_, id) => Some(id.to_string()),
            Reference::Title(_) => None,
        }
    }
}

impl Given for GivenDesign {
    fn shown(&self) -> String {
        self.design.as_ref().map_or_else(|| "(the latest)".to_owned(), ToString::to_string)
    }

    fn arguments(&self) -> Vec<Option<String>> {
        vec![self.design.as_ref().map(Reference::text), self.team.as_ref().map(Reference::text)]
    }

    /// Only [`Reference::Of`] is certain: text that looks like a design's id may be a title.
    fn id(&self) -> Option<String> {
        self.design.as_ref().filter(|design| matches!(design, Reference::Of(..))).and_then(Given::id)
    }
}
