"""The room is up to date: notices, choices, designs and budgets, changed by anybody."""

from collections.abc import Iterator
from typing import Literal

import pytest
import shapely
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import Room, eventually, joined, link_of

POND = {"type": "Polygon", "coordinates": [[[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]]}


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project, with two members of a team."""
    with demo_sandbox() as sandbox:
        project = sandbox.project()
        for name in ("ana", "ben"):
            sandbox.add_user(name)
            project.add_member(name)
        project.team("Residents").edit(members=["ana", "ben"])
        yield sandbox


def about(room: Room, title: str) -> None:
    room.cell(title).get_by_role("button", name="About").click()


@pytest.mark.parametrize("what", ["drawing", "selecting"])
def test_the_notice_of_what_is_closed_goes_when_it_opens(
    browser: Browser, workshop: Sandbox, what: Literal["drawing", "selecting"]
) -> None:
    def switch(is_open: bool, message: str) -> None:
        activities = workshop.project().workshop
        if what == "drawing":
            activities.set_activities(drawing=is_open, message=message)
        else:
            activities.set_activities(selecting=is_open, message=message)

    with joined(browser, link_of(workshop, "ana")) as room:
        switch(False, "We have a break.")
        notice = room.page.locator(".notice")
        if what == "selecting":
            about(room, "Oakwood Beach tidal")
            room.page.get_by_role("button", name="Choose", exact=True).click()
        expect(notice).to_contain_text("We have a break.")
        switch(True, "")
        expect(notice).to_be_hidden()


def test_administrators_change_and_withdraw_what_others_drew(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.client("ana").project(workshop.project_ids[0])
    for title in ("Pond of Ana", "Marsh of Ana"):
        project.add_diagram("Water", POND, title=title)
    with joined(browser, link_of(workshop, "admin")) as room:
        about(room, "Pond of Ana")
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Pond of Ana")
        room.page.get_by_label("Title", exact=True).fill("Reservoir")
        room.page.get_by_role("button", name="Send change").click()
        expect(room.cell("Reservoir")).to_contain_text("ana")
        about(room, "Marsh of Ana")
        room.page.locator("dialog").get_by_role("button", name="Withdraw").click()
        room.answer("Withdraw")
        expect(room.cell("Marsh of Ana")).to_have_count(0)
    with joined(browser, link_of(workshop, "ben")) as room:
        about(room, "Reservoir")
        expect(room.page.locator("dialog").get_by_role("button", name="Show on map")).to_be_visible()
        expect(room.page.locator("dialog").get_by_role("button", name="Withdraw")).to_have_count(0)
        expect(room.page.locator("dialog").get_by_role("button", name="Change")).to_have_count(0)


def test_an_administrator_has_the_same_rights_in_every_tab(browser: Browser, workshop: Sandbox) -> None:
    workshop.client("ana").project(workshop.project_ids[0]).add_diagram("Water", POND, title="Pond of Ana")
    with joined(browser, link_of(workshop, "admin")) as room:
        second = Room(room.page.context.new_page(), room.home)
        second.page.goto(room.home)
        expect(second.page.locator(".state[data-is=online]")).to_be_attached(timeout=10_000)
        about(second, "Pond of Ana")
        expect(second.page.locator("dialog").get_by_role("button", name="Withdraw")).to_be_visible()


@pytest.mark.parametrize("opened_after", [False, True], ids=["open before", "opened meanwhile"])
def test_what_is_restored_is_chosen_again_in_open_pages(
    browser: Browser, workshop: Sandbox, opened_after: bool
) -> None:
    project = workshop.project()
    # The one that was drawn last, so that a page opened in the meantime knows none with a higher number.
    diagram = project.diagram("Keep tenants in place: right of return")
    project.member("ana").set_selection([diagram.id])

    def withdraw() -> None:
        project.diagram(diagram.id).delete()

    if opened_after:
        withdraw()
    with joined(browser, link_of(workshop, "ana")) as room:
        if not opened_after:
            expect(room.box("Keep tenants in place")).to_be_checked()
            withdraw()
        expect(room.cell("Keep tenants in place")).to_have_count(0)
        [entry] = [row for row in project.history(diagram=diagram.id) if row["operation"] == "delete_diagram"]
        project.undo(entry["id"])
        expect(room.box("Keep tenants in place")).to_be_checked()
        chosen = room.page.get_by_label("Show", exact=True).locator("option[value=selection]")
        expect(chosen).to_have_text("My choice (1)")


def test_saving_a_design_leaves_everything_on_the_map(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    project.member("ana").set_selection([1001, 1002])
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.locator("#tab-designs").click()
        room.page.get_by_label("Title of the design").fill("Along the shore")
        room.page.get_by_role("button", name="Save", exact=True).click()
        expect(room.page.locator(".notice")).to_have_text("Along the shore is saved.")
        expect(room.page.get_by_role("button", name="Show the design Along the shore")).to_be_visible()
        expect(room.page.get_by_label("Show", exact=True)).to_have_value("project")
        assert room.page.evaluate("geodesignRoom.map.views[0].members") is None


def test_a_budget_that_is_kept_by_doing_nothing_is_a_dash(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    for team in ("Residents", "Conservation"):
        # One project in Water, and nothing in any other system.
        project.team(team).save(f"Only water of {team}", diagrams=[1001])
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.locator("#tab-designs").click()
        room.page.get_by_role("button", name="All latest designs side by side").click()
        sums = room.page.locator("dialog .sums")
        expect(sums.locator("thead")).to_contain_text("Residents: Only water of Residents")
        column = sums.locator("thead th").all_inner_texts().index("Residents: Only water of Residents")
        cells = {
            row.locator("th").inner_text(): row.locator("td").nth(column - 1).inner_text()
            for row in sums.locator("tbody tr").all()
        }
        assert "Within budget" in cells["Water"]
        assert "–" in cells["Energy"]
        assert "Within budget" not in cells["Energy"]
        expect(sums.locator("tfoot td").nth(column - 1)).to_contain_text("1 of 1 budgets kept")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_the_code_of_the_wall_is_whole(browser: Browser, workshop: Sandbox, width: int, height: int) -> None:
    with joined(browser, link_of(workshop, "admin"), width=width, height=height) as room:
        room.page.goto(f"{room.home}?wall")
        code = room.page.locator(".wall .qr")
        expect(code).to_be_visible()
        expect(room.page.locator(".teams li")).to_have_count(4)
        box = code.bounding_box()
        assert box is not None
        assert box["height"] == pytest.approx(box["width"], abs=1)
        # Large enough to distinguish the cells.
        assert box["height"] > height / 8
        inside = """(code) => {
          const { left, top, right, bottom } = code.getBoundingClientRect();
          const spots = [[left + 2, top + 2], [right - 2, top + 2], [left + 2, bottom - 2], [right - 2, bottom - 2]];
          return bottom <= innerHeight && right <= innerWidth
            && spots.every(([x, y]) => document.elementFromPoint(x, y) === code);
        }"""
        assert eventually(lambda: bool(code.evaluate(inside)), room.page)


@pytest.mark.parametrize(("above", "snaps"), [(7, True), (12, False)])
def test_a_corner_snaps_once_and_within_ten_pixels(
    browser: Browser, workshop: Sandbox, above: int, snaps: bool
) -> None:
    """Next to an edge whose end is nearer to the snapped place than to the pointer, the corner stays on the edge."""
    with joined(browser, link_of(workshop, "ana")) as room:
        # At sea, where nothing else is near.
        at_sea = shapely.box(-74.09, 40.51, -74.07, 40.52)
        workshop.project().add_diagram("Energy", at_sea, title="Square at hand", outside="allow")
        expect(room.cell("Square at hand")).to_be_attached()
        x, y = room.place(room.share_of(-74.09, 40.52))
        room.open_drawing()
        for right, down in ((9, -above), (-60, -80), (-90, 40)):
            room.page.mouse.move(x + right, y + down)
            room.page.wait_for_timeout(80)
            room.page.mouse.click(x + right, y + down)
            room.page.wait_for_timeout(80)
        room.page.get_by_role("button", name="Finish").click()
        room.page.get_by_label("Title", exact=True).fill("Beside it")
        room.send()
        expect(room.cell("Beside it")).to_be_attached()
        ring = workshop.project().diagram("Beside it").features().to_dict()["features"][0]["geometry"]["coordinates"][0]
        snapped = room.place(room.share_of(*ring[0]))
        assert snapped == pytest.approx((x + 9, y if snaps else y - above), abs=1.5)
