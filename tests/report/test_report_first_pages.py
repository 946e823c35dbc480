"""The first pages of a report: rounded figures that link to exact ones, on paper and on a phone."""

import copy
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from playwright.sync_api import Browser

from builders import diagram, feature, square
from comparisons import comparison
from deciding import cells as squares
from deciding import project_of
from demo import demo_sandbox
from printed import shares_filled
from pygeodesign import Sandbox
from pygeodesign import open as open_archive
from pygeodesign._html import colors_of
from pygeodesign._planning.decisions import Session
from pygeodesign._text import short_amount, short_number
from reports import table

pytestmark = pytest.mark.early

SCRIPTS = ["水と緑", "حديقة الشاطئ", "Πάρκο της πόλης", "नदी का पार्क"]
# CSS pixels between the margins of A4 and Letter.
PAPER = {"A4": (680, 1009), "Letter": (703, 941)}


class Links(HTMLParser):
    """The text of each link, by its section, and the text of elements with an id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.section = ""
        self.links: list[tuple[str, str, str]] = []
        self.texts: dict[str, str] = {}
        self._open: list[tuple[str, str]] = []
        self._href = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("rect", "path", "circle", "meta", "br", "link"):
            return
        name = given.get("id") or ""
        self.section = name if tag == "section" else self.section
        self._open.append((tag, name))
        if name:
            self.texts[name] = ""
        if tag == "a":
            self._href = given["href"] or ""
            self.links.append((self.section, self._href, ""))

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1][0] == tag:
            self._open.pop()
        self._href = "" if tag == "a" else self._href

    def handle_data(self, data: str) -> None:
        if self._href:
            section, href, text = self.links[-1]
            self.links[-1] = (section, href, text + data)
        for _, name in self._open:
            if name:
                self.texts[name] += f" {data}"


def cells(page: str, row: str) -> list[str]:
    """The cells of the row with this id."""
    found = re.search(rf'<tr id="{row}">(.*?)</tr>', page, re.DOTALL)
    assert found, row
    return [re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", found[1], re.DOTALL)]


def number(text: str) -> float:
    return float(text.replace(",", ""))


@pytest.fixture(scope="module")
def demo() -> Any:
    with demo_sandbox() as sandbox:
        return sandbox.client().project("StatenIsland2050").compare()


@pytest.fixture(scope="module")
def all_designs() -> Any:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project("StatenIsland2050")
        return project.compare(project.designs())


@pytest.fixture(scope="module")
def four(demo: Any) -> str:
    """The page of the latest designs of four teams."""
    return str(
        demo.to_html(currency="USD", sections={"optimum": {"budget": 5e9}}, title="After round 3", author="Ana López")
    )


@pytest.fixture(scope="module")
def ten(all_designs: Any) -> str:
    """The page of all designs."""
    return str(all_designs.to_html(currency="USD", sections={"optimum": {"budget": 5e9}}))


@pytest.fixture(scope="module")
def one(demo: Any) -> str:
    """The page about a single design."""
    return str(demo.to_html(scope=next(iter(demo.designs)), currency="USD"))


@pytest.mark.parametrize(("units", "per_hectare"), [("metric", 1.0), ("us", 2.4710538147)])
def test_a_rounded_figure_leads_to_its_exact_one(demo: Any, units: Any, per_hectare: float) -> None:
    page = demo.to_html(currency="USD", units=units)
    links = Links(page).links
    unit = "ha" if units == "metric" else "acres"
    for place, label in enumerate(demo.designs, 1):
        for row in demo.targets(label).itertuples():
            anchor = f"#t{place}-{row.sysid}"
            exact = cells(page, anchor[1:])
            assert number(exact[5]) == pytest.approx(row.cost, abs=0.51)
            assert number(exact[2]) == pytest.approx(row.area_ha * per_hectare, abs=0.051)
            marks = [text for section, href, text in links if (section, href) == ("meets", anchor)]
            missing = {"met": "✓ met", "nothing planned": "– none", "not known": "? unknown"}
            assert marks == [
                missing.get(row.area_status, f"✗ −{short_number(row.missing_ha * per_hectare)}"),
                missing.get(row.budget_status, f"✗ +{short_amount(row.over_budget)}"),
            ]
            if row.diagrams:
                assert ("money", anchor, short_amount(row.cost)) in links
        own = demo.diagrams.loc[demo.designs[label]]
        assert ("money", f"#k{place}", short_amount(own["cost"].sum())) in links
        assert number(cells(page, f"k{place}")[6]) == pytest.approx(own["cost"].sum(), abs=0.51)
    for row in demo.conflicts().itertuples():
        place = list(demo.designs).index(row.design) + 1
        anchor = f"c{place}-{row.sysid_a}-{row.sysid_b}"
        assert number(cells(page, anchor)[2]) == pytest.approx(row.area_ha * per_hectare, abs=0.051)
        shown = [text for section, href, text in links if (section, href) == ("places", f"#{anchor}")]
        assert shown in ([], [f"{short_number(row.area_ha * per_hectare)} {unit}"])
    changed = demo.consensus().groupby("designs")["area_ha"].sum()
    for area in changed:
        assert ("places", "#consensus", f"{short_number(area * per_hectare)} {unit}") in links
    rates = demo.sensitivity()
    for place, label in enumerate(demo.designs, 1):
        own = rates[rates["design"] == label]
        most = own["change"].idxmax()
        assert ("money", f"#s{place}-{most}", f"± {short_amount(own['change'][most])}") in links


def sentences(compared: Any, **given: Any) -> list[str]:
    """The three sentences of the first page, as they are read aloud."""
    found = re.search(r'<div class="answers">(.*?)</div>', str(compared.to_html(**given)), re.DOTALL)
    assert found
    return [re.sub("<.*?>", "", text) for text in re.findall("<p>(.*?)</p>", found[1])]


def two(designs: dict[str, list[int]], *costs: float, **systems: Any) -> Any:
    """Designs of diagrams of 1 ha of Water each, side by side, with these costs."""
    compared = project_of(
        {"cost": [*costs], "geometry": squares(*((2 * place, 0) for place in range(len(costs))))}, designs
    )
    compared.systems = compared.systems.assign(**systems)
    return compared


def test_three_sentences_say_what_designs_meet_cost_and_share(demo: Any) -> None:
    assert sentences(demo, currency="USD") == [
        "Conservation meets most: 4 of 9 targets.",
        "Conservation costs least, about 1.6 billion USD.",
        "The 4 designs share 1 diagram, but no land; no design is agreed yet.",
    ]


@pytest.mark.filterwarnings("ignore:diagrams whose cost is not known")
@pytest.mark.parametrize(
    ("compared", "said"),
    [
        (
            two({"A": [1], "B": [2]}, 100, 100, target_ha=[1.0, np.nan]),
            ["Each of the 2 designs meets 1 of 1 target.", "Each of the 2 designs costs 100 USD."],
        ),
        (
            two({"A": [1], "B": [2], "C": [2]}, 300, 100, target_ha=[9.0, np.nan]),
            ["None of the 3 designs meets the 1 target.", "B and C cost least, 100 USD each."],
        ),
        (
            two({"A": [1, 2], "B": [2]}, 100, np.nan, target_ha=[2.0, np.nan]),
            ["A meets most: 1 of 1 target.", "No design’s cost is wholly known, so nothing says which costs least."],
        ),
        (
            two({"A": [1], "B": [2]}, 123456, np.nan),
            [
                "No system has a target or a budget, so nothing says which design meets most.",
                "Only the cost of A is wholly known, about 120 thousand USD.",
            ],
        ),
        (
            two({"A": [1], "B": [2]}, 400, 100, budget=[200.0, np.nan]),
            ["No system has a target; B keeps most budgets, 1 of 1.", "B costs least, 100 USD."],
        ),
    ],
    ids=["all equal", "none meets anything", "no known cost", "one known cost", "budgets alone"],
)
def test_ties_unknown_costs_and_missing_targets_are_said_as_they_are(compared: Any, said: list[str]) -> None:
    assert sentences(compared, currency="USD")[:2] == said


def test_a_design_saved_after_a_negotiation_that_keeps_to_it_is_agreed() -> None:
    compared = two({"A": [1, 2], "B": [1, 3]}, 100, 200, 300)
    ended = datetime(2026, 3, 6, tzinfo=UTC)
    compared.teams = {"A": "Shore", "B": "Hills"}
    compared._saved_at = {"A": ended + timedelta(minutes=1), "B": ended + timedelta(minutes=1)}
    compared._sessions = [Session(("Shore", "Hills"), ended, [1, 2], [3], [])]
    compared._votes = [{"diagram": 2, "vote": 2}, {"diagram": 2, "vote": 1}, {"diagram": 3, "vote": -1}]
    assert sentences(compared)[2].endswith("; Shore and Hills agreed on A.")
    page = Links(str(compared.to_html())).texts["decided"]
    assert "A was saved after Shore and Hills negotiated." in page and "+1.5 from 2 votes" in page
    assert [row[-2:] for row in table(str(compared.to_html()), "The designs by what was asked")] == [
        ["✓ +1.5 from 2 votes", "✓ by Shore and Hills"],
        ["✗ -1.0 from 1 vote", "not yet"],
    ]
    compared._saved_at["A"] = ended - timedelta(minutes=1)
    assert sentences(compared)[2].endswith("; no design is agreed yet.")


def test_votes_are_in_no_report_while_they_are_hidden() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        project.diagram(project.diagrams(fields="summary")[0]["id"]).vote(2)
        assert project.compare()._votes
        project.workshop.set_activities(votes_hidden=True)
        assert project.compare()._votes is None


def test_the_table_of_the_first_page_has_the_figures_of_the_frames(demo: Any) -> None:
    rows = table(str(demo.to_html(currency="USD")), "The designs by what was asked")
    statuses = demo.targets()
    for row, label in zip(rows, demo.designs, strict=True):
        own = statuses[statuses["design"] == label]
        met, kept = ((own[column] == "met").sum() for column in ("area_status", "budget_status"))
        assert f"{met} of 9" in row[1] and f"{kept} of 9" in row[2]
        assert (" over" in row[2]) == (own["budget_status"] == "missed").any()
        assert f"{demo.diagrams.loc[demo.designs[label], 'cost'].sum():,.0f}" in row[3]
        assert ("none" in row[4]) == (label not in set(demo.conflicts()["design"]))


def test_land_that_three_systems_claim_counts_once(demo: Any) -> None:
    compared = copy.copy(demo)
    ids = [int(own.index[0]) for _, own in demo.diagrams[demo.diagrams["kind"] == "project"].groupby("sysid")][:3]
    compared.designs = {"All": ids}
    compared.diagrams = demo.diagrams.copy()
    compared.diagrams.loc[ids, "geometry"] = [shapely.box(-74.15, 40.57, -74.14, 40.58)] * 3
    pairs = compared.conflicts()
    (area,) = set(pairs["area_ha"].round(6))
    assert len(pairs) == 3
    ((*_, conflicts, _),) = table(compared.to_html(), "The designs by what was asked")
    assert f"{area:,.1f}" in conflicts


def test_a_colour_may_be_a_name() -> None:
    pytest.importorskip("matplotlib")
    compared = comparison([diagram(1, feature(square(0, 0, 0.02)), sysid=1)], {"A": [1]})
    compared.systems["color"] = ["steelblue", "no colour"]
    page = compared.to_html()
    assert page.count('fill="#4682b4"') == 1 and 'fill="#7a8288"' in page


def test_what_is_not_known_is_said_where_the_figure_is() -> None:
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project"),
        diagram(2, sysid=1, type="project", description="Without a geometry"),
    ]
    page = comparison(diagrams, {"Both": [1, 2]}, Water={"cost": 100, "budget": 1e9, "target_ha": 1e6}).to_html()
    text = Links(page).texts
    assert "The cost of Both is not wholly known, as 1 diagram has none" in " ".join(text["summary"].split())
    assert "*" in text["money"] and "without diagrams whose cost is not known:  2" in text["money"]
    assert "? unknown" in text["meets"].replace("  ", " ")


def test_project_place_date_and_author_stand_below_any_title(demo: Any, four: str) -> None:
    text = Links(four).texts["summary"]
    assert "After round 3" in text and "Staten Island 2050 · Staten Island · as of" in text and "Ana López" in text
    assert f"{demo.read_at:%H:%M} UTC" in text


def test_a_report_of_an_archive_has_the_time_of_the_archive(tmp_path: Path) -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project("StatenIsland2050")
        project.archive(tmp_path / "staten.zip")
    compared = open_archive(tmp_path / "staten.zip").compare([[1001]])
    assert compared.read_at is not None
    assert f"as of {compared.read_at.day} {compared.read_at:%B %Y, %H:%M} UTC" in str(compared.to_html())


@pytest.mark.parametrize("text", SCRIPTS)
def test_titles_of_any_script_are_text(text: str) -> None:
    diagrams = [diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project", description=text)]
    page = comparison(diagrams, {text: [1], f"{text} 2": [1]}).to_html(title=text)
    assert page.count(text) > 10 and "data:image" not in page


@pytest.mark.slow
def test_many_designs_have_numbers_and_one_has_its_name(ten: str, one: str) -> None:
    page = Links(ten)
    assert "Designs: 1 Conservation – Design 1" in page.texts["meets"]
    assert all(text in page.texts["summary"] for text in ("10 Mobility", "1 Conservation"))
    assert "is about the design Conservation – Design 3" in one


def test_systems_are_told_apart_without_colour(demo: Any, four: str) -> None:
    patterns = dict(re.findall(r'<pattern id="(s\d+)".*?(?:d="(.*?)")?/?></pattern>', four))
    assert set(patterns) == {f"s{sysid}" for sysid in demo.systems.index}
    assert len(set(patterns.values())) == len(patterns)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_have_a_contrast_of_at_least_4_5(theme: str) -> None:
    colors = colors_of(theme)

    def luminance(color: str) -> float:
        parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    paper = luminance(colors["paper"])
    for name in ("ink", "quiet", "over"):
        light, dark = sorted((luminance(colors[name]), paper), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def test_each_first_page_is_one_page_on_paper_and_nothing_is_cut_on_a_phone(
    browser: Browser, demo: Any, four: str, ten: str, one: str, tmp_path: Path
) -> None:
    pages = {
        "four": four,
        "ten": ten,
        "one": one,
        "project": demo.to_html(scope="project", currency="USD", units="us"),
    }
    tab = browser.new_page()
    for name, page in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(page, encoding="utf-8")
        tab.goto(path.as_uri())
        tab.emulate_media(media="print")
        for paper, (width, height) in PAPER.items():
            tab.set_viewport_size({"width": width, "height": height})
            heights = tab.evaluate("[...document.querySelectorAll('.sheet')].map(e => e.scrollHeight)")
            assert len(heights) == 5 and max(heights) <= height, (name, paper, heights)
            wide = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
            assert tab.evaluate(wide) == 0, (name, paper)
        tab.emulate_media(media="screen")
        tab.set_viewport_size({"width": 375, "height": 800})
        wide = "[...document.querySelectorAll('main *')].filter(e => e.scrollWidth > e.clientWidth + 1 && "
        wide += "getComputedStyle(e).overflowX !== 'visible').length"
        assert tab.evaluate("document.documentElement.scrollWidth") <= 375, name
        assert tab.evaluate(wide) == 0, name


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPER)
def test_printed_pages_are_at_least_three_quarters_full(
    browser: Browser, four: str, ten: str, one: str, paper: str, tmp_path: Path
) -> None:
    for name, page in {"four": four, "ten": ten, "one": one}.items():
        # The document ends on its last page.
        *shares, _ = shares_filled(browser, page, tmp_path, format=paper)
        assert [place for place, share in enumerate(shares, 1) if share < 0.75] == [], name
