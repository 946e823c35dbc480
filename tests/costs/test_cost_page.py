"""`CostReport.to_html`: the report as a separate page, in hectares and kilometres or in acres and miles."""

import re
from pathlib import Path

import pandas as pd
import pytest

from builders import diagram, feature, line, square
from fake_service import FakeService
from parsed_html import BREAKING_OUT, HARMFUL, ParsedHtml
from pygeodesign import CostReport, InputError

# The international acre and mile.
SQUARE_METRES_PER_ACRE, METRES_PER_MILE = 4046.8564224, 1609.344
LAND, ROAD = square(10, 45, 0.1), line([10, 45], [10.5, 45.5])
SYSTEM = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": 100, "budget": 5000, "target_ha": 90_000}


def report(**system: object) -> CostReport:
    """Two diagrams of one system: land, and a road."""
    found = SYSTEM | system
    diagrams = [
        diagram(7, feature(LAND, areatype="project"), description="Rain garden"),
        diagram(8, feature(ROAD, areatype="project"), description="Road"),
    ]
    responses = {"systems/": [found], "systems/1/": found, "diagrams/all/": diagrams}
    with FakeService(responses) as service:
        return service.project().costs()


def page_of(costs: CostReport, **options: object) -> str:
    page = costs.to_html(**options)  # type: ignore[arg-type]
    assert isinstance(page, str)
    return page


def tables(page: str) -> list[pd.DataFrame]:
    """The tables as a browser shows them: first the systems, then the diagrams of each system."""
    rows = [re.findall(r"<tr>(.*?)</tr>", table) for table in re.findall(r"<table.*?</table>", page, re.DOTALL)]
    cells = [[re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table] for table in rows]
    return [pd.DataFrame(table[1:], columns=table[0]) for table in cells]


def number(text: str) -> float:
    return float(text.split()[0].replace(",", ""))


def test_the_page_has_each_diagram_with_its_id_its_rate_and_its_cost() -> None:
    costs = report()
    systems, diagrams = tables(page_of(costs))
    assert list(systems["system"]) == ["Water", "Total"]
    assert list(diagrams["id"]) == ["7", "8"]
    assert list(diagrams["diagram"]) == ["Rain garden", "Road"]
    assert list(diagrams["rate"]) == ["100 per ha", "100 per km"]
    for shown, row in zip(diagrams["cost"], costs.diagrams, strict=True):
        assert number(shown) == pytest.approx(row["cost"], abs=0.5)


def test_the_first_cell_of_each_row_and_each_heading_say_what_they_are_the_header_of() -> None:
    page = page_of(report())
    headers = re.findall(r"<th\b([^>]*)>(.*?)</th>", page)
    assert all(re.search(r' scope="(col|row)"', attributes) for attributes, _ in headers)
    assert [text for attributes, text in headers if 'scope="row"' in attributes] == ["Water", "Total", "7", "8"]


def test_metric_and_us_units_show_the_same_areas_lengths_and_rates() -> None:
    costs = report()
    land, road = costs.diagrams
    assert land["area_ha"] and road["length_km"] and costs.systems[0]["target_left_ha"]
    acres = 10_000 / SQUARE_METRES_PER_ACRE
    miles = 1000 / METRES_PER_MILE
    for units, area, length, per_area, per_length in (("metric", 1, 1, "ha", "km"), ("us", acres, miles, "acre", "mi")):
        page = page_of(costs, units=units)
        systems, diagrams = tables(page)
        unit = "ha" if units == "metric" else "acres"
        assert number(systems[f"area ({unit})"][0]) == pytest.approx(land["area_ha"] * area, abs=0.051)
        left = costs.systems[0]["target_left_ha"] * area
        assert number(systems[f"target left ({unit})"][0]) == pytest.approx(left, abs=0.051)
        assert number(diagrams[f"area ({unit})"][0]) == pytest.approx(land["area_ha"] * area, abs=0.051)
        assert number(diagrams[f"length ({per_length})"][1]) == pytest.approx(road["length_km"] * length, abs=0.051)
        assert diagrams["rate"][0] == f"{100 / area:.0f} per {per_area}"
        assert diagrams["rate"][1] == f"{100 / length:.0f} per {per_length}"
    assert list(tables(page_of(costs, units="us"))[1]["cost"]) == list(tables(page_of(costs))[1]["cost"])


def test_a_rate_below_1_is_not_0() -> None:
    assert list(tables(page_of(report(cost=0.4)))[1]["rate"]) == ["0.40 per ha", "0.40 per km"]


def test_the_data_and_the_notebook_stay_metric() -> None:
    costs = report()
    before = costs.systems, costs._repr_html_()
    costs.to_html(units="us")
    assert (costs.systems, costs._repr_html_()) == before
    assert "area (ha)" in costs._repr_html_()


def test_unknown_units_are_an_input_error() -> None:
    with pytest.raises(InputError, match=r'"metric" .* or "us" .*, not "imperial"'):
        report().to_html(units="imperial")  # type: ignore[arg-type]


def test_a_path_gets_the_page_and_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    costs = report()
    assert costs.to_html(tmp_path / "costs.html", title="Lisbon") is None
    assert (tmp_path / "costs.html").read_text(encoding="utf-8") == page_of(costs, title="Lisbon")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        costs.to_html(tmp_path / "nowhere" / "costs.html")


def test_the_page_mentions_double_counted_overlaps_no_currency_and_nothing_planned() -> None:
    with FakeService({"systems/": [SYSTEM], "systems/1/": SYSTEM, "diagrams/all/": []}) as service:
        costs = service.project().costs()
    page = page_of(costs)
    (systems,) = tables(page)
    assert (systems["budget"][0], systems["budget left"][0]) == ("5,000", "nothing planned")
    for text in (page, costs._repr_html_()):
        assert "summed over diagrams, policies included: two on the same land both count" in text
    assert page.count("No currency is set") == 1 and "No currency" not in page_of(costs, currency="EUR")


def test_the_page_names_title_and_currency_and_explains_its_words() -> None:
    text = ParsedHtml(page_of(report(), title="Lisbon 2040", currency="EUR", units="us")).text
    assert "Lisbon 2040" in text
    assert re.search(r"2 diagrams in all: [\d,]+ EUR", text)
    assert "What the words mean" in text and "4,046.8564224 square metres" in text


@pytest.mark.parametrize("text", [HARMFUL, BREAKING_OUT])
def test_the_page_loads_nothing_and_shows_text_of_a_service_as_text(text: str) -> None:
    page = page_of(report(name=text, color=text), title=text, currency=text)
    parsed = ParsedHtml(page)
    assert not parsed.tags & {"script", "img", "link", "iframe"}
    assert not parsed.attributes & {"src", "href", "onload"}
    assert "http-equiv" in parsed.attributes and "default-src 'none'" in page
    assert parsed.text.count(text) == 5


def test_a_report_without_diagrams_has_a_page() -> None:
    with FakeService({"systems/": [], "diagrams/all/": []}) as service:
        page = page_of(service.project().costs())
    assert "0 diagrams in all" in ParsedHtml(page).text
