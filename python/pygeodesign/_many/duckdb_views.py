"""The tables of an archive of many projects in DuckDB: views, conditions, and the error for an unreadable table."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pygeodesign._core import _missing_extra
from pygeodesign._many.manifest import TABLES, Entry, File
from pygeodesign._many.store import Store
from pygeodesign._text import LONE_SURROGATE
from pygeodesign.errors import ArchiveError, InputError

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection

_REMEDY = "get the archive again, or make another with archive_all"


def connect(
    store: Store, entries: dict[str, Entry], told: dict[str, dict[str, Any]], tables: Iterable[str] = TABLES
) -> DuckDBPyConnection:
    """A new connection with a view for each of these tables, and one for the manifest's columns."""
    # Here and not above: only the tables need them.
    from pygeodesign._many.tables import empty_table

    connection: DuckDBPyConnection = duckdb_of_extra().connect()
    if store.filesystem is not None:
        connection.register_filesystem(_with_times(store.filesystem))
    for table in tables:
        files = [entry.files[table] for entry in entries.values()]
        paths = [store.address(file.path) for file in files]
        if LONE_SURROGATE.search("".join(paths)):
            raise ArchiveError(f"the name of {str(store)!a} is not UTF-8, which DuckDB needs; rename it")
        if paths:
            try:
                connection.execute(f"CREATE VIEW {table} AS {_reading(paths)}")
            except (duckdb_of_extra().Error, OSError) as problem:
                raise _at_fault(connection, store, files, problem) from problem
        else:
            _add_table(connection, table, empty_table(table))
    try:
        _add_table(connection, "projects", _projects(told))
    except duckdb_of_extra().Error as problem:
        raise ArchiveError(f"the columns of projects in {store} do not fit into a table: {problem}") from problem
    return connection


def diagrams_of(
    store: Store,
    entries: dict[str, Entry],
    told: dict[str, dict[str, Any]],
    where: str | None,
    box: tuple[float, float, float, float] | None,
) -> Any:
    """The diagrams that meet a condition and whose bounds meet a box, as a GeoDataFrame."""
    import geopandas
    import shapely

    conditions = [] if where is None else [f"({where}\n)"]
    if box is not None:
        west, south, east, north = box
        conditions.append(
            f"bbox.xmin <= '{east}'::DOUBLE AND bbox.xmax >= '{west}'::DOUBLE "
            f"AND bbox.ymin <= '{north}'::DOUBLE AND bbox.ymax >= '{south}'::DOUBLE"
        )
    query = plain = "SELECT * EXCLUDE (geometry, bbox), geometry::BLOB AS geometry FROM diagrams"
    if conditions:
        query += " WHERE " + " AND ".join(conditions)
    files = [entry.files["diagrams"] for entry in entries.values()]
    with connect(store, entries, told, ["diagrams"]) as connection:
        try:
            # Without the condition first, so that errors in tables are not blamed on it.
            connection.sql(f"{plain} LIMIT 0").fetchall()
        except (duckdb_of_extra().Error, OSError) as problem:
            raise _at_fault(connection, store, files, problem) from problem
        _lock(connection, [store.address(file.path) for file in files])
        try:
            if len(connection.extract_statements(query)) != 1:
                raise InputError(f"where is {where!r}, which is more than a condition over the columns of diagrams")
            table = connection.sql(query).to_arrow_table()
        except (duckdb_of_extra().Error, OSError) as problem:
            if where is None or _is_gone(problem) or _problem_of(connection, store, files):
                raise _at_fault(connection, store, files, problem) from problem
            raise InputError(
                f"where is {where!r}, which is not a condition over the columns of diagrams: {problem}"
            ) from problem
    try:
        frame = table.drop_columns("geometry").to_pandas()
        content = table["geometry"].to_numpy(zero_copy_only=False)
        shapes = shapely.from_wkb(content, on_invalid="ignore")
        invalid = frame["project"][shapely.is_missing(shapes) & table["geometry"].is_valid().to_numpy()]
        if len(invalid):
            raise bad_table(store, entries[invalid.iloc[0]].files["diagrams"], "a geometry is not WKB")
        return geopandas.GeoDataFrame(frame, geometry=shapes, crs="EPSG:4326")
    except ArchiveError:
        raise
    # A table may be wrong in any way.
    except Exception as problem:
        raise ArchiveError(f"diagrams of the archive in {store} cannot be read: {problem}") from problem


def _lock(connection: DuckDBPyConnection, paths: list[str]) -> None:
    """Lets a caller's SQL read these files only: no other file, no address, no variable of the program."""
    # DuckDB compares the patterns of the views, too.
    named = {name for path in paths for name in (path, glob.escape(path))}
    listed = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(named))
    connection.execute("SET python_enable_replacements = false")
    connection.execute(f"SET allowed_paths = [{listed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _with_times(filesystem: Any) -> Any:
    """The filesystem with file times, which DuckDB asks for and HTTP lacks. No file of a state changes."""
    from fsspec import AbstractFileSystem

    if type(filesystem).modified is AbstractFileSystem.modified:
        filesystem.modified = lambda _path: datetime.fromtimestamp(0, UTC)
    return filesystem


def check_tables(connection: DuckDBPyConnection, store: Store, entries: dict[str, Entry]) -> None:
    """Raises `ArchiveError` that names a table which DuckDB cannot read to its end."""
    for table in TABLES:
        files = [entry.files[table] for entry in entries.values()]
        if problem := _problem_of(connection, store, files):
            raise _at_fault(connection, store, files, problem) from problem


def _problem_of(connection: DuckDBPyConnection, store: Store, files: list[File]) -> Exception | None:
    """The reason why these tables of one kind cannot be read together; None if they can."""
    if not files:
        return None
    reading = _reading([store.address(file.path) for file in files])
    try:
        # DuckDB does not read the values of columns that are only counted.
        connection.sql(f"SELECT bit_xor(hash(row)) FROM ({reading}) AS row").fetchall()
    except (duckdb_of_extra().Error, OSError) as problem:
        return problem
    return None


def _at_fault(connection: DuckDBPyConnection, store: Store, files: list[File], problem: Exception) -> ArchiveError:
    """The error for files that DuckDB could not read. It names the file at fault, found by bisection."""
    if _is_gone(problem):
        return ArchiveError(f"files of the archive in {store} cannot be read; read the archive again: {problem}")
    while len(files) > 1:
        middle = len(files) // 2
        for half in (files[:middle], files[middle:]):
            if found := _problem_of(connection, store, half):
                files, problem = half, found
                break
        else:
            return ArchiveError(f"tables of the archive in {store} do not fit together; {_REMEDY}: {problem}")
    return bad_table(store, files[0], problem)


def bad_table(store: Store, file: File, problem: Exception | str) -> ArchiveError:
    return ArchiveError(f"{file.path} in {store} is not a readable table; {_REMEDY}: {problem}")


def _is_gone(problem: Exception) -> bool:
    """True if DuckDB or a filesystem found no file there, or could not open it."""
    return isinstance(problem, (duckdb_of_extra().IOException, OSError))


def _reading(paths: list[str]) -> str:
    # Escaped, because DuckDB takes a folder name such as `a*b` for a pattern.
    listed = ", ".join("'" + glob.escape(path).replace("'", "''") + "'" for path in paths)
    # Not DuckDB's own partitions: they would become columns, too, if the archive is in a folder such as `year=2030`.
    return (
        f"SELECT regexp_extract(filename, '.*project=([A-Za-z0-9]+)', 1) AS project, * EXCLUDE (filename) "
        f"FROM read_parquet([{listed}], filename = true, hive_partitioning = false)"
    )


def _add_table(connection: DuckDBPyConnection, name: str, content: Any) -> None:
    connection.register("_content", content)
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM _content")
    connection.unregister("_content")


def _projects(told: dict[str, dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    rows = [{"project": projectid, **fields} for projectid, fields in told.items()]
    return pd.DataFrame.from_records(rows) if rows else pd.DataFrame({"project": pd.Series([], dtype="string")})


def duckdb_of_extra() -> Any:
    """Imports DuckDB, which comes with its own extra."""
    try:
        import duckdb
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return duckdb
