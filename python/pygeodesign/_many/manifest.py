"""The manifest of an archive of many projects: the current files of each project."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from pygeodesign._many.store import Store
from pygeodesign._text import LONE_SURROGATE
from pygeodesign.errors import ArchiveError

NAME = "manifest.json"
FORMAT = "pygeodesign-projects"
VERSION = 1
TABLES = ("diagrams", "systems", "designs", "costs")
# The manifest's own columns of each project, and columns of systems that `ProjectsArchive.costs(by=…)` takes. No
# other column can have these names.
OWN_COLUMNS = {
    *("project", "changeid", "archived_at", "source", "bounds"),
    *("diagrams", "systems", "members", "teams", "designs", "bad_rows"),
    *("name", "sysid"),
}
# The files of each project: a table of each kind, and its own archive.
ENDINGS = {**dict.fromkeys(TABLES, "parquet"), "project": "zip"}

# Most bytes of a manifest that are read. A project has about 60 values in it.
MAX_BYTES = 64 * 1024 * 1024
MAX_VALUES = 2_000_000
# Most different column names of all projects together: each is a column of the table of projects.
MAX_COLUMNS = 256
# Most characters of an error's detail.
MAX_SHOWN = 500

_PROJECT = re.compile(r"[A-Za-z0-9]{16}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_VERSIONS = "versions"
# Names below that folder which do not lead out of it.
_VERSION_PATH = re.compile(_VERSIONS + r"(/(?!\.\.?(/|$))[^/\\\x00]+)+")


@dataclass(frozen=True)
class File:
    """A file of the archive, which never changes under its name."""

    path: str
    # In bytes.
    size: int
    sha256: str


@dataclass
class Entry:
    """A project's entry in the manifest."""

    # The address of the service's API, and the change id that it gave before the project was read.
    source: str
    changeid: str
    # The ETags of the responses about the complete project, by the name of the zip's member.
    etags: dict[str, str]
    # ISO 8601, UTC.
    archived_at: str
    # The fields of the project, such as `projecttitle`, and the columns that the caller gave.
    columns: dict[str, Any]
    # West, south, east, north of all diagrams; None where no diagram has a geometry.
    bounds: list[float] | None
    # Counts of its contents and of `bad_rows`, which archives of earlier versions do not have.
    counts: dict[str, int]
    # By kind: `diagrams`, `systems`, `designs`, `costs` and `project`.
    files: dict[str, File]
    # True if `project=ID/` has these files, too.
    published: bool = False


@dataclass
class Manifest:
    """The projects of an archive by their ids, and the files that are waiting to be removed."""

    projects: dict[str, Entry] = field(default_factory=dict)
    # When a file was first seen without a project, by its path: ISO 8601, UTC.
    unused: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, store: Store) -> Manifest | None:
        """The manifest of a store; None if there is none. Raises `ArchiveError` if it cannot be used."""
        try:
            content = store.read(NAME, MAX_BYTES)
        # Stores raise errors of many classes.
        except Exception as problem:
            raise ArchiveError(f"the archive in {store} cannot be read: {problem}") from problem
        if content is None:
            return None
        if len(content) > MAX_BYTES or sum(map(content.count, (b",", b"[", b"{"))) > MAX_VALUES:
            raise ArchiveError(
                f"{NAME} in {store} is refused: it has more than {MAX_BYTES} bytes or {MAX_VALUES} values"
            )
        try:
            document = json.loads(content)
        # RecursionError: the nesting is too deep.
        except (ValueError, RecursionError) as problem:
            raise ArchiveError(f"{NAME} in {store} is not JSON: {problem}") from problem
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ArchiveError(f"{NAME} in {store} is not the manifest of an archive of many projects")
        version = document.get("version")
        if not isinstance(version, int) or version < 1:
            raise ArchiveError(f"{NAME} in {store} is damaged: its version is {version!r}")
        if version > VERSION:
            raise ArchiveError(
                f"the archive in {store} has format version {version}, and this version of pygeodesign knows up to "
                f"{VERSION}: install a newer pygeodesign"
            )
        try:
            manifest = cls(dict(_entries(document["projects"])), _unused(document["unused"]))
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            raise ArchiveError(f"{NAME} in {store} is damaged: {problem!r:.{MAX_SHOWN}}") from problem
        if len(manifest.column_names()) > MAX_COLUMNS:
            raise ArchiveError(f"{NAME} in {store} is refused: its projects have more than {MAX_COLUMNS} columns")
        return manifest

    def to_json(self) -> bytes:
        projects = {projectid: asdict(entry) for projectid, entry in sorted(self.projects.items())}
        document = {"format": FORMAT, "version": VERSION, "projects": projects, "unused": self.unused}
        return json.dumps(document, ensure_ascii=False, indent=1).encode()

    def column_names(self) -> set[str]:
        return {name for entry in self.projects.values() for name in entry.columns}

    def current_paths(self) -> set[str]:
        return {file.path for entry in self.projects.values() for file in entry.files.values()}


def version_path(project: str, kind: str, sha256: str) -> str:
    """The name of a file, made from its content."""
    return f"{_VERSIONS}/project={project}/{kind}-{sha256[:16]}.{ENDINGS[kind]}"


def published_path(project: str, kind: str) -> str:
    """The fixed name of the current file, for people who do not read the manifest."""
    return f"project={project}/{kind}.{ENDINGS[kind]}"


def stored_versions(store: Store) -> set[str]:
    """The paths of all files named for their content, of any run, complete or not."""
    return store.names(_VERSIONS)


def _entries(projects: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Entry]]:
    for project, fields in projects.items():
        if not _PROJECT.fullmatch(project):
            raise ValueError(f"{project!r} is not a project id")
        files = {kind: File(**fields["files"][kind]) for kind in ENDINGS}
        for kind, file in files.items():
            if not (isinstance(file.sha256, str) and _DIGEST.fullmatch(file.sha256)):
                raise ValueError(f"{file.sha256!r} is not a SHA-256 digest of 64 lower-case hexadecimal digits")
            if type(file.size) is not int or file.size < 0:
                raise ValueError(f"{file.size!r} is not the size of a file")
            # Otherwise a name could lead out of the archive.
            if file.path != version_path(project, kind, file.sha256):
                raise ValueError(f"{file.path!r} is not the name of a file of project {project}")
        entry = Entry(**{**fields, "files": files})
        _check(project, entry)
        yield project, entry


def _check(project: str, entry: Entry) -> None:
    """Refuses an entry with other types than `archive_all` writes."""
    texts = [entry.source, entry.changeid, entry.archived_at, *entry.etags.items(), *entry.columns, *entry.counts]
    numbers = [*(entry.bounds or ())]
    if (
        not all(isinstance(named, dict) for named in (entry.etags, entry.columns, entry.counts))
        or not all(isinstance(text, str) and not LONE_SURROGATE.search(text) for text in _flat(texts))
        or not all(map(is_cell, entry.columns.values()))
        or not all(type(count) is int for count in entry.counts.values())
        or not all(type(number) in (int, float) for number in numbers)
        or (entry.bounds is not None and len(numbers) != 4)
        or type(entry.published) is not bool
    ):
        raise ValueError(f"the entry of project {project} has values of the wrong type")


def is_cell(value: Any) -> bool:
    """True if a column may have the value: a string, a finite number, a boolean or None."""
    # JSON has no other numbers.
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, int) or (isinstance(value, str) and not LONE_SURROGATE.search(value))


def _flat(texts: list[Any]) -> Iterator[Any]:
    for text in texts:
        yield from text if isinstance(text, tuple) else (text,)


def _unused(given: dict[str, str]) -> dict[str, str]:
    """The files that are to be removed, all of them in the archive."""
    for path, since in given.items():
        if not isinstance(since, str) or not _VERSION_PATH.fullmatch(path):
            raise ValueError(f"{path!r} is not the name of an unused file")
        if datetime.fromisoformat(since).tzinfo is None:
            raise ValueError(f"{since!r} is not a time with a zone")
    return dict(given)
