"""The scope of a result: every compared design, one of them, or all diagrams of the project."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from builders import collection, diagram, feature, square
from comparisons import comparison, with_maps
from pygeodesign import InputError, Project

QUESTIONS: dict[str, dict[str, Any]] = {
    "conflicts": {},
    "suitability": {},
    "impact": {"matrix": {"Water": {"Housing": -2}}},
    "targets": {},
    "schedule": {},
    "sensitivity": {},
    "quantities": {"per_hectare": {"carbon_t": {"Water": 12.5}}},
    "uncertainty": {"rates": {"Water": (5, 10, 30)}},
    "robustness": {"rates": {"Water": (0, 0, 0), "Housing": (0, 0, 0)}},
    "cash_flow": {"revenue": {"Water": 10}, "undated": 2031},
}
PICTURES = ("conflicts", "suitability", "impact", "schedule", "sensitivity", "uncertainty", "cash_flow")


@pytest.fixture
def compared() -> Any:
    """Two alternatives for the same place, and a diagram that is in no design."""
    dates: Any = {"start_date": "2030-01-01", "end_date": "2030-12-31"}
    shapes = [(1, 1, 0), (2, 2, 0.01), (3, 2, 0.015), (4, 1, 0.02)]
    diagrams = [
        diagram(number, feature(square(west, 0, 0.02), **dates), sysid=sysid, type="project", **dates)
        for number, sysid, west in shapes
    ]
    return comparison(diagrams, {"B": [1, 2], "A": [1, 3]})


@pytest.mark.parametrize("question", QUESTIONS)
def test_by_default_each_design_is_asked_about_one_after_another(compared: Any, question: str) -> None:
    def ask(scope: str | None = None) -> Any:
        options = QUESTIONS[question] | ({"scope": scope} if scope else {})
        frame = pd.DataFrame(getattr(compared, question)(**options))
        return frame.reset_index() if frame.index.names != [None] else frame

    def of_design(frame: Any, label: str) -> Any:
        return frame[frame["design"] == label].reset_index(drop=True)

    every = ask()
    assert every["design"].unique().tolist() == ["B", "A"]
    for label in ("A", "B"):
        pd.testing.assert_frame_equal(of_design(every, label), ask(label), check_like=True)
    assert "design" not in ask("project")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_comparison_without_a_design_says_how_to_ask_about_the_project(question: str) -> None:
    empty = comparison([diagram(1, feature(square(0, 0, 0.01)), type="project")], [])
    with pytest.raises(InputError, match='has no design: scope="project" asks about all diagrams'):
        getattr(empty, question)(**QUESTIONS[question])
    getattr(empty, question)(**QUESTIONS[question], scope="project")


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_unknown_scope_names_the_designs_that_there_are(compared: Any, question: str) -> None:
    with pytest.raises(InputError, match=r"""scope must be "designs", "project".* not 'C'; designs: 'B', 'A'"""):
        getattr(compared, question)(**QUESTIONS[question], scope="C")


@pytest.mark.parametrize("question", PICTURES)
def test_a_picture_shows_each_design(compared: Any, question: str) -> None:
    axes = getattr(compared, f"plot_{question}")(**QUESTIONS[question])
    titles = " ".join(panel.get_title("left") for panel in axes.figure.axes)
    assert "P: B" in titles and "P: A" in titles
    plt.close("all")


def test_conflicts_of_rival_proposals_are_those_of_the_project_only(compared: Any) -> None:
    """Nobody builds both, so their overlap is no conflict within a design."""
    pairs = compared.conflicts("diagrams")
    assert pairs[["design", "diagramid_a", "diagramid_b"]].to_numpy().tolist() == [["B", 1, 2], ["A", 1, 3]]
    assert len(compared.conflicts("diagrams", "project")) == 5


def test_conflicts_warn_of_the_diagrams_that_they_leave_out() -> None:
    external = {"area": 0, "length": 0, "flat_geobuf_url": "https://example.org/a.fgb"}
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02)), type="project"),
        diagram(2, feature(square(0, 0, 0.02)), sysid=2, type="project"),
        diagram(3, type="project", **external),
        diagram(4, type="project", **external),
    ]
    compared = comparison(diagrams, {"A": [1, 2, 3]}, Housing={"cost": None})
    with pytest.warns(UserWarning) as warned:
        pairs = compared.conflicts()
    assert [str(warning.message) for warning in warned] == [
        "conflicts() leaves out diagrams of unknown land: 3",
        "conflicts() leaves out diagrams of unknown cost from what is at stake: 2",
    ]
    assert pairs.attrs == {"without_geometry": [3], "unpriced": [2]}


def test_the_card_counts_what_is_met_missed_and_not_planned() -> None:
    diagrams = [diagram(1, feature(square(0, 0, 0.02)), type="project")]
    figures = {"budget": 1, "target_ha": 10, "current_ha": 0}
    card = comparison(diagrams, {"A": [1]}, Water={"cost": 10} | figures, Housing=figures)._repr_html_()
    assert "1 met, 1 nothing planned" in card and "1 missed, 1 nothing planned" in card
    assert "ha, summed" in card and "currency" not in card


def water(west: float, number: int, **fields: Any) -> Any:
    return diagram(number, feature(square(west, 0, 0.02), **fields), sysid=1, type="project", **fields)


def test_an_explanation_lists_the_diagrams_that_make_a_figure() -> None:
    """Two squares of Water share half of each, and half of the second is in the sea."""
    priced: Any = {"cost_override": 7, "cost_override_type": "total"}
    priced |= {"start_date": "2030-01-01", "end_date": "2031-01-01"}
    diagrams = [water(0, 1), water(0.01, 2, **priced), diagram(3, feature(square(0, 0, 0.02)), sysid=2), water(0, 4)]
    land = {"geojson": collection(feature(square(0, 0, 0.02))), "id": 0, "sysid": 0, "area": 1, "description": ""}
    compared = with_maps(diagrams, {"A": [1, 2, 3], "B": []}, **{"boundaries/": land})
    area, half = compared.diagrams["area_ha"][1], compared.diagrams["area_ha"][1] / 2
    rows = compared.explain("A", "Water")
    assert rows.index.tolist() == [1, 2] and rows["design"].tolist() == ["A", "A"]
    (figures,) = compared.targets("A").query("system == 'Water'").to_dict("records")
    assert rows["cost"].sum() == pytest.approx(figures["cost"])
    assert rows["area_ha"].sum() == pytest.approx(figures["area_ha"])
    assert rows["rate_source"].tolist() == ["system", "total"] and rows["overlaps"].tolist() == [[2, 3], [1, 3]]
    assert rows["overlap_ha"].tolist() == pytest.approx([area, half], rel=1e-6)
    assert rows["outside_ha"].tolist() == pytest.approx([0, half], rel=1e-6)
    assert rows["start_date"].isna().tolist() == [True, False]
    assert rows.attrs["land_ha"] == pytest.approx(3 * half, rel=1e-6)
    assert compared.explain("B").empty and len(compared.explain("project")) == 4
    with pytest.raises(InputError, match="no system 'Fire'"):
        compared.explain("A", "Fire")


@pytest.mark.slow
def test_a_cost_report_explains_its_figures_too(project: Project) -> None:
    team = project.teams()[0]["id"]
    design = project.designs(team)[-1]["id"]
    report, compared = project.costs(team=team, design=design), project.compare([(team, design)])
    (label,) = compared.designs
    expected = compared.explain(label, "Green infrastructure").drop(columns=["design", "team"])
    for boundaries in (project.study_area.boundaries(), compared.boundaries):
        pd.testing.assert_frame_equal(report.explain("Green infrastructure", boundaries=boundaries), expected)
    assert report.explain("Green infrastructure")["outside_ha"].isna().all()
    assert report.explain()["cost"].sum() == pytest.approx(report.total)
    with pytest.raises(InputError, match="boundaries is not a map with a CRS"):
        report.explain(boundaries=[1])
    with pytest.raises(InputError, match="no system 'Fire'"):
        report.explain("Fire")
