"""`Project.gallery()`: small pictures of diagrams in a grid, as one file."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import pygeodesign
from chromium import opened
from demo import demo_sandbox
from parsed_html import HARMFUL, ParsedHtml
from pygeodesign import InputError, NotFoundError, Project
from pygeodesign.maps import Gallery
from small_project import WATER, Workshop

pytestmark = pytest.mark.early


@pytest.fixture(scope="module")
def demo() -> Iterator[Project]:
    with demo_sandbox() as sandbox:
        yield sandbox.client().project(sandbox.project_ids[0])


def page_of(gallery: Gallery) -> str:
    page = gallery.to_html()
    assert page is not None
    return page


def captions(gallery: Gallery) -> list[str]:
    return re.findall(r"<figcaption>.*?<b>(.*?)</b>", page_of(gallery))


def test_each_diagram_has_a_picture_with_its_id_title_system_and_cost(demo: Project) -> None:
    page = page_of(demo.gallery(system="Water", currency="USD"))
    assert page.count("<figure>") == 20 == page.count("<figcaption>")
    text = ParsedHtml(page).text
    assert "Oakwood Beach tidal marsh restoration1001 · Water · project · hannah.lindqvist51.0 ha · 61.2 M USD" in text
    # External diagrams have no picture, which is said.
    assert page.count("<svg viewBox") == 19 and text.count("no geometry") == 1
    assert "No currency" not in text
    assert page_of(demo.gallery(system="Water")).count("No currency is set for these amounts.") == 1


@pytest.mark.slow
def test_a_gallery_has_a_limit_and_says_what_is_missing(demo: Project) -> None:
    gallery = demo.gallery()
    assert len(captions(gallery)) == 100
    assert "80 more diagrams are not shown: gallery(limit=None) shows all." in page_of(gallery)
    assert repr(gallery) == "<Gallery of Staten Island 2050: 100 of 180 diagrams>"
    everything = demo.gallery(limit=None)
    assert len(captions(everything)) == 180 and "not shown" not in page_of(everything)
    assert len(gallery._repr_html_().encode()) < 150_000
    with pytest.raises(InputError, match="1 or more"):
        demo.gallery(limit=0)


def test_systems_members_teams_and_designs_choose_the_diagrams(demo: Project) -> None:
    design = demo.designs(1)[0]["id"]
    ids = demo.design(design, 1).diagram_ids()
    assert len(captions(demo.gallery(team=1, design=design))) == len(ids)
    assert len(captions(demo.gallery(member="jose.villanueva"))) == len(demo.costs(member="jose.villanueva").diagrams)
    assert captions(demo.gallery(system=1)) == captions(demo.gallery(system="WAT")) != []
    with pytest.raises((InputError, NotFoundError), match="Moon"):
        demo.gallery(system="Moon")


@pytest.mark.slow
def test_async_projects_and_archives_have_the_same_gallery(demo: Project, tmp_path: Path) -> None:
    demo.archive(tmp_path / "demo.zip")
    assert page_of(pygeodesign.open(tmp_path / "demo.zip").gallery()) == page_of(demo.gallery())

    async def awaited() -> Gallery:
        with demo_sandbox() as sandbox:
            return await sandbox.async_client().project(sandbox.project_ids[0]).gallery()

    assert page_of(asyncio.run(awaited())) == page_of(demo.gallery())


def test_a_project_without_diagrams_or_boundaries_has_a_gallery(workshop: Workshop) -> None:
    assert repr(workshop.project.gallery()) == "<Gallery of Lisbon: 0 diagrams>"


def test_harmful_texts_are_shown_as_texts(workshop: Workshop) -> None:
    square = {"type": "Polygon", "coordinates": [[[-9.2, 38.7], [-9.1, 38.7], [-9.1, 38.75], [-9.2, 38.7]]]}
    workshop.project.add_diagram(WATER, square, title=HARMFUL)
    for html in (workshop.project.gallery()._repr_html_(), page_of(workshop.project.gallery(title=HARMFUL))):
        parsed = ParsedHtml(html)
        assert "script" not in parsed.tags and HARMFUL in parsed.text
        assert not {name for name in parsed.attributes if name.startswith("on")}


# A theme has other colours, and the same layout.
@pytest.mark.parametrize(("width", "theme"), [(320, "light"), (700, "dark"), (1600, "light")])
def test_a_gallery_has_no_error_no_request_and_no_hidden_text(
    width: int, theme: Any, demo: Project, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "gallery.html"
    demo.gallery(theme=theme, limit=30, currency="USD").to_html(path)
    with opened(browser, path, width) as shown:
        assert shown.faults() == []
        assert shown.page.locator("figure svg").first.bounding_box() is not None
