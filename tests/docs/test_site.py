"""The documentation site builds without a warning and shows every public name; each page is complete in a browser."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from matplotlib.image import imread

from documents import DOCUMENTS, ROOT
from site_pages import NOTEBOOKS, build, draw_all, execute, not_shown

pytestmark = [pytest.mark.early, pytest.mark.slow]

# Elements wider than the window that are not in something that scrolls by itself.
TOO_WIDE = """() => {
  const scrolls = element => {
    for (let outer = element.parentElement; outer; outer = outer.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(outer).overflowX)) return true;
    return false;
  };
  const found = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
  for (const element of document.querySelectorAll("article *")) {
    const box = element.getBoundingClientRect();
    if (box.width && box.right > innerWidth + 1 && !scrolls(element)) found.push(element.outerHTML.slice(0, 100));
  }
  return found;
}"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebooks")


@pytest.mark.parametrize("notebook", [pytest.param(path, id=path.stem) for path in NOTEBOOKS])
def test_a_notebook_runs_from_top_to_bottom(notebook: Path, executed: Path) -> None:
    cells = nbformat.read(execute(notebook, executed), as_version=4).cells
    results = [result for cell in cells if cell.cell_type == "code" for result in cell.outputs]
    assert len(results) >= 5
    warned = [result.text for result in results if result.get("name") == "stderr"]
    # The demo has constraints, and drawings on them are warned of.
    assert [text for text in warned if "UserWarning: on constraints" not in text] == []


def test_a_map_in_a_saved_notebook_is_small_and_has_a_picture(executed: Path) -> None:
    (notebook,) = (path for path in NOTEBOOKS if path.stem == "a_planners_hour")
    cells = nbformat.read(execute(notebook, executed), as_version=4).cells
    results = [result for cell in cells if cell.cell_type == "code" for result in cell.outputs]
    widgets = [
        result.data for result in results if "application/vnd.jupyter.widget-view+json" in result.get("data", {})
    ]
    assert [("image/png" in data, "text/html" in data) for data in widgets] == [(True, False)] * 2 + [
        (False, True),
        (True, False),
    ]
    assert max(len(json.dumps(data)) for data in widgets) < 80_000


@pytest.mark.parametrize("notebook", [pytest.param(path, id=path.stem) for path in NOTEBOOKS])
def test_a_notebook_is_kept_without_results(notebook: Path) -> None:
    cells = [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]
    assert [cell for cell in cells if cell.outputs or cell.execution_count] == []


@pytest.fixture(scope="module")
def site(executed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    ended = build(folder, executed)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return folder


def test_the_site_has_a_page_for_each_guide_and_notebook(site: Path) -> None:
    guides = {f"{path.stem}.html" for name, path in DOCUMENTS.items() if name != "README.md"}
    notebooks = {f"notebooks/{notebook.stem}.html" for notebook in NOTEBOOKS}
    index = (site / "index.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'href="([\w/-]+\.html)"', index)) | {"index.html"}
    assert guides | notebooks | {"changelog.html", "reference/costs.html"} <= linked


def test_the_reference_shows_every_public_name_with_the_twins_for_asyncio(site: Path) -> None:
    assert not_shown(site) == []
    costs = (site / "reference" / "costs.html").read_text(encoding="utf-8")
    assert 'id="pygeodesign.Project.costs"' in costs and 'id="pygeodesign.AsyncProject.costs"' in costs
    assert "await AsyncProject.costs(" in costs


def test_a_name_that_the_reference_does_not_show_is_found(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site / "reference", tmp_path / "reference")
    page = tmp_path / "reference" / "costs.html"
    page.write_text(page.read_text(encoding="utf-8").replace('id="pygeodesign.CostReport.total"', ""), encoding="utf-8")
    assert not_shown(tmp_path) == ["pygeodesign.CostReport.total"]


def test_broken_links_fail_the_build(executed: Path, tmp_path: Path) -> None:
    docs = shutil.copytree(ROOT / "docs", tmp_path / "docs")
    with (docs / "live.md").open("a", encoding="utf-8") as page:
        page.write("\n[a page](gone.md), [a heading](costs.md#left)\n")
    ended = build(tmp_path / "site", executed, docs)
    assert ended.returncode != 0 and "gone.md" in ended.stderr and "costs.md#left" in ended.stderr


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_every_page_is_whole_and_asks_no_server(width: int, scheme: Any, site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: complaints.append(asked.url) if asked.url.startswith("http") else None)
    faults = {}
    for path in sorted(site.rglob("*.html")):
        complaints.clear()
        page.goto(path.as_uri())
        found = complaints + page.evaluate(TOO_WIDE)
        if found:
            faults[path.relative_to(site).as_posix()] = found
    page.close()
    assert faults == {}


def test_the_search_finds_a_page_from_a_disk(site: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.click("input.md-search__input")
    page.keyboard.type("tornado")
    page.wait_for_selector(".md-search-result__item a", timeout=10_000)
    found = [link.get_attribute("href") for link in page.query_selector_all(".md-search-result__item a")]
    assert any("comparing-designs.html" in address for address in found)
    page.close()


def test_the_pictures_of_the_documents_are_what_the_package_draws(tmp_path: Path) -> None:
    draw_all(tmp_path)
    kept = ROOT / "docs" / "pictures"
    assert sorted(path.name for path in kept.iterdir()) == sorted(path.name for path in tmp_path.iterdir())
    for picture in kept.iterdir():
        before, now = imread(picture), imread(tmp_path / picture.name)
        assert before.shape == now.shape
        # Other versions of matplotlib and fonts may place a letter elsewhere in its square; another text differs in it.
        assert np.abs(squares(before) - squares(now)).max() < 0.08, f"{picture.name} is old: make pictures"


def squares(picture: np.ndarray[Any, Any], side: int = 16) -> np.ndarray[Any, Any]:
    """The mean colour of each square of a picture, without the rest at its right and lower edge."""
    rows, columns = (length // side for length in picture.shape[:2])
    cut = picture[: rows * side, : columns * side]
    means: np.ndarray[Any, Any] = cut.reshape(rows, side, columns, side, -1).mean(axis=(1, 3))
    return means
