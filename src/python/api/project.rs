//! `Project` and `AsyncProject`, and the methods of clients that make them.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::cards::card;
use super::client::{AsyncClient, Client};
use crate::client;
use crate::model::ProjectId;
use crate::python::convert::answers::Reduced;

/// A project of the service, from `Client.project(id)`. It holds no data: every call asks the service.
///
/// Every operation raises `AuthenticationError` for a bad token, `NotFoundError` for an id that does not exist or a project of
/// which the user is no member, and `TransportError`, `RequestTimeoutError` or `DecodeError` where the answer does not arrive
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
        }

        #[pymethods]
        impl $class {
            /// The project's id: 16 letters and digits.
            #[getter]
            fn id(&self) -> &str {
                self.0.id().as_str()
            }

            /// For pickling: a client with the same settings, the token among them, and the project's id; or the path of the
            /// archive.
            fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Bound<'py, PyTuple>> {
                if let Some(archive) = self.0.opened_archive() {
                    let open = py.import("pygeodesign")?.getattr("open")?;
                    return Ok((open, (std::path::absolute(archive.path())?,).into_pyobject(py)?));
                }
                let client = Bound::new(py, $client::from_config(self.0.client().config().clone())?)?;
                Ok((client.get_type().getattr("project")?, (client, self.0.id().as_str()).into_pyobject(py)?))
            }

            fn _repr_html_(&self) -> String {
                let id = ("id", self.0.id().to_string());
                let Some(archive) = self.0.opened_archive() else {
                    let source = ("service", self.0.client().root().to_string());
                    return card(stringify!($class), &[id, source]);
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
                card(stringify!($class), &rows)
            }

            fn __repr__(&self) -> String {
                match self.0.opened_archive() {
                    Some(archive) => {
                        format!("<{} {} in {}>", stringify!($class), self.0.id(), archive.path().display())
                    }
                    None => format!("<{} {} of {}>", stringify!($class), self.0.id(), self.0.client().root()),
                }
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
