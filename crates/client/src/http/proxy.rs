//! The proxy for requests: from the settings of the client, or from the environment or the system.

use std::env;

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{ClientBuilder, Url};

use crate::config::{ConfigError, is_loopback};
use crate::given_proxy::GivenProxy;

/// The variables with the proxy for https, in this order.
const VARIABLES: [[&str; 2]; 2] = [["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]];

/// The proxy that requests go through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Without its user and password.
    address: String,
    /// `None` for the proxy of the environment or the system.
    given: Option<GivenProxy>,
}

impl Proxy {
    /// Returns the proxy for a server; `None` if requests go to it directly. Plain http requests always do: a proxy would get the token in
    /// clear text.
    pub fn of(server: &Url, given: Option<&GivenProxy>) -> Result<Option<Self>, ConfigError> {
        match given {
            Some(given) if !given.is_none() && server.scheme() != "https" => Err(ConfigError::ProxyOfPlainHttp),
            _ if server.scheme() != "https" || is_loopback(server) => Ok(None),
            Some(given) if given.is_none() => Ok(None),
            Some(given) => Ok(Some(Proxy { address: given.shown(), given: Some(given.clone()) })),
            None => Self::of_system(server),
        }
    }

    fn of_system(server: &Url) -> Result<Option<Self>, ConfigError> {
        // The first one that is set counts, as in the library that connects.
        let exempt = first_set(["NO_PROXY", "no_proxy"]).map(|(_, exempt)| exempt).unwrap_or_default();
        if is_exempt(server, &exempt) {
            return Ok(None);
        }
        if let Some((name, address)) =
            VARIABLES.into_iter().filter_map(first_set).find(|(_, address)| !address.is_empty())
            && !is_proxy(address)
        {
            return Err(ConfigError::ProxyVariable { name });
        }
        let server: Option<Uri> = server.as_str().parse().ok();
        let found = server.and_then(|server| Matcher::from_system().intercept(&server));
        Ok(found.map(|found| Proxy { address: found.uri().to_string().trim_end_matches('/').to_owned(), given: None }))
    }
}

/// True if the library reads a proxy in the value of a variable, with nothing of the password in its address.
fn is_proxy(address: String) -> bool {
    let found = Matcher::builder().all(address).build().intercept(&Uri::from_static("https://a.org"));
    found.is_some_and(|found| found.uri().authority().is_some_and(|authority| !authority.as_str().contains('@')))
}

/// Returns the first of these variables that is set, with its value.
fn first_set(names: [&'static str; 2]) -> Option<(&'static str, String)> {
    names.into_iter().find_map(|name| Some((name, env::var(name).ok()?)))
}

/// Makes a client send its requests through this proxy, or directly.
pub fn route(builder: ClientBuilder, proxy: Option<&Proxy>) -> Result<ClientBuilder, ConfigError> {
    Ok(match proxy {
        Some(Proxy { given: Some(given), .. }) => {
            builder.proxy(reqwest::Proxy::all(given.expose()).map_err(ConfigError::http_client)?)
        }
        // The library finds the proxy again, with its user and password.
        Some(Proxy { given: None, .. }) => builder,
        None => builder.no_proxy(),
    })
}

/// Adds the proxy to the reason for a failed request: the proxy may be at fault.
pub fn named(proxy: Option<&Proxy>, problem: String) -> String {
    match proxy {
        Some(Proxy { address, given: Some(_) }) => format!("through the proxy {address}: {problem}"),
        Some(Proxy { address, given: None }) => {
            format!("through the proxy {address} of this machine's settings: {problem}")
        }
        None => problem,
    }
}

/// Reads entries of `NO_PROXY` as curl and requests do, where the library supports less: `*` covers addresses too, and an entry may
/// have a port.
fn is_exempt(server: &Url, exempt: &str) -> bool {
    let is_port = |port: &str| port.parse().ok() == server.port_or_known_default();
    exempt.split([',', ' ']).map(str::trim).any(|entry| {
        is_at(server, entry) || entry.rsplit_once(':').is_some_and(|(host, port)| is_port(port) && is_at(server, host))
    })
}

/// True if a server is at a host, or at a name below it.
fn is_at(server: &Url, host: &str) -> bool {
    let (named, host) = (server.host_str().unwrap_or_default().to_lowercase(), host.to_lowercase());
    let domain = host.trim_start_matches("*.").trim_start_matches('.');
    host == "*" || named == domain || named.strip_suffix(domain).is_some_and(|below| below.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_with_a_star_or_a_port_exempt_addresses_and_names() {
        for (service, exempt) in [
            ("https://10.42.0.1:8443", "*"),
            ("https://10.42.0.1:8443", "a.org, *"),
            ("https://10.42.0.1:8443", "10.42.0.1:8443"),
            ("https://[fd00::1]:8443", "[fd00::1]:8443"),
            ("https://[fd00::1]:8443", "[fd00::1]"),
            ("https://room.A.org", "a.org:443"),
            ("https://room.a.org", ".a.org:443"),
            ("https://room.a.org", "*.a.org:443"),
        ] {
            assert!(is_exempt(&service.parse().unwrap(), exempt), "{service} {exempt}");
        }
        for (service, exempt) in [
            ("https://10.42.0.1:8443", ""),
            ("https://10.42.0.1:8443", "10.42.0.1:8444"),
            ("https://10.42.0.1:8443", "10.42.0.10:8443"),
            ("https://[fd00::1]:8443", "fd00::1:8443"),
            ("https://nota.org", "a.org:443"),
            ("https://room.a.org", ":443"),
        ] {
            assert!(!is_exempt(&service.parse().unwrap(), exempt), "{service} {exempt}");
        }
    }
}
