"""`Comparison.to_igc`: the poster has the figures by adopter and year, and names missing ones."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser
from pptx import Presentation

from deciding import cells, project_of
from demo import demo_sandbox
from parsed_html import ParsedHtml
from printed import shares_filled
from pygeodesign import InputError
from pygeodesign._html import POLICY
from pygeodesign._report.igc import built_by, square_around
from reports import table

ADOPTERS = {"early": "A", "late": "B", "non": "C"}


@pytest.fixture
def compared() -> Any:
    """Water is built from 2031 to 2040, Housing in 2040; the dates of 3 and the cost of 4 are not known."""
    values = {
        "sysid": [1, 2, 2, 1],
        "cost": [1000, 400, 300, np.nan],
        "area_ha": [10, 2, 4, 1],
        "start_date": pd.to_datetime(["2031-01-01", "2040-01-01", "", "2019-01-01"]),
        "end_date": pd.to_datetime(["2040-12-31", "2040-12-31", "", "2019-12-31"]),
        "geometry": cells((0, 0), (2, 0), (4, 0), (6, 0)),
    }
    return project_of(values, {"A": [1, 2], "B": [1, 3], "C": [4]})


def figures(page: str, caption: str) -> list[list[str]]:
    """The rows of a table without their names."""
    return [row[1:] for row in table(page, caption)]


def whole_poster(compared: Any, **others: Any) -> str:
    scores = {label: dict.fromkeys(range(1, 18), 0) | {13: 3, 15: -2} for label in "ABC"}
    given = {
        "adopters": ADOPTERS,
        "sdg": scores,
        "carbon_per_hectare": {"Water": -2.5},
        "assumptions": ["<Half> built."],
    }
    return str(compared.to_igc(**({"missing": "omit"} | given | others)))


def scores_of(page: str, goal: int) -> list[str]:
    """The scores below the square of a goal."""
    (tile,) = re.findall(rf'<li id="goal{goal}">(.*?)</li>', page)
    assert f">{goal}</text>" in tile
    return re.findall(r"<span.*?>(.*?)</span>", tile)


def captions(page: str) -> list[list[str]]:
    """The lines below the small map of each design."""
    (maps,) = re.findall(r'<section class="designs">(.*?)</section>', page, re.DOTALL)
    found = re.findall("<figcaption>(.*?)</figcaption>", maps)
    return [[ParsedHtml(line).text.strip() for line in caption.split("<br>")] for caption in found]


def test_what_is_built_by_a_year_is_spread_over_the_days_as_in_the_schedule(compared: Any) -> None:
    page = whole_poster(compared)
    early = figures(page, "Early adopter: A")
    costs = compared.schedule("A")["cost"]
    by_2035 = float(costs[costs.index.get_level_values("year") <= 2035].sum())
    assert early[0][3:6] == ["0", f"{by_2035:,.0f}", "1,000"]
    assert early[-1][:3] == ["0.0", "5.0", "12.0"]


def test_diagrams_without_dates_or_cost_are_said_and_in_no_year(compared: Any) -> None:
    page = whole_poster(compared)
    assert figures(page, "Late adopter: B")[1] == ["0.0", "0.0", "0.0", "0", "0", "0", "4.0", "300", "none"]
    assert figures(page, "Non-adopter: C")[0] == ["1.0"] * 3 + ["not known"] * 3 + ["none", "none", "1"]
    assert "Late adopter, without dates and so in no year: 3." in ParsedHtml(page).text


def test_scores_carbon_and_assumptions_stand_as_given(compared: Any) -> None:
    page = whole_poster(compared, carbon_totals={"C": 7})
    assert [scores_of(page, goal) for goal in (1, 13, 15)] == [["0"] * 3, ["+3"] * 3, ["-2"] * 3]
    carbon = figures(page, "Of the whole design, whenever it is built")
    assert [row[0] for row in carbon] == ["-25", "-25", "7"]
    assert carbon[0][1].endswith("not known and left out: Housing")
    assert "&lt;Half&gt; built." in page and "<Half>" not in page


def test_goals_have_squares_only_if_they_are_scored(compared: Any) -> None:
    assert 'class="goals"' not in whole_poster(compared, sdg={})
    page = whole_poster(compared, sdg={"B": {2: -1}}, adopters={})
    assert (scores_of(page, 2), scores_of(page, 1)) == (["-1"], ["not scored"])
    assert len({re.findall('fill="(#.{6})"', tile)[0] for tile in re.findall('<li id="goal.*?</li>', page)}) == 17


def test_small_maps_and_bars_have_the_figures_of_the_frames(compared: Any) -> None:
    compared.systems = compared.systems.assign(target_ha=[10.0, 4.0])
    compared._team_colors = {"A": "#7B3294", "B": "red; x: y"}
    page = whole_poster(compared)
    assert captions(page) == [
        ["1 A", "2 diagrams", "1.40 k", "Targets met: 1 of 2"],
        ["2 B", "2 diagrams", "1.30 k", "Targets met: 2 of 2"],
        ["3 C", "1 diagram", "not known*", "Targets met: 0 of 2"],
    ]
    assert page.count('style="background:#7B3294"') == 1 and "red; x" not in page
    (bars,) = re.findall(r'<section class="bars">(.*?)</section>', page, re.DOTALL)
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="[\d.]+"><title>', bars)]
    whole = sum(widths[:2])
    costs = compared.targets()["cost"].to_numpy()
    assert np.array(widths) / whole * 1400 == pytest.approx(costs[costs > 0], abs=1)
    assert bars.count("url(#s") == 4 + 3 and bars.count('class="missed"') + bars.count('class="unsure"') == 3


def test_without_adopters_the_systems_of_all_designs_stand_where_years_would(compared: Any) -> None:
    page = whole_poster(compared, adopters={}, sdg={}, assumptions=())
    assert [row[1:] for row in table(page, "Cost by system, policies included")][-1] == [
        "1.40 k",
        "1.30 k",
        "not known*",
    ]
    assert "<a " not in page and "Changes by system" not in page
    text = ParsedHtml(page).text
    assert "No system has a target or a budget" in text and "The 3 designs share no diagram" in text


def test_slides_need_an_adopter_and_a_poster_a_design(compared: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="for slides with one design or more in adopters"):
        whole_poster(compared, adopters={}, path=tmp_path / "poster.pptx")
    compared.designs = {}
    with pytest.raises(InputError, match="the comparison has no design"):
        whole_poster(compared, adopters={}, sdg={})


@pytest.fixture(scope="module")
def project() -> Iterator[Any]:
    with demo_sandbox() as sandbox:
        yield sandbox.project()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("designs", "adopters", "language"),
    [(1, 0, "en"), (1, 1, "de"), (2, 1, "en"), (4, 0, "en"), (4, 3, "ar"), (10, 0, "de"), (10, 3, "en")],
)
def test_a_poster_is_one_full_sheet(
    browser: Browser, project: Any, designs: int, adopters: int, language: str, tmp_path: Path
) -> None:
    compared = project.compare(project.designs()[:designs])
    labels = list(compared.designs)[:adopters]
    page = compared.to_igc(
        adopters=dict(zip(ADOPTERS, labels, strict=False)),
        sdg={label: dict.fromkeys(range(1, 18), -1) for label in labels},
        carbon_totals=dict.fromkeys(labels, -41000),
        assumptions=["The sea rises by 0.3 m until 2050."] * adopters,
        title="What the week on Staten Island found: water, homes and jobs until 2050" if designs == 4 else None,
        missing="omit",
        language=language,
    )
    (filled,) = shares_filled(browser, page, tmp_path, prefer_css_page_size=True)
    assert filled > 0.95
    tab = browser.new_page(viewport={"width": 375, "height": 800})
    tab.set_content(page)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 375


def test_everything_that_is_missing_is_in_one_error_or_on_the_poster(compared: Any) -> None:
    with pytest.raises(InputError) as nothing:
        compared.to_igc()
    for name in ('adopters["early"]', 'adopters["late"]', 'adopters["non"]', "sdg", "carbon_totals", "assumptions"):
        assert name in str(nothing.value)
    with pytest.raises(InputError, match=r'sdg\["A"\], the scores of the goals 2, 3, .*assumptions'):
        compared.to_igc(adopters=ADOPTERS, sdg={"A": {1: 2}})
    page = whole_poster(compared, sdg={"A": {1: 2}}, adopters={"early": "A"})
    text = ParsedHtml(page).text
    assert "Not on this poster, as it was not given" in text and 'adopters["late"]' in text and "not scored" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"adopters": {"first": "A"}}, "adopters names 'first'"),
        ({"adopters": {"early": "Z"}}, "the compared designs are A, B, C"),
        ({"adopters": ["A"]}, "adopters is"),
        ({"sdg": {"A": {18: 1}}}, "from 1 to 17"),
        ({"sdg": {"A": {1: 4}}}, "-3 to 3"),
        ({"sdg": {"A": {1: 0.5}}}, "-3 to 3"),
        ({"carbon_totals": {"A": float("nan")}}, "carbon_totals of 'A'"),
        ({"assumptions": "one text"}, "give a list of texts"),
        ({"years": ()}, "give calendar years"),
        ({"missing": "ignore"}, 'give "error" or "omit"'),
        ({"path": "poster.pdf"}, "ends with neither .html nor .pptx"),
    ],
)
def test_bad_input_is_named(compared: Any, arguments: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        whole_poster(compared, **arguments)


def test_the_file_loads_nothing_and_has_a_map_for_each_adopter_and_year(compared: Any, tmp_path: Path) -> None:
    path = tmp_path / "poster.html"
    assert whole_poster(compared, path=path, years=(2035, 2050)) == "None"
    page = path.read_text(encoding="utf-8")
    assert POLICY in page and "<script" not in page
    assert len(re.findall('aria-label="Map of the diagrams of . begun by', page)) == 6


def text_of(slide: Any) -> str:
    return "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


def cells_of(slides: Any, title: str) -> list[list[str]]:
    """The rows of the tables on slides with this title, without their headings."""
    tables = [
        shape.table
        for slide in slides
        if slide.shapes.title.text_frame.text.startswith(title)
        for shape in slide.shapes
        if shape.has_table
    ]
    return [[cell.text.removeprefix("■ ") for cell in row.cells] for made in tables for row in list(made.rows)[1:]]


def test_slides_have_the_pages_figures_and_a_square_map_for_each_adopter_and_year(
    compared: Any, tmp_path: Path
) -> None:
    path = tmp_path / "poster.pptx"
    assert whole_poster(compared, path=path, years=(2035, 2050), title="Bay", author="Ana") == "None"
    slides = list(Presentation(str(path)).slides)
    titles = [slide.shapes.title.text_frame.text for slide in slides]
    assert titles[:4] == ["Bay", "Early adopter: A", "Late adopter: B", "Non-adopter: C"]
    assert "by Ana" in text_of(slides[0]) and "<Half> built." in text_of(slides[-1])
    page = whole_poster(compared, years=(2035, 2050))
    for caption, title in (
        ("Early adopter: A", "Changes by system"),
        ("Of the whole design, whenever it is built", "Carbon"),
    ):
        shown = [[ParsedHtml(cell).text.strip() for cell in row] for row in table(page, caption)]
        assert cells_of(slides, title)[: len(shown)] == shown
    assert cells_of(slides, "Sustainable Development Goals")[12] == ["13 Climate action", *scores_of(page, 13)]
    maps = [
        shape for slide in slides[1:4] for shape in slide.shapes if shape.shape_type is not None and "Map" in shape.name
    ]
    assert len(maps) == 6 and {picture.image.content_type for picture in maps} == {"image/png"}
    assert all(picture.width == picture.height for picture in maps)
    words = [picture._element.nvPicPr.cNvPr.get("descr") for picture in maps]
    assert words[0] == "Map of the 1 diagram of A begun by 2035"
    assert any("Late adopter, without dates and so in no year: 3." in text_of(slide) for slide in slides)


def test_slides_lose_nothing_that_has_no_room_on_one(compared: Any, tmp_path: Path) -> None:
    path = tmp_path / "poster.pptx"
    lines = [f"Line {number} {'of the assumptions ' * (number % 9)}".strip() for number in range(60)]
    lines += ["word " * 900, "\x0b\x00 control, half \ud83d, \uffff no letter"]
    compared.systems = pd.concat([compared.systems, compared.systems.iloc[[1] * 40].set_axis(range(10, 50))])
    whole_poster(compared, path=path, assumptions=lines, years=(2020, 2030, 2035, 2040, 2050), adopters={"early": "A"})
    slides = list(Presentation(str(path)).slides)
    said = " ".join(text_of(slide) for slide in slides if "Assumptions" in slide.shapes.title.text_frame.text)
    assert all(f"Line {number}" in said for number in range(60)) and said.count("word") == 900
    assert len(cells_of(slides, "Changes by system")) == 43
    assert sum("Map" in shape.name for slide in slides for shape in slide.shapes) == 5
    presentation: Any = Presentation(str(path))
    for slide in slides:
        for shape in slide.shapes:
            assert shape.left + shape.width <= presentation.slide_width
            assert shape.top + shape.height <= presentation.slide_height


def test_the_square_is_as_wide_as_high_on_the_ground() -> None:
    west, south, east, north = square_around((10, 59.5, 12, 60.5))
    assert (west, east) == pytest.approx((10, 12))
    assert (north - south) == pytest.approx((east - west) * np.cos(np.radians(60)))
    assert (south + north) / 2 == pytest.approx(60)


def test_nothing_begun_is_zero_and_something_unknown_is_not(compared: Any) -> None:
    rows = compared.diagrams.loc[[4]]
    assert built_by(rows, "cost", 2018) == 0
    assert np.isnan(built_by(rows, "cost", 2019))
