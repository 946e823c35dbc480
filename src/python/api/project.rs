//! `Project` and `AsyncProject`, and the methods of clients that make them.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::client::{AsyncClient, Client};
use crate::archive::Archive;
use crate::client;
use crate::html::card;
use crate::model::ProjectId;
use crate::python::convert::errors::input_error;
use crate::python::convert::results::{Reduced, pickled};

/// A project of the service, from `Client.project(id)`. It holds no data: every call asks the service.
///
/// Every operation raises `AuthenticationError` for a bad token, `NotFoundError` for an id that does not exist or a project of
/// which the user is no member, and `TransportError`, `RequestTimeoutError` or `DecodeError` where the response does not arrive
/// or cannot be read.
#[pyclass(frozen, module = "pygeodesign")]
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
#[pyclass(frozen, module = "pygeodesign")]
pub struct AsyncProject(client::Project);

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
            /// The project's id: 16 letters and digits.
            #[getter]
            fn id(&self) -> &str {
                self.0.id().as_str()
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

            /// For `archive_all`: what the manifest of an opened archive tells of the project: the API root, the change id, the
            /// ETags of the responses about the project as a whole, and counts.
            fn _archived_state(&self) -> PyResult<ArchivedState> {
                archived_state(&self.0)
            }

            /// For pickling: a client with the same settings, the token among them, and the project's id; or the content of
            /// the archive, because another machine may not have the file.
            fn __reduce_ex__<'py>(&self, py: Python<'py>, protocol: u8) -> Reduced<'py, Bound<'py, PyTuple>> {
                if let Some(archive) = self.0.opened_archive() {
                    return reduced_archive(py, archive, protocol);
                }
                let client = self.new_client(py)?;
                Ok((client.get_type().getattr("project")?, (client, self.0.id().as_str()).into_pyobject(py)?))
            }

            fn _repr_html_(&self) -> String {
                html(&self.0, stringify!($class))
            }

            fn __repr__(&self) -> String {
                repr(&self.0, stringify!($class))
            }
        }

        #[pymethods]
        impl $client {
            /// A project of the service, by its id. Nothing is sent.
            ///
            /// Args:
            ///     id: The project's id: 16 letters and digits.
            ///
            /// Raises:
            ///     InputError: The id has another form.
            ///
            /// Examples:
            ///     >>> client.project("StatenIsland2050").id
            ///     'StatenIsland2050'
            fn project(&self, id: ProjectId) -> PyResult<$class> {
                Ok($class(self.handle()?.project(id)))
            }
        }
    };
}

handle! { Project of Client }
handle! { AsyncProject of AsyncClient }

fn archived_state(project: &client::Project) -> PyResult<ArchivedState> {
    let manifest = project.opened_archive().map(Archive::manifest);
    let manifest = manifest.ok_or_else(|| input_error("the project is not one of an archive"))?;
    let of_project = manifest.etags.iter().filter(|(name, _)| !name.contains('/'));
    let etags = of_project.map(|(name, etag)| (name.clone(), etag.clone())).collect();
    Ok((manifest.source.clone(), manifest.changeid.clone(), etags, manifest.counts.clone()))
}

fn reduced_archive<'py>(py: Python<'py>, archive: &Archive, protocol: u8) -> Reduced<'py, Bound<'py, PyTuple>> {
    let content = pickled(py, &archive.content().map_err(client::Error::from)?, protocol)?;
    let path = std::path::absolute(archive.path())?;
    let open = py.import("pygeodesign._core")?.getattr("_open_bytes")?;
    Ok((open, (content, path).into_pyobject(py)?))
}

fn html(project: &client::Project, class: &str) -> String {
    let id = ("id", project.id().to_string());
    let Some(archive) = project.opened_archive() else {
        return card(class, &[id, ("service", project.client().root().to_owned())]);
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
        None => format!("<{class} {} of {}>", project.id(), project.client().root()),
    }
}
