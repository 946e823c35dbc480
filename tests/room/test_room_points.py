"""Drawing points in the room: trees, bus stops and wells, with fingers, a mouse and the keys."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import geopandas
import pytest
import shapely
from playwright.sync_api import Browser, Locator, expect
from shapely.geometry import box

import pygeodesign
from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import Room, joined, link_of, opened_in
from team_designs import run_evening

PHONE: dict[str, Any] = {"width": 390, "height": 780, "has_touch": True, "is_mobile": True}
RATE = 1_200
STOPS = [(0.3, 0.3), (0.5, 0.35), (0.7, 0.3)]
# More digits than drawing tools hold.
WELLS = shapely.MultiPoint([(-74.15, 40.590000000000123), (-74.14, 40.59), (-74.13, 40.59)])
LAKE = box(-74.155, 40.58, -74.135, 40.60)


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo with a member, ana, and a system whose pieces cost 1,200 each."""
    with demo_sandbox() as sandbox:
        sandbox.add_user("ana")
        project = sandbox.project()
        project.add_member("ana")
        project.add_system("Street trees", "#3B8F4E", tag="TRE", cost=RATE)
        yield sandbox


@pytest.fixture
def phone(browser: Browser, workshop: Sandbox) -> Iterator[Room]:
    with joined(browser, link_of(workshop, "ana"), **PHONE) as room:
        yield room
        assert room.faults() == []


@pytest.fixture
def laptop(browser: Browser, workshop: Sandbox) -> Iterator[Room]:
    with joined(browser, link_of(workshop, "ana")) as room:
        yield room
        assert room.faults() == []


def begin(room: Room) -> Locator:
    """Opens the drawing with the tool for points."""
    room.open_drawing()
    room.page.wait_for_timeout(400)
    form = room.page.locator("form.drawing")
    form.get_by_role("button", name="Points").click()
    form.get_by_label("System").select_option(label="Street trees", force=True)
    return form


def tap(room: Room, places: Sequence[tuple[float, float]], pause: int = 450) -> None:
    for place in places:
        room.page.touchscreen.tap(*room.place(place))
        room.page.wait_for_timeout(pause)


def click(room: Room, places: Sequence[tuple[float, float]], pause: int = 450) -> None:
    for place in places:
        room.page.mouse.click(*room.place(place))
        room.page.wait_for_timeout(pause)


def drag(room: Room, start: tuple[float, float], end: tuple[float, float]) -> None:
    mouse = room.page.mouse
    mouse.move(*room.place(start))
    mouse.down()
    mouse.move(*room.place(end), steps=40)
    mouse.up()


def says(form: Locator, pieces: int) -> None:
    """The preview has the number of pieces and their price."""
    expect(form.locator(".preview")).to_contain_text("1 piece" if pieces == 1 else f"{pieces} pieces")
    expect(form.locator(".preview b")).to_have_attribute("data-cost", str(pieces * RATE))


def send(form: Locator, title: str | None = None) -> None:
    if title:
        form.get_by_label("Title", exact=True).fill(title)
    form.get_by_role("button", name="Send").click()
    expect(form).to_have_count(0)
    expect(form.page.locator(".waiting h2")).to_have_count(0)


def change(room: Room, title: str) -> Locator:
    room.cell(title).get_by_role("button", name="About").click()
    room.page.locator("dialog").get_by_role("button", name="Change").click()
    form = room.page.locator("form.drawing")
    expect(form.get_by_label("Title", exact=True)).to_have_value(title)
    return form


def drawn(workshop: Sandbox, title: str) -> Any:
    """The points of a diagram."""
    frame = workshop.project().diagrams().to_geopandas()
    return frame[frame["description"] == title].geometry.iloc[0]


def are_at(room: Room, points: Any, places: Sequence[tuple[float, float]]) -> bool:
    """True if points lie at these shares of the map, to a pixel."""
    shares = [room.place(room.share_of(point.x, point.y)) for point in shapely.get_parts(points)]
    wanted = [room.place(place) for place in places]
    return len(shares) == len(wanted) and all(
        abs(x - right) < 1 and abs(y - down) < 1
        for (x, y), (right, down) in zip(sorted(shares), sorted(wanted), strict=True)
    )


def counted(project: Any) -> tuple[int, float]:
    """Pieces and cost of the forty trees, as the project's costs have them."""
    (row,) = (row for row in project.costs().diagrams if row["description"] == "Forty trees")
    return row["pieces"], row["cost"]


def test_each_tap_is_a_piece_where_the_finger_was(phone: Room, workshop: Sandbox) -> None:
    form = begin(phone)
    expect(form.locator(".preview")).to_contain_text("Tap the map for each piece.")
    for count, stop in enumerate(STOPS, start=1):
        tap(phone, [stop])
        says(form, count)
    form.get_by_role("button", name="Finish").tap()
    send(form, "Stops")
    stops = drawn(workshop, "Stops")
    assert stops.geom_type == "MultiPoint"
    assert are_at(phone, stops, STOPS)


def test_a_tap_on_a_point_removes_it_and_undo_brings_it_back(phone: Room, workshop: Sandbox) -> None:
    form = begin(phone)
    tap(phone, STOPS)
    tap(phone, STOPS[1:2])
    says(form, 2)
    form.get_by_role("button", name="Undo").tap()
    says(form, 3)
    form.get_by_role("button", name="Undo").tap()
    form.get_by_role("button", name="Undo").tap()
    says(form, 1)
    form.get_by_role("button", name="Redo").tap()
    says(form, 2)
    form.get_by_role("button", name="Finish").tap()
    send(form, "Two stops")
    assert are_at(phone, drawn(workshop, "Two stops"), STOPS[:2])


def test_a_double_tap_adds_one_point_and_does_not_zoom(phone: Room) -> None:
    form = begin(phone)
    zoom = phone.page.evaluate("geodesignRoom.leaflet.getZoom()")
    tap(phone, [STOPS[0], STOPS[0], STOPS[1], STOPS[2]], pause=60)
    phone.page.wait_for_timeout(500)
    says(form, 3)
    assert phone.page.evaluate("geodesignRoom.leaflet.getZoom()") == zoom


def test_a_mouse_drags_points_and_deletes_them_with_the_key(laptop: Room, workshop: Sandbox) -> None:
    form = begin(laptop)
    click(laptop, STOPS)
    drag(laptop, STOPS[0], (0.35, 0.6))
    says(form, 3)
    form.get_by_role("button", name="Corners").click()
    click(laptop, [STOPS[2]])
    drag(laptop, STOPS[2], (0.6, 0.6))
    click(laptop, [STOPS[1]])
    laptop.page.keyboard.press("Delete")
    says(form, 2)
    send(form, "Moved")
    assert are_at(laptop, drawn(workshop, "Moved"), [(0.35, 0.6), (0.6, 0.6)])


def test_no_two_points_are_drawn_at_one_place(laptop: Room) -> None:
    form = begin(laptop)
    click(laptop, STOPS)
    for tool in ("Points", "Corners"):
        form.get_by_role("button", name=tool).click()
        click(laptop, [STOPS[0]] if tool == "Corners" else [])
        drag(laptop, STOPS[0], STOPS[1])
        laptop.page.wait_for_timeout(500)
        says(form, 3)
        expect(form.get_by_role("alert")).to_have_count(0)
        form.get_by_role("button", name="Undo").click()


def test_the_keys_set_and_remove_points_below_the_cross(laptop: Room, workshop: Sandbox) -> None:
    form = begin(laptop)
    laptop.page.locator("#views .map").focus()
    for key in ("Enter", "ArrowRight", "Enter", "ArrowRight", "Enter", "Enter"):
        laptop.page.keyboard.press(key)
        laptop.page.wait_for_timeout(600)
    says(form, 2)
    send(form, "By keys")
    assert len(drawn(workshop, "By keys").geoms) == 2


def test_changed_points_keep_the_digits_of_the_others(laptop: Room, workshop: Sandbox) -> None:
    wells = workshop.client("ana").project(workshop.project().id).add_diagram("Street trees", WELLS, title="Wells")
    form = change(laptop, "Wells")
    laptop.page.wait_for_timeout(600)
    form.get_by_role("button", name="Points").click()
    at = [laptop.share_of(point.x, point.y) for point in WELLS.geoms]
    click(laptop, [at[1]])
    drag(laptop, at[2], (at[2][0], at[2][1] + 0.1))
    click(laptop, [(at[0][0], at[0][1] + 0.1)])
    says(form, 3)
    send(form)
    points = shapely.get_parts(workshop.project().diagram(wells.id).features().to_geopandas().geometry)
    assert len(points) == 3 and points[0] == WELLS.geoms[0]
    assert are_at(laptop, points, [at[0], (at[2][0], at[2][1] + 0.1), (at[0][0], at[0][1] + 0.1)])


def test_copied_points_are_an_idea_of_your_own(laptop: Room, workshop: Sandbox) -> None:
    workshop.project().add_diagram("Street trees", WELLS, title="Wells")
    laptop.cell("Wells").get_by_role("button", name="About").click()
    laptop.page.locator("dialog").get_by_role("button", name="Copy").click()
    form = laptop.page.locator("form.drawing")
    says(form, 3)
    send(form)
    assert drawn(workshop, "Wells (copy)").equals_exact(WELLS, 0)


def test_an_own_price_by_the_piece_is_in_the_running_figures(laptop: Room, workshop: Sandbox) -> None:
    form = begin(laptop)
    click(laptop, STOPS)
    form.get_by_text("Funding, dates, cost, storeys, tags").click()
    form.get_by_label("Cost instead of the rate").fill("500")
    form.get_by_label("Unit of the cost").select_option(label="Per hectare, kilometre or piece")
    expect(form.locator(".preview b")).to_have_attribute("data-cost", "1500")
    form.get_by_label("Unit of the cost").select_option(label="In total")
    expect(form.locator(".preview b")).to_have_attribute("data-cost", "500")
    form.get_by_label("Unit of the cost").select_option(label="Per hectare, kilometre or piece")
    send(form, "Bollards")
    (row,) = (row for row in workshop.project().costs().diagrams if row["description"] == "Bollards")
    assert (row["pieces"], row["rate"], row["cost"]) == (3, 500, 1_500)


def test_points_drawn_without_the_service_arrive_when_it_is_back(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "evening.sqlite"
    with Sandbox(database) as sandbox:
        sandbox.project().add_system("Street trees", "#3B8F4E", tag="TRE", cost=RATE)
        link, port = link_of(sandbox, "admin"), int(sandbox.url.split(":")[2].split("/")[0])
        room = opened_in(browser.new_context(viewport={"width": 1400, "height": 900}), link)
        form = begin(room)
        click(room, STOPS[:1])
        sandbox.stop()
    expect(room.page.locator(".state[data-is=offline]")).to_be_attached()
    click(room, STOPS[1:])
    form.get_by_label("Title", exact=True).fill("Stops")
    form.get_by_role("button", name="Send").click()
    with Sandbox(database, port=port) as sandbox:
        expect(room.page.locator(".waiting h2")).to_have_count(0, timeout=20_000)
        assert are_at(room, drawn(sandbox, "Stops"), STOPS)


def test_others_see_the_last_point_that_was_set(browser: Browser, workshop: Sandbox) -> None:
    workshop.add_user("fay")
    workshop.project().add_member("fay", administrator=True)
    with joined(browser, link_of(workshop, "fay")) as fay, joined(browser, link_of(workshop, "ana")) as ana:
        run_evening(fay)
        fay.page.get_by_role("switch", name="Show outlines").click()
        ana.page.wait_for_function("() => geodesignRoom.project.drawingsShown")
        begin(ana)
        click(ana, STOPS, pause=1_100)
        expect(fay.page.locator(".drawer")).to_have_text("AN")
        expect(fay.page.locator("path.in-progress")).to_have_count(1)
        assert ana.faults() == fay.faults() == []


def test_clipping_drops_the_points_on_constraints_and_says_so(laptop: Room, workshop: Sandbox) -> None:
    project = workshop.project()
    project.study_area.set_constraints(LAKE, "Lake")
    with pytest.warns(UserWarning, match="on constraints"):
        workshop.client("ana").project(project.id).add_diagram("Street trees", WELLS, title="Wells")
    form = change(laptop, "Wells")
    expect(form.locator(".preview")).to_contain_text("2 pieces (67%) on land where nothing can change.")
    form.get_by_role("button", name="Clip drawing").click()
    expect(form.get_by_text("2 points on this land are left out.")).to_be_visible()
    form.get_by_role("button", name="Take clipped drawing").click()
    expect(form.get_by_text("The drawing is clipped. 2 points on this land are left out.")).to_be_visible()
    says(form, 1)
    send(form)
    (left,) = shapely.get_parts(drawn(workshop, "Wells"))
    assert left == WELLS.geoms[2]


def test_forty_trees_cost_forty_times_the_rate_everywhere(phone: Room, workshop: Sandbox, tmp_path: Path) -> None:
    trees = [(0.12 + 0.085 * column, 0.25 + 0.1 * row) for row in range(4) for column in range(10)]
    form = begin(phone)
    tap(phone, trees, pause=80)
    says(form, 40)
    form.get_by_role("button", name="Finish").tap()
    send(form, "Forty trees")
    assert phone.shows_diagrams({row["id"] for row in workshop.project().diagrams(fields="details")})
    phone.page.locator("#tab-diagrams").tap()
    expect(phone.cell("Forty trees")).to_contain_text("48.0 k")
    phone.cell("Forty trees").get_by_role("button", name="About").tap()
    card = phone.page.locator("dialog")
    expect(card).to_contain_text("40 pieces")
    expect(card).to_contain_text("48,000")
    project = workshop.project()
    assert counted(project) == (40, 48_000) and are_at(phone, drawn(workshop, "Forty trees"), trees)
    (diagram,) = (row for row in project.costs().diagrams if row["description"] == "Forty trees")
    report = project.compare({"Trees": [diagram["diagramid"]]}).to_html(currency="USD")
    (cells,) = re.findall(rf'<tr id="d{diagram["diagramid"]}">(.*?)</tr>', str(report))
    assert 'data-label="Pieces">40</td>' in cells and 'data-label="Cost (USD)">48,000</td>' in cells
    project.diagrams().to_file(tmp_path / "trees.gpkg")
    frame = geopandas.read_file(tmp_path / "trees.gpkg", layer="trees")
    assert len(frame[frame["description"] == "Forty trees"].geometry.iloc[0].geoms) == 40
    project.archive(tmp_path / "trees.zip", progress=False)
    assert counted(pygeodesign.open(tmp_path / "trees.zip")) == (40, 48_000)
