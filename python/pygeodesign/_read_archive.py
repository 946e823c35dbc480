"""`read_archive`: an archive of many projects."""

from __future__ import annotations

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pygeodesign._many.read_archive import ProjectsArchive


def read_archive(store: Any, *, storage_options: dict[str, Any] | None = None) -> ProjectsArchive:
    """An archive of many projects, which `Client.archive_all` wrote. No service is needed.

    Only its manifest is read now; the rest when it is asked for.

    Args:
        store: What was given to `archive_all`: a folder, a URL such as `"s3://bucket/archive"`, a filesystem of fsspec,
            or a store of obstore.
        storage_options: What fsspec needs for the URL.

    Returns:
        A `ProjectsArchive`.

    Raises:
        ArchiveError: There is no archive, it is damaged, or it was written by a newer version of pygeodesign.
        InputError: A store of another kind.
        ImportError: fsspec is missing; `pip install 'pygeodesign[many]'` brings it.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> with pygeodesign.Sandbox() as sandbox:
        ...     report = sandbox.client().archive_all(folder)
        >>> projects = pygeodesign.read_archive(folder)
        >>> list(projects.projects)
        ['StatenIsland2050']
        >>> with projects.duckdb() as database:
        ...     database.sql("SELECT count(*) FROM diagrams").fetchall()
        [(180,)]
    """
    from pygeodesign._many.read_archive import open_projects

    return open_projects(store, storage_options)
