"""The HTML page of a map: data, style and programs in one file, which may load nothing but the tiles of a basemap."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from typing import Any

from pygeodesign._web.basemaps import Basemap

# The parts of the program of a map; each uses those before it.
PROGRAM = ("data", "shapes", "tiles", "pointer", "views", "legend")
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
<script>{leaflet}</script>
<script>{program}</script>
</body>
</html>
"""


def map_page(data: dict[str, Any], texts: dict[str, Any], theme: str, basemap: Basemap | None) -> str:
    """The page. Texts are escaped here; the data are read by `JSON.parse`, never as a program."""
    leaflet, leaflet_css, licence, css = (
        page_file(name) for name in ("leaflet/leaflet.js", "leaflet/leaflet.css", "leaflet/LICENSE", "map.css")
    )
    program = "\n".join(page_file(f"map/{name}.js") for name in PROGRAM)
    images = f" img-src data: {basemap.origin};" if basemap else " img-src data:;"
    policy = (
        f"default-src 'none';{images} script-src {_digest(leaflet)} {_digest(program)}; "
        f"style-src {_digest(leaflet_css)} {_digest(css)}; base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(
        policy=html.escape(policy),
        theme=theme,
        title=html.escape(texts["title"]),
        subtitle=f"<p>{html.escape(texts['subtitle'])}</p>" if texts["subtitle"] else "",
        credits="".join(f"<p>{html.escape(line)}</p>" for line in texts["credits"] if line),
        data=as_json(data),
        licence=licence.replace("--", "- -"),
        leaflet=leaflet,
        leaflet_css=leaflet_css,
        program=program,
        css=css,
    )


def as_json(data: Any) -> str:
    """JSON that may stand in a script of a page: nothing in it ends the script or begins a comment."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(
        {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page_file(name: str) -> str:
    return files("pygeodesign").joinpath("_web", *name.split("/")).read_text(encoding="utf-8")


def in_frame(page: str, height: int, name: str) -> str:
    """The page inside a notebook's output, in a frame of its own that can reach nothing of the notebook.

    A notebook that is not trusted leaves out the frame and shows the sentence behind it.
    """
    return (
        f'<div style="position:relative;width:100%;height:{height}px">'
        '<p style="position:absolute;padding:8px;font-family:sans-serif">The map is shown in trusted notebooks: '
        "run the cell, or trust the notebook.</p>"
        f'<iframe title="{html.escape(name)}" sandbox="allow-scripts" srcdoc="{html.escape(page)}" '
        'style="position:absolute;inset:0;width:100%;height:100%;border:1px solid #8884;border-radius:4px;'
        'background:#fff"></iframe></div>'
    )
