"""The format of a file, detected from its first bytes, and an isolated copy of it.

GDAL chooses a driver by a file's content, whatever its name, and some formats are recipes that lead to other
files or to a network. So only the format's driver gets the copy, in a folder without other files.
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
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pygeodesign._reading import limits
from pygeodesign._reading.counts import check_csv, check_xml
from pygeodesign._reading.encodings import in_utf8, say_encoding
from pygeodesign._reading.kml_dates import keep_dates
from pygeodesign._reading.rows import RefusedError

START_BYTES = 64 * 1024
FORMATS = (
    "GeoPackage, GeoJSON, Shapefile, FlatGeobuf, GeoParquet, KML, GML or GPX file, one of these in a ZIP file, or CSV "
    "or Excel with WKT or with longitude and latitude"
)
# Extensions of files next to a Shapefile, in the order of the search.
SHAPEFILE = (".shp", ".shx", ".dbf", ".prj", ".cpg")
SIDECARS = {".prj", ".cpg"}
# A CRS as text, and the name of an encoding.
MAX_SIDECAR_BYTES = 64 * 1024
# A member of a ZIP file with a higher compression is made to fill memory.
MAX_ZIP_RATIO = 100
# The list of members of a ZIP file takes a hundred bytes per member.
MAX_DIRECTORY_BYTES = 1024 * 1024
# Seconds for the tables that describe a GeoPackage, and their rows: layers, columns, extensions and CRS.
MAX_SECONDS = 2.0
MAX_DESCRIPTIONS = 20_000
# The drivers' extensions.
ENDINGS = {
    "GPKG": ".gpkg",
    "FlatGeobuf": ".fgb",
    "LIBKML": ".kml",
    "GML": ".gml",
    "GPX": ".gpx",
    "CSV": ".csv",
    "Excel": ".xlsx",
    "GeoJSON": ".geojson",
    "Parquet": ".parquet",
}
PACKED = {b"\x1f\x8b": "gzip", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
SHAPEFILE_START = b"\x00\x00\x27\x0a"
KML = re.compile(r"\{http://(www\.opengis\.net|earth\.google\.com)/kml/2\.\d\}kml|kml")
GPX = re.compile(r"\{http://www\.topografix\.com/GPX/1/\d\}gpx")
# Files that the Finder of macOS and Windows put into folders, and so into ZIP files.
LITTER = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")


class Source(NamedTuple):
    """A file that was copied into its own folder."""

    path: Path
    file_format: str
    #: The size of all its files.
    bytes: int
    #: Changes to the file, for the user who sent it.
    notes: list[str]
    #: The dates of placemarks as in KML, by their new ids.
    kml_dates: dict[str, dict[str, str | None]]


def copied(path: Path, label: str, folder: Path, layer: str | None) -> tuple[Source, str | None]:
    """Copies a file into an empty folder, and checks that it leads nowhere else. Also returns the file's layer."""
    _check_size(path, label)
    start = _start(path)
    if start.startswith(b"PK\x03\x04") and (opened := _unzipped(path, label, folder, layer)):
        return opened
    file_format = format_of(start, path.suffix.lower())
    for mark, program in PACKED.items():
        if start.startswith(mark):
            raise RefusedError(f"{label} is packed with {program}; unpack it, and give the path of a file in it")
    if file_format is None:
        so = ", and is not GeoJSON" if path.suffix.lower() in (".geojson", ".json") else ""
        raise RefusedError(
            f"{label} cannot be read as a file with geometries{so}; give a {FORMATS}, or read it with GeoPandas and "
            "pass the frame"
        )
    target = folder / f"file{ENDINGS.get(file_format, '.shp')}"
    for beside in _parts(path, file_format):
        if beside.suffix.lower() in SIDECARS:
            _check_sidecar(beside, beside.stat().st_size)
        _check_size(beside, str(beside))
        shutil.copyfile(beside, target.with_suffix(beside.suffix.lower()) if beside != path else target)
    if file_format == "GPKG":
        _add_log(path, target)
    return _checked(target, label, file_format), layer


def format_of(start: bytes, ending: str) -> str | None:
    """The format of a file with these first bytes; None if no driver may read it."""
    text = start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")
    if start.startswith(b"PAR1"):
        return "Parquet"
    if start.startswith(b"fgb\x03"):
        return "FlatGeobuf"
    if start.startswith(SHAPEFILE_START):
        return "ESRI Shapefile" if ending == ".shp" else None
    if start.startswith(b"SQLite format 3\x00"):
        return "GPKG"
    if start.startswith(b"PK\x03\x04"):
        return "Excel" if b"xl/" in start or ending == ".xlsx" else None
    if text.startswith(b"{"):
        return "GeoJSON"
    if ending == ".csv":
        return "CSV"
    return _xml_format(in_utf8(start, cut=True)) if text.startswith(b"<") else None


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(START_BYTES)


def _parts(path: Path, file_format: str) -> list[Path]:
    """The files that belong to one, with extensions in any case: `PARKS.SHP` and `parks.dbf`."""
    wanted = SHAPEFILE if file_format == "ESRI Shapefile" else (".prj",) if file_format == "CSV" else ()
    parts = {path.suffix.lower(): path}
    # A folder may have many files, and some may have another case.
    for beside in sorted(path.parent.iterdir()) if wanted else []:
        ending = beside.suffix.lower()
        belongs = ending in wanted and ending != path.suffix.lower() and beside.stem.lower() == path.stem.lower()
        if belongs and (beside.stem == path.stem or ending not in parts):
            parts[ending] = beside
    return list(parts.values())


def _checked(target: Path, label: str, file_format: str) -> Source:
    """The copy, after checks that nothing in it leads elsewhere or takes too long."""
    notes: list[str] = []
    dates: dict[str, dict[str, str | None]] = {}
    match file_format:
        case "GPKG":
            _check_geopackage(label, target)
        case "CSV":
            check_csv(label, target)
        case "ESRI Shapefile":
            notes += say_encoding(target, label)
        case "LIBKML" | "GML" | "GPX":
            content = in_utf8(target.read_bytes())
            target.write_bytes(re.sub(rb"(schema)location", rb"\1leftaway", content[:START_BYTES], flags=re.I))
            with target.open("ab") as file:
                file.write(content[START_BYTES:])
            check_xml(label, target)
            if file_format == "LIBKML":
                dates = keep_dates(target)
    return Source(target, file_format, sum(file.stat().st_size for file in target.parent.iterdir()), notes, dates)


def _check_sidecar(name: object, size: int) -> None:
    if size > MAX_SIDECAR_BYTES:
        raise RefusedError(f"{name} has {size:,} bytes; at most {MAX_SIDECAR_BYTES:,} of a CRS or an encoding are read")


def _add_log(path: Path, target: Path) -> None:
    """Adds changes that a program with the GeoPackage open wrote next to it, and not yet into it."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        _check_size(log, str(log))
        shutil.copyfile(log, target.with_name(target.name + "-wal"))


def _check_size(path: Path, label: str) -> None:
    """Refuses anything but a regular file, and a file that is too large."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(
            f"{label} is a folder, a pipe or a device; give the path of a {FORMATS}. From a geodatabase (.gdb), export "
            "the layer as a GeoPackage"
        )
    if status.st_size > limits.MAX_BYTES:
        raise RefusedError(
            f"{label} has {status.st_size:,} bytes; at most {limits.MAX_BYTES:,} are read. Split it, or read it "
            "with geopandas.read_file and pass the frame"
        )


def _xml_format(start: bytes) -> str | None:
    """The driver for the root element, if no other driver may claim the file, and it has no declarations."""
    parser: Any = ElementTree.XMLPullParser(("start",))
    declared = start.replace(b"<!--", b"").replace(b"<![CDATA[", b"")
    # In UTF-16 without a byte order mark, no mark would be found.
    if any(mark in declared for mark in (b"<!", b"DataSource", b"Capabilities", b"\0")):
        return None
    try:
        parser.feed(start)
        _, root = next(parser.read_events())
    except (ElementTree.ParseError, StopIteration, ValueError):
        return None
    if KML.fullmatch(root.tag):
        return "LIBKML"
    if GPX.fullmatch(root.tag):
        return "GPX"
    is_gml = root.tag.endswith("}FeatureCollection") and b"http://www.opengis.net/gml" in start
    return "GML" if is_gml else None


# ZIP files: with a Shapefile, from macOS, with several files, and KMZ.


def _unzipped(path: Path, label: str, folder: Path, layer: str | None) -> tuple[Source, str | None] | None:
    """The file in a ZIP file that has geometries, or the one of several that the layer names; None for Excel."""
    _check_directory(path, label)
    try:
        with zipfile.ZipFile(path) as archive:
            members = {
                member.filename: member
                for member in archive.infolist()
                if not member.is_dir() and not LITTER.search(member.filename)
            }
            if "xl/workbook.xml" in members:
                return None
            found = dict(_geometries_in(label, archive, members))
            chosen, rest = _chosen(label, found, members, layer)
            target = folder / f"file{ENDINGS.get(found[chosen], '.shp')}"
            for name in _beside(chosen, found[chosen], members):
                _unzip(label, archive, members[name], target.with_suffix(PurePosixPath(name).suffix.lower()))
            if PurePosixPath(chosen).suffix.lower() != target.suffix:
                _unzip(label, archive, members[chosen], target)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as problem:
        raise RefusedError(
            f"{label} is a damaged or encrypted ZIP file ({problem}); unpack it, and give a file in it"
        ) from problem
    return _checked(target, label, found[chosen]), rest


def _geometries_in(label: str, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> Any:
    """The members that may have geometries, each with its format."""
    for name, member in members.items():
        ending = PurePosixPath(name).suffix.lower()
        _check_member(label, member)
        with archive.open(member) as file:
            file_format = format_of(file.read(START_BYTES), ending)
        # A sheet in a ZIP file may be anything.
        if file_format and (file_format != "CSV" or len(members) == 1):
            yield name, file_format


def _chosen(
    label: str, found: dict[str, str], members: dict[str, zipfile.ZipInfo], layer: str | None
) -> tuple[str, str | None]:
    """The member to read, and the layer to look for in it."""
    if not found:
        listed = ", ".join(map(repr, list(members)[:5])) + (" …" if len(members) > 5 else "")
        raise RefusedError(
            f"{label} is a ZIP file without geometries: it has {listed or 'no files'}. Put a file with geometries into "
            "it, such as a GeoPackage, or a Shapefile with its .dbf, .shx and .prj"
        )
    if len(found) == 1:
        return next(iter(found)), layer
    by_stem = {PurePosixPath(name).stem: name for name in found}
    if layer in by_stem:
        return by_stem[layer], None
    raise RefusedError(
        f"{label} has several layers: {', '.join(map(repr, by_stem))}; name one with layer=, or unpack it and give a "
        "file in it",
        list(by_stem),
    )


def _beside(name: str, file_format: str, members: dict[str, zipfile.ZipInfo]) -> list[str]:
    wanted = SHAPEFILE if file_format == "ESRI Shapefile" else (".prj",) if file_format == "CSV" else ()
    stem = str(PurePosixPath(name).with_suffix("")).lower()
    same = [other for other in members if str(PurePosixPath(other).with_suffix("")).lower() == stem]
    return [
        other for other in same if PurePosixPath(other).suffix.lower() in {*wanted, PurePosixPath(name).suffix.lower()}
    ]


def _check_directory(path: Path, label: str) -> None:
    """Refuses a ZIP file with a long list of members, which `zipfile` reads at once."""
    with path.open("rb") as file:
        # The last record, with the longest comment and the ZIP64 locator before it.
        file.seek(max(0, path.stat().st_size - (1 << 16) - 42))
        end = file.read()
    # As `zipfile` searches: without a comment, then with one.
    start = len(end) - 22 if end[-22:-18] == b"PK\5\6" and end[-2:] == b"\0\0" else end.rfind(b"PK\5\6")
    if start < 0 or end[max(0, start - 20) : start].startswith(b"PK\6\7"):
        raise RefusedError(f"{label} is a damaged ZIP file, or one of ZIP64; unpack it, and give a file in it")
    size = int.from_bytes(end[start + 12 : start + 16], "little")
    if size > MAX_DIRECTORY_BYTES:
        raise RefusedError(f"{label} has a list of members of {size:,} bytes; at most {MAX_DIRECTORY_BYTES:,} are read")


def _check_member(label: str, member: zipfile.ZipInfo) -> None:
    if member.file_size > min(limits.MAX_BYTES, MAX_ZIP_RATIO * max(member.compress_size, 1024)):
        raise RefusedError(
            f"{label} has a member of {member.file_size:,} bytes, compressed more than {MAX_ZIP_RATIO}:1; unpack it"
        )


def _unzip(label: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """Writes as many bytes of a member as its header says."""
    _check_member(label, member)
    if target.suffix in SIDECARS:
        _check_sidecar(f"{member.filename} in {label}", member.file_size)
    with archive.open(member) as source:
        target.write_bytes(source.read(member.file_size + 1)[: member.file_size])


# GeoPackages


def _check_geopackage(label: str, copy: Path) -> None:
    """Refuses a GeoPackage whose layers are queries, or tables that run foreign code."""
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
                raise RefusedError(f"{label} is an SQLite database, but not a GeoPackage")
            _check_tables(label, kinds, described)
            for name in ("sqlite_schema", *described):
                quoted = name.replace('"', '""')
                rows = f'SELECT count(*) FROM (SELECT 1 FROM "{quoted}" LIMIT {MAX_DESCRIPTIONS + 1})'
                if database.execute(rows).fetchone()[0] > MAX_DESCRIPTIONS:
                    raise RefusedError(
                        f"{label} has more than {MAX_DESCRIPTIONS:,} rows in {name}; save the layer as a separate "
                        "GeoPackage"
                    )
            layers = [str(name).lower() for (name,) in database.execute("SELECT table_name FROM gpkg_contents")]
            _check_tables(label, kinds, layers)
            for layer in layers:
                if any(column[6] > 1 for column in database.execute("SELECT * FROM pragma_table_xinfo(?)", [layer])):
                    raise RefusedError(f"the layer {layer} of {label} has generated columns; save it without them")
    except sqlite3.Error as error:
        raise RefusedError(f"{label} is a damaged GeoPackage: {error}") from error


def _check_tables(label: str, kinds: dict[str, str], names: list[str]) -> None:
    for name in names:
        if kinds.get(name, "table") != "table":
            raise RefusedError(
                f"{name!r} of {label} is a {kinds[name]}, a query that may read anything and never end; save the layer "
                "as a separate GeoPackage"
            )
