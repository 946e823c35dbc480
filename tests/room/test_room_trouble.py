"""The room when something goes wrong: two tabs, cut responses, full storage, and others' changes to an open diagram."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from pygeodesign import Sandbox
from room_pages import SQUARE, eventually, joined, link_of, opened_in, workshop

__all__ = ["workshop"]

pytestmark = pytest.mark.early

SMALL = {"type": "Polygon", "coordinates": [[[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]]}


def titles(workshop: Sandbox) -> list[str | None]:
    return [row["worlddescription"] for row in workshop.project().diagrams(fields="summary")]


def test_two_tabs_draw_without_taking_one_anothers_drawing(browser: Browser, workshop: Sandbox) -> None:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    first = opened_in(context, link_of(workshop, "ana"))
    first.open_drawing()
    first.click_corners(SQUARE)
    first.page.get_by_label("Title", exact=True).fill("Of the first tab")
    second = opened_in(context, first.home)
    second.page.wait_for_timeout(800)
    expect(second.page.locator("form.drawing")).to_have_count(0)
    second.draw("Of the second tab")
    expect(second.cell("Of the second tab")).to_be_attached()
    # The first tab's drawing is still stored: it is there after the tab was closed.
    first.page.close()
    second.page.reload()
    expect(second.page.get_by_label("Title", exact=True)).to_have_value("Of the first tab")
    second.send()
    expect(second.cell("Of the first tab")).to_be_attached()
    assert titles(workshop)[-2:] == ["Of the second tab", "Of the first tab"]
    context.close()


def test_a_drawing_that_is_left_while_drawing_is_closed_comes_back_with_the_next_one(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_label("Title", exact=True).fill("In hand")
        project.workshop.set_activities(drawing=False, message="A break.")
        expect(room.page.locator(".notice")).to_contain_text("A break.")
        room.page.reload()
        expect(room.page.locator(".notice")).to_contain_text("A break.")
        project.workshop.set_activities(drawing=True)
        expect(room.page.get_by_role("button", name="Draw", exact=True)).to_have_attribute("aria-disabled", "false")
        room.open_drawing()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("In hand")


def test_a_refused_drawing_is_not_opened_over_another_one_and_not_lost(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_label("Title", exact=True).fill("Refused")
        project.workshop.set_activities(drawing=False)
        room.send()
        expect(room.page.locator(".waiting")).to_contain_text("Not accepted")
        project.workshop.set_activities(drawing=True)
        expect(room.page.get_by_role("button", name="Draw", exact=True)).to_have_attribute("aria-disabled", "false")
        room.open_drawing()
        room.page.get_by_label("Title", exact=True).fill("Another one")
        room.page.get_by_role("button", name="Open again").click()
        room.page.wait_for_timeout(400)
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Another one")
        expect(room.page.locator(".waiting")).to_contain_text("Refused")


def test_a_change_that_came_too_late_is_opened_again_and_then_accepted(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.client("ana").project(workshop.project_ids[0])
    diagram = project.add_diagram("Water", SMALL, title="First thought")
    with joined(browser, link_of(workshop, "ana")) as room:
        room.cell("First thought").get_by_role("button", name="About").click()
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("First thought")
        diagram.edit(title="Meanwhile")
        room.page.get_by_label("Title", exact=True).fill("Second thought")
        room.page.get_by_role("button", name="Send change").click()
        room.page.get_by_role("button", name="Open again").click()
        room.page.get_by_role("button", name="Send change").click()
        expect(room.cell("Second thought")).to_be_attached()
        assert titles(workshop)[-1] == "Second thought"
        # One that is gone becomes a new one.
        room.cell("Second thought").get_by_role("button", name="About").click()
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Second thought")
        diagram.delete()
        expect(room.cell("Second thought")).to_have_count(0)
        room.page.get_by_label("Title", exact=True).fill("Third thought")
        room.page.get_by_role("button", name="Send change").click()
        room.page.get_by_role("button", name="Open again").click()
        room.send()
        expect(room.cell("Third thought")).to_be_attached()
        assert len(titles(workshop)) == 181


def test_a_change_whose_answer_was_lost_is_acknowledged_when_it_is_sent_again(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.client("ana").project(workshop.project_ids[0])
    project.add_diagram("Water", SMALL, title="First thought")
    with joined(browser, link_of(workshop, "ana")) as room:
        lost: list[str] = []

        def lose_one_answer(route: Route) -> None:
            if route.request.method == "PATCH" and not lost:
                lost.append(route.fetch().text())
                route.abort()
            else:
                route.continue_()

        room.page.route("**/diagrams/*/", lose_one_answer)
        room.cell("First thought").get_by_role("button", name="About").click()
        room.page.locator("dialog").get_by_role("button", name="Change").click()
        room.page.get_by_label("Title", exact=True).fill("Second thought")
        room.page.get_by_role("button", name="Send change").click()
        expect(room.cell("Second thought")).to_be_attached()
        expect(room.page.locator(".waiting h2")).to_have_count(0, timeout=10_000)
        assert len(lost) == 1
        assert titles(workshop)[-1] == "Second thought"


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 429, "body": '{"detail": "Too many."}', "content_type": "application/json"},
        {"status": 503, "body": "busy"},
        {"status": 502, "body": "<html>Bad gateway</html>", "content_type": "text/html"},
        {"status": 404, "body": "<html>Not here</html>", "content_type": "text/html"},
        {"status": 200, "body": '{"diagram_id": 12', "content_type": "application/json"},
        {"status": 200, "body": "<html>Welcome to the hotel</html>", "content_type": "text/html"},
    ],
    ids=lambda answer: f"{answer['status']} {answer['body'][:6]}",
)
def test_a_faulty_connection_neither_loses_a_drawing_nor_signs_anybody_out(
    browser: Browser, workshop: Sandbox, answer: dict[str, Any]
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        expect(room.page.locator("li.cell")).to_have_count(180)
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_label("Title", exact=True).fill("Through it")
        spoiled: list[str] = []

        def spoil(route: Route) -> None:
            spoiled.append(f"{route.request.method} {route.request.url}")
            route.fulfill(**answer)

        def is_spoiled(end: str) -> bool:
            return any(request.endswith(end) for request in spoiled)

        room.page.route("**/api/v1/**", spoil)
        room.send()
        # A change that only the stream reports, and one of everything.
        other = project.add_diagram("Water", SMALL, title="Of another").id
        project.systems()[0].edit(name="Waters")
        # The drawing was hit by it, and so was the first read after each of the two changes.
        for end in ("/add/project/", f"/diagrams/{other}/", "/changeid/"):
            assert eventually(partial(is_spoiled, end), room.page), (end, spoiled)
        room.page.unroute_all()
        for title in ("Through it", "Of another"):
            expect(room.cell(title)).to_be_attached(timeout=15_000)
        expect(room.page.locator(".column h2").first).to_contain_text("Waters", timeout=15_000)
        room.page.locator("#tab-costs").click()
        assert room.shows_total(project.costs().total, seconds=15)
        assert titles(workshop).count("Through it") == 1


def test_a_stream_that_is_cut_within_an_event_goes_on_after_the_last_whole_one(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        asked: list[str] = []

        def cut(route: Route) -> None:
            asked.append(route.request.headers.get("last-event-id", ""))
            if len(asked) > 2:
                route.continue_()
                return
            whole = f'id: {7 - len(asked)}\nevent: hello\ndata: {{"changeid": "ü"}}\n\n'
            cut_off = 'id: 99999\nevent: diagram\ndata: {"ac'
            route.fulfill(status=200, content_type="text/event-stream", body=whole + cut_off)

        # The page that is open asks for nothing any more.
        room.page.goto("about:blank")
        room.page.route("**/events/", cut)
        room.page.goto(room.home)
        expect(room.page.locator("canvas.leaflet-tile").first).to_be_attached()
        assert eventually(lambda: len(asked) > 2, room.page)
        assert asked[:3] == ["", "6", "5"]
        project.add_diagram("Water", SMALL, title="Heard of")
        expect(room.cell("Heard of")).to_be_attached()


FULL = """
Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
"""
FORBIDDEN = """
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });
"""


@pytest.mark.parametrize("script", [FULL, FORBIDDEN], ids=["full", "forbidden"])
def test_who_has_no_storage_in_the_browser_draws_all_the_same(browser: Browser, workshop: Sandbox, script: str) -> None:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.add_init_script(script)
    room = opened_in(context, link_of(workshop, "ana"))
    room.open_drawing()
    room.click_corners(SQUARE)
    expect(room.page.get_by_role("alert").filter(has_text="no space to keep")).to_be_visible()
    room.page.get_by_label("Title", exact=True).fill("Not kept")
    room.send()
    expect(room.cell("Not kept")).to_be_attached()
    assert room.faults() == []
    context.close()


def test_systems_that_change_meanwhile_leave_the_drawing_in_hand_as_it_is(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE[:3], closes=False)
        project.systems()[0].edit(name="Rain", color="#112233")
        expect(room.page.locator("form.drawing select option").first).to_have_text("Rain")
        # The shape is still being drawn: the fourth corner belongs to it.
        room.click_corners([SQUARE[3]], closes=False)
        room.page.get_by_role("button", name="Finish").click()
        room.page.get_by_label("Title", exact=True).fill("Four corners")
        room.send()
        expect(room.cell("Four corners")).to_be_attached()
        (feature,) = project.diagram("Four corners").features().to_dict()["features"]
        assert len(feature["geometry"]["coordinates"][0]) == 5
        assert room.page.evaluate("geodesignRoom.scene.systems[0].color") == "#112233"


def test_signing_out_asks_first_if_a_drawing_is_in_hand(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_role("button", name="Menu of ana").click()
        room.page.get_by_role("button", name="Sign out").click()
        expect(room.page.locator("dialog.ask")).to_contain_text("will be lost")
        room.answer("Cancel")
        expect(room.page.locator("dialog")).to_be_visible()


def test_the_link_of_another_member_shows_nothing_of_who_was_there_and_loses_nothing(
    browser: Browser, workshop: Sandbox
) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_label("Title", exact=True).fill("Of Ana")
        link = link_of(workshop, "ben")
        room.page.evaluate("hash => { location.hash = hash }", link.split("#")[1])
        expect(room.page.get_by_role("button", name="Menu of ben")).to_be_visible()
        room.page.wait_for_timeout(800)
        expect(room.page.locator("form.drawing")).to_have_count(0)
        room.page.evaluate("hash => { location.hash = hash }", link_of(workshop, "ana").split("#")[1])
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Of Ana")
        # A card that is no longer valid does not replace a session.
        room.page.evaluate("location.hash = 'ana:0123456789abcdef'")
        expect(room.page.get_by_role("alert")).to_contain_text("The token is invalid")
        room.page.reload()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Of Ana")


def test_a_clock_that_is_wrong_closes_nothing_and_a_time_does(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.add_init_script("const now = Date.now; Date.now = () => now() + 5 * 3600e3;")
    project.workshop.set_activities(drawing=True, closes_at=datetime.now(UTC) + timedelta(hours=1))
    room = opened_in(context, link_of(workshop, "ana"))
    draw = room.page.get_by_role("button", name="Draw", exact=True)
    expect(draw).to_have_attribute("aria-disabled", "false")
    project.workshop.set_activities(drawing=True, closes_at=datetime.now(UTC) + timedelta(seconds=1.5))
    expect(draw).to_have_attribute("aria-disabled", "true", timeout=10_000)
    context.close()


def test_who_is_taken_in_again_needs_no_new_card(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ben")) as room:
        workshop.project().member("ben").remove()
        expect(room.page.get_by_role("alert")).to_contain_text("no longer a member", timeout=10_000)
        # The token is still stored: a readmitted member needs no new card.
        workshop.project().add_member("ben")
        room.page.reload()
        expect(room.page.locator("canvas.leaflet-tile").first).to_be_attached()


def test_everything_is_read_once_for_many_changes_at_once(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        room.requests.clear()
        for number in range(30):
            project.create_tags([{"tag": f"Tag {number}", "code": f"T{number}"}])
        expect(room.page.get_by_label("Any tag").locator("option", has_text="Tag 29")).to_be_attached()
        room.page.wait_for_timeout(500)
        assert sum(url.endswith("/diagrams/all/") for url in room.requests) < 12
        assert room.faults() == []


def test_a_drawing_whose_token_was_withdrawn_is_sent_with_the_next_card(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ben")) as room:
        room.open_drawing()
        room.click_corners(SQUARE)
        room.page.get_by_label("Title", exact=True).fill("Without a token")
        member = workshop.project().member("ben")
        member.withdraw_tokens()
        room.send()
        expect(room.page.get_by_role("alert")).to_contain_text("The token is invalid", timeout=10_000)
        assert "Without a token" not in titles(workshop)
        room.page.evaluate("hash => { location.hash = hash }", f"ben:{member.add_token()['token']}")
        expect(room.cell("Without a token")).to_be_attached()
        assert titles(workshop).count("Without a token") == 1


def test_a_page_left_during_drawing_comes_back_with_its_corners_and_no_others(
    browser: Browser, workshop: Sandbox
) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.click_corners(SQUARE[:3], closes=False)
        room.page.get_by_label("Title", exact=True).fill("Three corners")
        room.page.mouse.move(*room.place((0.7, 0.3)))
        room.page.reload()
        expect(room.page.get_by_label("Title", exact=True)).to_have_value("Three corners")
        room.send()
        expect(room.cell("Three corners")).to_be_attached()
        (feature,) = workshop.project().diagram("Three corners").features().to_dict()["features"]
        assert len(feature["geometry"]["coordinates"][0]) == 4


def test_a_title_without_a_space_widens_no_column(browser: Browser, workshop: Sandbox) -> None:
    workshop.project().add_diagram("Water", SMALL, title="W" * 200)
    with joined(browser, link_of(workshop, "ana")) as room:
        widths = room.page.evaluate(
            "[...document.querySelectorAll('.column')].map((column) => column.getBoundingClientRect().width)"
        )
        assert max(widths) == min(widths)


def test_a_page_that_is_enlarged_four_times_shows_the_map_above_the_form(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana"), 320, 256) as room:
        room.open_drawing()
        views = room.page.locator("#views").bounding_box()
        form = room.page.locator("form.drawing").bounding_box()
        assert views is not None and form is not None
        assert form["y"] - views["y"] > 150
        room.page.get_by_role("button", name="Cancel").click()


def test_the_diagrams_of_somebody_new_can_be_filtered_at_once(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_filters()
        authors = room.page.get_by_label("Everyone").locator("option")
        before = authors.count()
        workshop.client("ben").project(workshop.project_ids[0]).add_diagram("Water", SMALL, title="Of Ben")
        expect(authors).to_have_count(before + 1)
        room.page.get_by_label("Everyone").select_option("ben")
        expect(room.page.locator("li.cell:visible")).to_have_count(1)


def test_a_tab_that_a_phone_put_to_sleep_keeps_no_changes_from_the_other(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    first = opened_in(context, link_of(workshop, "ana"))
    cdp = context.new_cdp_session(first.page)
    second = opened_in(context, first.home)
    # As asleep as a page can be made: it stops at its next statement.
    cdp.send("Debugger.enable")
    cdp.send("Debugger.pause")
    second.page.reload()
    project.add_diagram("Water", SMALL, title="While it slept")
    expect(second.cell("While it slept")).to_be_attached(timeout=15_000)
    expect(second.page.locator(".state[data-is=online]")).to_be_attached(timeout=15_000)
    project.add_diagram("Water", SMALL, title="Later")
    expect(second.cell("Later")).to_be_attached(timeout=15_000)
    assert any(url.endswith("/events/") for url in second.requests)
    # Once awake, it has everything too, and one of both has the stream.
    cdp.send("Debugger.resume")
    for title in ("While it slept", "Later"):
        expect(first.cell(title)).to_be_attached(timeout=15_000)
    project.add_diagram("Water", SMALL, title="For both")
    for room in (first, second):
        expect(room.cell("For both")).to_be_attached(timeout=15_000)
        assert room.errors == []
    context.close()
