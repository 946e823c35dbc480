"""The one reader of files that somebody else made: to upload, maps of setup files, and files of external diagrams.

`_uploaded_file` copies a file and tells its format, `_file_process` reads the copy in a process that is ended when it
takes too long, and here its features become a GeoDataFrame.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pygeodesign import _csv, _file_process
from pygeodesign._core import _missing_extra
from pygeodesign._file_process import Request
from pygeodesign._uploaded_file import Copy, allowed_seconds, checked, copied, too_slow, unreadable
from pygeodesign.errors import ExternalFileError, InputError

# What GDAL and PROJ get to know: nothing but the file.
ISOLATED = {
    # A proxy of no kind that exists, so that no address is asked.
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
    # Bytes of a batch.
    "OGR_ARROW_MEM_LIMIT": str(64 * 1024 * 1024),
    # Their threads and pools reserve memory, of which the process has a limit.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
# A process may take this many times its seconds of a processor: others may use the machine.
PATIENCE = 4
# How a process ends that has used them. Windows does not know it.
OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None
# A CRS as `EPSG:4326` or as well-known text; the other form is a recipe for PROJ.
CODE_OR_WKT = re.compile(r"[A-Za-z0-9]+:\w+$|[A-Za-z_]+\[")
# Grids of transformations that are named by a path; those without one are looked up where PROJ has its own.
GRID_AT_A_PATH = re.compile(
    r"""(grids=[^ "]*|PARAMETERFILE\[[^]]*|"value": "[^"]*)[/\\]|\+init=""",
    re.IGNORECASE,
)


class SeveralLayersError(InputError):
    """A file has several layers, and none was named."""

    def __init__(self, text: str, layers: list[str]) -> None:
        super().__init__(text)
        self.layers = layers


def read_file(path: Path, layer: str | None) -> Any:
    """A layer of a file as a GeoDataFrame; the only layer with geometries need not be named."""
    if not _exists(path):
        raise InputError(
            f"{_shortened(str(path))!r} is not GeoJSON text, and no file has that path; the working folder is "
            f"{Path.cwd()}. Give the path of a file, or geometries: a GeoDataFrame, a shapely geometry, GeoJSON"
        )
    try:
        import geopandas
        import pyarrow  # noqa: F401
        import pyogrio  # noqa: F401
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    try:
        with TemporaryDirectory() as name:
            folder = Path(name)
            copy = copied(path, folder)
            if copy.file_format == "CSV":
                if layer is not None:
                    raise InputError(f"layer= names a layer of a file; {path} is CSV and has none: leave layer= out")
                frame = _csv.read(Path(copy.name), str(path), copy.bytes)
            else:
                frame = _read(copy, folder, str(path), layer)
    except InputError:
        raise
    # geopandas and shapely have errors of many classes for what is damaged.
    except Exception as problem:
        raise unreadable(path) from problem
    if not isinstance(frame, geopandas.GeoDataFrame):
        raise InputError(f"{path} has no geometries; make them of its columns with GeoPandas, then pass the frame")
    if frame.crs is None:
        raise InputError(
            f"{path} does not say its CRS, so its coordinates cannot be placed; read it with geopandas.read_file, and "
            "say what they are in with .set_crs(…)"
        )
    return frame


def read_as_geojson(path: Path) -> str:
    """The features of a file as a FeatureCollection in WGS 84."""
    return str(read_file(path, None).to_crs(4326).to_json(drop_id=True))


def read_flatgeobuf(content: bytes, name: str) -> Any:
    """A FlatGeobuf file as a GeoDataFrame in EPSG:4326. Errors call it by `name`."""
    try:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "file.fgb"
            file.write_bytes(content)
            frame = _read(Copy(str(file), "FlatGeobuf", len(content)), Path(folder), "it", None)
        if frame.crs is None:
            raise InputError("it has no CRS, so its coordinates cannot be placed")
        return frame.to_crs(4326)
    except InputError as problem:
        raise ExternalFileError(f"{name}, cannot be opened: {problem}") from None
    # A file that is damaged on purpose leads to errors of pyarrow, shapely and pyproj, of any class.
    except Exception as problem:
        raise ExternalFileError(f"{name}, cannot be opened: GDAL cannot read it: {problem}") from problem


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # Text that is too long for a path, or has a NUL.
        return False


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def _read(copy: Copy, folder: Path, label: str, layer: str | None) -> Any:
    import geopandas
    import pandas

    target = folder / "features.arrow"
    seconds = allowed_seconds(copy.bytes)
    times = _run(Request(copy.name, label, copy.file_format, layer, str(target), copy.bytes, seconds))
    _check_crs(target, label)
    frame = geopandas.read_feather(target)
    for name in times:
        # Of several time zones in one column, UTC is left.
        is_mixed = frame[name].str[19:].str.replace(r"^\.\d+", "", regex=True).nunique() > 1
        frame[name] = pandas.to_datetime(frame[name], format="ISO8601", utc=bool(is_mixed))
    return checked(frame, label)


def _run(request: Request) -> list[str]:
    """Have the features written, and return the names of the columns that have times."""
    command = [sys.executable, "-P", "-m", _file_process.__name__, json.dumps(request._asdict())]
    # It finds the libraries where this process does, and none in the working folder before them.
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    environment = os.environ | ISOLATED | {"PYTHONPATH": path}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, bufsize=0, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            # Libraries take long to import where they were not used before.
            process.stdout.readline()
            output, messages = process.communicate(timeout=PATIENCE * request.seconds)
        except subprocess.TimeoutExpired:
            raise too_slow(request.label, request.seconds) from None
        finally:
            process.kill()
    if process.returncode == OUT_OF_TIME:
        raise too_slow(request.label, request.seconds)
    if process.returncode != 0:
        said = messages.decode(errors="replace").strip().splitlines()[-1:]
        raise InputError(
            f"{request.label} is damaged, or takes more memory than the {_file_process.MAX_MEMORY:,} bytes that its "
            f"reader may have; the reader ended with {process.returncode}: {''.join(said) or 'it said nothing'}"
        )
    response = json.loads(output)
    if response.get("layers"):
        raise SeveralLayersError(response["refused"], response["layers"])
    if "refused" in response:
        raise InputError(response["refused"])
    if "problem" in response:
        raise ValueError(response["problem"])
    times: list[str] = response["times"]
    return times


def _check_crs(target: Path, label: str) -> None:
    """Refuse a CRS that makes PROJ open files by their paths."""
    import pyarrow.ipc

    with pyarrow.ipc.open_file(target) as file:
        geo = json.loads((file.schema.metadata or {}).get(b"geo", b"{}"))
    for column in geo.get("columns", {}).values():
        crs = column.get("crs")
        text = crs if isinstance(crs, str) else json.dumps(crs)
        is_known_form = not isinstance(crs, str) or CODE_OR_WKT.match(text)
        if not is_known_form or GRID_AT_A_PATH.search(text):
            raise InputError(f"{label} has a CRS that leads to other files; save it in a CRS of the EPSG registry")
