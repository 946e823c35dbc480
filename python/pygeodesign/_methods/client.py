"""What a client does in Python: archives of many projects.

`import pygeodesign` imports this file, so it imports no library: what takes time is imported when it is called.
"""

from __future__ import annotations

from pygeodesign._core import AsyncClient, AsyncProject, Client, Project, _need
from pygeodesign._methods.added import method_of

# Not from `typing`, whose import takes longer than that of the whole package.
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
    """Writes an archive of many projects into a folder or a bucket, or brings the one there up to date.

    Each project has a folder `project=ID/` with `diagrams.parquet` (GeoParquet), `systems.parquet`, `designs.parquet`,
    `costs.parquet`, and `project.zip` for `pygeodesign.open`. `pygeodesign.read_archive` reads all of it.

    A project that is in the archive already is asked for its change id, which is one request, and is read only if that
    is another one. Readers see each project as it was or as it is, never half of it, and so they do after an
    interruption at any moment. Ctrl-C keeps the projects that are whole.

    Args:
        store: A folder; a URL such as `"s3://bucket/archive"`, which needs fsspec and the library of its protocol; a
            filesystem of fsspec, such as a `DirFileSystem`; or a store of obstore.
        projects: Ids or projects; or a dict from ids to dicts of further columns for the manifest, such as
            `{"StatenIsland2050": {"region": "Northeast"}}`, by which `ProjectsArchive.costs(by="region")` sums.
            Default: all projects of the user. Projects of the archive that are not among them stay as they are.
        storage_options: What fsspec needs for the URL, such as `{"profile": "archive"}`.
        progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

    Returns:
        An `ArchiveAllReport` dict: the ids `archived`, `unchanged` and `kept`, and `failures`, a dict from the id of
        each project that could not be read to its exception.

    Raises:
        ArchiveError: The store has something else of that name, an archive of a newer version, or cannot be written.
        InputError: A store or a project of another kind.
        ImportError: GeoPandas, pyarrow or fsspec is missing; `pip install 'pygeodesign[many]'` brings all.

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
