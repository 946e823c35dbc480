"""Files with geometries, of which GDAL reads nothing but themselves.

GDAL chooses a driver by the content of a file, whatever it is called, and some formats are recipes that lead to other
files or to a network. So the first bytes tell which of a few formats a file has, and only its driver gets it.
"""

from __future__ import annotations

import json
import re
import sqlite3
import stat
import tempfile
import time
import xml.etree.ElementTree as ElementTree
import zipfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 256 * 1024 * 1024
MAX_FEATURES = 1_000_000
MAX_VERTICES = 20_000_000
# Of a file in a ZIP archive: what is compressed more is made to fill memory.
MAX_RATIO = 100
# For the tables that tell what is in a GeoPackage.
MAX_SECONDS = 2.0
START_BYTES = 64 * 1024
FORMATS = "GeoPackage, GeoJSON, Shapefile (also in a ZIP file), FlatGeobuf, GeoParquet, KML, GML or CSV with WKT"
SHAPEFILE = {".shp", ".shx", ".dbf", ".prj", ".cpg"}
KML = re.compile(r"\{http://(www\.opengis\.net|earth\.google\.com)/kml/2\.\d\}kml|kml")


@contextmanager
def for_gdal(path: Path) -> Iterator[tuple[str, str]]:
    """The name of a file for GDAL, or pyarrow, and its format. A file out of a ZIP file is there until the end."""
    check_size(path)
    with path.open("rb") as file:
        start = file.read(START_BYTES)
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"PK\x03\x04"):
        with tempfile.TemporaryDirectory() as folder:
            yield str(_unzipped_shapefile(path, Path(folder))), "ESRI Shapefile"
    elif start.startswith(b"PAR1"):
        yield str(path), "Parquet"
    elif start.startswith(b"fgb\x03"):
        yield str(path), "FlatGeobuf"
    elif start.startswith(b"\x00\x00\x27\x0a") and path.suffix.lower() == ".shp":
        for other in SHAPEFILE:
            side = path.with_suffix(other)
            if side.exists():
                check_size(side)
        yield str(path), "ESRI Shapefile"
    elif start.startswith(b"SQLite format 3\x00"):
        _check_geopackage(path)
        yield str(path), "GPKG"
    elif text.startswith(b"{"):
        _check_crs(path)
        # With this prefix no other driver looks at it.
        yield f"GeoJSON:{path}", "GeoJSON"
    elif text.startswith(b"<") and (xml_format := _xml_format(path, start)):
        yield str(path), xml_format
    elif path.suffix.lower() == ".csv":
        # No driver reads it, only `_csv`.
        yield str(path), "CSV"
    else:
        raise unreadable(path)


def unreadable(path: Path) -> InputError:
    return InputError(
        f"{path} cannot be read as a file with geometries; give a {FORMATS} file, or read it with GeoPandas and pass "
        "the frame"
    )


def check_size(path: Path) -> None:
    """Refuse what is no regular file, and one that is too large."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is a folder, a pipe or a device; give the path of a {FORMATS} file")
    if status.st_size > MAX_BYTES:
        raise InputError(
            f"{path} has {status.st_size:,} bytes; of a file {MAX_BYTES:,} are read. Divide it, or read it with "
            "geopandas.read_file and pass the frame"
        )


def check_count(path: Path, features: int, vertices: int = 0) -> None:
    """Refuse more features or vertices than a file may have."""
    for count, most, what in ((features, MAX_FEATURES, "features"), (vertices, MAX_VERTICES, "vertices")):
        if count > most:
            raise InputError(f"{path} has {count:,} {what}; of a file {most:,} are read. Divide it")


def _check_crs(path: Path) -> None:
    """Refuse old GeoJSON whose `crs` is an address, which GDAL would ask for the CRS."""
    content = path.read_bytes()
    # A name may be written with escapes.
    if b"crs" not in content and b"\\u00" not in content:
        return

    def check(members: list[tuple[str, Any]]) -> dict[str, Any]:
        for name, value in members:
            if name == "crs" and isinstance(value, dict) and value.get("type") != "name":
                raise InputError(f"{path} has its CRS at an address, which is not asked; write its name into the file")
        return dict(members)

    try:
        json.loads(content, object_pairs_hook=check)
    except InputError:
        raise
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path} is not GeoJSON: {problem}") from problem


def _xml_format(path: Path, start: bytes) -> str | None:
    """The driver by the root, if no other driver may take the file for its own, and it has no declarations."""
    declared = start.replace(b"<!--", b"").replace(b"<![CDATA[", b"")
    if any(mark in declared for mark in (b"<!", b"DataSource", b"Capabilities")):
        return None
    try:
        with path.open("rb") as file:
            _, root = next(iter(ElementTree.iterparse(file, events=("start",))))
    except (ElementTree.ParseError, StopIteration, ValueError):
        return None
    if KML.fullmatch(root.tag):
        return "LIBKML"
    is_gml = root.tag.endswith("}FeatureCollection") and b"http://www.opengis.net/gml" in start
    return "GML" if is_gml else None


def _unzipped_shapefile(path: Path, folder: Path) -> Path:
    """The only Shapefile in a ZIP file, as files of a folder."""
    problem = f"{path} is a ZIP file without a single Shapefile; unpack it and give the path of a file in it"
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if Path(member.filename).suffix.lower() in SHAPEFILE]
            shapefiles = [member for member in members if member.filename.lower().endswith(".shp")]
            if len(shapefiles) != 1:
                raise InputError(problem)
            stem = shapefiles[0].filename[: -len(".shp")]
            for member in (member for member in members if member.filename[: -len(".shp")] == stem):
                _unzip(path, archive, member, folder / f"shape{Path(member.filename).suffix.lower()}")
    except InputError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise InputError(problem) from error
    if (folder / "shape.shp").read_bytes()[:4] != b"\x00\x00\x27\x0a":
        raise InputError(f"{path} has a Shapefile that is damaged")
    return folder / "shape.shp"


def _unzip(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """Write as many bytes of a member as it says to have."""
    if member.file_size > min(MAX_BYTES, MAX_RATIO * max(member.compress_size, 1024)):
        raise InputError(f"{path} has a member of {member.file_size:,} bytes, compressed more than {MAX_RATIO}:1")
    with archive.open(member) as source:
        target.write_bytes(source.read(member.file_size + 1)[: member.file_size])


def _check_geopackage(path: Path) -> None:
    """Refuse a GeoPackage whose layers are queries, or tables that run code of others."""
    deadline = time.monotonic() + MAX_SECONDS
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
            database.execute("PRAGMA trusted_schema = OFF")
            kinds: dict[str, str] = {}
            for kind, name, sql in database.execute("SELECT type, lower(name), sql FROM sqlite_schema"):
                if kind == "table" and re.match(r"\s*CREATE\s+VIRTUAL\b", str(sql), re.IGNORECASE):
                    kind = "table" if name.startswith("rtree_") else "virtual table"
                if kind in ("table", "view", "virtual table"):
                    kinds[name] = kind
            described = [name for name in kinds if name.startswith("gpkg_")]
            if "gpkg_contents" not in described:
                raise InputError(f"{path} is a database of SQLite, but no GeoPackage")
            _check_tables(path, kinds, described)
            layers = [str(name).lower() for (name,) in database.execute("SELECT table_name FROM gpkg_contents")]
            _check_tables(path, kinds, layers)
            for layer in layers:
                if any(column[6] > 1 for column in database.execute("SELECT * FROM pragma_table_xinfo(?)", [layer])):
                    raise InputError(f"the layer {layer} of {path} has generated columns; save it without them")
    except sqlite3.Error as error:
        raise InputError(f"{path} is a damaged GeoPackage: {error}") from error


def _check_tables(path: Path, kinds: dict[str, str], names: list[str]) -> None:
    for name in names:
        if kinds.get(name, "table") != "table":
            raise InputError(
                f"{name!r} of {path} is a {kinds[name]}, a query that may read anything and never end; save the layer "
                "as a GeoPackage of its own"
            )


def checked(frame: Any, path: Path) -> Any:
    """The frame that was read of a file, unless it has too much."""
    import shapely

    if hasattr(frame, "geometry"):
        check_count(path, len(frame), int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum()))
    return frame
