"""`Comparison.evolution()`: sets of the designs of each team, from one to the next."""

from typing import Any

import numpy as np
import pytest

from pygeodesign import InputError, Project


@pytest.fixture(scope="module")
def table(project: Project) -> Any:
    return project.compare(project.designs()).evolution()


def test_each_step_is_the_difference_of_two_designs(table: Any, project: Project) -> None:
    for team in project.teams():
        designs = project.designs(team)
        rows = table[table["team"] == team.title]
        before: set[int] = set()
        for design, (_, row) in zip(designs, rows.iterrows(), strict=True):
            now = set(design.diagram_ids())
            assert (set(row["added_ids"]), set(row["dropped_ids"])) == (now - before, before - now)
            assert (row["kept"], row["added"], row["dropped"]) == (
                len(now & before),
                len(now - before),
                len(before - now),
            )
            assert row["cost"] == pytest.approx(project.costs(diagrams=sorted(now)).total)
            before = now


def test_cost_changes_add_up_to_the_last_cost(table: Any) -> None:
    for _, rows in table.groupby("team"):
        assert np.isnan(rows["cost_change"].iloc[0])
        assert rows["cost"].iloc[0] + rows["cost_change"].sum() == pytest.approx(rows["cost"].iloc[-1])


def test_times_rise_within_a_team(table: Any) -> None:
    assert all(rows["saved_at"].is_monotonic_increasing for _, rows in table.groupby("team"))


def test_the_latest_designs_alone_show_no_evolution(project: Project) -> None:
    with pytest.raises(InputError, match=r"project\.compare\(project\.designs\(\)\)"):
        project.compare().evolution()


def test_lists_of_diagrams_have_no_team_and_are_left_out(project: Project) -> None:
    designs: dict[str, Any] = {design.title or "": design for design in project.designs("Mobility")}
    given: Any = {**designs, "By hand": [1001, 1002]}
    compared = project.compare(given)
    assert "By hand" not in compared.evolution()["design"].tolist()


def test_a_report_tells_it_on_request(project: Project) -> None:
    compared = project.compare(project.designs())
    asked = compared.to_html(sections={"evolution": {}})
    assert asked is not None and "How the designs came about" in asked
    assert "How the designs came about" not in (compared.to_html() or "")
