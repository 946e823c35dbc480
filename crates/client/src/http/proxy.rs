//! The proxy for requests to a service, from the environment or the system.

use std::fmt;

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{ClientBuilder, Url};

use crate::config::is_loopback;

/// A proxy's address, without its user and password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy(String);

impl Proxy {
    /// Returns the proxy for a service; `None` if requests go directly to the service. Plain http requests always do: a proxy would get
    /// the token in clear text.
    pub fn of(service: &Url) -> Option<Self> {
        // The first one that is set counts, as in the library that connects.
        let exempt = ["NO_PROXY", "no_proxy"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        if service.scheme() != "https" || is_loopback(service) || is_exempt(service, &exempt) {
            return None;
        }
        let service: Uri = service.as_str().parse().ok()?;
        let found = Matcher::from_system().intercept(&service)?;
        Some(Proxy(found.uri().to_string().trim_end_matches('/').to_owned()))
    }
}

/// Makes a client send its requests to a service through this proxy of the environment or the system, or directly.
pub fn route(builder: ClientBuilder, proxy: Option<&Proxy>) -> ClientBuilder {
    match proxy {
        // The library finds the proxy again, with its user and password.
        Some(_) => builder,
        None => builder.no_proxy(),
    }
}

/// Adds the proxy to the reason for a failed connection: the proxy may be at fault.
pub fn named(proxy: Option<&Proxy>, problem: String) -> String {
    match proxy {
        Some(proxy) => format!("through the proxy {proxy} of this machine's settings: {problem}"),
        None => problem,
    }
}

/// Reads entries of `NO_PROXY` as curl and requests do, where the library supports less: `*` covers addresses too, and an entry may
/// have a port.
fn is_exempt(service: &Url, exempt: &str) -> bool {
    let is_port = |port: &str| port.parse().ok() == service.port_or_known_default();
    exempt.split([',', ' ']).map(str::trim).any(|entry| {
        is_at(service, entry)
            || entry.rsplit_once(':').is_some_and(|(host, port)| is_port(port) && is_at(service, host))
    })
}

/// True if a service is at a host, or at a name below it.
fn is_at(service: &Url, host: &str) -> bool {
    let (named, host) = (service.host_str().unwrap_or_default().to_lowercase(), host.to_lowercase());
    let domain = host.trim_start_matches("*.").trim_start_matches('.');
    host == "*" || named == domain || named.strip_suffix(domain).is_some_and(|below| below.ends_with('.'))
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
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
