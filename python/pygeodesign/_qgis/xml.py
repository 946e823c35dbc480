"""XML that QGIS can read, whatever texts a service has."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

# Characters that XML 1.0 cannot hold.
NOT_OF_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

PROJ4 = {
    4326: "+proj=longlat +datum=WGS84 +no_defs",
    3857: "+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +no_defs",
}
# QGIS uses another font if this one is missing.
FONT = "Open Sans"
# The code of the first UTM zone in the south.
FIRST_SOUTH = 32_701


def document(doctype: str, root: Element) -> bytes:
    """A complete file. A character that XML cannot hold becomes U+FFFD."""
    indent(root, " ")
    return (f"<!DOCTYPE {doctype}>\n" + NOT_OF_XML.sub("\ufffd", tostring(root, encoding="unicode"))).encode()


def label(text: Any) -> str:
    """A name that QGIS shows unchanged: it would evaluate `[% … %]` as an expression."""
    return str(text).replace("[%", "[\u2060%")


def options(parent: Element, values: Any, name: str | None = None) -> Element:
    """A setting in the XML of `QgsXmlUtils`: dicts, lists, strings, numbers and bools."""
    named = {} if name is None else {"name": name}
    if isinstance(values, dict):
        element = SubElement(parent, "Option", named, type="Map")
        for key, value in values.items():
            options(element, value, key)
    elif isinstance(values, list):
        element = SubElement(parent, "Option", named, type="List")
        for value in values:
            options(element, value)
    elif isinstance(values, bool):
        element = SubElement(parent, "Option", named, type="bool", value=str(values).lower())
    elif isinstance(values, int):
        element = SubElement(parent, "Option", named, type="int", value=str(values))
    else:
        element = SubElement(parent, "Option", named, type="QString", value=str(values))
    return element


def text_style(parent: Element, size: int) -> Element:
    """The style of texts, with the size in points."""
    return SubElement(
        parent,
        "text-style",
        fontFamily=FONT,
        fontSize=str(size),
        fontSizeUnit="Point",
        fontWeight="50",
        namedStyle="Regular",
        textColor="31,37,41,255",
        textOpacity="1",
        multilineHeight="1",
    )


def crs(parent: Element, epsg: int) -> None:
    """A CRS by its code: in `PROJ4`, or a UTM zone on WGS 84. QGIS does not read a code alone."""
    south = " +south" if epsg >= FIRST_SOUTH else ""
    utm = f"+proj=utm +zone={epsg % 100}{south} +datum=WGS84 +units=m +no_defs"
    system = SubElement(parent, "spatialrefsys")
    SubElement(system, "proj4").text = PROJ4.get(epsg, utm)
    SubElement(system, "srid").text = str(epsg)
    SubElement(system, "authid").text = f"EPSG:{epsg}"


def bounds(parent: Element, name: str, extent: list[float]) -> Element:
    """West, south, east and north as attributes."""
    named = zip(("xmin", "ymin", "xmax", "ymax"), extent, strict=True)
    return SubElement(parent, name, {key: repr(value) for key, value in named})
