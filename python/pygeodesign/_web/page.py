"""The HTML page of a map: data, style and programs in one file, which may load only the tiles of a basemap."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from os import PathLike
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pygeodesign import _core
from pygeodesign._html import STYLE
from pygeodesign._web.tile_file import TileFile
from pygeodesign.errors import InputError

# Files that the service's pages use, too.
FILES = ("bundled/map_page.js", "vendor/leaflet.css", "map/map.css", "vendor/LICENSE-leaflet")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{leaflet_css}</style>
<style>{css}</style>
</head>
<body class="{theme}">
<header><h1>{title}</h1>{subtitle}</header>
<main><div id="views"></div><aside><details open><summary>Legend and layers</summary>\
<div class="panel"></div></details></aside></main>
<footer>{credits}</footer>
<noscript><p class="problem">The map is drawn by the browser: it needs JavaScript.</p></noscript>
<script type="application/json" id="data">{data}</script>
<!-- {licence} -->
<script>{program}</script>
</body>
</html>
"""
LOADING = '@media (scripting: enabled) { #views:empty::before { content: "Loading the map…"; padding: 24px; } }'


class Basemap(NamedTuple):
    """A tile server: its address, its credits, and its largest zoom."""

    url: str
    credits: str
    max_zoom: int = 19

    @property
    def origin(self) -> str:
        """The servers that the page may contact, for its content security policy."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.replace('{s}', '*')}"


# The service's pages have the same names. OpenStreetMap refuses files: they do not say where they come from.
BASEMAPS = {
    name: Basemap(**row)
    for name, row in json.loads(_core._web_file("map/basemaps.json")).items()
    if name != "openstreetmap"
}
BASEMAP_FORMS = (
    f"basemap must be one of {', '.join(map(repr, BASEMAPS))}, or a file of tiles such as 'staten.mbtiles', or a pair "
    "of the address of tiles, such as 'https://tiles.example.org/{z}/{x}/{y}.png', and their credits, or a provider of "
    "xyzservices"
)


def map_page(data: dict[str, Any], texts: dict[str, Any], theme: str, basemap: Basemap | TileFile | None) -> str:
    """The page. Texts are escaped here; the data are read by `JSON.parse`, never as a program."""
    # The program includes Leaflet.
    program, leaflet_css, map_css, licence = map(_core._web_file, FILES)
    css = STYLE + map_css + LOADING
    images = f" img-src data: {basemap.origin};" if isinstance(basemap, Basemap) else " img-src data:;"
    policy = (
        f"default-src 'none';{images} script-src {_digest(program)}; "
        f"style-src {_digest(leaflet_css)} {_digest(css)}; base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(
        policy=escape(policy),
        theme=theme,
        title=escape(texts["title"]),
        subtitle=f"<p>{escape(texts['subtitle'])}</p>" if texts["subtitle"] else "",
        credits="".join(f"<p>{escape(line)}</p>" for line in texts["credits"] if line),
        data=as_json(data),
        licence=licence.replace("--", "- -"),
        leaflet_css=leaflet_css,
        program=program,
        css=css,
    )


def as_json(data: Any) -> str:
    """JSON that is safe in a script of a page: nothing in it ends the script or begins a comment."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(
        {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def in_frame(page: str, height: int, name: str) -> str:
    """The page inside a notebook's output, in a frame that can reach nothing of the notebook.

    A notebook that is not trusted leaves out the frame and shows the sentence after it.
    """
    return (
        f'<div style="position:relative;width:100%;height:{height}px">'
        '<p style="position:absolute;padding:8px;font-family:sans-serif">The map is shown in trusted notebooks: '
        "run the cell, or trust the notebook.</p>"
        f'<iframe title="{escape(name)}" sandbox="allow-scripts" srcdoc="{escape(page)}" '
        'style="position:absolute;inset:0;width:100%;height:100%;border:1px solid #8884;border-radius:4px;'
        'background:#fff"></iframe></div>'
    )


def basemap_of(given: Any) -> Basemap | TileFile | None:
    """The basemap for a caller's argument."""
    if given is None:
        return None
    if isinstance(given, PathLike) or (isinstance(given, str) and given.lower().endswith(".mbtiles")):
        return TileFile.of(given)
    if isinstance(given, str):
        if given in BASEMAPS:
            return BASEMAPS[given]
        if "{z}" in given:
            raise InputError(f"basemap also needs the credits of its tiles: basemap=({given!r}, '© …')")
        raise InputError(f"{given!r} is not a basemap: {BASEMAP_FORMS}")
    if isinstance(given, Mapping) and {"url", "attribution"} <= set(given):
        # A provider of xyzservices. It also has the other values in its address, such as a style.
        names = {name: str(value) for name, value in given.items()}
        # Its address has a text in angle brackets if a key is missing.
        url = re.sub(r"\{(\w+)\}", lambda name: _filled(name, names), names["url"])
        return _checked(Basemap(url, names["attribution"], int(given.get("max_zoom", 19))))
    if isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(part, str) for part in given):
        return _checked(Basemap(*given))
    raise InputError(f"{given!r} is not a basemap: {BASEMAP_FORMS}")


def _filled(name: re.Match[str], names: dict[str, str]) -> str:
    """A name in braces that Leaflet replaces is kept; any other is replaced."""
    if name[1] in ("x", "y", "z", "s"):
        return name[0]
    return "" if name[1] == "r" else names.get(name[1], name[0])


def _checked(basemap: Basemap) -> Basemap:
    parts = urlsplit(basemap.url)
    local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not (parts.scheme == "https" or local) or not re.fullmatch(r"[\w.:{}\[\]-]+", parts.netloc):
        raise InputError(f"the address of tiles must begin with https:// and a host, not {basemap.url!r}")
    if not all(name in basemap.url for name in ("{x}", "{y}", "{z}")):
        raise InputError(f"the address of tiles must have {{z}}, {{x}} and {{y}}, not {basemap.url!r}")
    if "<" in basemap.url:
        raise InputError(f"this provider of tiles needs your key; see its documentation: {basemap.url!r}")
    rest = set(re.findall(r"\{(\w+)\}", basemap.url)) - {"x", "y", "z", "s"}
    if rest:
        raise InputError(f"the address of tiles has no value for {', '.join(sorted(rest))}: {basemap.url!r}")
    if not basemap.credits.strip():
        raise InputError("a basemap needs credits, as the terms of its tiles require")
    return basemap
