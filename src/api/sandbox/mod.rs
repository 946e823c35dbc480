//! `Sandbox`: the embedded service from Python, and its operator's settings at the start. Everything else is an operation of the service.

mod running;
mod setup;

use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use self::running::Running;
pub use self::running::{_service_addresses, stop_all};
use self::setup::SetupArgument;
use super::client::{AsyncClient, Client};
use super::project::Project;
use crate::convert::arguments::{Arg, Lifetime, LocalPath};
use crate::convert::errors::{Result, input_error};
use crate::engine::interpreter::this_python;
use crate::engine::interrupts::{Interrupted, compute};
use crate::engine::method::construct;
use crate::engine::package::of_package;
use geodesign::model::{ProjectId, Username};
use geodesign_client as client;
use geodesign_client::Config;
use geodesign_common::html::card;
use geodesign_common::per_process::ProcessBound;
use geodesign_service::{OPERATOR, Paging, Server, ServiceConfig, StoreError, Writer};

/// The most projects and the most users that a card names.
const MAX_IN_CARD: usize = 12;

/// The service itself, inside this process, with a real database. No account, no network.
///
/// It runs until `stop()`, the end of its `with` block, or the end of the process, and at least as long as one of its clients or a
/// project of such a client lives. In a forked child of the process, you can read `url`, and
/// `stop()` does nothing; everything else raises `RuntimeError`.
///
/// Args:
///     path: The database file, created if it is missing. Default: a temporary one, deleted when the sandbox stops.
///     project: `"demo"` puts the project "Staten Island 2050" into a new database, the same every time; None leaves it
///         empty. Any other string or path is an archive. Its project is loaded, with its ids, dates and authors,
///         and can be changed. The user `"admin"` administers it without being listed among its members, unless it has a
///         member of that name.
///     host: A loopback address, because plain http would show tokens to the network. To serve other machines, run
///         `pygeodesign serve`, which has TLS.
///     port: The TCP port, up to 65535. Default: a free one.
///     paging: The form of lists: `"plain"` arrays cut at the page size, `"enveloped"` with `next` links, or
///         `"on-request"`, also `"off"`, complete arrays that only a request with `page` or `page_size` cuts.
///     limits: Limits to change: a dict from names to numbers. `Client.limits()` lists them all.
///     setup: The path of a setup file, as for `pygeodesign serve --setup`, or a dict with its content: the operator's
///         settings at the start, such as users, creation codes, plugins, and projects with members, teams, systems and maps. It adds and
///         replaces what it names, and leaves everything else unchanged.
///
/// Raises:
///     ConfigurationError: The database cannot be opened, or the port is in use.
///     InputError: There is no such archive, or no such limit; or a part of the setup is impossible, and none of it was done.
///     ArchiveError: The archive cannot be loaded. An existing database is unchanged.
///
/// Examples:
///     >>> from pygeodesign import Sandbox
///     >>> with Sandbox() as sandbox:
///     ...     sandbox.project().system(1)["name"]
///     'Water'
///     >>> plugins = {"0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10": "Shadow study"}
///     >>> with Sandbox(setup={"users": ["noor.haddad"], "plugins": plugins}) as sandbox:
///     ...     "noor.haddad" in sandbox.usernames
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct Sandbox {
    service: Arc<Running>,
    /// One token per user, issued on first use. The database holds digests of tokens only.
    tokens: ProcessBound<Mutex<HashMap<String, String>>>,
}

#[pymethods]
impl Sandbox {
    #[new]
    #[classmethod]
    #[pyo3(
        signature = (*arguments, **named),
        text_signature = "(path=None, *, project='demo', host='127.0.0.1', port=0, paging='plain', limits=None, setup=None)"
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
            path=None, *, project: "str | PathLike[str] | None" = LocalPath("demo".into()), host="127.0.0.1", port=0, paging=Arg(Paging::Plain),
            limits=None, setup: "dict[str, Any] | str | PathLike[str] | None" = None
        ),
        text_signature = "(path=None, *, project='demo', host='127.0.0.1', port=0, paging='plain', limits=None, setup=None)"
    )]
    // In Python, the arguments have names.
    #[allow(clippy::too_many_arguments)]
    fn _new(
        py: Python<'_>,
        path: Option<LocalPath>,
        project: Option<LocalPath>,
        host: &str,
        port: u16,
        paging: Arg<Paging>,
        limits: Option<BTreeMap<String, u64>>,
        setup: Option<SetupArgument>,
    ) -> Result<Self> {
        let (path, project) = (path.map(|LocalPath(path)| path), project.map(|LocalPath(path)| path));
        let demo = project.as_deref() == Some(Path::new("demo"));
        let archives: Vec<_> = project.into_iter().filter(|_| !demo).collect();
        if let Some(missing) = archives.iter().find(|path| !path.exists()) {
            let rule = "project must be \"demo\", None or the path of an archive";
            return Err(input_error(format!("{rule}; there is no file {}", missing.display())).into());
        }
        let host = host.to_owned();
        let python = this_python(py)?;
        let Arg(paging) = paging;
        let mut config = ServiceConfig { path, demo, archives, host, port, paging, python, ..ServiceConfig::default() };
        let setup = setup.map(|setup| setup.read(py)).transpose()?.unwrap_or_default();
        for (name, value) in setup.limits.clone().into_iter().chain(limits.unwrap_or_default()) {
            config.limits.set(&name, value).map_err(|error| input_error(error.to_string()))?;
        }
        of_package(py, "guard_forks")?.call0()?;
        let start = |interrupted: &Interrupted| Server::start_unless(config, &|| interrupted.is_set());
        let service = Arc::new(Running::new(compute(py, start)??));
        let withdrawn = py.detach(|| setup.apply(service.store()))?;
        if let Some(note) = withdrawn.note() {
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(note).map_err(PyErr::from)?, 2)?;
        }
        Ok(Sandbox { service, tokens: ProcessBound::new(Mutex::default()) })
    }

    /// The API root, ending in `/api/v1/`.
    #[getter]
    fn url(&self) -> String {
        self.service.url()
    }

    /// The names of the users, sorted.
    #[getter]
    fn usernames(&self, py: Python<'_>) -> Result<Vec<String>> {
        let names = py.detach(|| self.service.store().usernames())?;
        Ok(names.iter().map(ToString::to_string).collect())
    }

    /// The ids of the projects, oldest first.
    #[getter]
    fn project_ids(&self, py: Python<'_>) -> Result<Vec<String>> {
        let ids = py.detach(|| self.service.store().project_ids())?;
        Ok(ids.iter().map(ToString::to_string).collect())
    }

    /// A token of a user, valid for six months, and the same one each time until it is revoked. With `lifetime`, a new token.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///     lifetime: The time that a new token is valid: a timedelta, or seconds. With 0 or less, the token has expired already.
    ///
    /// Raises:
    ///     InputError: There is no such user; the message lists the users.
    ///
    /// Examples:
    ///     >>> sandbox.token() == sandbox.token("admin")
    ///     True
    #[pyo3(signature = (username="admin", *, lifetime=None))]
    fn token(&self, py: Python<'_>, username: &str, lifetime: Option<Arg<Lifetime>>) -> Result<String> {
        let user: Username = username.parse()?;
        if let Some(Arg(Lifetime(lifetime))) = lifetime {
            return Ok(py.detach(|| self.service.store().issue_token_for(&user, lifetime))?);
        }
        let (tokens, store) = (self.tokens()?, self.service.store());
        py.detach(|| {
            let mut tokens = tokens.lock();
            // It may have been revoked since then.
            if let Some(token) = tokens.get(username)
                && store.read(|read| read.user_of_token(token))?.is_some()
            {
                return Ok(token.clone());
            }
            let token = store.issue_token(&user)?;
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
    fn client(&self, py: Python<'_>, username: &str) -> Result<Client> {
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
    fn async_client(&self, py: Python<'_>, username: &str) -> Result<AsyncClient> {
        AsyncClient::from_config(self.config(py, username)?)
    }

    /// The handle of a project, for everything that a user may do in it.
    ///
    /// Args:
    ///     id: One of `project_ids`. Default: the newest one.
    ///     username: One of `usernames`, who reads and changes the project. Default: `"admin"`, or an administrator of the project
    ///         if `"admin"` is not a member.
    ///
    /// Raises:
    ///     InputError: There is no such project or user; the message lists the existing ones.
    ///
    /// Examples:
    ///     >>> project = sandbox.project()
    ///     >>> project.system("Water").edit(budget=4e9).budget
    ///     4000000000.0
    ///     >>> sandbox.project(username="amara.okafor").member("amara.okafor").set_selection([1001, 1040])
    ///     [1001, 1040]
    #[pyo3(signature = (id=None, *, username=None))]
    fn project(&self, py: Python<'_>, id: Option<Arg<ProjectId>>, username: Option<&str>) -> Result<Project> {
        let store = self.service.store();
        let found = py.detach(|| -> Result<_, StoreError> {
            let newest = || Ok::<_, StoreError>(store.project_ids()?.pop());
            let Some(id) = id.map_or_else(newest, |Arg(id)| Ok(Some(id)))? else { return Ok(None) };
            let user = store.read(|read| read.who_leads(read.project_key(&id)?))?;
            Ok(Some((id, user)))
        })?;
        let (id, user) = found.ok_or_else(|| {
            input_error("the sandbox has no project; create one with client(…).create_project(…) or Sandbox(setup=…)")
        })?;
        let user = user.as_ref().map_or(OPERATOR, Username::as_str);
        Ok(client::Client::new(self.config(py, username.unwrap_or(user))?)?.project(id).into())
    }

    /// Adds a user. An existing user of that name stays unchanged.
    ///
    /// Args:
    ///     username: 1 to 150 characters.
    ///
    /// Raises:
    ///     InputError: The name is not a valid user name.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("noor.haddad")
    ///     >>> "noor.haddad" in sandbox.usernames
    ///     True
    fn add_user(&self, py: Python<'_>, username: Arg<Username>) -> Result<()> {
        self.write(py, |write| write.add_user(&username.0).map(drop))
    }

    /// Removes a user's account, with all tokens, memberships and selections. This takes effect at once.
    ///
    /// The diagrams that the user added stay, with the name of their author. A user added later under the same name gets
    /// the account back, without its memberships.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///
    /// Raises:
    ///     InputError: There is no such user.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("guest")
    ///     >>> sandbox.remove_user("guest")
    ///     >>> "guest" in sandbox.usernames
    ///     False
    fn remove_user(&self, py: Python<'_>, username: Arg<Username>) -> Result<()> {
        self.write(py, |write| write.remove_user(&username.0))
    }

    /// Issues a code with which users create projects, as often as they like.
    ///
    /// Args:
    ///     code: The code. Default: a random one.
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
    fn creation_code(&self, py: Python<'_>, code: Option<String>) -> Result<String> {
        self.write(py, |write| match code {
            Some(code) => write.add_creation_code(&code).map(|()| code),
            None => write.new_creation_code(),
        })
    }

    /// Copies the database into one file while the service runs. The copy holds everything written before the call. It
    /// is checked, and then replaces an earlier copy.
    ///
    /// Args:
    ///     path: The file to write: a new one, or an earlier copy that no service uses.
    ///
    /// Raises:
    ///     ConfigurationError: The file is not a database of pygeodesign, is in use, or cannot be written. It stays unchanged.
    ///
    /// Examples:
    ///     >>> import os, tempfile
    ///     >>> copy = os.path.join(tempfile.mkdtemp(), "copy.sqlite")
    ///     >>> sandbox.backup(copy)
    ///     >>> with Sandbox(copy) as copied:
    ///     ...     copied.project_ids == sandbox.project_ids
    ///     True
    fn backup(&self, py: Python<'_>, path: LocalPath) -> Result<()> {
        let LocalPath(path) = path;
        Ok(py.detach(|| self.service.store().backup(&path))?)
    }

    /// Completes the requests in progress and stops the service. A temporary database is deleted. Further calls do nothing, nor
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
    fn tokens(&self) -> Result<&Mutex<HashMap<String, String>>> {
        Ok(self.tokens.get().ok_or(StoreError::OtherProcess)?)
    }

    /// Changes the database in one transaction.
    fn write<T: Send>(&self, py: Python<'_>, write: impl FnOnce(&Writer) -> Result<T, StoreError> + Send) -> Result<T> {
        Ok(py.detach(|| self.service.store().write(write))?)
    }
}
