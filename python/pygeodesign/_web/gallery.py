"""The HTML of a gallery: a grid of small pictures of diagrams over the study area, as SVG."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from pygeodesign._pictures.shown import map_rows
from pygeodesign._pictures.style import Colors, visible
from pygeodesign._text import Units
from pygeodesign._web.data import fact_lines, known

if TYPE_CHECKING:
    from pygeodesign._core import System

# Only for the gallery, because a gallery may be part of a notebook.
STYLE = """
.pygd-gallery { background: var(--paper); color: var(--ink);
  font: 13px/1.35 system-ui, sans-serif; padding: 12px; overflow-wrap: anywhere; }
.pygd-gallery h1 { margin: 0; font-size: 17px; line-height: 1.25; color: inherit; }
.pygd-gallery p { margin: 0 0 10px; color: var(--quiet); }
.pygd-grid { display: grid; gap: 10px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 150px), 1fr)); }
.pygd-grid figure { margin: 0; padding: 6px; border: 1px solid var(--faint); border-radius: 6px; min-width: 0;
  break-inside: avoid; }
.pygd-grid svg { display: block; width: 100%; height: auto; max-height: 190px; }
.pygd-grid figcaption { margin-top: 4px; font-size: 12px; line-height: 1.3; }
.pygd-grid figcaption span { display: block; color: var(--quiet); font-size: 11px; }
.pygd-grid i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 4px;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.pygd-none { color: var(--quiet); text-align: center; padding: 24px 0; }
"""
# Units of a picture, about pixels.
WIDTH = 150
MARGIN = 3
# A diagram with a smaller extent is marked by a ring, because it would be hard to find.
SMALL = 9


def gallery_html(
    rows: Any, outline: Any, texts: tuple[str, str, str], colors: Colors, units: Units, currency: str
) -> str:
    """The grid. `rows` has a row per diagram, with a geometry or none; `texts` are title, subtitle and a note."""
    paper = Paper(outline.total_bounds if len(outline) else rows.total_bounds)
    rows = rows.assign(color=[visible(hue, colors) for hue in rows["color"]])
    # Two galleries in one notebook have separate outlines.
    name = "pygd-" + hashlib.sha256(outline.to_wkb().geometry.sum() if len(outline) else b"").hexdigest()[:12]
    figures = [
        _figure(paper, name, rows.iloc[[place]], lines) for place, lines in enumerate(fact_lines(rows, units, currency))
    ]
    title, subtitle, note = (escape(text) for text in texts)
    variables = ";".join(f"--{name}:{hue}" for name, hue in colors._asdict().items())
    return (
        f'<style>{STYLE}</style><div class="pygd-gallery" style="{variables}">'
        f"<h1>{title}</h1><p>{subtitle}</p>{outline_symbol(paper, name, outline.geometry)}"
        f'<div class="pygd-grid">{"".join(figures)}</div>{f"<p>{note}</p>" if note else ""}</div>'
    )


def _figure(paper: Paper, outline: str, row: Any, lines: list[str]) -> str:
    title = known(row["title"].iloc[0]) or "without a title"
    hue = row["color"].iloc[0]
    facts = "".join(f"<span>{escape(line)}</span>" for line in lines)
    shapes = map_rows(row[row.geometry.notna()])
    drawn = picture(paper, outline, shapes, title) if len(shapes) else '<div class="pygd-none">no geometry</div>'
    return (
        f'<figure>{drawn}<figcaption><i style="background:{hue}"></i><b>{escape(title)}</b>{facts}'
        "</figcaption></figure>"
    )


def chosen_rows(rows: Any, systems: list[System], system: int | None) -> Any:
    """The rows of a system, in the order of the systems; of all systems if none is given."""
    order = {item["id"]: place for place, item in enumerate(systems)}
    rows = rows.sort_values("group", key=lambda ids: ids.map(order), kind="stable")
    if system is None:
        return rows
    return rows[pd.to_numeric(rows["group"]) == system]


class Paper:
    """Maps longitudes and latitudes to a picture of the study area's shape."""

    def __init__(self, bounds: Iterable[float]) -> None:
        """`bounds` are west, south, east and north in degrees."""
        self.west, south, east, self.north = bounds
        shrink = max(0.05, math.cos(math.radians((south + self.north) / 2)))
        wide, high = (east - self.west) * shrink or 1e-6, (self.north - south) or 1e-6
        wanted = WIDTH - 2 * MARGIN
        # A long study area gets a lower or narrower picture, within limits.
        per_degree = min(wanted / wide, 1.3 * wanted / high)
        self.across, self.down = per_degree * shrink, per_degree
        self.left = (WIDTH - wide * per_degree) / 2
        self.height = max(60.0, high * per_degree + 2 * MARGIN)
        self.top = (self.height - high * per_degree) / 2

    def path(self, shape: Any) -> str:
        """The path of a polygon with its holes, or of a line, without positions too close to be visible."""
        if shape.geom_type == "Polygon":
            return "".join(self._line(ring) + "z" for ring in (shape.exterior, *shape.interiors))
        return self._line(shape)

    def _line(self, line: Any) -> str:
        positions = np.round(self._on_paper(shapely.get_coordinates(line)) * 2) / 2
        kept = positions[np.insert((np.diff(positions, axis=0) != 0).any(axis=1), 0, True)]
        return "M" + " ".join(f"{x:g},{y:g}" for x, y in kept)

    def _on_paper(self, positions: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x = self.left + (positions[:, 0] - self.west) * self.across
        y = self.top + (self.north - positions[:, 1]) * self.down
        return np.column_stack([x, y])

    def ring(self, shapes: list[Any]) -> str:
        """A ring around small shapes; empty for others."""
        west, south, east, north = shapely.total_bounds(shapes)
        (left, bottom), (right, top) = self._on_paper(np.array([[west, south], [east, north]]))
        if right - left > SMALL or bottom - top > SMALL:
            return ""
        return (
            f'<circle cx="{(left + right) / 2:.1f}" cy="{(top + bottom) / 2:.1f}" r="{SMALL}" fill="none" '
            'stroke="currentColor" stroke-opacity="0.6"/>'
        )


def picture(paper: Paper, outline: str, rows: Any, name: str) -> str:
    """A diagram over the outline of the study area, which the page has once, under the id `outline`."""
    parts = []
    for shape, hue, policy in zip(rows.geometry, rows["color"], rows["is_policy"], strict=True):
        area = shape.geom_type == "Polygon"
        look = f'fill="{hue if area else "none"}" stroke="{hue}" stroke-width="{1 if area else 2}"'
        look += ' fill-opacity="0.1" stroke-dasharray="3 2"' if policy else ' fill-opacity="0.7"'
        parts.append(f'<path d="{paper.path(shape)}" {look}/>')
    parts.append(paper.ring(list(rows.geometry)))
    return (
        f'<svg viewBox="0 0 {WIDTH} {paper.height:.0f}" role="img" aria-label="{escape(name)}">'
        f'<use href="#{outline}"/>{"".join(parts)}</svg>'
    )


def outline_symbol(paper: Paper, outline: str, shapes: Iterable[Any]) -> str:
    """The outline of the study area, for all pictures."""
    path = "".join(paper.path(shape) for shape in shapes)
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
        f'<path id="{outline}" d="{path}" fill="var(--land)" stroke="currentColor" stroke-opacity="0.5" '
        'stroke-width="0.6"/></defs></svg>'
    )
