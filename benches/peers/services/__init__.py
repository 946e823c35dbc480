"""The two operations of the service that are compared, in other stacks: a diagram's detail, and all diagrams."""

from peers.services.axum_rusqlite import AXUM
from peers.services.fastapi_uvicorn import FASTAPI
from peers.services.service_peer import ServicePeer

SERVICES: list[ServicePeer] = [FASTAPI, AXUM]

__all__ = ["AXUM", "FASTAPI", "SERVICES", "ServicePeer"]
