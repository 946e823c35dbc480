//! A pool of connections, and what can go wrong on them.

use std::error::Error;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Body, Response, ResponseBuilderExt, Url};

use crate::client::cause::chain;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// How long a connection is silent before the operating system asks whether the other end is still there. As reqwest has it.
const TCP_KEEPALIVE: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub enum HttpClient {
    /// Encrypts, decompresses, uses proxies.
    Full(reqwest::Client),
    /// Does none of that. For a service on this machine, where a small request takes a sixth less time.
    Plain(Box<PlainClient>),
}

impl HttpClient {
    /// The response to one request, whose body has not been read. `headers` are in addition to those of every request; of the same
    /// name, these count. A body is JSON.
    pub async fn send(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: Option<&Bytes>,
    ) -> Result<Response, HttpError> {
        match self {
            HttpClient::Full(client) => {
                let mut builder = client.request(method.clone(), url.clone()).headers(headers.clone());
                if let Some(body) = body {
                    builder = builder.header(CONTENT_TYPE, JSON).body(body.clone());
                }
                Ok(builder.send().await?)
            }
            HttpClient::Plain(client) => client.send(method, url, headers, body).await,
        }
    }
}

/// The HTTP library below reqwest.
#[derive(Debug)]
pub struct PlainClient {
    client: Client<HttpConnector, Body>,
    /// Of every request.
    headers: HeaderMap,
}

impl PlainClient {
    pub fn new(
        headers: HeaderMap,
        connect_timeout: Duration,
        max_idle_connections: usize,
        idle_timeout: Duration,
    ) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_keepalive(Some(TCP_KEEPALIVE));
        connector.set_connect_timeout(Some(connect_timeout));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(idle_timeout)
            .pool_max_idle_per_host(max_idle_connections)
            .build(connector);
        PlainClient { client, headers }
    }

    async fn send(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: Option<&Bytes>,
    ) -> Result<Response, HttpError> {
        let mut request = Request::new(body.map_or_else(Body::default, |body| body.clone().into()));
        *request.method_mut() = method.clone();
        *request.uri_mut() = Uri::try_from(url.as_str())?;
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().extend(body.map(|_| (CONTENT_TYPE, JSON)));
        for (name, value) in headers {
            request.headers_mut().insert(name, value.clone());
        }
        let (parts, body) = self.client.request(request).await?.into_parts();
        // A response is made with its address, because reqwest would otherwise parse one that stands for it.
        let mut response = http::Response::builder().url(url.clone()).body(Body::wrap(body))?;
        (*response.status_mut(), *response.version_mut()) = (parts.status, parts.version);
        *response.headers_mut() = parts.headers;
        Ok(response.into())
    }
}

/// No connection, a connection that broke, or a time-out of connecting or reading.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(transparent)]
    Full(#[from] reqwest::Error),
    #[error(transparent)]
    Plain(#[from] hyper_util::client::legacy::Error),
    /// A request that cannot be written.
    #[error(transparent)]
    Request(#[from] http::Error),
}

impl HttpError {
    pub fn is_connect(&self) -> bool {
        match self {
            HttpError::Full(error) => error.is_connect(),
            HttpError::Plain(error) => error.is_connect(),
            HttpError::Request(_) => false,
        }
    }

    pub fn is_timeout(&self) -> bool {
        match self {
            HttpError::Full(error) => error.is_timeout(),
            HttpError::Plain(error) => chain(error).any(is_io_timeout),
            HttpError::Request(_) => false,
        }
    }

    /// Whether the request could not even be made.
    pub fn is_builder(&self) -> bool {
        match self {
            HttpError::Full(error) => error.is_builder(),
            HttpError::Plain(_) => false,
            HttpError::Request(_) => true,
        }
    }
}

impl From<http::uri::InvalidUri> for HttpError {
    fn from(error: http::uri::InvalidUri) -> Self {
        HttpError::Request(error.into())
    }
}

fn is_io_timeout(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
}
