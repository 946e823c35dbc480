//! Networks whose devices are served in plain http.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use geodesign::model::is_private;

/// A private network, such as `10.0.0.0/24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    /// Number of leading bits that all its addresses share.
    length: u8,
}

/// Error for a string that is not such a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidNetwork {
    #[error("{0:?} is not a network, such as 10.0.0.0/24 or fd12:3456:789a::/64")]
    Text(String),
    #[error("{given} is an address in a network; the network itself is {network}")]
    NotFirst { given: String, network: Network },
    #[error(
        "{0} is not a private network (private ones begin with 10., 172.16. to 172.31., 192.168., 169.254., fc, fd or fe80:): elsewhere, \
         plain http shows tokens to everybody on the way; serve with TLS instead"
    )]
    Public(Network),
}

impl Network {
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(_), address @ IpAddr::V4(_)) | (IpAddr::V6(_), address @ IpAddr::V6(_)) => {
                first_of(address, self.length) == self.first
            }
            _ => false,
        }
    }

    fn last(self) -> IpAddr {
        match self.first {
            IpAddr::V4(first) => IpAddr::V4((first.to_bits() | !mask_v4(self.length)).into()),
            IpAddr::V6(first) => IpAddr::V6((first.to_bits() | !mask_v6(self.length)).into()),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.length)
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork::Text(text.to_owned());
        let (address, length) = text.split_once('/').ok_or_else(invalid)?;
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let length = length.parse().ok().filter(|length| is_number && *length <= bits).ok_or_else(invalid)?;
        let network = Network { first: first_of(address, length), length };
        if network.first != address {
            return Err(InvalidNetwork::NotFirst { given: text.to_owned(), network });
        }
        // The private ranges are networks themselves: what begins and ends in one of them is a part of it, or spans several.
        let is_part =
            is_private(network.first) && is_private(network.last()) && length >= if bits == 32 { 8 } else { 7 };
        if is_part { Ok(network) } else { Err(InvalidNetwork::Public(network)) }
    }
}

/// The first address of the network that an address is in.
fn first_of(address: IpAddr, length: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => IpAddr::V4((address.to_bits() & mask_v4(length)).into()),
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & mask_v6(length)).into()),
    }
}

fn mask_v4(length: u8) -> u32 {
    u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0)
}

fn mask_v6(length: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_has_the_addresses_that_begin_like_it() {
        for (text, inside, outside) in [
            ("10.0.0.0/24", ["10.0.0.0", "10.0.0.255", "::ffff:10.0.0.7"], ["10.0.1.0", "9.255.255.255", "::1"]),
            (
                "192.168.7.4/30",
                ["192.168.7.4", "192.168.7.7", "192.168.7.6"],
                ["192.168.7.8", "192.168.7.3", "fd00::1"],
            ),
            ("10.0.0.9/32", ["10.0.0.9", "::ffff:10.0.0.9", "10.0.0.9"], ["10.0.0.8", "10.0.0.10", "127.0.0.1"]),
            ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "10.9.8.7"], ["11.0.0.0", "127.0.0.1", "fd00::"]),
            (
                "fd00:1::/64",
                ["fd00:1::", "fd00:1::ffff:1:2:3", "fd00:1:0:0:1::"],
                ["fd00:1:0:1::", "fd00:2::", "10.0.0.1"],
            ),
        ] {
            assert_eq!(network(text).to_string(), text);
            assert!(inside.iter().all(|address| network(text).contains(address.parse().unwrap())), "{text}");
            assert!(!outside.iter().any(|address| network(text).contains(address.parse().unwrap())), "{text}");
        }
    }

    #[test]
    fn what_is_no_private_network_is_refused() {
        for text in ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0/24", "a.local/24", "fd00::/129"]
        {
            assert!(matches!(text.parse::<Network>(), Err(InvalidNetwork::Text(_))), "{text}");
        }
        let error = "10.0.0.5/24".parse::<Network>().unwrap_err();
        assert!(error.to_string().ends_with("the network itself is 10.0.0.0/24"));
        for text in [
            "0.0.0.0/0",
            "::/0",
            "8.8.8.0/24",
            "172.32.0.0/16",
            "172.16.0.0/11",
            "192.168.0.0/15",
            "10.0.0.0/7",
            "2001:db8::/64",
            "0.0.0.0/1",
            "fc00::/6",
            "0.0.0.0/32",
            "224.0.0.0/24",
        ] {
            let refused = text.parse::<Network>();
            assert!(
                matches!(refused, Err(InvalidNetwork::Public(_) | InvalidNetwork::NotFirst { .. })),
                "{text}: {refused:?}"
            );
        }
    }
}
