"""The manifest of an archive of many projects: which files are the current ones of which project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from pygeodesign._many.store import Store
from pygeodesign.errors import ArchiveError

NAME = "manifest.json"
FORMAT = "pygeodesign-projects"
VERSION = 1
TABLES = ("diagrams", "systems", "designs", "costs")
# What it tells of each project itself, and what `ProjectsArchive.costs(by=…)` takes for a column of systems, so that no
# other column can have these names.
OWN_COLUMNS = {
    *("project", "changeid", "archived_at", "source", "bounds"),
    *("diagrams", "systems", "members", "teams", "designs"),
    *("name", "sysid"),
}
# What each project has: a table each, and its own archive.
ENDINGS = {**dict.fromkeys(TABLES, "parquet"), "project": "zip"}

_PROJECT = re.compile(r"[A-Za-z0-9]{16}")
_VERSIONS = "versions"


@dataclass(frozen=True)
class File:
    """A file of the archive, which never changes under its name."""

    path: str
    # In bytes.
    size: int
    sha256: str


@dataclass
class Entry:
    """What the manifest tells of a project."""

    # The address of the service's API, and what it told of the state of the project before it was read.
    source: str
    changeid: str
    # The ETags of the responses about the project as a whole, by the name of the member of its zip.
    etags: dict[str, str]
    # ISO 8601, UTC.
    archived_at: str
    # The fields of the project, such as `projecttitle`, and the columns that the caller gave.
    columns: dict[str, Any]
    # West, south, east, north of all diagrams; None where no diagram has a geometry.
    bounds: list[float] | None
    counts: dict[str, int]
    # By `diagrams`, `systems`, `designs`, `costs` and `project`.
    files: dict[str, File]
    # Whether `project=ID/` has these files too.
    published: bool = False


@dataclass
class Manifest:
    """The projects of an archive by their ids, and the files that are waiting to be removed."""

    projects: dict[str, Entry] = field(default_factory=dict)
    # When a file was first seen that no project has any more, by its path: ISO 8601, UTC.
    unused: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, store: Store) -> Manifest | None:
        """The manifest of a store; None where there is none. `ArchiveError` for one that cannot be used."""
        try:
            content = store.read(NAME)
        # Stores raise errors of many classes.
        except Exception as problem:
            raise ArchiveError(f"the archive in {store} cannot be read: {problem}") from problem
        if content is None:
            return None
        try:
            document = json.loads(content)
        except ValueError as problem:
            raise ArchiveError(f"{NAME} in {store} is not JSON: {problem}") from problem
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ArchiveError(f"{NAME} in {store} is not that of an archive of many projects: it has another format")
        version = document.get("version")
        if not isinstance(version, int) or version < 1:
            raise ArchiveError(f"{NAME} in {store} is damaged: its version is {version!r}")
        if version > VERSION:
            raise ArchiveError(
                f"the archive in {store} has format version {version}, and this version of pygeodesign knows up to "
                f"{VERSION}: install a newer pygeodesign"
            )
        try:
            return cls(dict(_entries(document["projects"])), _texts(document["unused"]))
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            raise ArchiveError(f"{NAME} in {store} is damaged: {problem!r}") from problem

    def to_json(self) -> bytes:
        projects = {projectid: asdict(entry) for projectid, entry in sorted(self.projects.items())}
        document = {"format": FORMAT, "version": VERSION, "projects": projects, "unused": self.unused}
        return json.dumps(document, ensure_ascii=False, indent=1).encode()

    def current_paths(self) -> set[str]:
        return {file.path for entry in self.projects.values() for file in entry.files.values()}


def version_path(project: str, kind: str, sha256: str) -> str:
    """The name of a file by its content."""
    return f"{_VERSIONS}/project={project}/{kind}-{sha256[:16]}.{ENDINGS[kind]}"


def published_path(project: str, kind: str) -> str:
    """The name under which people who know no manifest find the current file."""
    return f"project={project}/{kind}.{ENDINGS[kind]}"


def stored_versions(store: Store) -> set[str]:
    """The paths of all files with content in their names, of any run, complete or not."""
    return store.names(_VERSIONS)


def _entries(projects: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Entry]]:
    for project, fields in projects.items():
        if not _PROJECT.fullmatch(project):
            raise ValueError(f"{project!r} is no id of a project")
        files = {kind: File(**fields["files"][kind]) for kind in ENDINGS}
        for kind, file in files.items():
            # Otherwise a name could lead out of the archive.
            if file.path != version_path(project, kind, file.sha256):
                raise ValueError(f"{file.path!r} is no name of a file of project {project}")
        yield project, Entry(**{**fields, "files": files})


def _texts(given: dict[str, str]) -> dict[str, str]:
    if not all(isinstance(text, str) for text in given.values()):
        raise ValueError(f"{given!r} has other values than texts")
    return dict(given)
