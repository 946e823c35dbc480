"""`Comparison.consensus()` of many edges: the land is cut into tiles, of which the result shows nothing."""

from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

from overlays import along_geodesics, hectares
from pygeodesign import Project
from pygeodesign._planning import consensus

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


def layer_of(frame: Any, designs: Any, systems: Any, edges: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(consensus, "EDGES_IN_A_TILE", edges)
    return consensus.consensus(frame, designs, systems, False).set_index(VOTES)


def by_overlay_of_all(frame: geopandas.GeoDataFrame, designs: dict[str, list[int]]) -> dict[tuple[Any, ...], float]:
    """Hectares by votes, from one overlay of all outlines, and each place looked up in each diagram."""
    frame = frame.set_geometry(frame.geometry.map(lambda shape: along_geodesics(shape, 30)))
    faces = shapely.get_parts(shapely.polygonize([shapely.union_all(frame.boundary.to_numpy())]))
    found: dict[tuple[Any, ...], float] = {}
    for face in faces:
        covering = frame.index[frame.contains(face.representative_point())]
        chosen = [{int(frame["sysid"][number]) for number in covering if number in ids} for ids in designs.values()]
        votes = [sum(sysid in systems for systems in chosen) for sysid in SYSTEMS.index]
        if most := max(votes):
            key = (sum(map(bool, chosen)), int(SYSTEMS.index[votes.index(most)]), most, votes.count(most) > 1)
            found[key] = found.get(key, 0.0) + hectares(face)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_tiles_show_in_no_row(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = stars(60, 0.15, seed)
    designs = designs_of(frame, seed)
    whole = layer_of(frame, designs, SYSTEMS, 10**9, monkeypatch)
    for edges in (30, 200):
        tiled = layer_of(frame, designs, SYSTEMS, edges, monkeypatch)
        assert tiled.index.equals(whole.index)
        assert tiled["area_ha"].to_numpy() == pytest.approx(whole["area_ha"].to_numpy(), rel=1e-9, abs=1e-6)
        assert tiled.is_valid.all()
        # No slivers along the cuts.
        parts = [shapely.get_num_geometries(layer.geometry.to_numpy()).tolist() for layer in (tiled, whole)]
        assert parts[0] == parts[1]
        apart = shapely.symmetric_difference(tiled.geometry.to_numpy(), whole.geometry.to_numpy())
        assert shapely.area(apart).max() < 1e-14
        # No row has a point more, and none is counted twice.
        points = [shapely.get_num_coordinates(layer.geometry.to_numpy()).sum() for layer in (tiled, whole)]
        assert points[0] == points[1]
        together = shapely.area(shapely.union_all(tiled.geometry.to_numpy()))
        assert together == pytest.approx(shapely.area(tiled.geometry.to_numpy()).sum(), rel=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_tiles_have_the_votes_of_one_overlay_of_all_outlines(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = stars(40, 0.15, seed)
    designs = designs_of(frame, seed)
    expected = {key: area for key, area in by_overlay_of_all(frame, designs).items() if area >= 1e-6}
    found = layer_of(frame, designs, SYSTEMS, 40, monkeypatch)["area_ha"].to_dict()
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-6)


def test_tiles_of_the_demo_show_in_no_row(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [(team["id"], design["id"]) for team in project.teams() for design in project.designs(team["id"])]
    compared: Any = project.compare(every)
    question = (compared.diagrams, compared.designs, compared.systems)
    whole, tiled = (layer_of(*question, edges, monkeypatch) for edges in (10**9, 50))
    assert tiled.index.equals(whole.index)
    assert tiled["area_ha"].to_numpy() == pytest.approx(whole["area_ha"].to_numpy(), rel=1e-9, abs=1e-6)
    assert tiled["area_ha"].sum() == pytest.approx(whole["area_ha"].sum(), rel=1e-9)


@pytest.mark.parametrize("degrees", [0, 30, 45])
@pytest.mark.parametrize("edges", [20, 10**9])
def test_borders_that_many_diagrams_share_leave_no_slivers(
    degrees: int, edges: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turned, borders that were the same differ by rounding."""
    random = np.random.default_rng(3)
    corners, sizes = random.integers(0, 10, (150, 2)) / 10, random.integers(1, 4, (150, 2)) / 10
    frame = frame_of(shapely.box(*corners.T, *(corners + sizes).T), random)
    frame = frame.set_geometry(frame.rotate(degrees, origin=(0.5, 0.5)))
    designs = designs_of(frame, 1)
    layer = layer_of(frame, designs, SYSTEMS, edges, monkeypatch)
    chosen = frame.geometry[sorted({number for ids in designs.values() for number in ids})]
    land = shapely.area(shapely.union_all(chosen.to_numpy()))
    # Geodesics have a little more or less than lines that are straight in degrees.
    assert shapely.area(layer.geometry.to_numpy()).sum() == pytest.approx(land, rel=1e-5)
    assert layer["area_ha"].min() > 1
    assert layer.is_valid.all()
