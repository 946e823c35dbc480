"""`pygeodesign upload`: the features of a file become diagrams."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pygeodesign import Project, _inputs
from pygeodesign._file_reader import read_file
from pygeodesign._uploaded_file import check_size
from pygeodesign.errors import InputError

GEOJSON = {".geojson", ".json"}
USUAL_TITLES = ("title", "name", "description")
# GeoJSON of more bytes is read as other formats are, which needs GeoPandas: objects of Python take 20 times as many.
MAX_PARSED_BYTES = 16 * 1024 * 1024


def upload(
    project: Project, system: str, path: Path, *, layer: str | None, title: str | None, **options: Any
) -> list[dict[str, Any]]:
    """Add a diagram for each feature; the report is that of `Project.add_diagrams`, with labels for JSON."""
    path = Path(path)
    features: Any = _read_geojson(path) if path.suffix.lower() in GEOJSON and layer is None else None
    if features is not None:
        columns = _properties(features)
    else:
        features = read_file(path, layer)
        columns = [str(column) for column in features.columns if column != features.geometry.name]
    report = project.add_diagrams(
        int(system) if system.isdecimal() else system, features, title=title or _title(columns, path), **options
    )
    return [
        {**row, "row": row["row"] if isinstance(row["row"], (int, float, str)) else str(row["row"])} for row in report
    ]


def _read_geojson(path: Path) -> dict[str, Any] | None:
    """The content of a GeoJSON file; None if it is large, or in another CRS, from which GeoPandas reprojects it."""
    try:
        check_size(path)
        if path.stat().st_size > MAX_PARSED_BYTES:
            return None
        features = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path} is not GeoJSON: {problem}") from problem
    if not isinstance(features, dict):
        raise InputError(f"{path} is JSON, but not a GeoJSON object")
    try:
        _inputs.check_crs(features)
    except InputError:
        return None
    return features


def _properties(geojson: dict[str, Any]) -> list[str]:
    """The names of the properties of all features, in order of appearance."""
    features = geojson.get("features") if geojson.get("type") == "FeatureCollection" else [geojson]
    rows = [feature.get("properties") for feature in features or [] if isinstance(feature, dict)]
    return list(dict.fromkeys(str(name) for row in rows if isinstance(row, dict) for name in row))


def _title(columns: Iterable[str], path: Path) -> str:
    """The column that usually has titles."""
    by_name = {column.lower(): column for column in reversed(list(columns))}
    for usual in USUAL_TITLES:
        if usual in by_name:
            return by_name[usual]
    listed = ", ".join(columns) or "none"
    raise InputError(f"name the attribute of {path} that has the titles with --title; its attributes are {listed}")
