"""Geodesign projects in a notebook: maps, designs and costs per system.

`Client` (or `AsyncClient`) reads a project from the service, `Sandbox` is the service itself inside this process:

    >>> from pygeodesign import Sandbox
    >>> sandbox = Sandbox()
    >>> project = sandbox.client().project(sandbox.project_ids[0])
    >>> report = project.costs()
    >>> len(report.systems)
    9

Every geography is a `FeatureCollection`, which GeoPandas and every reader of Arrow take as it is. What can go wrong is
in `pygeodesign.errors`; the shapes of the dicts are in `pygeodesign.types`.
"""

from pygeodesign._core import (
    AsyncClient,
    AsyncProject,
    Client,
    CostReport,
    FeatureCollection,
    Project,
    Sandbox,
    __version__,
)
from pygeodesign.errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    DecodeError,
    GeodesignError,
    HttpsRequiredError,
    InputError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitedError,
    RequestTimeoutError,
    ServerError,
    TransportError,
)

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncProject",
    "AuthenticationError",
    "BadRequestError",
    "Client",
    "ConfigurationError",
    "CostReport",
    "DecodeError",
    "FeatureCollection",
    "GeodesignError",
    "HttpsRequiredError",
    "InputError",
    "NotFoundError",
    "PermissionDeniedError",
    "Project",
    "RateLimitedError",
    "RequestTimeoutError",
    "Sandbox",
    "ServerError",
    "TransportError",
    "__version__",
]
