"""axum and rusqlite, written plainly: `axum_rusqlite.rs`."""

from harness import build_example
from peers.services.service_peer import ServicePeer

AXUM = ServicePeer("axum + rusqlite", (), lambda port: [build_example("axum_rusqlite"), str(port)])
