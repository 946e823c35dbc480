"""The four tables of a project, with the same columns and types for every project."""

from __future__ import annotations

import io
import json
import math
from datetime import datetime
from typing import Any, NamedTuple

import geopandas
import pandas as pd
import pyarrow
import pyarrow.parquet

from pygeodesign._core import CostReport, Project
from pygeodesign.errors import NotFoundError, PermissionDeniedError

# A file with more rows has several row groups, which readers skip by their bounds.
ROWS_IN_A_GROUP = 1_000

# As pandas names them: integers and strings may be missing.
INTEGER, NUMBER, TEXT, TIME = "Int64", "float64", "string", "datetime64[us]"
# Columns that already have one of these types stay unchanged: in the file they are the same.
EQUIVALENT_DTYPES = {INTEGER: "int64", TEXT: "str"}

DIAGRAMS = {
    **{"diagramid": "int64", "sysid": INTEGER, "system": TEXT, "cteamid": INTEGER, "team": TEXT, "author": TEXT},
    **{"title": TEXT, "kind": TEXT, "cost": NUMBER, "rate": NUMBER, "rate_source": TEXT, "area_ha": NUMBER},
    **{"area_source": TEXT, "length_km": NUMBER, "pieces": INTEGER, "file_problem": TEXT, "geometry_problem": TEXT},
    **{"floor_above_m2": NUMBER, "floor_below_m2": NUMBER},
    **{"areatype": TEXT, "systag": TEXT, "color": TEXT, "rank": INTEGER, "area": NUMBER, "length": NUMBER},
    **{"fundingtype": TEXT, "cost_override": NUMBER, "cost_override_type": TEXT, "building_data": TEXT},
    **{"volume_information": TEXT, "notes": TEXT, "created_at": TIME, "start_date": TIME, "end_date": TIME},
    **{"tag_codes": TEXT, "additional_metadata": TEXT, "flat_geobuf_url": TEXT, "external_geometries": TEXT},
    **{"position": TEXT, "properties": TEXT},
}
_INTEGER, _NUMBER, _TEXT = pyarrow.int64(), pyarrow.float64(), pyarrow.string()
SYSTEMS = pyarrow.schema(
    {
        **{"sysid": _INTEGER, "name": _TEXT, "tag": _TEXT, "color": _TEXT, "description": _TEXT, "rate": _NUMBER},
        **{"budget": _NUMBER, "current_ha": _NUMBER, "target_ha": _NUMBER},
    }
)
DESIGNS = pyarrow.schema(
    {
        **{"cteamid": _INTEGER, "team": _TEXT, "designid": _TEXT, "description": _TEXT},
        **{"creationdate": pyarrow.timestamp("us"), "latest": pyarrow.bool_(), "diagrams": _INTEGER, "cost": _NUMBER},
        **{"unpriced": _INTEGER, "diagramids": pyarrow.list_(_INTEGER)},
    }
)
COSTS = pyarrow.schema(
    {
        **{"sysid": _INTEGER, "name": _TEXT, "color": _TEXT, "diagrams": _INTEGER, "projects": _INTEGER},
        **{"policies": _INTEGER, "area_ha": _NUMBER, "length_km": _NUMBER, "pieces": _INTEGER, "cost": _NUMBER},
        **{"unpriced": _INTEGER, "without_rate": _INTEGER, "lines_at_area_rate": _INTEGER},
        **{"points_at_area_rate": _INTEGER, "budget": _NUMBER, "budget_left": _NUMBER},
        **{"budget_met": pyarrow.bool_(), "current_ha": _NUMBER, "target_ha": _NUMBER, "target_left_ha": _NUMBER},
        **{"target_met": pyarrow.bool_(), "floor_m2": _NUMBER},
    }
)
# Fields of diagrams without their own column are in this column's JSON object.
OTHER_PROPERTIES = "properties"
# `id` repeats `diagramid`, and `sysname` repeats `system`.
DROPPED_COLUMNS = {"id", "sysname", "geometry"}


class Tables(NamedTuple):
    """The tables of a project as Parquet files by their names, and west, south, east, north of all its diagrams."""

    files: dict[str, bytes]
    # None where no diagram has a geometry.
    bounds: list[float] | None


def tables_of(project: Project, report: CostReport) -> Tables:
    """The tables of an opened project."""
    teams = _readable(project.teams)
    members = {team["id"]: _readable(lambda team=team["id"]: project.team(team).members()) for team in teams}
    titles = {team["id"]: team["title"] for team in teams}
    team_of_author = {author: team for team in reversed(members) for author in members[team]}
    diagrams = _diagrams(report, team_of_author, titles)
    bounds = diagrams.total_bounds.tolist()
    files = {
        "diagrams": _geoparquet(diagrams),
        "systems": _parquet(_systems(project)),
        "designs": _parquet(_designs(project, report, titles)),
        "costs": _parquet(pyarrow.table(report).cast(COSTS)),
    }
    return Tables(files, None if any(map(math.isnan, bounds)) else bounds)


def empty_table(table: str) -> pyarrow.Table:
    """A table of an archive without projects."""
    if table == "diagrams":
        none = geopandas.GeoDataFrame(_typed(pd.DataFrame(), DIAGRAMS), geometry=[], crs="EPSG:4326")
        made = pyarrow.parquet.read_table(io.BytesIO(_geoparquet(none)))
    else:
        made = {"systems": SYSTEMS, "designs": DESIGNS, "costs": COSTS}[table].empty_table()
    return made.add_column(0, "project", pyarrow.array([], _TEXT))


def _readable(read: Any) -> Any:
    """A list that the user may not have been allowed to read."""
    try:
        return read()
    except (NotFoundError, PermissionDeniedError):
        return []


def _diagrams(
    report: CostReport, team_of_author: dict[str, int], titles: dict[int, str | None]
) -> geopandas.GeoDataFrame:
    frame = report.to_geopandas()
    systems = {row["sysid"]: row["name"] for row in report.systems}
    teams = frame["author"].map(team_of_author)
    others = [name for name in frame.columns if name not in DIAGRAMS and name not in DROPPED_COLUMNS]
    columns = pd.DataFrame(frame.drop(columns=["geometry", *others]))
    columns["system"] = columns["sysid"].map(systems)
    columns["cteamid"], columns["team"] = teams, teams.map(titles)
    shared = frame[OTHER_PROPERTIES] if OTHER_PROPERTIES in frame.columns else None
    columns[OTHER_PROPERTIES] = _as_json(frame[others], shared)
    typed = _typed(columns, DIAGRAMS)
    return geopandas.GeoDataFrame(typed, geometry=frame.geometry.array, crs=frame.crs)


def _as_json(frame: pd.DataFrame, shared: pd.Series[Any] | None) -> list[str | None]:
    """A JSON object of the values in each row; None without values."""
    rows: list[dict[str, Any]] = [{} for _ in range(len(frame))]
    for row, text in zip(rows, shared if shared is not None else (), strict=False):
        if isinstance(text, str):
            row.update(json.loads(text))
    for name in frame.columns:
        for row, value in zip(rows, frame[name].tolist(), strict=True):
            if not pd.isna(value):
                row[str(name)] = value
    return [json.dumps(row, ensure_ascii=False, default=str) if row else None for row in rows]


def _systems(project: Project) -> pyarrow.Table:
    details = [_system(project, system["id"]) or system for system in project.systems()]
    fields = {"id": "sysid", "verbose_description": "description", "cost": "rate"}
    rows = [{fields.get(name, name): value for name, value in row.items()} for row in details]
    return pyarrow.Table.from_pylist(rows, SYSTEMS)


def _system(project: Project, sysid: int) -> Any:
    return _readable(lambda: project.system(sysid))


def _designs(project: Project, report: CostReport, titles: dict[int, str | None]) -> pyarrow.Table:
    costs = {row["diagramid"]: row["cost"] for row in report.diagrams}
    rows: list[dict[str, Any]] = []
    for team, title in titles.items():
        designs = _readable(lambda team=team: project.designs(team))
        latest = max(reversed(designs), key=lambda design: design["creationdate"] or "", default=None)
        for design in designs:
            ids = _readable(lambda team=team, design=design: project.design(design["id"], team).diagram_ids())
            known = [cost for cost in map(costs.get, ids) if cost is not None]
            fields = {"cteamid": team, "team": title, "designid": design["id"], "latest": design is latest}
            fields |= {"description": design["description"], "creationdate": _time(design["creationdate"])}
            # If all costs of the diagrams are unknown, the sum is unknown, too.
            cost = None if ids and not known else sum(known, 0.0)
            fields |= {"diagrams": len(ids), "cost": cost, "unpriced": len(ids) - len(known)}
            rows.append({**fields, "diagramids": [int(diagram) for diagram in ids]})
    return pyarrow.Table.from_pylist(rows, DESIGNS)


def _time(text: str | None) -> datetime | None:
    """A time without zone; None if the service gives no valid time."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else None
    except ValueError:
        return None


def _typed(frame: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """The columns in their order and with their types; a missing one has no values."""
    typed = {name: _column(frame, name, dtype) for name, dtype in columns.items()}
    return pd.DataFrame(typed, index=pd.RangeIndex(len(frame)), copy=False)


def _column(frame: pd.DataFrame, name: str, dtype: Any) -> Any:
    if name not in frame.columns:
        return pd.array([None] * len(frame), dtype=dtype)
    column = frame[name]
    if str(column.dtype) in (dtype, EQUIVALENT_DTYPES.get(dtype)):
        return column.array
    if dtype == TIME:
        column = pd.to_datetime(column, format="ISO8601", errors="coerce")
    elif dtype in (INTEGER, NUMBER):
        column = pd.to_numeric(column)
    return column.astype(dtype).array


def _geoparquet(frame: geopandas.GeoDataFrame) -> bytes:
    buffer = io.BytesIO()
    options: dict[str, Any] = {"compression": "zstd", "row_group_size": ROWS_IN_A_GROUP}
    frame.to_parquet(buffer, index=False, schema_version="1.1.0", write_covering_bbox=True, **options)
    return buffer.getvalue()


def _parquet(table: pyarrow.Table) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
