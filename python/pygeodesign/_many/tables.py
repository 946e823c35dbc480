"""The four tables of a project, with the same columns and types for every project."""

from __future__ import annotations

import io
import json
import math
from typing import Any, NamedTuple

import geopandas
import pandas as pd
import pyarrow
import pyarrow.parquet

from pygeodesign import CostReport, Project
from pygeodesign.errors import NotFoundError, PermissionDeniedError

# Files with so many rows have several row groups, which readers skip by their bounds.
ROWS_IN_A_GROUP = 1_000

# In the terms of pandas: integers and texts may be missing.
INTEGER, NUMBER, TEXT, BOOLEAN, TIME = "Int64", "float64", "string", "boolean", "datetime64[us]"

DIAGRAMS = {
    **{"diagramid": "int64", "sysid": INTEGER, "system": TEXT, "cteamid": INTEGER, "team": TEXT, "author": TEXT},
    **{"description": TEXT, "kind": TEXT, "cost": NUMBER, "rate": NUMBER, "rate_source": TEXT, "area_ha": NUMBER},
    **{"area_source": TEXT, "length_km": NUMBER, "file_problem": TEXT, "geometry_problem": TEXT, "type": TEXT},
    **{"areatype": TEXT, "systag": TEXT, "color": TEXT, "rank": INTEGER, "area": NUMBER, "length": NUMBER},
    **{"fundingtype": TEXT, "cost_override": NUMBER, "cost_override_type": TEXT, "building_data": TEXT},
    **{"volume_information": TEXT, "notes": TEXT, "created_at": TIME, "start_date": TIME, "end_date": TIME},
    **{"tag_codes": TEXT, "additional_metadata": TEXT, "flat_geobuf_url": TEXT, "external_geometries": TEXT},
    **{"position": TEXT, "properties": TEXT},
}
SYSTEMS = {
    **{"sysid": "int64", "name": TEXT, "tag": TEXT, "color": TEXT, "description": TEXT, "rate": NUMBER},
    **{"budget": NUMBER, "current_ha": NUMBER, "target_ha": NUMBER},
}
DESIGNS = {
    **{"cteamid": "int64", "team": TEXT, "designid": TEXT, "description": TEXT, "creationdate": TIME},
    **{"latest": "bool", "diagrams": "int64", "cost": NUMBER, "unpriced": "int64"},
}
COSTS = {
    **{"sysid": "int64", "name": TEXT, "color": TEXT, "diagrams": "int64", "projects": "int64", "policies": "int64"},
    **{"area_ha": NUMBER, "length_km": NUMBER, "cost": NUMBER, "unpriced": "int64", "without_rate": "int64"},
    **{"budget": NUMBER, "budget_left": NUMBER, "current_ha": NUMBER, "target_ha": NUMBER, "target_left_ha": NUMBER},
    "target_met": BOOLEAN,
}
# A column of the diagrams that is in no column of its own is in the JSON object of this one.
OTHERS = "properties"
# It says the same as `diagramid`, and `system` the same as `sysname`.
LEFT_OUT = {"id", "sysname", "geometry"}


class Tables(NamedTuple):
    """The tables of a project as Parquet files by their names, and west, south, east, north of all its diagrams."""

    files: dict[str, bytes]
    # None where no diagram has a geometry.
    bounds: list[float] | None


def tables_of(project: Project, report: CostReport) -> Tables:
    """The tables of an opened project."""
    teams = _readable(project.teams)
    members = {team["id"]: _readable(lambda team=team["id"]: project.team_members(team)) for team in teams}
    titles = {team["id"]: team["title"] for team in teams}
    team_of_author = {author: team for team in reversed(members) for author in members[team]}
    diagrams = _diagrams(report, team_of_author, titles)
    bounds = diagrams.total_bounds.tolist()
    files = {
        "diagrams": _geoparquet(diagrams),
        "systems": _parquet(_systems(project)),
        "designs": _written(_designs(project, report, titles)),
        "costs": _parquet(_typed(report.to_pandas("systems"), COSTS)),
    }
    return Tables(files, None if any(map(math.isnan, bounds)) else bounds)


def empty_table(table: str) -> pyarrow.Table:
    """A table of an archive without projects."""
    if table == "diagrams":
        none = geopandas.GeoDataFrame(_typed(pd.DataFrame(), DIAGRAMS), geometry=[], crs="EPSG:4326")
        made = pyarrow.parquet.read_table(io.BytesIO(_geoparquet(none)))
    elif table == "designs":
        made = _design_table(_typed(pd.DataFrame(), DESIGNS), [])
    else:
        columns = {"systems": SYSTEMS, "costs": COSTS}[table]
        made = pyarrow.Table.from_pandas(_typed(pd.DataFrame(), columns), preserve_index=False)
    return made.add_column(0, "project", pyarrow.array([], pyarrow.string()))


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
    others = [name for name in frame.columns if name not in DIAGRAMS and name not in LEFT_OUT]
    columns = pd.DataFrame(frame.drop(columns=["geometry", *others]))
    columns["system"] = columns["sysid"].map(systems)
    columns["cteamid"], columns["team"] = teams, teams.map(titles)
    shared = frame[OTHERS] if OTHERS in frame.columns else None
    columns[OTHERS] = _as_json(frame[others], shared)
    typed = _typed(columns, DIAGRAMS)
    return geopandas.GeoDataFrame(typed, geometry=frame.geometry.array, crs=frame.crs)


def _as_json(frame: pd.DataFrame, shared: pd.Series[Any] | None) -> list[str | None]:
    """A JSON object of the values in each row, None where there are none."""
    rows: list[dict[str, Any]] = [{} for _ in range(len(frame))]
    for row, text in zip(rows, shared if shared is not None else (), strict=False):
        if isinstance(text, str):
            row.update(json.loads(text))
    for name in frame.columns:
        for row, value in zip(rows, frame[name].tolist(), strict=True):
            if not pd.isna(value):
                row[str(name)] = value
    return [json.dumps(row, ensure_ascii=False, default=str) if row else None for row in rows]


def _systems(project: Project) -> pd.DataFrame:
    details = [_system(project, system["id"]) or system for system in project.systems()]
    fields = {"id": "sysid", "verbose_description": "description", "cost": "rate"}
    rows = [{fields.get(name, name): value for name, value in row.items()} for row in details]
    return _typed(_frame(rows), SYSTEMS)


def _system(project: Project, sysid: int) -> Any:
    return _readable(lambda: project.system(sysid))


def _designs(project: Project, report: CostReport, titles: dict[int, str | None]) -> pyarrow.Table:
    costs = {row["diagramid"]: row["cost"] for row in report.diagrams}
    rows: list[dict[str, Any]] = []
    for team, title in titles.items():
        designs = _readable(lambda team=team: project.designs(team))
        latest = max(reversed(designs), key=lambda design: design["creationdate"] or "", default=None)
        for design in designs:
            ids = _readable(lambda team=team, design=design: project.design_diagram_ids(team, design["id"]))
            known = [cost for cost in map(costs.get, ids) if cost is not None]
            fields = {"cteamid": team, "team": title, "designid": design["id"], "latest": design is latest}
            fields |= {"description": design["description"], "creationdate": design["creationdate"]}
            fields |= {"diagrams": len(ids), "cost": sum(known, 0.0), "unpriced": len(ids) - len(known)}
            rows.append({**fields, "diagramids": [int(diagram) for diagram in ids]})
    return _design_table(_typed(_frame(rows), DESIGNS), [row["diagramids"] for row in rows])


def _design_table(typed: pd.DataFrame, diagramids: list[list[int]]) -> pyarrow.Table:
    table = pyarrow.Table.from_pandas(typed, preserve_index=False)
    return table.append_column("diagramids", pyarrow.array(diagramids, pyarrow.list_(pyarrow.int64())))


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame.from_records(rows) if rows else pd.DataFrame()


def _typed(frame: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """The columns in their order and of their types; a missing one has no values."""
    typed = {name: _column(frame, name, dtype) for name, dtype in columns.items()}
    return pd.DataFrame(typed, index=pd.RangeIndex(len(frame)))


def _column(frame: pd.DataFrame, name: str, dtype: Any) -> pd.Series[Any]:
    column: pd.Series[Any] = pd.Series([None] * len(frame)) if name not in frame.columns else frame[name]
    column = column.reset_index(drop=True)
    if dtype == TIME:
        column = pd.to_datetime(column, format="ISO8601", errors="coerce")
    elif dtype in (INTEGER, NUMBER):
        column = pd.to_numeric(column)
    typed: pd.Series[Any] = column.astype(dtype)
    return typed


def _geoparquet(frame: geopandas.GeoDataFrame) -> bytes:
    buffer = io.BytesIO()
    options: dict[str, Any] = {"compression": "zstd", "row_group_size": ROWS_IN_A_GROUP}
    frame.to_parquet(buffer, index=False, schema_version="1.1.0", write_covering_bbox=True, **options)
    return buffer.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    return _written(pyarrow.Table.from_pandas(frame, preserve_index=False))


def _written(table: pyarrow.Table) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
