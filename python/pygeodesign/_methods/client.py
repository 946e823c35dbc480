"""A client's methods in Python: archives of many projects.

`import pygeodesign` imports this file, so it imports no library: slow imports happen in the calls.
"""

from __future__ import annotations

from pygeodesign._core import AsyncClient, AsyncProject, Client, Project, _need
from pygeodesign._methods.added import method_of

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from pygeodesign.types import ArchiveAllReport


@method_of(Client, AsyncClient)
def archive_all(
    self: Client,
    store: Any,
    projects: Iterable[str | Project | AsyncProject] | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    storage_options: dict[str, Any] | None = None,
    progress: bool | None = None,
) -> ArchiveAllReport:
    """Writes an archive of many projects into a folder or a bucket, or updates the one there.

    Each project has a folder `project=ID/` with `diagrams.parquet` (GeoParquet), `systems.parquet`, `designs.parquet`,
    `costs.parquet`, and `project.zip` for `pygeodesign.open`. `pygeodesign.read_archive` reads all of it.

    A project that is already in the archive is read only if its change id is different, which takes one request.
    Readers see each project in its old or its new state, never half of it, also after an interruption at any
    moment. Ctrl-C keeps the complete projects.

    Args:
        store: A folder; a URL such as `"s3://bucket/archive"`, which needs fsspec and the library of its protocol; a
            filesystem of fsspec, such as a `DirFileSystem`; or a store of obstore.
        projects: Ids or projects; or a dict from ids to dicts of further columns for the manifest, such as
            `{"StatenIsland2050": {"region": "Northeast"}}`, by which `ProjectsArchive.costs(by="region")` sums.
            Default: all projects of the user. Other projects in the archive stay unchanged.
        storage_options: Options of fsspec for the URL, such as `{"profile": "archive"}`.
        progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

    Returns:
        An `ArchiveAllReport` dict: the ids `archived`, `unchanged` and `kept`, and `failures`, a dict from the id of
        each project that could not be read to its exception.

    Raises:
        ArchiveError: The store has other data under that name, an archive of a newer version, or cannot be written.
        InputError: The store or a project is of another kind.
        ImportError: GeoPandas, pyarrow or fsspec is missing; `pip install 'pygeodesign[many]'` installs all.

    Warns:
        UserWarning: Some projects could not be read; the message names them. All others are archived.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> client.archive_all(folder)["archived"]
        ['StatenIsland2050']
        >>> len(pygeodesign.read_archive(folder).costs())
        9
    """
    _need("geopandas", "pyarrow")
    from pygeodesign._many.archive_all import archive_all

    options = {"projects": projects, "storage_options": storage_options, "progress": progress}
    report: ArchiveAllReport = archive_all(self, store, **options)
    return report
