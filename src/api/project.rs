//! `Project` and `AsyncProject`, and the methods of clients that make them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use tokio::time::timeout;

use super::client::{AsyncClient, Client};
use crate::convert::errors::{Exception, Result, input_error};
use crate::convert::from_python::kind;
use crate::convert::results::{Reduced, pickled, unpickled};
use crate::engine::coroutine::Coroutine;
use crate::engine::operations::{Handle, explained};
use crate::engine::runtime::{Request, awaitable, in_python_thread, request, wait, wait_on_workers};
use geodesign::archive::Archive;
use geodesign::model::ProjectId;
use geodesign_client as client;
use geodesign_common::html::card;

/// A project of the service, from `Client.project(id)`. It holds no data: every call asks the service.
///
/// Every operation raises `AuthenticationError` for a bad token, `NotFoundError` for an id that does not exist or a project
/// that the user is not a member of, and `TransportError`, `RequestTimeoutError` or `DecodeError` if the response does not arrive
/// or cannot be read.
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct Project(client::Project);

/// A project of the service, from `AsyncClient.project(id)`: the operations of `Project`, awaited.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def teams(sandbox):
///     ...     project = sandbox.async_client().project("StatenIsland2050")
///     ...     return await project.teams()
///     >>> with Sandbox() as sandbox:
///     ...     len(asyncio.run(teams(sandbox)))
///     4
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncProject(client::Project);

/// The time for which a card waits for the contents of its project.
pub(super) const CARD_TIMEOUT: Duration = Duration::from_secs(2);

type ArchivedState = (String, Option<String>, BTreeMap<String, String>, BTreeMap<String, u64>);

macro_rules! handle {
    ($class:ident of $client:ident) => {
        impl From<client::Project> for $class {
            fn from(project: client::Project) -> Self {
                $class(project)
            }
        }

        impl $class {
            pub(super) fn handle(&self) -> PyResult<client::Project> {
                Ok(self.0.clone())
            }

            /// A client with the same settings.
            fn new_client<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Ok(Bound::new(py, $client::from_config(self.0.client().config().clone())?)?.into_any())
            }
        }

        #[pymethods]
        impl $class {
            /// For pickling: the project in an archive with the given content. Messages call it `path`.
            #[staticmethod]
            fn _in_archive(py: Python<'_>, content: &Bound<'_, PyAny>, path: PathBuf) -> Result<Self> {
                let content = unpickled(py, content)?;
                Ok($class(py.detach(|| client::Project::open_archive_bytes(content, path))?))
            }

            /// For `map_projects`: the same project, with a limit of requests per second.
            fn _paced(&self, requests_per_second: f64) -> Self {
                $class(self.0.paced(requests_per_second))
            }

            /// For `map_projects`: the arguments of a client with the same settings; None for an archive.
            fn _client_arguments<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
                if self.0.opened_archive().is_some() {
                    return Ok(None);
                }
                self.new_client(py)?.call_method0("__getnewargs_ex__").map(Some)
            }

            /// For `archive_all`: the manifest's data of an opened archive's project: the API root, the change id, the
            /// ETags of the responses about the project itself, and counts.
            fn _archived_state(&self) -> PyResult<ArchivedState> {
                archived_state(&self.0)
            }

            /// For pickling: a client with the same settings, including the token, and the project's id; or the content of
            /// the archive, because another machine may not have the file.
            fn __reduce_ex__<'py>(&self, py: Python<'py>, protocol: u8) -> Reduced<'py, Bound<'py, PyTuple>> {
                if let Some(archive) = self.0.opened_archive() {
                    return reduced_archive(&py.get_type::<Self>(), archive, protocol);
                }
                let client = self.new_client(py)?;
                let name = self.0.sought().unwrap_or(self.0.id().as_str());
                Ok((client.get_type().getattr("project")?, (client, name).into_pyobject(py)?))
            }

            fn __repr__(&self) -> String {
                repr(&self.0, stringify!($class))
            }
        }

        #[pymethods]
        impl $client {
            /// A project of the service. Nothing is sent until you ask it for something.
            ///
            /// Args:
            ///     project: Its id (16 letters and digits), its title in upper or lower case, or the unique start of its title. Text in the
            ///         form of an id is an id.
            ///
            /// Raises:
            ///     InputError: On the first request: the user has no project of that title, or several; it lists them.
            ///     NotFoundError: On the first request: there is no project of that id.
            ///
            /// Examples:
            ///     >>> client.project("Staten Island").id
            ///     'StatenIsland2050'
            fn project(&self, project: GivenProject) -> PyResult<$class> {
                let client = self.handle()?;
                Ok($class(match project {
                    GivenProject::Id(id) => client.project(id),
                    GivenProject::Title(title) => client.project_titled(title),
                }))
            }
        }
    };
}

handle! { Project of Client }
handle! { AsyncProject of AsyncClient }

/// Calls a Python function with the blocking project, on a thread of its own.
fn calling(work: Py<PyAny>, project: client::Project) -> Request {
    let of_project = Some(project.clone());
    let called = request(async move {
        let project = Handle::found(project).await?;
        in_python_thread(move |py| work.call1(py, (Project(project),))).await
    });
    explained(called, of_project)
}

#[pymethods]
impl Project {
    /// For methods in Python with many requests: the result of a function of this project.
    #[pyo3(signature = (work: "Callable[[Project], Any]") -> "Any")]
    fn _call(&self, py: Python<'_>, work: Py<PyAny>) -> PyResult<Py<PyAny>> {
        wait(py, calling(work, self.handle()?))
    }

    /// For `compare_archives`: the time when an opened archive was written; None for a project of a service.
    fn _archived_at(&self) -> Option<String> {
        self.0.opened_archive().map(|archive| archive.manifest().created_at.clone())
    }

    /// The contents, requested from the service; if that fails, what is known without it.
    fn _repr_html_(&self, py: Python<'_>) -> String {
        let project = self.0.clone();
        let asked = async move { Ok(timeout(CARD_TIMEOUT, content(&project)).await) };
        let content = if self.0.opened_archive().is_none() { wait_on_workers(py, asked).ok() } else { None };
        html(&self.0, "Project", content.and_then(Result::ok).and_then(Result::ok).unwrap_or_default())
    }

    /// The project's id: 16 letters and digits. For a project given by its title, it is known after the lookup.
    #[getter]
    fn id(&self, py: Python<'_>) -> Result<String> {
        if self.0.sought().is_some() {
            let project = self.0.clone();
            wait_on_workers(py, async move { Ok(project.find().await?) })?;
        }
        Ok(self.0.id().to_string())
    }
}

#[pymethods]
impl AsyncProject {
    /// The same as for `Project`; messages call the coroutine by the function's `__qualname__`.
    #[pyo3(signature = (work: "Callable[[Project], Any]") -> "Coroutine[Any, Any, Any]")]
    fn _call(&self, work: &Bound<'_, PyAny>) -> PyResult<Coroutine> {
        let name: String = work.getattr("__qualname__")?.extract()?;
        Ok(awaitable(name, calling(work.clone().unbind(), self.handle()?)))
    }

    fn _repr_html_(&self) -> String {
        html(&self.0, "AsyncProject", Vec::new())
    }

    /// The project's id: 16 letters and digits. For a project given by its title, it is known after the lookup.
    #[getter]
    fn id(&self) -> PyResult<String> {
        match self.0.sought() {
            None => Ok(self.0.id().to_string()),
            Some(title) => {
                let problem = format!("the id of the project {title:?} is not known yet; await the project once");
                Err(PyTypeError::new_err(problem))
            }
        }
    }

    /// Looks up the id of a project by its title, once.
    fn __await__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let project = self.0.clone();
        let found = request::<AsyncProject>(async move {
            project.find().await?;
            Ok(AsyncProject(project))
        });
        Ok(Bound::new(py, awaitable("AsyncProject.__await__", found))?.into_any().unbind())
    }
}

/// A project, given by its id or its title.
pub enum GivenProject {
    Id(ProjectId),
    Title(String),
}

impl FromPyObject<'_, '_> for GivenProject {
    type Error = PyErr;

    /// Accepts an id, a title or its unique start, or a project, such as one from an archive or another client.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let of = |project: &client::Project| match project.sought() {
            Some(title) => GivenProject::Title(title.to_owned()),
            None => GivenProject::Id(project.id().clone()),
        };
        if let Ok(project) = object.cast::<Project>() {
            return Ok(of(&project.get().0));
        }
        if let Ok(project) = object.cast::<AsyncProject>() {
            return Ok(of(&project.get().0));
        }
        let Ok(text) = object.cast::<PyString>() else {
            let kind = kind(&object);
            let has_id = object.is_instance_of::<PyDict>() && object.contains("id")?;
            let hint = if has_id { ". The dict has it as its 'id'" } else { "" };
            let problem = format!("give a project by its id, its title or as a Project, not by {kind}{hint}");
            return Err(input_error(problem));
        };
        let text = text.to_cow()?.into_owned();
        if text.trim().is_empty() {
            return Err(input_error(
                "the title or id of the project is empty; client.projects() lists those of the user",
            ));
        }
        Ok(text.trim().parse().map_or_else(|_| GivenProject::Title(text), GivenProject::Id))
    }
}

fn archived_state(project: &client::Project) -> PyResult<ArchivedState> {
    let manifest = project.opened_archive().map(Archive::manifest);
    let manifest = manifest.ok_or_else(|| input_error("the project is not from an archive"))?;
    let of_project = manifest.etags.iter().filter(|(name, _)| !name.contains('/'));
    let etags = of_project.map(|(name, etag)| (name.clone(), etag.clone())).collect();
    Ok((manifest.source.clone(), manifest.changeid.clone(), etags, manifest.counts.clone()))
}

fn reduced_archive<'py>(
    class: &Bound<'py, PyType>,
    archive: &Archive,
    protocol: u8,
) -> Reduced<'py, Bound<'py, PyTuple>> {
    let py = class.py();
    let content =
        pickled(py, &archive.content().map_err(|error| client::Error::from(error).into_exception())?, protocol)?;
    Ok((class.getattr("_in_archive")?, (content, archive.path()).into_pyobject(py)?))
}

/// The contents of a project, in words.
async fn content(project: &client::Project) -> client::Result<Vec<(&'static str, String)>> {
    project.find().await?;
    let (info, diagrams, members, teams, systems) = tokio::try_join!(
        project.info(),
        project.diagram_summaries(),
        project.members(),
        project.teams(),
        project.systems()
    )?;
    let teams: Vec<String> = teams.into_iter().filter_map(|team| team.title).collect();
    let systems: Vec<String> = systems.into_iter().map(|system| system.item.name).collect();
    Ok(vec![
        ("title", info.projecttitle.unwrap_or_default()),
        ("with", format!("{} diagrams, {} members", diagrams.len(), members.len())),
        ("teams", teams.join(", ")),
        ("systems", systems.join(", ")),
    ])
}

fn html(project: &client::Project, class: &str, content: Vec<(&'static str, String)>) -> String {
    let id = match project.sought() {
        Some(title) => ("asked by", title.to_owned()),
        None => ("id", project.id().to_string()),
    };
    let Some(archive) = project.opened_archive() else {
        return card(class, &[content, vec![id, ("service", project.client().root().to_owned())]].concat());
    };
    let manifest = archive.manifest();
    let counts: Vec<String> =
        manifest.counts.iter().map(|(name, count)| format!("{count} {}", name.replace('_', " "))).collect();
    let rows = [
        id,
        ("archive", archive.path().display().to_string()),
        ("read from", manifest.source.clone()),
        ("at", manifest.created_at.clone()),
        ("with", counts.join(", ")),
    ];
    card(class, &rows)
}

fn repr(project: &client::Project, class: &str) -> String {
    match project.opened_archive() {
        Some(archive) => format!("<{class} {} in {}>", project.id(), archive.path().display()),
        None => {
            let name = project.sought().map_or_else(|| project.id().to_string(), |title| format!("{title:?}"));
            format!("<{class} {name} of {}>", project.client().root())
        }
    }
}
