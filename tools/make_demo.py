"""Writes `src/service/demo/staten_island_2050.json`, the demo project of the service.

A fictional geodesign workshop on the real Staten Island: 180 diagrams in nine systems, drawn by
twelve planners, chosen by four change teams and negotiated in three sessions. `demo_content.py` has
the titles, places and sizes; this program generates geometries, dates and authors.

    pip install numpy pyproj shapely
    python tools/make_demo.py

Properties of the result:

* the same bytes on every run: each diagram has its own random numbers, seeded by its title, so
  that editing one changes others only if they would overlap it;
* coordinates are WGS 84 longitude and latitude with six decimals; every geometry is valid, simple
  and inside the borough boundary as written; exterior rings run counterclockwise, holes clockwise;
* projects of one system do not overlap; those of different systems do, which is what negotiations are about;
* no selection, design or negotiation has a diagram that was drawn later.
"""

import json
import math
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import shapely
from pyproj import Transformer
from shapely import LineString, MultiLineString, MultiPolygon, Point, Polygon
from shapely.affinity import rotate, scale, translate
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points, substring, unary_union

import demo_content as content
from demo_content import Sketch, System, TeamPreferences

DEMO = Path(__file__).resolve().parent.parent / "src" / "service" / "demo"
BOUNDARY = DEMO / "staten_island.geojson"
OUTPUT = DEMO / "staten_island_2050.json"

SEED = 2050
DECIMALS = 6
SHORE_SETBACK = 40.0  # meters between the boundary and any diagram
CLEARANCE = 45.0  # meters between projects of one system
FIRST_DIAGRAM = 1001
CONSTRAINTS_ID = 1000
MONDAY = date(2026, 3, 2)
ZONE_COLORS = {"red": "#E07A6B", "yellow": "#F2D479", "green": "#86BF8C"}

Json = dict[str, Any]


def main() -> None:
    demo = make_demo(Island(read_boundary()))
    OUTPUT.write_text(one_element_per_line(demo), encoding="utf-8", newline="\n")
    print(f"{OUTPUT.name}: {len(demo['diagrams'])} diagrams, {OUTPUT.stat().st_size:,} bytes")


def make_demo(island: "Island") -> Json:
    diagrams = list(all_diagrams(island))
    teams = list(all_teams(diagrams))
    return {
        "note": "made by tools/make_demo.py; fictional; study area: NYC DCP Borough Boundaries 16a (public data)",
        "project": content.PROJECT,
        "members": [{"username": name, "administrator": name == "admin"} for name in members()],
        "stakeholders": [{"id": uuid_for(name), "name": name} for name in content.STAKEHOLDERS],
        "plugins": [{"id": uuid_for(text), "description": text} for text in content.PLUGINS],
        "layers": list(all_layers()),
        "tags": [tag_record(tag) for tag in content.TAGS],
        "systems": [system_record(number, system, island) for number, system in enumerate(content.SYSTEMS, start=1)],
        "constraints": constraints(island),
        "diagrams": diagrams,
        "selections": selections(diagrams),
        "teams": teams,
        "negotiations": list(all_negotiations(teams)),
    }


# --------------------------------------------------------------------------- the lists of the project


def members() -> tuple[str, ...]:
    return ("admin", *content.PLANNERS)


def all_layers() -> Iterator[Json]:
    keys = (
        "server_type",
        "layer_type",
        "url",
        "layer_name",
        "attribution",
        "display_name",
        "additional_metadata",
    )
    for number, layer in enumerate(content.LAYERS, start=1):
        yield {"id": number, **dict(zip(keys, layer, strict=True))}


def tag_record(tag: content.Tag) -> Json:
    slug = tag.name.lower().replace(" ", "-")
    return {"id": uuid_for(tag.name), "tag": tag.name, "slug": slug, "code": tag.code}


def system_record(number: int, system: System, island: "Island") -> Json:
    return {
        "id": number,
        "name": system.name,
        "color": system.color,
        "tag": system.tag,
        "cost": system.cost,
        "budget": system.budget,
        "current_ha": system.current_ha,
        "target_ha": system.target_ha,
        "verbose_description": system.about,
        "evaluation": evaluation(system, island),
    }


def evaluation(system: System, island: "Island") -> Json:
    """The evaluation map of a system: the land around each place of `suitability`, in three colors."""
    sites = {place: island.place(place) for place in system.suitability}
    zones = irregular_voronoi_cells(sites, random_for(system.name))
    ground = island.land.buffer(-150).buffer(120).simplify(15)
    return feature_collection(
        ({"areatype": suitability, "color": ZONE_COLORS[suitability]}, island.to_lonlat(zone))
        for place, suitability in system.suitability.items()
        if (zone := without_small_polygons(zones[place].intersection(ground)))
    )


def constraints(island: "Island") -> Json:
    """Areas on which nothing may be built."""
    areas = (parkway_and_greenbelt(island), landfill_core(island), flood_strip(island))
    return {
        "description": "Greenbelt and parkway reserve, Freshkills landfill core, flood strip",
        "geojson": feature_collection(({"areatype": "constraints"}, island.to_lonlat(area)) for area in areas),
        "sysid": 3,
        "rank": 0,
        "id": CONSTRAINTS_ID,
    }


def parkway_and_greenbelt(island: "Island") -> BaseGeometry:
    spine = island.route("Greenbelt spine").buffer(330)
    parkway = island.route("Korean War Veterans Parkway").buffer(110)
    return hand_drawn(unary_union([spine, parkway]), island, "greenbelt")


def landfill_core(island: "Island") -> BaseGeometry:
    mounds = ("North", "East", "South", "West")
    hills = [moved_to(island.place(f"Freshkills {mound} Mound"), blob(55, random_for(mound))) for mound in mounds]
    return hand_drawn(unary_union(hills), island, "landfill")


def flood_strip(island: "Island") -> BaseGeometry:
    shore = unary_union([island.route(name) for name in ("East Shore", "South Shore")])
    return hand_drawn(shore.buffer(380), island, "flood")


def hand_drawn(area: BaseGeometry, island: "Island", name: str) -> BaseGeometry:
    distorted_area = distorted(area.simplify(8).segmentize(120), random_for(name), reach=150, wavelength=1700)
    return without_small_polygons(distorted_area.intersection(island.land).simplify(6))


# ------------------------------------------------------------------------------------- the diagrams


def all_diagrams(island: "Island") -> Iterator[Json]:
    authors = shuffled_authors()
    number = FIRST_DIAGRAM
    for sysid, (system, sketches) in enumerate(zip(content.SYSTEMS, content.SKETCHES, strict=True), start=1):
        shapes = draw_system(sketches, island)
        moments = workshop_moments(system.name, len(sketches))
        for rank, (sketch, moment) in enumerate(zip(sketches, moments, strict=True), start=1):
            yield {
                "id": number,
                "sysid": sysid,
                "rank": rank,
                "grid_location": f"{chr(ord('A') + sysid - 1)}{rank}",
                "author": next(authors),
                **diagram_record(sketch, system, moment, shapes[sketch.title]),
            }
            number += 1


def diagram_record(sketch: Sketch, system: System, moment: datetime, shapes: list[BaseGeometry]) -> Json:
    rng = random_for(sketch.title, "record")
    building = building_data(sketch, system, rng)
    volume = volume_information(sketch, system, building)
    start, end = build_period(sketch, rng)
    return {
        "description": sketch.title,
        "type": "policy" if sketch.policy else "project",
        "fundingtype": funding(sketch, system, rng),
        **cost_override(sketch, rng),
        "building_data": building,
        "notes": sketch.note or rng.choice(content.GENERAL_NOTES),
        "created_at": moment.isoformat(sep=" "),
        "start_date": start.isoformat(),
        "end_date": end.isoformat(),
        "additional_metadata": metadata(sketch, rng),
        "tag_codes": tag_codes(sketch),
        "flat_geobuf_url": "",
        "external_geometries": "",
        "features": [{"volume_information": volume, "geometry": as_json(s)} for s in shapes],
        **content.EXTERNAL.get(sketch.title, {}),
        **({"length": 0.0} if sketch.form == "none" else {}),
    }


def shuffled_authors() -> Iterator[str]:
    """Every planner equally often, in random order."""
    times_each, rest = divmod(sum(map(len, content.SKETCHES)), len(content.PLANNERS))
    authors = [*content.PLANNERS * times_each, *content.PLANNERS[:rest]]
    random_for("authors").shuffle(authors)
    return iter(authors)


def workshop_moments(name: str, count: int) -> list[datetime]:
    """Times at which diagrams were drawn: Monday to Thursday noon, the last two on Friday morning."""
    rng = random_for(name, "moments")
    days = [rng.choice((0, 0, 1, 1, 1, 2, 2, 2, 3)) for _ in range(count - 2)] + [4, 4]
    return sorted(random_working_time(day, 9, 12 if day > 2 else 17, rng) for day in days)


def random_working_time(day: int, opens: int, closes: int, rng: Random) -> datetime:
    midnight = datetime.combine(MONDAY + timedelta(days=day), datetime.min.time())
    return midnight + timedelta(seconds=rng.randrange(opens * 3600, closes * 3600))


def building_data(sketch: Sketch, system: System, rng: Random) -> Json:
    if sketch.policy or system.tag not in content.STOREYS or rng.random() < 0.1:
        return {}
    low, high = content.STOREYS[system.tag]
    return {
        "storeys_above_ground": rng.randint(low, high),
        "storeys_below_ground": rng.choice((0, 0, 0, 1, 2, -1)),
    }


def volume_information(sketch: Sketch, system: System, building: Json) -> Json:
    if sketch.policy:
        low, high = 0, 0
    elif building:
        low = 0
        high = round(building["storeys_above_ground"] * content.STOREY_HEIGHT[system.tag], 1)
    else:
        low, high = content.HEIGHTS.get(system.tag, (0, 10))
    return {"min_height": low, "max_height": high}


def build_period(sketch: Sketch, rng: Random) -> tuple[date, date]:
    start = date(rng.randint(2027, 2040), rng.randint(1, 12), 1)
    years = 10 if sketch.policy else 2 + sketch.hectares / 15
    days = int(365 * years * rng.uniform(0.7, 1.4))
    return start, min(start + timedelta(days=days), date(2050, 12, 31))


def funding(sketch: Sketch, system: System, rng: Random) -> str:
    if sketch.policy:
        return rng.choice(("public", "public", "budgeted"))
    if system.tag in ("IND", "MIX", "LDH", "HDH"):
        return rng.choice(("private", "private", "public_private", "public_private", "public"))
    return rng.choice(("public", "public", "public", "budgeted", "public_private"))


def cost_override(sketch: Sketch, rng: Random) -> Json:
    """The override of the diagram; without one the type is random, because it has no meaning."""
    if sketch.total:
        amount, kind = sketch.total, "total"
    elif sketch.rate:
        amount, kind = sketch.rate, "per hectare."
    else:
        amount, kind = 0, rng.choice(("", "", "total", "per hectare."))
    return {"cost_override": amount, "cost_override_type": kind}


def metadata(sketch: Sketch, rng: Random) -> Json:
    if sketch.lead:
        return {"lead_agency": sketch.lead, "phase": rng.randint(1, 3)}
    if rng.random() < 0.08:
        return {"confidence": rng.choice(("sketch", "checked"))}
    return {}


def tag_codes(sketch: Sketch) -> list[str]:
    title = " " + sketch.title.lower()
    matching = (tag for tag in content.TAGS if any(" " + word in title for word in tag.words))
    return [tag.code for tag in matching][:3]


# ------------------------------------------------------------------- the geometries of the diagrams


def draw_system(sketches: Iterable[Sketch], island: "Island") -> dict[str, list[BaseGeometry]]:
    """The geometries of each sketch; large projects are placed first, small ones between them."""
    drawn: dict[str, list[BaseGeometry]] = {}
    occupied: BaseGeometry = Polygon()
    for sketch in sorted(sketches, key=lambda sketch: -sketch.hectares / sketch.parts):
        shapes = draw(sketch, island, Polygon() if sketch.policy else occupied)
        if not sketch.policy:
            areas = [shape.buffer(CLEARANCE) for shape in shapes if shape.area > 0]
            occupied = unary_union([occupied, *areas])
        drawn[sketch.title] = [island.to_lonlat(shape) for shape in shapes]
    return drawn


def draw(sketch: Sketch, island: "Island", occupied: BaseGeometry) -> list[BaseGeometry]:
    lines = draw_lines(sketch, island) if sketch.route else []
    areas = draw_areas(sketch, island, occupied) if sketch.hectares else []
    if sketch.multi and lines:
        lines = [MultiLineString(lines)]
    if sketch.multi and areas:
        areas = [MultiPolygon(areas)]
    return [*areas, *lines]


def draw_lines(sketch: Sketch, island: "Island") -> list[LineString]:
    route = island.route(sketch.route)
    gap = 0.1 * (sketch.span[1] - sketch.span[0])
    section_ends = np.linspace(sketch.span[0], sketch.span[1] + gap, sketch.legs + 1)
    return [
        corridor(substring(route, start, end - gap, normalized=True), island, random_for(sketch.title))
        for start, end in pairwise(section_ends)
    ]


def draw_areas(sketch: Sketch, island: "Island", occupied: BaseGeometry) -> list[Polygon]:
    rng = random_for(sketch.title)
    areas: list[Polygon] = []
    for hectares in random_split(sketch.hectares, sketch.parts, rng):
        area = draw_area(sketch, hectares, island, occupied, rng)
        areas.append(area)
        occupied = occupied.union(area.buffer(CLEARANCE))
    return areas


def random_split(total: float, parts: int, rng: Random) -> list[float]:
    weights = sorted((rng.uniform(1, 2.5) for _ in range(parts)), reverse=True)
    return [total * weight / sum(weights) for weight in weights]


def draw_area(sketch: Sketch, hectares: float, island: "Island", occupied: BaseGeometry, rng: Random) -> Polygon:
    place = island.place(sketch.where)
    free = island.land.difference(occupied)
    if sketch.form == "shore":
        area = simplified_outline(shore_band(place, hectares, island).intersection(free))
    else:
        form = FORMS[sketch.form](hectares, rng)
        if sketch.form == "block":
            form = rotate(form, street_bearing(sketch.where), origin=(0, 0))
        area = simplified_outline(placed_on_free_ground(form, random_point_near(place, rng), free, rng))
    return with_hole(area, rng) if sketch.hole else area


def street_bearing(place: str) -> float:
    """The direction of the streets in a neighborhood, in degrees."""
    return random_for(place, "streets").uniform(0, 90)


def blob(hectares: float, rng: Random) -> Polygon:
    """A rounded polygon with an irregular outline, around the origin."""
    angles = np.linspace(0, 2 * math.pi, clamp(26 + 4 * math.sqrt(hectares), 28, 72), False)
    radius = np.ones_like(angles)
    for waves in range(1, 7):
        height = rng.uniform(0.25, 1) * 0.42 / waves**1.15
        radius += height * np.cos(waves * angles + rng.uniform(0, 2 * math.pi))
    radius = np.maximum(radius, 0.3)
    outline = Polygon(np.column_stack((radius * np.cos(angles), radius * np.sin(angles))))
    elongation = rng.uniform(1.0, 1.6)
    return scaled_to(rotate(scale(outline, elongation, 1 / elongation), rng.uniform(0, 180)), hectares)


def block(hectares: float, rng: Random) -> Polygon:
    """Several neighboring rectangular city blocks as one polygon with rounded corners."""
    cells = [(0, 0)]
    while len(cells) < 4 + min(8, hectares / 2):
        cells.append(min(empty_neighbors(cells), key=lambda c: math.hypot(*c) * rng.uniform(1, 2)))
    long, short = rng.uniform(1.1, 1.7), 1.0
    plots = [shapely.box(x * long, y * short, (x + 1) * long, (y + 1) * short) for x, y in cells]
    outline = scaled_to(Polygon(largest_polygon(unary_union(plots)).exterior), hectares)
    corner = 0.05 * math.sqrt(outline.area)
    rounded = outline.buffer(3 * corner).buffer(-4 * corner).buffer(corner)
    skewed = distorted(rounded.segmentize(6 * corner), rng, reach=2 * corner, wavelength=22 * corner)
    return scaled_to(skewed, hectares)


def empty_neighbors(cells: list[tuple[int, int]]) -> list[tuple[int, int]]:
    around = {(x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
    return sorted(around.difference(cells))


FORMS: dict[str, Callable[[float, Random], Polygon]] = {"blob": blob, "block": block}


def shore_band(place: Point, hectares: float, island: "Island") -> BaseGeometry:
    """A strip along the water, six times as long as it is wide."""
    square_meters = hectares * 10_000
    length = math.sqrt(6 * square_meters)
    anchor = nearest_points(island.land.exterior, place)[0]
    band = island.land.difference(island.land.buffer(-square_meters / length))
    return band.intersection(anchor.buffer(length / 2))


def random_point_near(place: Point, rng: Random) -> Point:
    """A random point at 80 to 480 m, so that two diagrams of a place are not concentric."""
    angle, distance = rng.uniform(0, 2 * math.pi), rng.uniform(80, 480)
    return Point(place.x + distance * math.cos(angle), place.y + distance * math.sin(angle))


def placed_on_free_ground(form: Polygon, place: Point, free: BaseGeometry, rng: Random) -> BaseGeometry:
    """The form, moved to free ground as near to its place as possible, and clipped to it."""
    first_angle = rng.uniform(0, 2 * math.pi)
    stride = 0.22 * math.sqrt(form.area)
    best: BaseGeometry = Polygon()
    for step in range(120):
        angle, distance = first_angle + 2.39996 * step, stride * math.sqrt(step)
        center = Point(place.x + distance * math.cos(angle), place.y + distance * math.sin(angle))
        candidate = largest_polygon(moved_to(center, form).intersection(free))
        if candidate.area > best.area:
            best = candidate
        if best.area > 0.93 * form.area:
            break
    return best


def with_hole(area: Polygon, rng: Random) -> Polygon:
    radius = shapely.maximum_inscribed_circle(area)
    hole = moved_to(Point(radius.coords[0]), blob(area.area * 0.12 / 10_000, rng))
    while not area.buffer(-0.3 * radius.length).contains(hole):
        hole = scale(hole, 0.9, 0.9)
    return Polygon(area.exterior, [hole.exterior])


def corridor(section: LineString, island: "Island", rng: Random) -> LineString:
    """A section of a route as if drawn by hand: with small random deviations, and on land only."""
    ground = island.land.buffer(-170).buffer(140)  # no piers, no narrow inlets
    count = clamp(section.length / 170, 24, 78)
    line = distorted(resampled(section, 2 * count), rng, reach=40, wavelength=2600)
    for _ in range(4):
        line = smoothed(snapped_to(ground, line))
    return resampled(snapped_to(ground, line), count)


def resampled(line: LineString, count: int) -> LineString:
    return LineString(line.interpolate(np.linspace(0, 1, count), normalized=True))


def smoothed(line: LineString) -> LineString:
    xy = shapely.get_coordinates(line)
    xy[1:-1] = (xy[:-2] + 2 * xy[1:-1] + xy[2:]) / 4
    return LineString(xy)


def snapped_to(ground: BaseGeometry, line: LineString) -> LineString:
    return LineString([nearest_points(ground, Point(xy))[0] for xy in line.coords])


def irregular_voronoi_cells(sites: dict[str, Point], rng: Random) -> dict[str, BaseGeometry]:
    """Voronoi cells of the sites, with irregular common borders."""
    points = shapely.multipoints(list(sites.values()))
    cells = shapely.voronoi_polygons(points, extend_to=points.buffer(30_000))
    by_site = {name: next(cell for cell in cells.geoms if cell.contains(site)) for name, site in sites.items()}
    seed = rng.random()
    return {
        name: distorted(cell.segmentize(220), Random(seed), reach=420, wavelength=3600)
        for name, cell in by_site.items()
    }


# ----------------------------------------------------------------------------------- plane geometry


class Island:
    """The study area in UTM zone 18 N, in meters, with conversions from and to longitude and latitude."""

    def __init__(self, boundary: Polygon) -> None:
        self._to_plane = Transformer.from_crs(4326, 32618, always_xy=True)
        self._to_lonlat = Transformer.from_crs(32618, 4326, always_xy=True)
        self.boundary = boundary
        shapely.prepare(self.boundary)
        self.land = largest_polygon(self.on_plane(boundary).buffer(-SHORE_SETBACK))

    def place(self, name: str) -> Point:
        return self.on_plane(Point(content.PLACES[name]))

    def route(self, name: str) -> LineString:
        return chaikin(self.on_plane(LineString(content.ROUTES[name])))

    def on_plane(self, geometry: BaseGeometry) -> BaseGeometry:
        return shapely.transform(geometry, self._to_plane.transform, interleaved=False)

    def to_lonlat(self, geometry: BaseGeometry) -> BaseGeometry:
        """The geometry in degrees, rounded to the written decimals, and checked."""
        lonlat = shapely.transform(geometry, self._to_lonlat.transform, interleaved=False)
        rounded = shapely.transform(lonlat, lambda xy: np.round(xy, DECIMALS))
        rounded = shapely.remove_repeated_points(rounded)
        rounded = shapely.orient_polygons(rounded, exterior_cw=False)
        assert rounded.is_valid and rounded.is_simple and not rounded.is_empty
        assert self.boundary.contains(rounded)
        assert all(len(ring.coords) > 8 for ring in exteriors(rounded))
        return rounded


def read_boundary() -> Polygon:
    collection = json.loads(BOUNDARY.read_text(encoding="utf-8"))
    return shapely.from_geojson(json.dumps(collection["features"][0]["geometry"]))


def chaikin(line: LineString, rounds: int = 4) -> LineString:
    """The line with rounded corners, by Chaikin's algorithm."""
    xy = shapely.get_coordinates(line)
    for _ in range(rounds):
        quarter, three_quarters = 0.75 * xy[:-1] + 0.25 * xy[1:], 0.25 * xy[:-1] + 0.75 * xy[1:]
        cut = np.stack((quarter, three_quarters), axis=1).reshape(-1, 2)
        xy = np.vstack((xy[:1], cut, xy[-1:]))
    return LineString(xy)


def distorted(geometry: BaseGeometry, rng: Random, reach: float, wavelength: float) -> BaseGeometry:
    """Moves every vertex by a smooth random field, so that common borders stay common."""
    waves = [
        (
            rng.uniform(0, 2 * math.pi),
            wavelength * rng.uniform(0.7, 1.5),
            rng.uniform(0, 2 * math.pi),
        )
        for _ in range(6)
    ]

    def move(xy: np.ndarray) -> np.ndarray:
        shift = np.zeros_like(xy)
        for index, (bearing, length, phase) in enumerate(waves):
            along = xy[:, 0] * math.cos(bearing) + xy[:, 1] * math.sin(bearing)
            shift[:, index % 2] += np.sin(2 * math.pi * along / length + phase)
        return xy + shift * reach / 2

    return shapely.transform(geometry, move)


def simplified_outline(area: BaseGeometry) -> Polygon:
    """The largest polygon without slivers and holes, with 25 to 72 vertices, as if drawn by hand."""
    size = math.sqrt(area.area)
    brush = 0.03 * size
    outline = Polygon(largest_polygon(area.buffer(-brush).buffer(brush)).exterior)
    tolerance = 0.004 * size
    drawn = outline.simplify(tolerance)
    while shapely.get_num_coordinates(drawn) > 72:
        tolerance *= 1.3
        drawn = outline.simplify(tolerance)
    if shapely.get_num_coordinates(drawn) < 25:
        drawn = drawn.segmentize(drawn.length / 30)
    return drawn


def scaled_to(outline: Polygon, hectares: float) -> Polygon:
    """The outline, scaled to the given area and centered on the origin."""
    factor = math.sqrt(hectares * 10_000 / outline.area)
    return moved_to(Point(0, 0), scale(outline, factor, factor))


def moved_to(center: Point, outline: Polygon) -> Polygon:
    return translate(outline, center.x - outline.centroid.x, center.y - outline.centroid.y)


def largest_polygon(geometry: BaseGeometry) -> Polygon:
    return max(polygons(geometry), key=lambda part: part.area, default=Polygon())


def without_small_polygons(geometry: BaseGeometry, hectares: float = 3.0) -> BaseGeometry:
    kept = [part for part in polygons(geometry) if part.area > hectares * 10_000]
    return kept[0] if len(kept) == 1 else MultiPolygon(kept)


def polygons(geometry: BaseGeometry) -> list[Polygon]:
    return [part for part in shapely.get_parts(geometry) if isinstance(part, Polygon)]


def exteriors(geometry: BaseGeometry) -> list[shapely.LinearRing]:
    return [polygon.exterior for polygon in polygons(geometry)]


# ------------------------------------------------------ selections, designs and negotiations


def selections(diagrams: list[Json]) -> dict[str, list[int]]:
    """The selections of nine planners, at random."""
    everything = dict.fromkeys((system.tag for system in content.SYSTEMS), 1.0)
    return {
        name: sorted(preferred(diagrams, everything, random_for(name))[: random_for(name).randint(10, 25)])
        for name in content.PLANNERS[:9]
    }


def preferred(diagrams: list[Json], likes: dict[str, float], rng: Random) -> list[int]:
    """The ids of diagrams in random order, weighted by the preference for their systems, without those of weight 0."""

    def random_rank(diagram: Json) -> float:
        weight = likes.get(content.SYSTEMS[diagram["sysid"] - 1].tag, 0)
        return rng.random() ** (1 / weight) if weight else 0.0

    random_ranks = {diagram["id"]: random_rank(diagram) for diagram in diagrams}
    return sorted((d for d in random_ranks if random_ranks[d]), key=lambda d: -random_ranks[d])


def all_teams(diagrams: list[Json]) -> Iterator[Json]:
    for number, preferences in enumerate(content.TEAMS, start=1):
        yield {
            "id": number,
            "title": preferences.title,
            "members": list(content.PLANNERS[number - 1 :: len(content.TEAMS)]),
            "designs": list(team_designs(preferences, diagrams)),
        }


def team_designs(preferences: TeamPreferences, diagrams: list[Json]) -> Iterator[Json]:
    rng = random_for(preferences.title)
    chosen: list[int] = []
    sessions = ((3, 13, 16), (4, 9, 11), (4, 13, 14))  # day, from, to
    for (title, count), session in zip(preferences.designs, sessions, strict=False):
        moment = random_working_time(*session, rng)
        existing = [d for d in diagrams if d["created_at"] < moment.isoformat(sep=" ")]
        chosen = next_design(chosen, preferred(existing, preferences.likes, rng), count, rng)
        yield {
            "id": f"{rng.getrandbits(64):016x}",
            "creationdate": timestamp(moment, rng),
            "description": title,
            "diagrams": chosen,
        }


def next_design(earlier: list[int], wishes: list[int], count: int, rng: Random) -> list[int]:
    """The next design of a team: three quarters of the earlier one, and new diagrams up to the count."""
    kept = rng.sample(earlier, min(count, round(0.77 * len(earlier))))
    new = [diagram for diagram in wishes if diagram not in earlier]
    return sorted(kept + new[: count - len(kept)])


def all_negotiations(teams: list[Json]) -> Iterator[Json]:
    by_title = {team["title"]: team for team in teams}
    for hour, (first, second, count) in enumerate(content.NEGOTIATIONS, start=14):
        pair = [by_title[first], by_title[second]]
        yield {
            "session_id": uuid_for(f"{first}/{second}"),
            "cteams": [team["id"] for team in pair],
            "moves": list(
                moves(pair, count, random_working_time(4, hour, hour + 1, random_for(first)).replace(minute=5))
            ),
        }


def moves(pair: list[Json], count: int, moment: datetime) -> Iterator[Json]:
    rng = random_for(*(team["title"] for team in pair), "moves")
    latest = [set(team["designs"][-1]["diagrams"]) for team in pair]
    for diagram in rng.sample(sorted(latest[0] | latest[1]), count):
        agreed = diagram in latest[0] & latest[1]
        moment += timedelta(seconds=rng.randint(40, 170))
        yield {
            "diagram": diagram,
            "move": "accept" if agreed else rng.choice(("accept", "accept", "reject", "swap")),
            "timestamp": timestamp(moment, rng),
        }


# ---------------------------------------------------------------------- random values and JSON


def random_for(*names: str) -> Random:
    """A random number generator whose seed is these names."""
    return Random("/".join((str(SEED), *names)))


def uuid_for(name: str) -> str:
    return str(uuid.UUID(int=random_for(name, "uuid").getrandbits(128), version=4))


def timestamp(moment: datetime, rng: Random) -> str:
    return moment.replace(microsecond=rng.randint(1, 999_999)).isoformat()


def clamp(value: float, low: int, high: int) -> int:
    return max(low, min(high, round(value)))


def feature_collection(features: Iterable[tuple[Json, BaseGeometry]]) -> Json:
    return {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "properties": properties, "geometry": as_json(geometry)}
            for properties, geometry in features
        ],
    }


def as_json(geometry: BaseGeometry) -> Json:
    return dict(shapely.geometry.mapping(geometry))


def one_element_per_line(document: Json) -> str:
    """Compact JSON with a line for each element, so that git can show differences."""
    return "{\n" + ",\n".join(f"{compact(k)}:{lines(v)}" for k, v in document.items()) + "\n}\n"


def lines(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(compact(element) for element in value) + "\n]"
    return compact(value)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
