"""The room on paper and on the wall: sheets at a true scale, and the teams' latest designs side by side."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pyproj import Geod

from barriers import barriers
from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import Room, joined, link_of

MILLIMETRES = 25.4 / 96
# Each paper as it is turned, with the millimetres of the last one.
PAPERS = {"A4": (["landscape", "portrait"], (210, 297)), "A3": (["portrait", "landscape"], (420, 297))}
TRIANGLE = [[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        sandbox.add_user("ana")
        sandbox.project().add_member("ana")
        yield sandbox


def open_sheet(room: Room, show: str | None = None) -> Locator:
    """The sheet of the complete project, or of the setting of *Show*."""
    page = room.page
    if show:
        page.get_by_label("Show", exact=True).select_option(label=show)
    page.get_by_role("button", name="Print", exact=True).click()
    expect(page.locator(".paper .frame svg")).to_be_attached()
    return page.locator(".paper")


def boxes_of_pages(pdf: bytes) -> list[tuple[int, int]]:
    """Millimetres of each page of a PDF."""
    found = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return [(round(float(width) / 72 * 25.4), round(float(height) / 72 * 25.4)) for width, height in found]


def cut_parts(page: Page) -> list[str]:
    """Elements that reach over the edges of the paper, or of the element around them."""
    return list(
        page.evaluate(
            """() => {
              const paper = document.querySelector(".paper").getBoundingClientRect();
              const isOut = ({ left, right, bottom }) =>
                right > paper.right + 1 || bottom > paper.bottom + 1 || left < paper.left - 1;
              const isCut = (part) => part.clientWidth && part.scrollWidth > part.clientWidth + 1;
              return [...document.querySelectorAll(".paper :is(h2, h3, li, td, th, p, span, figure)")]
                .filter((part) => isOut(part.getBoundingClientRect()) || isCut(part))
                .map((part) => part.outerHTML.slice(0, 90));
            }"""
        )
    )


@pytest.mark.slow
def test_a_sheet_is_one_page_of_the_chosen_paper_with_nothing_cut_and_no_picture(
    browser: Browser, workshop: Sandbox
) -> None:
    with joined(browser, link_of(workshop, "ana"), color_scheme="dark") as room:
        page = room.page
        open_sheet(room)
        for paper, (turns, sides) in PAPERS.items():
            page.get_by_label("Paper").select_option(paper)
            for turn in turns:
                page.get_by_label("Orientation").select_option(turn)
                assert (paper, turn, cut_parts(page)) == (paper, turn, [])
                expect(page.locator(".sheets .trouble")).to_be_empty()
            pdf = page.pdf(prefer_css_page_size=True, print_background=True)
            assert boxes_of_pages(pdf) == [sides]
            # Lines and letters are vectors: an image would be there as one.
            assert b"/Subtype /Image" not in pdf
        assert barriers(page) == []
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        assert page.evaluate("document.adoptedStyleSheets.length") == 0
        assert room.faults() == []


def test_the_scale_is_round_and_true_on_the_ground(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        sheet = open_sheet(room)
        expect(sheet.locator(".foot")).to_contain_text(" on A4")
        told = re.search(r"1 : ([\d,]+) on A4", sheet.locator(".foot").inner_text())
        assert told is not None
        scale = int(told[1].replace(",", ""))
        assert scale in {50_000, 60_000, 75_000, 100_000, 125_000}
        # The western and the eastern end of the map, and how far these are apart on the ellipsoid.
        ends = room.page.evaluate(
            """async () => {
              const { boxOfProject, extractOf } = await import("/web/room/sheet_map.js");
              const svg = document.querySelector(".paper .frame svg");
              const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
              const { box } = extractOf(boxOfProject(geodesignRoom), width, height);
              const radians = Math.atan(Math.sinh(Math.PI * (1 - box.north - box.south)));
              return [(box.west - 0.5) * 360, (box.east - 0.5) * 360, radians * 180 / Math.PI, width];
            }"""
        )
        west, east, latitude, pixels = ends
        geod = Geod(ellps="WGS84")
        # A parallel is a little longer than the shortest way, so it is measured in short steps.
        steps = [west + (east - west) * step / 100 for step in range(101)]
        metres = geod.line_length(steps, [latitude] * 101)
        assert metres == pytest.approx(scale * pixels * MILLIMETRES / 1000, rel=1e-6)
        bar = sheet.locator(".scalebar").evaluate("line => parseFloat(line.style.inlineSize)")
        length = re.match(r"\s*([\d.]+) km", sheet.locator(".foot").inner_text())
        assert length is not None
        assert float(length[1]) * 1000 == pytest.approx(bar * MILLIMETRES / 1000 * scale)


@pytest.mark.slow
def test_a_sheet_of_a_design_has_its_team_title_and_figures_and_what_is_seen_only(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    team = project.add_team("Shore", members=["ana"])
    water = project.add_diagram("Water", {"type": "Polygon", "coordinates": [TRIANGLE]}, title="<b>Pond</b>")
    team.save("<img src=x onerror=alert(1)>", [water])
    costs = project.design("<img src=x onerror=alert(1)>").costs()
    with joined(browser, link_of(workshop, "ana")) as room:
        sheet = open_sheet(room, "<img src=x onerror=alert(1)>")
        expect(sheet.locator(".subject")).to_have_text("Shore: <img src=x onerror=alert(1)>")
        expect(sheet.locator("header h2")).to_have_text("Staten Island 2050")
        names = ["Water", "Projects", "Study area", "Constraints"]
        expect(sheet.locator(".legend-of-sheet li")).to_have_text(names)
        expect(sheet.locator(".legend-of-sheet li clipPath").first).to_be_attached()
        expect(sheet.locator(".total td")).to_have_text(f"{costs.total:,.2f}")
        expect(sheet.get_by_role("img", name=room.home)).to_be_visible()
        assert room.faults() == []


@pytest.mark.slow
def test_a_sheet_says_what_is_not_priced_and_what_is_not_on_its_map(browser: Browser, workshop: Sandbox) -> None:
    def with_unknown(route: Route) -> None:
        answer = route.fetch().json()
        row = next(row for row in answer["systems"] if row["name"] == "Energy")
        row.update(cost=None, unpriced=1)
        route.fulfill(json={**answer, "unpriced": 1})

    project = workshop.project()
    features = project.diagrams().to_dict()["features"]
    drawn = {feature["properties"]["diagramid"] for feature in features if feature["geometry"]}
    water = project.system("Water").id
    hidden = sum(row["sysid"] == water or row["id"] not in drawn for row in project.diagrams(fields="summary"))
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.route("**/costs/", with_unknown)
        room.page.locator(".legend summary").click()
        room.page.locator(".legend").get_by_label("Water").uncheck()
        sheet = open_sheet(room)
        expect(sheet.locator(".figures")).to_contain_text("1 diagram has no known cost and is not in these sums.")
        expect(sheet.locator(".figures tr", has_text="Energy")).to_contain_text("Cost unknown")
        note = f"The figures include {hidden} diagrams that are not on this map."
        expect(sheet.locator(".foot")).to_contain_text(note)


def test_the_print_dialog_of_the_browser_is_opened(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.evaluate("window.print = () => (window.wasPrinted = true)")
        open_sheet(room)
        room.page.get_by_role("dialog").get_by_role("button", name="Print", exact=True).click()
        room.page.wait_for_function("window.wasPrinted")


@pytest.mark.slow
def test_the_wall_shows_map_and_designs_in_turn_and_needs_no_hand(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana"), 1920, 1080, reduced_motion="reduce") as room:
        wall = room.page
        wall.clock.install()
        wall.goto(f"{room.home}?wall")
        expect(wall.locator(".teams li")).to_have_count(4)
        designs, land = wall.locator(".designs-of-wall"), wall.locator("#views")
        for _ in range(2):
            expect(land).to_be_visible()
            expect(designs).to_be_hidden()
            wall.clock.run_for(30_000)
            expect(designs.locator(".view")).to_have_count(4)
            expect(land).to_be_hidden()
            wall.clock.run_for(30_000)
        assert wall.evaluate("getComputedStyle(document.querySelector('.designs-of-wall')).animationName") == "none"
        assert room.faults() == []


@pytest.mark.slow
def test_the_designs_of_the_wall_are_the_latest_ones_and_are_read_from_far(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        wall = room.page
        wall.goto(f"{room.home}?wall=designs")
        heads = wall.locator(".designs-of-wall h2")
        for width, height in ((1920, 1080), (3840, 2160)):
            wall.set_viewport_size({"width": width, "height": height})
            expect(heads).to_have_count(4)
            latest = [team.designs()[-1] for team in project.teams() if team.designs()]
            for head, design in zip(heads.all_inner_texts(), latest, strict=True):
                assert str(design.title) in head
                assert "Within all budgets" in head or "over budget" in head
            small = wall.evaluate(
                """() => [...document.querySelectorAll(".wall :is(h1, h2, h2 span, td, li, time)")]
                .filter((part) => part.checkVisibility())
                .filter((part) => parseFloat(getComputedStyle(part).fontSize) < innerHeight / 52)
                .map((part) => part.outerHTML.slice(0, 80))"""
            )
            assert small == []
        wall.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
        assert barriers(wall) == []
        project.teams()[0].save("Newer", ["Oakwood Beach tidal marsh restoration"])
        expect(heads.filter(has_text="Newer")).to_have_count(1)
        assert room.faults() == []


def test_the_clock_of_the_wall_is_that_of_the_service(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    project.workshop.set_activities(drawing=True, closes_at=datetime.now(UTC) + timedelta(minutes=10))
    with joined(browser, link_of(workshop, "ana")) as room:
        # The machine at the projector is an hour behind.
        room.page.add_init_script("{ const now = Date.now; Date.now = () => now() - 3_600_000; }")
        room.page.goto(f"{room.home}?wall=map")
        expect(room.page.locator(".clock")).to_have_text(re.compile(r"^(10:00|9:\d\d)$"))
