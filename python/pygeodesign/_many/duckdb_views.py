"""The tables of an archive of many projects in DuckDB."""

from __future__ import annotations

import glob
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from pygeodesign._core import _missing_extra
from pygeodesign._half_characters import HALF_CHARACTER
from pygeodesign._many.manifest import TABLES, Entry
from pygeodesign._many.store import Store
from pygeodesign._many.tables import empty_table
from pygeodesign.errors import ArchiveError, InputError

try:
    import duckdb
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing


# What DuckDB raises for a file that is not there, and what filesystems raise.
UNREADABLE = (duckdb.IOException, OSError)


def connect(store: Store, entries: dict[str, Entry], told: dict[str, dict[str, Any]]) -> duckdb.DuckDBPyConnection:
    """A new connection with a view for each table, and one for what the manifest tells."""
    connection = duckdb.connect()
    if store.filesystem is not None:
        connection.register_filesystem(_with_times(store.filesystem))
    for table in TABLES:
        paths = [store.address(entry.files[table].path) for entry in entries.values()]
        if HALF_CHARACTER.search("".join(paths)):
            raise ArchiveError(f"the name of {str(store)!a} is not UTF-8, which DuckDB needs; rename it")
        if paths:
            try:
                connection.execute(f"CREATE VIEW {table} AS {_reading(paths)}")
            except UNREADABLE as problem:
                raise _gone(store, problem) from problem
        else:
            _add_table(connection, table, empty_table(table))
    _add_table(connection, "projects", _projects(told))
    return connection


def _with_times(filesystem: Any) -> Any:
    """The filesystem with times of files, which DuckDB asks for and that of HTTP lacks. No file of a state changes."""
    from fsspec import AbstractFileSystem

    if type(filesystem).modified is AbstractFileSystem.modified:
        filesystem.modified = lambda _path: datetime.fromtimestamp(0, UTC)
    return filesystem


def _gone(store: Store, problem: Exception) -> ArchiveError:
    return ArchiveError(f"files of the archive in {store} cannot be read; read the archive again: {problem}")


def _reading(paths: list[str]) -> str:
    # Escaped, because DuckDB takes the name of a folder such as `a*b` for a pattern.
    listed = ", ".join("'" + glob.escape(path).replace("'", "''") + "'" for path in paths)
    # Not by DuckDB's own partitions: they would be columns too where the archive is in a folder such as `year=2030`.
    return (
        f"SELECT regexp_extract(filename, '.*project=([A-Za-z0-9]+)', 1) AS project, * EXCLUDE (filename) "
        f"FROM read_parquet([{listed}], filename = true, hive_partitioning = false)"
    )


def _add_table(connection: duckdb.DuckDBPyConnection, name: str, content: Any) -> None:
    connection.register("_content", content)
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM _content")
    connection.unregister("_content")


def _projects(told: dict[str, dict[str, Any]]) -> pd.DataFrame:
    rows = [{"project": projectid, **fields} for projectid, fields in told.items()]
    return pd.DataFrame.from_records(rows) if rows else pd.DataFrame({"project": pd.Series([], dtype="string")})


def diagrams(
    store: Store,
    entries: dict[str, Entry],
    told: dict[str, dict[str, Any]],
    where: str | None,
    box: tuple[float, float, float, float] | None,
) -> Any:
    """The diagrams that satisfy a condition and whose bounds meet a box, as a GeoDataFrame."""
    import geopandas
    import shapely

    conditions = [] if where is None else [f"({where}\n)"]
    if box is not None:
        west, south, east, north = box
        conditions.append(
            f"bbox.xmin <= '{east}'::DOUBLE AND bbox.xmax >= '{west}'::DOUBLE "
            f"AND bbox.ymin <= '{north}'::DOUBLE AND bbox.ymax >= '{south}'::DOUBLE"
        )
    query = "SELECT * EXCLUDE (geometry, bbox), geometry::BLOB AS geometry FROM diagrams"
    if conditions:
        query += " WHERE " + " AND ".join(conditions)
    with connect(store, entries, told) as connection:
        try:
            table = connection.sql(query).to_arrow_table()
        except UNREADABLE as problem:
            raise _gone(store, problem) from problem
        except duckdb.Error as problem:
            if where is None:
                raise
            raise InputError(
                f"where is {where!r}, which is no condition over the columns of diagrams: {problem}"
            ) from problem
    frame = table.drop_columns("geometry").to_pandas()
    shapes = shapely.from_wkb(table["geometry"].to_numpy(zero_copy_only=False))
    return geopandas.GeoDataFrame(frame, geometry=shapes, crs="EPSG:4326")
