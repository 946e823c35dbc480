"""Changing a diagram in the room: the member's changes are sent, and everything else stays as it was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import Room, joined, link_of
from team_designs import run_evening
from widget_host import cell

# More digits than drawing tools hold.
EXACT = 40.580000000000123


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        yield sandbox


def block(west: float, *, hole: bool = False, height: float | None = None) -> list[Any]:
    """The rings of a square."""
    side = 0.01
    ring = [[west, EXACT], [west + side, EXACT], [west + side, EXACT + side], [west, EXACT + side], [west, EXACT]]
    court = [[west + 0.003, 40.583], [west + 0.003, 40.586], [west + 0.006, 40.586], [west + 0.003, 40.583]]
    rings = [ring, court] if hole else [ring]
    return [[[*position, height] for position in part] for part in rings] if height is not None else rings


def feature(geometry: Any, **heights: float) -> dict[str, Any]:
    volume = {"volume_information": heights} if heights else {}
    return {"type": "Feature", "properties": volume, "geometry": geometry}


def polygon(rings: list[Any]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": rings}


HOLED = feature(polygon(block(-74.15, hole=True)))
TALL = feature(polygon(block(-74.13)), min_height=0, max_height=40)
RAISED = feature(polygon(block(-74.17, height=12.5)))
SEVERAL = feature({"type": "MultiPolygon", "coordinates": [block(-74.19), block(-74.11)]})
LINE = feature({"type": "LineString", "coordinates": [[-74.15, 40.600000000000123], [-74.14, 40.61]]})


def add(sandbox: Sandbox, *features: dict[str, Any], title: str = "Old name", **values: Any) -> Any:
    collection = {"type": "FeatureCollection", "features": list(features)}
    return sandbox.project().add_diagram("Water", collection, title=title, **values)


def change(room: Room, title: str = "Old name") -> None:
    room.cell(title).get_by_role("button", name="About").click()
    room.page.locator("dialog").get_by_role("button", name="Change").click()
    expect(room.page.get_by_label("Title", exact=True)).to_have_value(title)


def send(room: Room) -> None:
    room.page.get_by_role("button", name="Send change").click()
    expect(room.page.locator("form.drawing")).to_have_count(0)


def sent(room: Room) -> list[tuple[str, Any]]:
    """Notes what the page sends from now on: the end of the path and the body."""
    found: list[tuple[str, Any]] = []
    room.page.on(
        "request",
        lambda request: (
            found.append((request.url.split("/diagrams/")[1], request.post_data_json))
            if request.method in ("PATCH", "POST") and "/diagrams/" in request.url
            else None
        ),
    )
    return found


@pytest.mark.parametrize(
    "features",
    [[HOLED], [TALL], [RAISED], [SEVERAL], [LINE], [TALL, HOLED, RAISED, SEVERAL]],
    ids=["a hole", "a building", "heights of corners", "several areas", "a line", "all of them"],
)
def test_a_new_title_changes_the_title_and_nothing_else(
    browser: Browser, workshop: Sandbox, features: list[dict[str, Any]]
) -> None:
    diagram, project = add(workshop, *features), workshop.project()
    before, cost = project.diagram(diagram.id).features().to_dict(), project.costs(diagrams=[diagram]).total
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        room.page.get_by_label("Title", exact=True).fill("New name")
        bodies = sent(room)
        send(room)
        expect(room.cell("New name")).to_be_attached()
        assert [body for path, body in bodies if path == f"{diagram.id}/"] == [{"title": "New name"}]
    after = project.diagram(diagram.id).features().to_dict()
    assert after["features"] == before["features"]
    assert project.costs(diagrams=[diagram]).total == cost


def test_a_form_that_nobody_changed_sends_nothing(browser: Browser, workshop: Sandbox) -> None:
    diagram = add(workshop, HOLED, TALL)
    hash_before = workshop.project().diagram(diagram.id).change_id()
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        bodies = sent(room)
        send(room)
        room.page.wait_for_timeout(500)
        assert [path for path, _ in bodies if "preview" not in path] == []
    assert workshop.project().diagram(diagram.id).change_id() == hash_before


def test_features_that_the_tools_cannot_change_are_shown_named_and_kept(browser: Browser, workshop: Sandbox) -> None:
    diagram, project = add(workshop, HOLED, TALL), workshop.project()
    before = project.diagram(diagram.id).features().to_dict()["features"]
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        said = room.page.locator("form.drawing .fixed")
        expect(said).to_contain_text("1 shape with a dashed outline stays as it is")
        # A click selects the block, and a drag moves its corner.
        room.page.mouse.click(*room.place(room.share_of(-74.125, 40.585)))
        x, y = room.place(room.share_of(-74.12, 40.59))
        room.page.mouse.move(x, y)
        room.page.mouse.down()
        room.page.mouse.move(x + 20, y - 20, steps=6)
        room.page.mouse.up()
        room.page.wait_for_timeout(600)
        expect(said).to_contain_text("1 shape with a dashed outline stays as it is")
        send(room)
        expect(room.page.locator(".waiting h2")).to_have_count(0)
    holed, tall = project.diagram(diagram.id).features().to_dict()["features"]
    assert holed == before[0]
    assert tall["properties"]["volume_information"] == {"min_height": 0, "max_height": 40}
    moved = [
        position
        for position, was in zip(
            tall["geometry"]["coordinates"][0], before[1]["geometry"]["coordinates"][0], strict=True
        )
        if position != was
    ]
    assert len(moved) == 1


def test_a_shape_that_the_tools_cannot_change_can_be_removed(browser: Browser, workshop: Sandbox) -> None:
    diagram, project = add(workshop, HOLED, TALL), workshop.project()
    [_, tall] = project.diagram(diagram.id).features().to_dict()["features"]
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        room.page.get_by_role("button", name="Remove this shape").click()
        expect(room.page.locator("form.drawing .fixed")).to_have_text("")
        send(room)
        expect(room.page.locator(".waiting h2")).to_have_count(0)
    assert project.diagram(diagram.id).features().to_dict()["features"] == [tall]


def test_tags_without_a_code_stay_when_another_one_is_added(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    project.create_tags([{"tag": "Seen from the ferry"}, {"tag": "Cheap", "code": "CHP"}])
    diagram = add(workshop, TALL)
    ferry = next(tag["id"] for tag in project.tags() if tag["tag"] == "Seen from the ferry")
    project.diagram(diagram.id).set_tags([ferry])
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        room.page.get_by_label("Cheap").check()
        send(room)
        expect(room.page.locator(".waiting h2")).to_have_count(0)
    assert {tag["tag"] for tag in project.diagram(diagram.id).tags()} == {"Seen from the ferry", "Cheap"}


def test_a_diagram_without_a_shape_can_be_renamed(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    diagram = project.system("Water").add_external(
        "https://example.com/ponds.fgb", layer_type="fgb-layer", title="Old name"
    )
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        room.page.get_by_label("Title", exact=True).fill("New name")
        send(room)
        expect(room.cell("New name")).to_be_attached()
    assert project.diagram(diagram.id).features().metadata["flat_geobuf_url"] == "https://example.com/ponds.fgb"


def test_a_change_that_is_opened_again_leaves_what_somebody_else_changed_meanwhile(
    browser: Browser, workshop: Sandbox
) -> None:
    diagram = add(workshop, TALL)
    with joined(browser, link_of(workshop, "admin")) as room:
        change(room)
        room.page.get_by_label("Title", exact=True).fill("New name")
        workshop.project().diagram(diagram.id).edit(cost=1e6, cost_type="total", funding="private")
        room.page.get_by_role("button", name="Send change").click()
        room.page.get_by_role("button", name="Open again").click()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("New name")
        expect(room.page.get_by_label("Cost instead of the rate")).to_have_value("1000000")
        send(room)
        expect(room.cell("New name")).to_be_attached()
    after = workshop.project().diagram(diagram.id).features().metadata
    assert (after["description"], after["cost_override"], after["fundingtype"]) == ("New name", 1e6, "private")


def test_a_file_with_holes_becomes_a_diagram_with_holes(browser: Browser, workshop: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "Court of blocks.geojson"
    file.write_text(json.dumps(HOLED))
    with joined(browser, link_of(workshop, "admin")) as room:
        room.open_drawing()
        room.page.get_by_label("Open GeoJSON file").set_input_files(file)
        expect(room.page.locator("form.drawing .fixed")).to_contain_text("1 shape with a dashed outline stays as it is")
        room.send()
        expect(room.cell("Court of blocks")).to_be_attached()
    [drawn] = workshop.project().diagram("Court of blocks").features().to_dict()["features"]
    assert drawn["geometry"] == HOLED["geometry"]


def test_figures_of_a_system_that_nobody_touched_stay_as_others_set_them(browser: Browser, workshop: Sandbox) -> None:
    """Two people prepare an evening: one sets a budget while the other still sees the old one."""
    project = workshop.project()
    today = project.system("Energy")["current_ha"]
    with joined(browser, link_of(workshop, "admin")) as room:
        run_evening(room, "Prepare")
        target = room.page.get_by_label("Target (ha): Energy")
        target.fill("512")
        project.system("Energy").edit(budget=123_456)
        room.page.keyboard.press("Tab")
        expect(room.page.locator(".notice")).to_have_text("Energy is saved.")
        system = project.system("Energy")
        assert (system["budget"], system["target_ha"], system["current_ha"]) == (123_456, 512, today)
        # An empty field takes the figure away.
        target = room.page.get_by_label("Target (ha): Energy")
        target.fill("")
        room.page.keyboard.press("Tab")
        expect(room.page.locator(".notice")).to_have_text("Energy is saved.")
        room.page.wait_for_timeout(300)
        assert project.system("Energy")["target_ha"] == 0


def test_a_cell_of_a_notebook_changes_the_title_and_nothing_else(browser: Browser, workshop: Sandbox) -> None:
    diagram, project = add(workshop, HOLED, TALL, RAISED), workshop.project()
    before = project.diagram(diagram.id).features().to_dict()["features"]
    with cell(browser, project.map(draw=True)) as shown:
        shown.widget.selected = [diagram.id]
        expect(shown.frame.locator("form.drawing")).to_be_visible(timeout=10_000)
        shown.frame.get_by_role("button", name="Cancel", exact=True).click()
        shown.frame.get_by_role("button", name="Change diagram").click()
        expect(shown.frame.locator("form.drawing .fixed")).to_contain_text(
            "2 shapes with dashed outlines stay as they are"
        )
        shown.frame.get_by_label("Title", exact=True).fill("New name")
        shown.frame.get_by_role("button", name="Send change").click()
        expect(shown.frame.locator("form.drawing")).to_have_count(0)
        shown.page.wait_for_timeout(1500)
        assert shown.errors == []
    after = project.diagram(diagram.id).features()
    assert after.metadata["description"] == "New name"
    assert after.to_dict()["features"] == before


def test_a_cell_asks_in_its_own_frame_before_a_drawing_is_discarded(browser: Browser, workshop: Sandbox) -> None:
    with cell(browser, workshop.project().map(draw=True)) as shown:
        form = shown.frame.locator("form.drawing")
        form.get_by_role("button", name="Points").click()
        shown.frame.locator(".map").first.click(position={"x": 400, "y": 250})
        expect(form.locator(".preview")).to_contain_text("1 piece")
        form.get_by_role("button", name="Cancel", exact=True).last.click()
        question = shown.frame.locator("dialog.ask")
        question.get_by_role("button", name="Cancel").click()
        expect(form.locator(".preview")).to_contain_text("1 piece")
        form.get_by_role("button", name="Cancel", exact=True).last.click()
        question.get_by_role("button", name="Discard").click()
        expect(question).to_have_count(0)
        expect(form).to_have_count(0)
        assert shown.errors == []
