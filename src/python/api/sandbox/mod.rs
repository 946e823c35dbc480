//! `Sandbox`: the embedded service from Python. It can change and read what no operation of the service can.

/// Methods that change or read one project of the database. Each row has what the method does, its arguments after `project_id`, those
/// that must be named after a `*`, what it returns, what there is not beside the project if it raises an `InputError`, its work, and
/// an example.
macro_rules! project_methods {
    ($(
        $summary:literal
        $how:ident $name:ident(
            $($argument:ident: $type:ty $(= $default:tt)?, $about:literal;)*
            $(* $($named:ident: $named_type:ty = $named_default:tt, $named_about:literal;)+)?
        ) -> $returned:ty $(, $returns:literal)?;
        $problem:literal
        $(let $given:pat = $converted:expr;)*
        |$store:ident, $project:ident| $work:expr;
        $(then |$result:ident| $end:expr;)?
        $(#$example:tt)*
    )*) => {
        #[pymethods]
        impl Sandbox {$(
            #[doc = concat!(
                $summary, "\n\nArgs:\n    project_id: One of `project_ids`.\n",
                $("    ", stringify!($argument), ": ", $about, "\n",)*
                $($("    ", stringify!($named), ": ", $named_about, "\n",)+)?
                $("\nReturns:\n    ", $returns, "\n",)?
                "\nRaises:\n    InputError: There is no such project", $problem, "\n\nExamples:"
            )]
            $(#$example)*
            #[pyo3(signature = (project_id, $($argument $(= $default)?,)* $(*, $($named = $named_default,)+)?))]
            // In Python, the arguments have names.
            #[allow(clippy::too_many_arguments)]
            fn $name(
                &self, py: Python<'_>, project_id: ProjectId, $($argument: $type,)* $($($named: $named_type,)+)?
            ) -> PyResult<$returned> {
                $(let $given = $converted;)*
                let result = self.$how(py, &project_id, |$store, $project| $work)?;
                $(let result = { let $result = result; $end };)?
                Ok(result)
            }
        )*}
    };
}

mod content;
mod people;

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::client::{AsyncClient, Client};
use crate::client::Config;
use crate::fork::{PerProcess, ProcessBound};
use crate::html::card;
use crate::model::{ProjectId, Username};
use crate::python::convert::arguments::Lifetime;
use crate::python::convert::errors::input_error;
use crate::python::engine::interrupts::{Interrupted, compute};
use crate::python::engine::method::construct;
use crate::service::{Paging, ProjectKey, Reader, Server, ServiceConfig, StoreError, Writer};

/// The most projects and the most users that a card names.
const MAX_IN_CARD: usize = 12;

/// The service itself, inside this process, over a real database. No account, no network.
///
/// It runs until `stop()`, the end of its `with` block, or the end of the process, and at least as long as a client of it or a
/// project of such a client lives. In a forked child of the process, `url` can be
/// read and `stop()` does nothing; everything else raises `RuntimeError`.
///
/// Args:
///     path: The database file, created if it is missing. Default: a temporary one, deleted when the sandbox stops.
///     project: `"demo"` puts the project "Staten Island 2050" into a new database, the same every time; None leaves it
///         empty. Any other text or path is that of an archive, whose project is loaded, with its ids, dates and authors,
///         and can be changed. The user `"admin"` administers it without being listed among its members, unless it has a
///         member of that name.
///     host: A loopback address, because plain http would show tokens to the network. To serve other machines, run
///         `pygeodesign serve`, which has TLS.
///     port: The TCP port, up to 65535. Default: a free one.
///     paging: How lists are sent: `"plain"` arrays cut at the page size, `"enveloped"` with `next` links, or
///         `"on-request"`, also `"off"`, whole arrays that only a request with `page` or `page_size` cuts.
///     limits: Limits to change: a dict from names to numbers. `Client.limits()` lists them all.
///
/// Raises:
///     ConfigurationError: The database cannot be opened, or the port is in use.
///     InputError: There is no such archive, or no such limit.
///     ArchiveError: The archive cannot be loaded. A database that was there stays as it was.
///
/// Examples:
///     >>> from pygeodesign import Sandbox
///     >>> with Sandbox() as sandbox:
///     ...     project = sandbox.client().project(sandbox.project_ids[0])
///     ...     project.system(1)["name"]
///     'Water'
#[pyclass(frozen, module = "pygeodesign")]
pub struct Sandbox {
    pub(super) service: Arc<Running>,
    /// One token per user, issued when it is first needed. The database holds digests of tokens only.
    tokens: ProcessBound<Mutex<HashMap<String, String>>>,
}

#[pymethods]
impl Sandbox {
    #[new]
    #[classmethod]
    #[pyo3(
        signature = (*arguments, **named),
        text_signature = "(path=None, *, project='demo', host='127.0.0.1', port=0, paging='plain', limits=None)"
    )]
    fn __new__<'py>(
        class: &Bound<'py, PyType>,
        arguments: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        construct(class, arguments, named)
    }

    #[staticmethod]
    #[pyo3(
        signature = (
            path=None, *, project: "str | PathLike[str] | None" = PathBuf::from("demo"), host="127.0.0.1", port=0, paging=Paging::Plain,
            limits=None
        ),
        text_signature = "(path=None, *, project='demo', host='127.0.0.1', port=0, paging='plain', limits=None)"
    )]
    fn _new(
        py: Python<'_>,
        path: Option<PathBuf>,
        project: Option<PathBuf>,
        host: &str,
        port: u16,
        paging: Paging,
        limits: Option<BTreeMap<String, u64>>,
    ) -> PyResult<Self> {
        let demo = project.as_deref() == Some(Path::new("demo"));
        let archives: Vec<_> = project.into_iter().filter(|_| !demo).collect();
        if let Some(missing) = archives.iter().find(|path| !path.exists()) {
            let rule = "project is \"demo\", None or the path of an archive";
            return Err(input_error(format!("{rule}; there is no file {}", missing.display())));
        }
        let host = host.to_owned();
        let mut config = ServiceConfig { path, demo, archives, host, port, paging, ..ServiceConfig::default() };
        for (name, value) in limits.unwrap_or_default() {
            config.limits.set(&name, value).map_err(|error| input_error(error.to_string()))?;
        }
        let start = |interrupted: &Interrupted| Server::start_unless(config, &|| interrupted.is_set());
        let service = Arc::new(compute(py, start)??);
        stop_at_exit(&service);
        let service = Arc::new(Running(service));
        Ok(Sandbox { service, tokens: ProcessBound::new(Mutex::default()) })
    }

    /// The API root, ending in `/api/v1/`.
    #[getter]
    fn url(&self) -> String {
        self.service.url()
    }

    /// The names of the users, sorted.
    #[getter]
    fn usernames(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let names = py.detach(|| self.service.store().usernames())?;
        Ok(names.iter().map(ToString::to_string).collect())
    }

    /// The ids of the projects, oldest first.
    #[getter]
    fn project_ids(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let ids = py.detach(|| self.service.store().project_ids())?;
        Ok(ids.iter().map(ToString::to_string).collect())
    }

    /// A token of a user, valid for six months, and the same one each time. With `lifetime`, a new token.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///     lifetime: How long a new token is valid: a timedelta, or seconds. With 0 or less, the token has expired already.
    ///
    /// Raises:
    ///     InputError: There is no such user; the message lists the users.
    ///
    /// Examples:
    ///     >>> sandbox.token() == sandbox.token("admin")
    ///     True
    #[pyo3(signature = (username="admin", *, lifetime=None))]
    fn token(&self, py: Python<'_>, username: &str, lifetime: Option<Lifetime>) -> PyResult<String> {
        let user: Username = username.parse()?;
        if let Some(Lifetime(lifetime)) = lifetime {
            return Ok(py.detach(|| self.service.store().issue_token_for(&user, lifetime))?);
        }
        let tokens = self.tokens()?;
        py.detach(|| {
            let mut tokens = tokens.lock();
            if let Some(token) = tokens.get(username) {
                return Ok(token.clone());
            }
            let token = self.service.store().issue_token(&user)?;
            tokens.insert(username.to_owned(), token.clone());
            Ok(token)
        })
    }

    /// A client that is signed in as a user.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///
    /// Raises:
    ///     InputError: There is no such user.
    ///
    /// Examples:
    ///     >>> sandbox.client("amara.okafor").latest_project()["projecttitle"]
    ///     'Staten Island 2050'
    #[pyo3(signature = (username="admin"))]
    fn client(&self, py: Python<'_>, username: &str) -> PyResult<Client> {
        Client::from_config(self.config(py, username)?)
    }

    /// A client for asyncio that is signed in as a user.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///
    /// Raises:
    ///     InputError: There is no such user.
    ///
    /// Examples:
    ///     >>> sandbox.async_client().base_url == sandbox.url
    ///     True
    #[pyo3(signature = (username="admin"))]
    fn async_client(&self, py: Python<'_>, username: &str) -> PyResult<AsyncClient> {
        AsyncClient::from_config(self.config(py, username)?)
    }

    /// Completes the requests under way and stops the service. A temporary database is deleted. Further calls do nothing, nor
    /// does a call in a forked child.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.service.stop());
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyResult<PyRef<'_, Self>> {
        slf.tokens()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.stop(py);
    }

    /// In a forked child, which has no service, only its address is known.
    fn _repr_html_(&self, py: Python<'_>) -> String {
        let state = if self.service.is_running() { "running" } else { "stopped" };
        let mut rows = vec![("address", self.service.url())];
        for (name, ids) in [("projects", self.project_ids(py)), ("users", self.usernames(py))] {
            let Ok(ids) = ids else { continue };
            let more = ids.len().saturating_sub(MAX_IN_CARD);
            let text = ids.iter().take(MAX_IN_CARD).map(String::as_str).collect::<Vec<_>>().join(", ");
            rows.push((name, if more > 0 { format!("{text} and {more} more") } else { text }));
        }
        card(&format!("Sandbox, {state}"), &rows)
    }

    fn __repr__(&self) -> String {
        let state = if self.service.is_running() { "running" } else { "stopped" };
        format!("<Sandbox {state} at {}>", self.service.url())
    }
}

impl Sandbox {
    /// The settings of a client, which keeps the service running.
    fn config(&self, py: Python<'_>, username: &str) -> PyResult<Config> {
        let config = Config::new(self.token(py, username, None)?, self.url());
        Ok(Config { keeps: Some(self.service.clone()), ..config })
    }

    /// The tokens that have been issued. An error in a forked child, which has no service.
    pub(super) fn tokens(&self) -> PyResult<&Mutex<HashMap<String, String>>> {
        Ok(self.tokens.get().ok_or(StoreError::OtherProcess)?)
    }

    /// Changes the database in one transaction.
    pub(super) fn write<T: Send>(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Writer) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        Ok(py.detach(|| self.service.store().write(write))?)
    }

    /// Changes one project in one transaction.
    pub(super) fn write_in_project<T: Send>(
        &self,
        py: Python<'_>,
        id: &ProjectId,
        write: impl FnOnce(&Writer, ProjectKey) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        self.write(py, |writer| write(writer, writer.project_key(id)?))
    }

    /// Reads from one project. Unlike a write, it waits for no other transaction.
    pub(super) fn read_project<T: Send>(
        &self,
        py: Python<'_>,
        id: &ProjectId,
        read: impl FnOnce(&Reader, ProjectKey) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        Ok(py.detach(|| self.service.store().read(|reader| read(reader, reader.project_key(id)?)))?)
    }
}

/// The service of a sandbox and of its clients. It stops with the last of them.
pub(super) struct Running(Arc<Server>);

impl Deref for Running {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The last request of a client may end on a thread of the runtime, which must not wait.
        if tokio::runtime::Handle::try_current().is_ok() {
            let service = self.0.clone();
            let _ = std::thread::Builder::new().spawn(move || service.stop());
            return;
        }
        // Without the GIL: requests under way may need it to end.
        Python::try_attach(|py| py.detach(|| self.0.stop()));
    }
}

/// The services of this process that have not been dropped.
static STARTED: PerProcess<Mutex<Vec<Weak<Server>>>> = PerProcess::new();

fn stop_at_exit(service: &Arc<Server>) {
    let mut started = STARTED.get_or_init(Mutex::default).lock();
    started.retain(|service| service.strong_count() > 0);
    started.push(Arc::downgrade(service));
}

/// Stops the services that still run, so that no temporary database is left.
pub fn stop_all() {
    let Some(started) = STARTED.get() else { return };
    let started = std::mem::take(&mut *started.lock());
    started.iter().filter_map(Weak::upgrade).for_each(|service| service.stop());
}
