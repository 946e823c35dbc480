"""`Comparison.cash_flow()`: designs' costs and returns over the years, against an independent library and by hand."""

from typing import Any

import numpy as np
import numpy_financial
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from builders import diagram, feature, square
from comparisons import comparison
from pygeodesign import InputError, Project
from pygeodesign._planning.questions.cash_flow import rate_of_return

UNKNOWN: dict[str, Any] = {"area": 0, "length": 0, "flat_geobuf_url": "https://example.org/a.fgb"}


def built(number: int, start: int | None, end: int | None, cost: float | None = None, **fields: Any) -> Any:
    """A project that is built from the first day of one year to the last day of another one."""
    fields |= {"start_date": start and f"{start}-01-01", "end_date": end and f"{end}-12-31"}
    if cost is not None:
        fields |= {"cost_override": cost, "cost_override_type": "total"}
    return diagram(number, feature(square(number, 0, 0.01), **fields), **{"type": "project", **fields})


def test_revenue_begins_the_year_after_the_building_and_grows_from_the_first_year_on() -> None:
    compared = comparison([built(1, 2031, 2032, 1000.0 * 731), built(2, 2030, 2030, 1.0)], {"A": [1]})
    area = compared.diagrams["area_ha"][1]
    table = compared.cash_flow({"Water": 10}, {"Water": 4}, by="year", growth=0.1, rate=0.5, years=5)
    assert table["year"].tolist() == [2030, 2031, 2032, 2033, 2034]
    assert table["investment"].tolist() == pytest.approx([0, 365_000, 366_000, 0, 0])
    assert table["revenue"].tolist() == pytest.approx([0, 0, 0, 10 * area * 1.1**3, 10 * area * 1.1**4])
    assert table["operation"].tolist() == pytest.approx((0.4 * table["revenue"]).tolist())
    assert table["cash"].tolist() == pytest.approx(
        (table["revenue"] - table["operation"] - table["investment"]).tolist()
    )
    assert table["cumulative"].tolist() == pytest.approx(np.cumsum(table["cash"]).tolist())
    assert table["present_value"].tolist() == pytest.approx((table["cash"] / 1.5 ** np.arange(5)).tolist())
    assert table.attrs == {"growth": 0.1, "rate": 0.5, "years": 5, "base_year": 2030}


def test_the_case_for_paper_is_worth_what_the_document_says() -> None:
    area = comparison([built(1, 2030, 2030)]).diagrams["area_ha"][1]
    compared = comparison([built(1, 2030, 2030, 100 * area)], {"A": [1]})
    (row,) = compared.cash_flow({"Water": 70}, {"Water": 10}, by="design", rate=0.1, years=3).to_dict("records")
    assert row["npv"] == pytest.approx(area * (-100 + 60 / 1.1 + 60 / 1.21))
    # 100 = 60 x + 60 x², where x = 1 / (1 + irr).
    factor = (-60 + np.sqrt(60**2 + 4 * 60 * 100)) / 120
    assert row["irr"] == pytest.approx(1 / factor - 1) and row["payback_year"] == 2032


def test_the_present_values_and_returns_of_the_demo_are_those_of_another_library(project: Project) -> None:
    compared: Any = project.compare()
    options: dict[str, Any] = {"growth": 0.02, "rate": 0.04, "years": 40}
    given: Any = ({"Mixed use": 1.5e6, "High-density housing": 4e6}, {"High-density housing": 5e5})
    flows = compared.cash_flow(*given, by="year", **options)
    table = compared.cash_flow(*given, by="design", **options).set_index("design")
    by_system = compared.cash_flow(*given, **options)
    for label, row in table.iterrows():
        cash = flows.loc[flows["design"] == label, "cash"].to_numpy()
        assert row["npv"] == pytest.approx(numpy_financial.npv(0.04, cash))
        assert row["irr"] == pytest.approx(numpy_financial.irr(cash), abs=1e-9)
        assert by_system.loc[by_system["design"] == label, "npv"].sum() == pytest.approx(row["npv"])
        assert row["investment"] == pytest.approx(compared.diagrams.loc[compared.designs[label], "cost"].sum())
        assert flows.loc[flows["design"] == label, "present_value"].sum() == pytest.approx(row["npv"])


@settings(deadline=None, max_examples=100)
@given(spent=st.floats(1, 1e6), earned=st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_an_investment_that_is_earned_back_has_one_rate_of_return(spent: float, earned: list[float]) -> None:
    cash = np.array([-spent, *earned])
    rate = rate_of_return(cash)
    if np.isnan(rate):
        assert max(earned) < 1e-3 * spent
        return
    terms = cash * (1 + rate) ** -np.arange(len(cash), dtype=float)
    assert abs(terms.sum()) <= 1e-6 * np.abs(terms).sum()
    if sum(earned) > 1.001 * spent:
        assert rate > 0


def test_cash_that_changes_its_sign_more_than_once_has_no_rate_of_return() -> None:
    # 10 % and 20 % both make it worth nothing.
    assert np.isnan(rate_of_return(np.array([-100.0, 230, -132])))
    assert np.isnan(rate_of_return(np.array([-1.0, -1]))) and np.isnan(rate_of_return(np.array([0.0, 0])))
    # The sum of it changes once and ends above 0: one rate above 0.
    cash = np.array([-100.0, 150, -20, 30])
    assert rate_of_return(cash) == pytest.approx(numpy_financial.irr(cash), abs=1e-9)


def test_policies_and_systems_that_are_not_named_bring_nothing() -> None:
    diagrams = [built(1, 2030, 2030, 5.0, sysid=2), built(2, 2030, 2030, type="policy")]
    compared = comparison(diagrams, {"A": [1, 2]})
    table = compared.cash_flow({"Water": 10}, years=3)
    assert table["revenue"].tolist() == [0, 0] and table["investment"].tolist() == [0, 5]
    assert table["npv"].tolist() == [0, -5] and table["irr"].isna().all() and table["payback_year"].isna().all()


def test_what_is_not_known_makes_no_figure_up() -> None:
    external = diagram(2, type="project", start_date="2030-01-01", end_date="2030-12-31", **UNKNOWN)
    priced = external | {"id": 3, "cost_override": 5.0, "cost_override_type": "total"}
    compared = comparison([built(1, 2030, 2030, 1.0), external, priced], {"A": [1], "B": [1, 2], "C": [1, 3]})
    table = compared.cash_flow({"Water": 10}, by="design", years=3).set_index("design")
    assert table[["unpriced", "unmeasured"]].to_numpy().tolist() == [[0, 0], [1, 1], [0, 1]]
    assert table["npv"].isna().tolist() == table["irr"].isna().tolist() == [False, True, True]
    assert table["payback_year"].isna().tolist() == [False, True, True]
    assert table["investment"].tolist() == [1, 1, 6]
    # Where no hectare brings anything, none need be known.
    assert compared.cash_flow({"Housing": 10}, scope="C", by="design", years=3)["npv"].tolist() == pytest.approx([-6])


def test_diagrams_without_dates_are_left_out_and_counted_or_built_in_a_given_year() -> None:
    diagrams = [built(1, 2030, 2030, 1.0), built(2, None, None, 7.0), built(3, 2033, 2031, 20.0)]
    compared = comparison(diagrams, {"A": [1, 2, 3]})
    area = compared.diagrams["area_ha"]
    (left_out,) = compared.cash_flow({"Water": 10}, by="design", years=4).to_dict("records")
    assert (left_out["undated"], left_out["investment"]) == (2, 1)
    assert left_out["revenue"] == pytest.approx(30 * area[1])
    (every,) = compared.cash_flow({"Water": 10}, by="design", years=4, undated=2032).to_dict("records")
    assert (every["undated"], every["investment"]) == (0, 28)
    assert every["revenue"] == pytest.approx(30 * area[1] + 10 * (area[2] + area[3]))
    earlier = compared.cash_flow({"Water": 10}, by="year", years=4, undated=2029)
    assert earlier["year"].iloc[0] == 2029 and earlier["investment"].tolist() == [27, 1, 0, 0]
    with pytest.raises(InputError, match="no diagram has a start and an end date"):
        comparison([built(1, None, None)], {"A": [1]}).cash_flow({"Water": 1})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"revenue": 3}, "revenue must be a dict of yearly amounts per hectare"),
        ({"revenue": {"Mars": 1}}, "no system 'Mars'"),
        ({"operation": {"Water": -1}}, "operation of 'Water' is -1: give an amount, 0 or more"),
        ({"by": "month"}, 'by must be "system", "design" or "year", not \'month\''),
        ({"rate": 3}, "rate is 3: give a share per year"),
        ({"growth": -1}, "growth is -1: give a share per year"),
        ({"years": 0}, "years is 0: give a whole number from 1"),
        ({"years": 501}, "years is 501"),
        ({"undated": "soon"}, "undated is 'soon': give a calendar year"),
        ({"years": 3}, "years=3 ends with 2032, before diagram 2 is built: give years=4 or more"),
    ],
)
def test_what_is_no_cash_flow_is_refused(options: dict[str, Any], reason: str) -> None:
    compared = comparison([built(1, 2030, 2030), built(2, 2031, 2033)], {"A": [1, 2]})
    with pytest.raises(InputError, match=reason):
        compared.cash_flow(**{"revenue": {"Water": 1}, **options})


def test_figures_of_a_diagram_count_before_the_rates_of_its_system() -> None:
    figures = {"capex": "1200", "acf": "300", "opex": "50", "asga": 10, "acfg": "0.05", "wacc": "0.08", "fin_set": "1"}
    years = {"capex_start": "1", "capex_end": "4", "acf_start": "5"}
    diagrams = [
        built(1, 2030, 2030, 77.0, additional_metadata=figures | years),
        built(2, 2030, 2030, 1000.0),
        built(3, None, None, 77.0, additional_metadata=figures | years, type="policy"),
    ]
    compared = comparison(diagrams, {"Own": [1], "Both": [1, 2], "Undated": [3]})
    own = compared.cash_flow({"Water": 10}, by="year", years=12).set_index(["design", "year"]).loc["Own"]
    growing = 1.05 ** np.arange(12)
    # Built in the years 1 to 3; run from the year 4, with revenue from the year 6 on.
    investment = np.where((np.arange(12) >= 1) & (np.arange(12) < 4), 400.0, 0)
    assert own["investment"].tolist() == pytest.approx(investment.tolist())
    assert own["operation"].tolist() == pytest.approx((60 * growing * (np.arange(12) >= 4)).tolist())
    assert own["revenue"].tolist() == pytest.approx((300 * growing * (np.arange(12) > 5)).tolist())
    table = compared.cash_flow({"Water": 10}, by="design", years=12).set_index("design")
    assert table.loc["Own", "npv"] == pytest.approx(numpy_financial.npv(0.08, own["cash"].to_numpy()))
    assert table.loc["Own", "irr"] == pytest.approx(numpy_financial.irr(own["cash"].to_numpy()), abs=1e-9)
    other = np.where(np.arange(12) > 0, 10 * compared.diagrams["area_ha"][2], -1000.0)
    # Each diagram has its own discount rate.
    assert table.loc["Both", "npv"] == pytest.approx(table.loc["Own", "npv"] + numpy_financial.npv(0.03, other))
    assert table["own_figures"].tolist() == [1, 1, 1] and table["undated"].tolist() == [0, 0, 1]
    given_rate = compared.cash_flow({"Water": 10}, by="design", years=12, rate=0.01, growth=0)["npv"]
    flat = -investment - 60 * (np.arange(12) >= 4) + 300 * (np.arange(12) > 5)
    assert given_rate[0] == pytest.approx(numpy_financial.npv(0.01, flat))
    dated = compared.cash_flow(by="design", years=12, undated=2030).set_index("design")
    assert dated.loc["Undated", "cash"] == pytest.approx(dated.loc["Own", "cash"])
    without = compared.cash_flow({"Water": 10}, by="design", years=12, own_figures=False)
    assert without["investment"].tolist() == [77, 1077, 0] and without["own_figures"].tolist() == [0, 0, 0]


@settings(deadline=None, max_examples=20)
@given(
    given=st.lists(
        st.fixed_dictionaries(
            {"capex": st.integers(1, 10**6), "acf": st.integers(1, 10**5), "opex": st.integers(1, 10**4)},
            optional={
                "asga": st.integers(1, 10**4),
                "acfg": st.floats(-0.1, 0.2),
                "wacc": st.floats(0, 0.2).map(str),
                "capex_start": st.integers(2, 3),
                "capex_end": st.integers(4, 8),
                "acf_start": st.integers(1, 9).map(str),
            },
        ),
        min_size=1,
        max_size=4,
    ),
    starts=st.lists(st.integers(2030, 2034), min_size=4, max_size=4),
)
def test_figures_of_diagrams_are_worth_what_another_library_says(given: Any, starts: list[int]) -> None:
    diagrams = [
        built(number, start, start + 2, additional_metadata=figures)
        for number, (figures, start) in enumerate(zip(given, starts, strict=False), 1)
        # An end without a start, and a start that is not before it, are of the form or errors.
        if ("capex_start" in figures) == ("capex_end" in figures)
    ]
    if not diagrams:
        return
    designs = {str(made["id"]): [made["id"]] for made in diagrams} | {"All": [made["id"] for made in diagrams]}
    compared = comparison(diagrams, designs)
    table = compared.cash_flow(by="design", years=25).set_index("design")
    base, whole = table.attrs["base_year"], 0.0
    for made in diagrams:
        figures, cash = made["additional_metadata"], []
        start = int(made["start_date"][:4]) - base
        days = [365 + (year % 4 == 0) for year in range(base + start, base + start + 3)]
        first, stop = start + figures.get("capex_start", 0), start + figures.get("capex_end", 3)
        for year in range(25):
            amount = 0.0
            if first <= year < stop:
                share = 1 / (stop - first) if "capex_start" in figures else days[year - start] / sum(days)
                amount -= figures["capex"] * share
            growing = (1 + figures.get("acfg", 0)) ** year
            if year >= stop:
                amount -= (figures["opex"] + figures.get("asga", 0)) * growing
            if year > start + int(figures["acf_start"]) if "acf_start" in figures else year >= stop:
                amount += figures["acf"] * growing
            cash.append(amount)
        worth = numpy_financial.npv(float(figures.get("wacc", 0.03)), cash)
        assert table.loc[str(made["id"]), "npv"] == pytest.approx(worth, rel=1e-9, abs=1e-3)
        whole += worth
    assert table.loc["All", "npv"] == pytest.approx(whole, rel=1e-9, abs=1e-2)


def test_figures_that_nobody_set_are_none() -> None:
    form = {"capex": 0, "acf": "0", "opex": 0, "asga": 0, "capex_start": 0, "capex_end": 1, "acf_start": 0}
    diagrams = [
        built(1, 2030, 2032, 60.0, additional_metadata=form),
        built(2, 2030, 2032, 60.0, additional_metadata=form | {"fin_set": 1}),
        built(3, 2030, 2032, 60.0, additional_metadata={"capex": "", "acf": None, "lead": "acf"}),
    ]
    external = diagram(4, type="project", start_date="2030-01-01", end_date="2030-12-31", **UNKNOWN)
    external["additional_metadata"] = {"capex": 90, "acf": 30, "opex": 0, "asga": 1}
    compared = comparison([*diagrams, external], {"A": [1], "B": [2], "C": [3], "D": [4]})
    table = compared.cash_flow({"Water": 10}, by="design", years=6).set_index("design")
    area = compared.diagrams["area_ha"][1]
    assert table["own_figures"].tolist() == [0, 1, 0, 1]
    # Saved, a 0 is a 0; years that are those of the form leave it to the dates.
    assert table["investment"].tolist() == pytest.approx([60, 0, 60, 90])
    assert table["revenue"].tolist() == pytest.approx([30 * area, 0, 30 * area, 150])
    # A diagram with its own figures needs neither a cost nor an area.
    assert table[["unpriced", "unmeasured"]].to_numpy().sum() == 0 and table["operation"]["D"] == 5


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"capex": "much"}, "diagram 1 have capex 'much', which is not an amount of money, 0 or more"),
        ({"opex": -1}, "diagram 1 have opex -1"),
        ({"opex": 10**400}, "diagram 1 have opex inf"),
        ({"acf": True}, "diagram 1 have acf True"),
        ({"acfg": "5"}, "diagram 1 have acfg '5', which is not a share per year between -1 and 1, such as 0.05"),
        ({"wacc": 8}, "diagram 1 have wacc 8"),
        ({"acf_start": 1.5}, "diagram 1 have acf_start 1.5, which is not a whole number of years"),
        ({"capex_start": 3, "capex_end": 3}, "capex_start 3 and capex_end 3: the end, the year after the last"),
        ({"capex_start": 1, "capex_end": 40}, "years=30 ends with 2059, before diagram 1 is built: give years=40"),
    ],
)
def test_figures_of_diagrams_that_are_none_name_the_diagram(metadata: Any, reason: str) -> None:
    compared = comparison([built(1, 2030, 2030, 1.0, additional_metadata=metadata)], {"A": [1]})
    with pytest.raises(InputError, match=reason):
        compared.cash_flow()
    assert compared.cash_flow(own_figures=False, by="design")["investment"].tolist() == [1]


def test_designs_start_in_the_projects_first_year_and_the_picture_names_omissions() -> None:
    diagrams = [built(1, 2030, 2030, 1.0), built(2, 2032, 2032, 2.0), built(3, None, None, 4.0)]
    compared = comparison(diagrams, {"Early": [1], "Late": [2, 3], "Nothing": []})
    table = compared.cash_flow({}, by="year", years=5)
    assert table.groupby("design")["year"].min().eq(2030).all()
    pd.testing.assert_series_equal(
        compared.cash_flow({}, scope="Late", by="design", years=5)["npv"], pd.Series([-2 / 1.03**2], name="npv")
    )
    axes = compared.plot_cash_flow({"Water": 10}, years=5, theme="dark")
    titles = [panel.get_title("left").replace("\n", " ") for panel in axes.figure.axes]
    assert "Left out: 1 without dates" in titles[1] and "Left out" not in titles[0]
    plt.close("all")
