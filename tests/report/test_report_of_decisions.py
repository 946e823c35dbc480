"""`Comparison.to_html` with negotiation, exchanges and weighing: the figures are those of the results."""

import math
import re
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest

from chromium import chromium
from deciding import cells, project_of
from parsed_html import ParsedHtml
from pygeodesign import InputError, Project
from reports import Outline, table

# The cost of a diagram is not known, which the section on similarity says as well.
pytestmark = pytest.mark.filterwarnings("ignore:diagrams whose cost is not known")


@pytest.fixture
def compared() -> Any:
    """The case for deciding on paper; one diagram of it costs too much."""
    values = {
        "sysid": [1, 2, 2, 1, 1],
        "cost": [100, 400, 300, np.nan, 9000],
        "area_ha": [1, 2, 4, np.nan, 8],
        "title": ["<b>Park</b>", "Houses", "Tower", "Reef", "Reef"],
        "geometry": cells((0, 0), (0.5, 0), (3, 0), (5, 0), (7, 0)),
    }
    compared = project_of(values, {"A": [1, 3], "B": [2, 3, 5], "C": [2, 4]})
    compared.systems["color"] = "#008000"
    return compared


def test_the_negotiated_design_stands_in_the_report_with_what_each_design_gives_up(compared: Any) -> None:
    result = compared.negotiate(budget=1000)
    page = str(compared.to_html(sections={"negotiate": result}, currency="<USD>"))
    assert table(page, "What each design gives up") == [
        ["A", "1", "1 of 2", "1.0", "100", "1"],
        ["B", "1", "2 of 3", "8.0", "9,000", "5"],
        ["C", "1", "1 of 2", "not known", "not known", "4"],
    ]
    rows = table(page, "Why diagrams of the designs are not chosen")
    assert [row[0] for row in rows] == ["1", "4", "5"]
    assert [row[2:] for row in rows] == [["1", "conflict", "2"], ["1", "cost not known", ""], ["1", "budget", ""]]
    assert rows[0][1] == "&lt;b&gt;Park&lt;/b&gt;" and "<USD>" not in page
    text = ParsedHtml(page).text
    assert (
        "2 diagrams for 700 <USD> of 1,000 <USD> have the support 4 of 7, which is proven to be the most: 2, 3." in text
    )
    assert "Not chosen, as their cost is not known: 4." in text


def test_exchanges_and_choices_stand_in_the_report_when_asked_for(compared: Any) -> None:
    front = compared.pareto(targets={"Water": 16, "Housing": 4})
    page = str(compared.to_html(sections={"pareto": front, "swaps": {"most": 1}, "alliances": {}}, units="metric"))
    swaps = compared.swaps(1)
    assert [row[1:3] for row in table(page, "The exchanges that gain most agreement")] == [
        ["none" if np.isnan(number) else str(int(number)) for number in pair]
        for pair in swaps[["give_up", "take_up"]].astype(float).to_numpy().tolist()
    ]
    assert [[*row[:4], row[6]] for row in table(page, "Who could sign together")] == [
        ["B", "C", "100.0 %", "0", "2"],
        ["A", "B", "80.0 %", "1", "3"],
        ["A", "C", "75.0 %", "1", "none"],
    ]
    rows = table(page, "Choices by cost and shortfall")
    assert [int(row[1].replace(",", "")) for row in rows] == front.points["cost"].tolist()
    assert rows[front.knee][0] == f"{front.knee + 1}, the knee" and {row[4] for row in rows} == {"exact"}
    assert "Never chosen, as a figure of them is not known: 4." in ParsedHtml(page).text
    outline = Outline(page)
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)
    plain = str(compared.to_html())
    assert not any(f'id="{key}"' in plain for key in ("negotiate", "swaps", "alliances", "pareto"))


def bars_of(page: str, section: str, kind: str = "bar") -> list[float]:
    """The heights of the bars of the pictures of a section."""
    (part,) = re.findall(rf'<section class="proof"[^>]*id="{section}">.*?</section>', page, re.DOTALL)
    return [float(height) for height in re.findall(rf'<rect class="{kind}"[^>]* height="([\d.]+)"', part)]


def test_cash_flows_and_what_land_gains_stand_in_the_report_with_a_bar_for_each_year(compared: Any) -> None:
    dates = {"start_date": pd.Timestamp("2030-01-01"), "end_date": pd.Timestamp("2030-12-31")}
    compared.diagrams = compared.diagrams.assign(**dates)
    compared.diagrams.loc[4, "end_date"] = pd.NaT
    cash: dict[str, Any] = {"revenue": {"Housing": 90}, "years": 6, "rate": 0.1}
    farm = geopandas.GeoDataFrame({"use": ["farm", "<wood>"]}, geometry=cells((0, 0), (3, 0)), crs=4326)
    land: dict[str, Any] = {"before": {"farm": 2}, "after": {"Water": 5, "Housing": 1}, "given_in": "t C"}
    land |= {"land_use": farm, "column": "use", "years": 6}
    page = str(compared.to_html(sections={"cash_flow": cash, "stock_change": land}, currency="<USD>"))
    by_system, whole = (compared.cash_flow(**cash, by=by) for by in ("system", "design"))
    rows = table(page, "A: what it costs and brings")
    assert [row[1] for row in rows] == ["100", "300", "400"] and rows[1][2] == f"{4 * 90 * 5:,}"
    assert rows[-1][5] == f"{round(whole['npv'][0]):,}" and rows[1][6] == f"{100 * by_system['irr'][1]:.1f} %"
    assert "Left out, Water: 1 diagram without dates, 1 diagram without a cost." in ParsedHtml(page).text
    assert "Left out, Water: 1 diagram without dates." in ParsedHtml(page).text
    # Three designs, with an investment in the first year, and five years of revenue.
    assert (
        'id="cash_flow"' in compared.to_html(sections={"cash_flow": {}}) and 'id="cash_flow"' not in compared.to_html()
    )
    assert len(bars_of(page, "cash_flow", "collision")) == 3 and len(bars_of(page, "cash_flow")) == 15
    of_land = compared.stock_change(**land, by="design")
    gains = [table(page, f"{label}: what its land gains")[-1] for label in "ABC"]
    assert [row[6] for row in gains] == [f"{round(gain):,}" for gain in of_land["gain"]]
    assert [row[2] for row in gains] == [f"{area:,.1f}" for area in of_land["unknown_ha"]]
    text = ParsedHtml(page).text
    assert "Uses of the map without an amount: <wood>." in text and "<wood>" not in page and "<USD>" not in page
    assert "amounts are in t CO₂e" in text


@pytest.mark.slow
def test_the_sections_on_decisions_have_room_on_paper_and_on_a_phone(project: Project, tmp_path: Path) -> None:
    compared: Any = project.compare()
    criteria = compared.targets().groupby("design").agg({"cost": "sum", "missing_ha": "sum"})
    cash: Any = {"revenue": {"Mixed use": 1.5e6, "High-density housing": 4e6}, "years": 40}
    land: Any = {"before": {"red": 120, "green": 45}, "after": {"Green infrastructure": 110}, "given_in": "t C"}
    path = tmp_path / "report.html"
    compared.to_html(
        path,
        currency="USD",
        sections={
            "negotiate": {"budget": 3e9},
            "swaps": {"most": 1},
            "alliances": {},
            "uncertainty": {"rates": {"Water": (0.9e6, 1.2e6, 2.1e6)}},
            "cash_flow": cash,
            "stock_change": land | {"land_use": "Green infrastructure"},
            "weighing": {"criteria": criteria, "best": {"cost": "min", "missing_ha": "min"}},
        },
    )
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": 390, "height": 900})
        tab.goto(path.as_uri())
        too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert tab.evaluate(too_wide) == 0
        # A4 without its margins.
        tab.emulate_media(media="print")
        tab.set_viewport_size({"width": 680, "height": 1009})
        assert tab.evaluate(too_wide) == 0
        assert tab.evaluate("[...document.querySelectorAll('.wide')].every(e => e.scrollWidth <= e.clientWidth + 1)")


def test_criteria_stand_in_the_report_with_the_ranks_of_all_teams(compared: Any) -> None:
    criteria = pd.DataFrame({"cost": [3, 2, 1], "green": [1, 2, 2]}, index=list("ABC"))
    given: Any = {"criteria": criteria, "best": {"cost": "min", "green": "max"}}
    given["weights"] = {"<Ana>": {"cost": 1}, "Bo": {"green": 1}}
    page = str(compared.to_html(sections={"weighing": given}))
    assert table(page, "Designs under all weights") == [
        ["A", "0.0 %", "0.0 %", "100.0 %", "3", "3"],
        ["B", "0.0 %", "100.0 %", "0.0 %", "2", "1"],
        ["C", "100.0 %", "0.0 %", "0.0 %", "1", "1"],
    ]
    frame = compared.weighing(**given)
    assert (
        f"Kendall's W of these rankings, from 0 (no agreement) to 1, is {frame.attrs['kendalls_w']:.2f}"
        in ParsedHtml(page).text
    )
    assert "<Ana>" not in page and "first in 100 %" in page


def test_each_picture_of_a_decision_says_in_words_what_it_shows(compared: Any) -> None:
    front = compared.pareto(targets={"Water": 16, "Housing": 4})
    page = str(compared.to_html(sections={"negotiate": {}, "pareto": front, "swaps": {"most": 1}, "alliances": {}}))
    words = re.findall(r'role="img" aria-label="([^"]*)"', page)
    count = len(compared.negotiate().chosen)
    for said in (
        f"Map of the {count} diagrams of the negotiated design",
        "A keeps 1 of 2",
        "B, C could keep 100.0 %",
        f"Choices by cost and shortfall: {len(front.points)} points",
    ):
        assert any(said in text for text in words), said


def test_designs_that_are_alone_or_equal_have_no_exchange_in_the_report(compared: Any) -> None:
    compared.designs = {"A": [1], "B": [1]}
    assert "No exchange of one diagram brings a design nearer" in compared.to_html(sections={"swaps": {"most": 2}})
    compared.designs = {"A": [1]}
    text = compared.to_html(sections={"swaps": {"most": 2}, "alliances": {}})
    assert "there is nothing to exchange" in text and "there is nobody to sign with" in text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"negotiate": True}, r"negotiate is True: give a dict of the arguments of negotiate\(\), or what negotiate"),
        ({"pareto": "cost"}, r"pareto is 'cost': give a dict of the arguments of pareto\(\), or what pareto\(\) ret"),
        ({"swaps": {"most": -1}}, "most is -1"),
        ({"swaps": {"most": math.nan}}, "most is nan"),
        ({"sensitivity": {"percent": "much"}}, "percent must be more than 0 and at most 100, not 'much'"),
        ({"swap": {}}, "sections has 'swap', which is not a section; sections: conflicts, schedule"),
        (
            {"conflicts": {"by": "diagrams"}},
            r"conflicts has 'by', .* of conflicts\(\) here: compatible",
        ),
        ({"cash_flow": 3}, r"cash_flow is 3: give a dict of the arguments of cash_flow\(\): revenue"),
        ({"cash_flow": {"rent": 3}}, "cash_flow has 'rent', which is not an argument of cash_flow"),
        ({"cash_flow": {"revenue": {}, "by": "year"}}, "cash_flow has 'by', which is not an argument"),
        ({"stock_change": {"before": {"a": 1}}}, "stock_change cannot be asked: missing a required argument: 'after'"),
        ({"weighing": {"criteria": 3, "best": {}}}, "best must be a dict"),
    ],
)
def test_what_is_no_answer_is_refused(compared: Any, given: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compared.to_html(sections=given)


def test_an_argument_of_an_earlier_version_is_refused_with_how_it_is_written_now(compared: Any) -> None:
    with pytest.raises(InputError, match=r'no argument .budget. any more: write sections=\{"optimum": \{"budget"'):
        compared.to_html(budget=5e9)
    with pytest.raises(TypeError, match=r"to_html\(\) has no argument 'buget'; its arguments are path, title"):
        compared.to_html(buget=5e9)
