"""`ProjectsArchive`: queries over an archive of many projects."""

from __future__ import annotations

import hashlib
import io
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pygeodesign import _core
from pygeodesign._core import Project, _missing_extra
from pygeodesign._many.duckdb_views import bad_table, check_tables, connect, diagrams_of, duckdb_of_extra
from pygeodesign._many.manifest import NAME, TABLES, Entry, File, Manifest
from pygeodesign._many.parquet_bounds import TooMuchError, check_table
from pygeodesign._many.store import Folder, Store, open_store
from pygeodesign.errors import ArchiveError, InputError

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection
    from geopandas import GeoDataFrame as _GeoDataFrame

# Small files read at the same time, from a folder and from a bucket; large ones take turns.
READS_AT_ONCE_OF_A_FOLDER = 4
READS_AT_ONCE = 16
FILES_HANDED_OVER = 1_000
LARGE_TABLE_BYTES = 16 * 1024 * 1024
# Limits on files, before they are read.
MAX_TABLE_BYTES = 256 * 1024 * 1024
MAX_PROJECT_BYTES = 1024 * 1024 * 1024
# The most projects that a warning names.
MAX_NAMED = 5
# Columns of the table of costs that are not summed.
_LABELS = ("sysid", "name")
_SUMS = ("cost", "diagrams", "policies", "area_ha", "length_km", "pieces", "unpriced", "without_rate")
# Values that a system may lack.
_OF_SYSTEMS = ("budget", "current_ha", "target_ha")


def open_projects(store: Any, storage_options: dict[str, Any] | None) -> ProjectsArchive:
    place = open_store(store, storage_options)
    manifest = Manifest.read(place)
    if manifest is None:
        raise ArchiveError(f"there is no archive of projects in {place}: it has no {NAME}")
    return ProjectsArchive(place, manifest)


class ProjectsArchive:
    """An archive of many projects, from `pygeodesign.read_archive`. Immutable.

    It shows the archive at the time of that call. After an update of the archive, the files of this state stay
    for an hour; later, read the archive again.

    Attributes:
        projects: A dict from the id of each project to a dict of its manifest values: the fields of the
            project, such as `projecttitle`, the columns that were given to `archive_all`, and `changeid`, `archived_at`
            (ISO 8601, UTC), `source`, `bounds` (west, south, east, north, or None) and the counts `diagrams`,
            `systems`, `members`, `teams`, `designs` and `bad_rows`: diagrams without a cost, because one of
            their values is wrong or could not be read.

    Examples:
        >>> import pygeodesign
        >>> report = client.archive_all("archive")
        >>> projects = pygeodesign.read_archive("archive")
        >>> len(projects), projects.projects["StatenIsland2050"]["diagrams"]
        (1, 180)
    """

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store = store
        self._entries = manifest.projects
        # The paths of the tables whose digests were verified.
        self._verified: set[str] = set()
        self.projects: dict[str, dict[str, Any]] = {
            projectid: _told(entry) for projectid, entry in manifest.projects.items()
        }

    def __repr__(self) -> str:
        """The number of projects, and the place of the archive."""
        return f"<ProjectsArchive of {len(self.projects)} projects in {self._store}>"

    def __len__(self) -> int:
        """The number of projects."""
        return len(self.projects)

    def open(self, id: str) -> Project:
        """Opens a project from its own archive, which is verified. No service is needed.

        Args:
            id: The project's id.

        Returns:
            A `Project`, as from `pygeodesign.open`.

        Raises:
            InputError: No project of the archive has that id.
            ArchiveError: Its file is missing or damaged.

        Examples:
            >>> import pygeodesign
            >>> report = client.archive_all("archive")
            >>> pygeodesign.read_archive("archive").open("StatenIsland2050").info()["projecttitle"]
            'Staten Island 2050'
        """
        return self._file_of(id).open()

    def _file_of(self, projectid: str) -> ProjectFile:
        """For `map_projects`: the place where a worker finds the project."""
        if projectid not in self._entries:
            raise InputError(
                f"the archive in {self._store} has no project {projectid!r}; its `projects` lists those it has"
            )
        return ProjectFile(self._store, self._entries[projectid].files["project"])

    def duckdb(self) -> DuckDBPyConnection:
        """A connection to DuckDB in memory with the views `diagrams`, `systems`, `designs`, `costs` and `projects`.

        Each has the column `project`. The first four are read from the files when you query them. All files are
        compared with their digests first and, in a folder, read once. `projects` comes from the manifest.

        Returns:
            A new connection. You may add other tables to it.

        Raises:
            ArchiveError: Files of this state are gone, or cannot be read.
            ImportError: DuckDB is missing; `pip install 'pygeodesign[many]'` installs it.

        Warns:
            UserWarning: Projects have bad rows, whose cost is unknown.

        Examples:
            >>> import pygeodesign
            >>> report = client.archive_all("archive")
            >>> with pygeodesign.read_archive("archive").duckdb() as database:
            ...     database.sql("SELECT project, count(*) FROM diagrams GROUP BY project").fetchall()
            [('StatenIsland2050', 180)]
        """
        duckdb_of_extra()
        _warn_of_bad_rows(self._entries)
        _verify_tables(self._store, self._entries, TABLES, self._verified)
        connection = connect(self._store, self._entries, self.projects)
        # A bucket would receive every request twice.
        if isinstance(self._store, Folder):
            try:
                check_tables(connection, self._store, self._entries)
            except BaseException:
                connection.close()
                raise
        return connection

    def to_geopandas(self, where: str | None = None, bounds: Sequence[float] | None = None) -> _GeoDataFrame:
        """Diagrams of all projects as a GeoDataFrame. Only the requested ones are read.

        Args:
            where: A condition in SQL over the columns of `diagrams`, such as `"system = 'Water' AND cost > 1e6"`.
            bounds: West, south, east, north in degrees: only diagrams whose own bounds meet these. Files of projects
                elsewhere are not opened.

        Returns:
            One row per diagram in EPSG:4326, with `project` as the first column.

        Raises:
            InputError: The condition or the bounds are invalid.
            ArchiveError: Files of this state are gone, or cannot be read.
            ImportError: DuckDB, GeoPandas or pyarrow is missing; `pip install 'pygeodesign[many]'` installs them.

        Warns:
            UserWarning: Projects have bad rows, whose cost is unknown.

        Examples:
            >>> import pygeodesign
            >>> report = client.archive_all("archive")
            >>> projects = pygeodesign.read_archive("archive")
            >>> len(projects.to_geopandas(where="sysid = 1"))
            20
            >>> len(projects.to_geopandas(bounds=(-74.1, 40.6, -74.05, 40.65))) < 180
            True
        """
        box = None if bounds is None else _checked_bounds(bounds)
        entries = {
            projectid: entry for projectid, entry in self._entries.items() if box is None or _meet(entry.bounds, box)
        }
        duckdb_of_extra()
        _warn_of_bad_rows(entries)
        _verify_tables(self._store, entries, ["diagrams"], self._verified)
        return diagrams_of(self._store, entries, self.projects, where, box)

    def costs(self, by: str | None = None) -> pd.DataFrame:
        """Costs of the systems of all projects. The figures are those of each project's `Project.costs()`.

        Args:
            by: A column of the manifest, such as `"projecttype"` or one that was given to `archive_all`, or `"name"`.
                Default: each project separately.

        Returns:
            One row for each project and system: `project`, `sysid`, `name` and the other columns of
            `CostReport.to_pandas()`. With `by`, one row for each value of that column and each system name: the
            sums of `cost`, `diagrams`, `area_ha` and so on; with `by="name"`, one for each name. `projects` is then
            the number of projects with the system, each counted once. `budget`, `current_ha` and `target_ha` are NaN
            where a system with diagrams has none: the others' sum would cover fewer projects than the cost. A
            manifest column with the name of a cost column, such as `diagrams`, is called `project_diagrams`.

        Raises:
            InputError: The manifest has no such column.
            ArchiveError: Files of this state are gone, or are damaged.
            ImportError: pandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs them.

        Warns:
            UserWarning: Projects have bad rows, whose cost is unknown.

        Examples:
            >>> import pygeodesign
            >>> report = client.archive_all("archive")
            >>> projects = pygeodesign.read_archive("archive")
            >>> projects.costs()[["project", "sysid", "name", "diagrams"]].head(2)
                        project  sysid         name  diagrams
            0  StatenIsland2050      1        Water        20
            1  StatenIsland2050      2  Agriculture        16
        """
        _warn_of_bad_rows(self._entries)
        frame = self._costs()
        if by in (None, "project"):
            return frame
        if by in _LABELS:
            keys = [by]
        else:
            known = {name for told in self.projects.values() for name in told} - {"bounds"}
            if not isinstance(by, str) or by not in known:
                raise InputError(
                    f"the manifest has no column {by!r}; by= must be one of {', '.join(sorted({*known, *_LABELS}))}"
                )
            key = f"project_{by}" if by in frame.columns else by
            frame[key] = frame["project"].map({projectid: told.get(by) for projectid, told in self.projects.items()})
            keys = [key, "name"]
        groups = frame.groupby(keys, dropna=False, sort=True)
        sums = groups[list(_SUMS)].sum(min_count=1)
        sums.insert(2, "projects", groups["project"].nunique())
        for name in _OF_SYSTEMS:
            frame["unknown"] = frame[name].isna() & (frame["diagrams"] > 0)
            unknown = frame.groupby(keys, dropna=False, sort=True)["unknown"].any()
            sums[name] = groups[name].sum(min_count=1).mask(unknown)
        return sums.reset_index()

    def _costs(self) -> pd.DataFrame:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as missing:
            raise _missing_extra(missing) from missing

        from pygeodesign._many.tables import COSTS, empty_table

        def read(projectid: str) -> Any:
            file = self._entries[projectid].files["costs"]
            with _verified_table(self._store, file) as content:
                try:
                    # Small tables take twice as long with their own threads.
                    table = pyarrow.parquet.ParquetFile(io.BytesIO(content)).read(use_threads=False)
                    if missing := set(COSTS.names).difference(table.column_names):
                        raise ValueError(f"it has no column {min(missing)}")
                    for name, dtype in zip(COSTS.names, COSTS.types, strict=True):
                        table = table.set_column(table.schema.names.index(name), name, table[name].cast(dtype))
                # A table may be wrong in any way.
                except Exception as problem:
                    raise bad_table(self._store, file, problem) from problem
            return table.add_column(0, "project", pyarrow.array([projectid] * len(table), pyarrow.string()))

        with _reading_threads(self._store) as executor:
            tables = list(executor.map(read, self._entries))
        try:
            whole = pyarrow.concat_tables(tables or [empty_table("costs")], promote_options="permissive")
            frame: pd.DataFrame = whole.to_pandas(ignore_metadata=True)
        except pyarrow.ArrowException as problem:
            raise ArchiveError(f"tables of the archive in {self._store} do not fit together: {problem}") from problem
        return frame


@dataclass(frozen=True)
class ProjectFile:
    """A project's own archive in an archive of many."""

    store: Store
    file: File

    def open(self) -> Project:
        if isinstance(self.store, Folder):
            return _core._open(self.store.address(self.file.path))
        return _core.Project._in_archive(
            _verified(self.store, self.file, MAX_PROJECT_BYTES), self.store.address(self.file.path)
        )


def _warn_of_bad_rows(entries: dict[str, Entry]) -> None:
    """Warns how many diagrams have no cost, and maybe no geometry, because their rows are wrong."""
    bad = {projectid: count for projectid, entry in entries.items() if (count := entry.counts.get("bad_rows", 0))}
    if bad:
        named = ", ".join(f"{projectid} ({count})" for projectid, count in list(bad.items())[:MAX_NAMED])
        more = f" and {len(bad) - MAX_NAMED} more" if len(bad) > MAX_NAMED else ""
        warnings.warn(
            f"bad rows of projects have no cost: {named}{more}; open(id).costs() of each names them", stacklevel=3
        )


def _verified(store: Store, file: File, max_bytes: int) -> bytes:
    """The content of a file, compared with its digest."""
    if file.size > max_bytes:
        raise ArchiveError(f"{file.path} in {store} is refused: it has {file.size} bytes; at most {max_bytes} are read")
    try:
        content = store.read(file.path, file.size)
    # Stores raise errors of many classes.
    except Exception as problem:
        raise ArchiveError(f"{file.path} in {store} cannot be read: {problem}") from problem
    if content is None:
        raise ArchiveError(f"{store} has no {file.path} any more; read the archive again")
    if len(content) > file.size:
        raise ArchiveError(
            f"{file.path} in {store} is damaged: it has more than the {file.size} bytes that the manifest lists; "
            "the rest was not read"
        )
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ArchiveError(f"{file.path} in {store} is damaged: its digest differs from the one in the manifest")
    return content


def _reading_threads(store: Store) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(READS_AT_ONCE_OF_A_FOLDER if isinstance(store, Folder) else READS_AT_ONCE)


_large_tables = threading.Lock()


@contextmanager
def _verified_table(store: Store, file: File) -> Iterator[bytes]:
    """The content of a table, verified against the manifest and against the limit of memory."""
    with _large_tables if file.size > LARGE_TABLE_BYTES else nullcontext():
        content = _verified(store, file, MAX_TABLE_BYTES)
        try:
            check_table(content)
        except TooMuchError as problem:
            raise ArchiveError(f"{file.path} in {store} is refused: {problem}") from problem
        # A table may be wrong in any way.
        except Exception as problem:
            raise bad_table(store, file, problem) from problem
        yield content


def _verify_tables(store: Store, entries: dict[str, Entry], tables: Iterable[str], verified: set[str]) -> None:
    """Compares new tables with their digests: DuckDB does not know the digests."""
    # Here and not on the threads, where each would wait for it.
    import pyarrow.parquet  # noqa: F401

    def verify(file: File) -> None:
        with _verified_table(store, file):
            pass

    files = [entry.files[table] for table in tables for entry in entries.values()]
    new = [file for file in files if file.path not in verified]
    with _reading_threads(store) as executor:
        # Not all at once: the first wrong file ends it, and files already submitted would still be read.
        for first in range(0, len(new), FILES_HANDED_OVER):
            for _ in executor.map(verify, new[first : first + FILES_HANDED_OVER]):
                pass
    verified.update(file.path for file in new)


def _told(entry: Entry) -> dict[str, Any]:
    own = {"changeid": entry.changeid, "archived_at": entry.archived_at, "source": entry.source, "bounds": entry.bounds}
    return {**entry.columns, **own, **entry.counts}


def _checked_bounds(bounds: Iterable[float]) -> tuple[float, float, float, float]:
    try:
        west, south, east, north = map(float, bounds)
    except (TypeError, ValueError):
        raise InputError(f"bounds must be west, south, east, north in degrees, not {bounds!r}") from None
    if not (west <= east and south <= north):
        raise InputError(f"bounds must be in the order west, south, east, north, not {bounds!r}")
    return west, south, east, north


def _meet(bounds: list[float] | None, box: tuple[float, float, float, float]) -> bool:
    if bounds is None:
        return False
    west, south, east, north = bounds
    return west <= box[2] and east >= box[0] and south <= box[3] and north >= box[1]
