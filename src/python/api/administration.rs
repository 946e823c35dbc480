//! What whoever runs a sandbox decides: users, members, teams, and whatever the wire only reads.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::features::FeatureCollection;
use super::sandbox::Sandbox;
use crate::features::{self, Layout};
use crate::model::{DiagramId, ProjectId, SystemId, TeamId, Username, Uuid};
use crate::python::convert::arguments::{DiagramIds, from_json};
use crate::python::convert::geometries::Features;
use crate::service::{DiagramSettings, Geography, ProjectKey, Reader, StoreError, SystemSettings, Writer};

/// A timedelta, or seconds.
pub struct Lifetime(pub jiff::Span);

impl FromPyObject<'_, '_> for Lifetime {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let seconds: f64 = match object.hasattr("total_seconds")? {
            true => object.call_method0("total_seconds")?.extract()?,
            false => object.extract()?,
        };
        if seconds.is_nan() {
            return Err(crate::python::convert::errors::input_error("lifetime: nan is no time"));
        }
        let span = jiff::Span::new().try_milliseconds((seconds * 1000.0) as i64);
        span.map(Lifetime)
            .map_err(|problem| crate::python::convert::errors::input_error(format!("lifetime: {problem}")))
    }
}

impl Sandbox {
    fn write<T: Send>(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Writer) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        Ok(py.detach(|| self.service.store().write(write))?)
    }

    fn in_project<T: Send>(
        &self,
        py: Python<'_>,
        id: &ProjectId,
        write: impl FnOnce(&Writer, ProjectKey) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        self.write(py, |writer| write(writer, writer.project_key(id)?))
    }

    /// Reads from a project. Unlike a write, it waits for no other transaction.
    fn read_project<T: Send>(
        &self,
        py: Python<'_>,
        id: &ProjectId,
        read: impl FnOnce(&Reader, ProjectKey) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        Ok(py.detach(|| self.service.store().read(|reader| read(reader, reader.project_key(id)?)))?)
    }
}

#[pymethods]
impl Sandbox {
    /// Adds a user; one of that name stays as it is.
    ///
    /// Args:
    ///     username: 1 to 150 characters.
    ///
    /// Raises:
    ///     InputError: It is no user name.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("noor.haddad")
    ///     >>> "noor.haddad" in sandbox.usernames
    ///     True
    fn add_user(&self, py: Python<'_>, username: Username) -> PyResult<()> {
        self.write(py, |write| write.add_user(&username).map(drop))
    }

    /// Ends all tokens of a user at once.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///
    /// Raises:
    ///     InputError: There is no such user.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("guest")
    ///     >>> sandbox.revoke_tokens("guest")
    fn revoke_tokens(&self, py: Python<'_>, username: Username) -> PyResult<()> {
        self.write(py, |write| write.revoke_tokens(write.user(&username)?).map(drop))?;
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(username.as_str());
        Ok(())
    }

    /// Makes a user a member of a project, or changes what the member may do. A user of that name is added where there is none.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     username: The user.
    ///     administrator: Whether the member administers the project.
    ///
    /// Raises:
    ///     InputError: There is no such project.
    ///
    /// Examples:
    ///     >>> sandbox.add_member("StatenIsland2050", "noor.haddad", administrator=True)
    #[pyo3(signature = (project_id, username, *, administrator=false))]
    fn add_member(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        username: Username,
        administrator: bool,
    ) -> PyResult<()> {
        self.in_project(py, &project_id, |write, project| {
            write.add_member(project, write.add_user(&username)?, administrator)
        })
    }

    /// Ends a membership, with the member's selections and places in teams. What the member drew stays.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     username: A member.
    ///
    /// Raises:
    ///     InputError: There is no such project or member.
    ///
    /// Examples:
    ///     >>> sandbox.add_member("StatenIsland2050", "guest")
    ///     >>> sandbox.remove_member("StatenIsland2050", "guest")
    fn remove_member(&self, py: Python<'_>, project_id: ProjectId, username: Username) -> PyResult<()> {
        self.in_project(py, &project_id, |write, project| write.remove_member(project, &username))
    }

    /// Issues a code with which users create projects, as often as they like.
    ///
    /// Args:
    ///     code: Default: one that nobody can guess.
    ///
    /// Returns:
    ///     The code.
    ///
    /// Raises:
    ///     InputError: The code is empty.
    ///
    /// Examples:
    ///     >>> sandbox.creation_code("WORKSHOP")
    ///     'WORKSHOP'
    #[pyo3(signature = (code=None))]
    fn creation_code(&self, py: Python<'_>, code: Option<String>) -> PyResult<String> {
        self.write(py, |write| match code {
            Some(code) => write.add_creation_code(&code).map(|()| code),
            None => write.new_creation_code(),
        })
    }

    /// Makes a project of the companion planning platform known, so that users can create projects that are linked to it.
    ///
    /// Args:
    ///     gpl_project_id: Its id there.
    ///
    /// Raises:
    ///     InputError: The id is empty.
    ///
    /// Examples:
    ///     >>> sandbox.add_linked_project("GPL-7")
    fn add_linked_project(&self, py: Python<'_>, gpl_project_id: String) -> PyResult<()> {
        self.write(py, |write| write.add_linked_project(&gpl_project_id))
    }

    /// Adds a plugin that projects can use, or describes one anew.
    ///
    /// Args:
    ///     id: A UUID.
    ///     description: What it does.
    ///
    /// Raises:
    ///     InputError: The id is no UUID.
    ///
    /// Examples:
    ///     >>> sandbox.add_plugin("0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10", "Shadow study")
    fn add_plugin(&self, py: Python<'_>, id: Uuid, description: String) -> PyResult<()> {
        self.write(py, |write| write.add_plugin(&id, &description))
    }

    /// Adds a change team.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     title: What the team is called.
    ///     members: Members of the project.
    ///
    /// Returns:
    ///     The team's id.
    ///
    /// Raises:
    ///     InputError: There is no such project or member.
    ///
    /// Examples:
    ///     >>> sandbox.add_team("StatenIsland2050", "Youth council", ["amara.okafor"])
    ///     5
    #[pyo3(signature = (project_id, title, members=Vec::new()), text_signature = "($self, project_id, title, members=())")]
    fn add_team(&self, py: Python<'_>, project_id: ProjectId, title: String, members: Vec<Username>) -> PyResult<i64> {
        self.in_project(py, &project_id, |write, project| {
            let team = write.add_team(project, None, &title)?;
            write.set_team_members(project, team, &members)?;
            Ok(team.0)
        })
    }

    /// Makes these members a change team; no others stay.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     team: The team's id.
    ///     members: Members of the project.
    ///
    /// Raises:
    ///     InputError: There is no such project, team or member.
    ///
    /// Examples:
    ///     >>> sandbox.set_team_members("StatenIsland2050", 4, ["amara.okafor", "jose.villanueva"])
    fn set_team_members(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        team: TeamId,
        members: Vec<Username>,
    ) -> PyResult<()> {
        self.in_project(py, &project_id, |write, project| write.set_team_members(project, team, &members))
    }

    /// Saves a design of a change team.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     team: The team's id.
    ///     description: What the design is called.
    ///     diagrams: The ids of its diagrams.
    ///
    /// Returns:
    ///     The design's id: 16 characters.
    ///
    /// Raises:
    ///     InputError: There is no such project, team or diagram.
    ///
    /// Examples:
    ///     >>> len(sandbox.add_design("StatenIsland2050", 1, "After lunch", [1001, 1002]))
    ///     16
    fn add_design(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        team: TeamId,
        description: String,
        diagrams: DiagramIds,
    ) -> PyResult<String> {
        self.in_project(py, &project_id, |write, project| {
            write.add_design(project, team, &description, &diagrams.0).map(|id| id.to_string())
        })
    }

    /// Makes these diagrams what a member selected; no others stay.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     username: A member.
    ///     diagrams: Diagram ids.
    ///
    /// Raises:
    ///     InputError: There is no such project, member or diagram.
    ///
    /// Examples:
    ///     >>> sandbox.set_selection("StatenIsland2050", "jose.villanueva", [1001, 1040])
    fn set_selection(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        username: Username,
        diagrams: DiagramIds,
    ) -> PyResult<()> {
        self.in_project(py, &project_id, |write, project| write.set_selection(project, &username, &diagrams.0))
    }

    /// Sets the boundaries of a project.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     features: Polygons, as `Project.add_diagram` takes them; a `bname` or `name` among their attributes names them.
    ///     description: What the set is called.
    ///     second: Whether it is the second set.
    ///
    /// Raises:
    ///     InputError: There is no such project, or a geometry that cannot be.
    ///
    /// Examples:
    ///     >>> sandbox.set_boundaries("StatenIsland2050", project.boundaries().to_geopandas(), "Staten Island")
    #[pyo3(signature = (project_id, features, description="".to_owned(), *, second=false), text_signature = "($self, project_id, features, description='', *, second=False)")]
    fn set_boundaries(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        features: Features,
        description: String,
        second: bool,
    ) -> PyResult<()> {
        let role = if second { Geography::SecondBoundaries } else { Geography::Boundaries };
        let map = features.into_map()?;
        self.in_project(py, &project_id, |write, project| write.set_geography(project, role, &description, &map))
    }

    /// Sets the land of a project that cannot change.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     features: Polygons or lines, as `Project.add_diagram` takes them.
    ///     description: What it is called.
    ///
    /// Raises:
    ///     InputError: There is no such project, or a geometry that cannot be.
    ///
    /// Examples:
    ///     >>> sandbox.set_constraints("StatenIsland2050", project.constraints().to_geopandas(), "Reserves")
    #[pyo3(signature = (project_id, features, description="".to_owned()), text_signature = "($self, project_id, features, description='')")]
    fn set_constraints(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        features: Features,
        description: String,
    ) -> PyResult<()> {
        let map = features.into_map()?;
        self.in_project(py, &project_id, |write, project| {
            write.set_geography(project, Geography::Constraints, &description, &map)
        })
    }

    /// Sets what a system costs and is to reach, and its maps. What is not given stays.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     sysid: The system's id.
    ///     cost: Per hectare of a project, or per kilometre of one that has lines only.
    ///     budget: For the whole system.
    ///     current_ha: Hectares that it has today.
    ///     target_ha: Hectares that it is to have.
    ///     evaluation: Polygons with an `areatype`, as `Project.set_evaluation` takes them.
    ///     impact: Polygons, as `Project.set_impact` takes them.
    ///
    /// Raises:
    ///     InputError: There is no such project or system, or a figure that cannot be.
    ///
    /// Examples:
    ///     >>> sandbox.set_system("StatenIsland2050", 9, budget=4e9, target_ha=900)
    ///     >>> project.system(9)["budget"]
    ///     4000000000.0
    #[pyo3(signature = (project_id, sysid, *, cost=None, budget=None, current_ha=None, target_ha=None, evaluation=None, impact=None))]
    #[allow(clippy::too_many_arguments)]
    fn set_system(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        sysid: SystemId,
        cost: Option<f64>,
        budget: Option<f64>,
        current_ha: Option<f64>,
        target_ha: Option<f64>,
        evaluation: Option<Features>,
        impact: Option<Features>,
    ) -> PyResult<()> {
        let evaluation = evaluation.map(Features::into_evaluation).transpose()?;
        let impact = impact.map(Features::into_map).transpose()?;
        let setup = SystemSettings { cost, budget, current_ha, target_ha, evaluation, impact };
        self.in_project(py, &project_id, |write, project| write.set_system(project, sysid, &setup))
    }

    /// Sets what a diagram costs and how it is built. What is not given stays.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     diagram: The diagram's id.
    ///     cost_override: An amount; 0 is none.
    ///     cost_override_type: `total`, or anything else for a cost per hectare.
    ///     building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`.
    ///
    /// Raises:
    ///     InputError: There is no such project or diagram, or an amount that cannot be.
    ///
    /// Examples:
    ///     >>> sandbox.set_diagram("StatenIsland2050", 1180, cost_override=1e6, cost_override_type="total")
    ///     >>> project.costs(diagrams=[1180]).total
    ///     1000000.0
    #[pyo3(signature = (project_id, diagram, *, cost_override=None, cost_override_type=None, building_data=None))]
    fn set_diagram(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        diagram: DiagramId,
        cost_override: Option<f64>,
        cost_override_type: Option<String>,
        building_data: Option<Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let building_data = building_data.map(|data| from_json(&data, "building_data")).transpose()?;
        let figures = DiagramSettings { cost_override, cost_override_type, building_data };
        self.in_project(py, &project_id, |write, project| write.set_diagram(project, diagram, &figures))
    }

    /// Adds a session to the negotiation logs of a project, or replaces the one with the same id.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     session: A dict with `session_id`, `cteams` (team ids) and `moves` (dicts with `diagram`, `move`, `timestamp`).
    ///
    /// Raises:
    ///     InputError: There is no such project, or the session is not of that form.
    ///
    /// Examples:
    ///     >>> sandbox.add_negotiation("StatenIsland2050", {"session_id": "tuesday", "cteams": [1, 2], "moves": []})
    fn add_negotiation(&self, py: Python<'_>, project_id: ProjectId, session: Bound<'_, PyDict>) -> PyResult<()> {
        let session = from_json(&session, "session")?;
        self.in_project(py, &project_id, |write, project| write.add_negotiation(project, &session))
    }

    /// The diagram groups of a project, which the wire can set but not read.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///
    /// Returns:
    ///     A dict from group name to diagram ids.
    ///
    /// Raises:
    ///     InputError: There is no such project.
    ///
    /// Examples:
    ///     >>> message = project.group_diagrams({"Harbour": [1003, 1004]})
    ///     >>> sandbox.diagram_groups("StatenIsland2050")["Harbour"]
    ///     [1003, 1004]
    fn diagram_groups(&self, py: Python<'_>, project_id: ProjectId) -> PyResult<BTreeMap<String, Vec<i64>>> {
        let groups = self.read_project(py, &project_id, |read, project| read.groups(project))?;
        let ids = |diagrams: Vec<DiagramId>| diagrams.into_iter().map(|id| id.0).collect();
        Ok(groups.into_iter().map(|group| (group.group_name, ids(group.diagrams))).collect())
    }

    /// The impact map of a system, which the wire can set but not read.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: There is no such project or system.
    ///
    /// Examples:
    ///     >>> len(sandbox.impact("StatenIsland2050", 9))
    ///     0
    fn impact(&self, py: Python<'_>, project_id: ProjectId, sysid: SystemId) -> PyResult<FeatureCollection> {
        let map = self.read_project(py, &project_id, |read, project| read.impact(project, sysid))?;
        Ok(features::FeatureCollection::from_json(map.0, Layout::Collection)?.into())
    }
}
