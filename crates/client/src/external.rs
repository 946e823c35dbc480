//! The files of external diagrams. Any member of a project can enter any address there, so neither the address nor the file is trusted.
//! A file is downloaded over https, without the token, up to a size limit, and not from private networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::Range;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::LOCATION;
use reqwest::{Certificate, Response, Url, redirect};

use super::advice::Advice;
use super::cause::root_cause;
use super::config::Config;
use super::external_error::ExternalFileError;
use super::http::{CertificateProblem, Proxy, authorities_of_environment, named, route};

const MAX_REDIRECTS: usize = 5;
const HTTPS_PORT: u16 = 443;
/// The magic bytes, with the major version 3; the last byte is any patch version. The length of the header follows.
const MAGIC: &[u8] = b"fgb\x03fgb";
const LENGTH_OF_HEADER: Range<usize> = 8..12;
/// Number of bytes that [`check_format`] checks.
const CHECKED_BYTES: usize = 12;
/// The longest header that GDAL reads.
const MAX_HEADER_BYTES: u32 = 10 * 1024 * 1024;
const TIFF: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// Limits for the files of external diagrams.
#[derive(Debug, Clone, Copy)]
pub struct ExternalLimits {
    /// Size limit for a file, in bytes after decompression.
    pub max_bytes: usize,
    /// True to allow hosts with private, loopback or reserved addresses.
    pub allow_private: bool,
}

impl Default for ExternalLimits {
    fn default() -> Self {
        ExternalLimits { max_bytes: 100_000_000, allow_private: false }
    }
}

impl From<reqwest::Error> for ExternalFileError {
    fn from(error: reqwest::Error) -> Self {
        let is_untrusted =
            CertificateProblem::find_in(&error).is_some_and(|problem| problem.advice == Advice::TrustTheCertificate);
        // The error that contains this one shows the address.
        ExternalFileError::NoAnswer {
            problem: root_cause(&error).to_string(),
            advice: is_untrusted.then_some(Advice::TrustTheFirewall),
            source: error.without_url().into(),
        }
    }
}

impl ExternalFileError {
    /// Names the proxy, if one was used.
    fn through(self, proxy: Option<&Proxy>) -> Self {
        match self {
            ExternalFileError::NoAnswer { problem, advice, source } => {
                ExternalFileError::NoAnswer { problem: named(proxy, problem), advice, source }
            }
            other => other,
        }
    }
}

/// Downloads a FlatGeobuf file. Only the time limits of the settings apply, to the complete download. `certificates` are trusted in
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

/// Follows the redirects from an address to a response. Each address on the way is checked like the first.
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

/// Requests a file over a separate connection, which has neither the token nor addresses that were not checked. A proxy resolves the
/// host itself: then it is checked if its name is known here, too.
async fn request(
    url: &Url,
    limits: ExternalLimits,
    config: &Config,
    certificates: &[Certificate],
) -> Result<Response, ExternalFileError> {
    if url.scheme() != "https" {
        return Err(ExternalFileError::NotHttps { origin: url.origin().ascii_serialization() });
    }
    let proxy = Proxy::of(url, config.proxy.as_ref())?;
    let addresses = match CheckedAddresses::resolve_host(url, limits.allow_private).await {
        Err(ExternalFileError::UnknownHost { .. }) if proxy.is_some() => CheckedAddresses(Vec::new()),
        addresses => addresses?,
    };
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")))
        .https_only(true)
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(config.connect_timeout)
        .tls_certs_merge([certificates, &authorities_of_environment()?].concat());
    if proxy.is_none() {
        builder = builder.dns_resolver(addresses);
    }
    if let Some(read_timeout) = config.read_timeout {
        builder = builder.read_timeout(read_timeout);
    }
    let http = route(builder, proxy.as_ref())?.build()?;
    let response = http.get(url.clone()).send().await;
    response.map_err(|error| ExternalFileError::from(error).through(proxy.as_ref()))
}

async fn receive(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, ExternalFileError> {
    let announced = response.content_length().unwrap_or_default();
    let mut file = Vec::new();
    let mut is_checked = false;
    while let Some(chunk) = response.chunk().await? {
        file.extend_from_slice(&chunk);
        // The format first: for a raster, an error about its size would mislead.
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

/// The addresses of a host, all checked. As the connection's name server, it returns these addresses for any name, so that a second
/// response of the real name server cannot lead elsewhere.
#[derive(Debug)]
struct CheckedAddresses(Vec<SocketAddr>);

impl CheckedAddresses {
    /// Resolves the host of a URL. One address that is not public is an error, unless private ones are allowed.
    async fn resolve_host(url: &Url, allow_private: bool) -> Result<Self, ExternalFileError> {
        let host = url.host_str().ok_or(ExternalFileError::InvalidUrl)?.trim_matches(['[', ']']);
        let port = url.port_or_known_default().unwrap_or(HTTPS_PORT);
        let resolved = tokio::net::lookup_host((host, port)).await;
        let resolved =
            resolved.map_err(|error| ExternalFileError::UnknownHost { host: host.to_owned(), source: error.into() })?;
        let addresses: Vec<SocketAddr> = resolved.collect();
        match addresses.iter().map(SocketAddr::ip).find(|&address| !is_public(address)) {
            Some(address) if !allow_private => {
                Err(ExternalFileError::PrivateAddress { host: host.to_owned(), address })
            }
            _ => Ok(CheckedAddresses(addresses)),
        }
    }
}

impl Resolve for CheckedAddresses {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// True if an address is on the public internet, by IANA's registries of special-purpose addresses. Addresses that stand for an IPv4
/// address are as public as the IPv4 address.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_special = match address.octets() {
        // This network, private, loopback, multicast and reserved.
        [0 | 10 | 127 | 224.., ..] => true,
        // Private, of providers, link-local (where clouds have their metadata), for benchmarks.
        [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] | [169, 254, ..] | [198, 18..=19, ..] => true,
        // Protocols, documentation, relays from IPv6.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [192, 88, 99, _] => true,
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // NAT64, and IPv4 written as IPv6.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0, 0, 0, 0, 0, 0xffff, high, low] => {
            is_public_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
        }
        // Protocols, documentation, 6to4.
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x2002, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

/// Rejects files that are not FlatGeobuf.
///
/// GDAL tries all its formats on a file, and some lead it to other files and addresses. It would find such a format in the text after
/// the magic bytes. A length within the limit ends in a zero byte, where GDAL stops looking for text.
fn check_format(file: &[u8]) -> Result<(), ExternalFileError> {
    if TIFF.iter().any(|magic| file.starts_with(magic)) {
        return Err(ExternalFileError::GeoTiff);
    }
    let length = file.get(LENGTH_OF_HEADER).and_then(|length| length.try_into().ok()).map(u32::from_le_bytes);
    match length {
        Some(1..=MAX_HEADER_BYTES) if file.starts_with(MAGIC) => Ok(()),
        _ => Err(ExternalFileError::NotFlatgeobuf),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_public_unless_a_registry_reserves_it() {
        let public =
            ["1.1.1.1", "9.255.255.255", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "223.255.255.255"];
        let public_v6 =
            ["2606:4700::1111", "2001:200::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"];
        for address in public.into_iter().chain(public_v6) {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        let special = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.19.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
        ];
        let special_v6 = [
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
        ];
        for address in special.into_iter().chain(special_v6) {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[tokio::test]
    async fn every_way_to_write_this_machine_is_refused_unless_private_addresses_are_allowed() {
        for host in ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "0", "[::ffff:127.0.0.1]"] {
            let url = Url::parse(&format!("https://{host}/parks.fgb")).unwrap();
            let refused = CheckedAddresses::resolve_host(&url, false).await.unwrap_err();
            assert!(matches!(refused, ExternalFileError::PrivateAddress { .. }), "{host}: {refused}");
            assert!(CheckedAddresses::resolve_host(&url, true).await.is_ok(), "{host}");
        }
    }

    #[tokio::test]
    async fn a_connection_goes_to_the_checked_address_whatever_its_host_resolves_to_later() {
        let checked: SocketAddr = "93.184.215.14:443".parse().unwrap();
        let resolved = CheckedAddresses(vec![checked]).resolve("localhost".parse().unwrap()).await;
        assert_eq!(resolved.unwrap().collect::<Vec<_>>(), [checked]);
    }

    #[test]
    fn a_file_is_flatgeobuf_by_its_magic_bytes_and_a_header_of_possible_length() {
        assert!(check_format(b"fgb\x03fgb\x00\x94\x07\0\0").is_ok());
        assert!(check_format(b"fgb\x03fgb\x01\0\0\xa0\0").is_ok());
        let others: [&[u8]; 6] = [
            b"",
            b"fgb\x03fgb",
            b"<!DOCTYPE html>",
            b"PK\x03\x04fgb\x00\x94\x07\0\0",
            b"fgb\x03fgb\x01\0\0\0\0",
            b"fgb\x03fgb\x01\x01\0\xa0\0",
        ];
        for other in others {
            assert!(matches!(check_format(other), Err(ExternalFileError::NotFlatgeobuf)), "{other:?}");
        }
    }

    #[test]
    fn text_of_another_format_after_the_magic_bytes_is_refused() {
        let disguised = b"fgb\x03fgb\x01<OGRVRTDataSource>";
        assert!(matches!(check_format(disguised), Err(ExternalFileError::NotFlatgeobuf)));
    }

    #[test]
    fn a_geotiff_is_named_as_such() {
        assert!(matches!(check_format(b"II*\0\x10\0\0\0"), Err(ExternalFileError::GeoTiff)));
        assert!(matches!(check_format(b"MM\0+\0\x08\0\0"), Err(ExternalFileError::GeoTiff)));
    }
}
