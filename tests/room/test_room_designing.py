"""Designing and negotiating in the room: costs and targets of a choice, collisions of designs, and order."""

import itertools
import json
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from barriers import barriers
from demo import demo_sandbox
from pygeodesign import Project, Sandbox
from pygeodesign._text import short_amount
from pygeodesign.types import NewSystem
from room_pages import Room, eventually, joined, link_of
from team_designs import save_choice

pytestmark = pytest.mark.early

MARSH, DUNE = "Oakwood Beach tidal marsh restoration", "South Beach dune and seawall"
TRIANGLE = [[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with ana, who has chosen a marsh, and ben."""
    with demo_sandbox() as sandbox:
        project = sandbox.project()
        for name in ("ana", "ben"):
            sandbox.add_user(name)
            project.add_member(name)
        project.member("ana").set_selection([MARSH])
        yield sandbox


def row_of(room: Room, system: str) -> Locator:
    """The row of a system in what the choice costs and meets."""
    return room.page.locator(".balance tbody tr", has_text=system)


def bar_of(room: Room, system: str) -> float:
    """The pixels of the bar of costs."""
    return float(row_of(room, system).locator(".meter i").first.evaluate("bar => bar.getBoundingClientRect().width"))


def sent_by(sandbox: Sandbox, name: str, title: str, start: date | None = None, end: date | None = None) -> int:
    """A diagram that a member drew, with days or without."""
    with sandbox.client(name) as client:
        project = client.project(sandbox.project().id)
        drawn = {"type": "Polygon", "coordinates": [TRIANGLE]}
        return project.add_diagram("Transport", drawn, title=title, start_date=start, end_date=end).id


def days_of(project: Project, diagram: int) -> tuple[str, str]:
    found = project.diagram(diagram)
    return str(found.start_date), str(found.end_date)


def figure(cell: Locator, name: str) -> Any:
    return json.loads(cell.locator(f"[data-{name}]").first.get_attribute(f"data-{name}") or "null")


def is_said_by_service(room: Room) -> bool:
    room.open_balance()
    return eventually(lambda: room.page.locator(".balance [data-is=exact]").count() == 1, room.page)


def colliding(frame: Any) -> dict[tuple[int, int], float]:
    """Hectares by pair of diagrams, as Python has them."""
    rows = zip(frame["diagramid_a"], frame["diagramid_b"], frame["area_ha"], strict=True)
    return {(min(one, other), max(one, other)): area for one, other, area in rows}


def shown_pairs(holder: Locator) -> dict[tuple[int, int], float]:
    """Hectares by pair of diagrams, as the page lists them."""
    read = "rows => rows.map(({ dataset }) => [...dataset.pair.split(' '), dataset.hectares])"
    return {
        (min(int(one), int(other)), max(int(one), int(other))): float(area)
        for one, other, area in holder.locator("[data-pair]").evaluate_all(read)
    }


def in_land(project: Project, scope: str, **settings: Any) -> dict[tuple[int, int], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        comparison = project.compare(**settings)
        return colliding(comparison.conflicts(by="diagrams", scope=scope, geometry=False))


def test_bars_move_with_each_switch_at_once_and_end_at_what_the_service_says(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        assert is_said_by_service(room)
        before = bar_of(room, "Water")
        # Without the service, the page reckons with the figures that it has.
        page.route("**/members/ana/costs/", lambda route: route.abort())
        room.box(DUNE).click()
        expect(page.locator(".balance [data-is=expected]")).to_be_attached()
        reckoned = figure(page.locator(".balance tfoot"), "cost")
        page.unroute("**/members/ana/costs/")
        room.box(DUNE).click()
        expect(room.box(DUNE)).not_to_be_checked()
        room.box(DUNE).click()
        assert is_said_by_service(room)
        costs = project.costs(member="ana")
        water = next(system for system in costs.systems if system["name"] == "Water")
        assert reckoned == pytest.approx(costs.total, abs=0.005)
        assert figure(page.locator(".balance tfoot"), "cost") == pytest.approx(costs.total, abs=0.005)
        assert figure(row_of(room, "Water"), "hectares") == pytest.approx(water["area_ha"])
        assert eventually(lambda: bar_of(room, "Water") > before, page)
        # The classes of the evaluation map make up the land.
        assert eventually(lambda: row_of(room, "Water").locator("[data-classes]").count() == 1, page)
        assert sum(figure(row_of(room, "Water"), "classes").values()) == pytest.approx(water["area_ha"], rel=0.001)
        assert [error for error in room.faults() if "ERR_FAILED" not in error] == []


def test_a_design_that_is_shown_has_the_collisions_that_python_finds(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    design = project.design("Design 3 – with the Residents' parks")
    with joined(browser, link_of(workshop, "ben")) as room:
        page = room.page
        expected = in_land(project, f"Conservation – {design.title}")
        assert expected
        page.get_by_label("Show", exact=True).select_option(label=design.title)
        room.open_balance()
        page.locator(".balance .collisions summary").click()
        assert eventually(lambda: len(shown_pairs(page.locator(".balance"))) == len(expected), page)
        assert shown_pairs(page.locator(".balance")) == pytest.approx(expected, rel=1e-9, abs=1e-8)
        assert is_said_by_service(room)
        assert figure(page.locator(".balance tfoot"), "cost") == pytest.approx(design.costs().total, abs=0.005)
        page.locator(".balance [data-pair] button").first.click()
        assert eventually(lambda: page.locator("#views path").count() >= 2, page)
        assert room.faults() == []


def test_land_outside_the_study_area_is_said_beside_the_target_that_it_helps_to_meet(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    targets = project.compare().targets(scope="project")
    system = targets[targets["target_ha"] > 0].iloc[0]["system"]
    # From the mainland across the Arthur Kill.
    corners = [[-74.29, 40.55], [-74.21, 40.55], [-74.21, 40.56], [-74.29, 40.56], [-74.29, 40.55]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = project.add_diagram(system, {"type": "Polygon", "coordinates": [corners]}, title="Wide")
    project.member("ana").set_selection([wide])
    (land,) = project.land(classes_of=[wide])["classes"]
    outside = land["outside_study_area_ha"]
    assert outside is not None and 1 < outside < land["area_ha"]
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_balance()
        cell = row_of(room, system).locator("td").nth(1)
        expect(cell).to_contain_text(f"{outside:,.0f} ha of it outside the study area")
        assert room.faults() == []


def test_land_is_asked_of_the_service_once_and_again_where_that_was_away(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    titles = ("Design 2 – after the flood model", "Design 3 – with the Residents' parks")
    with joined(browser, link_of(workshop, "ben")) as room:
        page = room.page
        asked: list[Any] = []
        page.on("request", lambda request: asked.append(request) if request.url.endswith("/land/") else None)
        page.route("**/land/", lambda route: route.abort())
        show = page.get_by_label("Show", exact=True)
        show.select_option(label=titles[0])
        room.open_balance()
        total = page.locator(".balance tfoot .collide")
        expect(total).to_have_text("Unknown")
        page.unroute("**/land/")
        expect(total).to_contain_text("collision")
        # Pairs with known land are not requested.
        show.select_option(label=titles[1])
        expected = in_land(project, f"Conservation – {titles[1]}")
        expect(total).to_have_text(f"{len(expected)} collisions")
        expect(row_of(room, "Water").locator("[data-classes]")).to_have_count(1)
        seen = len(asked)
        show.select_option(label=titles[0])
        expect(total).to_contain_text("collision")
        show.select_option(label=titles[1])
        expect(total).to_have_text(f"{len(expected)} collisions")
        assert len(asked) == seen
        assert [error for error in room.faults() if "ERR_FAILED" not in error] == []


@pytest.mark.slow
def test_own_days_are_dragged_and_moved_by_keys_and_those_of_others_are_read(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    mine = sent_by(workshop, "ana", "Ferry stop", start=date(2030, 1, 31), end=date(2034, 6, 1))
    bare = sent_by(workshop, "ana", "<b>Quay</b>")
    project.member("ana").set_selection([MARSH, mine, bare])
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        page.locator("#tab-designs").click()
        page.get_by_role("button", name="Timeline of my choice").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("slider")).to_have_count(2)
        expect(dialog.get_by_text("Only hannah.lindqvist can change these dates.")).to_be_visible()
        expect(dialog.get_by_role("heading", name="1 diagram without dates")).to_be_visible()
        assert barriers(page) == []

        start = dialog.get_by_role("slider", name="Start of Ferry stop")
        start.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("PageDown")
        expect(start).to_have_attribute("aria-valuetext", "Feb 27, 2029")
        assert eventually(lambda: days_of(project, mine) == ("2029-02-27", "2034-06-01"), page)
        expect(start).to_be_focused()
        # A key that is pressed while days are on their way counts too.
        page.keyboard.press("PageUp")
        page.wait_for_timeout(705)
        page.keyboard.press("PageDown")
        page.keyboard.press("ArrowRight")
        assert eventually(lambda: days_of(project, mine) == ("2029-03-27", "2034-06-01"), page)
        expect(dialog.locator(".trouble")).to_be_empty()

        # Rows are rebuilt when the service has reported the change.
        page.wait_for_timeout(500)
        end = dialog.get_by_role("slider", name="End of Ferry stop").bounding_box()
        track = dialog.locator(f"li[data-id='{mine}'] .track").bounding_box()
        assert end is not None and track is not None
        page.mouse.move(end["x"] + 12, end["y"] + 12)
        page.mouse.down()
        page.mouse.move(end["x"] + 12 - track["width"] / 20, end["y"] + 12, steps=5)
        page.mouse.up()
        assert eventually(lambda: days_of(project, mine)[1] < "2034-01-01", page)
        assert days_of(project, mine)[0] == "2029-03-27"

        dialog.get_by_label("Start of <b>Quay</b>").fill("2031-05-01")
        # Typed text stays while others change diagrams.
        project.diagram(MARSH).edit(title="Oakwood Beach")
        expect(dialog.get_by_text("Oakwood Beach", exact=True)).to_be_visible()
        dialog.get_by_label("End of <b>Quay</b>").fill("2031-04-01")
        dialog.get_by_role("button", name="Set dates").click()
        expect(dialog.get_by_role("alert")).to_contain_text("The end is before the start.")
        dialog.get_by_label("End of <b>Quay</b>").fill("2032-04-01")
        dialog.get_by_role("button", name="Set dates").click()
        assert eventually(lambda: days_of(project, bare) == ("2031-05-01", "2032-04-01"), page)
        expect(dialog.get_by_role("slider")).to_have_count(4)
        assert room.faults() == []


def test_days_that_somebody_changed_meanwhile_are_not_overwritten(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    mine = sent_by(workshop, "ana", "Ferry stop", start=date(2030, 1, 31), end=date(2034, 6, 1))
    project.member("ana").set_selection([mine])
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        page.locator("#tab-designs").click()
        page.get_by_role("button", name="Timeline of my choice").click()
        page.get_by_role("slider", name="End of Ferry stop").focus()
        page.keyboard.press("ArrowRight")
        project.diagram(mine).update(start_date=date(2031, 1, 1), end_date=date(2032, 1, 1))
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("changed the dates of")
        expect(page.get_by_role("slider", name="End of Ferry stop")).to_have_attribute("aria-valuetext", "Jan 1, 2032")
        assert days_of(project, mine) == ("2031-01-01", "2032-01-01")
        assert room.faults() == []


def open_part(room: Room, name: str) -> Locator:
    """Opens what the designs of the page have over it."""
    room.page.locator("#tab-designs").click()
    room.page.get_by_role("button", name=name, exact=True).click()
    dialog = room.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


@pytest.mark.slow
def test_latest_designs_stand_side_by_side_and_the_matrix_says_what_python_says(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    similarity = project.compare().similarity().to_numpy(dtype=float)
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        dialog = open_part(room, "All latest designs side by side")
        expect(dialog.locator(".map")).to_have_count(4)
        cells = dialog.locator(".matrix tbody td")
        expect(cells).to_have_count(16)
        for row, column in itertools.product(range(4), range(4)):
            cell = cells.nth(4 * row + column)
            if row == column:
                expect(cell).to_have_text("–")
            else:
                agreement = float(cell.get_attribute("data-agreement") or "nan")
                assert agreement == pytest.approx(similarity[row, column])
        # Two of them, tapped: the same pairs collide as in Python.
        one, other = (project.team(name).designs()[-1] for name in ("Conservation", "Residents"))
        expected = in_land(project, "between", designs=[one, other])
        expect(cells.nth(3)).to_have_attribute("data-collisions", str(len(expected)))
        totals = dialog.locator(".sums tfoot td").evaluate_all("cells => cells.map(cell => Number(cell.dataset.cost))")
        costs = [project.costs(team=team.title).total for team in project.teams()]
        assert totals == pytest.approx(costs, abs=0.005)
        # The maps move together.
        before = dialog.locator(".leaflet-control-scale-line").first.inner_text()
        dialog.get_by_role("button", name="Zoom in").first.click()
        scales = dialog.locator(".leaflet-control-scale-line")
        expect(scales.first).not_to_have_text(before)
        assert eventually(lambda: len(set(scales.all_inner_texts())) == 1, page)
        assert barriers(page) == []

        cells.nth(3).get_by_role("button").click()
        comparison = page.get_by_role("dialog", name=f"{one.title} · {other.title}")
        expect(comparison.locator(".colliding h2")).to_have_text(f"Collisions between the designs ({len(expected)})")
        expect(comparison.locator("[data-pair]")).to_have_count(len(expected))
        assert shown_pairs(comparison) == pytest.approx(expected, rel=0.002)
        expect(
            comparison.get_by_text(f"{len(one.costs().diagrams)} diagrams · {short_amount(one.costs().total)}")
        ).to_be_visible()
        marked = comparison.locator("path[stroke-dasharray='2 6']").count()
        assert marked >= len(expected)
        comparison.get_by_label("Mark collisions on the maps").uncheck()
        expect(comparison.locator("path[stroke-dasharray='2 6']")).to_have_count(0)
        assert barriers(page) == []
        assert room.faults() == []


def test_a_newer_design_is_told_to_who_looks_at_all_and_shown_when_they_want(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        dialog = open_part(room, "All latest designs side by side")
        project.team("Residents").save("A <i>third</i> one", [MARSH])
        expect(dialog.get_by_text("A team has saved a newer design.")).to_be_visible()
        dialog.get_by_role("status").get_by_role("button").click()
        expect(dialog.get_by_role("heading", name="Residents: A <i>third</i> one")).to_be_visible()
        assert room.faults() == []


def test_a_round_of_votes_orders_what_is_talked_about(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    liked, disputed = project.diagram(DUNE), project.diagram(MARSH)
    with workshop.client("ben") as ben:
        theirs = ben.project(project.id)
        theirs.diagram(liked.id).vote(2)
        theirs.diagram(disputed.id).vote(-2, "It floods.")
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        dialog = open_part(room, "Round of votes")
        expect(dialog.locator("li .votes").nth(20)).to_be_attached()
        row = dialog.locator(f"li[data-id='{disputed.id}']")
        expect(row.get_by_text("It floods.")).to_be_visible()
        row.get_by_label("Reason").fill("Birds nest there.")
        row.get_by_role("button", name="Your vote +2").click()
        expect(row).to_contain_text("2 votes · support 0 · disagreement 2")
        dialog.locator(f"li[data-id='{liked.id}']").get_by_role("button", name="Your vote +1").click()
        expect(dialog.locator(f"li[data-id='{liked.id}']")).to_contain_text("2 votes · support +3 · disagreement 0.5")

        def first(order: str) -> str | None:
            dialog.get_by_label("Order").select_option(order)
            return dialog.locator("li[data-id]").first.get_attribute("data-id")

        assert first("disagreed") == str(disputed.id)
        assert first("supported") == str(liked.id)
        assert first("unvoted") not in (str(liked.id), str(disputed.id))
        expect(dialog.get_by_role("status").first).to_contain_text("You have voted on 2")
        votes = {(vote["diagram"], vote["username"], vote["vote"], vote["comment"]) for vote in project.votes()}
        assert (disputed.id, "ana", 2, "Birds nest there.") in votes

        # Rows keep their places while others vote.
        first("supported")
        with workshop.client("ben") as ben:
            ben.project(project.id).diagram(disputed.id).vote(2)
        expect(dialog.locator(f"li[data-id='{disputed.id}']")).to_contain_text("support +4")
        assert dialog.locator("li[data-id]").first.get_attribute("data-id") == str(liked.id)
        dialog.get_by_role("button", name="Sort again").click()
        expect(dialog.locator("li[data-id]").first).to_have_attribute("data-id", str(disputed.id))
        page.keyboard.press("Escape")

        # So are the lists of a comparison.
        dialog = open_part(room, "Compare")
        dialog.get_by_label("Order").select_option("supported")
        expect(dialog.locator(".lists li[data-id]").first).to_have_attribute("data-id", str(disputed.id))
        assert room.faults() == []


GERMAN = ["Alle neuesten Entwürfe nebeneinander", "Abstimmungsrunde", "Zeitachse meiner Auswahl", "Vergleichen"]
ENGLISH = ["All latest designs side by side", "Round of votes", "Timeline of my choice", "Compare"]
# Targets that a finger would miss.
SMALL = """dialog => [...dialog.querySelectorAll("button, select, summary, input, .handle")]
.map((found) => [found.outerHTML.slice(0, 90), (found.closest("label") || found).getBoundingClientRect()])
.filter(([, { width, height }]) => width < 24 || height < 24).map(([html]) => html)"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 320])
def test_everything_is_read_on_a_phone_in_the_dark_and_by_a_screen_reader(
    browser: Browser, workshop: Sandbox, width: int
) -> None:
    sent = sent_by(workshop, "ana", "<img src=x onerror=alert(1)>", start=date(2030, 1, 31), end=date(2034, 6, 1))
    workshop.project().member("ana").set_selection([MARSH, sent])
    is_dark = width == 390
    settings: dict[str, Any] = {
        "locale": "de-DE" if is_dark else "en-GB",
        "color_scheme": "dark" if is_dark else "light",
        "has_touch": True,
        "is_mobile": True,
    }
    with joined(browser, link_of(workshop, "ana"), width=width, height=780, **settings) as room:
        page = room.page
        for name in GERMAN if is_dark else ENGLISH:
            dialog = open_part(room, name)
            expect(dialog.locator(".votes, .sums, .span, .lists li").first).to_be_attached(timeout=10_000)
            # In the light, the tests of each of them ask axe.
            assert not is_dark or (name, barriers(page)) == (name, [])
            assert (name, dialog.evaluate("dialog => dialog.scrollWidth")) == (name, width)
            assert (name, dialog.evaluate(SMALL)) == (name, [])
            page.locator("dialog .bar button").click()
        page.locator("#tab-diagrams").click()
        room.open_balance()
        expect(page.locator(".balance tbody tr").first).to_be_visible()
        assert is_dark or barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert room.faults() == []


# The drawings of six members: system, and west and north of a square, as shares of the map.
DRAWN = {
    "ana": ("Marsh", "Water", 0.30, 0.30),
    "ben": ("Pond", "Water", 0.60, 0.20),
    "cem": ("Terraces", "Housing", 0.37, 0.36),
    "dora": ("Tower", "Housing", 0.42, 0.62),
    "eva": ("Depot", "Transport", 0.62, 0.62),
    "finn": ("Yard", "Transport", 0.66, 0.26),
}
TEAMS = {"Shore": ["ana", "ben"], "Hill": ["cem", "dora"], "Town": ["eva", "finn"]}
# Marsh and Terraces are on the same land, as are Pond and Yard.
DESIGNS = {
    "Shore": ["Marsh", "Pond", "Depot"],
    "Hill": ["Terraces", "Tower", "Depot"],
    "Town": ["Depot", "Yard", "Tower"],
}
SIDE = 0.09


@pytest.fixture
def empty() -> Iterator[tuple[Sandbox, Project]]:
    """A new project without diagrams, with budgets and a target, and with three teams of two."""
    with demo_sandbox() as sandbox:
        client = sandbox.client()
        systems: list[NewSystem] = [
            {"name": "Water", "color": "#2B7BBA", "cost": 100_000},
            {"name": "Housing", "color": "#B23B3B", "cost": 2_000_000},
            {"name": "Transport", "color": "#3A3F4B", "cost": 500_000},
        ]
        created = client.create_project(
            sandbox.creation_code(), title="Lisbon 2050", bounds=(-9.23, 38.69, -9.09, 38.80), systems=systems
        )
        project = client.project(created)
        project.system("Housing").edit(budget=1e9)
        project.system("Water").edit(target_ha=50, current_ha=10)
        for team, members in TEAMS.items():
            for name in members:
                sandbox.add_user(name)
                project.add_member(name)
            project.add_team(team, members=members)
        yield sandbox, project


def noted(project: Project) -> tuple[threading.Thread, list[tuple[str, str]]]:
    """A notebook that watches: kinds and ids of all changes, until a team gets another colour."""
    heard: list[tuple[str, str]] = []
    changes = project.watch(timeout=60)

    def listen() -> None:
        for change in changes:
            if change["kind"] == "team":
                return
            heard.append((change["kind"], str(change["id"])))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    return thread, heard


def draw_own(room: Room, name: str) -> None:
    title, system, west, north = DRAWN[name]
    room.open_drawing()
    room.page.locator("form.drawing .field", has_text="System").locator("select").select_option(label=system)
    room.click_corners([(west, north), (west + SIDE, north), (west + SIDE, north + SIDE), (west, north + SIDE)])
    room.page.get_by_label("Title", exact=True).fill(title)
    room.send()
    expect(room.cell(title)).to_be_attached(timeout=10_000)


def vote(room: Room, title: str, sign: str, word: str) -> None:
    dialog = open_part(room, "Round of votes")
    row = dialog.locator("li[data-id]", has_text=title)
    row.get_by_label("Reason").fill(word)
    row.get_by_role("button", name=f"Your vote {sign}").click()
    expect(row.get_by_role("button", name=f"Your vote {sign}")).to_have_attribute("aria-pressed", "true")
    room.page.keyboard.press("Escape")


def compare(room: Room, one: str, other: str) -> Locator:
    """Opens the comparison of two teams' latest designs from the matrix."""
    sides = open_part(room, "All latest designs side by side")
    sides.get_by_role("button", name=f"{one} and {other}").click()
    dialog = room.page.locator("dialog.comparison")
    expect(dialog.locator(".lists h2")).to_have_count(3)
    return dialog


def close_all(room: Room) -> None:
    while room.page.get_by_role("dialog").count():
        room.page.keyboard.press("Escape")
        room.page.wait_for_timeout(50)


@pytest.mark.slow
def test_three_teams_in_six_pages_come_from_an_empty_project_to_one_design(
    browser: Browser, empty: tuple[Sandbox, Project]
) -> None:
    sandbox, project = empty
    watching, heard = noted(project)
    with ExitStack() as open_pages:
        rooms = {name: open_pages.enter_context(joined(browser, link_of(sandbox, name), width=1300)) for name in DRAWN}
        expect(rooms["ana"].page.get_by_text("No diagrams yet. “Draw” begins the first one.")).to_be_visible()
        for name, room in rooms.items():
            draw_own(room, name)
        ids = {str(row["description"]): row["diagramid"] for row in project.costs().diagrams}
        assert set(ids) == {title for title, *_ in DRAWN.values()}

        # Each team makes a design, and its bars move at the same time.
        for (team, titles), (first, _) in zip(DESIGNS.items(), TEAMS.values(), strict=True):
            room = rooms[first]
            save_choice(room, titles, f"Plan of {team}")
            assert is_said_by_service(room)
            own = project.design(f"Plan of {team}")
            assert sorted(own.diagram_ids()) == sorted(ids[title] for title in titles)
            assert figure(room.page.locator(".balance tfoot"), "cost") == pytest.approx(own.costs().total, abs=0.005)

        # A round of votes, most disagreed first.
        for name, title, sign in [("ana", "Marsh", "+2"), ("ben", "Marsh", "+2"), ("cem", "Marsh", "−2")]:
            vote(rooms[name], title, sign, f"says {name}")
        for name, title, sign in [("dora", "Terraces", "+1"), ("eva", "Depot", "+2"), ("finn", "Depot", "+2")]:
            vote(rooms[name], title, sign, f"says {name}")
        dialog = open_part(rooms["dora"], "Round of votes")
        expect(dialog.locator("li[data-id]").first).to_contain_text("Marsh")
        expect(dialog.locator("li[data-id]").first).to_contain_text("3 votes · support +2 · disagreement 1.9")
        close_all(rooms["dora"])

        # How far they agree: Shore and Hill share one diagram of five, and collide once.
        sides = open_part(rooms["finn"], "All latest designs side by side")
        expect(sides.locator(".map")).to_have_count(3)
        expect(sides.get_by_role("button", name="Shore and Hill")).to_have_text("20% · 1 collision")
        expect(sides.get_by_role("button", name="Shore and Town")).to_have_text("20% · 1 collision")
        expect(sides.get_by_role("button", name="Hill and Town")).to_have_text("50% · 0 collisions")
        close_all(rooms["finn"])

        # Shore and Hill decide, each in a page of their own.
        shore, hill = (compare(rooms[name], "Shore", "Hill") for name in ("ana", "cem"))
        expect(shore.locator("[data-pair]")).to_have_count(1)
        assert set(shown_pairs(shore)) == {tuple(sorted((ids["Marsh"], ids["Terraces"])))}
        hill.get_by_role("button", name="Accept: Marsh").click()
        expect(shore.get_by_role("button", name="Accept: Marsh")).to_have_attribute("aria-pressed", "true")
        shore.get_by_role("button", name="Reject: Terraces").click()
        shore.page.locator("dialog.ask").get_by_label("Reason").fill("It is too wet there.")
        shore.page.locator("dialog.ask").get_by_role("button", name="Reject").click()
        expect(hill.get_by_text("It is too wet there.")).to_be_visible()
        hill.get_by_role("button", name="Accept: Tower").click()
        three = sum(
            row["cost"] or 0 for row in project.costs().diagrams if row["description"] in ("Depot", "Marsh", "Tower")
        )
        said = f"Agreed: 3 diagrams · {short_amount(three)} · 1 of 1 budgets kept · 1 of 1 targets met · 0 collisions"
        expect(shore.get_by_text(said)).to_be_visible()
        shore.get_by_label("Title of the design").fill("Shore and Hill")
        shore.get_by_role("button", name="Save the agreed design").click()
        expect(shore).to_have_count(0)
        close_all(rooms["ana"])
        close_all(rooms["cem"])

        # That design, and Town's.
        expect(rooms["eva"].page.get_by_role("button", name="Show the design Shore and Hill")).to_be_attached()
        town = compare(rooms["eva"], "Shore", "Town")
        expect(town.locator(".colliding h2")).to_have_text("Collisions between the designs (0)")
        town.get_by_role("button", name="Accept: Marsh").click()
        other = compare(rooms["ben"], "Shore", "Town")
        expect(other.get_by_role("button", name="Accept: Marsh")).to_have_attribute("aria-pressed", "true")
        other.get_by_role("button", name="Accept: Yard").click()
        expect(town.get_by_text("Agreed: 4 diagrams")).to_be_visible()
        town.get_by_label("Title of the design").fill("What all agreed")
        town.get_by_role("button", name="Save the agreed design").click()
        expect(town).to_have_count(0)
        for room in (rooms["eva"], rooms["ben"]):
            close_all(room)

        # Its author sets when it is built.
        page = rooms["ana"].page
        expect(page.get_by_role("button", name="Show the design What all agreed")).to_be_attached()
        dialog = open_part(rooms["ana"], "Timeline of the design What all agreed")
        dialog.get_by_label("Start of Marsh").fill("2031-05-01")
        dialog.get_by_label("End of Marsh").fill("2033-05-01")
        dialog.get_by_role("button", name="Set dates").click()
        expect(dialog.get_by_role("slider")).to_have_count(2)
        close_all(rooms["ana"])

        # A notebook reads the choice.
        agreed = project.design("What all agreed")
        assert sorted(agreed.diagram_ids()) == sorted(ids[title] for title in ("Depot", "Marsh", "Tower", "Yard"))
        costs = agreed.costs()
        assert {row["description"] for row in costs.diagrams} == {"Depot", "Marsh", "Tower", "Yard"}
        assert days_of(project, ids["Marsh"]) == ("2031-05-01", "2033-05-01")
        teams = {team.title: team.id for team in project.teams()}
        moves = {
            frozenset(log["cteams"] or []): [
                (move["diagram"], move["move"], move.get("comment")) for move in log["moves"]
            ]
            for log in project.workshop.negotiation_logs()
        }
        assert moves == {
            frozenset((teams["Shore"], teams["Hill"])): [
                (ids["Marsh"], "accept", None),
                (ids["Terraces"], "reject", "It is too wet there."),
                (ids["Tower"], "accept", None),
            ],
            frozenset((teams["Shore"], teams["Town"])): [(ids["Marsh"], "accept", None), (ids["Yard"], "accept", None)],
        }
        page = rooms["finn"].page
        page.get_by_label("Show", exact=True).select_option(label="What all agreed")
        page.locator("#tab-costs").click()
        assert rooms["finn"].shows_total(costs.total)
        assert {name: room.faults() for name, room in rooms.items()} == {name: [] for name in DRAWN}
    project.team("Town").edit(color="#123456")
    watching.join(20)
    kinds = Counter(kind for kind, _ in heard)
    assert {ident for kind, ident in heard if kind == "diagram"} == {str(ident) for ident in ids.values()}
    assert {ident for kind, ident in heard if kind == "design"} >= {str(agreed.id)}
    assert kinds["design"] == 5
    assert kinds["vote"] == 6
