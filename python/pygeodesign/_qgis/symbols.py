"""The style of a layer in QGIS: renderers and symbols in the colours of systems and of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from pygeodesign._core import _evaluation_color
from pygeodesign._evaluation_classes import EVALUATION_CLASSES, class_word
from pygeodesign._looks import NO_COLOR, hex_color
from pygeodesign._qgis.xml import label, options

HALF, WHOLE = 128, 255
# Keys of data-defined properties of QGIS (`QgsSymbolLayer::Property`), and their type "expression".
OUTLINE_STYLE, FILL_STYLE, LINE_STYLE, FILL_COLOR = "outlineStyle", "fillStyle", "lineStyle", "fillColor"
EXPRESSION = 3
IS_POLICY = "\"type\" = 'policy'"
WHITE = "#ffffff"
BOUNDARY_COLOR = "#1f2529"
CONSTRAINTS_COLOR = "#5b6369"


class Category(NamedTuple):
    """The rows of a layer that have a value; an empty string for all others."""

    value: str
    name: str
    color: str


def rgba(color: str, alpha: int = WHOLE) -> str:
    """A colour `#rrggbb` as QGIS writes it."""
    return ",".join(str(int(color[at : at + 2], 16)) for at in (1, 3, 5)) + f",{alpha}"


def of_systems(systems: Iterable[tuple[int, str, str]]) -> list[Category]:
    """Categories by `sysid`, from the id, name and colour of each system."""
    found = [Category(str(sysid), name, hex_color(color) or NO_COLOR) for sysid, name, color in systems]
    return [*found, Category("", "Other systems", NO_COLOR)]


def of_classes(colors: Mapping[str, str]) -> list[Category]:
    """Categories by `areatype`, from where change is least wanted to where it is most.

    Args:
        colors: The classes' colours in the map. Other classes have the project's colours.
    """
    names = [*EVALUATION_CLASSES, *sorted(colors.keys() - set(EVALUATION_CLASSES))]
    found = [Category(name, class_word(name), hex_color(colors.get(name)) or _evaluation_color(name)) for name in names]
    return [*found, Category("", "other classes", _evaluation_color(""))]


def categorized(layer: Element, field: str, categories: Iterable[Category], kind: str) -> None:
    """Draws each category in its colour; `kind` is `systems`, `points`, `lines` or `classes`."""
    renderer = SubElement(layer, "renderer-v2", type="categorizedSymbol", attr=field, symbollevels="0", forceraster="0")
    listed, symbols = SubElement(renderer, "categories"), SubElement(renderer, "symbols")
    for number, category in enumerate(categories):
        SubElement(
            listed, "category", value=category.value, label=label(category.name), symbol=str(number), render="true"
        )
        match kind:
            case "points":
                _point(symbols, str(number), category.color)
            case "lines":
                _line(symbols, str(number), category.color)
            case "systems":
                _area(symbols, str(number), category.color)
            case _:
                _class(symbols, str(number), category.color)


def outline(layer: Element) -> None:
    """Draws the study area as a line around it."""
    symbols = _single(layer)
    values = {"style": "no", "outline_color": rgba(BOUNDARY_COLOR), "outline_width": "0.6"}
    _symbol_layer(_symbol(symbols, "0", "fill"), "SimpleFill", values)


def hatched(layer: Element) -> None:
    """Draws the constraints as lines through the land, which keep the layers below visible."""
    symbol = _symbol(_single(layer), "0", "fill")
    color = rgba(CONSTRAINTS_COLOR)
    hatch = _symbol_layer(symbol, "LinePatternFill", {"angle": "45", "distance": "2", "color": color})
    line = {"line_color": color, "line_width": "0.2"}
    _symbol_layer(_symbol(hatch, "@0@0", "line"), "SimpleLine", line)
    _symbol_layer(symbol, "SimpleFill", {"style": "no", "outline_color": color, "outline_width": "0.2"})


def _single(layer: Element) -> Element:
    renderer = SubElement(layer, "renderer-v2", type="singleSymbol", symbollevels="0", forceraster="0")
    return SubElement(renderer, "symbols")


def _area(symbols: Element, name: str, color: str) -> None:
    """Draws a project filled, a policy with a dashed edge, as in this package's GeoPackages."""
    values = {"color": rgba(color, HALF), "style": "solid", "outline_color": rgba(color), "outline_width": "0.4"}
    policies = {FILL_STYLE: ("no", "solid"), OUTLINE_STYLE: ("dash", "solid")}
    _symbol_layer(_symbol(symbols, name, "fill"), "SimpleFill", values, policies)


def _line(symbols: Element, name: str, color: str) -> None:
    values = {"line_color": rgba(color), "line_width": "0.7", "line_style": "solid"}
    _symbol_layer(_symbol(symbols, name, "line"), "SimpleLine", values, {LINE_STYLE: ("dash", "solid")})


def _point(symbols: Element, name: str, color: str) -> None:
    """Draws a project's points filled, a policy's as rings."""
    values = {"name": "circle", "color": rgba(color), "outline_color": rgba(color), "outline_width": "0.4", "size": "3"}
    policies = {FILL_COLOR: (rgba(WHITE), rgba(color))}
    _symbol_layer(_symbol(symbols, name, "marker"), "SimpleMarker", values, policies)


def _class(symbols: Element, name: str, color: str) -> None:
    values = {"color": rgba(color), "style": "solid", "outline_style": "no"}
    _symbol_layer(_symbol(symbols, name, "fill"), "SimpleFill", values)


def _symbol(parent: Element, name: str, kind: str) -> Element:
    return SubElement(parent, "symbol", name=name, type=kind, alpha="1", clip_to_extent="1", force_rhr="0")


def _symbol_layer(
    symbol: Element, kind: str, values: dict[str, str], policies: dict[str, tuple[str, str]] | None = None
) -> Element:
    """Adds a layer to a symbol. `policies` has the values of some properties for a policy and for a project."""
    layer = SubElement(symbol, "layer", {"class": kind, "enabled": "1", "locked": "0", "pass": "0"})
    options(layer, values)
    if policies:
        properties = {
            name: {"active": True, "expression": f"if({IS_POLICY}, '{dashed}', '{other}')", "type": EXPRESSION}
            for name, (dashed, other) in policies.items()
        }
        defined = SubElement(layer, "data_defined_properties")
        options(defined, {"name": "", "properties": properties, "type": "collection"})
    return layer
