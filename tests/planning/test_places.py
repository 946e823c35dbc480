"""Places by the designs' systems there, the consensus, and land between designs, compared with shapely's overlays."""

import itertools
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

from overlays import along_geodesics, hectares
from pygeodesign import Project
from pygeodesign._planning.land.consensus import places_of_designs
from pygeodesign._planning.land.lands import Lands

SYSTEMS = pd.DataFrame({"name": ["Water", "Green", "Housing"]}, index=[1, 2, 3])
VOTES = ["designs", "sysid", "votes", "tied"]


def stars(count: int, size: float, seed: int) -> geopandas.GeoDataFrame:
    """Diagrams with many corners around random places, some of them with a hole, each of a random system."""
    random = np.random.default_rng(seed)
    shapes = []
    for west, south in random.uniform(0, 1, (count, 2)):
        angles = np.sort(random.uniform(0, 2 * np.pi, 16))
        around = np.column_stack([np.cos(angles), np.sin(angles)]) * random.uniform(0.3, 1, (16, 1))
        shape = shapely.make_valid(shapely.Polygon(around * size + (west, south)))
        shapes.append(shape.difference(shapely.box(west, south, west + size / 9, south + size / 9)))
    return frame_of(shapes, random)


def frame_of(shapes: Any, random: np.random.Generator) -> geopandas.GeoDataFrame:
    fields = {"sysid": random.integers(1, 4, len(shapes)), "kind": "project"}
    return geopandas.GeoDataFrame(fields, geometry=list(shapes), crs="EPSG:4326", index=range(1, len(shapes) + 1))


def designs_of(frame: geopandas.GeoDataFrame, seed: int) -> dict[str, list[int]]:
    random = np.random.default_rng(seed)
    return {
        f"Design {number}": random.choice(frame.index, len(frame) // 3, replace=False).tolist() for number in range(5)
    }


def layer_of(frame: Any, designs: Any, systems: Any = SYSTEMS) -> Any:
    return places_of_designs(frame, designs, systems).set_index(VOTES)


def by_overlay_of_all(
    frame: geopandas.GeoDataFrame, designs: dict[str, list[int]], systems: Any = SYSTEMS, pieces: int = 30
) -> dict[tuple[Any, ...], float]:
    """Hectares by votes, from one overlay of all outlines, with a lookup of each place in each diagram."""
    frame = frame.set_geometry(frame.geometry.map(lambda shape: along_geodesics(shape, pieces)))
    faces = shapely.get_parts(shapely.polygonize([shapely.union_all(frame.boundary.to_numpy())]))
    found: dict[tuple[Any, ...], float] = {}
    for face in faces:
        covering = frame.index[frame.contains(face.representative_point())]
        chosen = [{int(frame["sysid"][number]) for number in covering if number in ids} for ids in designs.values()]
        votes = [sum(sysid in own for own in chosen) for sysid in systems.index]
        if most := max(votes):
            key = (sum(map(bool, chosen)), int(systems.index[votes.index(most)]), most, votes.count(most) > 1)
            found[key] = found.get(key, 0.0) + hectares(face)
    return found


def bricks(size: float, seed: int) -> geopandas.GeoDataFrame:
    """Diagrams of a grid, some wider than one cell, so that corners of others lie on their edges."""
    random = np.random.default_rng(seed)
    corners, sizes = random.integers(0, 10, (150, 2)), random.integers(1, 4, (150, 2))
    return frame_of(shapely.box(*(corners * size).T, *((corners + sizes) * size).T), random)


@pytest.mark.parametrize("seed", range(2))
def test_votes_are_those_of_one_overlay_of_all_outlines(seed: int) -> None:
    frame = stars(40, 0.15, seed)
    designs = designs_of(frame, seed)
    expected = {key: area for key, area in by_overlay_of_all(frame, designs).items() if area >= 1e-6}
    layer = layer_of(frame, designs)
    assert layer["area_ha"].to_dict() == pytest.approx(expected, rel=1e-7, abs=1e-6)
    # Without edges that are bent by corners of others, the hectares are those of the shapes.
    assert Lands(layer.geometry).hectares() == pytest.approx(layer["area_ha"].to_numpy(), rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_places_have_all_land_and_each_of_it_once(seed: int) -> None:
    frame = stars(60, 0.15, seed)
    designs = designs_of(frame, seed)
    layer = layer_of(frame, designs)
    assert layer.is_valid.all()
    chosen = sorted({number for ids in designs.values() for number in ids})
    land = Lands([shapely.union_all(Lands(frame.geometry[chosen]).shapes())]).hectares()[0]
    together = Lands([shapely.union_all(layer.geometry.to_numpy())]).hectares()[0]
    assert layer["area_ha"].sum() == pytest.approx(land, rel=1e-9)
    assert together == pytest.approx(land, rel=1e-9)


@pytest.mark.parametrize("latitude", [-17, 70])
def test_places_over_the_antimeridian_are_those_of_the_same_land_elsewhere(latitude: float) -> None:
    frame = stars(40, 0.15, 5)
    designs = designs_of(frame, 5)
    here, there = (layer_of(frame.set_geometry(frame.translate(east, latitude)), designs) for east in (20, 179.5))
    assert there.index.equals(here.index)
    assert there["area_ha"].to_numpy() == pytest.approx(here["area_ha"].to_numpy(), rel=1e-9, abs=1e-8)
    assert there.is_valid.all()
    bounds = there.total_bounds
    assert (bounds[0], bounds[2]) == pytest.approx((-180, 180))
    assert not shapely.box(-179, -90, 179, 90).intersects(there.geometry.to_numpy()).any()


def test_votes_of_the_demo_are_those_of_one_overlay_of_all_outlines(project: Project) -> None:
    every = [(team["id"], design["id"]) for team in project.teams() for design in project.designs(team["id"])]
    compared: Any = project.compare(every)
    frame = compared.diagrams[compared.diagrams["kind"] == "project"]
    layer = layer_of(frame, compared.designs, compared.systems)
    expected = by_overlay_of_all(frame, compared.designs, compared.systems, 2)
    both = [pd.Series(areas) for areas in (layer["area_ha"].to_dict(), expected)]
    apart = both[0].sub(both[1], fill_value=0)
    assert apart.to_numpy() == pytest.approx(np.zeros(len(apart)), abs=1e-3)
    assert layer["area_ha"].sum() == pytest.approx(sum(expected.values()), rel=1e-7)


@pytest.mark.parametrize("degrees", [0, 30, 45])
def test_borders_that_many_diagrams_share_leave_no_slivers(degrees: int) -> None:
    """After turning, equal borders differ by rounding."""
    frame = bricks(0.1, 3)
    frame = frame.set_geometry(frame.rotate(degrees, origin=(0.5, 0.5)))
    designs = designs_of(frame, 1)
    layer = layer_of(frame, designs)
    chosen = frame.geometry[sorted({number for ids in designs.values() for number in ids})]
    land = shapely.area(shapely.union_all(chosen.to_numpy()))
    # Geodesics have a little more or less than lines that are straight in degrees.
    assert shapely.area(layer.geometry.to_numpy()).sum() == pytest.approx(land, rel=1e-5)
    assert layer["area_ha"].min() > 1
    assert layer.is_valid.all()


@pytest.mark.parametrize("frame", [stars(40, 0.15, 7), bricks(0.001, 7)], ids=["stars", "bricks"])
def test_land_between_designs_is_that_of_overlays_one_by_one(frame: Any) -> None:
    designs = designs_of(frame, 7)
    pairs = list(itertools.combinations(range(len(SYSTEMS)), 2))
    of_row = [np.flatnonzero([number in ids for ids in designs.values()]) for number in frame.index]
    lands = Lands(frame.geometry).between(pairs, frame["sysid"].to_numpy() - 1, of_row)
    shapes = frame.geometry.map(lambda shape: along_geodesics(shape, 20))

    def united(system: int, ids: list[int]) -> Any:
        return shapely.union_all(shapes[(frame["sysid"] == system + 1) & frame.index.isin(ids)].to_numpy())

    ordered = list(itertools.permutations(designs.values(), 2))
    expected = [
        shapely.union_all([united(one, first) & united(other, second) for first, second in ordered])
        for one, other in pairs
    ]
    expected.append(shapely.union_all(expected))
    assert lands.hectares() == pytest.approx([hectares(shape) for shape in expected], rel=1e-6)
    apart = shapely.symmetric_difference(lands.shapes(), expected)
    assert shapely.area(apart) == pytest.approx(np.zeros(len(apart)), abs=1e-7)


def test_circles_that_nearly_coincide_lose_no_land() -> None:
    frame = frame_of(
        shapely.buffer(shapely.points(np.arange(100) * 1e-4, 0), 0.01, quad_segs=300), np.random.default_rng(1)
    )
    layer = layer_of(frame, {f"Design {number}": [number] for number in frame.index})
    union = shapely.union_all(frame.geometry.to_numpy())
    assert layer["area_ha"].sum() == pytest.approx(hectares(union), rel=1e-9)
    assert layer.index.get_level_values("designs").max() == 100


def test_land_between_designs_is_right_where_corners_bend_borders() -> None:
    """By millimetres, and in each pair of designs differently."""
    random = np.random.default_rng(3)
    corners, sizes, size = random.integers(0, 60, (2000, 2)), random.integers(1, 5, (2000, 2)), 0.01
    systems = random.integers(0, 2, 2000)
    has = np.array([np.isin(np.arange(2000), random.choice(2000, 600, replace=False)) for _ in range(10)])
    south_west = corners * size + (5, 45)
    shapes = shapely.box(*south_west.T, *(south_west + sizes * size).T)
    found = Lands(shapes).between([(0, 1)], systems, map(np.flatnonzero, has.T))
    # Which design has which system in which cell.
    cells = np.zeros((2, 10, 65, 65), dtype=bool)
    for (west, south), (wide, high), system, own in zip(corners, sizes, systems, has.T, strict=True):
        cells[system, own, west : west + wide, south : south + high] = True
    pairs = itertools.permutations(range(10), 2)
    between = np.any([cells[0, one] & cells[1, other] for one, other in pairs], axis=0)
    west_south = np.argwhere(between) * size + (5, 45)
    expected = Lands(shapely.box(*west_south.T, *(west_south + size).T)).hectares().sum()
    assert found.hectares() == pytest.approx([expected, expected], rel=1e-5)
    assert shapely.is_valid(found.shapes()).all()
