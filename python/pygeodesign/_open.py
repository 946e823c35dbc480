"""`open`: a project from an archive."""

from __future__ import annotations

from pygeodesign import _core

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike

    from pygeodesign._core import Project


def open(path: str | PathLike[str]) -> Project:  # noqa: A001
    """The project in an archive, which `Project.archive` wrote. No service and no network are needed.

    All of the file is verified first. The project has the methods of every `Project`: those that read answer as the
    service did when the project was archived, those that write raise `InputError`.

    Args:
        path: The archive.

    Returns:
        A `Project`.

    Raises:
        ArchiveError: There is no such file, it is no archive of a project, it is damaged, or it was written by a newer
            version of pygeodesign.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> with pygeodesign.Sandbox() as sandbox:
        ...     counts = sandbox.client().project("StatenIsland2050").archive(f"{folder}/staten.zip")
        >>> pygeodesign.open(f"{folder}/staten.zip").info()["projecttitle"]
        'Staten Island 2050'
    """
    return _core._open(path)
