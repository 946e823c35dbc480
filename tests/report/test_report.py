"""`Comparison.to_html`: the results as one page, with figures that link to diagrams."""

import re
import time
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import shapely
from playwright.sync_api import Browser

from builders import collection, diagram, feature, square
from comparisons import comparison, with_maps
from demo import demo_sandbox
from interrupting import seconds_until_interrupt
from overlays import hectares, land
from parsed_html import BREAKING_OUT, HARMFUL, ParsedHtml
from pygeodesign import InputError
from reports import Outline, table

pytestmark = pytest.mark.early


@pytest.fixture(autouse=True)
def _no_window() -> Iterator[None]:
    with mpl.rc_context({"backend": "agg"}):
        yield


def small(title: str = "Rain garden", **dates: Any) -> Any:
    """Two squares that overlap in half of each; one design has the first, another one both."""
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project", description=title),
        diagram(2, feature(square(0.01, 0, 0.02)), sysid=2, type="project", description="Houses"),
    ]
    return comparison(diagrams, {title: [1], "Both": [1, 2]}, Housing={"cost": 100, "budget": 900, "target_ha": 10})


@pytest.fixture(scope="module")
def demo() -> Any:
    with demo_sandbox() as sandbox:
        return sandbox.client().project("StatenIsland2050").compare()


@pytest.fixture(scope="module")
def page(demo: Any) -> str:
    return str(demo.to_html(currency="USD", sections={"schedule": {"rate": 0.03}}))


def number(text: str) -> float:
    return float(text.replace(",", ""))


def ids(text: str) -> list[int]:
    return [int(part) for part in text.split(", ")] if text != "none" else []


@pytest.mark.slow
def test_the_figures_are_those_of_the_frames(demo: Any, page: str) -> None:
    for label in demo.designs:
        shown = table(page, escape(label))
        frame = demo.targets(label)
        assert [number(row[5]) for row in shown[:-1]] == pytest.approx(frame["cost"].tolist(), abs=0.51)
        assert [number(row[2]) for row in shown[:-1]] == pytest.approx(frame["area_ha"].tolist(), abs=0.051)
        years = demo.schedule(label, rate=0.03)
        shown = table(page, f"{escape(label)}: what each year costs and changes")
        assert [number(row[3]) for row in shown] == pytest.approx(years["cost"].tolist(), abs=0.51)
    for label, pairs in demo.conflicts().groupby("design"):
        shown = table(page, f"{escape(label)}: systems that claim the same land")
        areas = sorted(pairs["area_ha"], reverse=True)
        assert [number(row[2]) for row in shown] == pytest.approx(areas, abs=0.051)
    changed = demo.consensus().groupby("designs")["area_ha"].sum().sort_index(ascending=False)
    shown = table(page, "The consensus: land by the number of designs that change it, under projects only")
    assert [number(row[1]) for row in shown] == pytest.approx(changed.tolist(), abs=0.051)


def test_each_sum_is_that_of_the_diagrams_that_it_lists(demo: Any, page: str) -> None:
    costs = demo.diagrams["cost"]
    for label in demo.designs:
        for row in table(page, escape(label))[:-1]:
            assert number(row[5]) == pytest.approx(costs.loc[ids(row[7])].sum(), abs=0.51)
        for year in table(page, f"{escape(label)}: what each year costs and changes"):
            assert int(year[1]) == len(ids(year[-1]))
    assert {row[2] for row in table(page, "How many designs chose a diagram")} >= {"1100"}


def test_hectares_that_are_summed_stand_beside_land_where_each_place_counts_once(demo: Any, page: str) -> None:
    rows = {row[0]: [number(cell) for cell in row[2:5]] for row in table(page, "Size and cost, policies included")}
    for label, ids in demo.designs.items():
        areas = (
            demo.diagrams.loc[ids, "area_ha"].sum(),
            demo.diagrams.loc[ids].query("kind == 'policy'")["area_ha"].sum(),
        )
        assert rows[escape(label)][:2] == pytest.approx(areas, abs=0.051)
        projects = demo.diagrams.loc[ids].query("kind == 'project'").geometry.map(land)
        assert rows[escape(label)][2] == pytest.approx(hectares(shapely.union_all(projects.to_numpy())), abs=0.051)
    changed = demo.consensus()["area_ha"].sum()
    assert rows["In any of the designs, alternatives included"][2] == pytest.approx(changed, abs=0.051)
    assert "land that two diagrams cover twice" in page and "The land of 1015, 1055 is not known" in re.sub(
        "<.*?>", "", page
    )


def test_a_budget_that_nothing_is_spent_of_is_neither_met_nor_missed(page: str) -> None:
    text = ParsedHtml(page).text
    assert "targets 4 met, 2 missed, 3 nothing planned; budgets 5 met, 1 missed, 3 nothing planned" in text
    (water, *_) = table(page, escape("Conservation – Design 3 – with the Residents' parks"))
    assert (water[3], water[6]) == ("met", "5,362,532 over")


def test_money_has_its_currency_and_a_page_without_one_says_so_once() -> None:
    page = small().to_html(sections={"schedule": {"rate": 0.03}})
    assert page.count("No currency is set") == 1 and page.rstrip().endswith("amounts.</p></main></body></html>")
    assert "No currency" not in small().to_html(currency="USD", sections={"schedule": {"rate": 0.03}})


def test_what_is_undated_or_outside_the_study_area_is_said() -> None:
    fields: Any = {"cost_override": 30, "cost_override_type": "total"}
    dates: Any = {"start_date": "2030-01-01", "end_date": "2030-12-31"}
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02), **fields, **dates), type="project", **fields, **dates),
        diagram(2, feature(square(0.01, 0, 0.02), **fields), type="project", **fields),
    ]
    boundary = {"geojson": collection(feature(square(0, 0, 0.02))), "id": 0, "sysid": 0, "area": 1, "description": ""}
    page = with_maps(diagrams, {"A": [1, 2]}, **{"boundaries/": boundary}).to_html()
    assert [row[0] for row in table(page, "A: what each year costs and changes")] == [
        "2030",
        "without dates, 50% of the cost",
    ]
    assert "246.2 ha of 1 diagram lie outside the study area" in page and "492.4, 246.2 outside" in page


def test_a_report_of_the_project_is_asked_for() -> None:
    page = small().to_html(scope="project")
    assert "about all diagrams of the project" in page and "Both: what" not in page
    assert table(page, "All diagrams of the project: systems that claim the same land")
    with pytest.raises(InputError, match="designs: 'Rain garden', 'Both'"):
        small().to_html(scope="Neither")


def test_each_id_leads_to_the_row_of_its_diagram(demo: Any, page: str) -> None:
    outline = Outline(page)
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)
    assert {f"d{diagramid}" for diagramid in demo.diagrams.index} <= set(outline.ids)


def test_headings_are_in_order_pictures_have_texts_and_headers_a_scope(page: str) -> None:
    outline = Outline(page)
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(outline.levels, outline.levels[1:], strict=False))
    # A large map, four small ones, that of agreement, three of collisions, the years of four designs, and three
    # negotiations.
    assert len(outline.alts) == 16 and all(outline.alts)
    assert set(outline.scopes) == {"col", "row"}


def test_the_page_loads_nothing(page: str) -> None:
    assert all(source.startswith("data:image/") for source in Outline(page).sources)
    assert "default-src 'none'" in page and "@import" not in page
    assert set(re.findall(r"url\((.)", page)) == {"#"}, "what is not of the page"


@pytest.mark.parametrize("text", [HARMFUL, BREAKING_OUT])
def test_titles_of_diagrams_and_designs_are_shown_as_text(text: str) -> None:
    parsed = ParsedHtml(small(text).to_html(title=text, currency=text))
    assert not parsed.tags & {"script", "iframe", "link"}
    assert not {"onload", "onerror"} & parsed.attributes
    assert text in parsed.text


def test_a_part_without_data_says_so() -> None:
    text = ParsedHtml(small().to_html()).text
    assert "The project has no evaluation maps" in text
    assert "No diagram has a start and an end date" in text
    empty = ParsedHtml(comparison([]).to_html(sections={"optimum": {"budget": 5}})).text
    assert "No design was given, and no change team has saved one" in empty
    assert "The project has no diagrams" in empty
    assert "All diagrams of the project: no two systems claim the same land" in empty
    assert "Not computed: no system has a target" in empty


def test_a_budget_adds_the_optimum_and_amounts_per_hectare_a_section() -> None:
    compared = small()
    best = compared.optimum(1e9)
    page = compared.to_html(
        sections={"optimum": {"budget": 1e9}, "quantities": {"per_hectare": {"carbon_t": {"Water": 12.5}}}}
    )
    rows = table(page, "The best choice of projects under the budget")
    assert sorted(number for row in rows for number in ids(row[-1])) == best.chosen
    projects = compared.targets(policies=False)["area_status"].eq("met").groupby(compared.targets()["design"]).sum()
    said = re.search(r"Without theirs, [^.]* meets? ([^.]*)\.", ParsedHtml(page).text)
    assert said and {int(number) for number in re.findall(r"\d+(?= \(|$)", said[1])} == set(projects)
    carbon = compared.quantities({"carbon_t": {"Water": 12.5}}, "Both")["carbon_t"]
    assert "Other quantities" in page and f"{carbon.sum():,.1f}" in page


def test_us_units_show_the_same_areas_in_acres() -> None:
    compared = small()
    acres = compared.diagrams["area_ha"].sum() * 10_000 / 4046.8564224
    row = table(compared.to_html(units="us"), "Size and cost, policies included")[0]
    assert number(row[2]) == pytest.approx(acres, abs=0.051)
    with pytest.raises(InputError, match=r'"metric" .* or "us"'):
        compared.to_html(units="imperial")


def test_a_progress_bar_counts_the_sections_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    quiet = small().to_html(progress=False)
    assert capsys.readouterr().err == ""
    assert small().to_html(progress=True) == quiet
    bars = capsys.readouterr().err
    assert re.search(r"sections of the report: 100%.* 13/13 ", bars)
    assert "conflicts: 100%" in bars


def test_a_report_ends_at_ctrl_c() -> None:
    shapes = shapely.buffer(shapely.points(np.arange(150) * 1e-4, 0), 0.01, quad_segs=200)
    diagrams = [
        diagram(number, feature(shape.__geo_interface__), sysid=1 + number % 2, type="project")
        for number, shape in enumerate(shapes, 1)
    ]
    compared = comparison(diagrams, {"All": range(1, 151)})
    end = time.monotonic() + 0.3
    assert seconds_until_interrupt(lambda: time.monotonic() > end, compared.to_html) < 3


@pytest.mark.parametrize("given", [{"title": 3}, {"author": 5}, {"currency": 7}])
def test_what_is_no_text_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=rf"{next(iter(given))} (is|must be) .*{next(iter(given.values()))}"):
        small().to_html(**given)


def test_a_path_gets_the_page(tmp_path: Path) -> None:
    compared = small()
    assert compared.to_html(tmp_path / "report.html", title="After round 3") is None
    written = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert written == compared.to_html(title="After round 3")
    assert "<h1>After round 3</h1>" in written


def test_a_browser_shows_and_prints_the_page_without_an_error_a_request_or_a_cut(
    browser: Browser, page: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1100, "height": 900})
    messages: list[str] = []
    requests: list[str] = []
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto(path.as_uri())
    broken = "[...document.images].filter(image => !image.naturalWidth).length"
    too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert tab.evaluate(broken) == 0
    for width in (1100, 400):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate(too_wide) == 0
    # A4 without its margins, in CSS pixels.
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 680, "height": 1009})
    assert tab.evaluate(too_wide) == 0
    assert tab.evaluate("[...document.querySelectorAll('.wide')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    assert tab.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    assert messages == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
