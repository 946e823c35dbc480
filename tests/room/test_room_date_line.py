"""A study area on both sides of longitude 180, which GeoJSON divides there."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import shapely
from PIL import Image
from playwright.sync_api import Browser, expect

from pygeodesign import Sandbox
from room_pages import Room, joined, link_of

WEST = shapely.box(179.5, -17, 180, -16.5)
EAST = shapely.box(-180, -17, -179.5, -16.5)


@pytest.fixture
def taveuni() -> Iterator[Sandbox]:
    area = shapely.MultiPolygon([WEST, EAST])
    feature = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(area)}
    project = {
        "title": "Taveuni 2050",
        "members": ["ana"],
        "administrators": ["ana"],
        "boundaries": {"geojson": {"type": "FeatureCollection", "features": [feature]}},
        "systems": [{"name": "Water", "tag": "WAT", "color": "#1f77b4", "cost": 1000}],
    }
    with Sandbox(project=None, setup={"users": ["ana"], "new_projects": [project]}) as sandbox:
        yield sandbox


def scale_of(room: Room) -> str:
    return str(room.page.locator(".leaflet-control-scale-line").first.inner_text())


def project_of(sandbox: Sandbox) -> Any:
    return sandbox.client("ana").project(sandbox.project_ids[0])


def test_the_room_opens_with_both_sides_beside_each_other(browser: Browser, taveuni: Sandbox) -> None:
    with joined(browser, link_of(taveuni, "ana")) as room:
        assert scale_of(room).endswith("km")
        assert float(scale_of(room).split()[0]) <= 30
        west, east = room.share_of(179.75, -16.75), room.share_of(-179.75, -16.75)
        assert 0 < west[0] < east[0] < 1
        assert east[0] - west[0] < 0.6


def test_what_crosses_is_divided_when_it_is_sent_and_stays_so_when_it_is_renamed(
    browser: Browser, taveuni: Sandbox
) -> None:
    with joined(browser, link_of(taveuni, "ana")) as room:
        corners = [
            room.share_of(*place) for place in ((179.8, -16.9), (-179.8, -16.9), (-179.8, -16.6), (179.8, -16.6))
        ]
        room.draw("Across", corners)
        expect(room.cell("Across")).to_be_attached()
        expect(room.page.locator(".waiting h2")).to_have_count(0)
        [feature] = project_of(taveuni).diagram("Across").features().to_dict()["features"]
        shape = shapely.geometry.shape(feature["geometry"])
        assert shape.geom_type == "MultiPolygon"
        west, east = sorted(shape.geoms, key=lambda part: -part.bounds[0])
        assert west.bounds == pytest.approx((179.8, -16.9, 180, -16.6), abs=0.01)
        assert east.bounds == pytest.approx((-180, -16.9, -179.8, -16.6), abs=0.01)

        room.cell("Across").get_by_role("button", name="About").click()
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        room.page.get_by_label("Title", exact=True).fill("Both sides")
        room.page.get_by_role("button", name="Send change").click()
        expect(room.cell("Both sides")).to_be_attached()
        [after] = project_of(taveuni).diagram("Both sides").features().to_dict()["features"]
        assert after["geometry"] == feature["geometry"]
        assert room.faults() == []


def test_what_lies_on_either_side_has_its_own_longitudes_and_is_found_where_it_is(
    browser: Browser, taveuni: Sandbox
) -> None:
    with joined(browser, link_of(taveuni, "ana")) as room:
        for title, west in (("In the west", 179.6), ("In the east", -179.9)):
            places = [(west, -16.9), (west + 0.2, -16.9), (west + 0.2, -16.7)]
            room.draw(title, [room.share_of(*place) for place in places])
            expect(room.cell(title)).to_be_attached()
            expect(room.page.locator(".waiting h2")).to_have_count(0)
            shape = shapely.geometry.shape(
                project_of(taveuni).diagram(title).features().to_dict()["features"][0]["geometry"]
            )
            assert shape.bounds[0] == pytest.approx(west, abs=0.01)
            # The pointer finds it.
            room.page.mouse.move(*room.place(room.share_of(west + 0.15, -16.86)))
            expect(room.page.locator(".tip")).to_contain_text(title)


def test_the_picture_of_a_diagram_shows_both_parts(taveuni: Sandbox) -> None:
    project = project_of(taveuni)
    both = shapely.MultiPolygon([shapely.box(179.7, -17, 180, -16.7), shapely.box(-180, -17, -179.7, -16.7)])
    diagram = project.add_diagram("Water", both, title="Across")
    picture = np.asarray(Image.open(io.BytesIO(project.diagram(diagram.id).thumbnail())).convert("RGB")).astype(int)
    # Blue water is in the middle of the study area: neither two dots at the edges nor one half of it.
    is_water = picture[..., 0] < picture[..., 2] - 40
    columns = np.flatnonzero(is_water.sum(axis=0) > 50)
    assert columns.min() < 110
    assert columns.max() > 146
    assert len(columns) > 0.9 * (columns.max() - columns.min())
