"""`Comparison.targets()`: the targets and budgets that designs meet. The figures are those of the cost report."""

import numpy as np
import pandas as pd
import pytest

from builders import collection, diagram, feature, line, square
from comparisons import comparison, with_maps
from pygeodesign import InputError, Project


def test_the_figures_of_each_design_are_those_of_its_cost_report(project: Project) -> None:
    saved = [(team["id"], design["id"]) for team in project.teams() for design in project.designs(team["id"])]
    table = project.compare(saved).targets()
    assert len(table) == 9 * len(saved)
    for (team, design), (_, rows) in zip(saved, table.groupby("design", sort=False), strict=True):
        report = project.costs(team=team, design=design)
        for row, system in zip(rows.itertuples(), report.systems, strict=True):
            assert row.sysid == system["sysid"] and row.system == system["name"]
            assert row.diagrams == system["diagrams"] and row.unpriced == system["unpriced"] == 0
            assert row.area_ha == pytest.approx(system["area_ha"], rel=1e-12)
            assert row.cost == pytest.approx(system["cost"], rel=1e-12)
            assert row.missing_ha == pytest.approx(system["target_left_ha"], abs=1e-9)
            assert row.area_met == system["target_met"]
            assert system["budget_met"] == (None if row.budget_met is pd.NA else row.budget_met)
            left = system["budget_left"]
            assert left is not None
            assert row.over_budget == pytest.approx(max(0, -left), abs=1e-6)
            # Without a diagram, a budget is not met: nothing is planned.
            assert row.budget_status == ("nothing planned" if row.diagrams == 0 else "met" if left >= 0 else "missed")
            assert row.budget_met is pd.NA if row.diagrams == 0 else row.budget_met == (left >= 0)


def test_the_targets_of_all_diagrams_are_those_of_the_cost_report_of_the_project(project: Project) -> None:
    table, report = project.compare().targets("project"), project.costs()
    assert "design" not in table
    assert table["missing_ha"].tolist() == pytest.approx([system["target_left_ha"] for system in report.systems])


def test_what_is_not_known_is_counted_and_no_target_or_budget_is_met_by_it() -> None:
    unknown = diagram(2, area=0, length=0, flat_geobuf_url="https://example.org/a.fgb", sysid=2)
    diagrams = [diagram(1, feature(square(0, 0, 0.01)), type="project"), unknown]
    figures = {"budget": 1e6, "target_ha": 500, "current_ha": 10}
    compared = comparison(diagrams, {"A": [1, 2], "B": [1]}, Water=figures, Housing=figures)
    table = compared.targets()
    water, housing, _, no_housing = table.to_dict("records")
    assert water["missing_ha"] == pytest.approx(500 - 10 - water["area_ha"]) and not water["area_met"]
    assert water["budget_met"] and water["cost"] == pytest.approx(10 * water["area_ha"])
    assert np.isnan(housing["cost"]) and np.isnan(housing["area_ha"])
    assert (housing["unpriced"], housing["unmeasured"], housing["diagrams"]) == (1, 1, 1)
    assert pd.isna([housing["budget_met"], housing["area_met"]]).all()
    assert (housing["budget_status"], housing["area_status"]) == ("not known", "not known")
    of_report = compared.costs.systems[1]
    assert (of_report["budget_met"], of_report["target_met"]) == (None, None)
    assert (no_housing["cost"], no_housing["missing_ha"]) == (0, 490) and pd.isna(no_housing["budget_met"])
    assert (no_housing["budget_status"], no_housing["area_status"]) == ("nothing planned", "nothing planned")


def test_a_system_without_target_and_budget_has_none_to_meet() -> None:
    (row, _) = comparison([diagram(1, feature(line([0, 0], [1, 0])))], [[1]]).targets("Design 1").to_dict("records")
    assert np.isnan([row["target_ha"], row["missing_ha"], row["budget"], row["over_budget"]]).all()
    assert pd.isna([row["area_met"], row["budget_met"]]).all() and row["cost"] > 0
    assert (row["area_status"], row["budget_status"]) == ("none", "none")


def test_a_target_that_todays_area_meets_is_met_with_nothing_planned() -> None:
    table = comparison([], {"A": []}, Water={"target_ha": 10, "current_ha": 12, "budget": 5}).targets()
    assert table.loc[0, ["area_status", "budget_status"]].tolist() == ["met", "nothing planned"]
    assert table.loc[0, "area_met"] and pd.isna(table.loc[0, "budget_met"])


def test_without_policies_a_design_is_beside_projects_alone(project: Project) -> None:
    compared = project.compare()
    everything, projects = compared.targets(), compared.targets(policies=False)
    assert (projects["area_ha"] <= everything["area_ha"]).all() and (
        projects["diagrams"] <= everything["diagrams"]
    ).all()
    chosen = compared.diagrams.loc[compared.designs[projects["design"][0]]]
    of_water = chosen[(chosen["kind"] != "policy") & (chosen["sysid"] == projects["sysid"][0])]
    assert projects["area_ha"][0] == pytest.approx(of_water["area_ha"].sum())
    assert (projects["area_status"] == "met").sum() < (everything["area_status"] == "met").sum()


def test_what_lies_outside_the_study_area_is_said_beside_the_area_that_counts() -> None:
    # The second diagram is half outside, the third wholly.
    corners = ((0, 0), (0.01, 0), (0.05, 0))
    diagrams = [
        diagram(number, feature(square(*corner, 0.02)), type="project") for number, corner in enumerate(corners, 1)
    ]
    boundary = {"geojson": collection(feature(square(0, 0, 0.02))), "id": 0, "sysid": 0, "area": 1, "description": ""}
    table = with_maps(diagrams, {"A": [1, 2], "B": [1, 2, 3]}, **{"boundaries/": boundary}).targets()
    by_design = table[table["system"] == "Water"].set_index("design")
    one = by_design.loc["A", "area_ha"] / 2
    assert by_design["outside_ha"].to_dict() == pytest.approx({"A": one / 2, "B": one * 1.5}, rel=1e-9)
    assert table[table["system"] == "Housing"]["outside_ha"].tolist() == [0, 0]


def test_without_boundaries_nobody_knows_what_lies_outside_the_study_area() -> None:
    table = comparison([diagram(1, feature(square(0, 0, 0.01)))], {"A": [1]}).targets()
    assert table["outside_ha"].isna().all()


def test_targets_of_an_unknown_design_are_refused(project: Project) -> None:
    with pytest.raises(InputError, match='scope must be "designs", "project" or the label of a design, not'):
        project.compare().targets("Mars")
