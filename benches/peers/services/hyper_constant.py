"""hyper, responding with constants: `hyper_constant.rs`. No service: a limit for what one on hyper can reach."""

from harness import build_example
from peers.services.service_peer import ServicePeer

HYPER = ServicePeer("hyper, a constant", (), lambda port: [build_example("hyper_constant"), str(port)])
