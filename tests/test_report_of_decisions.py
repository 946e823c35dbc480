"""`Comparison.to_html` with what was negotiated, exchanged and weighed: the figures are those of the answers."""

import math
from typing import Any

import numpy as np
import pytest

from deciding import cells, project_of
from pygeodesign import InputError
from test_notebook_card import ParsedHtml
from test_report import Outline, table

# The cost of a diagram is not known, which the section on similarity says as well.
pytestmark = pytest.mark.filterwarnings("ignore:diagrams whose cost is not known")


@pytest.fixture
def compared() -> Any:
    """The case for deciding on paper, of which one diagram costs too much."""
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
    page = str(compared.to_html(negotiation=result, currency="<USD>"))
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
    page = str(compared.to_html(front=front, swaps=1, alliances=True, units="metric"))
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
    assert not any(f'id="{key}"' in plain for key in ("negotiation", "swaps", "alliances", "front"))


def test_designs_that_are_alone_or_equal_have_no_exchange_in_the_report(compared: Any) -> None:
    compared.designs = {"A": [1], "B": [1]}
    assert "No exchange of one diagram brings a design nearer" in compared.to_html(swaps=2)
    compared.designs = {"A": [1]}
    text = compared.to_html(swaps=2, alliances=True)
    assert "there is nothing to exchange" in text and "there is nobody to sign with" in text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"negotiation": True}, r"negotiation is True: give what negotiate\(\) returned"),
        ({"front": "cost"}, r"front is 'cost': give what pareto\(\) returned"),
        ({"swaps": -1}, "swaps is -1: give a number of exchanges"),
        ({"swaps": math.nan}, "swaps is nan"),
    ],
)
def test_what_is_no_answer_is_refused(compared: Any, given: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compared.to_html(**given)
