"""An evening in the room: teams make designs and agree, a facilitator runs it, and everybody looks at one wall."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from barriers import barriers
from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import eventually, joined, link_of
from team_designs import choose_step, run_evening, save_choice

pytestmark = pytest.mark.early

TRIANGLE = [[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with two teams of its own and a facilitator."""
    with demo_sandbox() as sandbox:
        project = sandbox.project()
        for name in ("ana", "ben", "fay"):
            sandbox.add_user(name)
            project.add_member(name, administrator=name == "fay")
        project.add_team("Shore", members=["ana"])
        project.add_team("Hill", members=["ben"])
        yield sandbox


def test_two_teams_come_to_one_design_by_pages_alone(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    both, shore, hill = "Oakwood Beach tidal", "South Beach dune", "Sea View hospital"
    with joined(browser, link_of(workshop, "ana")) as ana, joined(browser, link_of(workshop, "ben")) as ben:
        save_choice(ana, [both, shore], "Along the shore")
        save_choice(ben, [both, hill], "Up the hill")
        page = ana.page
        expect(page.get_by_role("button", name="Show the design Up the hill")).to_be_visible()
        page.get_by_label("First design").select_option(label="Shore: Along the shore")
        page.get_by_label("Second design").select_option(label="Hill: Up the hill")
        page.get_by_role("button", name="Compare", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".lists h2")).to_have_count(3)
        headings = [text.split(" (")[1][0] for text in dialog.locator(".lists h2").all_inner_texts()]
        assert headings == ["1", "1", "1"]
        expect(page.locator("dialog .map")).to_have_count(2)

        dialog.get_by_role("button", name=f"Accept: {hill}").click()
        dialog.get_by_role("button", name=f"Reject: {shore}").click()
        page.locator("dialog.ask").get_by_label("Reason").fill("It floods.")
        page.locator("dialog.ask").get_by_role("button", name="Reject").click()
        expect(dialog.get_by_text("Agreed: 2 diagrams")).to_be_visible()

        # The other team sees the decision.
        other = ben.page
        other.get_by_label("First design").select_option(label="Shore: Along the shore")
        other.get_by_label("Second design").select_option(label="Hill: Up the hill")
        other.get_by_role("button", name="Compare", exact=True).click()
        expect(other.get_by_role("dialog").get_by_text("It floods.")).to_be_visible()
        assert barriers(other) == []

        dialog.get_by_label("Title of the design").fill("What we agreed")
        dialog.get_by_role("button", name="Save the agreed design").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_label("Show", exact=True).locator("option:checked")).to_have_text("What we agreed")

        agreed = project.design("What we agreed")
        titles = {str(row["description"]) for row in agreed.costs().diagrams}
        assert {title.split()[0] for title in titles} == {"Oakwood", "Sea"}
        teams = {project.team("Shore").id, project.team("Hill").id}
        (session,) = [log for log in project.workshop.negotiation_logs() if set(log["cteams"] or []) == teams]
        moves = [(move["move"], move.get("comment")) for move in session["moves"]]
        assert moves == [("accept", None), ("reject", "It floods.")]
        page.locator("#tab-costs").click()
        assert ana.shows_total(agreed.costs().total)
        assert ana.faults() == ben.faults() == []


def test_a_design_that_is_sent_twice_is_saved_once(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.box("Oakwood Beach tidal").click()
        room.page.locator("#tab-designs").click()
        expect(room.page.locator(".saving [role=status]")).to_contain_text("1")
        room.page.get_by_label("Title of the design").fill("Once")
        room.page.get_by_role("button", name="Save", exact=True).dblclick()
        expect(room.page.get_by_role("button", name="Show the design Once")).to_be_visible()
        room.page.wait_for_timeout(300)
        assert [design.title for design in workshop.project().team("Shore").designs()] == ["Once"]


def test_a_design_is_changed_into_the_next_one_and_the_earlier_stays(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        save_choice(room, ["Oakwood Beach tidal"], "First")
        room.page.locator("#tab-diagrams").click()
        room.box("Oakwood Beach tidal").click()
        room.page.locator("#tab-designs").click()
        room.page.get_by_role("button", name="Use the design First").click()
        expect(room.page.locator(".saving [role=status]")).to_contain_text("1")
        room.page.locator("#tab-diagrams").click()
        room.box("South Beach dune").click()
        room.page.locator("#tab-designs").click()
        room.page.get_by_label("Title of the design").fill("Second")
        room.page.get_by_role("button", name="Save", exact=True).click()
        expect(room.page.get_by_role("button", name="Show the design Second")).to_be_visible()
        assert [len(project.design(title).costs().diagrams) for title in ("First", "Second")] == [1, 2]


def test_a_team_sees_what_its_members_chose_and_how_many_did(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    shared, own = (str(project.diagrams(fields="summary")[number]["worlddescription"]) for number in (0, 1))
    project.add_team("Both", members=["ana", "ben"])
    project.member("ana").set_selection([shared, own])
    project.member("ben").set_selection([shared])
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.locator("#tab-designs").click()
        room.page.get_by_text("Choices of the members of Both").click()
        rows = room.page.locator(".team", has_text="Choices of the members of Both").locator("tbody tr")
        expect(rows).to_have_count(2)
        assert [row.split("\t") for row in rows.all_inner_texts()] == [
            [shared, "2/2", "ana, ben"],
            [own, "1/2", "ana"],
        ]


def test_a_vote_with_a_word_is_cast_changed_and_withdrawn(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.cell("Oakwood Beach tidal").get_by_role("button", name="About").click()
        votes = room.page.locator("dialog .votes")
        votes.get_by_label("Reason").fill("Keeps the water out")
        votes.get_by_role("button", name="Your vote +2").click()
        expect(votes).to_contain_text("1 vote · support +2")
        (vote,) = [vote for vote in project.votes() if vote["username"] == "ana"]
        assert (vote["vote"], vote["comment"]) == (2, "Keeps the water out")
        votes.get_by_role("button", name="Your vote −1").click()
        expect(votes).to_contain_text("support −1")
        votes.get_by_role("button", name="Your vote −1").click()
        expect(votes).to_contain_text("No votes yet")
        assert [vote for vote in project.votes() if vote["username"] == "ana"] == []


def test_votes_stay_hidden_until_the_facilitator_ends_the_round(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay, joined(browser, link_of(workshop, "ana")) as ana:
        run_evening(fay)
        switch = fay.page.get_by_role("switch", name="Hide votes")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "true")
        workshop.client("ben").project(workshop.project_ids[0]).diagram(1001).vote(-2, "Too wet")
        ana.cell("Oakwood Beach tidal").get_by_role("button", name="About").click()
        votes = ana.page.locator("dialog .votes")
        expect(votes).to_contain_text("Votes are hidden until the round ends.")
        votes.get_by_role("button", name="Your vote +2").click()
        expect(votes.get_by_role("button", name="Your vote +2")).to_have_attribute("aria-pressed", "true")
        expect(votes).not_to_contain_text("Too wet")
        switch.click()
        expect(votes).to_contain_text("2 votes · support 0")
        expect(votes).to_contain_text("Too wet")


def test_who_runs_the_evening_closes_and_opens_drawing_with_a_clock(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay, joined(browser, link_of(workshop, "ana")) as ana:
        run_evening(fay)
        assert barriers(fay.page) == []
        fay.page.get_by_label("Message to everyone").fill("We compare now.")
        fay.page.get_by_role("switch", name="Drawing").click()
        expect(ana.page.locator(".notice")).to_contain_text("We compare now.")
        draw = ana.page.get_by_role("button", name="Draw", exact=True)
        expect(draw).to_have_attribute("aria-disabled", "true")
        fay.page.get_by_role("switch", name="Drawing").click()
        expect(draw).to_have_attribute("aria-disabled", "false")
        fay.page.get_by_label("Minutes until closing", exact=True).fill("10")
        fay.page.get_by_role("button", name="Close later: Drawing").click()
        expect(fay.page.locator(".evening")).to_contain_text(re.compile(r"Open until .* \(10 minutes\)"))
        assert workshop.project().workshop.activities()["drawing"]["closes_at"] is not None
        # Others are told that they do not run it.
        ana.page.locator(".who").click()
        ana.page.get_by_role("button", name="Run the evening").click()
        expect(ana.page.locator(".notice")).to_contain_text("Only an administrator")
        expect(ana.page.locator("#tab-evening")).to_have_count(0)


def test_who_runs_the_evening_admits_walk_ins_gives_links_and_undoes(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "fay")) as fay:
        page = fay.page
        run_evening(fay)
        page.get_by_label("Admit each walk-in by hand").check()
        page.get_by_role("button", name="Open the door").click()
        link = page.locator("dialog code").inner_text()
        page.keyboard.press("Escape")
        with joined(browser, link, wait=False) as zoe:
            zoe.page.get_by_label("Your name").fill("Zoe")
            zoe.page.get_by_role("button", name="Join").click()
            expect(zoe.page.get_by_text("tries again by itself")).to_be_visible()
            page.locator("#tab-costs").click()
            page.locator("#tab-evening").click()
            page.get_by_role("button", name="Admit: Zoe").click()
            expect(zoe.page.locator("canvas.leaflet-tile").first).to_be_attached(timeout=10_000)

        page.get_by_label("Guest’s name").fill("Council")
        page.get_by_role("button", name="Create link (valid one month)").click()
        with joined(browser, page.locator("dialog code").inner_text()) as council:
            expect(council.page.get_by_role("button", name="Draw", exact=True)).to_be_hidden()
        page.keyboard.press("Escape")

        mistaken = workshop.client("ana").project(project.id)
        mistaken.add_diagram("Energy", {"type": "Polygon", "coordinates": [TRIANGLE]}, title="A mistake")
        page.get_by_role("button", name="Undo: A mistake").click()
        assert eventually(lambda: len(project.diagrams(fields="summary")) == 180, page)

        choose_step(fay, "Take home")
        with page.expect_download() as download:
            page.get_by_role("button", name="Project archive").click()
        archive = tmp_path / "project.zip"
        download.value.save_as(archive)
        with Sandbox(project=archive) as copy:
            assert copy.project().costs().total == pytest.approx(project.costs().total)


def test_the_wall_shows_what_happens_and_fits_the_projector(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        wall = room.page
        for width, height in ((1920, 1080), (3840, 2160)):
            wall.set_viewport_size({"width": width, "height": height})
            wall.goto(f"{room.home}?wall")
            expect(wall.locator("canvas.leaflet-tile").first).to_be_attached()
            expect(wall.locator(".teams li")).to_have_count(4)
            project.add_diagram("Water", {"type": "Polygon", "coordinates": [TRIANGLE]}, title=f"New at {width}")
            expect(wall.locator(".newest")).to_contain_text(f"New at {width}", timeout=2000)
            cut = wall.evaluate(
                """() => [...document.querySelectorAll(".wall aside li, .wall tr")]
                .filter((row) => row.getBoundingClientRect().bottom > innerHeight).length"""
            )
            assert cut == 0
        project.workshop.set_activities(drawing=False, message="Coffee")
        expect(wall.locator(".state")).to_contain_text("Coffee")
        assert barriers(wall) == []


def test_who_runs_the_evening_prepares_systems_teams_and_maps(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    project = workshop.project()
    file = tmp_path / "water.geojson"
    shapes = [
        {"type": "Feature", "properties": {"suit": suit}, "geometry": {"type": "Polygon", "coordinates": [TRIANGLE]}}
        for suit in ("good", "bad", "unknown")
    ]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": shapes}))
    with joined(browser, link_of(workshop, "fay")) as fay:
        page = fay.page
        run_evening(fay, "Prepare")
        expect(page.get_by_label("Budget: Energy")).to_be_visible()
        assert barriers(page) == []
        page.get_by_label("Budget: Energy").fill("123456789")
        page.keyboard.press("Tab")
        expect(page.locator(".notice")).to_contain_text("Energy is saved")
        assert project.system("Energy")["budget"] == 123_456_789
        page.get_by_label("Members of Hill").fill("ben, ana")
        page.keyboard.press("Tab")
        expect(page.locator(".notice")).to_contain_text("Hill is saved")
        assert sorted(project.team("Hill").members()) == ["ana", "ben"]
        page.get_by_label("Map’s role").select_option(label="Evaluation map: Water")
        page.get_by_label("Map file").first.set_input_files(file)
        page.get_by_label("Class of good").select_option("green2")
        page.get_by_label("Class of bad").select_option("red")
        page.get_by_role("button", name="Use map").click()
        expect(page.locator(".notice")).to_contain_text("Water is saved")
        features = project.system("Water").evaluation().to_dict()["features"]
        assert [feature["properties"]["areatype"] for feature in features] == ["green2", "red"]


def test_a_member_takes_the_own_data_along(browser: Browser, workshop: Sandbox, tmp_path: Path) -> None:
    drawn = workshop.client("ana").project(workshop.project_ids[0])
    drawn.add_diagram("Energy", {"type": "Polygon", "coordinates": [TRIANGLE]}, title="Mine")
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.locator(".who").click()
        room.page.get_by_text("Your personal data").click()
        with room.page.expect_download() as download:
            room.page.get_by_role("button", name="Download my data").click()
        file = tmp_path / "ana.json"
        download.value.save_as(file)
        data = json.loads(file.read_text(encoding="utf-8"))
        assert (data["name"], data["teams"]) == ("ana", ["Shore"])
        assert [diagram["title"] for diagram in data["diagrams"]] == ["Mine"]
        assert {entry["username"] for entry in data["history"]} == {"ana"}
