//! Downloads a file from an address that is not trusted: over https, without the token, up to a size, and not from private networks.

use reqwest::header::LOCATION;
use reqwest::{Certificate, Response, Url, redirect};

use super::addresses::CheckedAddresses;
use super::error::ExternalFileError;
use super::format::{CHECKED_BYTES, check_format};
use crate::client::config::Config;

const MAX_REDIRECTS: usize = 5;

/// What is opened for an external diagram.
#[derive(Debug, Clone, Copy)]
pub struct ExternalLimits {
    /// The largest file that is read, in bytes after decompression.
    pub max_bytes: usize,
    /// Whether hosts with private, loopback or reserved addresses may be connected to.
    pub allow_private: bool,
}

impl Default for ExternalLimits {
    fn default() -> Self {
        ExternalLimits { max_bytes: 100_000_000, allow_private: false }
    }
}

/// Downloads a FlatGeobuf file. Of the settings, the time limits apply, to the download as a whole. `certificates` are trusted in
/// addition to the system's.
pub async fn download(
    url: &str,
    limits: ExternalLimits,
    config: &Config,
    certificates: &[Certificate],
) -> Result<Vec<u8>, ExternalFileError> {
    let file = async {
        let response = Box::pin(respond(url, limits, config, certificates)).await?;
        receive(response, limits.max_bytes).await
    };
    let timeout = config.timeout;
    tokio::time::timeout(timeout, file).await.unwrap_or(Err(ExternalFileError::Timeout { timeout }))
}

/// The response to which the redirects from an address lead. Each address on the way is checked as the first.
async fn respond(
    url: &str,
    limits: ExternalLimits,
    config: &Config,
    certificates: &[Certificate],
) -> Result<Response, ExternalFileError> {
    let mut url = Url::parse(url).map_err(|_| ExternalFileError::InvalidUrl)?;
    for _ in 0..=MAX_REDIRECTS {
        let response = request(&url, limits, config, certificates).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let Some(location) = response.headers().get(LOCATION).filter(|_| status.is_redirection()) else {
            return Err(ExternalFileError::Status(status.as_u16()));
        };
        let target = location.to_str().ok().and_then(|location| url.join(location).ok());
        url = target.ok_or(ExternalFileError::InvalidRedirect)?;
    }
    Err(ExternalFileError::TooManyRedirects { maximum: MAX_REDIRECTS })
}

/// Requests a file over a connection of its own, which knows neither the token nor other addresses than those that were checked. A
/// proxy would resolve the host again, so none is used.
async fn request(
    url: &Url,
    limits: ExternalLimits,
    config: &Config,
    certificates: &[Certificate],
) -> Result<Response, ExternalFileError> {
    if url.scheme() != "https" {
        return Err(ExternalFileError::NotHttps { origin: url.origin().ascii_serialization() });
    }
    let addresses = CheckedAddresses::of(url, limits.allow_private).await?;
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")))
        .https_only(true)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .dns_resolver(addresses)
        .connect_timeout(config.connect_timeout)
        .tls_certs_merge(certificates.to_vec());
    if let Some(read_timeout) = config.read_timeout {
        builder = builder.read_timeout(read_timeout);
    }
    Ok(builder.build()?.get(url.clone()).send().await?)
}

async fn receive(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, ExternalFileError> {
    let announced = response.content_length().unwrap_or_default();
    let mut file = Vec::new();
    let mut is_checked = false;
    while let Some(chunk) = response.chunk().await? {
        file.extend_from_slice(&chunk);
        // The format first: that a raster is too large would mislead.
        if !is_checked && file.len() >= CHECKED_BYTES {
            check_format(&file)?;
            is_checked = true;
        }
        if is_checked && (file.len() > max_bytes || announced > max_bytes as u64) {
            return Err(ExternalFileError::TooLarge { max_bytes });
        }
    }
    if !is_checked {
        check_format(&file)?;
    }
    Ok(file)
}

impl From<reqwest::Error> for ExternalFileError {
    fn from(error: reqwest::Error) -> Self {
        // The address is in the error that holds this one.
        ExternalFileError::NoAnswer { source: error.without_url().into() }
    }
}
