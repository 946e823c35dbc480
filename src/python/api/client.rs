//! `Client` and `AsyncClient`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::project::{AsyncProject, Project};
use crate::client::{self, Config};
use crate::model::{self, Bounds, Center, NewProject, ProjectId, Uuid};
use crate::python::convert::arguments::{NewSystems, NewTags};
use crate::python::convert::errors::configuration_error;
use crate::python::convert::to_python::Json;
use crate::python::engine::coroutine::Coroutine;
use crate::python::engine::operations::operations;
use crate::python::engine::runtime;

/// What both classes hold: the settings, and the connections until it is closed.
struct Connection {
    config: Config,
    client: Mutex<Option<client::Client>>,
}

impl Connection {
    fn new(config: Config) -> PyResult<Self> {
        let client = client::Client::new(config.clone())?;
        Ok(Connection { config, client: Mutex::new(Some(client)) })
    }

    fn handle(&self) -> PyResult<client::Client> {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        client.clone().ok_or_else(|| configuration_error("this client was closed; make a new one"))
    }

    fn close(&self) {
        self.client.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn repr(&self, class: &str) -> String {
        let root = self.config.root().map_or_else(|_| String::new(), String::from);
        format!("<{class} of {root}>")
    }

    /// The arguments that make the same client in another process. The token is among them.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let Config {
            token,
            base_url,
            timeout,
            connect_timeout,
            read_timeout,
            retries,
            max_concurrency,
            max_response_bytes,
            ca_bundle,
        } = &self.config;
        let named = PyDict::new(py);
        named.set_item("timeout", timeout.as_secs_f64())?;
        named.set_item("connect_timeout", connect_timeout.as_secs_f64())?;
        named.set_item("read_timeout", read_timeout.map(|timeout| timeout.as_secs_f64()))?;
        named.set_item("retries", retries)?;
        named.set_item("max_concurrency", max_concurrency)?;
        named.set_item("max_response_bytes", max_response_bytes)?;
        named.set_item("ca_bundle", ca_bundle)?;
        Ok(((token.expose(), base_url).into_pyobject(py)?, named))
    }
}

#[allow(clippy::too_many_arguments)]
fn config(
    token: Option<String>,
    base_url: Option<String>,
    timeout: f64,
    connect_timeout: f64,
    read_timeout: Option<f64>,
    retries: u32,
    max_concurrency: usize,
    max_response_bytes: usize,
    ca_bundle: Option<PathBuf>,
) -> PyResult<Config> {
    let from_environment = |name: &str| std::env::var(name).unwrap_or_default();
    let seconds = |name: &str, seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| configuration_error(format!("{name} is a number of seconds greater than 0, not {seconds}")))
    };
    let token = token.unwrap_or_else(|| from_environment("GEODESIGN_TOKEN"));
    let base_url = base_url.unwrap_or_else(|| from_environment("GEODESIGN_URL"));
    Ok(Config {
        timeout: seconds("timeout", timeout)?,
        connect_timeout: seconds("connect_timeout", connect_timeout)?,
        read_timeout: read_timeout.map(|timeout| seconds("read_timeout", timeout)).transpose()?,
        retries,
        max_concurrency,
        max_response_bytes,
        ca_bundle,
        ..Config::new(token, base_url)
    })
}

#[allow(clippy::too_many_arguments)]
fn new_project(
    project_title: String,
    map_bounds: Bounds,
    NewSystems(systems): NewSystems,
    project_description: String,
    center: Option<Center>,
    zoom_level: i64,
    tags: Option<NewTags>,
    plugins: Option<Vec<Uuid>>,
) -> NewProject {
    NewProject {
        project_title,
        project_description,
        map_bounds,
        map_center: center.unwrap_or_else(|| map_bounds.center()),
        zoom_level,
        systems,
        tags: tags.map(|NewTags(tags)| tags).unwrap_or_default(),
        plugins: plugins.unwrap_or_default(),
    }
}

/// A connection to the service as one user.
///
/// It is safe to share between threads, and a context manager: leaving it closes its connections.
///
/// Args:
///     token: The API token, from the API page of the service. Default: the environment's `GEODESIGN_TOKEN`.
///     base_url: The service's address, with or without `/api/v1`. Default: the environment's `GEODESIGN_URL`.
///         Plain http is for this machine only.
///     timeout: Seconds for a whole request, from connecting to the last byte, further tries included.
///     connect_timeout: Seconds for connecting.
///     read_timeout: Seconds without a byte after which a connection is given up. Default: `timeout` alone decides.
///     retries: Further tries of a read whose failure may pass (connection lost, 408, 425, 429, 500, 502, 503, 504). A write is
///         tried again only where it cannot have been carried out. The logger `pygeodesign.client` tells of each.
///     max_concurrency: Requests under way at once.
///     max_response_bytes: The largest answer to read, unpacked; a larger one is a `DecodeError`.
///     ca_bundle: A PEM file of certificate authorities to trust beside the system's.
///
/// Raises:
///     ConfigurationError: No token, no address, or a setting that cannot be.
///     HttpsRequiredError: Plain http to another machine.
///
/// Examples:
///     >>> from pygeodesign import Client, Sandbox
///     >>> sandbox = Sandbox()
///     >>> client = Client(sandbox.token(), sandbox.url)
///     >>> [project["projecttitle"] for project in client.projects()]
///     ['Staten Island 2050']
#[pyclass(frozen, module = "pygeodesign")]
pub struct Client(Connection);

/// A connection to the service as one user, for asyncio.
///
/// The same settings, operations and arguments as `Client`; every operation is awaited. It works with `async with`.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def titles(sandbox):
///     ...     async with sandbox.async_client() as client:
///     ...         return [project["projecttitle"] for project in await client.projects()]
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(titles(sandbox))
///     ['Staten Island 2050']
#[pyclass(frozen, module = "pygeodesign")]
pub struct AsyncClient(Connection);

macro_rules! connection {
    ($class:ident, $project:ident) => {
        impl $class {
            pub fn from_config(config: Config) -> PyResult<Self> {
                Connection::new(config).map(Self)
            }

            fn handle(&self) -> PyResult<client::Client> {
                self.0.handle()
            }
        }

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (token=None, base_url=None, *, timeout=30.0, connect_timeout=10.0, read_timeout=None, retries=3, max_concurrency=16, max_response_bytes=1 << 30, ca_bundle=None), text_signature = "(token=None, base_url=None, *, timeout=30.0, connect_timeout=10.0, read_timeout=None, retries=3, max_concurrency=16, max_response_bytes=1073741824, ca_bundle=None)")]
            // They have names in Python.
            #[allow(clippy::too_many_arguments)]
            fn new(
                token: Option<String>,
                base_url: Option<String>,
                timeout: f64,
                connect_timeout: f64,
                read_timeout: Option<f64>,
                retries: u32,
                max_concurrency: usize,
                max_response_bytes: usize,
                ca_bundle: Option<PathBuf>,
            ) -> PyResult<Self> {
                config(token, base_url, timeout, connect_timeout, read_timeout, retries, max_concurrency, max_response_bytes, ca_bundle).and_then(Self::from_config)
            }

            /// A handle on a project. Nothing is sent.
            ///
            /// Args:
            ///     id: The project's id: 16 letters and digits.
            ///
            /// Raises:
            ///     InputError: It is not such an id.
            ///
            /// Examples:
            ///     >>> client.project("StatenIsland2050").id
            ///     'StatenIsland2050'
            fn project(&self, id: ProjectId) -> PyResult<$project> {
                Ok($project::new(self.handle()?.project(id)))
            }

            /// The API root that requests go to, ending in `/api/v1/`.
            #[getter]
            fn base_url(&self) -> PyResult<String> {
                Ok(self.0.config.root()?.into())
            }

            fn __repr__(&self) -> String {
                self.0.repr(stringify!($class))
            }

            fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
                self.0.arguments(py)
            }
        }
    };
}

connection! { Client, Project }
connection! { AsyncClient, AsyncProject }

#[pymethods]
impl Client {
    /// Closes the connections. Projects that were made before keep theirs until they are gone.
    fn close(&self) {
        self.0.close();
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.0.close();
    }
}

#[pymethods]
impl AsyncClient {
    /// Closes the connections. Projects that were made before keep theirs until they are gone.
    fn close(&self) {
        self.0.close();
    }

    fn __aenter__(slf: Py<Self>) -> Coroutine {
        runtime::awaitable("AsyncClient.__aenter__", Box::pin(async move { Ok(slf) }))
    }

    #[pyo3(signature = (*_exception))]
    fn __aexit__(&self, _exception: &Bound<'_, PyTuple>) -> Coroutine {
        self.0.close();
        runtime::awaitable("AsyncClient.__aexit__", Box::pin(async { Ok(()) }))
    }
}

operations! { Client / AsyncClient of client::Client:
    /// The projects of which the user is a member.
    ///
    /// Returns:
    ///     A list of `ProjectInfo` dicts, oldest first: `id`, `projecttitle`, `projectdesc`, `startdate`
    ///     (`YYYY-MM-DD`), `projecttype`, `external_connection`.
    ///
    /// Raises:
    ///     AuthenticationError: The token is missing, wrong or expired.
    ///
    /// Examples:
    ///     >>> [project["id"] for project in client.projects()]
    ///     ['StatenIsland2050']
    fn projects() -> Json<Vec<model::ProjectInfo>> = |client| Ok(Json(client.projects().await?));

    /// The user's most recently created project.
    ///
    /// Returns:
    ///     A `ProjectInfo` dict, or None where the user has no project.
    ///
    /// Raises:
    ///     AuthenticationError: The token is missing, wrong or expired.
    ///
    /// Examples:
    ///     >>> client.latest_project()["startdate"]
    ///     '2026-03-02'
    fn latest_project() -> Json<Option<model::ProjectInfo>> = |client| Ok(Json(client.latest_project().await?));

    /// Creates a project. Its creator becomes its administrator, and it is `latest_project()` from then on.
    ///
    /// Args:
    ///     creation_code: Issued by an administrator of the service.
    ///     title: Shown at the top of the project.
    ///     bounds: West, south, east, north of the study area in degrees.
    ///     systems: At most nine dicts with `name` and `color` (`#RRGGBB`), and maybe `tag`, `description` and `cost` (a whole
    ///         number per hectare, or per kilometre of line).
    ///     description: What the project is about.
    ///     center: Longitude, latitude of the map's middle in degrees. Default: the middle of the bounds.
    ///     zoom_level: The map's zoom, from 0 to 30.
    ///     tags: Dicts with `tag` and `code`, or names alone.
    ///     plugins: UUIDs.
    ///
    /// Returns:
    ///     What the service says of the new project.
    ///
    /// Raises:
    ///     InputError: A value that cannot be; nothing was sent.
    ///     PermissionDeniedError: The creation code is not valid.
    ///
    /// Examples:
    ///     >>> message = client.create_project(
    ///     ...     sandbox.creation_code(),
    ///     ...     title="Lisbon 2050",
    ///     ...     bounds=(-9.23, 38.69, -9.09, 38.80),
    ///     ...     systems=[{"name": "Water", "color": "#2B7BBA", "cost": 125000}],
    ///     ...     tags=["Resilience"],
    ///     ... )
    ///     >>> client.latest_project()["projecttitle"]
    ///     'Lisbon 2050'
    #[pyo3(
        signature = (creation_code, *, title, bounds, systems, description="".to_owned(), center=None, zoom_level=10, tags=None, plugins=None),
        text_signature = "($self, creation_code, *, title, bounds, systems, description='', center=None, zoom_level=10, tags=None, plugins=None)"
    )]
    fn create_project(
        creation_code: String, title: String, bounds: Bounds, systems: NewSystems, description: String,
        center: Option<Center>, zoom_level: i64, tags: Option<NewTags>, plugins: Option<Vec<Uuid>>,
    ) -> String = |client| {
        let project = new_project(title, bounds, systems, description, center, zoom_level, tags, plugins);
        Ok(client.create_project(&model::ProjectCreation { creation_code, project }).await?)
    };

    /// Creates a project that is linked to one of the companion planning platform.
    ///
    /// Args:
    ///     gpl_project_id: The project there, from the administrator of the linkage.
    ///     title: Shown at the top of the project.
    ///     bounds: West, south, east, north in degrees.
    ///     systems: Dicts as for `create_project`.
    ///     description: What the project is about.
    ///     center: Longitude, latitude in degrees. Default: the middle of the bounds.
    ///     zoom_level: From 0 to 30.
    ///     tags: Dicts with `tag` and `code`, or names alone.
    ///     plugins: UUIDs.
    ///
    /// Returns:
    ///     What the service says of the new project.
    ///
    /// Raises:
    ///     InputError: A value that cannot be; nothing was sent.
    ///     PermissionDeniedError: The linked project is not known.
    ///
    /// Examples:
    ///     >>> sandbox.add_linked_project("GPL-7")
    ///     >>> message = client.create_linked_project(
    ///     ...     "GPL-7", title="Linked", bounds=(-9.23, 38.69, -9.09, 38.80), systems=[{"name": "Water", "color": "#2B7BBA"}]
    ///     ... )
    ///     >>> client.latest_project()["external_connection"]
    ///     'igc'
    #[pyo3(
        signature = (gpl_project_id, *, title, bounds, systems, description="".to_owned(), center=None, zoom_level=10, tags=None, plugins=None),
        text_signature = "($self, gpl_project_id, *, title, bounds, systems, description='', center=None, zoom_level=10, tags=None, plugins=None)"
    )]
    fn create_linked_project(
        gpl_project_id: String, title: String, bounds: Bounds, systems: NewSystems, description: String,
        center: Option<Center>, zoom_level: i64, tags: Option<NewTags>, plugins: Option<Vec<Uuid>>,
    ) -> String = |client| {
        let project = new_project(title, bounds, systems, description, center, zoom_level, tags, plugins);
        Ok(client.create_linked_project(&model::LinkedProjectCreation { gpl_project_id, project }).await?)
    };
}
