"""Names on a map: those of the largest projects, where they lie on no other name."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd
import shapely

from pygeodesign._paper.drawing import Ground
from pygeodesign._planning.land.lands import are_there
from pygeodesign._text import without_lone_surrogates

# The most names, the letters of one, the height of a line, and the width of a letter in tenths of a millimetre: letters
# of Chinese, Japanese and Korean are as wide as they are high.
MOST, LONGEST = 9, 30
HIGH, WIDE, WIDEST = 30, 16, 27
FIRST_WIDE = "\u1100"


def names_on(rows: Any, ground: Ground) -> str:
    """The titles of the largest projects at a point inside them; those without room are left out."""
    projects = rows[(rows["kind"] != "policy") & are_there(rows.geometry) & ~rows.geometry.is_empty]
    taken: list[Any] = []
    drawn = ""
    for row in projects.sort_values("area_ha", ascending=False, kind="stable").to_dict("records"):
        if len(taken) == MOST or pd.isna(row["title"]) or not str(row["title"]).strip():
            continue
        name = _short(str(row["title"]))
        ((x, y),) = shapely.get_coordinates(ground.moved(shapely.point_on_surface(row["geometry"]))).tolist()
        half = sum(WIDEST if letter >= FIRST_WIDE else WIDE for letter in name) / 2
        # A name near the edge is moved inside.
        x = min(max(x, half + 4), ground.size[0] - half - 4)
        box = shapely.box(x - half, y - HIGH, x + half, y + HIGH / 2)
        if half * 2 > ground.size[0] or not HIGH < y < ground.size[1] - HIGH or any(map(box.intersects, taken)):
            continue
        taken.append(box)
        drawn += f'<text class="place" x="{x:.0f}" y="{y:.0f}">{escape(name)}</text>'
    return drawn


def _short(title: str) -> str:
    text = without_lone_surrogates(" ".join(title.split()))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
