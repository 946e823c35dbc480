"""`Comparison.schedule("project")`: costs and hectares are spread over the days of each diagram."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from builders import diagram, feature, square
from comparisons import comparison
from pictures import check_texts, figure_of
from pygeodesign import InputError, Project

UNKNOWN = {"area": 0, "length": 0, "flat_geobuf_url": "https://example.org/a.fgb"}


def total(id: int, cost: float, start: str | None, end: str | None) -> Any:
    """A diagram with this total cost that is built between the two dates."""
    fields = {"cost_override": cost, "cost_override_type": "total", "start_date": start, "end_date": end}
    return diagram(id, feature(square(id, 0, 0.01), **fields), type="project", **fields)


def test_costs_are_spread_evenly_over_the_days_including_the_last_one() -> None:
    table = comparison([total(1, 366, "2030-12-31", "2031-12-31")]).schedule("project")
    assert table.index.tolist() == [2030, 2031]
    assert table["cost"].tolist() == pytest.approx([1, 365])
    # 2032 is a leap year; a year between two diagrams costs nothing.
    table = comparison([total(1, 73.1, "2032-01-01", "2033-12-31"), total(2, 5, "2035-06-01", "2035-06-01")]).schedule(
        "project"
    )
    assert table["cost"].tolist() == pytest.approx([36.6, 36.5, 0, 5])
    assert table["diagrams"].tolist() == [1, 1, 0, 1]


def test_diagrams_without_dates_or_with_reversed_ones_have_a_row_without_a_year() -> None:
    diagrams = [total(1, 1, None, None), total(2, 10, "2030-01-01", None), total(3, 100, "2031-01-01", "2030-01-01")]
    table = comparison(diagrams).schedule("project")
    assert table.index.isna().tolist() == [True]
    assert table["cost"].tolist() == [111] and table["diagrams"].tolist() == [3]
    dated = comparison([*diagrams, total(4, 7, "2030-01-01", "2030-02-01")]).schedule(
        "project", rate=0.5, base_year=2029
    )
    assert dated["cost"].tolist() == [7, 111]
    assert dated["cost_share"].tolist() == pytest.approx([7 / 118, 111 / 118])
    assert dated["present_value"].iloc[0] == pytest.approx(7 / 1.5) and np.isnan(dated["present_value"].iloc[1])
    assert dated.attrs == {"net_present_value": pytest.approx(7 / 1.5), "rate": 0.5, "base_year": 2029}


def test_designs_have_years_of_their_own_and_one_base_year() -> None:
    diagrams = [
        total(1, 10, "2030-01-01", "2030-12-31"),
        total(2, 5, "2032-01-01", "2032-12-31"),
        total(3, 4, None, None),
    ]
    table = comparison(diagrams, {"Early": [1], "Late": [2, 3]}).schedule(rate=0.5)
    assert table.index.names == ["design", "year"]
    assert table.index.tolist() == [("Early", 2030), ("Late", 2032), ("Late", pd.NA)]
    assert table["present_value"].tolist() == pytest.approx([10, 5 / 1.5**2, np.nan], nan_ok=True)
    worth = {"Early": 10, "Late": pytest.approx(5 / 1.5**2)}
    assert table.attrs == {"net_present_value": worth, "rate": 0.5, "base_year": 2030}
    assert table.loc[("Late", pd.NA), "cost_share"] == pytest.approx(4 / 9)


def test_the_schedule_of_the_demo_is_the_sum_over_every_single_day(project: Project) -> None:
    compared: Any = project.compare()
    for scope in ("project", next(iter(compared.designs))):
        rows = compared.diagrams if scope == "project" else compared.diagrams.loc[compared.designs[scope]]
        years: dict[int, np.ndarray[Any, Any]] = {}
        for row in rows.itertuples():
            days = [day.year for day in pd.date_range(row.start_date, row.end_date)]
            for year in set(days):
                share = days.count(year) / len(days)
                years[year] = years.get(year, np.zeros(2)) + share * np.array([row.cost, row.area_ha])
        table = compared.schedule(scope, rate=0.03)
        value = table.attrs["net_present_value"]
        if scope != "project":
            table, value = table.loc[scope], value[scope]
        assert table.index.tolist() == sorted(years)
        assert table["cost"].tolist() == pytest.approx([years[year][0] for year in table.index], abs=1e-3)
        assert table["area_ha"].tolist() == pytest.approx([years[year][1] for year in table.index])
        worth = sum(cost / 1.03 ** (year - min(years)) for year, (cost, _) in years.items())
        assert value == pytest.approx(worth)


def test_what_costs_nobody_knows_what_is_counted_and_never_0() -> None:
    today = datetime.date(2030, 1, 1).isoformat()
    dates = {"start_date": today, "end_date": today}
    table = comparison([diagram(1, type="project", **UNKNOWN, **dates)]).schedule("project")
    assert np.isnan(table["cost"]).all() and np.isnan(table["area_ha"]).all()
    assert table["unpriced"].tolist() == table["unmeasured"].tolist() == [1]


@pytest.mark.parametrize("rate", [-1, 1, 3, float("nan"), float("inf")])
def test_rates_that_discount_nothing_are_refused(rate: float) -> None:
    with pytest.raises(InputError, match=f"rate is {rate}: give a share per year between -1 and 1: 0.03 for 3 %"):
        comparison([]).schedule("project", rate=rate)


def test_a_project_without_diagrams_has_an_empty_schedule() -> None:
    table = comparison([]).schedule("project", rate=0.03)
    assert table.empty and table.attrs["net_present_value"] == 0
    table = comparison([total(1, 1, "2030-01-01", "2030-12-31")], {"A": [], "B": [1]}).schedule(rate=0.03)
    assert table.index.tolist() == [("B", 2030)] and table.attrs["net_present_value"] == {"A": 0, "B": 1}
    plt.close(comparison([]).plot_schedule("project").get_figure())


def test_the_chart_has_a_bar_per_year_and_counts_what_has_no_dates() -> None:
    diagrams = [total(1, 10, "2030-01-01", "2031-12-31"), total(2, 5, None, None)]
    axes = comparison(diagrams).plot_schedule("project", theme="dark")
    # The bar of diagrams without dates is apart, since no year is known.
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([5, 5, 5])
    assert axes.patches[2].get_hatch() and axes.get_xticklabels()[-1].get_text() == "no dates"
    title = " ".join(axes.get_title("left").split())
    assert "The diagrams cost 15.0 in total; 1 diagram has no dates (33 % of the cost)" in title
    check_texts(figure_of(axes))
    plt.close("all")


@pytest.mark.parametrize("width", [4, 6, 12])
def test_the_texts_of_the_chart_fit_in_figures_of_any_width(project: Project, width: float) -> None:
    figure, axes = plt.subplots(figsize=(width, 4), layout="constrained")
    compared: Any = project.compare()
    compared.plot_schedule("project", ax=axes)
    check_texts(figure)
    plt.close("all")


def test_bars_stand_for_more_years_where_there_would_be_more_than_a_hundred() -> None:
    diagrams = [total(1, 10, "0001-01-01", "0001-12-31"), total(2, 5, "9999-01-01", "9999-12-31")]
    compared = comparison([*diagrams, total(3, 100, "2030-01-01", "2031-12-31")])
    table = compared.schedule("project")
    assert len(table) == 9999 and table["cost"].sum() == pytest.approx(115)
    assert table["cost"].loc[[1, 2030, 2031, 9999]].tolist() == pytest.approx([10, 50, 50, 5])
    axes = compared.plot_schedule("project")
    assert len(axes.patches) == 100 and axes.get_ylabel() == "cost per 100 years (bars)"
    assert [bar.get_height() for bar in axes.patches if bar.get_height()] == pytest.approx([10, 100, 5])
    check_texts(figure_of(axes))
    page = compared.to_html()
    assert "2000 to 2099" in page and "9900 to 9999" in page
    plt.close("all")


@pytest.mark.parametrize(("last", "years", "bars"), [(2129, 1, 100), (2130, 5, 21), (2999, 10, 97), (3030, 50, 21)])
def test_a_bar_is_the_fewest_years_of_which_a_hundred_are_enough(last: int, years: int, bars: int) -> None:
    axes = comparison([total(1, 1, "2030-01-01", f"{last}-12-31")]).plot_schedule("project")
    assert len(axes.patches) == bars
    assert axes.patches[0].get_width() == pytest.approx(0.72 * years)
    plt.close("all")


def test_a_rate_over_too_many_years_names_the_diagrams_with_the_first_and_last_date() -> None:
    diagrams = [total(1, 10, "2030-01-01", "2030-12-31"), total(2, 5, "9999-01-01", "9999-12-31")]
    with pytest.raises(InputError, match="check the dates of diagram 1 and 2"):
        comparison(diagrams).schedule("project", rate=-0.5)
