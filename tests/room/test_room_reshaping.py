"""Widening a line to an area, and splitting an area, in the drawing form."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import shapely
from playwright.sync_api import Browser, Locator, expect
from pyproj import CRS, Transformer
from shapely.geometry import shape

from barriers import barriers
from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import Room, joined, link_of

PHONE: dict[str, Any] = {"width": 390, "height": 780, "has_touch": True, "is_mobile": True}
# More digits than drawing tools hold.
ROAD = [[-74.15, 40.600000000000123], [-74.14, 40.605], [-74.13, 40.6]]
HOLED = [
    [[-74.15, 40.58], [-74.14, 40.58], [-74.14, 40.590000000000123], [-74.15, 40.59], [-74.15, 40.58]],
    [[-74.147, 40.583], [-74.147, 40.586], [-74.144, 40.586], [-74.147, 40.583]],
]
SQUARE = [[[-74.13, 40.58], [-74.12, 40.58], [-74.12, 40.59], [-74.13, 40.59], [-74.13, 40.58]]]
HEIGHTS = {"min_height": 0, "max_height": 40}
WIDEN = """async ([lines, width]) => {
  const { widened } = await import(new URL("web/room/widening.js", document.baseURI));
  return lines.map((line) => widened([line], [line], width)[0].geometry);
}"""
SPLIT = """async ([geometry, line]) => {
  const { splitFeature } = await import(new URL("web/room/splitting.js", document.baseURI));
  return splitFeature({ geometry }, line).map((part) => part.geometry);
}"""


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        yield sandbox


def feature(kind: str, coordinates: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


def add(sandbox: Sandbox, *features: dict[str, Any]) -> Any:
    collection = {"type": "FeatureCollection", "features": list(features)}
    return sandbox.project().add_diagram("Water", collection, title="As before")


def features_of(sandbox: Sandbox, diagram: Any) -> list[dict[str, Any]]:
    return list(sandbox.project().diagram(diagram.id).features().to_dict()["features"])


def change(room: Room) -> Locator:
    """Opens the diagram, and returns the form."""
    room.cell("As before").get_by_role("button", name="About").click()
    room.page.locator("dialog").get_by_role("button", name="Change").click()
    form = room.page.locator("form.drawing")
    expect(form.get_by_label("Title", exact=True)).to_have_value("As before")
    return form


def send(form: Locator) -> None:
    form.get_by_role("button", name="Send change").click()
    expect(form).to_have_count(0)
    expect(form.page.locator(".waiting h2")).to_have_count(0)


def cut(room: Room, line: Sequence[tuple[float, float]]) -> None:
    """Draws a line with the split tool."""
    room.page.get_by_role("button", name="Split").click()
    room.click_corners([room.share_of(*place) for place in line], closes=False)
    room.page.get_by_role("button", name="Finish").click()


def on_ground(geometry: Any, lon: float, lat: float) -> Any:
    """A shape in metres around a place."""
    local = CRS.from_proj4(f"+proj=aeqd +lat_0={lat} +lon_0={lon} +ellps=WGS84")
    transform = Transformer.from_crs(4326, local, always_xy=True).transform
    return shapely.transform(geometry, lambda places: np.column_stack(transform(*places.T)))


def strip_around(line: Sequence[Sequence[float]], width: float) -> Any:
    """The land within half a width of each part of a line, in metres."""
    corners = shapely.get_coordinates(on_ground(shapely.LineString(line), *line[0]))
    parts = [shapely.LineString(pair) for pair in pairwise(corners)]
    return shapely.union_all(shapely.buffer(parts, width / 2, quad_segs=32))


def test_a_road_of_twenty_metres_is_the_land_within_ten_metres_of_its_line(browser: Browser, workshop: Sandbox) -> None:
    diagram = add(workshop, feature("LineString", ROAD, volume_information=HEIGHTS))
    before = features_of(workshop, diagram)
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room)
        form.get_by_role("button", name="Widen line").click()
        expect(form.get_by_text("1 line is now an area 20 m wide.")).to_be_visible()
        expect(form.get_by_role("button", name="Widen line")).to_be_hidden()
        # The preview measures hectares.
        expect(form.locator(".preview")).to_contain_text("ha")
        form.get_by_role("button", name="Undo").click()
        expect(form.get_by_role("button", name="Widen line")).to_be_visible()
        send(form)
        assert features_of(workshop, diagram) == before
        form = change(room)
        form.get_by_label("Total width").fill("12.5")
        form.page.keyboard.press("Enter")
        form.get_by_role("button", name="Undo").click()
        form.get_by_role("button", name="Redo").click()
        send(form)
        assert room.faults() == []
    (wide,) = features_of(workshop, diagram)
    assert wide["properties"]["volume_information"] == HEIGHTS
    land, wanted = on_ground(shape(wide["geometry"]), *ROAD[0]), strip_around(ROAD, 12.5)
    assert land.is_valid
    assert land.symmetric_difference(wanted).area < 0.01 * wanted.area
    length = on_ground(shapely.LineString(ROAD), *ROAD[0]).length
    assert land.area == pytest.approx(length * 12.5 + np.pi * 6.25**2, rel=0.01)


def test_lines_that_turn_back_cross_and_close_have_valid_areas_at_every_latitude(
    browser: Browser, workshop: Sandbox
) -> None:
    lines: list[list[list[float]]] = [
        [[0, 0], [0.01, 0.01]],
        [[10, 60], [10.02, 60.01], [10.001, 60.0], [10.01, 60.02], [10.01, 59.99]],
        [[-70, -45], [-69.99, -45], [-69.99, -44.99], [-70, -44.99], [-70, -45]],
        [[20, 70], [20.2, 70.3]],
        [[5, 50], [5.0001, 50], [5, 50], [5.0002, 50.0001]],
    ]
    with joined(browser, link_of(workshop, "admin")) as room:
        for width in (5, 300):
            areas = map(shape, room.page.evaluate(WIDEN, [[feature("LineString", line) for line in lines], width]))
            for line, area in zip(lines, areas, strict=True):
                land, wanted = on_ground(area, *line[0]), strip_around(line, width)
                assert area.is_valid
                assert land.symmetric_difference(wanted).area < 0.01 * wanted.area
        (ring,) = room.page.evaluate(WIDEN, [[feature("LineString", lines[2])], 20])
        assert len(ring["coordinates"]) == 2, "a ring road has a hole"
        across = feature("MultiLineString", [[[179.99, -17], [180, -17]], [[-180, -17], [-179.99, -17]]])
        (divided,) = room.page.evaluate(WIDEN, [[across], 100])
        assert sorted(part.bounds[0::2] for part in shape(divided).geoms) == [
            (-180, pytest.approx(-179.9895, abs=1e-4)),
            (pytest.approx(179.9895, abs=1e-4), 180),
        ]


def test_a_side_road_joins_the_road_that_is_an_area_already(browser: Browser, workshop: Sandbox) -> None:
    side = [[-74.14, 40.605], [-74.14, 40.61]]
    diagram = add(workshop, feature("LineString", ROAD))
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room)
        form.get_by_role("button", name="Widen line").click()
        room.page.get_by_role("button", name="Line", exact=True).click()
        room.click_corners([room.share_of(*place) for place in side], closes=False)
        form.get_by_role("button", name="Finish").click()
        form.get_by_label("Total width").fill("60")
        form.get_by_role("button", name="Widen line").click()
        expect(form.get_by_text("1 line is now an area 60 m wide.")).to_be_visible()
        send(form)
        assert room.faults() == []
    (joint,) = features_of(workshop, diagram)
    land, road = on_ground(shape(joint["geometry"]), *ROAD[0]), strip_around(ROAD, 20)
    assert land.geom_type == "Polygon"
    assert road.difference(land).area < 0.01 * road.area
    # Some 550 m, to where its corners snapped.
    assert land.difference(road).area == pytest.approx(550 * 60, rel=0.3)


def test_lines_that_are_left_beside_an_area_are_named_at_once(browser: Browser, workshop: Sandbox) -> None:
    other = [[-74.15, 40.58], [-74.13, 40.585]]
    diagram = add(workshop, feature("LineString", ROAD), feature("LineString", other))
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room)
        room.page.mouse.click(*room.place(room.share_of(*other[0])))
        form.get_by_role("button", name="Widen line").click()
        expect(form.get_by_text("1 line is left. Widen it, too")).to_be_visible()
        form.get_by_role("button", name="Widen line").click()
        expect(form.get_by_text("is left")).to_have_count(0)
        send(form)
    assert {each["geometry"]["type"] for each in features_of(workshop, diagram)} == {"Polygon"}


def test_parts_of_an_area_add_up_touch_and_keep_holes_and_heights(browser: Browser, workshop: Sandbox) -> None:
    diagram = add(workshop, feature("Polygon", HOLED, volume_information=HEIGHTS))
    before = features_of(workshop, diagram)
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room)
        # East of the hole.
        cut(room, [(-74.142, 40.575), (-74.143, 40.595)])
        expect(form.get_by_text("Split into 2 parts.")).to_be_visible()
        form.get_by_role("button", name="Undo").click()
        send(form)
        assert features_of(workshop, diagram) == before
        form = change(room)
        cut(room, [(-74.142, 40.575), (-74.143, 40.595)])
        send(form)
        assert room.faults() == []
    parts = features_of(workshop, diagram)
    assert [part["properties"]["volume_information"] for part in parts] == [HEIGHTS, HEIGHTS]
    whole, (one, other) = shape(before[0]["geometry"]), (shape(part["geometry"]) for part in parts)
    assert one.is_valid and other.is_valid
    assert one.area + other.area == pytest.approx(whole.area, rel=1e-9)
    assert one.touches(other)
    assert sorted(len(part.interiors) for part in (one, other)) == [0, 1]
    # The border is where the pointer drew it, to a pixel.
    (_, south), (_, north) = shapely.get_coordinates(one.intersection(other))[[0, -1]]
    middle = one.intersection(other).interpolate(0.5, normalized=True)
    assert {round(south, 6), round(north, 6)} == {40.58, 40.59}
    assert middle.x == pytest.approx(-74.1425, abs=3e-4)


def test_a_line_that_ends_within_an_area_splits_nothing_and_says_so(browser: Browser, workshop: Sandbox) -> None:
    add(workshop, feature("Polygon", HOLED))
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room)
        cut(room, [(-74.142, 40.575), (-74.1425, 40.585)])
        expect(form.get_by_role("alert")).to_contain_text("the line crosses no area completely")
        bodies: list[Any] = []
        room.page.on("request", lambda request: bodies.append(request.url) if request.method == "PATCH" else None)
        send(form)
        assert bodies == []


def test_removing_shapes_is_undone(browser: Browser, workshop: Sandbox) -> None:
    diagram = add(workshop, feature("Polygon", HOLED), feature("Polygon", SQUARE))
    before = features_of(workshop, diagram)
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room)
        form.get_by_role("button", name="Remove this shape").click()
        expect(form.get_by_role("button", name="Remove this shape")).to_have_count(0)
        form.get_by_role("button", name="Clear").click()
        form.get_by_role("button", name="Undo").click()
        form.get_by_role("button", name="Undo").click()
        expect(form.get_by_role("button", name="Remove this shape")).to_be_visible()
        send(form)
    assert features_of(workshop, diagram) == before


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ([[-1, 1], [5, 1]], 3),  # through both arms of a U
        ([[0, 0], [1, 0.5], [1, 3], [0, 3]], 2),  # from corner to corner, where it snapped
        ([[-1, 0], [5, 0]], 1),  # along an edge
        ([[0.5, 3], [0.5, 0.5]], 1),  # to nowhere
        ([[359, 0.25], [365, 0.25]], 2),  # on the next turn around the earth
    ],
)
def test_a_line_parts_what_it_crosses_and_no_more(
    browser: Browser, workshop: Sandbox, line: list[Any], parts: int
) -> None:
    letter = [[0, 0], [4, 0], [4, 3], [3, 3], [3, 0.5], [1, 0.5], [1, 3], [0, 3], [0, 0]]
    geometry = {"type": "Polygon", "coordinates": [letter, [[0.2, 2], [0.5, 2.5], [0.8, 2], [0.2, 2]]]}
    with joined(browser, link_of(workshop, "admin")) as room:
        found = [shape(part) for part in room.page.evaluate(SPLIT, [geometry, line])]
    assert len(found) == parts
    assert all(part.is_valid for part in found)
    assert sum(part.area for part in found) == pytest.approx(shape(geometry).area, rel=1e-12)
    assert shapely.union_all(found).symmetric_difference(shape(geometry)).area < 1e-12


def test_both_are_done_by_finger(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "admin"), **PHONE) as room:
        page = room.page
        page.locator(".tools").get_by_role("button", name="Draw").tap()
        page.get_by_role("button", name="Line", exact=True).tap()
        room.tap_corners([(0.3, 0.2), (0.6, 0.2)])
        page.get_by_label("Total width").fill("800")
        page.get_by_role("button", name="Widen line").tap()
        expect(page.get_by_text("1 line is now an area 800 m wide.")).to_be_visible()
        page.get_by_role("button", name="Split").tap()
        page.wait_for_timeout(400)
        room.tap_corners([(0.45, 0.12), (0.45, 0.28)])
        expect(page.get_by_text("Split into 2 parts.")).to_be_visible()
        page.get_by_label("Title", exact=True).fill("Two fields")
        room.send()
        expect(room.cell("Two fields")).to_be_attached()
        assert room.faults() == []
    west, east = (
        shape(part["geometry"]) for part in workshop.project().diagram("Two fields").features().to_dict()["features"]
    )
    assert west.touches(east)
    assert west.area == pytest.approx(east.area, rel=0.1)


def test_an_area_is_drawn_and_split_with_the_keys_alone(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "admin")) as room:
        page = room.page
        room.open_drawing()

        def from_here(tool: str, *keys: str) -> None:
            """Begins in the middle of the map, moves the map, and ends."""
            page.get_by_role("button", name=tool, exact=True).press("Enter")
            page.locator("#views .map").focus()
            page.keyboard.press("Enter")
            for key in keys:
                page.keyboard.press(key)
                page.wait_for_timeout(400)
            page.keyboard.press("Enter")

        from_here("Line", "ArrowRight", "ArrowRight")
        page.get_by_label("Total width").fill("2000")
        page.get_by_role("button", name="Widen line").press("Enter")
        page.locator("#views .map").focus()
        for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
            page.keyboard.press(key)
            page.wait_for_timeout(400)
        from_here("Split", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
        expect(page.get_by_text("Split into 2 parts.")).to_be_visible()
        assert barriers(page) == []
