"""The program that reads one file with GDAL, pyarrow or openpyxl, and writes its rows.

A library that reads foreign files can go on forever, or take all memory. A separate process can be ended
from outside; on Linux and macOS the system also limits its processor time, on Linux its memory. Windows has neither
limit: there only the parent's timeout ends it.

It reads `request.json` in its folder, and writes `response.json`, a line of JSON for the attributes of each row into
`attributes.jsonl`, and the geometries as WKB into `geometries.wkb`. Its output is ignored.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pygeodesign._core import _transformed, _with_known_heights
from pygeodesign._reading import limits
from pygeodesign._reading.crs import Transform, transform_from
from pygeodesign._reading.rows import Reason, RefusedError, Rows
from pygeodesign._reading.shapes import MEASURES_NOTE
from pygeodesign._reading.source import Source, copied
from pygeodesign._reading.values import plain

# Limit for the process, on systems that enforce it: Linux.
MAX_MEMORY = 4 * 1024 * 1024 * 1024
# The most messages of libraries about a file: nobody reads more.
MAX_NOTES = 20
# Messages that are reported in other words: row by row, or as our own note.
TOLD_OTHERWISE = ("Non closed ring", "Measured (M)", "geometry types are not supported")


def main() -> None:
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text())
    limit_memory()
    _import_libraries()
    _limit_time(request["seconds"])
    # The time limit starts here.
    (folder / "ready").touch()
    response: dict[str, Any]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            response = _read(folder, Path(request["path"]), request["label"], request["layer"])
        except RefusedError as refused:
            response = {"refused": str(refused), "layers": refused.layers}
        # Libraries raise errors of many classes.
        except Exception as problem:
            response = {"problem": f"{type(problem).__name__}: {problem}"}
    response["notes"] = list(dict.fromkeys([*response.get("notes", []), *_notes(said)]))[:MAX_NOTES]
    (folder / "response.json").write_text(json.dumps(response))


def _read(folder: Path, path: Path, label: str, layer: str | None) -> dict[str, Any]:
    (folder / "source").mkdir()
    source, layer = copied(path, label, folder / "source", layer)
    if source.file_format == "GeoJSON":
        # From a ZIP file. Our own reader takes the copy, like a file that is not packed.
        return {"geojson": source.path.name, "notes": source.notes}
    rows = _rows(source, label, layer)
    # LIBKML sets the height of positions without one to 0.
    rows = rows._replace(geometries=_heights(rows.geometries, zero=source.file_format == "LIBKML"))
    transform = transform_from(rows.crs, label) if any(rows.geometries) else None
    unpacked = 0
    reasons: list[Reason] = []
    lengths: list[int] = []
    with (folder / "attributes.jsonl").open("w") as lines, (folder / "geometries.wkb").open("wb") as shapes:
        for row, (wkb, attributes) in enumerate(zip(_placed(rows.geometries, transform), rows.attributes, strict=True)):
            if isinstance(wkb, Reason):
                reasons.append(wkb._replace(row=row, layer=rows.layer))
            line = json.dumps(_values(row, rows.layer, attributes, reasons))
            lengths.append(len(wkb) if isinstance(wkb, bytes) else -1)
            unpacked += len(line) + max(lengths[-1], 0)
            limits.check_unpacked(label, source.bytes, unpacked)
            lines.write(f"{line}\n")
            if isinstance(wkb, bytes):
                shapes.write(wkb)
    return {"layer": rows.layer, "lengths": lengths, "reasons": reasons, "times": rows.times, "notes": source.notes}


def _rows(source: Source, label: str, layer: str | None) -> Rows:
    match source.file_format:
        case "Parquet":
            from pygeodesign._reading.parquet import read
        case "CSV" | "Excel":
            from pygeodesign._reading.sheets import read
        case _:
            from pygeodesign._reading.gdal import read
    return read(source, label, layer)


def _heights(geometries: list[bytes | Reason | None], *, zero: bool) -> list[bytes | Reason | None]:
    known = iter(_with_known_heights([wkb for wkb in geometries if isinstance(wkb, bytes)], zero))
    return [next(known) if isinstance(wkb, bytes) else wkb for wkb in geometries]


def _placed(geometries: list[bytes | Reason | None], transform: Transform | None) -> Iterator[bytes | Reason | None]:
    """The geometries in WGS 84. An unreadable one stays unchanged: the reader of the rows gives the reason."""
    if transform is None:
        yield from geometries
        return
    moved = iter(_transformed([wkb for wkb in geometries if isinstance(wkb, bytes)], transform))
    yield from (next(moved) if isinstance(wkb, bytes) else wkb for wkb in geometries)


def _values(row: int, layer: str | None, attributes: dict[str, Any], reasons: list[Reason]) -> dict[str, Any]:
    values = {}
    for name, value in attributes.items():
        if isinstance(value, Reason):
            reasons.append(value._replace(row=row, layer=layer, field=name))
        values[name] = None if isinstance(value, Reason) else plain(value)
    return values


def _notes(said: list[warnings.WarningMessage]) -> list[str]:
    """The libraries' warnings, in their words, once each."""
    texts = [
        str(warning.message)
        for warning in said
        if not issubclass(warning.category, (DeprecationWarning, FutureWarning))
    ]
    measured = [MEASURES_NOTE] if any("Measured (M)" in text for text in texts) else []
    return measured + [text for text in texts if not any(told in text for told in TOLD_OTHERWISE)]


def limit_memory() -> None:
    try:
        import resource
    except ImportError:
        # Windows.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MAX_MEMORY if hard == resource.RLIM_INFINITY else min(MAX_MEMORY, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):
        # macOS may refuse any.
        return


def _limit_time(seconds: float) -> None:
    """Makes the system end this process after this many CPU seconds, however busy the machine is."""
    try:
        import resource
    except ImportError:
        # Windows.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(time.process_time() + seconds)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    except (OSError, ValueError):
        # The parent's timeout is a limit, too.
        return


def _import_libraries() -> None:
    # pyogrio imports these if they are installed, which takes most of the time; needed ones are imported later.
    unneeded = [name for name in ("geopandas", "pandas", "shapely", "pyproj") if name not in sys.modules]
    for name in unneeded:
        sys.modules[name] = None  # type: ignore[assignment]
    import pyarrow.parquet  # noqa: F401
    import pyogrio  # noqa: F401

    for name in unneeded:
        del sys.modules[name]


if __name__ == "__main__":
    main()
