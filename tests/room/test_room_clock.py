"""Times that pages set are durations by the service's clock: a laptop's may be wrong."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import Room, link_of, opened_in
from team_designs import run_evening

# Minutes.
HOUR, DAY = 60, 24 * 60
WRONG = """(() => {
  const RightDate = Date, now = Date.now.bind(Date);
  let wrong = %d;
  window.setRight = () => { wrong = 0; };
  globalThis.Date = class extends RightDate {
    constructor(...given) { if (given.length) super(...given); else super(now() + wrong); }
    static now() { return now() + wrong; }
  };
})()"""


@pytest.fixture(params=[HOUR, -HOUR / 2, 400 * DAY], ids=["an hour fast", "half an hour slow", "a year fast"])
def minutes(request: pytest.FixtureRequest) -> float:
    return float(request.param)


@pytest.fixture
def room(browser: Browser, minutes: float) -> Iterator[tuple[Room, Sandbox]]:
    """The evening on a laptop with a wrong clock."""
    with demo_sandbox() as workshop:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        context.add_init_script(WRONG % (minutes * 60_000))
        room = opened_in(context, link_of(workshop, "admin"))
        run_evening(room)
        yield room, workshop
        context.close()


def minutes_until(time: str | None) -> float:
    assert time is not None
    return (datetime.fromisoformat(time).replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds() / 60


def close_in(room: Room, minutes: int) -> None:
    room.page.get_by_label("Minutes until closing", exact=True).fill(str(minutes))
    room.page.get_by_role("button", name="Close later: Drawing").click()
    expect(room.page.locator(".evening")).to_contain_text("Open until")


def test_drawing_closes_in_the_minutes_that_were_set(room: tuple[Room, Sandbox]) -> None:
    page, workshop = room
    close_in(page, 10)
    drawing = workshop.project().workshop.activities()["drawing"]
    assert drawing["open"]
    assert minutes_until(drawing["closes_at"]) == pytest.approx(10, abs=0.5)


def test_a_clock_that_is_set_right_while_the_page_is_open_changes_nothing(room: tuple[Room, Sandbox]) -> None:
    page, workshop = room
    page.page.evaluate("setRight()")
    close_in(page, 10)
    drawing = workshop.project().workshop.activities()["drawing"]
    assert minutes_until(drawing["closes_at"]) == pytest.approx(10, abs=0.5)


def test_the_door_is_open_for_two_hours_and_links_of_guests_for_thirty_days(room: tuple[Room, Sandbox]) -> None:
    page, workshop = room
    page.page.get_by_role("button", name="Open the door for two hours").click()
    expect(page.page.locator("dialog code")).to_be_visible()
    page.page.keyboard.press("Escape")
    assert minutes_until(workshop.project().workshop.walk_ins()["closes_at"]) == pytest.approx(2 * HOUR, abs=0.5)
    page.page.get_by_role("button", name="Create link (valid one month)").click()
    expect(page.page.locator("dialog code")).to_be_visible()
    [link] = workshop.project().workshop.links()
    assert minutes_until(link["expires_at"]) == pytest.approx(30 * DAY, abs=0.5)
