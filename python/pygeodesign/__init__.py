"""Geodesign projects in a notebook: maps, designs and costs per system.

`Client` (or `AsyncClient`) reads a project from the service, `Sandbox` is the service itself inside this process:

    >>> from pygeodesign import Sandbox
    >>> sandbox = Sandbox()
    >>> project = sandbox.project()
    >>> report = project.costs()
    >>> len(report.systems)
    9

Features are in a `FeatureCollection`, which GeoPandas and every reader of Arrow can read. The exceptions are in
`pygeodesign.errors`, the types of dicts in `pygeodesign.types`.
"""

# First, because the extension module must not be loaded into another interpreter.
from pygeodesign import _main_interpreter  # noqa: F401  # isort: skip

# What the extension module is given: what it asks of Python, and its methods that are written in Python.
from pygeodesign import _for_core, _methods  # noqa: F401  # isort: skip

from pygeodesign._changes.archive_changes import ArchiveChanges
from pygeodesign._core import (
    AsyncClient,
    AsyncDesign,
    AsyncDiagram,
    AsyncMember,
    AsyncProject,
    AsyncStudyArea,
    AsyncSystem,
    AsyncTeam,
    AsyncWorkshop,
    Client,
    CostReport,
    Design,
    Diagram,
    FeatureCollection,
    Member,
    Project,
    Sandbox,
    StudyArea,
    System,
    Team,
    Workshop,
    __version__,
)
from pygeodesign._functions import (
    compare_archives,
    map_projects,
    measure,
    open,  # noqa: A004 (called as pygeodesign.open, as gzip.open)
    read_archive,
)
from pygeodesign._history import History
from pygeodesign._options import Options, options
from pygeodesign._project_results import ProjectResults
from pygeodesign.errors import (
    ApiError,
    ArchiveError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    DecodeError,
    ExternalFileError,
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
    "ArchiveChanges",
    "ArchiveError",
    "AsyncClient",
    "AsyncDesign",
    "AsyncDiagram",
    "AsyncMember",
    "AsyncProject",
    "AsyncStudyArea",
    "AsyncSystem",
    "AsyncTeam",
    "AsyncWorkshop",
    "AuthenticationError",
    "BadRequestError",
    "Client",
    "ConfigurationError",
    "CostReport",
    "DecodeError",
    "Design",
    "Diagram",
    "ExternalFileError",
    "FeatureCollection",
    "GeodesignError",
    "History",
    "HttpsRequiredError",
    "InputError",
    "Member",
    "NotFoundError",
    "Options",
    "PermissionDeniedError",
    "Project",
    "ProjectResults",
    "RateLimitedError",
    "RequestTimeoutError",
    "Sandbox",
    "ServerError",
    "StudyArea",
    "System",
    "Team",
    "TransportError",
    "Workshop",
    "__version__",
    "compare_archives",
    "map_projects",
    "measure",
    "open",
    "options",
    "read_archive",
]

# Where users find it.
ArchiveChanges.__module__ = compare_archives.__module__ = measure.__module__ = open.__module__ = "pygeodesign"
History.__module__ = "pygeodesign"
Options.__module__ = ProjectResults.__module__ = map_projects.__module__ = read_archive.__module__ = "pygeodesign"
