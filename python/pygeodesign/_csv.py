"""CSV as `FeatureCollection.to_file` writes it: geometries as WKT, and no text that a program for tables would run."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pygeodesign._core import _csv_cell, _csv_text
from pygeodesign._file_process import MAX_COLUMNS, MAX_FEATURES, too_many_columns, too_many_features
from pygeodesign._uploaded_file import allowed_seconds, checked, too_slow
from pygeodesign.errors import InputError

WKT = "WKT"
# Of a text of a `.prj` file, which has some hundred characters.
MAX_CRS_BYTES = 64 * 1024
# Of collections in collections, which readers of WKT take one inside the other.
MAX_COLLECTIONS = 100
COLLECTION = "GEOMETRYCOLLECTION"
# What is read at once, before the time is looked at.
ROWS_AT_ONCE = 1_000
CHARACTERS_AT_ONCE = 100_000


def without_formulas(frame: Any) -> Any:
    """The frame with names and texts that no program for tables takes for formulas."""
    texts = frame.select_dtypes(["object", "str"])
    escaped = {name: column.map(_escaped) for name, column in texts.items()}
    return frame.assign(**escaped).rename(columns=_escaped)


def _escaped(value: Any) -> Any:
    return _csv_cell(value) if isinstance(value, str) else value


def read(path: Path, label: str, size: int) -> Any:
    """The rows as a GeoDataFrame, in the CRS of the `.prj` file beside it. All attributes are texts.

    Errors call the file by `label`.
    """
    import geopandas
    import pandas

    seconds = allowed_seconds(size)
    deadline = time.thread_time() + seconds
    try:
        # Not by pandas, which takes seconds for tens of thousands.
        with path.open(encoding="utf-8-sig", newline="") as file:
            columns = len(next(filter(None, csv.reader(file)), []))
        if columns > MAX_COLUMNS:
            raise InputError(too_many_columns(label, columns))
        table: Any = pandas.read_csv(
            path, dtype=str, na_filter=False, encoding="utf-8-sig", nrows=MAX_FEATURES + 1, index_col=False
        )
    except InputError:
        raise
    except (ValueError, csv.Error) as problem:
        raise InputError(f"{label} cannot be read as CSV in UTF-8: {problem}") from problem
    if len(table) > MAX_FEATURES:
        raise InputError(too_many_features(label, len(table)))
    geometry = next((name for name in table.columns if str(name).upper() == WKT), None)
    if geometry is None:
        raise InputError(f"{label} has no column {WKT} with geometries; make them with GeoPandas, and pass the frame")
    shapes: list[Any] = []
    for texts in _parts(table.pop(geometry).tolist()):
        shapes.extend(_shapes(label, len(shapes), texts))
        if time.thread_time() > deadline:
            raise too_slow(label, seconds)
    attributes = table.map(_csv_text).rename(columns=_csv_text)
    frame = geopandas.GeoDataFrame(attributes, geometry=shapes, crs=_crs(path.with_suffix(".prj"), label))
    return checked(frame, label)


def _parts(texts: list[str]) -> Iterator[list[str]]:
    """The texts in parts of about the same size."""
    start = characters = 0
    for end, text in enumerate(texts, 1):
        characters += len(text)
        if characters > CHARACTERS_AT_ONCE or end - start == ROWS_AT_ONCE or end == len(texts):
            yield texts[start:end]
            start, characters = end, 0


def _shapes(label: str, first_row: int, texts: list[str]) -> Any:
    """The geometries of rows. To parse them one by one takes three times as long."""
    import shapely

    if any(map(_has_too_many_collections, texts)):
        return [_shape(label, row, text) for row, text in enumerate(texts, first_row)]
    try:
        return shapely.from_wkt([text if text.strip() else None for text in texts])
    except (shapely.errors.GEOSException, ValueError):
        return [_shape(label, row, text) for row, text in enumerate(texts, first_row)]


def _has_too_many_collections(text: str) -> bool:
    return len(text) > MAX_COLLECTIONS * len(COLLECTION) and text.upper().count(COLLECTION) > MAX_COLLECTIONS


def _shape(label: str, row: int, text: str) -> Any:
    import shapely

    if not text.strip():
        return None
    try:
        if _has_too_many_collections(text):
            raise ValueError(f"it has more than {MAX_COLLECTIONS} collections")
        return shapely.from_wkt(text)
    except (shapely.errors.GEOSException, ValueError) as problem:
        raise InputError(f"{label}, row {row}: the geometry is no WKT: {problem}") from problem


def _crs(path: Path, label: str) -> Any:
    """None where there is no such file."""
    import pyproj

    if not path.exists():
        return None
    with path.open("rb") as file:
        text = file.read(MAX_CRS_BYTES)
    try:
        return pyproj.CRS.from_wkt(text.decode())
    except (pyproj.exceptions.CRSError, UnicodeDecodeError) as problem:
        raise InputError(f"the .prj file beside {label} describes no CRS: {problem}") from problem
