"""The map in a notebook's cell: drawing in JupyterLab and marimo through the kernel, with the changes of others."""

import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from playwright.sync_api import Browser, Page, expect

from barriers import barriers
from notebooks import SETUP, Notebook, free_port, jupyterlab, served
from pygeodesign import InputError, Sandbox
from pygeodesign.maps import LiveMap, WebMap

TRIANGLE = {"type": "Polygon", "coordinates": [[[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]]}
SQUARE = [(0.42, 0.42), (0.55, 0.42), (0.55, 0.52), (0.42, 0.52)]
BOW_TIE = [(0.42, 0.42), (0.55, 0.55), (0.55, 0.42), (0.42, 0.55)]


class Map:
    """A map in a page, whatever the program of the notebook is."""

    def __init__(self, page: Page, number: int = 0) -> None:
        self.page = page
        self.frame = page.locator(".frame").nth(number)
        expect(self.frame.locator("canvas.leaflet-tile").first).to_be_attached(timeout=30_000)

    def place(self, corner: tuple[float, float]) -> tuple[float, float]:
        box = self.frame.locator(".map").first.bounding_box()
        assert box is not None
        return box["x"] + box["width"] * corner[0], box["y"] + box["height"] * corner[1]

    def draw(self, title: str, corners: Sequence[tuple[float, float]] = SQUARE) -> None:
        """Draws an area, and gives it a title."""
        expect(self.frame.locator("form.drawing")).to_be_visible(timeout=15_000)
        self.frame.scroll_into_view_if_needed()
        for corner in [*corners, corners[0]]:
            self.page.mouse.move(*self.place(corner))
            self.page.wait_for_timeout(50)
            self.page.mouse.click(*self.place(corner))
            self.page.wait_for_timeout(80)
        self.frame.get_by_label("Title", exact=True).fill(title)

    def send(self) -> None:
        self.frame.get_by_role("button", name="Send", exact=True).click()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("lab")
    with jupyterlab(folder) as url:
        yield url, folder


@pytest.mark.slow
def test_a_planner_draws_in_a_cell_and_sees_what_others_draw(browser: Browser, lab: tuple[str, Path]) -> None:
    url, folder = lab
    cells = [
        f"{SETUP}\nview = project.map(draw='Water')\nview",
        "other = sandbox.project(username='amara.okafor')\n"
        f"print(other.add_diagram('Energy', {TRIANGLE!r}, title='Of another').id)",
        "drawn = view.drawn\nprint(len(drawn['features']), [feature['properties'] for feature in drawn['features']])",
        "print([row['worlddescription'] for row in project.diagrams(fields='summary')][-2:], view.selected)",
        "view.selected = [1002]\nview.show(project.costs().to_geopandas().query('sysid == 1'))",
        "view.selected = [project.diagram('From a cell').id]",
        "print(project.diagram('Changed in a cell').id)",
    ]
    notebook = Notebook(browser, url, folder / "draw.ipynb", cells)
    notebook.run(0)
    shown = Map(notebook.page)
    shown.draw("A bow tie", BOW_TIE)
    shown.send()
    expect(shown.frame.locator("form .trouble[role=alert]")).to_contain_text("crosses itself")
    shown.frame.get_by_role("button", name="Clear").click()
    shown.draw("From a cell")
    expect(shown.frame.locator(".preview")).to_contain_text("\N{NO-BREAK SPACE}ha")
    # A widget sends changes once the kernel has taken the previous ones.
    notebook.page.wait_for_timeout(1000)
    assert "'title': 'From a cell', 'sysid': 1, 'kind': 'project'" in notebook.run(2)
    shown.send()
    expect(shown.frame.locator("form.drawing")).to_have_count(0)
    notebook.run(1)
    count = "(frame) => frame.geodesignMap.scene.diagrams.size"
    notebook.page.wait_for_timeout(1000)
    assert shown.frame.evaluate(count) == 182
    assert "['From a cell', 'Of another']" in notebook.run(3)
    notebook.run(4)
    expect(shown.frame.locator(".leaflet-overlay-pane path, .leaflet-overlay-pane canvas").first).to_be_attached()
    members = "(frame) => frame.geodesignMap.map.views[0].members.size"
    assert shown.frame.evaluate(members) == 21
    # One's own diagram is changed.
    notebook.run(5)
    shown.frame.get_by_role("button", name="Change diagram").click()
    shown.frame.get_by_label("Title", exact=True).fill("Changed in a cell")
    shown.frame.get_by_role("button", name="Send change").click()
    expect(shown.frame.locator("form.drawing")).to_have_count(0)
    assert notebook.run(6).strip() == "1181"
    assert barriers(notebook.page, shown.frame) == []
    others = [asked for asked in notebook.requests if not asked.startswith((url, "data:", "blob:", "ws:"))]
    assert others == [] and notebook.errors == []
    notebook.page.keyboard.press("Control+S")
    notebook.page.wait_for_timeout(1500)
    saved = json.loads(notebook.path.read_text())
    (output,) = saved["cells"][0]["outputs"]
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= output["data"].keys()
    assert len(json.dumps(output)) < 80_000
    assert len(json.dumps(saved["metadata"])) < 10_000
    notebook.page.close()


@pytest.mark.slow
def test_keys_alone_draw_a_rectangle_and_a_lasso_selects(browser: Browser, lab: tuple[str, Path]) -> None:
    url, folder = lab
    taken = "taken = []\nview = project.map(draw=True, on_drawn=taken.append)\nview"
    notebook = Notebook(
        browser, url, folder / "keys.ipynb", [f"{SETUP}\n{taken}", "print(taken)", "print(len(view.selected))"]
    )
    notebook.run(0)
    shown, page = Map(notebook.page), notebook.page
    shown.frame.get_by_role("button", name="Rectangle").focus()
    page.keyboard.press("Enter")
    shown.frame.locator(".map").focus()
    page.keyboard.press("Enter")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        page.wait_for_timeout(400)
    page.keyboard.press("Enter")
    shown.frame.get_by_label("Title", exact=True).fill("By keys")
    page.keyboard.press("Enter")
    expect(shown.frame.locator("form.drawing")).to_have_count(0)
    told = notebook.run(1)
    assert "By keys" in told and "'Polygon'" in told
    shown.frame.get_by_role("button", name="Lasso").click()
    page.mouse.move(*shown.place((0.3, 0.3)))
    page.mouse.down()
    for corner in ((0.7, 0.3), (0.7, 0.8), (0.3, 0.8), (0.3, 0.3)):
        page.mouse.move(*shown.place(corner), steps=5)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert int(notebook.run(2)) > 5
    page.close()


@pytest.mark.slow
def test_two_maps_designs_side_by_side_and_a_restarted_kernel(browser: Browser, lab: tuple[str, Path]) -> None:
    url, folder = lab
    designs = "designs = project.designs()\nproject.map([designs[0], designs[-1]])"
    notebook = Notebook(browser, url, folder / "two.ipynb", [f"{SETUP}\nproject.map()", designs])
    notebook.run(0)
    notebook.run(1)
    assert Map(notebook.page).frame.locator(".map").count() == 1
    assert Map(notebook.page, 1).frame.locator(".map").count() == 2
    notebook.page.get_by_role("button", name="Restart the kernel", exact=True).click()
    notebook.page.locator(".jp-Dialog .jp-mod-accept").click()
    notebook.page.wait_for_timeout(3000)
    notebook.run(0)
    expect(notebook.page.locator(".frame").first.locator("canvas.leaflet-tile").first).to_be_attached(timeout=30_000)
    assert notebook.errors == []
    notebook.page.close()


@pytest.mark.slow
def test_marimo_shows_it_too(browser: Browser, tmp_path: Path) -> None:
    cell = "".join(f"    {line}\n" for line in [*SETUP.split("\n"), "view = project.map(draw=True)", "view"])
    board = "    board = project.compare().board(currency='USD')\n    board\n"
    app = (
        f"import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n{cell}    return (project,)\n\n\n"
        f"@app.cell\ndef _(project):\n{board}    return\n"
    )
    (tmp_path / "app.py").write_text(app)
    port = free_port()
    with served(
        "marimo", "run", "app.py", f"--port={port}", "--headless", "--no-token", port=port, folder=tmp_path
    ) as url:
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.goto(url)
        shown = Map(page)
        shown.draw("In marimo")
        shown.send()
        expect(shown.frame.locator("form.drawing")).to_have_count(0)
        page.wait_for_timeout(500)
        assert "In marimo" in shown.frame.evaluate(
            "(frame) => [...frame.geodesignMap.scene.diagrams.values()].map((one) => one.title)"
        )
        water = page.locator(".frame.board").get_by_role("row", name="Water").first
        expect(water).to_contain_text("✗ 495 M")
        page.get_by_role("spinbutton", name="Rate of Water, USD per ha, as a number").fill("600000")
        expect(water).to_contain_text("✓ ")
        page.close()


def test_outside_of_a_kernel_a_map_is_a_page_and_what_does_not_go_together_is_named() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        assert isinstance(project.map(), WebMap)
        assert isinstance(project.map(live=True), LiveMap)
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"on_drawn": print}, "give draw=True too"),
            ({"draw": True, "currency": "USD"}, "takes currency="),
            ({"live": True, "evaluations": False}, "takes evaluations="),
            ({"live": True, "static": True}, "cannot be drawn on or live"),
            ({"draw": "Nothing"}, "Nothing"),
        ]
        for options, problem in wrong:
            with pytest.raises(InputError, match=problem):
                project.map(**options)


def test_without_anywidget_the_map_is_a_page_with_a_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    for module in [name for name in sys.modules if name.startswith("pygeodesign._widget.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with Sandbox() as sandbox:
        project = sandbox.project()
        view = project.map()
        assert isinstance(view, WebMap)
        line, _, frame = view._repr_html_().partition("<iframe")
        assert "does not follow it: " in line and "anywidget" in line
        assert "pip install &#x27;pygeodesign[notebook]&#x27;" in line and "srcdoc" in frame
        assert "anywidget" not in (view.to_html() or "")
        # A request for a page gets a page.
        assert "does not follow" not in project.map(static=True)._repr_html_()
        with pytest.raises(ImportError, match=r"anywidget.*pip install 'pygeodesign\[notebook\]'") as raised:
            project.map(live=True)
        assert raised.value.__notes__[0].startswith("Then open the notebook in JupyterLab 4")


def test_the_picture_of_a_saved_map_has_what_the_map_shows() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()

        def picture(view: Any) -> Any:
            assert isinstance(view, LiveMap)
            bundle, _ = view._repr_mimebundle_()
            view.close()
            return imread(io.BytesIO(bundle["image/png"]))[..., :3]

        def share(pixels: Any, color: Any) -> float:
            """The share of the pixels that are nearly of a colour."""
            return float((np.abs(pixels - color).max(axis=-1) < 0.05).mean())

        # Drawings are translucent.
        water, land = np.array(to_rgb(project.system("Water")["color"])), np.array(to_rgb("#f4f2ed"))
        blue, black = 0.6 * water + 0.4 * land, np.zeros(3)
        every, one = project.map(live=True), project.map(live=True)
        one.show([1001])
        one.selected = [1001]
        none = project.map({"With": [1001], "Without": [1041]}, live=True)
        pixels = picture(every), picture(one), picture(none)
        assert share(pixels[0], blue) > 3 * share(pixels[1], blue) > 0
        assert share(pixels[1], black) > share(pixels[0], black)
        half = pixels[2].shape[1] // 2
        assert share(pixels[2][:, :half], blue) > 0
        assert share(pixels[2][:, half:], blue) == 0


def test_a_live_map_is_asked_before_it_is_shown_and_writes_the_page_of_now() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project(username="amara.okafor")
        view = project.map(draw="Water")
        assert isinstance(view, LiveMap)
        assert (view.drawn, view.selected) == ({"type": "FeatureCollection", "features": []}, [])
        view.selected = [1002]
        frame = project.costs().to_geopandas()
        view.show(frame[frame["sysid"] == 1])
        assert view.widget.selected == [1002] and len(view.widget.shown or []) == 20
        assert view.widget.settings["name"] == "amara.okafor"
        with pytest.raises(InputError, match="no column diagramid"):
            view.show(frame[["geometry"]])
        assert "Staten Island 2050" in str(view.to_html())
        bundle, _ = view._repr_mimebundle_()
        assert len(bundle["image/png"]) < 60_000
        # For programs that cannot run the map.
        assert "pip install 'pygeodesign[notebook]', then open the notebook in JupyterLab 4" in bundle["text/plain"]
        view.close()
