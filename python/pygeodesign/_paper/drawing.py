"""Pictures of a report as SVG in the page: the browser draws their texts in the page's colours, dark or light."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import shapely

from pygeodesign._html import Markup, html
from pygeodesign._looks import PATTERN_SIZE, luminance_of, pattern_of
from pygeodesign._paper.shown import hue_of
from pygeodesign._planning.land.lands import are_there, polygons

if TYPE_CHECKING:
    import pandas as pd


# Units are tenths of a millimetre on paper, so that lines and patterns are as fine in a small map as in a large one.
UNITS_PER_MM = 10
# The most that a line may be moved, and the least width of a shape: small shapes stay visible.
TOLERANCE, LEAST = 0.8, 4
# The radius of a point's symbol.
MARK_RADIUS = 9
# The height of a line of text above and below bars.
TEXT_ROOM = 40


class Ground(NamedTuple):
    """Maps places of the Earth to a drawing, as an equirectangular map of the middle latitude."""

    west: float
    north: float
    per_degree: tuple[float, float]
    size: tuple[int, int]

    @classmethod
    def of(cls, bounds: Sequence[float], width: float, height: float) -> Ground:
        """A drawing of these bounds (west, south, east, north in degrees), as large as fits the size in millimetres."""
        west, south, east, north = bounds
        shrink = max(0.01, float(np.cos(np.radians((south + north) / 2))))
        span = max((east - west) * shrink, 1e-9), max(north - south, 1e-9)
        margin = 2 * UNITS_PER_MM
        scale = min((width * UNITS_PER_MM - margin) / span[0], (height * UNITS_PER_MM - margin) / span[1])
        edge = margin / 2 / scale
        size = (round(span[0] * scale + margin), round(span[1] * scale + margin))
        return cls(west - edge / shrink, north + edge, (scale * shrink, -scale), size)

    def moved(self, shapes: Any) -> Any:
        origin, scale = np.array([self.west, self.north]), np.array(self.per_degree)
        return shapely.transform(shapes, lambda positions: (positions - origin) * scale)

    def path(self, shapes: Any) -> str:
        """Polygons and lines as one path that is filled where two polygons overlap, and not in their holes."""
        parts = self._parts(shapes)
        parts = parts[shapely.get_dimensions(parts) > 0]
        simple = shapely.simplify(parts, TOLERANCE, preserve_topology=False)
        gone = shapely.is_empty(simple)
        west, south, east, north = shapely.bounds(parts[gone]).T
        simple[gone] = shapely.box(west, south, np.maximum(east, west + LEAST), np.maximum(north, south + LEAST))
        simple = shapely.get_parts(shapely.normalize(simple))
        is_line = shapely.get_type_id(simple) == shapely.GeometryType.LINESTRING
        lines = [_pairs(line) for line in simple[is_line]]
        rings = [f"{_pairs(ring)}Z" for ring in shapely.get_rings(simple[~is_line])]
        return "".join((*rings, *lines))

    def marks(self, shapes: Any) -> str:
        """Points as one path of round symbols."""
        parts = self._parts(shapes)
        around = shapely.buffer(parts[shapely.get_dimensions(parts) == 0], MARK_RADIUS, quad_segs=4)
        return "".join(f"{_pairs(ring)}Z" for ring in shapely.get_exterior_ring(around))

    def _parts(self, shapes: Any) -> Any:
        parts = shapely.get_parts(self.moved(np.asarray(shapes, dtype=object)))
        while (shapely.get_type_id(parts) > shapely.GeometryType.POLYGON).any():
            parts = shapely.get_parts(parts)
        return parts[~shapely.is_empty(parts)]


def _pairs(line: Any) -> str:
    return "M" + " ".join(f"{x:.0f},{y:.0f}" for x, y in shapely.get_coordinates(line).tolist())


def bounds_of(compared: Any) -> Sequence[float] | None:
    """West, south, east, north of the study area, or else of the diagrams; None if nothing has a place."""
    for rows in (compared.boundaries, compared.diagrams):
        shapes = rows.geometry[are_there(rows.geometry) & ~rows.geometry.is_empty]
        if len(shapes):
            bounds: Sequence[float] = shapes.total_bounds
            return bounds
    return None


def diagrams_on(diagrams: Any, systems: pd.DataFrame, ground: Ground) -> str:
    """Diagrams in the colours and patterns of their systems: projects filled, policies as dashed outlines."""
    rows = diagrams[are_there(diagrams.geometry)]
    drawn = {"fill": "", "line": "", "policy": "", "mark": ""}
    for sysid, own in rows.groupby("sysid", sort=False):
        color, is_policy = hue_of(systems, sysid), own["kind"] == "policy"
        shapes, policies = own.geometry[~is_policy], own.geometry[is_policy]
        lands = polygons(shapes)
        if path := ground.path(lands[~shapely.is_empty(lands)]):
            drawn["fill"] += f'<path class="fill" fill="url(#s{sysid})" d="{path}"/>'
        lines = shapes[shapely.get_dimensions(shapes.to_numpy()) == 1]
        if path := ground.path(lines):
            drawn["line"] += f'<path class="line" style="--hue:{color}" d="{path}"/>'
        if path := ground.path(policies) + ground.marks(policies):
            drawn["policy"] += f'<path class="policy" style="--hue:{color}" d="{path}"/>'
        if path := ground.marks(shapes):
            drawn["mark"] += f'<path class="mark" style="--hue:{color}" d="{path}"/>'
    return "".join(drawn.values())


def svg(size: tuple[int, int], content: str, alt: str) -> Markup:
    """A picture with its alternative text."""
    width, height = size
    return Markup(
        f'<svg viewBox="0 0 {width} {height}" width="{width / UNITS_PER_MM:g}mm" role="img" '
        f'aria-label="{escape(alt)}">{content}</svg>'
    )


class Maps:
    """Maps of the same ground, with the study area in the page once."""

    def __init__(
        self, compared: Any, name: str, width: float, height: float, bounds: Sequence[float] | None = None
    ) -> None:
        """Takes the most millimetres; `name` is the study area's name in the page, `bounds` other bounds in degrees."""
        bounds = bounds_of(compared) if bounds is None else bounds
        self.ground = None if bounds is None else Ground.of(bounds, width, height)
        self._name = name
        outline = compared.boundaries.geometry.dropna()
        path = self.ground.path(outline) if self.ground is not None and len(outline) else ""
        #: Definitions that the page needs once, before the maps.
        self.land = definitions(f'<path id="{name}" d="{path}"/>')

    def drawn(self, draw: Callable[[Ground], str], alt: str) -> str:
        """A map; empty if nothing has a place."""
        if self.ground is None:
            return ""
        land, outline = (f'<use class="{look}" href="#{self._name}"/>' for look in ("land", "outline"))
        return svg(self.ground.size, land + draw(self.ground) + outline, alt)


def definitions(content: str) -> str:
    """Definitions that pictures of the page refer to."""
    return f'<svg class="defs" width="0" height="0" aria-hidden="true"><defs>{content}</defs></svg>'


def side_by_side(columns: int, figures: str) -> str:
    return f'<div class="maps" style="--columns:{columns}">{figures}</div>'


def patterns(compared: Any) -> str:
    """The fills of all systems, once for all pictures of the page; also of systems that only diagrams name."""
    systems, made = compared.systems, []
    for sysid in dict.fromkeys([*systems.index, *compared.diagrams["sysid"].dropna()]):
        color, marks = hue_of(systems, sysid), pattern_of(sysid).path
        lines = f'<path class="marks {ink_on(color)}" d="{marks}"/>' if marks else ""
        made.append(
            f'<pattern id="s{sysid}" width="{PATTERN_SIZE}" height="{PATTERN_SIZE}" patternUnits="userSpaceOnUse">'
            f'<rect width="{PATTERN_SIZE}" height="{PATTERN_SIZE}" fill="{color}"/>{lines}</pattern>'
        )
    return definitions("".join(made))


def ink_on(color: str) -> str:
    """The lines that are visible on a colour: dark or light."""
    return "dark" if luminance_of([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]) > 0.3 else "light"


def legend(names: Mapping[Any, Any]) -> Markup:
    """The names of systems next to their patterns."""
    return Markup(f'<ul class="key">{"".join(f"<li>{sample(sysid, name)}</li>" for sysid, name in names.items())}</ul>')


def sample(sysid: Any, name: Any) -> Markup:
    """A system's name next to a sample of its pattern."""
    return piece(f'fill="url(#s{sysid})"', name)


def piece(attributes: str, name: Any) -> Markup:
    """A name next to a sample of a drawing."""
    rectangle = f'<rect width="40" height="28" {attributes}/>'
    return Markup(f'<svg class="sample" viewBox="0 0 40 28" aria-hidden="true">{rectangle}</svg>{html(name)}')


class Bars(NamedTuple):
    """Bars for amounts: `most` is as high as the picture, so that several pictures share one scale."""

    most: float
    #: In millimetres on paper.
    width: float
    height: float

    def drawn(self, amounts: Sequence[tuple[str, float]], texts: Mapping[str, str], alt: str) -> Markup:
        """The picture. `texts` are above the bars with these names; the first and the last name are below the bars."""
        wide, high = self.width * UNITS_PER_MM, self.height * UNITS_PER_MM
        foot, room = high - TEXT_ROOM, high - 2 * TEXT_ROOM
        step = wide / max(len(amounts), 1)
        drawn = f'<path class="axis" d="M0,{foot:.0f}H{wide:.0f}"/>'
        for place, (name, amount) in enumerate(amounts):
            long = max(room * amount / self.most, 1.0) if amount > 0 else 0.0
            x, y = (place + 0.1) * step, foot - long
            drawn += f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{0.8 * step:.1f}" height="{long:.1f}"/>'
            if name in texts:
                drawn += text_at((place + 0.5) * step, y - 8, wide, texts[name])
        if amounts:
            drawn += text_at(0, high - 6, wide, amounts[0][0])
        if len(amounts) > 1:
            drawn += text_at(wide, high - 6, wide, amounts[-1][0])
        return svg((round(wide), round(high)), drawn, alt)


def text_at(x: float, y: float, wide: float, text: str) -> str:
    """Text that starts or ends at the edge of a picture if it is near it, so that it is not cut."""
    anchor, at = ("start", 0.0) if x < 0.2 * wide else ("end", wide) if x > 0.8 * wide else ("middle", x)
    return f'<text class="{anchor}" x="{at:.0f}" y="{y:.0f}">{escape(text)}</text>'
