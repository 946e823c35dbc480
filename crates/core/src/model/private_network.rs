//! Addresses that cannot be reached from the Internet: those of private networks, and of this machine.

use std::net::IpAddr;

/// True if an address is one of a private network or of a single link (RFC 1918, 3927, 4193 and 4291), or of this machine.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_private() || address.is_link_local() || address.is_loopback(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local() || address.is_loopback(),
    }
}

/// True if a name or an address leads to the machine it is used on.
pub fn is_of_this_machine_alone(name: &str) -> bool {
    name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
