//! The names and addresses of this machine.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use rustls::pki_types::ServerName;

/// The names and addresses by which clients may reach a service that listens on `host`.
pub fn names_of_this_machine(host: &str) -> Vec<String> {
    let mut names = ["localhost", "127.0.0.1", "::1"].map(String::from).to_vec();
    // An IPv6 address may end in a zone, as fe80::1%eth0 does, which means nothing to other machines.
    let host = host.split('%').next().unwrap_or(host);
    match host.parse::<IpAddr>().ok().filter(IpAddr::is_unspecified) {
        Some(unspecified) => {
            names.extend(host_name());
            // Two addresses that are reserved for documentation (RFC 5737, RFC 3849); any but a local one would do.
            names.extend(outgoing_address(Ipv4Addr::UNSPECIFIED.into(), (Ipv4Addr::new(192, 0, 2, 1), 9).into()));
            if unspecified.is_ipv6() {
                let documentation = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
                names.extend(outgoing_address(unspecified, (documentation, 9).into()));
            }
        }
        None => names.push(host.to_owned()),
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn host_name() -> Option<String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let variables = ["COMPUTERNAME", "HOSTNAME"];
    let files = files.into_iter().filter_map(|path| fs::read_to_string(path).ok());
    let variables = variables.into_iter().filter_map(|name| std::env::var(name).ok());
    files.chain(variables).map(|name| name.trim().to_owned()).find(|name| ServerName::try_from(name.as_str()).is_ok())
}

/// The local address from which packets to `destination` would be sent. Connecting a UDP socket sends none.
fn outgoing_address(unspecified: IpAddr, destination: SocketAddr) -> Option<String> {
    let socket = UdpSocket::bind((unspecified, 0)).ok()?;
    socket.connect(destination).ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}
