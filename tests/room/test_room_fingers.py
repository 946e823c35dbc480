"""Drawing with fingers: one draws, two move and zoom the map."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from room_pages import Room, joined, link_of

PHONE: dict[str, Any] = {
    "width": 390,
    "height": 780,
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
TRIANGLE = [(0.3, 0.35), (0.6, 0.35), (0.6, 0.55)]


@pytest.fixture
def room(browser: Browser) -> Iterator[Room]:
    with demo_sandbox() as workshop, joined(browser, link_of(workshop, "admin"), **PHONE) as room:
        yield room


class Fingers:
    """Up to two fingers on the page."""

    def __init__(self, room: Room) -> None:
        self.page = room.page
        self.session = room.page.context.new_cdp_session(room.page)
        self.points: list[tuple[float, float]] = []

    def send(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(self.points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        self.page.wait_for_timeout(40)

    def down(self, place: tuple[float, float]) -> None:
        self.points.append(place)
        self.send("touchStart")

    def move(self, number: int, right: float, down: float) -> None:
        for _ in range(8):
            x, y = self.points[number]
            self.points[number] = (x + right / 8, y + down / 8)
            self.send("touchMove")

    def up(self) -> None:
        self.points.pop()
        self.send("touchEnd")


def corners(room: Room) -> list[Any]:
    """The drawing's corners, as this browser stores them."""
    return [coordinates[0] for coordinates in points(room)]


def points(room: Room) -> list[Any]:
    """The coordinates of the drawing's features, as this browser stores them."""
    room.page.wait_for_timeout(500)
    kept = room.page.evaluate("Object.values(localStorage).filter((value) => value.includes('features'))")
    return [one["geometry"]["coordinates"] for text in kept for one in json.loads(text)["features"]]


def begin(room: Room, tool: str = "Area") -> None:
    room.page.get_by_role("button", name="Draw", exact=True).tap()
    expect(room.page.locator("form.drawing")).to_be_visible()
    room.page.get_by_role("button", name=tool).tap()
    room.page.wait_for_timeout(400)


@pytest.mark.parametrize("first_moves", [False, True], ids=["the first finger rests", "both move"])
def test_a_pinch_adds_no_corner(room: Room, first_moves: bool) -> None:
    begin(room)
    for corner in TRIANGLE:
        room.page.touchscreen.tap(*room.place(corner))
        room.page.wait_for_timeout(400)
    before = corners(room)
    x, y = room.place((0.45, 0.7))
    fingers = Fingers(room)
    fingers.down((x, y))
    fingers.down((x + 60, y - 40))
    if first_moves:
        fingers.move(0, -30, 20)
    fingers.move(1, 48, -32)
    fingers.up()
    fingers.up()
    assert corners(room) == before
    # The next tap is a corner again.
    room.page.touchscreen.tap(*room.place((0.4, 0.6)))
    assert len(corners(room)[0]) == len(before[0]) + 1


@pytest.mark.parametrize("tool", ["Rectangle", "Freehand"])
def test_a_second_finger_gives_up_what_the_first_one_has_begun_to_draw(room: Room, tool: str) -> None:
    begin(room, tool)
    x, y = room.place((0.3, 0.3))
    fingers = Fingers(room)
    fingers.down((x, y))
    fingers.move(0, 60, 60)
    fingers.down((x + 120, y))
    fingers.move(1, 40, 40)
    fingers.up()
    fingers.up()
    assert corners(room) == []


def test_a_second_finger_puts_a_point_back_that_the_first_one_drags(room: Room) -> None:
    begin(room, "Points")
    room.page.touchscreen.tap(*room.place((0.6, 0.5)))
    before = points(room)
    fingers = Fingers(room)
    fingers.down(room.place((0.6, 0.5)))
    fingers.move(0, 40, 40)
    assert points(room) != before
    x, y = room.place((0.2, 0.55))
    fingers.down((x, y))
    fingers.move(1, 30, 30)
    fingers.up()
    fingers.up()
    assert points(room) == before


def test_a_second_finger_puts_a_corner_back_that_the_first_one_drags(room: Room) -> None:
    begin(room, "Rectangle")
    for place in ((0.3, 0.3), (0.6, 0.5)):
        room.page.touchscreen.tap(*room.place(place))
        room.page.wait_for_timeout(400)
    before = corners(room)
    assert len(before) == 1
    room.page.get_by_role("button", name="Corners").tap()
    room.page.touchscreen.tap(*room.place((0.45, 0.4)))
    room.page.wait_for_timeout(400)
    fingers = Fingers(room)
    fingers.down(room.place((0.6, 0.5)))
    fingers.move(0, 40, 40)
    assert corners(room) != before
    x, y = room.place((0.2, 0.55))
    fingers.down((x, y))
    fingers.move(1, 30, 30)
    fingers.up()
    fingers.up()
    assert corners(room) == before
