"""Files with geometries, of which GDAL reads nothing but themselves.

GDAL chooses a driver by the content of a file, whatever it is called, and some formats are recipes that lead to other
files or to a network. So the first bytes tell which of a few formats a file has, and only its driver gets a copy of it,
in a folder where no other file is.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import stat
import time
import xml.etree.ElementTree as ElementTree
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pygeodesign._file_counts import check_csv, check_geojson, check_xml
from pygeodesign.errors import InputError

MAX_BYTES = 256 * 1024 * 1024
MAX_VERTICES = 20_000_000
# Of a file in a ZIP archive: what is compressed more is made to fill memory.
MAX_RATIO = 100
# Of the list of what is in a ZIP archive, which takes a hundred bytes for each member.
MAX_DIRECTORY_BYTES = 1024 * 1024
# For the tables that tell what is in a GeoPackage.
MAX_SECONDS = 2.0
START_BYTES = 64 * 1024
# To read a file: some seconds of a processor, and as many as a slow one needs for its bytes.
MIN_SECONDS = 3
BYTES_PER_SECOND = 8 * 1024 * 1024
FORMATS = "GeoPackage, GeoJSON, Shapefile (also in a ZIP file), FlatGeobuf, GeoParquet, KML, GML or CSV with WKT"
SHAPEFILE = {".shp", ".shx", ".dbf", ".prj", ".cpg"}
# Of the small files beside a Shapefile: a CRS as text, and the name of an encoding.
MAX_SIDECAR_BYTES = 64 * 1024
# Rows of a table that tells what is in a GeoPackage, of which each may be one of a layer, column, extension or CRS.
MAX_DESCRIPTIONS = 20_000
KML = re.compile(r"\{http://(www\.opengis\.net|earth\.google\.com)/kml/2\.\d\}kml|kml")


class Copy(NamedTuple):
    """A file that was copied into a folder of its own."""

    # For GDAL or pyarrow.
    name: str
    file_format: str
    bytes: int


def copied(path: Path, folder: Path) -> Copy:
    """Copy a file into an empty folder, and check that it leads nowhere else."""
    check_size(path)
    with path.open("rb") as file:
        start = file.read(START_BYTES)
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"PK\x03\x04"):
        target, file_format = _unzipped_shapefile(path, folder), "ESRI Shapefile"
    elif start.startswith(b"PAR1"):
        target, file_format = _copied(path, folder), "Parquet"
    elif start.startswith(b"fgb\x03"):
        target, file_format = _copied(path, folder, ".fgb"), "FlatGeobuf"
    elif start.startswith(b"\x00\x00\x27\x0a") and path.suffix.lower() == ".shp":
        for suffix in SHAPEFILE:
            if path.with_suffix(suffix).exists():
                _copied(path.with_suffix(suffix), folder, suffix)
        target, file_format = folder / "file.shp", "ESRI Shapefile"
    elif start.startswith(b"SQLite format 3\x00"):
        target, file_format = _copied(path, folder, ".gpkg"), "GPKG"
        _add_log(path, target)
        _check_geopackage(path, target)
    elif text.startswith(b"{"):
        target, file_format = _copied(path, folder, ".geojson"), "GeoJSON"
        check_geojson(path, target)
    elif path.suffix.lower() == ".csv":
        # No driver reads it, only `_csv`.
        target, file_format = _copied(path, folder, ".csv"), "CSV"
        check_csv(path, target)
        if path.with_suffix(".prj").exists():
            _copied(path.with_suffix(".prj"), folder, ".prj")
    elif text.startswith(b"<") and (xml_format := _xml_format(start)):
        target, file_format = _copied(path, folder, ".gml" if xml_format == "GML" else ".kml"), xml_format
        check_xml(path, target)
        _forget_schema(target, start)
    else:
        raise unreadable(path)
    # With this prefix no other driver looks at it.
    name = f"GeoJSON:{target}" if file_format == "GeoJSON" else str(target)
    return Copy(name, file_format, sum(file.stat().st_size for file in folder.iterdir()))


def _copied(path: Path, folder: Path, suffix: str = "") -> Path:
    """A copy of a file, of as many bytes as it may have."""
    check_size(path)
    if suffix in (".prj", ".cpg"):
        _check_sidecar(path, path.stat().st_size)
    target = folder / f"file{suffix}"
    with path.open("rb") as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)
    check_size(target)
    return target


def _check_sidecar(name: object, size: int) -> None:
    if size > MAX_SIDECAR_BYTES:
        raise InputError(f"{name} has {size:,} bytes; of a CRS or an encoding {MAX_SIDECAR_BYTES:,} are read")


def _add_log(path: Path, target: Path) -> None:
    """Add what a program that has a GeoPackage open wrote beside it, and not yet into it."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        _copied(log, target.parent, f"{target.suffix}-wal")


def _forget_schema(target: Path, start: bytes) -> None:
    """Overwrite the names of attributes that lead to a schema, wherever GDAL looks for them."""
    with target.open("r+b") as file:
        file.write(re.sub(rb"(schema)location", rb"\1leftaway", start, flags=re.IGNORECASE))


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


def _xml_format(start: bytes) -> str | None:
    """The driver by the root, if no other driver may take the file for its own, and it has no declarations."""
    parser: Any = ElementTree.XMLPullParser(("start",))
    declared = start.replace(b"<!--", b"").replace(b"<![CDATA[", b"")
    # In UTF-16, marks are not found.
    if any(mark in declared for mark in (b"<!", b"DataSource", b"Capabilities", b"\0")):
        return None
    try:
        parser.feed(start)
        _, root = next(parser.read_events())
    except (ElementTree.ParseError, StopIteration, ValueError):
        return None
    if KML.fullmatch(root.tag):
        return "LIBKML"
    is_gml = root.tag.endswith("}FeatureCollection") and b"http://www.opengis.net/gml" in start
    return "GML" if is_gml else None


def _unzipped_shapefile(path: Path, folder: Path) -> Path:
    """The only Shapefile in a ZIP file, as files of a folder."""
    problem = f"{path} is a ZIP file without a single Shapefile; unpack it and give the path of a file in it"
    _check_directory(path, problem)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if Path(member.filename).suffix.lower() in SHAPEFILE]
            shapefiles = [member for member in members if member.filename.lower().endswith(".shp")]
            if len(shapefiles) != 1:
                raise InputError(problem)
            stem = shapefiles[0].filename[: -len(".shp")]
            for member in (member for member in members if member.filename[: -len(".shp")] == stem):
                _unzip(path, archive, member, folder / f"file{Path(member.filename).suffix.lower()}")
    except InputError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise InputError(problem) from error
    with (folder / "file.shp").open("rb") as file:
        if file.read(4) != b"\x00\x00\x27\x0a":
            raise InputError(f"{path} has a Shapefile that is damaged")
    return folder / "file.shp"


def _check_directory(path: Path, problem: str) -> None:
    """Refuse a ZIP file with a long list of members, which `zipfile` reads at once."""
    with path.open("rb") as file:
        # The last record, with the longest comment and the locator of ZIP64 before it.
        file.seek(max(0, path.stat().st_size - (1 << 16) - 42))
        end = file.read()
    # Where `zipfile` looks: without a comment, then with one.
    start = len(end) - 22 if end[-22:-18] == b"PK\5\6" and end[-2:] == b"\0\0" else end.rfind(b"PK\5\6")
    if start < 0 or end[max(0, start - 20) : start].startswith(b"PK\6\7"):
        raise InputError(problem)
    size = int.from_bytes(end[start + 12 : start + 16], "little")
    if size > MAX_DIRECTORY_BYTES:
        raise InputError(f"{path} has a list of members of {size:,} bytes; {MAX_DIRECTORY_BYTES:,} are read")


def _unzip(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """Write as many bytes of a member as it says to have."""
    if member.file_size > min(MAX_BYTES, MAX_RATIO * max(member.compress_size, 1024)):
        raise InputError(f"{path} has a member of {member.file_size:,} bytes, compressed more than {MAX_RATIO}:1")
    if target.suffix in (".prj", ".cpg"):
        _check_sidecar(f"{member.filename} in {path}", member.file_size)
    with archive.open(member) as source:
        target.write_bytes(source.read(member.file_size + 1)[: member.file_size])


def _check_geopackage(path: Path, copy: Path) -> None:
    """Refuse a GeoPackage whose layers are queries, or tables that run code of others."""
    deadline = time.monotonic() + MAX_SECONDS
    try:
        with closing(sqlite3.connect(copy)) as database:
            database.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
            database.execute("PRAGMA trusted_schema = OFF")
            kinds: dict[str, str] = {}
            schema = "SELECT type, lower(name), sql FROM sqlite_schema LIMIT ?"
            for kind, name, sql in database.execute(schema, [MAX_DESCRIPTIONS + 1]):
                if kind == "table" and re.match(r"\s*CREATE\s+VIRTUAL\b", str(sql), re.IGNORECASE):
                    kind = "table" if name.startswith("rtree_") else "virtual table"
                if kind in ("table", "view", "virtual table"):
                    kinds[name] = kind
            described = [name for name in kinds if name.startswith("gpkg_")]
            if "gpkg_contents" not in described:
                raise InputError(f"{path} is a database of SQLite, but no GeoPackage")
            _check_tables(path, kinds, described)
            for name in ("sqlite_schema", *described):
                quoted = name.replace('"', '""')
                rows = f'SELECT count(*) FROM (SELECT 1 FROM "{quoted}" LIMIT {MAX_DESCRIPTIONS + 1})'
                if database.execute(rows).fetchone()[0] > MAX_DESCRIPTIONS:
                    raise InputError(
                        f"{path} has more than {MAX_DESCRIPTIONS:,} rows in {name}; save the layer as a GeoPackage of "
                        "its own"
                    )
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


def allowed_seconds(size: int) -> float:
    """How long a file of so many bytes may be read, in seconds of a processor."""
    return MIN_SECONDS + size / BYTES_PER_SECOND


def too_slow(label: str, seconds: float) -> InputError:
    return InputError(
        f"{label} was not read within {seconds:.0f} s, the limit for its size; divide it, or if you trust it, read it "
        "with geopandas.read_file and pass the frame"
    )


def checked(frame: Any, label: str) -> Any:
    """The frame that was read of a file, unless it has too many vertices."""
    import shapely

    if hasattr(frame, "geometry"):
        vertices = int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum())
        if vertices > MAX_VERTICES:
            raise InputError(f"{label} has {vertices:,} vertices; of a file {MAX_VERTICES:,} are read. Divide it")
    return frame
