//! The names and addresses by which a machine is reached.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use if_addrs::get_if_addrs;
use rustls::pki_types::ServerName;

/// The names and addresses at which a service that listens on `host` answers. Those that other machines may use come first, led by the
/// address of the default route, if there is one.
pub fn names_of_this_machine(host: &str) -> Vec<String> {
    // An IPv6 address may end in a zone, as fe80::1%eth0 does, which means nothing to other machines.
    let host = host.split('%').next().unwrap_or(host);
    let mut names = match host.parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() => names_of_all_networks(address),
        Ok(address) if address.is_loopback() => vec![host.to_owned(), "localhost".to_owned()],
        Err(_) if host == "localhost" => ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
        _ => vec![host.to_owned()],
    };
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn names_of_all_networks(unspecified: IpAddr) -> Vec<String> {
    // On Windows, a socket for IPv6 takes no connections in IPv4.
    let has_ipv4 = unspecified.is_ipv4() || !cfg!(windows);
    let is_listened_on = |address: &IpAddr| if address.is_ipv4() { has_ipv4 } else { unspecified.is_ipv6() };
    // Two addresses that are reserved for documentation (RFC 5737, RFC 3849); any but a local one would do.
    let elsewhere: [IpAddr; 2] =
        [Ipv4Addr::new(192, 0, 2, 1).into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into()];
    let outgoing = elsewhere.into_iter().filter_map(outgoing_address);
    // Those of networks without a route to elsewhere too: a hot spot, a VPN.
    let interfaces = get_if_addrs().unwrap_or_default().into_iter().map(|interface| interface.ip());
    let addresses = outgoing.chain(interfaces).filter(is_listened_on);
    let named = |address: IpAddr| (!address.is_loopback() && !is_link_local_v6(address)).then(|| address.to_string());
    let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()].into_iter().filter(is_listened_on);
    addresses
        .filter_map(named)
        .chain(host_name())
        .chain(["localhost".to_owned()])
        .chain(local.map(|address| address.to_string()))
        .collect()
}

/// True for an address that needs a zone, whose name differs between machines.
fn is_link_local_v6(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
}

fn host_name() -> Option<String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let variables = ["COMPUTERNAME", "HOSTNAME"];
    let files = files.into_iter().filter_map(|path| fs::read_to_string(path).ok());
    let variables = variables.into_iter().filter_map(|name| std::env::var(name).ok());
    files.chain(variables).map(|name| name.trim().to_owned()).find(|name| ServerName::try_from(name.as_str()).is_ok())
}

/// The local address from which packets to `destination` would be sent. Connecting a UDP socket sends none.
fn outgoing_address(destination: IpAddr) -> Option<IpAddr> {
    let unspecified: IpAddr =
        if destination.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((unspecified, 0)).ok()?;
    socket.connect(SocketAddr::new(destination, 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_of_one_address_answers_at_no_other() {
        assert_eq!(names_of_this_machine("192.168.7.4"), ["192.168.7.4"]);
        assert_eq!(names_of_this_machine("workshop.local"), ["workshop.local"]);
        assert_eq!(names_of_this_machine("127.0.0.1"), ["127.0.0.1", "localhost"]);
        assert_eq!(names_of_this_machine("fe80::1%eth0"), ["fe80::1"]);
    }

    #[test]
    fn a_service_of_all_networks_in_ipv4_has_no_address_of_ipv6_and_those_of_this_machine_come_last() {
        let names = names_of_this_machine("0.0.0.0");
        assert!(!names.iter().any(|name| name.contains(':')), "{names:?}");
        assert_eq!(names[names.len() - 2..], ["localhost", "127.0.0.1"]);
        assert!(names_of_this_machine("::").ends_with(&["::1".to_owned()]));
    }
}
