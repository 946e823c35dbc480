"""Shared, covered and outside land in every result that has it, compared with overlays along densified geodesics."""

import itertools
from typing import Any

import geopandas
import numpy as np
import pytest
import shapely
from shapely import affinity

from builders import square
from deciding import project_of
from overlays import GEOD, hectares
from pygeodesign._planning.land.classes import hectares_by_class
from pygeodesign._planning.land.lands import Lands, land_once
from small_project import WATER, running_workshop

# Metres: the maximum of an edge. A piece's error shrinks with the cube of its length; PROJ rounds each.
PIECE, MOST_PIECES = 50, 2000
# Where regions of 12 degrees are: on land, over the antimeridian, on the equator and far in the north.
PLACES = {"Spain": (-4.0, 40.0), "Fiji": (180.0, -17.0), "equator": (10.0, 0.0), "Lapland": (25.0, 67.0)}
# Rounding of PROJ: 0.3 cm² for an edge, over tens of thousands of them.
ROUNDING = 1e-5


def star(random: np.random.Generator, place: tuple[float, float], size: float, corners: int = 9) -> Any:
    """A polygon around a place near this one; longitudes continue beyond 180."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    around = np.column_stack([np.cos(angles), np.sin(angles)]) * random.uniform(0.4, 1, (corners, 1))
    return shapely.Polygon(around * size + place + random.uniform(-0.5, 0.5, 2) * size)


def curved(shape: Any) -> Any:
    """The polygon with points along its geodesics."""
    points = [np.array(shape.exterior.coords[0])[None]]
    for (west, south), (east, north) in itertools.pairwise(shape.exterior.coords):
        pieces = min(2 + int(GEOD.inv(west, south, east, north)[2] / PIECE), MOST_PIECES)
        between = np.array(GEOD.npts(west, south, east, north, pieces - 1))
        between[:, 0] += 360 * np.round((west - between[:, 0]) / 360)
        points += [between, np.array([[east, north]])]
    return shapely.Polygon(np.concatenate(points))


def approximately(area: Any) -> Any:
    return pytest.approx(area, rel=1e-9, abs=ROUNDING)


def stars(place: str, count: int, size: float, seed: int) -> list[Any]:
    random = np.random.default_rng(seed)
    return [star(random, PLACES[place], size) for _ in range(count)]


@pytest.mark.parametrize("size", [0.02, 6])
@pytest.mark.parametrize("place", PLACES)
def test_shared_united_and_remaining_land_is_that_along_geodesics(place: str, size: float) -> None:
    shapes = stars(place, 3, size, seed=1)
    lands, (one, two, three) = Lands(shapes), (curved(shape) for shape in shapes)
    assert lands.hectares() == approximately([hectares(shape) for shape in (one, two, three)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    shared = [one & two, one & three, two & three]
    assert lands.shared_hectares(*pairs.T).tolist() == approximately([hectares(shape) for shape in shared])
    assert lands.common([0], [[1, 2]]).hectares()[0] == approximately(hectares(one & (two | three)))
    assert lands.without([0], [[1, 2]]).hectares()[0] == approximately(hectares(one - (two | three)))
    assert lands.united([[0, 1, 2]]).hectares()[0] == approximately(hectares(one | two | three))
    found = lands.common([0], [[1]]).shapes()
    assert shapely.is_valid(found).all()
    assert shapely.bounds(found)[0, 2] <= 180
    assert lands.shared_hectares([0], [1])[0] == approximately(Lands(found).hectares()[0])


@pytest.mark.parametrize("shape", [shapely.box(175, -20, 185, -10), shapely.box(-185, -20, -175, -10)])
def test_land_over_the_antimeridian_is_one_thing_however_it_is_drawn(shape: Any) -> None:
    """By longitudes beyond 180, by an edge that jumps there, or cut into two."""
    jumping = shapely.Polygon([(175, -20), (-175, -20), (-175, -10), (175, -10)])
    lands = Lands([shape, jumping, *Lands([shape]).shapes(), shapely.box(-30, -20, 30, -10)])
    whole = hectares(curved(shape))
    assert lands.hectares()[:3] == approximately([whole] * 3)
    assert lands.shared_hectares([0, 0, 1], [1, 2, 2]) == approximately([whole] * 3)
    # Greenwich is elsewhere.
    assert lands.shared_hectares([0, 1, 2], [3, 3, 3]).tolist() == [0, 0, 0]
    middle = shapely.box(179, -16, 180, -14)
    assert Lands([jumping, middle]).shared_hectares([0], [1])[0] == approximately(hectares(curved(middle)))


def test_a_ring_around_a_pole_is_land() -> None:
    cap = shapely.Polygon([(longitude, 80) for longitude in range(-180, 180, 10)])
    inside, beside = square(40, 85, 1), square(40, 75, 1)
    lands = Lands([cap, shapely.geometry.shape(inside), shapely.geometry.shape(beside)])
    assert lands.shared_hectares([0, 0], [1, 2]).tolist() == approximately([lands.hectares()[1], 0])


@pytest.mark.parametrize("place", PLACES)
def test_what_two_diagrams_share_is_the_same_whatever_else_there_is(place: str) -> None:
    """Others have corners on their edges, where these are straight in longitude and latitude."""
    one, two = stars(place, 2, 3, seed=4)
    (west, south), (east, north) = one.exterior.coords[:2]
    middle = ((west + east) / 2, (south + north) / 2)
    third = affinity.translate(shapely.box(0, 0, 1, 1), *middle)
    alone = Lands([one, two]).shared_hectares([0], [1])[0]
    assert Lands([one, two, third]).shared_hectares([0], [1])[0] == pytest.approx(alone, rel=1e-12)
    assert alone == approximately(hectares(curved(one) & curved(two)))


@pytest.mark.parametrize("size", [0.1, 6])
def test_neighbours_whose_border_is_one_line_as_drawn_share_no_land(size: float) -> None:
    """Geodesics between the corners of the lower ones are beside that of the upper one."""
    upper = shapely.box(-4, 40, -4 + size, 40 + size)
    halves = (-4, -4 + size / 2)
    lower = [shapely.box(west, 40 - size, west + size / 2, 40) for west in halves]
    above = [shapely.box(west, 40 + size, west + size / 2, 40 + 2 * size) for west in halves]
    lands = Lands([upper, *lower, *above])
    assert lands.shared_hectares([0] * 4, [1, 2, 3, 4]).tolist() == [0] * 4
    assert lands.common([0], [[1, 2]]).hectares().tolist() == [0]
    values = {"sysid": [1, 2, 2, 1, 1], "geometry": [upper, *lower, *above]}
    compared = project_of(values, {"A": [1, 2, 3, 4, 5]})
    assert len(compared.conflicts()) == len(compared.conflicts("diagrams")) == 0


@pytest.mark.parametrize("place", PLACES)
def test_every_question_tells_the_same_land(place: str) -> None:
    """Three diagrams of 12 degrees: conflicts of diagrams and systems, alliances, explanations and what is outside."""
    shapes = stars(place, 3, 6, seed=2)
    one, two, three = map(curved, shapes)
    values = {"sysid": [1, 2, 2], "geometry": shapes}
    compared = project_of(values, {"A": [1], "B": [2], "C": [1, 2, 3]})
    pairs = compared.conflicts("diagrams", "project").set_index(["diagramid_a", "diagramid_b"])["area_ha"].to_dict()
    shared = {(1, 2): one & two, (1, 3): one & three, (2, 3): two & three}
    assert pairs == approximately({pair: hectares(shape) for pair, shape in shared.items()})
    both = hectares(one & (two | three))
    assert compared.conflicts(scope="C")["area_ha"].tolist() == approximately([both])
    between = compared.conflicts(scope="between")
    assert between["area_ha"].tolist() == approximately([both])
    assert Lands(between.geometry).hectares() == approximately([both])
    alliances = compared.alliances().set_index(["design_a", "design_b"])["shared_land_ha"].to_dict()
    expected = {("A", "B"): one & two, ("A", "C"): one, ("B", "C"): two}
    assert alliances == approximately({pair: hectares(shape) for pair, shape in expected.items()})
    rows = compared.explain("C")
    assert rows["overlap_ha"][1] == approximately(both)
    assert rows["overlaps"][1] == [2, 3]
    assert land_once(Lands(shapes)) == approximately(hectares(one | two | three))
    boundaries = geopandas.GeoDataFrame({"areatype": ["inside"]}, geometry=[shapes[1]], crs=4326)
    table = hectares_by_class(shapes[:1], boundaries)
    assert table.to_numpy().tolist() == [approximately([hectares(one & two), hectares(one - two)])]


@pytest.mark.parametrize("size", [0.02, 6])
@pytest.mark.parametrize("place", PLACES)
def test_a_stock_counts_three_uses_of_one_land_once(place: str, size: float) -> None:
    shapes = stars(place, 5, size, seed=3)
    uses = geopandas.GeoDataFrame({"use": ["a", "b", "c", "a"]}, geometry=shapes[1:], crs=4326)
    compared = project_of({"geometry": shapes[:1]}, {"A": [1]})
    given: dict[str, Any] = {"given_in": "t", "land_use": uses, "column": "use", "undated": 2030, "by": "design"}
    diagram, first, b, c, second = map(curved, shapes)
    a = first | second
    (row,) = compared.stock_change({"b": 1, "a": 10, "c": 100}, {"Water": 0}, **given).to_dict("records")
    covered = [hectares(diagram & land) for land in (b, a - b, c - (a | b))]
    assert row["before"] == approximately(float(np.dot(covered, [1, 10, 100])))
    assert row["unknown_ha"] == approximately(hectares(diagram - (a | b | c)))
    assert row["map_overlap_ha"] == approximately(hectares(diagram & ((a & b) | (a & c) | (b & c))))


def test_what_is_previewed_outside_the_study_area_is_an_area() -> None:
    """From 40 degrees north to 52, where a degree of longitude is a quarter longer in the south than in the north."""
    area, drawing = shapely.box(-10, 44, 2, 56), shapely.box(-9, 40, 1, 52)
    with running_workshop() as workshop:
        boundaries = geopandas.GeoDataFrame({"bname": ["Bay"]}, geometry=[area], crs=4326)
        workshop.project.study_area.set_boundaries(boundaries)
        outside: Any = workshop.project.preview(WATER, drawing)["share_outside"]
    assert outside == pytest.approx(hectares(curved(drawing) - curved(area)) / hectares(curved(drawing)), rel=1e-9)
