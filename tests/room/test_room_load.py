"""A full room through a restart of the service: thirty connections that act like a page, and four real pages."""

import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from diagram_lists import diagram_ids
from durability import check_integrity
from pygeodesign import Sandbox
from room_pages import Room, joined
from room_speaker import PATIENCE, RoomSpeaker
from serving import PROJECT, running_service
from stress import duration

pytestmark = [pytest.mark.alone("four browsers and thirty connections at once"), pytest.mark.stress]

SPEAKERS = 30
PAGES = 4
# Before the service is killed, without it, and after it came back.
SECONDS = [duration(short=short, long=long) for short, long in ((6.0, 140.0), (2.0, 20.0), (8.0, 140.0))]


class Pages:
    """Members in browsers, who draw one after the other."""

    def __init__(self, rooms: list[Room]) -> None:
        self.rooms = rooms
        self.drawn: list[str] = []

    def draw(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            number = len(self.drawn)
            room = self.rooms[number % len(self.rooms)]
            left, top = 0.35 + 0.03 * (number % 7), 0.35 + 0.04 * (number % 5)
            title = f"page {number}"
            # By selectors: names of roles are worked out for each of a thousand cells.
            form = room.page.locator("form.drawing")
            room.page.locator(".tools button.main").click()
            # Corners that snap to a neighbour might make a shape that crosses itself.
            form.locator(".buttons label input[type=checkbox]").uncheck()
            room.click_corners([(left, top), (left + 0.08, top), (left + 0.08, top + 0.07)])
            form.locator("input[type=text]").fill(title)
            form.locator("button[type=submit]").click()
            expect(form).to_have_count(0)
            self.drawn.append(title)


@pytest.mark.slow
def test_thirty_connections_like_pages_and_four_real_pages_draw_through_a_restart(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "evening.sqlite"
    names = [f"speaker.{number:02}" for number in range(SPEAKERS)]
    readers = [f"reader.{number}" for number in range(PAGES)]
    with Sandbox(path) as sandbox:
        for name in (*names, *readers):
            sandbox.add_user(name)
            sandbox.project().add_member(name)
    with ExitStack() as stack:
        with running_service("--db", path) as service:
            url = service.urls[0]
            home = url.removesuffix("api/v1/")
            links = [f"{home}join/#{name}:{service.tokens[name]}" for name in readers]
            pages = Pages([stack.enter_context(joined(browser, link)) for link in links])
            speakers = [RoomSpeaker(url, name, service.tokens[name], place) for place, name in enumerate(names)]
            threads = [threading.Thread(target=speaker.run, daemon=True) for speaker in speakers]
            for thread in threads:
                thread.start()
            before, without, after = SECONDS
            pages.draw(before)
            service.process.kill()
        for room in pages.rooms:
            expect(room.page.locator(".state[data-is=offline]")).to_be_attached(timeout=10_000)
        pages.draw(without)
        with running_service("--db", path, port=int(home.split(":")[2].strip("/"))) as service:
            pages.draw(after)
            for speaker in speakers:
                speaker.leaves.set()
            # Each of them ends by itself, with an answer or with a fault.
            until = time.monotonic() + 2 * PATIENCE
            for thread in threads:
                thread.join(max(0.0, until - time.monotonic()))
            assert [fault for speaker in speakers for fault in speaker.faults] == []
            assert not any(thread.is_alive() for thread in threads)
            assert any(speaker.repeated for speaker in speakers), "nobody noticed the restart"

            # Every page recovers by itself, and sends its stored drawings.
            for room in pages.rooms:
                expect(room.page.locator(".state[data-is=online]")).to_be_attached(timeout=15_000)
                expect(room.page.locator(".waiting h2")).to_have_count(0, timeout=30_000)
            project = service.client().project(PROJECT)
            titles = {row["id"]: row["worlddescription"] for row in project.diagrams(fields="summary")}
            # Nothing that was acknowledged is lost, and nothing arrived twice.
            acknowledged = {number: title for speaker in speakers for title, number in speaker.drawn.items()}
            assert acknowledged.items() <= titles.items()
            expected = Counter([*acknowledged.values(), *pages.drawn])
            found = Counter(title for title in titles.values() if str(title).startswith(("speaker.", "page ")))
            assert found == expected
            assert set(found.values()) == {1}
            for speaker in speakers:
                assert set(diagram_ids(project.member(speaker.name).selection())) == speaker.chosen

            # All pages show all diagrams, and their cost.
            total = project.costs().total
            for room in pages.rooms:
                assert room.shows_diagrams(set(titles))
                expect(room.page.locator("li.cell")).to_have_count(len(titles))
                room.page.locator("#tab-costs").click()
                assert room.shows_total(total, seconds=15), (room.total(), total)
    check_integrity(path)
    print(
        f"\n{SPEAKERS} connections and {PAGES} pages: {len(acknowledged)} and {len(pages.drawn)} diagrams, "
        f"{sum(speaker.repeated for speaker in speakers)} requests repeated"
    )
