"""`Comparison.sensitivity()`: costs at other rates equal those of a project with these rates."""

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

from builders import diagram, feature, line, square
from comparisons import comparison
from demo import demo_sandbox
from pictures import check_texts, figure_of
from pygeodesign import InputError, Project


@pytest.mark.parametrize("percent", [-20, 35])
def test_a_service_with_another_rate_has_the_costs_that_were_foretold(percent: int) -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project("StatenIsland2050")
        foretold: Any = project.compare().sensitivity(abs(percent), "project")
        for row in foretold.reset_index().itertuples():
            project.system(row.sysid).edit(cost=row.rate * (1 + percent / 100))
        column = "high" if percent > 0 else "low"
        assert foretold[column].tolist() == pytest.approx([system["cost"] for system in project.costs().systems])


def test_at_the_percent_that_breaks_the_budget_the_cost_is_the_budget(project: Project) -> None:
    for scope in ("project", *(compared := project.compare()).designs):
        table = compared.sensitivity(scope=scope)
        known = table[table["breaks_budget_at"].notna()]
        assert (known["cost"] + known["by_rate"] * known["breaks_budget_at"] / 100).tolist() == pytest.approx(
            known["budget"].tolist()
        )


def test_overrides_and_policies_do_not_follow_the_rate_of_their_system() -> None:
    diagrams = [
        diagram(1, feature(square(0, 0, 0.01)), type="project"),
        diagram(2, feature(square(1, 0, 0.01)), type="policy"),
        diagram(3, feature(square(2, 0, 0.01)), type="project", cost_override=7, cost_override_type="total"),
        diagram(4, feature(square(3, 0, 0.01)), type="project", cost_override=3),
        diagram(5, feature(line([0, 0], [0.1, 0])), type="project"),
        diagram(6, area=0, length=0, flat_geobuf_url="https://example.org/a.fgb", type="project"),
    ]
    compared = comparison(diagrams, [[1, 3]], Water={"budget": 8})
    table = compared.sensitivity(50, "project")
    cost = compared.diagrams["cost"]
    assert table.loc[1, "by_rate"] == pytest.approx(cost[1] + cost[5])
    assert table.loc[1, "high"] == pytest.approx(1.5 * cost[1] + cost[3] + cost[4] + 1.5 * cost[5])
    assert table["unpriced"].tolist() == [1, 0] and table["cost"].sum() == pytest.approx(cost.sum())
    # 7 of the budget pay for diagrams with their own price, so that 1 is left for the first diagram.
    in_design = compared.sensitivity(50, "Design 1")
    assert in_design.loc[1, "breaks_budget_at"] == pytest.approx(100 * (1 / cost[1] - 1))
    assert np.isnan(in_design.loc[2, "breaks_budget_at"])
    assert np.isnan(comparison(diagrams, Water={"budget": 6}).sensitivity(scope="project").loc[1, "breaks_budget_at"])


@pytest.mark.parametrize("percent", [-20, 0, 101, float("nan")])
def test_percents_that_are_no_change_of_a_rate_are_refused(percent: float) -> None:
    with pytest.raises(InputError, match=f"percent must be more than 0 and at most 100, not {percent}"):
        comparison([]).sensitivity(percent)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chart_has_the_largest_change_at_the_top(project: Project, theme: Any) -> None:
    compared: Any = project.compare()
    axes = compared.plot_sensitivity(20, "project", theme=theme)
    table = compared.sensitivity(20, "project").sort_values("change", ascending=False)
    assert [bar.get_width() for bar in axes.patches] == pytest.approx((table["high"] - table["low"]).tolist())
    assert [label.get_text() for label in axes.get_yticklabels()] == table["system"].tolist()
    check_texts(figure_of(axes))
    plt.close("all")


@pytest.mark.parametrize("width", [4, 6, 12])
def test_the_texts_of_the_chart_fit_in_figures_of_any_width(project: Project, width: float) -> None:
    figure, axes = plt.subplots(figsize=(width, 5), layout="constrained")
    compared: Any = project.compare()
    compared.plot_sensitivity(30, "project", ax=axes)
    check_texts(figure)
    plt.close("all")
