"""The room's screen: the map comes first, what lies over it, drawing in two steps on a phone, undoing, and the wall."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import SQUARE, Room, eventually, joined, link_of
from team_designs import run_evening, save_choice

PHONE: dict[str, Any] = {"width": 390, "height": 780, "has_touch": True, "is_mobile": True}
# The western end of the study area.
WEST = [-74.25, 40.5]
MARSH, DUNE = "Oakwood Beach tidal marsh restoration", "South Beach dune and seawall"
# The share of the window at which the map, and nothing over it, is found.
MAP_SHARE = """() => {
  let found = 0, all = 0;
  for (let x = 4; x < innerWidth; x += 12) for (let y = 4; y < innerHeight; y += 12) {
    const top = document.elementFromPoint(x, y);
    all += 1;
    found += top?.closest("#views .map") && !top.closest(".leaflet-control") ? 1 : 0;
  }
  return found / all;
}"""
# What visible buttons say that is no word.
SIGNS = """() => [...document.querySelectorAll("button, [role=button]")].filter((one) => one.checkVisibility())
  .map((one) => one.innerText.trim()).filter((text) => text && !/[\\p{L}\\p{N}]{2}/u.test(text))"""
# Things on the wall that the screen cuts.
CUT = """() => [...document.querySelectorAll(".wall :is(aside li, tr, .qr, .view, .clock)")].filter((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
}).map((one) => one.textContent)"""


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        sandbox.add_user("ana")
        sandbox.project().add_member("ana")
        sandbox.project().add_team("Shore", ["ana"])
        yield sandbox


def chosen(workshop: Sandbox) -> set[str]:
    selection = workshop.project().member("ana").selection()
    return {feature["properties"]["description"] for feature in selection}


def rename(room: Room, title: str, new: str) -> None:
    room.cell(title).locator(".more").click()
    room.page.get_by_role("dialog").get_by_role("button", name="Change").click()
    room.page.get_by_label("Title", exact=True).fill(new)
    room.page.get_by_role("button", name="Send change").click()
    expect(room.cell(new)).to_be_attached()


def toolbar(room: Room, name: str) -> Any:
    return room.page.locator(".tools").get_by_role("button", name=name)


def test_the_map_has_three_quarters_of_a_laptops_screen(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana"), width=1366, height=768) as room:
        assert room.page.evaluate(MAP_SHARE) > 0.75
        assert room.page.evaluate(SIGNS) == []
        room.page.get_by_role("button", name="Fold the panel").click()
        assert room.page.evaluate(MAP_SHARE) > 0.9
        room.page.reload()
        # The browser remembers it.
        expect(room.page.locator("#tab-diagrams")).to_be_hidden()
        room.page.get_by_role("button", name="Fold the panel").click()
        expect(room.page.locator("#tab-diagrams")).to_be_visible()


def test_the_land_is_beside_the_panel_also_where_a_part_is_wide(browser: Browser, workshop: Sandbox) -> None:
    workshop.project().add_member("ana", administrator=True)
    hidden = """([lon, lat]) => {
      const map = document.querySelector("#views .map").getBoundingClientRect();
      const { right } = document.querySelector(".side").getBoundingClientRect();
      return map.left + map.width * geodesignRoom.shareOf(lon, lat)[0] < right;
    }"""
    with joined(browser, link_of(workshop, "ana"), width=1600) as room:
        run_evening(room)
        for tab in ("evening", "costs", "evening"):
            room.page.locator(f"#tab-{tab}").click()
            assert eventually(lambda: not room.page.evaluate(hidden, WEST), room.page, 5), tab


def test_a_tap_on_a_card_shows_its_diagram_and_its_box_chooses_it(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.cell(MARSH).locator(".show").click()
        # Its outline is marked on the map.
        expect(room.page.locator("#views .leaflet-overlay-pane path").first).to_be_attached()
        assert chosen(workshop) == set()
        room.box(MARSH).click()
        assert eventually(lambda: chosen(workshop) == {MARSH}, room.page)
        expect(room.page.locator(".balance summary")).to_contain_text("1 diagram")


def test_a_phone_asks_for_the_title_when_the_shape_is_finished(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana"), **PHONE) as room:
        page = room.page
        toolbar(room, "Draw").tap()
        expect(page.get_by_role("button", name="Area")).to_be_visible()
        expect(page.get_by_label("Title", exact=True)).to_be_hidden()
        assert page.evaluate(MAP_SHARE) > 0.6
        room.tap_corners([(0.35, 0.3), (0.6, 0.3), (0.6, 0.45)])
        expect(page.locator(".preview [data-cost]")).to_be_visible()
        page.get_by_label("Title", exact=True).fill("By finger")
        room.page.get_by_role("button", name="Send", exact=True).tap()
        assert eventually(lambda: chosen(workshop) == {"By finger"}, page, 10)
        (feature,) = workshop.project().diagram("By finger").features().to_dict()["features"]
        # As the finger drew it: nothing of somebody else's pulled its corners.
        drawn = [room.share_of(*corner) for corner in feature["geometry"]["coordinates"][0][:3]]
        for wanted in ((0.35, 0.3), (0.6, 0.3), (0.6, 0.45)):
            assert min(abs(x - wanted[0]) + abs(y - wanted[1]) for x, y in drawn) < 0.005
        assert room.faults() == []


def test_the_next_drawing_begins_with_the_system_of_the_last(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_role("combobox", name="System").select_option("Transport")
        room.page.get_by_label("Title", exact=True).fill("A depot")
        room.send()
        expect(room.cell("A depot")).to_be_attached()
        room.open_drawing()
        expect(room.page.get_by_role("combobox", name="System").locator("option:checked")).to_have_text("Transport")


def test_what_was_done_in_the_room_is_undone_and_redone(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        expect(toolbar(room, "Undo")).to_be_hidden()
        room.box(MARSH).click()
        assert eventually(lambda: chosen(workshop) == {MARSH}, page)
        toolbar(room, "Undo").click()
        assert eventually(lambda: chosen(workshop) == set(), page)
        toolbar(room, "Redo").click()
        assert eventually(lambda: chosen(workshop) == {MARSH}, page)
        toolbar(room, "Undo").click()
        assert eventually(lambda: chosen(workshop) == set(), page)
        save_choice(room, [DUNE, MARSH], "First")
        toolbar(room, "Undo").click()
        expect(page.get_by_role("button", name="Show the design First")).to_have_count(0)
        assert [design.title for design in project.team("Shore").designs()] == []
        page.locator("#tab-diagrams").click()
        room.draw("A pond")
        assert eventually(lambda: chosen(workshop) == {DUNE, MARSH, "A pond"}, page)
        page.keyboard.press("Control+z")
        expect(room.cell("A pond")).to_have_count(0)
        page.keyboard.press("Control+Shift+Z")
        expect(room.cell("A pond")).to_be_attached()
        assert room.faults() == []


def test_undoing_a_change_keeps_what_somebody_else_changed_since(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.draw("A pond")
        expect(room.cell("A pond")).to_be_attached()
        one = project.diagram("A pond").id
        rename(room, "A pond", "A lake")
        rename(room, "A lake", "A sea")
        project.diagram(one).edit(cost=12_000, cost_type="total")
        toolbar(room, "Undo").click()
        assert eventually(lambda: project.diagram(one).title == "A lake", room.page)
        assert project.diagram(one)["cost_override"] == 12_000, "undoing the title leaves the cost alone"
        toolbar(room, "Redo").click()
        assert eventually(lambda: project.diagram(one).title == "A sea", room.page)
        project.diagram(one).edit(title="An ocean")
        expect(room.cell("An ocean")).to_be_attached()
        toolbar(room, "Undo").click()
        expect(room.page.locator(".notice")).to_have_text("“A sea” has changed since, so it stays as it is.")
        assert project.diagram(one).title == "An ocean"


def test_what_somebody_withdrew_meanwhile_is_said_and_not_offered_again(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.draw("A pond")
        assert eventually(lambda: "A pond" in chosen(workshop), room.page)
        workshop.project().diagram("A pond").delete()
        expect(room.cell("A pond")).to_have_count(0)
        toolbar(room, "Undo").click()
        expect(room.page.locator(".notice")).to_be_visible()
        expect(toolbar(room, "Undo")).to_be_hidden()


def test_somebodys_idea_is_copied_into_your_own(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.cell(DUNE).locator(".more").click()
        room.page.get_by_role("dialog").get_by_role("button", name="Copy").click()
        room.page.get_by_label("Title", exact=True).fill("A lower dune")
        room.send()
        expect(room.cell("A lower dune")).to_be_attached()
        copy, idea = project.diagram("A lower dune"), project.diagram(DUNE)
        assert (
            copy.features().to_dict()["features"][0]["geometry"] == idea.features().to_dict()["features"][0]["geometry"]
        )
        authors = {row["worlddescription"]: row["author"] for row in project.diagrams(fields="summary")}
        assert authors["A lower dune"] == "ana" != authors[DUNE]


def test_an_evaluation_map_steps_back_below_diagrams(browser: Browser, workshop: Sandbox) -> None:
    strength = "geodesignRoom.scene.strength"
    with joined(browser, link_of(workshop, "ana")) as room:
        legend = room.page.locator(".legend")
        if legend.get_attribute("open") is None:
            legend.locator("summary").click()
        slider = legend.get_by_label("Strength")
        expect(slider).to_be_hidden()
        legend.get_by_label("Evaluation map").select_option("Water")
        assert room.page.evaluate(strength) == 0.5
        slider.fill("0.9")
        assert room.page.evaluate(strength) == 0.9


def test_tiles_are_painted_at_the_zoom_of_the_map(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana"), width=1300, height=777) as room:
        zooms = []
        for _ in range(3):
            room.page.wait_for_timeout(800)
            zooms.append(room.page.evaluate("geodesignRoom.leaflet.getZoom()"))
            level = room.page.locator(".shapes .leaflet-tile-container:has(canvas)").last
            assert level.evaluate("level => new DOMMatrix(getComputedStyle(level).transform).a") == 1
            room.page.evaluate("geodesignRoom.leaflet.setZoom(geodesignRoom.leaflet.getZoom() + 0.25)")
        assert any(zoom % 1 for zoom in zooms)


def test_systems_whose_colours_look_alike_are_named(browser: Browser, workshop: Sandbox) -> None:
    script = """async () => {
      const { lookAlike } = await import(new URL("web/room/color_vision.js", document.baseURI));
      const namesOf = (pairs) => pairs.map((pair) => pair.map(({ color }) => color));
      const pairs = (...colors) => namesOf(lookAlike(colors.map((color) => ({ color }))));
      const ofDemo = lookAlike(geodesignRoom.project.systems);
      return [ofDemo, pairs("#e04040", "#30a030", "#2060ff"), pairs("#ff0000", "#0000ff")];
    }"""
    with joined(browser, link_of(workshop, "ana")) as room:
        of_demo, near, far = room.page.evaluate(script)
        assert of_demo == []
        assert far == []
        # A red and a green.
        assert near == [["#e04040", "#30a030"]]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (3840, 2160)])
def test_the_wall_is_whole_with_nine_systems_and_eight_teams(
    browser: Browser, workshop: Sandbox, width: int, height: int
) -> None:
    project = workshop.project()
    ids = [row["id"] for row in project.diagrams(fields="summary")]
    for number, name in enumerate(["Youth council", "Neighbourhood associations of the North", "Schools"]):
        team = project.add_team(name, ["ana"])["id"]
        project.team(team).save(f"A first proposal of {name}", ids[number : number + 20])
    project.team("Shore").save("First", ids[:5])
    with joined(browser, link_of(workshop, "ana"), width=width, height=height) as room:
        page = room.page
        page.goto(f"{room.home}?wall=designs")
        expect(page.locator(".teams li")).to_have_count(8)
        expect(page.locator(".designs-of-wall .map")).to_have_count(8)
        assert page.evaluate(CUT) == []
        assert page.locator(".facts").evaluate("facts => facts.scrollHeight <= facts.clientHeight")
        expect(page.locator(".wall .over")).to_have_count(0)
