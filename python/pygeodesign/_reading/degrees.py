"""Points of tables: a column with longitudes, and one with latitudes."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pygeodesign._reading.rows import Reason

# Names of the two columns, in lower case and in the languages of the project's texts. The last pair comes from GIS.
LONGITUDES = ("lon", "lng", "long", "longitude", "stop_lon", "längengrad", "longitud", "longitudine", "خط الطول")
LATITUDES = ("lat", "latitude", "stop_lat", "breitengrad", "latitud", "latitudine", "خط العرض")
PAIRS = ((LONGITUDES, LATITUDES), (("x",), ("y",)))
METRES = "give decimal degrees, or put the CRS of a CSV file into a .prj file beside it"


class Columns(NamedTuple):
    """The places of the two columns in a row, and their names."""

    places: tuple[int, int]
    names: tuple[str, str]


def columns_of(names: Sequence[str]) -> Columns | None:
    """The two columns, if the table has both."""
    lower = [name.strip().lower() for name in names]
    for longitudes, latitudes in PAIRS:
        x = next((lower.index(name) for name in longitudes if name in lower), None)
        y = next((lower.index(name) for name in latitudes if name in lower), None)
        if x is not None and y is not None:
            return Columns((x, y), (names[x], names[y]))
    return None


def points(columns: Columns, rows: list[list[Any]], *, in_degrees: bool) -> Iterator[bytes | Reason | None]:
    """The point of each row as WKB. A file that names its CRS may have metres."""
    for row in rows:
        x, y = (_number(row[place], name) for place, name in zip(columns.places, columns.names, strict=True))
        if isinstance(x, Reason):
            yield x
        elif isinstance(y, Reason):
            yield y
        else:
            yield (in_degrees and _out_of_range(columns.names, x, y)) or struct.pack("<BIdd", 1, 1, x, y)


def _number(cell: Any, name: str) -> float | Reason:
    """A number with a point or a comma."""
    if cell is None or not str(cell).strip():
        return Reason("it is empty", "give decimal degrees", field=name)
    try:
        number = float(str(cell).strip().replace(",", "."))
    except ValueError:
        number = math.nan
    return number if math.isfinite(number) else Reason(f"{cell!r} is not a number", "give decimal degrees", field=name)


def _out_of_range(names: tuple[str, str], x: float, y: float) -> Reason | None:
    longitude, latitude = names
    if abs(y) > 90:
        swapped = "longitude and latitude are swapped" if abs(x) <= 90 and abs(y) <= 180 else METRES
        return Reason(f"{y:.10g} is not a latitude, which lies between -90 and 90", swapped, field=latitude)
    if abs(x) > 180:
        return Reason(f"{x:.10g} is not a longitude, which lies between -180 and 180", METRES, field=longitude)
    return None
