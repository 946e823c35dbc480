"""The rows of a file, in WGS 84."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from pygeodesign._core import _geojson_features, _geojson_of, _missing_extra, _transformed
from pygeodesign._reading import child, interpreter, limits
from pygeodesign._reading.crs import transform_from_name
from pygeodesign._reading.encodings import DAMAGED
from pygeodesign._reading.rows import Reason, RefusedError
from pygeodesign.errors import ExternalFileError, InputError

# Settings that restrict GDAL and PROJ to the file.
ISOLATED = {
    # A proxy that does not exist, so that no address is requested.
    "GDAL_HTTP_PROXY": "none://",
    "GDAL_HTTPS_PROXY": "none://",
    "CPL_VSIL_CURL_ALLOWED_FILENAME": "none",
    "PROJ_NETWORK": "OFF",
    "GML_DOWNLOAD_SCHEMA": "NO",
    "GML_USE_SCHEMA_IMPORT": "NO",
    "GML_REGISTRY": "none",
    "GML_SKIP_RESOLVE_ELEMS": "ALL",
    "LIBKML_EXTERNAL_STYLE": "NO",
    "LIBKML_RESOLVE_STYLE": "NO",
    # Bytes per batch.
    "OGR_ARROW_MEM_LIMIT": str(64 * 1024 * 1024),
    # Degrees of an arc per chord: a circle loses 0.005 % of its area.
    "OGR_ARC_STEPSIZE": "1",
    # Their threads and pools reserve memory, which is limited for the process.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
# Seconds until the libraries are loaded, on a slow machine that has never used them.
START_SECONDS = 120
# A process may take this many times its CPU seconds: others may use the machine.
PATIENCE = 4
# Seconds between two checks of the process.
LOOK_SECONDS = 0.01
# The exit code of a process that has used its CPU seconds. Windows does not have it.
OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None
# Numbers that JSON does not allow; the first alternative consumes strings.
NOT_FINITE = re.compile(rb'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)')
NO_FEATURE = Reason("it is not a GeoJSON Feature", 'give it "type": "Feature"')
NO_OBJECT = Reason("its properties are not an object", "correct them")


class Row(NamedTuple):
    """A feature: its label in the index, its geometry as WKB or GeoJSON text (None without), its attributes as in JSON,
    and the reason why it cannot be read, if any.
    """

    label: Any
    geometry: bytes | str | None
    properties: dict[str, Any]
    problem: Reason | None = None


class Table(NamedTuple):
    """The rows of a file in WGS 84; unreadable rows have a reason."""

    rows: list[Row]
    #: Changes to the file, or GDAL's warnings.
    notes: list[str]
    #: The columns with times.
    times: list[str]

    def columns(self) -> list[str]:
        """The names of the attributes, in order of appearance."""
        return list(dict.fromkeys(name for row in self.rows for name in row.properties))

    def geojson(self) -> str:
        """The features as a FeatureCollection."""
        return _geojson_of(self.rows)

    def frame(self) -> Any:
        """The rows as a GeoDataFrame in EPSG:4326."""
        import geopandas
        import pandas
        import shapely

        names = [name for name in self.columns() if name != "geometry"]
        columns = {name: _series([row.properties.get(name) for row in self.rows]) for name in names}
        for name in self.times:
            # For several time zones in one column, UTC is used.
            zones = {value[19:].lstrip(".0123456789") for value in columns[name].dropna()}
            columns[name] = pandas.to_datetime(columns[name], format="ISO8601", utc=len(zones) > 1)
        for number, row in enumerate(self.rows):
            if row.problem:
                raise InputError(f"row {number}: {row.problem}")
        shapes = [
            shapely.from_geojson(row.geometry) if isinstance(row.geometry, str) else shapely.from_wkb(row.geometry)
            for row in self.rows
        ]
        return geopandas.GeoDataFrame(columns, geometry=shapes, crs=4326, index=range(len(self.rows)))


def _series(values: list[Any]) -> Any:
    import pandas

    # With gaps, pandas would turn integers into floats, which lose digits.
    is_long = any(isinstance(value, int) and abs(value) > 2**53 for value in values)
    return pandas.Series(values, dtype=object if is_long and None in values else None)


def read_file(path: Path, layer: str | None, label: str | None = None) -> Table:
    """The rows of a layer of a file; the only layer with geometries need not be named. Errors call the file `label`.

    GDAL's warnings are `UserWarning`s.
    """
    label = label or str(path)
    if not _exists(path):
        raise InputError(
            f"{_shortened(str(path))!r} is not GeoJSON text, and no file has that path; the working folder is "
            f"{Path.cwd()}. Give the path of a file, or geometries: a GeoDataFrame, a shapely geometry, GeoJSON"
        )
    try:
        table = _read_geojson(path, label, layer) or _read_elsewhere(path, label, layer)
    except RefusedError as refused:
        raise _input_error(refused) from None
    for note in [*table.notes, *_damaged(table.rows)]:
        warnings.warn(f"{label}: {note}", stacklevel=2)
    return table


class SeveralLayersError(InputError):
    """A file has several layers, and none was named."""

    def __init__(self, text: str, layers: list[str]) -> None:
        super().__init__(text)
        self.layers = layers


def _damaged(rows: list[Row]) -> list[str]:
    """Notes on rows whose strings were damaged before they came here."""
    found = [
        (row.label, name)
        for row in rows
        for name, value in row.properties.items()
        if isinstance(value, str) and DAMAGED.search(value)
    ]
    if not found:
        return []
    shown = ", ".join(f"row {label} in {name!r}" for label, name in found[:5]) + (" …" if len(found) > 5 else "")
    return [f"texts have damaged or control characters, which are kept: {shown}"]


def _input_error(refused: RefusedError) -> InputError:
    return SeveralLayersError(str(refused), refused.layers) if refused.layers else InputError(str(refused))


def read_as_geojson(path: Path) -> str:
    """The features of a file as a FeatureCollection in WGS 84."""
    if not _exists(path):
        raise InputError(f"{path} cannot be read: there is no such file")
    try:
        return read_file(path, None).geojson()
    except InputError as problem:
        raise InputError(str(problem) if str(path) in str(problem) else f"{path}: {problem}") from None


def read_flatgeobuf(content: bytes, name: str) -> Table:
    """The rows of a FlatGeobuf file. Errors call it `name`."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "file.fgb"
        file.write_bytes(content)
        try:
            return _read_elsewhere(file, "it", None)
        except RefusedError as problem:
            raise ExternalFileError(f"{name}, cannot be opened: {problem}") from None


def frame_of_flatgeobuf(content: bytes, name: str) -> Any:
    """The rows of a FlatGeobuf file as a GeoDataFrame in EPSG:4326."""
    try:
        return read_flatgeobuf(content, name).frame()
    except ExternalFileError:
        raise
    # A file damaged on purpose leads to errors of pandas and shapely, of any class.
    except Exception as problem:
        raise ExternalFileError(f"{name}, cannot be opened: {problem}") from problem


def rows_of_geojson(content: bytes, label: str) -> list[Row]:
    """The features of GeoJSON, from a file or a string."""
    try:
        features = _geojson_features(content, limits.MAX_FEATURES, limits.MAX_COLUMNS)
    except ValueError as refused:
        if not any(match[1] for match in NOT_FINITE.finditer(content)):
            raise RefusedError(f"{label} {refused}") from None
        # Python and R write such numbers, which JSON does not allow.
        return rows_of_geojson(NOT_FINITE.sub(_as_json, content), label)
    rows = []
    for number, (geometry, properties, _, is_feature) in enumerate(features):
        values = json.loads(properties) if properties else None
        problem: Reason | None = None
        if not is_feature:
            problem = NO_FEATURE._replace(row=number)
        elif not isinstance(values, dict | None):
            problem = NO_OBJECT._replace(row=number)
        rows.append(Row(number, geometry, values if isinstance(values, dict) else {}, problem))
    return in_wgs84(rows, [crs for _, _, crs, _ in features], label)


def _as_json(found: re.Match[bytes]) -> bytes:
    value = found[1]
    return found[0] if value is None else b"null" if value == b"NaN" else b'"%s"' % value


def in_wgs84(rows: list[Row], names: list[str | None], label: str) -> list[Row]:
    """Rows whose positions are each in a named CRS, or in WGS 84."""
    moved = list(rows)
    for name in dict.fromkeys(name for name in names if name is not None):
        try:
            transform = transform_from_name(name, label)
        except ImportError as missing:
            raise _missing_extra(missing) from missing
        chosen = [number for number, own in enumerate(names) if own == name]
        if transform is not None:
            geometries = _transformed([rows[number].geometry for number in chosen], transform)
            for number, geometry in zip(chosen, geometries, strict=True):
                moved[number] = rows[number]._replace(geometry=geometry)
    return moved


def _read_geojson(path: Path, label: str, layer: str | None) -> Table | None:
    """The rows of a GeoJSON file; None for any other file."""
    if not path.is_file() or path.stat().st_size > limits.MAX_BYTES:
        return None
    with path.open("rb") as file:
        start = file.read(64)
        text = start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")
        if not text.startswith((b"{", b"[")):
            return None
        content = start + file.read(limits.MAX_BYTES)
    if layer is not None:
        raise RefusedError(f"layer= names a layer of a file; {label} is GeoJSON and has none: leave layer= out")
    return Table(rows_of_geojson(content, label), [], [])


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # The string is too long for a path, or has a NUL.
        return False


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def _read_elsewhere(path: Path, label: str, layer: str | None) -> Table:
    """The rows of a file that third-party libraries read, in their own process."""
    try:
        import pyarrow  # noqa: F401
        import pyogrio  # noqa: F401
        import pyproj  # noqa: F401
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    seconds = limits.allowed_seconds(path.stat().st_size)
    with TemporaryDirectory() as name:
        folder = Path(name)
        request = {"path": str(path.absolute()), "label": label, "layer": layer, "seconds": seconds}
        (folder / "request.json").write_text(json.dumps(request))
        _run(folder, label, seconds)
        response = json.loads((folder / "response.json").read_text())
        if "refused" in response:
            raise RefusedError(response["refused"], response["layers"])
        if "problem" in response:
            notes = "".join(f" ({note})" for note in response["notes"])
            raise RefusedError(
                f"{label} cannot be read: {response['problem']}{notes}. Save it again, for example as a GeoPackage, or "
                "read it with geopandas.read_file and pass the frame"
            )
        if "geojson" in response:
            packed = _read_geojson(folder / "source" / response["geojson"], label, None)
            assert packed is not None, "the child has seen that it is GeoJSON"
            return packed
        return _table(folder, response)


def _table(folder: Path, response: dict[str, Any]) -> Table:
    reasons = [Reason(*reason) for reason in response["reasons"]]
    problems = {reason.row: reason for reason in reversed(reasons)}
    rows = []
    with (folder / "geometries.wkb").open("rb") as shapes, (folder / "attributes.jsonl").open() as lines:
        for number, (length, line) in enumerate(zip(response["lengths"], lines, strict=True)):
            geometry = shapes.read(length) if length >= 0 else None
            rows.append(Row(number, geometry, json.loads(line), problems.get(number)))
    return Table(rows, response["notes"], response["times"])


def _run(folder: Path, label: str, seconds: float) -> None:
    """Makes the child read the file that its folder names."""
    python = interpreter.executable()
    if python is None:
        raise RefusedError(
            f"{label} is read in a separate Python, and none is found beside {sys.executable!r}; read it with "
            "geopandas.read_file, and pass the frame"
        )
    command = [python, "-P", "-m", child.__name__, str(folder)]
    # It finds the libraries where this process does, and none in the working folder before them.
    environment = os.environ | ISOLATED | {"PYTHONPATH": interpreter.search_path()}
    # Into a file, which never blocks, and is separate from the child's response.
    with (
        (folder / "messages").open("wb") as messages,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages, env=environment, cwd=folder
        ) as process,
    ):
        try:
            _wait(process, folder, label, seconds)
        finally:
            process.kill()
    if process.returncode == OUT_OF_TIME:
        raise _too_slow(label, seconds)
    if process.returncode != 0 or not (folder / "response.json").exists():
        said = (folder / "messages").read_text(errors="replace").strip().splitlines()[-1:]
        raise RefusedError(
            f"{label} is damaged, or takes more memory than the {child.MAX_MEMORY:,} bytes that its reader may have; "
            f"the reader ended with {process.returncode}: {''.join(said) or 'no message'}"
        )


def _wait(process: subprocess.Popen[bytes], folder: Path, label: str, seconds: float) -> None:
    """Waits until the process has ended, within the time limits for starting and for reading."""
    started = time.monotonic()
    begun: float | None = None
    while process.poll() is None:
        now = time.monotonic()
        if begun is None and (folder / "ready").exists():
            begun = now
        if begun is None and now - started > START_SECONDS:
            raise RefusedError(
                f"{label}: {interpreter.executable()!r} did not start to read within {START_SECONDS} s; read the file "
                "with geopandas.read_file, and pass the frame"
            )
        if begun is not None and now - begun > PATIENCE * seconds:
            raise _too_slow(label, seconds)
        time.sleep(LOOK_SECONDS)


def _too_slow(label: str, seconds: float) -> RefusedError:
    return RefusedError(
        f"{label} was not read within {seconds:.0f} s, the limit for its size; split it, or if you trust it, read it "
        "with geopandas.read_file and pass the frame"
    )
