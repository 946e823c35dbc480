//! Handles on parts of a project: `Team`, `Design`, `System`, and those whose methods are awaited. They hold what the service tells of
//! the part as attributes, and read like the dict of its fields.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::IntoPyObjectExt;
use pyo3::PyClass;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyMapping, PyString, PyTuple};
use serde::Serialize;

use super::cost_report::CostReport;
use super::features::FeatureCollection;
use super::operations::maps::in_python_thread;
use super::operations::room::new_design;
use super::project::{AsyncProject, Project};
use crate::client::{
    self, CostOptions, DesignHandle, GivenDesign, Part, Reference, Referred, SystemHandle, SystemReference, TeamHandle,
    TeamReference, Titled,
};
use crate::costs::CostFigures;
use crate::html::card;
use crate::model::{DiagramId, EsriFeature, SystemId, TeamEdit, TeamId, Timeline, Username};
use crate::python::convert::arguments::{DiagramIds, given_design};
use crate::python::convert::errors::input_error;
use crate::python::convert::external_frame::check_libraries;
use crate::python::convert::from_python::kind;
use crate::python::convert::results::{Nothing, Reduced};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::{making, operations};
use crate::python::engine::runtime::{awaitable, request, wait_on_workers};

/// A change team of a project, from `project.team(…)` or `project.teams()`.
///
/// `project.team(…)` sends nothing: the fields are read when one of them is first asked for. It reads like the dict of its fields,
/// too: `team["title"]`, `dict(team)`. Handles on the same team are equal.
///
/// Examples:
///     >>> team = project.team("Conservation")
///     >>> team.id, team.title == team["title"]
///     (1, True)
///     >>> [design.title for design in team.designs()][0]
///     'Design 1 – room for the water'
#[pyclass(frozen, module = "pygeodesign")]
pub struct Team(TeamHandle);

/// A change team of a project, from `AsyncProject.team(…)`: the methods of `Team`, awaited. `await team` reads its fields.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def title(sandbox):
///     ...     team = await sandbox.async_client().project("StatenIsland2050").team(1)
///     ...     return team.title
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(title(sandbox))
///     'Conservation'
#[pyclass(frozen, module = "pygeodesign")]
pub struct AsyncTeam(TeamHandle);

/// A design of a change team, from `project.design(…)`, `project.designs()` or `team.designs()`.
///
/// `project.design(…)` sends nothing: the fields are read when one of them is first asked for. It reads like the dict of its fields,
/// too: `design["description"]`, `dict(design)`. Handles on the same design are equal.
///
/// Examples:
///     >>> design = project.design("Design 1 – room")
///     >>> design.title, design.team.title
///     ('Design 1 – room for the water', 'Conservation')
///     >>> design.costs().total == project.costs(team=1, design=design.id).total
///     True
#[pyclass(frozen, module = "pygeodesign")]
pub struct Design(DesignHandle);

/// A design of a change team, from `AsyncProject.design(…)`: the methods of `Design`, awaited. `await design` reads its fields.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def total(sandbox):
///     ...     design = sandbox.async_client().project("StatenIsland2050").design("Design 1 – room")
///     ...     return (await design.costs()).total
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(total(sandbox)) > 1e9
///     True
#[pyclass(frozen, module = "pygeodesign")]
pub struct AsyncDesign(DesignHandle);

/// A system of a project, from `project.system(…)` or `project.systems()`.
///
/// `project.system(…)` sends nothing: the fields are read when one of them is first asked for. It reads like the dict of its fields,
/// too: `system["cost"]`, `dict(system)`. Handles on the same system are equal.
///
/// Examples:
///     >>> water = project.system("Water")
///     >>> water.id, water.tag, water["target_ha"]
///     (1, 'WAT', 1200.0)
#[pyclass(frozen, module = "pygeodesign")]
pub struct System(SystemHandle);

/// A system of a project, from `AsyncProject.system(…)`: the methods of `System`, awaited. `await system` reads its fields.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def tag(sandbox):
///     ...     return (await sandbox.async_client().project("StatenIsland2050").system("Water")).tag
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(tag(sandbox))
///     'WAT'
#[pyclass(frozen, module = "pygeodesign")]
pub struct AsyncSystem(SystemHandle);

/// A handle in Python, whichever class it is of.
trait Handle {
    type Thing: Referred + Serialize + Clone;

    fn part(&self) -> &Part<Self::Thing>;

    /// What was read of it, or is read now.
    fn thing(&self, py: Python<'_>) -> PyResult<Self::Thing>;
}

macro_rules! blocking {
    ($class:ident of $made:ident) => {
        impl Handle for $class {
            type Thing = crate::model::$made;

            fn part(&self) -> &Part<Self::Thing> {
                &self.0
            }

            fn thing(&self, py: Python<'_>) -> PyResult<Self::Thing> {
                if let Some(known) = self.0.get() {
                    return Ok(known.clone());
                }
                let part = self.0.clone();
                wait_on_workers(py, Box::pin(async move { Ok(part.read().await?.clone()) }))
            }
        }
    };
}

macro_rules! awaited {
    ($class:ident of $made:ident) => {
        impl Handle for $class {
            type Thing = crate::model::$made;

            fn part(&self) -> &Part<Self::Thing> {
                &self.0
            }

            fn thing(&self, _py: Python<'_>) -> PyResult<Self::Thing> {
                self.0.get().cloned().ok_or_else(|| {
                    let problem = concat!(
                        "the fields of this ",
                        stringify!($class),
                        " have not been read; write `await` before it once"
                    );
                    PyTypeError::new_err(problem)
                })
            }
        }

        #[pymethods]
        impl $class {
            /// Reads its fields, once.
            fn __await__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                let part = self.0.clone();
                let read = request::<$class>(async move {
                    part.read().await?;
                    Ok($class(part))
                });
                let name = concat!(stringify!($class), ".__await__");
                Ok(Bound::new(py, awaitable(name, read))?.into_any().unbind())
            }
        }
    };
}

blocking! { Team of ChangeTeam }
awaited! { AsyncTeam of ChangeTeam }
blocking! { Design of Design }
awaited! { AsyncDesign of Design }
blocking! { System of SystemDetail }
awaited! { AsyncSystem of SystemDetail }

macro_rules! handle {
    ($class:ident of $project:ident by $method:ident holding $part:ident) => {
        impl From<$part> for $class {
            fn from(part: $part) -> Self {
                $class(part)
            }
        }

        impl $class {
            fn handle(&self) -> PyResult<$part> {
                Ok(self.0.clone())
            }
        }

        #[pymethods]
        impl $class {
            /// The project that it is of.
            ///
            /// Examples:
            ///     >>> project.team(1).project.id
            ///     'StatenIsland2050'
            #[getter]
            fn project(&self) -> $project {
                self.0.project().clone().into()
            }

            fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
                fields(self, py)?.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
            }

            fn __contains__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
                fields(self, py)?.contains(name)
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
                fields(self, py)?.try_iter()
            }

            fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
                Ok(fields(self, py)?.len())
            }

            /// The names of its fields, as a dict has them.
            ///
            /// Examples:
            ///     >>> [*project.team(1).keys()]
            ///     ['id', 'title']
            fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                fields(self, py)?.call_method0("keys")
            }

            /// The values of its fields, as a dict has them.
            ///
            /// Examples:
            ///     >>> [*project.team(1).values()]
            ///     [1, 'Conservation']
            fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                fields(self, py)?.call_method0("values")
            }

            /// Names and values of its fields, as a dict has them.
            ///
            /// Examples:
            ///     >>> [*project.team(1).items()]
            ///     [('id', 1), ('title', 'Conservation')]
            fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                fields(self, py)?.call_method0("items")
            }

            /// A field by its name on the wire.
            ///
            /// Args:
            ///     name: Its name.
            ///     default: What it is if there is none of that name.
            ///
            /// Examples:
            ///     >>> project.team(1).get("color", "#000000")
            ///     '#000000'
            #[pyo3(signature = (name, default: "object" = None))]
            fn get<'py>(
                &self,
                py: Python<'py>,
                name: &str,
                default: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Option<Bound<'py, PyAny>>> {
                Ok(fields(self, py)?.get_item(name)?.or(default))
            }

            fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
                match other.cast::<$class>() {
                    Ok(other) => is_same(self, other.get(), py),
                    Err(_) => reads_like(self, other),
                }
            }

            fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
                let mut hasher = DefaultHasher::new();
                self.thing(py)?.id().to_string().hash(&mut hasher);
                Ok(hasher.finish())
            }

            /// For pickling: the project, and how it was referred to.
            fn __reduce_ex__<'py>(&self, py: Python<'py>, _protocol: u8) -> Reduced<'py, Bound<'py, PyTuple>> {
                let project = Bound::new(py, self.project())?.into_any();
                let method = project.get_type().getattr(stringify!($method))?;
                let mut arguments = vec![project];
                for text in self.0.arguments() {
                    arguments.push(text.into_bound_py_any(py)?);
                }
                Ok((method, PyTuple::new(py, arguments)?))
            }

            fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
                html(py, self.0.get(), &self.0.text(), stringify!($class))
            }

            fn __repr__(&self) -> String {
                format!("<{} {} of {}>", stringify!($class), self.0.text(), self.0.project().id())
            }
        }
    };
}

handle! { Team of Project by team holding TeamHandle }
handle! { AsyncTeam of AsyncProject by team holding TeamHandle }
handle! { Design of Project by design holding DesignHandle }
handle! { AsyncDesign of AsyncProject by design holding DesignHandle }
handle! { System of Project by system holding SystemHandle }
handle! { AsyncSystem of AsyncProject by system holding SystemHandle }

/// Its fields, as they are on the wire.
fn fields<'py>(handle: &impl Handle, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    Ok(Json(handle.thing(py)?).into_pyobject(py)?.cast_into::<PyDict>()?)
}

/// Whether both are the same part of the same project, be it in a service, in its copy or in an archive.
fn is_same<H: Handle>(one: &H, other: &H, py: Python<'_>) -> PyResult<bool> {
    let (own, theirs) = (one.part(), other.part());
    if own.project().id() != theirs.project().id() {
        return Ok(false);
    }
    Ok(own.reference() == theirs.reference() || one.thing(py)?.id() == other.thing(py)?.id())
}

/// Whether another mapping, such as a dict, has the same fields.
fn reads_like(handle: &impl Handle, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(other) = other.cast::<PyMapping>() else { return Ok(false) };
    let fields_of_other = PyDict::new(other.py());
    fields_of_other.update(other)?;
    fields(handle, other.py())?.eq(fields_of_other)
}

fn html<T: Serialize>(py: Python<'_>, known: Option<&T>, asked: &str, class: &str) -> PyResult<String> {
    let Some(known) = known else { return Ok(card(class, &[("asked by", asked.to_owned())])) };
    let fields = Json(known).into_pyobject(py)?.cast_into::<PyDict>()?;
    let told = fields.iter().filter(|(_, value)| !value.is_none());
    let rows: Vec<(String, String)> =
        told.map(|(name, value)| Ok((name.to_string(), value.str()?.to_string()))).collect::<PyResult<_>>()?;
    let rows: Vec<(&str, String)> = rows.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    Ok(card(class, &rows))
}

macro_rules! team {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            /// The team's id.
            #[getter]
            fn id(&self, py: Python<'_>) -> PyResult<i64> {
                Ok(self.thing(py)?.id.0)
            }

            /// The team's title; None where it has none.
            #[getter]
            fn title(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.title)
            }

            /// The team's colour, `#RRGGBB`; None where nobody gave one.
            #[getter]
            fn color(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.color)
            }
        }
    };
}

team! { Team }
team! { AsyncTeam }

macro_rules! design {
    ($class:ident of $team:ident) => {
        #[pymethods]
        impl $class {
            /// The design's id, 16 characters.
            #[getter]
            fn id(&self, py: Python<'_>) -> PyResult<String> {
                Ok(self.thing(py)?.details.id.to_string())
            }

            /// The design's title, which the wire calls `description`; None where it has none.
            #[getter]
            fn title(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.details.description)
            }

            /// When it was saved, as the service tells it: ISO 8601, UTC.
            #[getter]
            fn created(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.details.creationdate.map(|date| date.to_string()))
            }

            /// The team whose design it is.
            #[getter]
            fn team(&self, py: Python<'_>) -> PyResult<$team> {
                let team = self.thing(py)?.cteamid;
                Ok($team(Part::new(self.0.project().clone(), team.into())))
            }
        }
    };
}

design! { Design of Team }
design! { AsyncDesign of AsyncTeam }

macro_rules! system {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            /// The system's id.
            #[getter]
            fn id(&self, py: Python<'_>) -> PyResult<i64> {
                Ok(self.thing(py)?.item.id.0)
            }

            /// The system's name.
            #[getter]
            fn name(&self, py: Python<'_>) -> PyResult<String> {
                Ok(self.thing(py)?.item.name)
            }

            /// The system's tag, such as `"WAT"`.
            #[getter]
            fn tag(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.tag)
            }

            /// The system's colour, `#RRGGBB`.
            #[getter]
            fn color(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.item.color)
            }

            /// The cost per hectare of a project, or per kilometre of one that has only lines.
            #[getter]
            fn cost(&self, py: Python<'_>) -> PyResult<Option<f64>> {
                Ok(self.thing(py)?.cost)
            }

            /// The budget of the whole system.
            #[getter]
            fn budget(&self, py: Python<'_>) -> PyResult<Option<f64>> {
                Ok(self.thing(py)?.budget)
            }

            /// Hectares that the system covers today.
            #[getter]
            fn current_ha(&self, py: Python<'_>) -> PyResult<Option<f64>> {
                Ok(self.thing(py)?.current_ha)
            }

            /// Hectares that the system should cover.
            #[getter]
            fn target_ha(&self, py: Python<'_>) -> PyResult<Option<f64>> {
                Ok(self.thing(py)?.target_ha)
            }
        }
    };
}

system! { System }
system! { AsyncSystem }

making! { Project / AsyncProject of client::Project:
    #[doc = summary!(TEAMS)]
    ///
    /// Returns:
    ///     A list of `Team`.
    ///
    /// Examples:
    ///     >>> [team.title for team in project.teams()]
    ///     ['Conservation', 'Developers', 'Mobility', 'Residents']
    fn teams() -> each Team / AsyncTeam = |project| project.team_handles().await;

    /// The designs of the project, newest last, or those of a team.
    ///
    /// Args:
    ///     team: A team: the object, its id, its title or the unique start of one. Default: all teams.
    ///
    /// Returns:
    ///     A list of `Design`.
    ///
    /// Raises:
    ///     InputError: The project has no such team; it lists the teams.
    ///
    /// Examples:
    ///     >>> len(project.designs()), [design.title for design in project.designs("Developers")]
    ///     (10, ['Design 1 – build at the stations', 'Design 2 – North Shore first'])
    #[pyo3(signature = (team=None))]
    fn designs(team: Option<TeamReference>) -> each Design / AsyncDesign = |project| {
        project.design_handles(team.as_ref()).await
    };

    #[doc = summary!(SYSTEMS)]
    ///
    /// Where the service leaves figures out of the list, each system is asked for.
    ///
    /// Returns:
    ///     A list of `System`.
    ///
    /// Examples:
    ///     >>> water = project.systems()[0]
    ///     >>> water.name, water.target_ha
    ///     ('Water', 1200.0)
    fn systems() -> each System / AsyncSystem = |project| project.system_handles().await;
}

macro_rules! parts_of {
    ($project:ident: $team:ident $design:ident $system:ident) => {
        #[pymethods]
        impl $project {
            /// A change team of the project. Nothing is sent until something is asked of it.
            ///
            /// Args:
            ///     team: Its id, its title in upper or lower case, or the unique start of its title.
            ///
            /// Raises:
            ///     InputError: When it is first asked: the project has no such team, or several; it lists them.
            ///
            /// Examples:
            ///     >>> project.team("Conservation").members()[0]
            ///     'amara.okafor'
            fn team(&self, team: TeamReference) -> PyResult<$team> {
                Ok($team(Part::new(self.handle()?, team)))
            }

            /// A design of a change team. Nothing is sent until something is asked of it.
            ///
            /// Args:
            ///     design: Its id, its title in upper or lower case, or the unique start of its title. Default: the latest one.
            ///     team: The team whose design it is, where several teams have one of that title. Default: any.
            ///
            /// Raises:
            ///     InputError: When it is first asked: the project has no such design, or several; it lists them.
            ///
            /// Examples:
            ///     >>> project.design("Design 3 – with the Residents' parks").team.title
            ///     'Conservation'
            ///     >>> project.design(team="Mobility").title
            ///     'Design 3 – what the budget carries'
            #[pyo3(signature = (design=None, team=None))]
            fn design(&self, design: Option<GivenDesign>, team: Option<TeamReference>) -> PyResult<$design> {
                Ok($design(Part::new(self.handle()?, given_design(team, design).unwrap_or_default())))
            }

            /// A system of the project. Nothing is sent until something is asked of it.
            ///
            /// Args:
            ///     system: Its id, its name or tag in upper or lower case, or the unique start of its name.
            ///
            /// Raises:
            ///     InputError: When it is first asked: the project has no system of that name, or several; it lists them.
            ///     NotFoundError: When it is first asked: the project has no system with that id.
            ///
            /// Examples:
            ///     >>> project.system("Water").tag
            ///     'WAT'
            fn system(&self, system: SystemReference) -> PyResult<$system> {
                Ok($system(Part::new(self.handle()?, system)))
            }
        }
    };
}

parts_of! { Project: Team Design System }
parts_of! { AsyncProject: AsyncTeam AsyncDesign AsyncSystem }

making! { Team / AsyncTeam of TeamHandle:
    /// The designs that the team saved, oldest first.
    ///
    /// Returns:
    ///     A list of `Design`.
    ///
    /// Raises:
    ///     InputError: The project has no such team; it lists the teams.
    ///
    /// Examples:
    ///     >>> project.team("Mobility").designs()[-1].title
    ///     'Design 3 – what the budget carries'
    fn designs() -> each Design / AsyncDesign = |team| team.designs().await;

    /// Saves a design of the team. Its members may do this, and administrators.
    ///
    /// It begins with the diagrams of all that is given: `diagrams`, the selections of `members`, another `design`.
    ///
    /// Args:
    ///     title: The design's title.
    ///     diagrams: The ids of diagrams.
    ///     members: Members of the project whose selections it has.
    ///     design: Another design of the project: the object, its id or its title.
    ///     add: The ids of diagrams to add to these.
    ///     remove: The ids of diagrams to leave out.
    ///
    /// Returns:
    ///     The `Design`.
    ///
    /// Raises:
    ///     InputError: No title, or nothing to begin with; nothing was sent. Or there is no such team or design; it lists them.
    ///     BadRequestError: The project lacks a diagram or a member that is named; nothing was saved.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> team = project.team("Residents")
    ///     >>> design = team.save("Round 2", members=["amara.okafor"])
    ///     >>> design in team.designs()
    ///     True
    #[pyo3(signature = (title, diagrams=None, *, members=None, design=None, add=None, remove=None))]
    fn save(
        title: String, diagrams: Option<DiagramIds>, members: Option<Vec<Username>>, design: Option<GivenDesign>,
        add: Option<DiagramIds>, remove: Option<DiagramIds>,
    ) -> one Design / AsyncDesign = |team| {
        let from = match design {
            Some(design) => Some(team.project().find_design(&design).await?.1),
            None => None,
        };
        team.save(&new_design(title, diagrams, members, from, add, remove)).await
    };

    /// Changes what is given of the team. Only an administrator of the project may do this.
    ///
    /// Args:
    ///     title: The team's title.
    ///     members: All members that it then has.
    ///     color: `#RRGGBB`.
    ///
    /// Returns:
    ///     The `Team` as it then is.
    ///
    /// Raises:
    ///     InputError: An empty title, or no such colour; nothing was sent. Or there is no such team; it lists the teams.
    ///     BadRequestError: One of the members is not a member of the project; nothing was changed.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.team("Developers").edit(color="#D95F02").color
    ///     '#D95F02'
    #[pyo3(signature = (*, title=None, members=None, color=None))]
    fn edit(
        title: Option<String>, members: Option<Vec<Username>>, color: Option<String>,
    ) -> one Team / AsyncTeam = |team| {
        team.edit(&TeamEdit { title, color, members }).await
    };
}

operations! { Team / AsyncTeam of TeamHandle:
    /// The members of the team.
    ///
    /// Returns:
    ///     A list of user names.
    ///
    /// Raises:
    ///     InputError: The project has no such team; it lists the teams.
    ///
    /// Examples:
    ///     >>> len(project.team("Conservation").members())
    ///     3
    fn members() -> Json<Vec<Username>> = |team| Ok(Json(team.members().await?));

    /// Removes the team with its designs. Only an administrator of the project may do this.
    ///
    /// Raises:
    ///     InputError: The project has no such team; it lists the teams.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> added = project.add_team("A mistake")
    ///     >>> project.team("A mistake").delete()
    fn delete() -> Nothing = |team| {
        team.delete().await?;
        Ok(Nothing)
    };
}

making! { Design / AsyncDesign of DesignHandle:
    /// Renames the design. Members of its team may do this, and administrators.
    ///
    /// Args:
    ///     title: Its new title.
    ///
    /// Returns:
    ///     The `Design` as it then is.
    ///
    /// Raises:
    ///     InputError: An empty title; nothing was sent. Or there is no such design; it lists them.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> design = project.team("Residents").save("Draft", [1001])
    ///     >>> design.rename("Round 4").title
    ///     'Round 4'
    fn rename(title: String) -> one Design / AsyncDesign = |design| design.rename(title).await;
}

operations! { Design / AsyncDesign of DesignHandle:
    /// What its diagrams cost, system by system: `Project.costs` of this design.
    ///
    /// Args:
    ///     check: Whether to check the geometries, as `Project.costs` does.
    ///     strict: Whether a diagram is an error of which something is wrong or cannot be read, as in `Project.costs`.
    ///
    /// Returns:
    ///     A `CostReport`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///     DecodeError: A diagram without an id; with `strict=True`, any that is wrong.
    ///
    /// Examples:
    ///     >>> totals = {team.title: team.designs()[-1].costs().total for team in project.teams()}
    ///     >>> sorted(totals)
    ///     ['Conservation', 'Developers', 'Mobility', 'Residents']
    #[pyo3(signature = (*, check=false, strict=false))]
    fn costs(check: bool, strict: bool) -> CostReport = |design| {
        let design = if strict { design.strictly() } else { design };
        Ok(design.costs(CostOptions { check, external: None }).await?.into())
    };

    /// What its diagrams cost, system by system, computed by the service: the same figures as those of `costs()`.
    ///
    /// Returns:
    ///     A `CostFigures` dict, see `Project.service_costs()`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> design = project.design("Design 1 – room")
    ///     >>> design.service_costs()["total"] == design.costs().total
    ///     True
    fn service_costs() -> Json<CostFigures> = |design| Ok(Json(design.service_costs().await?));

    /// The ids of its diagrams.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> len(project.design("Design 1 – room").diagram_ids()) > 0
    ///     True
    fn diagram_ids() -> Json<Vec<DiagramId>> = |design| Ok(Json(design.diagram_ids().await?));

    /// Its diagrams with their features, as they were drawn: `Project.diagrams` of this design.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> design = project.design("Design 1 – room")
    ///     >>> sorted({*design.diagrams().to_geopandas()["diagramid"]}) == sorted(design.diagram_ids())
    ///     True
    fn diagrams() -> FeatureCollection = |design| Ok(design.diagrams().await?.into());

    /// The days on which its diagrams start and end.
    ///
    /// Returns:
    ///     A dict from diagram id to a dict with `start` and `end` (`YYYY-MM-DD`, or None).
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> design = project.design("Design 1 – room")
    ///     >>> sorted(design.timeline()) == design.diagram_ids()
    ///     True
    fn timeline() -> Json<Timeline> = |design| Ok(Json(design.timeline().await?));

    /// Its diagrams as a GeoDataFrame, in EPSG:4326: `diagrams().to_geopandas()`.
    ///
    /// Returns:
    ///     A GeoDataFrame with a row for each feature, and one for each diagram without features.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Examples:
    ///     >>> frame = project.design("Design 1 – room").to_geopandas()
    ///     >>> frame.crs.to_epsg()
    ///     4326
    fn to_geopandas() -> Frame = |design| {
        check_libraries()?;
        let diagrams = design.diagrams().await?;
        let convert = move |py: Python<'_>| {
            Ok(Bound::new(py, FeatureCollection::from(diagrams))?.call_method0("to_geopandas")?.unbind())
        };
        in_python_thread(convert).await.map(Frame)
    };

    /// The features of its diagrams, as feature-JSON.
    ///
    /// Returns:
    ///     A list of `EsriFeature` dicts: `attributes`, and `geometry` with `rings` or `paths` and `spatialReference`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> project.design("Design 1 – room").esri()[0]["geometry"]["spatialReference"]
    ///     {'wkid': 4326}
    fn esri() -> Json<Vec<EsriFeature>> = |design| Ok(Json(design.esri().await?));

    /// Removes the design. Members of its team may do this, and administrators.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> design = project.team("Residents").save("A mistake", [1001])
    ///     >>> design.delete()
    fn delete() -> Nothing = |design| {
        design.delete().await?;
        Ok(Nothing)
    };
}

operations! { System / AsyncSystem of SystemHandle:
    /// The ids of its diagrams.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     InputError: The project has no system of that name; it lists the systems.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> project.system("Water").diagram_ids()[:3]
    ///     [1001, 1002, 1003]
    fn diagram_ids() -> Json<Vec<DiagramId>> = |system| Ok(Json(system.diagram_ids().await?));

    /// Its evaluation map: where change is wanted, and where not.
    ///
    /// Returns:
    ///     A `FeatureCollection` with the properties `areatype` and `color`, as `Project.evaluation` gives it.
    ///
    /// Raises:
    ///     InputError: The project has no system of that name; it lists the systems.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> len(project.system("Water").evaluation()) > 0
    ///     True
    fn evaluation() -> FeatureCollection = |system| Ok(system.evaluation().await?.into());
}

#[pymethods]
impl Design {
    /// A map to look around in, of its diagrams: `Project.map` of this design.
    ///
    /// Args:
    ///     options: The other arguments of `Project.map`, such as `currency` and `basemap`.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.WebMap`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` brings them.
    ///
    /// Examples:
    ///     >>> project.design("Design 1 – room").map(currency="USD").to_html("design.html")
    #[pyo3(signature = (**options: "Any") -> "WebMap")]
    fn map<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "map", (), ("design", slf), options)
    }
}

#[pymethods]
impl AsyncDesign {
    /// A map to look around in, of its diagrams: `Project.map` of this design.
    ///
    /// Args:
    ///     options: The other arguments of `Project.map`, such as `currency` and `basemap`.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.WebMap`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` brings them.
    ///
    /// Examples:
    ///     >>> project.design("Design 1 – room").map(currency="USD").to_html("design.html")
    #[pyo3(signature = (**options: "Any") -> "Coroutine[Any, Any, WebMap]")]
    fn map<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "map", (), ("design", slf), options)
    }
}

#[pymethods]
impl System {
    /// Adds a diagram for each row of a frame or file: `Project.add_diagrams` to this system.
    ///
    /// Args:
    ///     frame: A GeoDataFrame, a geometry, GeoJSON, or the path of a file, as `Project.add_diagrams` takes it.
    ///     title: The column that has the titles.
    ///     options: The other arguments of `Project.add_diagrams`.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts.
    ///
    /// Raises:
    ///     InputError: A row or an option that `Project.add_diagrams` refuses; nothing was sent.
    ///
    /// Examples:
    ///     >>> rows = project.system("Water").add(project.boundaries().to_geopandas(), title="bname", dry_run=True)
    ///     >>> len(rows) > 0
    ///     True
    #[pyo3(signature = (frame: "_Geometries", *, title: "str", **options: "Any") -> "list[UploadedRow]")]
    fn add<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
        title: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "add_diagrams", (slf, frame), ("title", title), options)
    }
}

#[pymethods]
impl AsyncSystem {
    /// Adds a diagram for each row of a frame or file: `Project.add_diagrams` to this system.
    ///
    /// Args:
    ///     frame: A GeoDataFrame, a geometry, GeoJSON, or the path of a file, as `Project.add_diagrams` takes it.
    ///     title: The column that has the titles.
    ///     options: The other arguments of `Project.add_diagrams`.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts.
    ///
    /// Raises:
    ///     InputError: A row or an option that `Project.add_diagrams` refuses; nothing was sent.
    ///
    /// Examples:
    ///     >>> rows = project.system("Water").add(project.boundaries().to_geopandas(), title="bname", dry_run=True)
    ///     >>> len(rows) > 0
    ///     True
    #[pyo3(signature = (frame: "_Geometries", *, title: "str", **options: "Any") -> "Coroutine[Any, Any, list[UploadedRow]]")]
    fn add<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
        title: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "add_diagrams", (slf, frame), ("title", title), options)
    }
}

/// What a method of the project does with a part of it.
fn call_project<'py, H: PyClass>(
    handle: &Bound<'py, H>,
    method: &str,
    arguments: impl PyCallArgs<'py>,
    (name, value): (&str, impl IntoPyObject<'py>),
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options.map_or_else(|| Ok(PyDict::new(handle.py())), |options| options.copy())?;
    if options.contains(name)? {
        return Err(input_error(format!("{name}= is given by what the method is of: leave it out")));
    }
    options.set_item(name, value)?;
    handle.as_any().getattr("project")?.call_method(method, arguments, Some(&options))
}

/// A GeoDataFrame.
#[derive(IntoPyObject)]
struct Frame(Py<PyAny>);

/// A part of a project by its handle, its id, its title, or the unique start of its title.
macro_rules! references {
    ($($reference:ident of $id:ident by $handle:ident or $awaited:ident;)*) => {$(
        impl FromPyObject<'_, '_> for $reference {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                if let Ok(handle) = object.cast::<$handle>() {
                    return Ok(handle.get().0.reference());
                }
                if let Ok(handle) = object.cast::<$awaited>() {
                    return Ok(handle.get().0.reference());
                }
                match object.cast::<PyString>() {
                    Ok(text) if text.to_cow()?.trim().parse::<i64>().is_err() => Ok(Reference::Title(text.to_string())),
                    _ => object.extract::<$id>().map(Reference::Id),
                }
            }
        }
    )*};
}

references! {
    SystemReference of SystemId by System or AsyncSystem;
    TeamReference of TeamId by Team or AsyncTeam;
}

impl FromPyObject<'_, '_> for GivenDesign {
    type Error = PyErr;

    /// From a handle, from an id, or from a title or the unique start of one.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(handle) = object.cast::<Design>() {
            return Ok(handle.get().0.reference());
        }
        if let Ok(handle) = object.cast::<AsyncDesign>() {
            return Ok(handle.get().0.reference());
        }
        let Ok(text) = object.extract::<String>() else {
            let kind = kind(&object);
            return Err(input_error(format!("a design is given by its id, its title or as a Design, not by {kind}")));
        };
        let design = text.trim().parse().map_or_else(|_| Reference::Title(text), Reference::Id);
        Ok(GivenDesign { team: None, design: Some(design) })
    }
}
