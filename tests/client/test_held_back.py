"""Changes of a project while something on the way holds streams back: the room and `watch()` poll for them instead."""

import itertools
import time
from collections.abc import Iterator

import pytest
import requests
from playwright.sync_api import Browser, expect

from demo import demo_sandbox
from holding_proxy import HoldingProxy
from pygeodesign import Client, Sandbox
from room_pages import joined, opened_in

POND = {"type": "Polygon", "coordinates": [[[-74.15, 40.58], [-74.14, 40.58], [-74.14, 40.59], [-74.15, 40.58]]]}
# Time in which a member expects to see the drawings of others.
SOON = 15_000


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(params=[True, False], ids=["heads pass", "nothing passes"])
def proxy(workshop: Sandbox, request: pytest.FixtureRequest) -> Iterator[HoldingProxy]:
    with HoldingProxy(workshop.url, heads=request.param) as proxy:
        yield proxy


def link_through(proxy: HoldingProxy, sandbox: Sandbox) -> str:
    return f"{proxy.origin}join/#admin:{sandbox.token('admin')}"


@pytest.mark.slow
def test_the_room_shows_what_others_draw_and_says_that_it_asks(
    browser: Browser, workshop: Sandbox, proxy: HoldingProxy
) -> None:
    project = workshop.project()
    with joined(browser, link_through(proxy, workshop), wait=False) as room:
        expect(room.page.locator("li.cell").first).to_be_attached(timeout=20_000)
        # Before the page knows how changes arrive.
        project.add_diagram("Water", POND, title="At once")
        expect(room.cell("At once")).to_be_attached(timeout=SOON)
        expect(room.page.locator(".state")).to_have_text("Updated every few seconds.")
        project.add_diagram("Water", POND, title="Later")
        expect(room.cell("Later")).to_be_attached(timeout=SOON)
        assert room.shows_total(project.costs().total or 0)
        project.diagram("Later").delete()
        expect(room.cell("Later")).to_have_count(0, timeout=SOON)
        assert room.shows_total(project.costs().total or 0)


@pytest.mark.slow
def test_a_page_that_asks_tells_its_other_tabs(browser: Browser, workshop: Sandbox, proxy: HoldingProxy) -> None:
    context = browser.new_context()
    first = opened_in(context, link_through(proxy, workshop), wait=False)
    expect(first.page.locator(".state")).to_have_text("Updated every few seconds.", timeout=20_000)
    second = opened_in(context, first.home, wait=False)
    expect(second.page.locator(".state")).to_have_text("Updated every few seconds.", timeout=20_000)
    workshop.project().add_diagram("Water", POND, title="For both")
    for room in (first, second):
        expect(room.cell("For both")).to_be_attached(timeout=SOON)
    assert not any(url.endswith("/events/") for url in second.requests)
    context.close()


@pytest.mark.slow
def test_a_page_whose_stream_is_held_back_later_loses_no_change(
    browser: Browser, workshop: Sandbox, proxy: HoldingProxy
) -> None:
    proxy.holds = False
    with joined(browser, link_through(proxy, workshop)) as room:
        expect(room.page.locator(".state")).to_have_text("")
        proxy.begin()
        workshop.project().add_diagram("Water", POND, title="Between networks")
        expect(room.cell("Between networks")).to_be_attached(timeout=2 * SOON)


def test_watch_tells_each_change_once(workshop: Sandbox, proxy: HoldingProxy) -> None:
    project = workshop.project()
    watched = Client(workshop.token("admin"), proxy.url).project(project.id)
    begun = time.monotonic()
    changes = watched.watch(interval=0.2, timeout=20)
    ids = [project.add_diagram("Water", POND, title=f"Pond {number}").id for number in range(3)]
    project.create_tags(["Deep"])
    found = list(itertools.islice(changes, 4))
    assert [change["id"] for change in found[:3]] == ids
    assert [(change["kind"], change["action"]) for change in found] == [("diagram", "added")] * 3 + [("tag", "added")]
    assert time.monotonic() - begun < 15


def test_a_watch_whose_stream_is_held_back_later_loses_no_change(workshop: Sandbox, proxy: HoldingProxy) -> None:
    project = workshop.project()
    proxy.holds = False
    changes = Client(workshop.token("admin"), proxy.url).project(project.id).watch(interval=0.2, timeout=30)
    first = project.add_diagram("Water", POND, title="Pond").id
    assert next(changes)["id"] == first
    proxy.begin()
    ids = [project.add_diagram("Water", POND, title=f"Pond {number}").id for number in range(2)]
    assert [change["id"] for change in itertools.islice(changes, 2)] == ids


def test_events_until_now_are_a_text_that_ends(workshop: Sandbox) -> None:
    project = workshop.project()
    url = f"{workshop.url}projects/{project.id}/events/?ends=true"
    headers = {"Authorization": f"Token {workshop.token('admin')}"}
    hello = requests.get(url, headers=headers, timeout=10)
    assert hello.headers["content-type"].startswith("text/plain")
    assert "event: hello" in hello.text
    last = hello.text.split("id: ")[1].split("\n")[0]
    added = project.add_diagram("Water", POND, title="Pond")
    since = requests.get(url, headers=headers | {"Last-Event-ID": last}, timeout=10)
    assert f'{{"action":"added","kind":"diagram","id":"{added.id}"}}' in since.text
