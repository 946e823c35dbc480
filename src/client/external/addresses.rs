//! Where the host of a URL leads. A connection is made to an address that was checked, so that a second answer of the name server
//! cannot lead elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::ExternalFileError;

const HTTPS_PORT: u16 = 443;

/// The addresses of a host, all of them checked. As the name server of a connection it gives these addresses for any name.
#[derive(Debug)]
pub struct CheckedAddresses(Vec<SocketAddr>);

impl CheckedAddresses {
    /// Resolves the host of a URL. One address that is not public is enough for an error, unless those are allowed.
    pub async fn of(url: &Url, allow_private: bool) -> Result<Self, ExternalFileError> {
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

/// Whether an address is on the public internet, by IANA's registries of special-purpose addresses. Addresses that stand for an
/// IPv4 address are as public as that.
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
            let refused = CheckedAddresses::of(&url, false).await.unwrap_err();
            assert!(matches!(refused, ExternalFileError::PrivateAddress { .. }), "{host}: {refused}");
            assert!(CheckedAddresses::of(&url, true).await.is_ok(), "{host}");
        }
    }

    #[tokio::test]
    async fn a_connection_goes_to_the_checked_address_whatever_its_host_resolves_to_later() {
        let checked: SocketAddr = "93.184.215.14:443".parse().unwrap();
        let resolved = CheckedAddresses(vec![checked]).resolve("localhost".parse().unwrap()).await;
        assert_eq!(resolved.unwrap().collect::<Vec<_>>(), [checked]);
    }
}
