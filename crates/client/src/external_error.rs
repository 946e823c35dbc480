//! Reasons why the file of an external diagram cannot be opened.

use std::net::IpAddr;
use std::time::Duration;

use super::advice::Advice;
use super::cause::{Cause, root_cause};
use super::config::ConfigError;

#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalFileError {
    #[error("this is not a URL with a host")]
    InvalidUrl,

    #[error("only https addresses are opened, and {origin} is not one")]
    NotHttps { origin: String },

    #[error("its host {host} has no known address: {}", root_cause(&**source))]
    UnknownHost { host: String, source: Cause },

    #[error(
        "its host {host} has the address {address}, which is private or reserved. If you trust the author of this diagram, ask \
         with allow_private=True"
    )]
    PrivateAddress { host: String, address: IpAddr },

    #[error("there was no answer: {problem}{}", advice.map(|advice| format!(". {advice}")).unwrap_or_default())]
    NoAnswer { problem: String, advice: Option<Advice>, source: Cause },

    #[error(transparent)]
    Configuration(#[from] ConfigError),

    #[error("it redirects to an invalid address")]
    InvalidRedirect,

    #[error("more than {maximum} redirects")]
    TooManyRedirects { maximum: usize },

    #[error("its server answered with the status {0}")]
    Status(u16),

    #[error("it did not arrive in {:.0} s; give the client a longer timeout", timeout.as_secs_f64())]
    Timeout { timeout: Duration },

    #[error("it has more than {max_bytes} bytes; raise max_bytes if you trust it")]
    TooLarge { max_bytes: usize },

    #[error(
        "it is a GeoTIFF (perhaps a Cloud Optimized GeoTIFF), and only FlatGeobuf files can be opened; a library for rasters, such \
         as rasterio, reads it"
    )]
    GeoTiff,

    #[error("it is not a FlatGeobuf file, the only format that can be opened")]
    NotFlatgeobuf,
}
