"""Charts of the appendix as SVG: amounts above and below zero by year, rows of shares, and choices as points."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from pygeodesign._html import Markup
from pygeodesign._paper.drawing import TEXT_ROOM, UNITS_PER_MM, svg, text_at

WIDTH_MM = 150.0
ROW_MM = 6.5
# The share of the width for row names, and for the texts after the bars.
NAMES, TEXTS = 0.3, 0.22
# The most letters of a row's name.
LONGEST = 44


class Row(NamedTuple):
    """A row of bars: its name, the share of each bar with its class in the style sheet, and the text after them."""

    name: str
    bars: Sequence[tuple[float, str]]
    text: str


class Years(NamedTuple):
    """Bars of years above and below zero, with a line for their sum; several pictures share one scale."""

    low: float
    high: float
    #: In millimetres on paper.
    width: float
    height: float

    def drawn(self, years: Sequence[int], amounts: Sequence[float], sums: Sequence[float], alt: str) -> Markup:
        """The picture; `alt` is its alternative text."""
        wide, high = self.width * UNITS_PER_MM, self.height * UNITS_PER_MM
        scale = (high - 2 * TEXT_ROOM) / max(self.high - self.low, 1e-9)
        zero = TEXT_ROOM + self.high * scale
        step = wide / max(len(years), 1)
        drawn = ""
        for place, amount in enumerate(amounts):
            # Small amounts stay visible.
            long = max(abs(amount) * scale, 1.0) if amount else 0.0
            kind, y = ("bar", zero - long) if amount >= 0 else ("collision", zero)
            x = (place + 0.1) * step
            drawn += f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{0.8 * step:.1f}" height="{long:.1f}"/>'
        line = " ".join(f"{(place + 0.5) * step:.1f},{zero - amount * scale:.1f}" for place, amount in enumerate(sums))
        drawn += f'<path class="axis" d="M0,{zero:.0f}H{wide:.0f}"/><polyline class="outline" points="{line}"/>'
        for place, year in {0: years[0], len(years) - 1: years[-1]}.items():
            drawn += text_at((place + 0.5) * step, high - 6, wide, str(year))
        return svg((round(wide), round(high)), drawn, alt)


def rows_of_bars(rows: Sequence[Row], alt: str) -> Markup:
    """Rows with bars side by side, of shares from 0 to 1."""
    wide, step = WIDTH_MM * UNITS_PER_MM, ROW_MM * UNITS_PER_MM
    left, room = NAMES * wide, (1 - NAMES - TEXTS) * wide
    drawn = ""
    for place, row in enumerate(rows):
        y, x = place * step, left
        name = row.name if len(row.name) <= LONGEST else f"{row.name[: LONGEST - 1].rstrip()}…"
        drawn += f'<text class="end" x="{left - 12:.0f}" y="{y + 0.68 * step:.0f}">{escape(name)}</text>'
        for share, kind in row.bars:
            long = share * room
            if long > 0:
                at = f'x="{x:.1f}" y="{y + 0.12 * step:.1f}" width="{long:.1f}" height="{0.76 * step:.1f}"'
                drawn += f'<rect class="{kind}" {at}/>'
            x += long
        drawn += f'<text class="start" x="{x + 12:.0f}" y="{y + 0.68 * step:.0f}">{escape(row.text)}</text>'
    return svg((round(wide), round(max(len(rows), 1) * step)), drawn, alt)


def curve(points: Sequence[tuple[float, float]], marked: int, names: tuple[str, str], alt: str) -> Markup:
    """Choices as points on a line, in their order; the marked one has a ring. `names` are the names of the two sums."""
    wide, high = WIDTH_MM * UNITS_PER_MM, 70.0 * UNITS_PER_MM
    inside = (3.0 * TEXT_ROOM, wide - TEXT_ROOM, high - 2.5 * TEXT_ROOM, 2.7 * TEXT_ROOM)
    (west, east), (south, north) = inside[:2], inside[2:]
    (left, right), (low, top) = ((min(side), max(side)) for side in zip(*points, strict=True))
    placed = [
        (
            west + (x - left) / (right - left or 1) * (east - west),
            south + (y - low) / (top - low or 1) * (north - south),
        )
        for x, y in points
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
    drawn = f'<polyline class="outline" points="{line}"/>'
    drawn += f'<path class="outline" d="M{west - 20:.0f},{north:.0f}V{south + 20:.0f}H{east:.0f}"/>'
    for place, (x, y) in enumerate(placed, 1):
        drawn += f'<circle class="bar" cx="{x:.1f}" cy="{y:.1f}" r="9"/>'
        if place == marked + 1:
            drawn += f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="18"/>'
        drawn += f'<text class="start" x="{x + 14:.0f}" y="{y - 14:.0f}">{place}</text>'
    drawn += text_at(wide, high - 8, wide, f"{names[0]} →") + text_at(0, TEXT_ROOM - 8, wide, f"↑ {names[1]}")
    return svg((round(wide), round(high)), drawn, alt)


def figure(picture: str, caption: str = "") -> str:
    words = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure>{picture}{words}</figure>"
