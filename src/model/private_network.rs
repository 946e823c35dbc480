//! Addresses that the Internet does not lead to: those of private networks.

use std::net::IpAddr;

/// Whether an address is one of a private network or of a single link (RFC 1918, 3927, 4193 and 4291), or of this machine.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_private() || address.is_link_local() || address.is_loopback(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local() || address.is_loopback(),
    }
}
