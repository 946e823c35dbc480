//! `Client` and `AsyncClient`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::exceptions::{PyEOFError, PyNotImplementedError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use zeroize::Zeroizing;

use crate::convert::arguments::LocalPath;
use crate::convert::errors::{Result, configuration_error};
use crate::engine::coroutine::Coroutine;
use crate::engine::method::construct;
use crate::engine::runtime;
use geodesign_client as client;
use geodesign_client::{
    Authority, CacheSetting, Config, ConfigError, GivenProxy, JoinLink, Profile, SavedLogin, Token, api_root,
    read_headers, variable,
};
use geodesign_common::html::card;

/// The settings and, until the client is closed, the connections. Both client classes hold it.
struct Connection {
    config: Config,
    client: Mutex<Option<client::Client>>,
}

impl Connection {
    fn new(config: Config) -> Result<Self> {
        let client = client::Client::new(config)?;
        Ok(Connection { config: client.config().clone(), client: Mutex::new(Some(client)) })
    }

    fn handle(&self) -> PyResult<client::Client> {
        let client = self.client.lock();
        client.clone().ok_or_else(|| configuration_error("this client was closed; make a new one"))
    }

    fn close(&self) {
        self.client.lock().take();
    }

    fn repr(&self, class: &str) -> String {
        let root = self.config.root().map_or_else(|_| String::new(), String::from);
        format!("<{class} of {root}>")
    }

    /// The settings shown to users, without the token.
    fn html(&self, class: &str) -> String {
        let address = self.config.root().map_or_else(|_| String::new(), String::from);
        let Config { timeout, retries, max_concurrency, .. } = &self.config;
        let at_once = max_concurrency.map(|count| format!(", {count} at the same time")).unwrap_or_default();
        let requests = format!("{timeout:?} at most, up to {retries} retries{at_once}");
        card(class, &[("service", address), ("requests", requests)])
    }

    /// The arguments that create the same client in another process, with the token.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<((&str, &str), Bound<'py, PyDict>)> {
        let Config {
            retries,
            max_concurrency,
            max_response_bytes,
            proxy,
            headers,
            ca_bundle,
            authority,
            compression,
            max_cache_bytes,
            strict,
            allow_http,
            ..
        } = &self.config;
        let proxy = proxy.as_ref().map(GivenProxy::expose);
        let headers: BTreeMap<_, _> =
            headers.iter().map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes()))).collect();
        let timeout = self.config.timeout.as_secs_f64();
        let connect_timeout = self.config.connect_timeout.as_secs_f64();
        let read_timeout = self.config.read_timeout.map(|timeout| timeout.as_secs_f64());
        let authority = authority.as_ref().map(Authority::pem);
        let cache = CacheArgument::from(&self.config.cache);
        let named = dict!(
            py,
            timeout,
            connect_timeout,
            read_timeout,
            retries,
            max_concurrency,
            max_response_bytes,
            proxy,
            headers,
            ca_bundle,
            authority,
            compression,
            cache,
            max_cache_bytes,
            strict,
            allow_http
        );
        Ok(((self.config.token.expose(), &self.config.base_url), named))
    }
}

/// Turns caching of responses on or off, or names its folder.
#[derive(FromPyObject, IntoPyObject)]
pub enum CacheArgument {
    Switch(bool),
    Folder(LocalPath),
}

impl From<&CacheSetting> for CacheArgument {
    fn from(cache: &CacheSetting) -> Self {
        match cache {
            CacheSetting::Folder(path) => CacheArgument::Folder(LocalPath(path.clone())),
            cache => CacheArgument::Switch(*cache != CacheSetting::Off),
        }
    }
}

impl From<CacheArgument> for CacheSetting {
    fn from(cache: CacheArgument) -> Self {
        match cache {
            CacheArgument::Switch(true) => CacheSetting::Memory,
            CacheArgument::Switch(false) => CacheSetting::Off,
            CacheArgument::Folder(LocalPath(path)) => CacheSetting::Folder(path),
        }
    }
}

fn proxy_of(address: &str) -> Result<GivenProxy, ConfigError> {
    Ok(GivenProxy::new(address)?)
}

fn authority_of(pem: &str) -> Result<Authority, ConfigError> {
    Ok(Authority::from_pem(pem)?)
}

/// A link, and the other settings of its client. The time limits also apply to the request for the authority.
struct Joining {
    link: JoinLink,
    settings: Py<PyDict>,
    limits: Config,
}

impl Joining {
    fn new(py: Python<'_>, link: &str, settings: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let settings = settings.map_or_else(|| Ok(PyDict::new(py)), |settings| settings.copy())?;
        let allow_http = settings.get_item("allow_http")?.map(|allow| allow.extract()).transpose()?.unwrap_or(false);
        let link = JoinLink::of(link, allow_http)?;
        let given = |name: &str| -> PyResult<Option<Duration>> {
            let seconds = settings.get_item(name)?.filter(|seconds| !seconds.is_none());
            seconds.map(|seconds| duration(name, seconds.extract()?)).transpose()
        };
        let mut limits = Config::new("", "");
        limits.timeout = given("timeout")?.unwrap_or(limits.timeout);
        limits.connect_timeout = given("connect_timeout")?.unwrap_or(limits.connect_timeout);
        limits.read_timeout = given("read_timeout")?;
        let proxy: Option<String> = settings.get_item("proxy")?.map_or(Ok(None), |proxy| proxy.extract())?;
        limits.proxy = proxy.as_deref().map(proxy_of).transpose()?;
        for name in ["token", "base_url", "profile", "ca_bundle", "authority"] {
            if settings.contains(name)? {
                return Err(configuration_error(format!(
                    "{name}= cannot be given here: the link has the user, the address and the certificate"
                )))?;
            }
        }
        Ok(Joining { link, settings: settings.unbind(), limits })
    }

    async fn authority(&self) -> Result<Option<Authority>> {
        Ok(self.link.authority(&self.limits).await?)
    }

    /// Creates a client of this class.
    fn made(&self, class: &Bound<'_, PyType>, authority: Option<&Authority>) -> PyResult<Py<PyAny>> {
        let settings = self.settings.bind(class.py());
        if let Some(authority) = authority {
            settings.set_item("authority", authority.pem())?;
        }
        Ok(class.call((self.link.token.expose(), &*self.link.root), Some(settings))?.unbind())
    }
}

/// The token or link that a person entered, and the profile to save it in.
struct LoggingIn {
    joining: Joining,
    profile: Profile,
}

impl LoggingIn {
    /// Asks for the token of a service, or without an address for the link of a card.
    fn new(
        py: Python<'_>,
        base_url: Option<String>,
        profile: Option<&str>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let profile = profile.map_or_else(Profile::current, Profile::new)?;
        let root = base_url.or_else(|| variable("GEODESIGN_URL")).as_deref().map(api_root).transpose()?;
        let prompt = match &root {
            Some(root) => format!("Token for {root} (it is not shown): "),
            None => "Link of your card (https://…/join/#…; it is not shown): ".to_owned(),
        };
        let entered = Zeroizing::new(ask_secret(py, &prompt)?);
        let joining = match root {
            Some(root) if !entered.contains("://") => {
                let link =
                    JoinLink { root: root.into(), name: String::new(), token: Token::new(&**entered), key: None };
                let settings = settings.map_or_else(|| Ok(PyDict::new(py)), |settings| settings.copy())?;
                Joining { link, settings: settings.unbind(), limits: Config::new("", "") }
            }
            _ => Joining::new(py, &entered, settings)?,
        };
        Ok(LoggingIn { joining, profile })
    }

    /// Tries the token of a client, and saves it.
    async fn save(&self, client: &client::Client) -> Result<()> {
        client.projects().await?;
        SavedLogin::of(client.config())?.write(&self.profile)?;
        Ok(())
    }
}

fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| configuration_error(format!("{name} must be a number of seconds greater than 0, not {seconds}")))
}

/// Asks for a secret in a notebook or a terminal, without showing it.
fn ask_secret(py: Python<'_>, prompt: &str) -> PyResult<String> {
    let asked = py.import("getpass")?.call_method1("getpass", (prompt,));
    asked.and_then(|entered| entered.extract()).map_err(|error| {
        // A notebook that runs without a person raises the second one.
        if error.is_instance_of::<PyEOFError>(py) || error.is_instance_of::<PyNotImplementedError>(py) {
            return configuration_error(
                "nobody can be asked for the token here: set GEODESIGN_URL and GEODESIGN_TOKEN",
            );
        }
        error
    })
}

/// A connection to the service as one user.
///
/// It is safe to share between threads, and a context manager: leaving it closes its connections.
///
/// Args:
///     token: The API token, from the API page of the service. Default: the environment's `GEODESIGN_TOKEN`, or the one that
///         `Client.login` or `pygeodesign login` saved for this service.
///     base_url: The service's address, with or without `/api/v1`. Default: the environment's `GEODESIGN_URL`, or the one that was saved
///         with the token. Plain http is allowed on this machine only, unless `allow_http`.
///     profile: The name of a saved login, in place of `token` and `base_url`. Default: the environment's `GEODESIGN_PROFILE`, or
///         the login without a name.
///     timeout: Seconds for a request, from connecting to the last byte of the response, with all retries. A list of several pages
///         may take ten times as long.
///     connect_timeout: Seconds for connecting.
///     read_timeout: Seconds to wait for the next byte of a response. Default: no limit other than `timeout`.
///     retries: Retries of a read after a failure that may be temporary (connection lost, 408, 425, 429, 500, 502,
///         503, 504). A write is tried again only if the service cannot have carried it out. Each retry is logged to
///         `pygeodesign.client`, at level `INFO`.
///     max_concurrency: The most requests at the same time. Default: 16, each on its own connection; or 200 on one
///         connection if the service speaks HTTP/2.
///     max_response_bytes: The largest response to read, all pages of a list together, in bytes after decompression; a larger one raises
///         `DecodeError`.
///     proxy: The address of a proxy for all requests, such as `"http://USER:PASSWORD@HOST:3128"`; `""` for no proxy. Default: the
///         environment's `HTTPS_PROXY` or `ALL_PROXY` unless `NO_PROXY` has the host, or the system's proxy.
///     headers: Further headers of each request to the service, such as those that a gateway in front of it asks for. They are shown
///         nowhere and sent to no other server.
///     ca_bundle: A PEM file of certificate authorities to trust in addition to the system's, or a folder of such files. Those of
///         `REQUESTS_CA_BUNDLE` and `CURL_CA_BUNDLE` are trusted, too.
///     authority: The certificate of the only authority to trust, as PEM text, instead of the system's and `ca_bundle`. `Client.join`
///         requests it from the service.
///     compression: True to request compressed responses. Default: True, except for a service on this machine.
///     cache: True to cache responses while the client lives, or the path of a folder for cache files that only you can read. The service
///         then sends only changes. Every read still asks the service (`If-None-Match`), so no response is out of date. Services without
///         `ETag` send everything.
///     max_cache_bytes: The most bytes of cached responses, separately in memory and in the folder. The least recently used are dropped
///         first.
///     strict: True to raise `DecodeError` if a row of a list is unreadable or has a wrong value. By default the row stays, without
///         the unreadable values, and a `UserWarning` names it.
///     allow_http: True to allow plain http in a private network, to an address such as `http://10.0.0.1:8443` or to a name that
///         ends with `.local`: a service started with `--http-for`. Anybody in that network can read the token.
///
/// Raises:
///     ConfigurationError: No token, no address, or an invalid setting.
///     HttpsRequiredError: Plain http to another machine.
///
/// Examples:
///     >>> from pygeodesign import Client, Sandbox
///     >>> sandbox = Sandbox()
///     >>> client = Client(sandbox.token(), sandbox.url)
///     >>> [project["projecttitle"] for project in client.projects()]
///     ['Staten Island 2050']
#[pyclass(frozen, weakref, module = "pygeodesign")]
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
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncClient(Connection);

macro_rules! connection {
    ($class:ident) => {
        impl $class {
            pub fn from_config(config: Config) -> Result<Self> {
                Connection::new(config).map(Self)
            }

            pub(super) fn handle(&self) -> PyResult<client::Client> {
                self.0.handle()
            }
        }

        #[pymethods]
        impl $class {
            #[new]
            #[classmethod]
            #[pyo3(
                signature = (*arguments, **named),
                text_signature = "(token=None, base_url=None, *, profile=None, timeout=30.0, connect_timeout=10.0, read_timeout=None, retries=3, max_concurrency=None, max_response_bytes=268435456, proxy=None, headers=None, ca_bundle=None, authority=None, compression=None, cache=False, max_cache_bytes=536870912, strict=False, allow_http=False)"
            )]
            fn __new__<'py>(
                class: &Bound<'py, PyType>,
                arguments: &Bound<'py, PyTuple>,
                named: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                construct(class, arguments, named)
            }

            #[staticmethod]
            #[pyo3(signature = (token=None, base_url=None, *, profile=None, timeout=30.0, connect_timeout=10.0, read_timeout=None, retries=3, max_concurrency=None, max_response_bytes=268_435_456, proxy=None, headers=None, ca_bundle=None, authority=None, compression=None, cache=CacheArgument::Switch(false), max_cache_bytes=536_870_912, strict=false, allow_http=false))]
            // In Python, the arguments have names.
            #[allow(clippy::too_many_arguments)]
            fn _new(
                token: Option<String>,
                base_url: Option<String>,
                profile: Option<String>,
                timeout: f64,
                connect_timeout: f64,
                read_timeout: Option<f64>,
                retries: u32,
                max_concurrency: Option<usize>,
                max_response_bytes: usize,
                proxy: Option<String>,
                headers: Option<BTreeMap<String, String>>,
                ca_bundle: Option<LocalPath>,
                authority: Option<String>,
                compression: Option<bool>,
                cache: CacheArgument,
                max_cache_bytes: usize,
                strict: bool,
                allow_http: bool,
            ) -> Result<Self> {
                let headers = headers.unwrap_or_default();
                let ca_bundle = ca_bundle.map(|LocalPath(path)| path);
                let settings = Config {
                    timeout: duration("timeout", timeout)?,
                    connect_timeout: duration("connect_timeout", connect_timeout)?,
                    read_timeout: read_timeout.map(|timeout| duration("read_timeout", timeout)).transpose()?,
                    retries,
                    max_concurrency,
                    max_response_bytes,
                    proxy: proxy.as_deref().map(proxy_of).transpose()?,
                    headers: read_headers(headers.iter().map(|(name, value)| (&**name, &**value)))?,
                    ca_bundle,
                    authority: authority.map(|pem| authority_of(&pem)).transpose()?,
                    compression,
                    cache: cache.into(),
                    max_cache_bytes,
                    strict,
                    allow_http,
                    ..Config::new("", "")
                };
                Self::from_config(settings.signed_in(token, base_url, profile.as_deref())?)
            }

            /// The API root that requests go to, ending in `/api/v1/`.
            #[getter]
            fn base_url(&self) -> Result<String> {
                Ok(self.0.config.root()?.into())
            }

            fn __repr__(&self) -> String {
                self.0.repr(stringify!($class))
            }

            fn _repr_html_(&self) -> String {
                self.0.html(stringify!($class))
            }

            fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str, &str), Bound<'py, PyDict>)> {
                self.0.arguments(py)
            }
        }
    };
}

connection! { Client }
connection! { AsyncClient }

#[pymethods]
impl Client {
    #[doc = include_str!("join.txt")]
    #[classmethod]
    #[pyo3(signature = (link, **settings: "Any") -> "Self")]
    fn join(class: &Bound<'_, PyType>, link: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let py = class.py();
        let joining = Arc::new(Joining::new(py, link, settings)?);
        let asking = joining.clone();
        let authority = runtime::wait_on_workers(py, async move { asking.authority().await })?;
        joining.made(class, authority.as_ref())
    }

    #[doc = include_str!("login.txt")]
    #[classmethod]
    #[pyo3(signature = (base_url=None, *, profile=None, **settings: "Any") -> "Self")]
    fn login(
        class: &Bound<'_, PyType>,
        base_url: Option<String>,
        profile: Option<&str>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> Result<Py<PyAny>> {
        let py = class.py();
        let login = Arc::new(LoggingIn::new(py, base_url, profile, settings)?);
        let asking = login.clone();
        let authority = runtime::wait_on_workers(py, async move { asking.joining.authority().await })?;
        let client = login.joining.made(class, authority.as_ref())?;
        let handle = client.bind(py).cast::<Self>().map_err(PyErr::from)?.get().handle()?;
        runtime::wait_on_workers(py, async move { login.save(&handle).await })?;
        Ok(client)
    }

    /// Closes the connections. A `Project` made before keeps its own until it is deleted.
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
    #[doc = include_str!("join.txt")]
    #[classmethod]
    #[pyo3(signature = (link, **settings: "Any") -> "Coroutine[Any, Any, Self]")]
    fn join(class: &Bound<'_, PyType>, link: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Coroutine> {
        let joining = Joining::new(class.py(), link, settings)?;
        let class = class.clone().unbind();
        let join = async move {
            let authority = joining.authority().await?;
            Ok(Python::attach(|py| joining.made(class.bind(py), authority.as_ref()))?)
        };
        Ok(runtime::awaitable("AsyncClient.join", runtime::request(join)))
    }

    #[doc = include_str!("login.txt")]
    #[classmethod]
    #[pyo3(signature = (base_url=None, *, profile=None, **settings: "Any") -> "Coroutine[Any, Any, Self]")]
    fn login(
        class: &Bound<'_, PyType>,
        base_url: Option<String>,
        profile: Option<&str>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> Result<Coroutine> {
        let login = LoggingIn::new(class.py(), base_url, profile, settings)?;
        let class = class.clone().unbind();
        let log_in = async move {
            let authority = login.joining.authority().await?;
            let (client, handle) = Python::attach(|py| {
                let client = login.joining.made(class.bind(py), authority.as_ref())?;
                let handle = client.bind(py).cast::<Self>()?.get().handle()?;
                PyResult::Ok((client, handle))
            })?;
            login.save(&handle).await?;
            Ok(client)
        };
        Ok(runtime::awaitable("AsyncClient.login", runtime::request(log_in)))
    }

    /// Closes the connections. A `Project` made before keeps its own until it is deleted.
    fn close(&self) {
        self.0.close();
    }

    #[pyo3(signature = () -> "Coroutine[Any, Any, Self]")]
    fn __aenter__(slf: Py<Self>) -> Coroutine {
        runtime::awaitable("AsyncClient.__aenter__", runtime::request(async move { Ok(slf) }))
    }

    #[pyo3(signature = (*_exception) -> "Coroutine[Any, Any, None]")]
    fn __aexit__(&self, _exception: &Bound<'_, PyTuple>) -> Coroutine {
        self.0.close();
        runtime::awaitable("AsyncClient.__aexit__", runtime::request(async { Ok(()) }))
    }
}
