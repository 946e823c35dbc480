"""Styles in a GeoPackage: its table `layer_styles`, from which QGIS takes how it draws a layer."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

if TYPE_CHECKING:
    from pathlib import Path

NO_COLOR = "#7a8288"
# As QGIS makes it when it saves a style in a GeoPackage.
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
    """How one kind of geometry is drawn: the symbol in QGIS, which of its properties are the colour, and the others."""

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


def add_style(path: Path, layer: str, geometry: str, frame: Any) -> None:
    """Add a style that shows each system in its colour, if the rows of the frame belong to systems."""
    if not {"sysid", "color"} <= set(frame.columns):
        return
    qml = tostring(_qml(frame), encoding="unicode")
    with closing(sqlite3.connect(path)) as package, package:
        package.execute(TABLE)
        package.execute(CONTENT)
        package.execute(STYLE, (layer, geometry, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n" + qml))


def _qml(frame: Any) -> Element:
    """Rules, because in QGIS categories have symbols for one kind of geometry, and a project has areas and lines."""
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
    """For each system, kind of diagram and kind of geometry: label, filter, look and colour."""
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
                texts = [label, *(["policies"] if is_policy else []), *(["lines"] if kind == "Line" else [])]
                yield ", ".join(texts), expression, looks[kind], color


def _rgba(colors: list[Any]) -> str:
    """A colour as QGIS writes it; grey where it is none."""
    color = str(colors[0]) if colors else ""
    color = color if re.fullmatch("#[0-9a-fA-F]{6}", color) else NO_COLOR
    return ",".join(str(int(color[at : at + 2], 16)) for at in (1, 3, 5)) + ",255"
