"""Writes files with GDAL and GeoPandas: `FeatureCollection.to_file`, except for GeoJSON; styles go into GeoPackages."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Set
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from pygeodesign._csv import without_formulas
from pygeodesign._looks import NO_COLOR, hex_color
from pygeodesign._qgis.symbols import rgba
from pygeodesign.errors import InputError

FORMATS = {
    ".geojson": "GeoJSON",
    ".json": "GeoJSON",
    ".gpkg": "GeoPackage",
    ".parquet": "GeoParquet",
    ".geoparquet": "GeoParquet",
    ".fgb": "FlatGeobuf",
    ".shp": "Shapefile",
    ".kml": "KML",
    ".csv": "CSV",
    ".xlsx": "Excel",
}

# The formats' limits.
MAX_SHAPEFILE_NAME = 10
MAX_SHAPEFILE_TEXT = 254
MAX_EXCEL_TEXT = 32_767
# Below -1e38, which marks missing data in Shapefiles.
NO_HEIGHT = -1e39
MAX_EXCEL_ROWS = 1_048_575
# Characters that XML cannot hold (XML 1.0, 2.2 and 2.11), that end strings in other formats or pad them in DBF files.
NOT_IN_XML = re.compile("\r\n?|[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
NOT_IN_TEXT = re.compile("\x00")
NOT_IN_DBF = re.compile("\x00|^ +| +$")
NOT_IN = {".kml": NOT_IN_XML, ".xlsx": NOT_IN_XML, ".shp": NOT_IN_DBF}
# These drivers write on closing, and pyogrio does not report errors then.
CLOSE_IN_SILENCE = {"FlatGeobuf", "LIBKML"}
# GDAL takes columns with these names for parts of KML, whatever their contents.
KML_NAMES = {
    *("id", "name", "timestamp", "begin", "end", "altitudemode", "tessellate", "extrude"),
    *("visibility", "draworder", "icon"),
}
SHAPEFILE_KINDS = {"polygons": ("Polygon", "MultiPolygon"), "lines": ("LineString", "MultiLineString", "LinearRing")}
SHAPEFILE_KINDS |= {"points": ("Point",), "multipoints": ("MultiPoint",)}


def known_ending(path: Path) -> str:
    """The extension of a path, in lower case; `InputError` if no format has it."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        said = f"no format has the extension {path.suffix!r}" if ending else "the path has no extension"
        known = ", ".join(f"{known} ({name})" for known, name in FORMATS.items())
        raise InputError(f"{path}: {said}; choose one of {known}")
    return ending


def write(frame: Any, ending: str, path: Path, escape_formulas: bool) -> None:
    """Writes all rows to `path` and, for formats of several files, to files next to it."""
    notes: list[str] = []
    if ending not in (".parquet", ".geoparquet"):
        frame = _with_allowed_characters(frame, notes, NOT_IN.get(ending, NOT_IN_TEXT))
    match ending:
        case ".parquet" | ".geoparquet":
            frame.to_parquet(path)
        case ".gpkg":
            _write_geopackage(frame, path, notes)
        case ".fgb":
            frame = _with_heights_of_one_kind(frame, notes)
            frame = _with_heights_of_all(frame, float("nan"))
            # The spatial index cannot hold rows without geometry.
            _write(frame, path, "FlatGeobuf", SPATIAL_INDEX="NO" if frame.geometry.isna().any() else "YES")
        case ".shp":
            _write_shapefiles(frame, path, notes)
        case ".kml":
            _write_kml(frame, path, notes)
        case ".csv":
            frame = _with_names(frame, notes, reserved={"wkt"})
            frame = without_formulas(frame) if escape_formulas else frame
            _write(frame, path, "CSV", GEOMETRY="AS_WKT", CREATE_CSVT="YES")
        case ".xlsx":
            _write_excel(frame, path, notes)
    for note in notes:
        warnings.warn(note, stacklevel=2)


def _write(frame: Any, path: Path, driver: str, **options: str) -> None:
    import pyogrio

    kinds: dict[str, str] = {}
    if hasattr(frame, "geometry") and not frame.geometry.notna().any():
        # No type can be inferred without a geometry.
        kinds["geometry_type"] = "Unknown"
    # By default, GDAL would name the layer after its file, which is a draft here.
    pyogrio.write_dataframe(frame, path, driver=driver, layer=path.stem, layer_options=options, use_arrow=True, **kinds)
    if driver in CLOSE_IN_SILENCE and not _is_whole(path, len(frame)):
        raise OSError(f"{path.name} could not be written completely; is the disk full?")


def _is_whole(path: Path, rows: int) -> bool:
    """True if a file can be read to its last row."""
    import pyogrio

    try:
        return len(pyogrio.read_dataframe(path, columns=[])) == rows
    except (RuntimeError, ValueError):
        # The errors by which pyogrio and shapely report unreadable data.
        return False


def _write_geopackage(frame: Any, path: Path, notes: list[str]) -> None:
    # Names for the columns that GDAL adds, which no property has.
    taken = {str(name).lower() for name in frame.columns}
    own = {option: _free_name(name, taken) for option, name in (("FID", "fid"), ("GEOMETRY_NAME", "geom"))}
    frame = _with_names(frame, notes)
    _write(frame, path, "GPKG", **own)
    _add_style(path, path.stem, own["GEOMETRY_NAME"], frame)


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _write_kml(frame: Any, path: Path, notes: list[str]) -> None:
    frame = _with_names(frame, notes, reserved=KML_NAMES)
    if "description" in frame.columns:
        frame = frame.assign(Name=frame["description"])
    # KML has no wider integers: the driver would write them as strings.
    small = {
        name: "int32"
        for name, column in frame.select_dtypes("int64").items()
        if column.between(-(2**31), 2**31 - 1).all()
    }
    _write(frame.astype(small), path, "LIBKML")


def _write_excel(frame: Any, path: Path, notes: list[str]) -> None:
    import pandas as pd

    if len(frame) > MAX_EXCEL_ROWS:
        raise InputError(f"{path.name}: an Excel sheet has {MAX_EXCEL_ROWS:,} rows, not {len(frame):,}; write .csv")
    frame = _with_names(frame, notes, reserved={"wkt"})
    table = pd.DataFrame(frame.drop(columns=frame.geometry.name))
    table = _with_short_texts(table, notes, MAX_EXCEL_TEXT, len, lambda text: text[:MAX_EXCEL_TEXT], "characters")
    wkt = frame.geometry.to_wkt()
    long = wkt.str.len() > MAX_EXCEL_TEXT
    if long.any():
        notes.append(
            f"an Excel cell holds at most {MAX_EXCEL_TEXT:,} characters, so the geometries of {_rows(long)} are left "
            "out; the other formats hold them"
        )
    table["WKT"] = wkt.mask(long)
    _write(table, path, "XLSX")


def _write_shapefiles(frame: Any, path: Path, notes: list[str]) -> None:
    import pandas as pd
    import pyarrow

    table = _with_names(frame, notes, max_bytes=MAX_SHAPEFILE_NAME)
    for name, column in table.select_dtypes("datetime").items():
        # A shapefile's field is a date or a string.
        whole_days = (column.dropna() == column.dropna().dt.normalize()).all()
        texts = column.map(lambda time: time.isoformat(), na_action="ignore").astype("str")
        table[name] = column.dt.date.astype(pd.ArrowDtype(pyarrow.date32())) if whole_days else texts
    table = _with_short_texts(
        table,
        notes,
        MAX_SHAPEFILE_TEXT,
        lambda text: len(text.encode()),
        lambda text: text.encode()[:MAX_SHAPEFILE_TEXT].decode(errors="ignore"),
        "bytes",
    )
    table = _with_heights_of_all(table, NO_HEIGHT)
    collections = table.geom_type == "GeometryCollection"
    # Collections may hold collections.
    while (nested := table.geom_type == "GeometryCollection").any():
        table = pd.concat([table[~nested], table[nested].explode()]).sort_index(kind="stable")
    kinds = {kind: table.geom_type.isin(types) for kind, types in SHAPEFILE_KINDS.items()}
    present = [kind for kind, chosen in kinds.items() if chosen.any()] or ["polygons"]
    # A shapefile of any kind may hold rows without geometry.
    kinds[present[0]] |= table.geometry.isna()
    several = len(present) > 1
    paths = {kind: path.with_stem(f"{path.stem}-{kind}") if several else path for kind in present}
    if several:
        notes.append(
            f"a shapefile has geometries of one kind, so the rows are in {', '.join(to.name for to in paths.values())}"
            + ("; rows without geometry are in the first of them" if table.geometry.isna().any() else "")
            + (
                f"; each part of the geometry collections of {_rows(collections)} has a row"
                if collections.any()
                else ""
            )
        )
    for kind, to in paths.items():
        _write(table[kinds[kind]], to, "ESRI Shapefile", ENCODING="UTF-8")


def _with_heights_of_one_kind(frame: Any, notes: list[str]) -> Any:
    """The frame without heights if it has several kinds of geometry; a note says so."""
    import shapely

    has_height = frame.geometry.has_z
    if not has_height.any() or frame.geom_type.dropna().str.removeprefix("Multi").nunique() == 1:
        return frame
    notes.append(
        f"the format holds heights of only one kind of geometry, so those of {_rows(has_height)} are left out; "
        "GeoPackage holds them"
    )
    return frame.set_geometry(shapely.force_2d(frame.geometry.to_numpy()), crs=frame.crs)


def _with_heights_of_all(frame: Any, none: float) -> Any:
    """The frame with a height in all rows or in none, as some formats require; `none` stands for no height."""
    import numpy as np
    import shapely

    shapes, has_height = frame.geometry.to_numpy(), frame.geometry.has_z.to_numpy()
    if not has_height.any():
        return frame

    def without(positions: Any) -> Any:
        return np.column_stack([positions[:, :2], np.full(len(positions), none)])

    flat = shapely.transform(shapely.force_3d(shapes[~has_height]), without, include_z=True)
    raised = shapes.copy()
    raised[~has_height] = flat
    return frame.set_geometry(raised, crs=frame.crs)


def _with_allowed_characters(frame: Any, notes: list[str], unallowed: re.Pattern[str]) -> Any:
    """The frame without characters that the format forbids: control characters become spaces; a note names the rows."""

    def replaced(match: re.Match[str]) -> str:
        return "\n" if match[0].startswith("\r") else "" if match[0].startswith(" ") else " "

    for name, column in frame.select_dtypes(["object", "str"]).items():
        found = column.map(lambda value: unallowed.search(value) if isinstance(value, str) else None)
        rows = found.notna()
        if rows.any():
            marks = {
                "spaces at the ends" if match[0][0] == " " else f"U+{ord(match[0][0]):04X}" for match in found[rows]
            }
            notes.append(f"{name}: the format cannot hold {', '.join(sorted(marks))}; replaced in {_rows(rows)}")
            frame = frame.assign(
                **{name: column.mask(rows, column[rows].map(lambda text: unallowed.sub(replaced, text)))}
            )
    return frame


def _with_names(frame: Any, notes: list[str], max_bytes: int | None = None, reserved: Set[str] = frozenset()) -> Any:
    """The frame with column names that differ in more than case, are not reserved, and are short enough."""
    renamed: dict[str, str] = {}
    taken = set(reserved)
    for name in frame.columns.drop(frame.geometry.name):
        new, count = _cut(name, max_bytes), 1
        while new.lower() in taken:
            count += 1
            end = f"_{count}"
            new = _cut(name, max_bytes and max_bytes - len(end)) + end
        taken.add(new.lower())
        if new != name:
            renamed[name] = new
    if renamed:
        notes.append(
            "the format does not allow some names, so columns are renamed: "
            + ", ".join(map(" → ".join, renamed.items()))
        )
    return frame.rename(columns=renamed)


def _cut(name: str, max_bytes: int | None) -> str:
    return name if max_bytes is None else name.encode()[:max_bytes].decode(errors="ignore")


def _with_short_texts(
    table: Any, notes: list[str], limit: int, size: Callable[[str], int], cut: Callable[[str], str], unit: str
) -> Any:
    """The table with long strings cut; a note says so."""
    for name, column in table.select_dtypes(["object", "str"]).items():
        texts = column.map(lambda value: isinstance(value, str) and size(value) > limit)
        long = texts.fillna(False).astype(bool)
        if long.any():
            notes.append(f"{name}: the format holds at most {limit:,} {unit}, so the texts of {_rows(long)} are cut")
            table = table.assign(**{name: column.mask(long, column[long].map(cut))})
    return table


def _rows(chosen: Any) -> str:
    """The chosen rows, by number."""
    numbers = [str(row) for row, wanted in enumerate(chosen) if wanted]
    shown = ", ".join(numbers[:5]) + (" …" if len(numbers) > 5 else "")
    return f"row {shown}" if len(numbers) == 1 else f"{len(numbers)} rows ({shown})"


# The style: a row of the table `layer_styles`, from which QGIS reads a layer's style.

# As QGIS creates it when it saves a style in a GeoPackage.
TABLE = """
CREATE TABLE layer_styles (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  f_table_catalog TEXT(256), f_table_schema TEXT(256), f_table_name TEXT(256), f_geometry_column TEXT(256),
  styleName TEXT(30), styleQML TEXT, styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30),
  update_time DATETIME DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)
"""
CONTENT = """
INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('layer_styles', 'attributes', 'layer_styles')
"""
STYLE = """
INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName, styleQML,
  useAsDefault, description) VALUES ('', '', ?, ?, 'Systems', ?, 1, 'Each system in its colour; policies are dashed')
"""


class _Look(NamedTuple):
    """The style of one kind of geometry: the symbol in QGIS, its properties that take the colour, and the others."""

    symbol: str
    layer: str
    colors: tuple[str, ...]
    others: dict[str, str]


PROJECT_LOOKS = {
    "Polygon": _Look("fill", "SimpleFill", ("color",), {"outline_color": "255,255,255,255", "outline_width": "0.2"}),
    "Line": _Look("line", "SimpleLine", ("line_color",), {"line_width": "0.7"}),
    "Point": _Look("marker", "SimpleMarker", ("color",), {"outline_color": "255,255,255,255", "size": "3"}),
}
POLICY_LOOKS = PROJECT_LOOKS | {
    "Polygon": _Look(
        "fill",
        "SimpleFill",
        ("color", "outline_color"),
        {"style": "no", "outline_style": "dash", "outline_width": "0.5"},
    ),
    "Line": _Look("line", "SimpleLine", ("line_color",), {"line_width": "0.7", "line_style": "dash"}),
}


def _add_style(path: Path, layer: str, geometry: str, frame: Any) -> None:
    """Adds a style that shows each system in its colour, if the frame's rows belong to systems."""
    if not {"sysid", "color"} <= set(frame.columns):
        return
    import sqlite3

    qml = tostring(_qml(frame), encoding="unicode")
    with closing(sqlite3.connect(path)) as package, package:
        package.execute(TABLE)
        package.execute(CONTENT)
        package.execute(STYLE, (layer, geometry, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n" + qml))


def _qml(frame: Any) -> Element:
    """The style as rules: QGIS categories have symbols for one kind of geometry, but a project has areas and lines."""
    root = Element("qgis", version="3.22", styleCategories="Symbology")
    renderer = SubElement(
        root, "renderer-v2", type="RuleRenderer", symbollevels="0", enableorderby="0", forceraster="0"
    )
    rules, symbols = SubElement(renderer, "rules", key="root"), SubElement(renderer, "symbols")
    for number, (label, expression, look, color) in enumerate(_rules(frame)):
        SubElement(rules, "rule", key=f"rule{number}", symbol=str(number), label=label, filter=expression)
        symbol = SubElement(symbols, "symbol", name=str(number), type=look.symbol, alpha="0.85")
        layer = SubElement(symbol, "layer", {"class": look.layer, "enabled": "1", "locked": "0", "pass": "0"})
        options = SubElement(layer, "Option", type="Map")
        for name, value in {**dict.fromkeys(look.colors, color), **look.others}.items():
            SubElement(options, "Option", name=name, value=value, type="QString")
    return root


def _rules(frame: Any) -> Iterator[tuple[str, str, _Look, str]]:
    """Label, filter, look and colour for each system, kind of diagram and kind of geometry."""
    shown = frame[frame.geometry.notna()]
    kinds = shown.geom_type.str.replace("Multi", "").map({"Polygon": "Polygon", "LineString": "Line", "Point": "Point"})
    policy = (shown["areatype"] == "policy") if "areatype" in shown.columns else kinds.isna()
    for sysid, system in shown.groupby("sysid", dropna=False):
        name = system["sysname"].dropna().iloc[:1].to_list() if "sysname" in system.columns else []
        label = str(name[0]) if name else (f"System {sysid:.0f}" if sysid == sysid else "No system")
        belongs = f'"sysid" = {sysid:.0f}' if sysid == sysid else '"sysid" IS NULL'
        color = _rgba(system["color"].dropna().iloc[:1].to_list())
        for is_policy, looks in ((False, PROJECT_LOOKS), (True, POLICY_LOOKS)):
            chosen = kinds[system.index][policy[system.index] == is_policy]
            for kind in sorted(chosen.dropna().unique(), reverse=True):
                expression = f"{belongs} AND geometry_type($geometry) = '{kind}'"
                if "areatype" in shown.columns:
                    expression += " AND coalesce(\"areatype\", '') " + ("=" if is_policy else "<>") + " 'policy'"
                shapes = {"Line": ["lines"], "Point": ["points"]}.get(kind, [])
                yield ", ".join([label, *(["policies"] if is_policy else []), *shapes]), expression, looks[kind], color


def _rgba(colors: list[Any]) -> str:
    """A colour as QGIS writes it; grey if there is none."""
    return rgba((hex_color(colors[0]) if colors else None) or NO_COLOR)
