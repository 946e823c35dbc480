//! Requests that a browser sends without its user's intent: for the page of another service, or to a name that leads here only for a moment
//! (DNS rebinding).

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, Uri, header};

use crate::http::cors::Cors;
use crate::http::error::{ApiError, Result};
use crate::http::host_name::HostName;
use geodesign::model::is_of_this_machine_alone;

/// The names by which a service is reached.
#[derive(Debug, Clone, Default)]
pub struct OwnNames {
    /// Names in addition to those of this machine.
    pub further: Vec<HostName>,
    /// True if requests to other names are refused. With a certificate, browsers refuse them already.
    pub are_complete: bool,
}

/// The host and port that a request is sent to.
pub fn host_of<'r>(uri: &'r Uri, headers: &'r HeaderMap) -> Option<&'r str> {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    // HTTP/2 names it in `:authority`.
    named.or(uri.authority().map(Authority::as_str))
}

impl OwnNames {
    /// Refuses a request to a name that is not this service's. Otherwise a browser would take the service for the server of another page,
    /// which could then read all responses.
    pub fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<()> {
        match host_of(uri, headers) {
            Some(host) if self.are_complete && !self.contain(host) => Err(ApiError::OtherHost(host.to_owned())),
            _ => Ok(()),
        }
    }

    /// Refuses a write that a browser sends for the page of another origin. Programs name no origin.
    pub fn check_origin(&self, method: &Method, uri: &Uri, headers: &HeaderMap, cors: &Cors) -> Result<()> {
        if method.is_safe() || !self.is_of_other_page(uri, headers, cors) { Ok(()) } else { Err(OTHER_PAGE) }
    }

    fn is_of_other_page(&self, uri: &Uri, headers: &HeaderMap, cors: &Cors) -> bool {
        // A page cannot set these headers.
        let site = headers.get(SEC_FETCH_SITE).map(|site| site.as_bytes());
        let Some(origin) = headers.get(header::ORIGIN) else { return site == Some(b"cross-site") };
        // Where a proxy gives the service another Host than its own.
        if site == Some(b"same-origin") || cors.names(origin) {
            return false;
        }
        let authority =
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
        // Another port is another service, also of the same machine.
        let is_own = |authority: &str| {
            let further = self.further.iter().map(HostName::as_str);
            further.chain(host_of(uri, headers)).any(|name| name.eq_ignore_ascii_case(authority))
        };
        !authority.is_some_and(is_own)
    }

    fn contain(&self, authority: &str) -> bool {
        let name = authority.parse().map(|authority: Authority| authority.host().to_ascii_lowercase());
        let is_of_this_machine =
            name.is_ok_and(|name| is_of_this_machine_alone(name.trim_start_matches('[').trim_end_matches(']')));
        is_of_this_machine || self.further.iter().any(|name| name.is_of(authority))
    }
}

const SEC_FETCH_SITE: &str = "sec-fetch-site";

const OTHER_PAGE: ApiError = ApiError::Forbidden(
    "Pages of other origins may only read. Start the service with this page's origin (serve --cors-origin), or send this from a page of the \
     service itself.",
);
