"""The room: a workshop in the browser, together with notebooks on the same project."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pygeodesign import Sandbox
from room_pages import BOW_TIE, SQUARE, eventually, joined, link_of, opened_in, workshop

__all__ = ["workshop"]

pytestmark = pytest.mark.early

HARMFUL = '<img src=x onerror="window.harmed = 1"><script>window.harmed = 1</script>'


def test_the_link_of_a_card_opens_the_project_and_leaves_no_token_in_the_address(
    browser: Browser, workshop: Sandbox
) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        assert room.page.url == room.home
        assert room.page.title() == "Staten Island 2050"
        expect(room.page.locator("li.cell")).to_have_count(180)
        assert workshop.token("ana") not in "".join(room.requests) + room.page.evaluate("document.referrer")
        room.page.reload()
        expect(room.page.locator("canvas.leaflet-tile").first).to_be_attached()
        assert room.faults() == []


def test_drawings_by_mouse_and_by_finger_reach_everybody_within_a_second(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.client("ana").project(workshop.project_ids[0])
    with (
        joined(browser, link_of(workshop, "ana")) as desk,
        joined(browser, link_of(workshop, "ben"), 390, 780, has_touch=True, is_mobile=True) as phone,
    ):
        changes = project.watch(timeout=20)
        desk.draw("A marsh by mouse")
        sent = time.monotonic()
        expect(phone.cell("A marsh by mouse")).to_be_attached(timeout=1000)
        change = next(change for change in changes if change["kind"] == "diagram")
        assert change["diagram"] is not None
        assert change["diagram"].metadata["description"] == "A marsh by mouse"
        assert time.monotonic() - sent < 1.5

        phone.open_drawing()
        phone.tap_corners([(0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6)])
        phone.page.get_by_label("Title", exact=True).fill("A park by finger")
        phone.send()
        expect(desk.cell("A park by finger")).to_be_attached(timeout=2000)

        total = project.costs().total
        for room in (desk, phone):
            room.page.locator("#tab-costs").click()
            assert room.shows_total(total), (room.total(), total)
        assert desk.faults() == phone.faults() == []


def test_while_somebody_draws_the_page_says_what_it_costs(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        expect(room.page.locator(".preview [data-cost]")).to_be_visible()
        room.page.wait_for_timeout(500)
        previewed = float(room.page.locator(".preview [data-cost]").get_attribute("data-cost") or "nan")
        room.page.get_by_label("Title", exact=True).fill("As it was said")
        room.send()
        expect(room.cell("As it was said")).to_be_attached()
        costs = workshop.project().costs()
        row = next(row for row in costs.diagrams if row["description"] == "As it was said")
        assert row["cost"] == pytest.approx(previewed, abs=0.005)


def test_a_bow_tie_is_refused_where_it_crosses(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(BOW_TIE)
        alert = room.page.get_by_role("alert").filter(has_text="crosses itself")
        expect(alert).to_be_visible()
        circle = room.page.locator("path[stroke='#b3261e']").bounding_box()
        assert circle is not None
        x, y = room.place((0.485, 0.485))
        assert abs(circle["x"] + circle["width"] / 2 - x) < 6
        assert abs(circle["y"] + circle["height"] / 2 - y) < 6
        room.page.get_by_label("Title", exact=True).fill("A bow tie")
        room.send()
        room.page.wait_for_timeout(300)
        expect(alert).to_be_visible()
        assert len(workshop.project().diagrams(fields="summary")) == 180


def test_drawing_that_was_closed_is_refused_with_the_reason(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_label("Title", exact=True).fill("Too late")
        project.workshop.set_activities(drawing=False, message="We compare now.")
        room.send()
        waiting = room.page.locator(".waiting")
        expect(waiting).to_contain_text("We compare now.")
        assert len(project.diagrams(fields="summary")) == 180
        # It is not lost: its author sends it when drawing is open again.
        project.workshop.set_activities(drawing=True)
        expect(room.page.get_by_role("button", name="Draw", exact=True)).to_have_attribute("aria-disabled", "false")
        waiting.get_by_role("button", name="Open again").click()
        room.send()
        expect(room.cell("Too late")).to_be_attached()
        assert len(project.diagrams(fields="summary")) == 181


def test_nothing_drawn_is_lost_while_the_service_is_away(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "evening.sqlite"
    with Sandbox(database) as sandbox:
        sandbox.add_user("ana")
        sandbox.project().add_member("ana")
        link, port = link_of(sandbox, "ana"), int(sandbox.url.split(":")[2].split("/")[0])
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        room = opened_in(context, link)
        page = room.page
        assert eventually(lambda: any("terra_draw" in url for url in room.requests), page)
        page.wait_for_timeout(300)
        sandbox.stop()
    expect(page.locator(".state[data-is=offline]")).to_be_attached()
    room.draw("Drawn without the service")
    expect(page.locator(".waiting")).to_contain_text("Drawn without the service")
    # A second one is in hand when the page is reloaded.
    room.open_drawing()
    room.click_corners([(0.3, 0.6), (0.4, 0.6), (0.4, 0.7)])
    page.get_by_label("Title", exact=True).fill("In hand")
    with Sandbox(database, port=port) as sandbox:
        expect(page.locator(".state[data-is=online]")).to_be_attached(timeout=15_000)
        expect(page.locator(".waiting h2")).to_have_count(0, timeout=20_000)
        page.reload()
        expect(page.get_by_label("Title", exact=True)).to_have_value("In hand")
        room.send()
        expect(room.cell("In hand")).to_be_attached()
        titles = [row["worlddescription"] for row in sandbox.project().diagrams(fields="summary")]
        assert titles.count("Drawn without the service") == 1
        assert titles.count("In hand") == 1
    context.close()


def test_markup_in_titles_notes_and_tags_shows_as_text(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    diagram = project.add_diagram(
        project.system("Water"),
        {"type": "Polygon", "coordinates": [[[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]]},
        title=HARMFUL,
    )
    diagram.set_notes(HARMFUL)
    project.create_tags([{"tag": HARMFUL, "code": "HX"}])
    diagram.set_tag_codes(["HX"])
    with joined(browser, link_of(workshop, "ana")) as room:
        cell = room.cell(HARMFUL)
        expect(cell).to_be_attached()
        cell.get_by_role("button", name="About").click()
        expect(room.page.locator("dialog")).to_contain_text(HARMFUL)
        assert eventually(lambda: room.page.locator("dialog").inner_text().count(HARMFUL) == 3, room.page)
        assert room.page.evaluate("window.harmed") is None
        assert room.faults() == []


def test_a_choice_is_kept_by_the_service_and_its_costs_are_shown(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.client("ana").project(workshop.project_ids[0])
    with joined(browser, link_of(workshop, "ana")) as room:
        room.box("Oakwood Beach tidal").click()
        expect(room.box("Oakwood Beach tidal")).to_be_checked()
        room.page.get_by_label("Show", exact=True).select_option("selection")
        room.page.locator("#tab-costs").click()
        expect(room.page.locator(".costs h2")).to_have_text("My choice")
        total = project.member("ana").costs().total
        assert room.shows_total(total), (room.total(), total)
        # A notebook's choice is chosen in the room.
        project.member("ana").set_selection(["South Beach dune and seawall"])
        expect(room.page.locator(".cell input:checked")).to_have_count(1)
        room.page.locator("#tab-diagrams").click()
        expect(room.box("South Beach dune")).to_be_checked()


def test_own_diagrams_are_changed_and_withdrawn(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.client("ana").project(workshop.project_ids[0])
    with joined(browser, link_of(workshop, "ana")) as room:
        room.draw("First thought")
        about = room.cell("First thought").get_by_role("button", name="About")
        about.click()
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        room.page.get_by_label("Title", exact=True).fill("Second thought")
        room.page.get_by_text("Funding, dates, cost, storeys, tags").click()
        room.page.get_by_label("Cost instead of the rate").fill("1500000")
        room.page.get_by_label("Start date").fill("2031-05-01")
        room.page.get_by_label("End date").fill("2033-05-01")
        room.page.get_by_role("button", name="Send change").click()
        expect(room.cell("Second thought")).to_be_attached()
        expect(room.cell("Second thought")).to_contain_text("1.50 M")
        row = project.diagram("Second thought").features().metadata
        assert (row["cost_override"], row["start_date"]) == (1_500_000, "2031-05-01")

        # Somebody else has changed it: their changes are not overwritten.
        room.cell("Second thought").get_by_role("button", name="About").click()
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Second thought")
        project.diagram("Second thought").edit(title="Third thought")
        room.page.get_by_label("Title", exact=True).fill("A thought too late")
        room.page.get_by_role("button", name="Send change").click()
        expect(room.page.locator(".waiting")).to_contain_text("Not accepted")
        assert [row["worlddescription"] for row in project.diagrams(fields="summary")][-1] == "Third thought"

        room.page.get_by_role("button", name="Discard").click()
        room.answer("Discard")
        room.cell("Third thought").get_by_role("button", name="About").click()
        room.page.locator("dialog").get_by_role("button", name="Withdraw").click()
        room.answer("Withdraw")
        expect(room.cell("Third thought")).to_have_count(0)
        assert len(project.diagrams(fields="summary")) == 180


def geojson_file(path: Path, *titles: str) -> Path:
    """A triangle for each title."""
    features = [
        {
            "type": "Feature",
            "properties": {"title": title},
            "geometry": {"type": "Polygon", "coordinates": [triangle(-74.15 + 0.02 * number)]},
        }
        for number, title in enumerate(titles)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def triangle(west: float) -> list[list[float]]:
    return [[west, 40.55], [west + 0.01, 40.55], [west + 0.01, 40.56], [west, 40.55]]


def test_a_geojson_file_becomes_a_drawing(browser: Browser, workshop: Sandbox, tmp_path: Path) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.page.locator("input[type=file]").set_input_files(geojson_file(tmp_path / "plan.geojson", "From a file"))
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("From a file")
        room.send()
        expect(room.cell("From a file")).to_be_attached()
        added = workshop.project().diagram("From a file").features()
        assert added.to_dict()["features"][0]["geometry"]["coordinates"] == [triangle(-74.15)]


def test_a_file_that_is_dropped_on_the_map_becomes_a_diagram_for_each_of_its_shapes(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    file = geojson_file(tmp_path / "plan.geojson", "One", "Two", "Three")
    with joined(browser, link_of(workshop, "ana")) as room:
        dropped = room.page.evaluate_handle(
            """([text, name]) => {
                const dropped = new DataTransfer();
                dropped.items.add(new File([text], name));
                return dropped;
            }""",
            [file.read_text(), file.name],
        )
        room.page.dispatch_event("#views .map", "drop", {"dataTransfer": dropped})
        room.page.get_by_role("button", name="Send 3 diagrams").click()
        expect(room.page.locator("li.cell")).to_have_count(183)
        assert {row["worlddescription"] for row in workshop.project().diagrams(fields="summary")} >= {
            "One",
            "Two",
            "Three",
        }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is not a GeoJSON file"),
        ('{"type": "FeatureCollection", "features": []}', "has no shape to use here"),
        ('{"type": "Polygon", "coordinates": [[[500000, 4400000], [500100, 4400000], [500100, 4400100]]]}', "degrees"),
    ],
)
def test_a_file_that_is_no_drawing_is_refused_with_the_reason(
    browser: Browser, workshop: Sandbox, tmp_path: Path, content: str, reason: str
) -> None:
    file = tmp_path / "plan.geojson"
    file.write_text(content)
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.page.locator("input[type=file]").set_input_files(file)
        expect(room.page.get_by_role("alert")).to_contain_text(reason)


def test_costs_and_map_are_about_a_design_if_that_is_asked_for(browser: Browser, workshop: Sandbox) -> None:
    design = workshop.project().designs()[-1]
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.get_by_label("Show", exact=True).select_option(label=design.title)
        room.page.locator("#tab-costs").click()
        expect(room.page.locator(".costs h2")).to_contain_text(str(design.title))
        assert room.shows_total(design.costs().total)


def test_the_table_is_filtered_by_text_author_tag_and_kind(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    authors = [row["author"] for row in project.diagrams(fields="summary")]
    heritage = next(tag for tag in project.tags() if tag["tag"] == "Heritage")["diagrams"]
    policies = [row for row in project.costs().diagrams if row["kind"] == "policy"]
    with joined(browser, link_of(workshop, "ana")) as room:
        seen = room.page.locator("li.cell:visible")
        room.open_filters()
        for label, choice, count in [
            ("Everyone", authors[0], authors.count(authors[0])),
            ("Everyone", "", 180),
            ("Any tag", "Heritage", len(heritage)),
            ("Any tag", "Any tag", 180),
            ("Projects and policies", "Policies", len(policies)),
        ]:
            box = room.page.get_by_label(label)
            box.select_option(choice) if label == "Everyone" else box.select_option(label=choice)
            expect(seen).to_have_count(count)
        room.page.get_by_role("searchbox").fill("retreat")
        expect(seen).to_have_count(1)


def test_guests_read_and_are_offered_nothing_else(browser: Browser, workshop: Sandbox) -> None:
    link = workshop.project().workshop.add_link("Council", datetime.now(UTC) + timedelta(days=1))
    address = workshop.url.removesuffix("/api/v1/") + link["path"]
    with joined(browser, address) as room:
        expect(room.page.locator("li.cell")).to_have_count(180)
        expect(room.page.get_by_role("button", name="Draw", exact=True)).to_be_hidden()
        expect(room.page.locator(".cell input")).to_have_count(0)
        room.page.locator("#tab-costs").click()
        assert room.shows_total(workshop.project().costs().total)


def test_who_walks_in_with_a_code_gives_a_name_and_is_in(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    code = project.workshop.open_walk_ins(datetime.now(UTC) + timedelta(hours=1), by_hand=True)["code"]
    home = workshop.url.removesuffix("api/v1/")
    with joined(browser, f"{home}join/#{code}", wait=False) as room:
        room.page.get_by_label("Your name").fill("Zoe")
        room.page.get_by_role("button", name="Join").click()
        expect(room.page.get_by_text("tries again by itself")).to_be_visible()
        project.workshop.admit_walk_in("Zoe")
        expect(room.page.locator("canvas.leaflet-tile").first).to_be_attached(timeout=10_000)
        room.draw("By who walked in")
        expect(room.cell("By who walked in")).to_contain_text("Zoe")


def test_signing_out_empties_what_was_kept(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        assert room.page.evaluate("localStorage.length") > 0
        room.page.get_by_role("button", name="Menu of ana").click()
        room.page.get_by_role("button", name="Sign out").click()
        expect(room.page.get_by_role("heading", name="Join the workshop")).to_be_visible()
        assert room.page.evaluate("localStorage.length") == 0
        room.page.reload()
        expect(room.page.get_by_role("heading", name="Join the workshop")).to_be_visible()


@pytest.mark.parametrize(("hash_", "text"), [("ana", "no token"), ("ana:abc:short", "The end of the link is missing")])
def test_a_link_that_is_not_whole_says_so(browser: Browser, workshop: Sandbox, hash_: str, text: str) -> None:
    home = workshop.url.removesuffix("api/v1/")
    with joined(browser, f"{home}join/#{hash_}", wait=False) as room:
        expect(room.page.get_by_role("alert")).to_contain_text(text)


def test_who_is_no_member_any_more_is_told(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ben")) as room:
        workshop.project().member("ben").remove()
        expect(room.page.get_by_role("alert")).to_contain_text("no longer a member", timeout=10_000)


def test_tabs_of_a_browser_share_one_stream_and_go_on_when_its_tab_is_closed(
    browser: Browser, workshop: Sandbox
) -> None:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    first = opened_in(context, link_of(workshop, "ana"))
    second = opened_in(context, first.home)
    streams = [url for room in (first, second) for url in room.requests if url.endswith("/events/")]
    assert len(streams) == 1
    first.page.close()
    project = workshop.project()
    project.add_diagram(
        project.system("Water"),
        {"type": "LineString", "coordinates": [[-74.15, 40.55], [-74.14, 40.56]]},
        title="After the first tab",
    )
    expect(second.cell("After the first tab")).to_be_attached(timeout=5000)
    context.close()


def test_the_map_is_saved_as_a_picture(browser: Browser, workshop: Sandbox, tmp_path: Path) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        with room.page.expect_download() as download:
            room.page.get_by_role("button", name="Picture").click()
        file = tmp_path / "map.png"
        download.value.save_as(file)
        assert file.read_bytes().startswith(b"\x89PNG")
        assert download.value.suggested_filename == "Staten Island 2050.png"
