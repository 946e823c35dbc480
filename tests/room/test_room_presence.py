"""The members who are here and their drawings in progress, on the pages of a workshop."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import joined, link_of
from team_designs import run_evening

SHORE = "#0072b2"


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with a team that has a colour, and a facilitator."""
    with demo_sandbox() as sandbox:
        project = sandbox.project()
        for name in ("ana.sousa", "fay"):
            sandbox.add_user(name)
            project.add_member(name, administrator=name == "fay")
        project.add_team("Shore", color=SHORE, members=["ana.sousa"])
        yield sandbox


def test_initials_say_who_is_here_and_a_list_has_the_names(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay:
        here = fay.page.locator(".presence")
        expect(here.locator(".badge")).to_have_text(["FA"])
        with joined(browser, link_of(workshop, "ana.sousa")) as ana:
            expect(here.locator(".badge")).to_have_text(["FA", "AS"])
            expect(ana.page.locator(".presence .badge")).to_have_count(2)
            expect(here.locator("summary")).to_have_attribute("aria-label", "Here now: fay, ana.sousa")
            color = here.locator(".badge").last.evaluate("badge => getComputedStyle(badge).borderTopColor")
            assert color == "rgb(0, 114, 178)"
            here.locator("summary").click()
            expect(here.get_by_role("listitem").last).to_have_text("ana.sousa Shore")
        expect(here.locator(".badge")).to_have_text(["FA"], timeout=20_000)


def test_others_see_a_drawing_in_progress_if_the_facilitator_allows(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay, joined(browser, link_of(workshop, "ana.sousa")) as ana:
        sent: list[str] = []
        ana.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

        def draw() -> None:
            ana.page.get_by_role("button", name="Draw", exact=True).click()
            box = ana.page.locator(".leaflet-container").first.bounding_box()
            assert box
            for x, y in ((0.3, 0.4), (0.4, 0.4), (0.4, 0.5)):
                ana.page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
                ana.page.wait_for_timeout(400)

        draw()
        assert not [url for url in sent if url.endswith("/presence/")]
        ana.page.get_by_role("button", name="Cancel", exact=True).click()
        ana.answer("Discard")
        run_evening(fay)
        fay.page.get_by_role("switch", name="Show outlines").click()
        expect(fay.page.get_by_text("Everybody sees what others are drawing.")).to_be_visible()
        ana.page.wait_for_function("() => geodesignRoom.project.drawingsShown")
        draw()
        expect(fay.page.locator(".drawer")).to_have_text("AS")
        expect(fay.page.locator("path.in-progress")).to_have_count(1)
        ana.page.get_by_role("button", name="Cancel", exact=True).click()
        ana.answer("Discard")
        expect(fay.page.locator(".drawer")).to_have_count(0)
