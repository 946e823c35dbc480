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

/// True if the devices of other people cannot reach a name or an address: it leads to this machine, into a container, or nowhere.
pub fn is_out_of_reach(name: &str) -> bool {
    let is_of_container = || name.len() == 12 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_name_of_this_machine =
        || name.ends_with(".localhost") || name == "host.docker.internal" || is_of_container();
    let is_address = |address: IpAddr| match address.to_canonical() {
        // Containers have addresses of this network, unless they are given others.
        IpAddr::V4(address) => {
            address.is_unspecified() || address.is_link_local() || address.octets()[..2] == [172, 17]
        }
        IpAddr::V6(address) => address.is_unspecified() || address.is_unicast_link_local(),
    };
    is_of_this_machine_alone(name) || name.parse().map_or_else(|_| is_name_of_this_machine(), is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_do_not_reach_this_machine_s_own_names_nor_containers() {
        for name in [
            "localhost",
            "a.localhost",
            "127.0.0.1",
            "::1",
            "0.0.0.0",
            "169.254.1.2",
            "fe80::1",
            "172.17.0.2",
            "3f2a9c0b7d1e",
        ] {
            assert!(is_out_of_reach(name), "{name}");
        }
        for name in ["192.168.1.20", "10.0.0.1", "172.18.0.2", "workshop.local", "plan.example.org", "fd00::1"] {
            assert!(!is_out_of_reach(name), "{name}");
        }
    }
}
