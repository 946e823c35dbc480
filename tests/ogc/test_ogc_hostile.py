"""OGC API – Features: requests and maps made to block the service."""

import time
from pathlib import Path
from typing import Any

import pytest
import shapely
from shapely.geometry import mapping

from ogc import Ogc
from pygeodesign import BadRequestError
from small_project import BOUNDS, MEMBER, WATER, Workshop, running_workshop

AREA = mapping(shapely.box(-9.2, 38.7, -9.1, 38.75))


def map_of_names(features: int, names: int) -> dict[str, Any]:
    """An evaluation map whose features have names of properties of their own."""
    rows = [
        {
            "type": "Feature",
            "geometry": AREA,
            "properties": {"areatype": "red"} | {f"n{row}x{name}": 1 for name in range(names)},
        }
        for row in range(features)
    ]
    return {"type": "FeatureCollection", "features": rows}


def evaluation_of(workshop: Workshop) -> str:
    return f"/collections/{workshop.id}.evaluation-{WATER}"


def page(ogc: Ogc, path: str, **parameters: int) -> str:
    response = ogc.send("GET", path, params={"f": "html", **parameters})
    assert response.status_code == 200, response.text
    return response.text


def test_a_page_of_features_does_not_grow_with_the_names_that_a_map_has(workshop: Workshop) -> None:
    member, ogc = workshop.project_of(MEMBER), Ogc(workshop.sandbox, MEMBER)
    sizes = []
    for features in (1, 90):
        member.system(WATER).set_evaluation(map_of_names(features, 110))
        items = f"{evaluation_of(workshop)}/items"
        alone = (f"{items}/0", evaluation_of(workshop), "/api")
        sizes.append([len(page(ogc, items, limit=10_000)), *(len(page(ogc, path)) for path in alone)])
    assert sizes[0] == sizes[1]
    assert "n0x1" not in page(ogc, items) and "n0x1" not in page(ogc, f"{items}/0")


def test_a_page_of_features_leads_to_the_room_and_names_the_documented_properties(workshop: Workshop) -> None:
    ogc = Ogc(workshop.sandbox, MEMBER)
    text = page(ogc, f"/collections/{workshop.id}.diagrams/items")
    assert f'href="{ogc.root.removesuffix("ogc")}"' in text
    assert "<td>description</td><td>The title of the diagram.</td>" in text


def staircase(steps: int, lift: float = 0.0) -> list[tuple[float, float]]:
    """A line across the study area, with two corners for each step, lifted by some steps."""
    west, south, _, _ = BOUNDS
    corners = []
    for step in range(steps):
        x, y = step / steps * 0.1, (step + lift) / steps * 0.1
        corners += [(round(west + x, 7), round(south + y, 7)), (round(west + x + 0.1 / steps, 7), round(south + y, 7))]
    return corners


def test_a_filter_ends_with_the_time_of_a_statement(tmp_path: Path) -> None:
    """Also where all of the time passes in one comparison of two geometries, which SQLite does not see."""
    limit = 1
    with running_workshop(tmp_path / "service.sqlite", {"statement_seconds": limit}) as workshop:
        line = {"type": "LineString", "coordinates": staircase(15_000)}
        for number in range(4):
            workshop.project.add_diagram(WATER, line, title=f"Stairs {number}")
        # It lies above the others, so that no two edges meet, and no comparison ends early.
        asked = "LINESTRING(" + ",".join(f"{x} {y}" for x, y in staircase(800, lift=1.5)) + ")"
        began = time.monotonic()
        items = f"/collections/{workshop.id}.parts/items"
        parameters = {"filter": f"S_INTERSECTS(geometry, {asked})"}
        response = Ogc(workshop.sandbox, MEMBER).send("GET", items, params=parameters)
        assert response.status_code in (200, 503), response.text
        assert time.monotonic() - began < 3 * limit


def test_a_map_has_no_more_names_than_one_feature_may_have_values(tmp_path: Path) -> None:
    with running_workshop(tmp_path / "service.sqlite", {"metadata_values": 40}) as workshop:
        system, member = workshop.project.system(WATER), workshop.project_of(MEMBER)
        system.set_evaluation(map_of_names(2, 19))
        told = "the map has 61 names of properties; the limit metadata_values is 40"
        for set_map in (member.system(WATER).set_evaluation, member.system(WATER).set_impact):
            with pytest.raises(BadRequestError, match=told):
                set_map(map_of_names(3, 20))
        with pytest.raises(BadRequestError, match="geojson has 61 names of properties"):
            workshop.project.study_area.set_boundaries(map_of_names(3, 20))
        # Many features with the same names are no table with many columns.
        same = map_of_names(1, 38)["features"] * 50
        system.set_evaluation({"type": "FeatureCollection", "features": same})
        assert len(Ogc(workshop.sandbox, MEMBER).json(f"{evaluation_of(workshop)}/items")["features"]) == 50


@pytest.mark.slow
def test_a_request_reads_no_map_that_it_does_not_ask_for(workshop: Workshop) -> None:
    ogc = Ogc(workshop.sandbox, MEMBER)

    def fastest() -> float:
        times = []
        for _ in range(8):
            began = time.perf_counter()
            ogc.json(f"/collections/{workshop.id}.layers")
            times.append(time.perf_counter() - began)
        return min(times)

    before = fastest()
    areas = [
        {"type": "Feature", "geometry": AREA, "properties": {"areatype": "red", "note": "{}," * 80_000}}
        for _ in range(150)
    ]
    workshop.project.system(WATER).set_evaluation({"type": "FeatureCollection", "features": areas})
    assert fastest() < 4 * before
