"""The service's costs of land inside the study area: `GET …/costs/?land=inside`."""

import random
from typing import Any

import pytest

from any_costs import assert_same, fill
from builders import collection, feature, line, square
from small_project import GREEN, MEMBER, WATER, Workshop

INSIDE, OUTSIDE = square(-9.15, 38.72, 0.01), square(-9.155, 38.72, 0.01)


@pytest.fixture
def filled(workshop: Workshop) -> Workshop:
    """Squares, lines and files around a study area in their middle."""
    ids = fill(workshop, random.Random(4))
    workshop.project.study_area.set_boundaries(collection(feature(square(-9.18, 38.71, 0.05), bname="Bay")), "A source")
    workshop.project.member(MEMBER).set_selection(ids[::2])
    return workshop


def test_the_figures_are_those_of_the_report_on_land_inside(filled: Workshop) -> None:
    project = filled.project
    team = project.add_team("Shore").id
    design = project.team(team).save("Half", [row["diagramid"] for row in project.costs().diagrams][::3])["id"]
    choices: dict[str, Any] = {
        "costs/": {},
        f"members/{MEMBER}/costs/": {"member": MEMBER},
        f"cteams/{team}/{design}/costs/": {"team": team, "design": design},
    }
    for path, choice in choices.items():
        figures = filled.send("GET", f"{path}?land=inside").json()
        report = project.costs(**choice, land="inside")
        assert_same(figures, report)
        assert figures["land"] == "inside" and 0 < figures["total"] <= project.costs(**choice).total
    notes = [row["outside_note"] for row in filled.send("GET", "costs/?land=inside").json()["diagrams"]]
    assert any("not counted" in str(note) for note in notes)


def test_all_land_counts_unless_the_request_says_otherwise(filled: Workshop) -> None:
    plain = filled.send("GET", "costs/").json()
    assert filled.send("GET", "costs/?land=all").json() == plain
    assert filled.send("GET", "costs/?land=inside").json()["total"] < plain["total"]
    assert filled.send("GET", "costs/?land=outside").status_code == 400
    assert "land" not in plain and "outside_ha" not in plain["diagrams"][0]


def test_without_boundaries_the_service_says_what_to_do(workshop: Workshop) -> None:
    refused = workshop.send("GET", "costs/?land=inside")
    assert refused.status_code == 400
    assert "the project has no boundaries" in refused.text and "or count all land" in refused.text
    drawing = {"geometry": collection(feature(INSIDE)), "land": "inside"}
    refused = workshop.send("POST", f"systems/{WATER}/preview/", drawing)
    assert (refused.status_code, "the project has no boundaries" in refused.text) == (400, True)


@pytest.mark.parametrize("query", ["land=outside", "land=", "land=all&land=inside"])
def test_other_land_is_refused(workshop: Workshop, query: str) -> None:
    refused = workshop.send("GET", f"costs/?{query}")
    assert (refused.status_code, "land must be all or inside" in refused.text) == (400, True)


def test_an_answer_is_read_again_after_the_study_area_changed(filled: Workshop) -> None:
    before = filled.send("GET", "costs/?land=inside").json()["total"]
    filled.project.study_area.set_boundaries(collection(feature(square(-9.19, 38.70, 0.08), bname="Bay")), "A source")
    after = filled.send("GET", "costs/?land=inside").json()["total"]
    assert after == filled.project.costs(land="inside").total > before


@pytest.mark.parametrize("shape", [OUTSIDE, line([-9.155, 38.725], [-9.145, 38.725])], ids=["area", "line"])
def test_a_preview_of_land_inside_has_the_figures_of_the_diagram(workshop: Workshop, shape: Any) -> None:
    project = workshop.project
    project.study_area.set_boundaries(collection(feature(INSIDE, bname="Bay")), "A source")
    preview: Any = project.preview(GREEN, shape, land="inside")
    added = project.add_diagram(GREEN, shape, title="Half", outside="allow").id
    (row,) = project.costs(diagrams=[added], land="inside").diagrams
    for name in ("area_ha", "length_km", "rate", "cost", "outside_ha", "outside_km"):
        assert preview[name] == pytest.approx(row[name], rel=1e-12), name
    assert preview["outside_note"] == row["outside_note"] and "not counted" in preview["outside_note"]
    assert preview["share_outside"] == pytest.approx(0.5, rel=1e-6)
    assert "outside_ha" not in project.preview(GREEN, shape)


def test_a_preview_counts_classes_and_conflicts_inside_only(workshop: Workshop) -> None:
    project = workshop.project
    project.study_area.set_boundaries(collection(feature(INSIDE, bname="Bay")), "A source")
    pond = project.add_diagram(WATER, OUTSIDE, title="Pond", outside="allow").id
    project.member(MEMBER).set_selection([pond])
    member = workshop.project_of(MEMBER)
    inside, everything = member.preview(GREEN, OUTSIDE, land="inside"), member.preview(GREEN, OUTSIDE)
    assert inside["conflicts_ha"] == pytest.approx(inside["area_ha"])
    assert everything["conflicts_ha"] == pytest.approx(everything["area_ha"])


def test_a_drawing_that_is_all_outside_costs_nothing(workshop: Workshop) -> None:
    project = workshop.project
    project.study_area.set_boundaries(collection(feature(INSIDE, bname="Bay")), "A source")
    for shape in (square(-9.2, 38.7, 0.01), line([-9.2, 38.7], [-9.19, 38.7])):
        preview = project.preview(GREEN, shape, land="inside")
        assert (preview["area_ha"], preview["length_km"], preview["cost"]) == (0, 0, 0)
        assert preview["faults"] == []
