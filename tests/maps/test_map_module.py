"""The map module in both places: in a map's page, and in a notebook's cell."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from builders import square
from demo import demo_sandbox
from mounted_map import PLACES, mounted
from pygeodesign import Project, Sandbox
from pygeodesign._text import short_amount
from small_project import Workshop

SHOWN = "() => pygeodesign.views.map(({ map }) => [map.getCenter().lng, map.getCenter().lat, map.getZoom()])"
HARMFUL = '</script><script>window.harmed = 1</script><img src=x onerror="window.harmed = 1">&amp;'
WIDTHS = [(320, "light"), (480, "dark"), (699, "light"), (700, "dark"), (1024, "light"), (1600, "dark")]
# A widget has less of its own to be cut than a page.
WIDGET_WIDTHS = [pytest.param("widget", 1024, "light", marks=pytest.mark.slow), pytest.param("widget", 480, "dark")]

# A page has the data's names, a widget the room's texts.
CLASSES = ["Existing", "Not appropriate", "Capable"]

places = pytest.mark.parametrize("place", PLACES)


@pytest.fixture(scope="module")
def demo() -> Iterator[Project]:
    with demo_sandbox() as sandbox:
        yield sandbox.client().project(sandbox.project_ids[0])


@pytest.fixture(scope="module")
def designs(demo: Project) -> list[tuple[int, str]]:
    """The latest of each team; some have external diagrams, which are not on the map but cost something."""
    return [(team["id"], demo.designs(team["id"])[-1]["id"]) for team in demo.teams()]


@pytest.mark.parametrize(
    ("place", "width", "theme"),
    [*(("page", *look) for look in WIDTHS), *WIDGET_WIDTHS],
)
def test_a_map_has_no_error_no_request_and_no_hidden_text(
    place: str, width: int, theme: Any, demo: Project, designs: list[tuple[int, str]], browser: Browser, tmp_path: Path
) -> None:
    of_pages: dict[str, Any] = {"currency": "USD", "units": "us"} if place == "page" else {}
    for options in (of_pages, {"designs": designs}):
        with mounted(place, browser, demo, tmp_path, width, theme=theme, **options) as shown:
            assert shown.faults() == []
            if width < 700 and place == "page":
                shown.page.click("summary")
                assert shown.faults() == []
            shown.root.locator("select").select_option(label="Energy")
            shown.page.wait_for_timeout(200)
            assert shown.faults() == []
            look = "(root) => [getComputedStyle(root).backgroundColor, getComputedStyle(root).colorScheme]"
            paper = "rgb(22, 25, 28)" if theme == "dark" else "rgb(255, 255, 255)"
            assert shown.root.evaluate(look) == [paper, theme]


@places
def test_a_click_on_the_legend_hides_a_system_and_its_tooltips(
    place: str, demo: Project, browser: Browser, tmp_path: Path
) -> None:
    energy = demo.system("Energy")["color"]
    with mounted(place, browser, demo, tmp_path) as shown:
        page, root = shown.page, shown.root
        spot = shown.middle_of("Freshkills solar fields")
        assert shown.pixels(energy) > 50
        page.mouse.move(*spot)
        tip = root.locator(".tip").inner_text()
        assert "Freshkills solar fields" in tip and "priya.raman" in tip
        assert "48.0 ha · 71.9 M" in tip.replace("\N{NO-BREAK SPACE}", " ")
        root.get_by_label("Energy").first.uncheck()
        page.wait_for_timeout(300)
        assert shown.pixels(energy) == 0
        page.mouse.move(spot[0] + 1, spot[1])
        assert "Freshkills solar fields" not in root.locator(".tip").inner_text()
        root.get_by_role("button", name="None", exact=True).click()
        root.get_by_role("button", name="All", exact=True).click()
        page.wait_for_timeout(300)
        assert shown.pixels(energy) > 50


@places
def test_an_evaluation_map_is_switched_on_with_its_legend(
    place: str, demo: Project, browser: Browser, tmp_path: Path
) -> None:
    with mounted(place, browser, demo, tmp_path) as shown:
        page, root = shown.page, shown.root
        root.locator("select").select_option(label="Water")
        root.locator("aside li").nth(2).wait_for()
        page.wait_for_timeout(300)
        classes = page.evaluate("() => pygeodesign.data.evaluations[0].classes")
        texts = root.locator("aside li").all_inner_texts()
        assert texts == [kind["name"] for kind in classes] == CLASSES
        assert shown.pixels(classes[0]["color"]) == 0
        # At its full strength, it has the colours of the legend.
        root.get_by_label("Strength").fill("1")
        page.wait_for_timeout(300)
        assert shown.pixels(classes[0]["color"]) > 1000
        root.locator("select").select_option(label="None")
        page.wait_for_timeout(300)
        assert shown.pixels(classes[0]["color"]) == 0
        assert root.locator("aside li").count() == 0


@places
def test_designs_side_by_side_move_together(
    place: str, demo: Project, designs: list[tuple[int, str]], browser: Browser, tmp_path: Path
) -> None:
    of_pages: dict[str, Any] = {"currency": "USD"} if place == "page" else {}
    with mounted(place, browser, demo, tmp_path, designs=designs, **of_pages) as shown:
        page, root = shown.page, shown.root
        chosen = demo.compare(designs).designs
        titles, _, figures = zip(
            *(text.partition("\n") for text in root.locator(".view h2").all_inner_texts()), strict=True
        )
        assert list(titles) == list(chosen)
        if place == "page":
            totals = [short_amount(demo.costs(team=team, design=design).total) for team, design in designs]
            counts = [len(ids) for ids in chosen.values()]
            assert list(figures) == [
                f"{count} diagrams · {total} USD" for count, total in zip(counts, totals, strict=True)
            ]
        before = page.evaluate(SHOWN)
        box = root.locator(".map").nth(2).bounding_box()
        assert box
        page.mouse.move(box["x"] + 100, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + 180, box["y"] + 130, steps=5)
        page.mouse.up()
        page.mouse.wheel(0, -200)
        page.wait_for_timeout(500)
        after = page.evaluate(SHOWN)
        assert after[0][2] > before[0][2] and after[0][0] != pytest.approx(before[0][0])
        for one in after[1:]:
            assert one == pytest.approx(after[0], abs=2e-3)
        members = page.evaluate("""() => {
            const ids = new Map(pygeodesign.shapes.map(({ number, diagram }) => [number, diagram.id]));
            return pygeodesign.views.map(({ members }) => [...members].map((number) => ids.get(number) ?? null));
        }""")
        drawn = {row["id"] for row in demo.diagrams(fields="summary")} - set(demo.compare(designs).without_geometry)
        assert [set(ids) - {None} for ids in members] == [set(ids) & drawn for ids in chosen.values()]


@places
def test_where_many_diagrams_overlap_the_tooltip_lists_some_and_counts_the_others(
    place: str, workshop: Workshop, browser: Browser, tmp_path: Path
) -> None:
    project = workshop.project
    for number in range(1, 8):
        project.add_diagram("Water", square(-9.2, 38.7, 0.01 * number), title=f"Diagram {number}")
    with mounted(place, browser, project, tmp_path) as shown:
        shown.page.mouse.move(*shown.middle_of("Diagram 1"))
        lines = shown.root.locator(".tip b").all_inner_texts()
        assert lines == ["Diagram 1", "Diagram 2", "Diagram 3", "Diagram 4"]
        assert "3 more here" in shown.root.locator(".tip").inner_text()
        shown.page.mouse.move(2, 2)
        assert shown.root.locator(".tip").is_hidden()


@places
def test_harmful_texts_are_shown_as_texts(place: str, browser: Browser, tmp_path: Path) -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        project.edit(title=HARMFUL)
        project.system("Water").edit(name=HARMFUL[:60])
        project.add_diagram(1, square(-74.15, 40.57, 0.01), title=HARMFUL)
        with mounted(place, browser, project, tmp_path) as shown:
            shown.page.mouse.move(*shown.middle_of(HARMFUL))
            assert HARMFUL in shown.root.locator(".tip b").all_inner_texts()
            assert HARMFUL[:60] in shown.root.locator("aside").inner_text()
            assert HARMFUL in shown.root.locator("h1, h2").all_inner_texts()
            assert shown.page.evaluate("() => window.harmed") is None
            assert shown.errors == [] and shown.requests == []
            assert shown.root.locator("img").count() == 0
