//! Handles to parts of a project: `Team`, `Design`, `System`, `Diagram`, `Member`, and their async versions. They hold the
//! service's fields of the part as attributes, and read like a dict of them. `Workshop` and `StudyArea` group
//! further operations of a project.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::IntoPyObjectExt;
use pyo3::PyClass;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyMapping, PyString, PyTuple};
use serde::Serialize;

use super::project::{AsyncProject, Project};
use crate::convert::arguments::{Arg, Argument};
use crate::convert::errors::{Exception, input_error};
use crate::convert::from_python::kind;
use crate::convert::results::Reduced;
use crate::convert::to_python::Json;
use crate::engine::runtime::{awaitable, request, wait_on_workers};
use geodesign::model::{DiagramId, SystemId, TeamId, Username};
use geodesign_client::{
    DesignHandle, DiagramHandle, DiagramReference, Given, GivenDesign, MemberHandle, Part, Reference, Referred,
    SystemHandle, SystemReference, TeamHandle, TeamReference, Titled,
};

mod design;
mod diagram;
mod member;
mod of_project;
mod study_area;
mod system;
mod team;
mod workshop;

pub use study_area::{AsyncStudyArea, StudyArea};
pub use workshop::{AsyncWorkshop, Workshop};

/// A change team of a project, from `project.team(…)` or `project.teams()`.
///
/// `project.team(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
/// `team["title"]`, `dict(team)`. Handles to the same team are equal.
///
/// Examples:
///     >>> team = project.team("Conservation")
///     >>> team.id, team.title == team["title"]
///     (1, True)
///     >>> [design.title for design in team.designs()][0]
///     'Design 1 – room for the water'
#[pyclass(frozen, weakref, module = "pygeodesign")]
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
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncTeam(TeamHandle);

/// A design of a change team, from `project.design(…)`, `project.designs()` or `team.designs()`.
///
/// `project.design(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
/// `design["description"]`, `dict(design)`. Handles to the same design are equal.
///
/// Examples:
///     >>> design = project.design("Design 1 – room")
///     >>> design.title, design.team.title
///     ('Design 1 – room for the water', 'Conservation')
///     >>> design.costs().total == project.costs(team=1, design=design.id).total
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
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
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncDesign(DesignHandle);

/// A system of a project, from `project.system(…)` or `project.systems()`.
///
/// `project.system(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
/// `system["cost"]`, `dict(system)`. Handles to the same system are equal.
///
/// Examples:
///     >>> water = project.system("Water")
///     >>> water.id, water.tag, water["target_ha"]
///     (1, 'WAT', 1200.0)
#[pyclass(frozen, weakref, module = "pygeodesign")]
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
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncSystem(SystemHandle);

/// A diagram of a project, from `project.diagram(…)`, or from adding one.
///
/// `project.diagram(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
/// `diagram["additional_metadata"]`, `dict(diagram)`. Handles to the same diagram are equal.
///
/// Examples:
///     >>> diagram = project.diagram(1001)
///     >>> diagram.title, diagram.system.name, diagram["tag_codes"]
///     ('Oakwood Beach tidal marsh restoration', 'Water', 'LS')
///     >>> len(diagram.features()) > 0
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct Diagram(DiagramHandle);

/// A diagram of a project, from `AsyncProject.diagram(…)`: the methods of `Diagram`, awaited. `await diagram` reads its fields.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def title(sandbox):
///     ...     return (await sandbox.async_client().project("StatenIsland2050").diagram(1001)).title
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(title(sandbox))
///     'Oakwood Beach tidal marsh restoration'
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncDiagram(DiagramHandle);

/// A member of a project, from `project.member(…)` or `project.members()`.
///
/// `project.member(…)` sends nothing until you ask the member for something. Handles to the same member are equal.
///
/// Examples:
///     >>> member = project.member("amara.okafor")
///     >>> project.team("Residents").save("What Amara wants", members=[member]).costs().total == member.costs().total
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct Member(MemberHandle);

/// A member of a project, from `AsyncProject.member(…)`: the methods of `Member`, awaited.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def total(sandbox):
///     ...     member = sandbox.async_client().project("StatenIsland2050").member("amara.okafor")
///     ...     return (await member.costs()).total
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(total(sandbox)) > 0
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncMember(MemberHandle);

/// A handle in Python, of any class.
trait Handle {
    type Thing: Referred + Serialize + Clone;

    fn part(&self) -> &Part<Self::Thing>;

    /// The fields read so far, or read now.
    fn thing(&self, py: Python<'_>) -> PyResult<Self::Thing>;

    /// Its id as text; nothing is read if it was given by its id.
    fn key(&self, py: Python<'_>) -> PyResult<String> {
        match self.part().reference().id() {
            Some(id) => Ok(id),
            None => Ok(self.thing(py)?.id().to_string()),
        }
    }
}

macro_rules! blocking {
    ($class:ident of $made:ident) => {
        impl Handle for $class {
            type Thing = geodesign::model::$made;

            fn part(&self) -> &Part<Self::Thing> {
                &self.0
            }

            fn thing(&self, py: Python<'_>) -> PyResult<Self::Thing> {
                if let Some(known) = self.0.get() {
                    return Ok(known.clone());
                }
                let part = self.0.clone();
                wait_on_workers(py, async move { Ok(part.read().await?.clone()) })
            }
        }
    };
}

macro_rules! awaited {
    ($class:ident of $made:ident) => {
        impl Handle for $class {
            type Thing = geodesign::model::$made;

            fn part(&self) -> &Part<Self::Thing> {
                &self.0
            }

            fn thing(&self, _py: Python<'_>) -> PyResult<Self::Thing> {
                self.0.get().cloned().ok_or_else(|| {
                    let problem =
                        concat!("the fields of this ", stringify!($class), " have not been read; await it once");
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
blocking! { Diagram of Diagram }
awaited! { AsyncDiagram of Diagram }
blocking! { Member of Member }
awaited! { AsyncMember of Member }

macro_rules! handle {
    ($class:ident of $project:ident by $method:ident holding $part:ident) => {
        impl From<$part> for $class {
            fn from(part: $part) -> Self {
                $class(part)
            }
        }

        impl $class {
            pub(in crate::api) fn handle(&self) -> PyResult<$part> {
                Ok(self.0.clone())
            }
        }

        #[pymethods]
        impl $class {
            /// The project that it belongs to.
            ///
            /// Examples:
            ///     >>> project.team(1).project.id
            ///     'StatenIsland2050'
            #[getter]
            fn project(&self) -> $project {
                self.0.project().clone().into()
            }

            fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
                let fields = fields(self, py)?;
                fields.get_item(name)?.ok_or_else(|| {
                    PyKeyError::new_err(format!(
                        "{} has no field {name}; its fields are {}",
                        stringify!($class),
                        fields.keys()
                    ))
                })
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

            /// The names of its fields, like a dict's.
            ///
            /// Examples:
            ///     >>> [*project.team(1).keys()]
            ///     ['id', 'title']
            fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                fields(self, py)?.call_method0("keys")
            }

            /// The values of its fields, like a dict's.
            ///
            /// Examples:
            ///     >>> [*project.team(1).values()]
            ///     [1, 'Conservation']
            fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                fields(self, py)?.call_method0("values")
            }

            /// Names and values of its fields, like a dict's.
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
            ///     default: The value if there is no field of that name.
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
                self.key(py)?.hash(&mut hasher);
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
handle! { Diagram of Project by diagram holding DiagramHandle }
handle! { AsyncDiagram of AsyncProject by diagram holding DiagramHandle }
handle! { Member of Project by member holding MemberHandle }
handle! { AsyncMember of AsyncProject by member holding MemberHandle }

/// Its fields, with their names on the wire.
fn fields<'py>(handle: &impl Handle, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    Ok(Json(handle.thing(py)?).into_pyobject(py)?.cast_into::<PyDict>()?)
}

/// True if both are the same part of the same project, in a service, in its copy or in an archive.
fn is_same<H: Handle>(one: &H, other: &H, py: Python<'_>) -> PyResult<bool> {
    let (own, theirs) = (one.part(), other.part());
    // A part of a project given by its title may be in any project until the project is found.
    for handle in [one, other] {
        if handle.part().project().sought().is_some() {
            handle.thing(py)?;
        }
    }
    if own.project().id() != theirs.project().id() {
        return Ok(false);
    }
    Ok(own.reference() == theirs.reference() || one.key(py)? == other.key(py)?)
}

/// True if another mapping, such as a dict, has the same fields.
fn reads_like(handle: &impl Handle, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(other) = other.cast::<PyMapping>() else { return Ok(false) };
    let fields_of_other = PyDict::new(other.py());
    fields_of_other.update(other)?;
    fields(handle, other.py())?.eq(fields_of_other)
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

            /// The team's title; None if it has none.
            #[getter]
            fn title(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.title)
            }

            /// The team's colour, `#RRGGBB`; None if it was never set.
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

            /// The design's title, called `description` on the wire; None if it has none.
            #[getter]
            fn title(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.details.description)
            }

            /// The time of saving, by the service's clock: ISO 8601, UTC.
            #[getter]
            fn created(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.details.creationdate.map(|date| date.to_string()))
            }

            /// The team that saved the design.
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

            /// The cost per hectare of a project, or per kilometre of one with lines only.
            #[getter]
            fn cost(&self, py: Python<'_>) -> PyResult<Option<f64>> {
                Ok(self.thing(py)?.cost)
            }

            /// The budget of the complete system.
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

macro_rules! diagram {
    ($class:ident of $system:ident) => {
        #[pymethods]
        impl $class {
            /// The diagram's id.
            #[getter]
            fn id(&self, py: Python<'_>) -> PyResult<i64> {
                match self.0.reference() {
                    Reference::Id(id) | Reference::Of(_, id) => Ok(id.0),
                    Reference::Title(_) => Ok(self.thing(py)?.id.0),
                }
            }

            /// The diagram's title, called `description` on the wire; None if it has none.
            #[getter]
            fn title(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.description)
            }

            /// The system that it belongs to.
            #[getter]
            fn system(&self, py: Python<'_>) -> PyResult<$system> {
                let system = self.thing(py)?.sysid;
                Ok($system(Part::new(self.0.project().clone(), system.into())))
            }

            /// `"project"` or `"policy"`; None if the service does not say.
            #[getter]
            fn kind(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.kind)
            }

            /// Its first day, `YYYY-MM-DD`; None if it was never set.
            #[getter]
            fn start_date(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.start_date.map(|date| date.to_string()))
            }

            /// Its last day, `YYYY-MM-DD`; None if it was never set.
            #[getter]
            fn end_date(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.thing(py)?.end_date.map(|date| date.to_string()))
            }
        }
    };
}

diagram! { Diagram of System }
diagram! { AsyncDiagram of AsyncSystem }

macro_rules! member {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            /// The member's name.
            #[getter]
            fn username(&self) -> String {
                self.0.reference().to_string()
            }
        }
    };
}

member! { Member }
member! { AsyncMember }

/// One side of a project, which has no fields of its own.
macro_rules! side {
    ($class:ident of $project:ident by $name:ident) => {
        impl From<client::Project> for $class {
            fn from(project: client::Project) -> Self {
                $class(project)
            }
        }

        impl $class {
            pub(in crate::api) fn handle(&self) -> PyResult<client::Project> {
                Ok(self.0.clone())
            }
        }

        #[pymethods]
        impl $class {
            /// For pickling: the project, and the name of this side of it.
            fn __reduce_ex__<'py>(&self, py: Python<'py>, _protocol: u8) -> Reduced<'py, Bound<'py, PyTuple>> {
                let project = Bound::new(py, $project::from(self.0.clone()))?;
                let getattr = py.import("builtins")?.getattr("getattr")?;
                Ok((getattr, (project, stringify!($name)).into_pyobject(py)?))
            }

            fn __repr__(&self) -> String {
                format!("<{} of {}>", stringify!($class), self.0.id())
            }
        }
    };
}

use side;

/// Calls a project's method with a part of the project.
fn call_project<'py, H: PyClass>(
    handle: &Bound<'py, H>,
    method: &str,
    arguments: impl PyCallArgs<'py>,
    (name, value): (&str, impl IntoPyObject<'py>),
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options.map_or_else(|| Ok(PyDict::new(handle.py())), |options| options.copy())?;
    if options.contains(name)? {
        return Err(input_error(format!("{name}= is set by the object of the method: leave it out")));
    }
    options.set_item(name, value)?;
    handle.as_any().getattr("project")?.call_method(method, arguments, Some(&options))
}

/// A GeoDataFrame.
#[derive(IntoPyObject)]
pub struct Frame(Py<PyAny>);

/// A part of a project by its handle, its id, its title, or the unique start of its title.
macro_rules! references {
    ($($reference:ident of $id:ident by $handle:ident or $awaited:ident;)*) => {$(
        impl Argument for $reference {
            fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                if let Ok(handle) = object.cast::<$handle>() {
                    return Ok(handle.get().0.reference());
                }
                if let Ok(handle) = object.cast::<$awaited>() {
                    return Ok(handle.get().0.reference());
                }
                match object.cast::<PyString>() {
                    Ok(text) if text.to_cow()?.trim().parse::<i64>().is_err() => Ok(Reference::Title(text.to_string())),
                    _ => object.extract::<Arg<$id>>().map(|Arg(id)| Reference::Id(id)),
                }
            }
        }
    )*};
}

references! {
    SystemReference of SystemId by System or AsyncSystem;
    TeamReference of TeamId by Team or AsyncTeam;
    DiagramReference of DiagramId by Diagram or AsyncDiagram;
}

impl Argument for GivenDesign {
    /// Accepts a handle, an id, or a title or its unique start.
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(handle) = object.cast::<Design>() {
            return Ok(handle.get().0.reference());
        }
        if let Ok(handle) = object.cast::<AsyncDesign>() {
            return Ok(handle.get().0.reference());
        }
        let Ok(text) = object.cast::<PyString>() else {
            let kind = kind(&object);
            return Err(input_error(format!("give a design by its id, its title or as a Design, not by {kind}")));
        };
        let text = text.to_cow()?.into_owned();
        let design = text.trim().parse().map_or_else(|_| Reference::Title(text), Reference::Id);
        Ok(GivenDesign { team: None, design: Some(design) })
    }
}

impl Argument for Username {
    /// Accepts a name or a handle.
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(handle) = object.cast::<Member>() {
            return Ok(handle.get().0.reference());
        }
        if let Ok(handle) = object.cast::<AsyncMember>() {
            return Ok(handle.get().0.reference());
        }
        let name: String = object.extract()?;
        name.parse::<Username>().map_err(Exception::into_exception)
    }
}
