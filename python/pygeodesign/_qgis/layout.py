"""A print layout of QGIS: A3 landscape with map, title, legend, scale bar, north arrow and date."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

from pygeodesign._qgis import xml

# Millimetres: the page, and left, top, width and height of its parts.
PAGE = (420, 297)
TITLE = (10, 8, 400, 14)
MAP = (10, 26, 318, 261)
LEGEND = (334, 26, 76, 200)
SCALE_BAR = (334, 252, 76, 14)
NORTH = (334, 226, 16, 20)
DATE = (334, 272, 76, 15)
# The margin around the study area, as a share of the map's width and height.
MARGIN = 0.04
# Numbers of the kinds of items (`QgsLayoutItemRegistry::ItemType`).
PAGE_ITEM, MAP_ITEM, PICTURE_ITEM, LABEL_ITEM, LEGEND_ITEM, SCALE_BAR_ITEM = 65638, 65639, 65640, 65641, 65642, 65646
TRUE_NORTH = 1
# Parts of the scale bar, and their share of the width of the map.
PARTS, PART_SHARE = 2, 0.08


def add_layout(parent: Element, epsg: int, extent: list[float], layers: Iterable[tuple[str, str]]) -> None:
    """Adds the layout to the `Layouts` of a project.

    Args:
        parent: The element to add to.
        epsg: The coordinate reference system of the map, in metres.
        extent: West, south, east and north of the study area in that system.
        layers: Ids and names of the layers in the legend.
    """
    layout = SubElement(parent, "Layout", name="A3", units="mm", printResolution="300", worldFileMap="")
    pages = SubElement(layout, "PageCollection")
    page = SubElement(pages, "symbol", name="", type="fill", alpha="1", clip_to_extent="1", force_rhr="0")
    fill = SubElement(page, "layer", {"class": "SimpleFill", "enabled": "1", "locked": "0", "pass": "0"})
    xml.options(fill, {"color": "255,255,255,255", "style": "solid", "outline_style": "no"})
    _item(pages, PAGE_ITEM, "page", (0, 0, *PAGE))
    shown = around(extent, MAP[2] / MAP[3])
    picture = {"file": "arrows/NorthArrow_02.svg", "mode": "2", "resizeMode": "0", "anchorPoint": "4"}
    picture |= {"svgFillColor": "31,37,41,255", "svgBorderColor": "31,37,41,255", "svgBorderWidth": "0.2"}
    # QGIS draws the items in the order of their heights, and lists the last one first.
    _item(layout, PICTURE_ITEM, "north arrow", NORTH, mapUuid=_id("map"), northMode=str(TRUE_NORTH), **picture)
    _scale_bar(layout, shown)
    _legend(layout, layers)
    note = "Policies have a dashed edge.\n[% format_date(now(), 'yyyy-MM-dd') %]"
    _label(layout, "date", DATE, note, size=10, bold=False)
    # The project's title, which is a string and no expression.
    _label(layout, "title", TITLE, "[% @project_title %]", size=26, bold=True)
    drawn = _item(layout, MAP_ITEM, "map", MAP, frame="true", background="true", keepLayerSet="false", mapFlags="0")
    xml.bounds(drawn, "Extent", shown)
    xml.crs(SubElement(drawn, "crs"), epsg)


def around(extent: list[float], ratio: float) -> list[float]:
    """The bounds of a map that shows an extent with a margin, with this ratio of width to height."""
    west, south, east, north = extent
    height = max(north - south, (east - west) / ratio, 1.0) * (1 + 2 * MARGIN)
    x, y, width = (west + east) / 2, (south + north) / 2, height * ratio
    return [x - width / 2, y - height / 2, x + width / 2, y + height / 2]


def _scale_bar(layout: Element, shown: list[float]) -> None:
    kilometres = (shown[2] - shown[0]) / 1000
    part = _round_number(kilometres * PART_SHARE)
    bar = _item(
        layout,
        SCALE_BAR_ITEM,
        "scale bar",
        SCALE_BAR,
        mapUuid=_id("map"),
        style="Single Box",
        unitType="km",
        unitLabel="km",
        numSegments=str(PARTS),
        numSegmentsLeft="0",
        numUnitsPerSegment=repr(part),
        numMapUnitsPerScaleBarUnit="1",
        segmentSizeMode="0",
        segmentMillimeters=repr(part / kilometres * MAP[2]),
        height="2.5",
        labelBarSpace="1.5",
        boxContentSpace="0",
        outlineWidth="0.2",
        alignment="0",
        minBarWidth="20",
        maxBarWidth="70",
    )
    xml.text_style(bar, 9)


def _round_number(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= value * (1 + 1e-9))


def _legend(layout: Element, layers: Iterable[tuple[str, str]]) -> None:
    legend = _item(
        layout,
        LEGEND_ITEM,
        "legend",
        LEGEND,
        map_uuid=_id("map"),
        resizeToContents="1",
        columnCount="1",
        symbolWidth="7",
        symbolHeight="4",
        lineSpacing="1",
        wrapChar="",
        legendFilterByMap="1",
        boxSpace="0",
    )
    styles = SubElement(legend, "styles")
    for name, margin, size in (("group", 3, 11), ("subgroup", 4, 11), ("symbol", 1.5, 9), ("symbolLabel", 1.5, 9)):
        style = SubElement(styles, "style", name=name, alignment="1", indent="0", marginTop=str(margin))
        if name == "subgroup":
            style.set("marginBottom", "1.5")
        if name == "symbolLabel":
            style.set("marginLeft", "2")
        _font(SubElement(style, "styleFont"), size, bold=name == "subgroup")
    tree = SubElement(legend, "layer-tree-group", name="", expanded="1", checked="Qt::Checked")
    for key, name in layers:
        node = SubElement(tree, "layer-tree-layer", id=key, name=name, expanded="1", checked="Qt::Checked")
        node.set("providerKey", "OAPIF")


def _label(
    layout: Element, name: str, place: tuple[float, float, float, float], text: str, size: float, bold: bool
) -> None:
    # Qt::AlignLeft, Qt::AlignTop.
    aligned = {"halign": "1", "valign": "32", "marginX": "0", "marginY": "0", "htmlState": "0"}
    item = _item(layout, LABEL_ITEM, name, place, labelText=text, **aligned)
    _font(SubElement(item, "LabelFont"), size, bold)
    SubElement(item, "FontColor", red="31", green="37", blue="41", alpha="255")


def _font(element: Element, size: float, bold: bool) -> None:
    """A font as `QFont::toString` writes it."""
    element.set("description", f"{xml.FONT},{size:g},-1,5,{75 if bold else 50},0,0,0,0,0")
    element.set("style", "Bold" if bold else "Regular")


def _item(parent: Element, kind: int, name: str, place: tuple[float, float, float, float], **more: str) -> Element:
    left, top, width, height = place
    heights = {"map": "1", "title": "2", "date": "3", "legend": "4", "scale bar": "5", "north arrow": "6"}
    common = {
        "type": str(kind),
        "id": "" if kind == PAGE_ITEM else name,
        "uuid": _id(name),
        "templateUuid": _id(name),
        "position": f"{left},{top},mm",
        "positionOnPage": f"{left},{top},mm",
        "size": f"{width},{height},mm",
        "zValue": heights.get(name, "0"),
        "referencePoint": "0",
        "opacity": "1",
        "visibility": "1",
        "frame": "false",
        "background": "true" if kind == PAGE_ITEM else "false",
        "outlineWidthM": "0.3,mm",
    }
    item = SubElement(parent, "LayoutItem", common | more)
    SubElement(item, "FrameColor", red="31", green="37", blue="41", alpha="255")
    SubElement(item, "BackgroundColor", red="255", green="255", blue="255", alpha="255")
    return item


def _id(name: str) -> str:
    """The id of an item, unique within a layout."""
    return f"{{{uuid.uuid5(uuid.NAMESPACE_URL, name)}}}"
