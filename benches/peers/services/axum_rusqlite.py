"""axum and rusqlite, written plainly: `benches/programs/src/bin/axum_rusqlite.rs`."""

from harness import program
from peers.services.service_peer import ServicePeer

AXUM = ServicePeer("axum + rusqlite", lambda port: [program("axum_rusqlite"), str(port)])
