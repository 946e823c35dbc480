"""Basemaps: tiles that a browser loads from a server, only if a map is to have some."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pygeodesign.errors import InputError


class Basemap(NamedTuple):
    """Where tiles are from, what must be said of them, and the largest zoom that the server has."""

    url: str
    credits: str
    max_zoom: int = 19

    @property
    def origin(self) -> str:
        """The servers that the page may ask, for its content security policy."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.replace('{s}', '*')}"


# They answer without a key, and without the name of a page that asks, which a file on a disk does not have.
ESRI = "https://server.arcgisonline.com/ArcGIS/rest/services/{}/MapServer/tile/{{z}}/{{y}}/{{x}}"
BASEMAPS = {
    "streets": Basemap(ESRI.format("World_Street_Map"), "Esri, HERE, Garmin, USGS, NGA, OpenStreetMap contributors"),
    "light": Basemap(
        ESRI.format("Canvas/World_Light_Gray_Base"), "Esri, HERE, Garmin, © OpenStreetMap contributors", 16
    ),
    "dark": Basemap(ESRI.format("Canvas/World_Dark_Gray_Base"), "Esri, HERE, Garmin, © OpenStreetMap contributors", 16),
    "topography": Basemap(
        "https://{s}.tile.opentopomap.org/{z}/{x}/{y}.png", "© OpenStreetMap contributors, SRTM, © OpenTopoMap", 15
    ),
    "satellite": Basemap(
        ESRI.format("World_Imagery"), "Esri, Maxar, Earthstar Geographics, and the GIS User Community"
    ),
}
FORMS = (
    f"basemap is one of {', '.join(map(repr, BASEMAPS))}, or a pair of the address of tiles, such as "
    "'https://tiles.example.org/{z}/{x}/{y}.png', and their credits, or a provider of xyzservices"
)


def basemap_of(given: Any) -> Basemap | None:
    """The basemap that a caller means."""
    if given is None:
        return None
    if isinstance(given, str):
        if given in BASEMAPS:
            return BASEMAPS[given]
        if "{z}" in given:
            raise InputError(f"basemap needs the credits of its tiles too: basemap=({given!r}, '© …')")
        raise InputError(f"{given!r} is no basemap: {FORMS}")
    if isinstance(given, Mapping) and {"url", "attribution"} <= set(given):
        # A provider of xyzservices. It names what else stands in its address, such as a style.
        names = {name: str(value) for name, value in given.items()}
        # Its address has a text in angle brackets where a key is missing.
        url = re.sub(r"\{(\w+)\}", lambda name: _filled(name, names), names["url"])
        return _checked(Basemap(url, names["attribution"], int(given.get("max_zoom", 19))))
    if isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(part, str) for part in given):
        return _checked(Basemap(*given))
    raise InputError(f"{given!r} is no basemap: {FORMS}")


def _filled(name: re.Match[str], names: dict[str, str]) -> str:
    """A name in braces that Leaflet replaces stays; another is replaced."""
    if name[1] in ("x", "y", "z", "s"):
        return name[0]
    return "" if name[1] == "r" else names.get(name[1], name[0])


def _checked(basemap: Basemap) -> Basemap:
    parts = urlsplit(basemap.url)
    local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not (parts.scheme == "https" or local) or not re.fullmatch(r"[\w.:{}\[\]-]+", parts.netloc):
        raise InputError(f"the address of tiles begins with https:// and a host, not {basemap.url!r}")
    if not all(name in basemap.url for name in ("{x}", "{y}", "{z}")):
        raise InputError(f"the address of tiles has {{z}}, {{x}} and {{y}}, unlike {basemap.url!r}")
    if "<" in basemap.url:
        raise InputError(f"this provider of tiles needs a key of yours, as its documentation says: {basemap.url!r}")
    rest = set(re.findall(r"\{(\w+)\}", basemap.url)) - {"x", "y", "z", "s"}
    if rest:
        raise InputError(f"the address of tiles has no value for {', '.join(sorted(rest))}: {basemap.url!r}")
    if not basemap.credits.strip():
        raise InputError("a basemap has credits, which the terms of its tiles ask for")
    return basemap
