//! The proxy in a client's settings.

use std::fmt;

use reqwest::Url;
use zeroize::Zeroizing;

/// The schemes of proxies.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// Error for a setting that is not the address of a proxy. It is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "proxy is not the address of a proxy, such as http://proxy.example.org:3128, http://USER:PASSWORD@HOST:PORT or \
     socks5h://HOST:PORT; it is not shown here, because it may hold a password. Write special characters of a password as %XX"
)]
pub struct InvalidProxy;

/// The proxy in a client's settings, perhaps with a user and a password. Its `Debug` form does not show them.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenProxy(Option<Zeroizing<String>>);

impl GivenProxy {
    /// Checks the address. An empty one means no proxy at all.
    pub fn new(address: &str) -> Result<Self, InvalidProxy> {
        let address = address.trim();
        if address.is_empty() {
            return Ok(GivenProxy(None));
        }
        let address = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        let url = Url::parse(&address).map_err(|_| InvalidProxy)?;
        let is_address = url.host_str().is_some_and(|host| !host.is_empty())
            && SCHEMES.contains(&url.scheme())
            && matches!(url.path(), "" | "/")
            && url.query().is_none()
            && url.fragment().is_none();
        if is_address { Ok(GivenProxy(Some(address.into()))) } else { Err(InvalidProxy) }
    }

    /// The address with its password, for connecting and for pickling.
    pub fn expose(&self) -> &str {
        self.0.as_deref().map_or("", String::as_str)
    }

    /// True if requests go directly to the service.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The address without its user and password.
    pub fn shown(&self) -> String {
        let Ok(mut url) = Url::parse(self.expose()) else { return String::new() };
        // No address of a proxy refuses this.
        let _ = (url.set_username(""), url.set_password(None));
        url.as_str().trim_end_matches('/').to_owned()
    }
}

impl fmt::Debug for GivenProxy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "GivenProxy({})", self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_proxy_is_shown_without_its_password() {
        for (given, shown) in [
            ("http://ana:s3cr3t@proxy.org:3128", "http://proxy.org:3128"),
            ("ana:s3cr3t@proxy.org:3128", "http://proxy.org:3128"),
            ("socks5h://s3cr3t@[fd00::1]:1080/", "socks5h://[fd00::1]:1080"),
            ("proxy.org:3128", "http://proxy.org:3128"),
            (" ", ""),
        ] {
            assert_eq!(format!("{:?}", GivenProxy::new(given).unwrap()), format!("GivenProxy({shown})"));
        }
        for wrong in ["ftp://s3cr3t@a.org", "http://", "http://a.org/s3cr3t", "http://a.org?s3cr3t", "http://a:s3cr3t"]
        {
            assert!(!GivenProxy::new(wrong).unwrap_err().to_string().contains("s3cr3t"), "{wrong}");
        }
    }
}
