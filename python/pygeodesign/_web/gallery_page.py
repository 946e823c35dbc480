"""The HTML of a gallery: a grid of small pictures."""

from __future__ import annotations

import hashlib
import html
from typing import TYPE_CHECKING, Any

import pandas as pd

from pygeodesign._pictures.shown import map_rows
from pygeodesign._pictures.theme import Theme, visible
from pygeodesign._pictures.units import Units
from pygeodesign._web.facts import fact_lines, known
from pygeodesign._web.page import page_file
from pygeodesign._web.thumbnails import Paper, outline_symbol, picture

if TYPE_CHECKING:
    from pygeodesign.types import System

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>html, body {{ margin: 0; background: {paper} }}</style>
</head>
<body>{gallery}</body>
</html>
"""


def gallery_html(
    rows: Any, outline: Any, texts: tuple[str, str, str], colors: Theme, units: Units, currency: str
) -> str:
    """The grid. `rows` has a row per diagram, with a geometry or none; `texts` are title, subtitle and a note."""
    paper = Paper(outline.total_bounds if len(outline) else rows.total_bounds)
    rows = rows.assign(color=[visible(hue, colors) for hue in rows["color"]])
    # Two galleries in one notebook have outlines of their own.
    name = "pygd-" + hashlib.sha256(outline.to_wkb().geometry.sum() if len(outline) else b"").hexdigest()[:12]
    figures = [
        _figure(paper, name, rows.iloc[[place]], lines) for place, lines in enumerate(fact_lines(rows, units, currency))
    ]
    title, subtitle, note = (html.escape(text) for text in texts)
    return (
        f'<style>{page_file("gallery.css")}</style><div class="pygd-gallery{" dark" if colors.is_dark else ""}">'
        f"<h1>{title}</h1><p>{subtitle}</p>{outline_symbol(paper, name, outline.geometry)}"
        f'<div class="pygd-grid">{"".join(figures)}</div>{f"<p>{note}</p>" if note else ""}</div>'
    )


def gallery_page(title: str, gallery: str, colors: Theme) -> str:
    """The grid as a page of its own."""
    return PAGE.format(title=html.escape(title), paper=colors.paper, gallery=gallery)


def _figure(paper: Paper, outline: str, row: Any, lines: list[str]) -> str:
    title = known(row["title"].iloc[0]) or "without a title"
    hue = row["color"].iloc[0]
    facts = "".join(f"<span>{html.escape(line)}</span>" for line in lines)
    shapes = map_rows(row[row.geometry.notna()])
    drawn = picture(paper, outline, shapes, title) if len(shapes) else '<div class="pygd-none">no geometry</div>'
    return (
        f'<figure>{drawn}<figcaption><i style="background:{hue}"></i><b>{html.escape(title)}</b>{facts}'
        "</figcaption></figure>"
    )


def chosen_rows(rows: Any, systems: list[System], system: int | None) -> Any:
    """The rows of a system, in the order of the systems; of all systems without one."""
    order = {item["id"]: place for place, item in enumerate(systems)}
    rows = rows.sort_values("group", key=lambda ids: ids.map(order), kind="stable")
    if system is None:
        return rows
    return rows[pd.to_numeric(rows["group"]) == system]
