"""CSV and Excel with longitude and latitude, or with WKT, as written by `FeatureCollection.to_file` and GDAL."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pygeodesign._core import _csv_text
from pygeodesign._reading import degrees, limits
from pygeodesign._reading.encodings import in_utf8
from pygeodesign._reading.rows import Reason, RefusedError, Rows
from pygeodesign._reading.shapes import to_wkb
from pygeodesign._reading.source import Source

WKT = "WKT"
# Names of the column with geometries; the first is the one in our files.
GEOMETRY_NAMES = (WKT, "geometry", "geom", "the_geom", "wkt_geom", "shape")
WGS84 = "EPSG:4326"
# Columns with the addresses of geometry files, in tables of external diagrams.
ADDRESS_NAMES = ("url", "flat_geobuf_url")
IS_WKT = re.compile(
    r"\s*(SRID=\d+;)?\s*(POINT|LINESTRING|POLYGON|MULTI|GEOMETRYCOLLECTION|CIRCULAR|COMPOUND|CURVE)", re.I
)
# The deepest nesting of collections, which readers of WKT process recursively.
MAX_COLLECTIONS = 100
COLLECTION = "GEOMETRYCOLLECTION"
# Separators in spreadsheets: commas, or semicolons where commas are in numbers; tabs from databases.
SEPARATORS = ",;\t|"


def read(source: Source, label: str, layer: str | None) -> Rows:
    """Reads attributes: strings in CSV, also numbers and dates in Excel. CSV has its CRS in a `.prj` file."""
    is_csv = source.file_format == "CSV"
    if layer is not None and is_csv:
        raise RefusedError(f"layer= names a layer of a file; {label} is CSV and has none: leave layer= out")
    table = _csv_rows(source.path, label) if is_csv else _excel_rows(source.path, label, layer)
    unescaped: Callable[[Any], Any] = _csv_text if is_csv else lambda text: text
    names = _distinct([unescaped(str(name)) for name in next(table, [])])
    limits.check_columns(label, len(names))
    filled = (row for row in table if any(cell not in (None, "") for cell in row))
    rows = list(itertools.islice(filled, limits.MAX_FEATURES + 1))
    limits.check_features(label, len(rows))
    width = len(names)
    for number, row in enumerate(rows):
        if len(row) > width and any(cell not in (None, "") for cell in row[width:]):
            raise RefusedError(f"{label}, row {number}: it has {len(row)} cells, and the header {width}; correct it")
    cells = [[*row, *[None] * (width - len(row))][:width] for row in rows]
    crs = _crs(source.path.with_suffix(".prj")) if is_csv else WGS84
    taken, geometries, crs = _geometries(label, names, cells, source.file_format, crs)
    attributes = [
        {
            name: unescaped(cell) if isinstance(cell, str) else cell
            for column, (name, cell) in enumerate(zip(names, row, strict=True))
            if column not in taken
        }
        for row in cells
    ]
    return Rows(None, crs, geometries, attributes, [])


def _geometries(
    label: str, names: list[str], rows: list[list[Any]], file_format: str, crs: str | None
) -> tuple[tuple[int, ...], list[bytes | Reason | None], str | None]:
    """The columns that have the geometries, the geometries, and their CRS. Tables of external diagrams have none."""
    if (geometry := _geometry_column(names, rows)) is not None:
        return (geometry,), list(_shapes([row[geometry] for row in rows])), crs
    if columns := degrees.columns_of(names):
        crs = crs or WGS84
        return columns.places, list(degrees.points(columns, rows, in_degrees=crs == WGS84)), crs
    if any(name.lower() in ADDRESS_NAMES for name in names):
        return (), [None] * len(rows), crs
    book = ", an Excel workbook," if file_format == "Excel" else ""
    listed = ", ".join(map(repr, names[:20])) or "none"
    raise RefusedError(
        f"{label}{book} has no column {WKT} with geometries, and no columns lon and lat; its columns are {listed}. "
        "Make geometries of them with GeoPandas, and pass the frame"
    )


def _distinct(names: list[str]) -> list[str]:
    """The names of the columns; a repeated one gets a number, so that no column hides another."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names):
        seen[name] = seen.get(name, -1) + 1
        names[place] = f"{name}.{seen[name]}" if seen[name] else name
    return names


def _csv_rows(path: Path, label: str) -> Iterator[list[Any]]:
    content = in_utf8(path.read_bytes())
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise RefusedError(
            f"{label} is not CSV in UTF-8 ({problem}); save it as UTF-8, in Excel as “CSV UTF-8”"
        ) from problem
    header = text.partition("\n")[0]
    separator = max(SEPARATORS, key=lambda mark: (header.count(mark), -SEPARATORS.index(mark)))
    # Larger than the largest geometry text; the complete file is in memory anyway.
    csv.field_size_limit(limits.MAX_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        yield from reader
    except csv.Error as problem:
        raise RefusedError(f"{label} is not CSV: {problem} in line {reader.line_num}; correct it") from problem


def _excel_rows(path: Path, label: str, layer: str | None) -> Iterator[list[Any]]:
    try:
        import openpyxl
    except ImportError:
        raise RefusedError(
            f"{label} is an Excel workbook, which needs openpyxl to be read: pip install openpyxl; or save it as “CSV "
            "UTF-8”"
        ) from None
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    if layer is not None and layer not in book.sheetnames:
        raise RefusedError(f"{label} has no sheet {layer!r}; its sheets are {', '.join(map(repr, book.sheetnames))}")
    if layer is None and len(book.sheetnames) > 1:
        with_rows = [sheet.title for sheet in book.worksheets if next(sheet.iter_rows(max_row=1), None)]
        if len(with_rows) > 1:
            listed = ", ".join(map(repr, with_rows))
            raise RefusedError(f"{label} has several sheets: {listed}; name one with layer=", with_rows)
    sheet = book[layer] if layer else book.worksheets[0]
    for row in sheet.iter_rows(values_only=True):
        yield list(row)


def _geometry_column(names: list[str], rows: list[list[Any]]) -> int | None:
    """The column with geometries as WKT, if there is one."""
    lower = [name.lower() for name in names]
    for name in GEOMETRY_NAMES:
        if name.lower() in lower:
            place = lower.index(name.lower())
            cells = [row[place] for row in rows if row[place] not in (None, "")]
            # A column of that name may have other contents.
            if name == WKT or not cells or (isinstance(cells[0], str) and IS_WKT.match(cells[0])):
                return place
    return None


def _shapes(cells: list[Any]) -> Iterator[bytes | Reason | None]:
    """The geometries of rows as WKB. Parsing them one by one would take three times as long."""
    import shapely

    texts = [_text(cell) for cell in cells]
    if not any(map(_has_too_many_collections, texts)):
        try:
            yield from to_wkb(shapely.from_wkt([text if text.strip() else None for text in texts]))
            return
        except (shapely.errors.GEOSException, ValueError):
            pass
    yield from map(_shape, texts)


def _text(cell: Any) -> str:
    return "" if cell is None else re.sub(r"^\s*SRID=4326;", "", str(cell), flags=re.IGNORECASE)


def _has_too_many_collections(text: str) -> bool:
    return len(text) > MAX_COLLECTIONS * len(COLLECTION) and text.upper().count(COLLECTION) > MAX_COLLECTIONS


def _shape(text: str) -> bytes | Reason | None:
    import shapely

    if not text.strip():
        return None
    try:
        if _has_too_many_collections(text):
            raise ValueError(f"it has more than {MAX_COLLECTIONS} collections")
        return bytes(to_wkb(shapely.from_wkt(text)))
    except (shapely.errors.GEOSException, ValueError) as problem:
        return Reason(f"the geometry is not WKT: {problem}", "correct it")


def _crs(path: Path) -> str | None:
    return path.read_text(errors="replace").strip() if path.exists() else None
