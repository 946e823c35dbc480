"""`--land inside` at the command line: costs, comparison and report of land inside the study area, in its own words."""

import json
from pathlib import Path
from typing import Any

import pytest
from shapely.geometry import box

from commands import output_of, run, signed_in
from demo import demo_sandbox
from pygeodesign import Sandbox

# Across the shore, where the study area ends.
HARBOR = box(-74.09, 40.62, -74.05, 40.64)


@pytest.fixture(scope="module")
def harbor() -> Any:
    """The demo with a park that lies half outside, in a design."""
    with demo_sandbox() as sandbox:
        project = sandbox.project()
        with pytest.warns(UserWarning, match="partly outside"):
            park = project.add_diagram("Water", HARBOR, title="Harbor park")
        project.team(1).save("Harbor", [park.id])
        yield sandbox


def test_costs_are_those_of_land_inside(harbor: Sandbox, tmp_path: Path) -> None:
    ended = run(tmp_path, "costs", "--land", "inside", "--json", **signed_in(harbor))
    report = harbor.project().costs(land="inside")
    assert json.loads(ended.output)["total"] == report.total < harbor.project().costs().total
    assert "outside the study area" in ended.messages


def test_a_page_in_acres_has_its_notes_in_acres(harbor: Sandbox, tmp_path: Path) -> None:
    output_of(tmp_path, "costs", "--land", "inside", "--html", "c.html", "--units", "us", **signed_in(harbor))
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "acres not counted</small>" in page and "ha not counted" not in page
    (row,) = (row for row in harbor.project().costs(land="inside").diagrams if row["description"] == "Harbor park")
    assert row["outside_ha"] is not None
    assert f"outside the study area: {row['outside_ha'] / 0.40468564224:.2f} of " in page


def test_a_comparison_counts_land_inside(harbor: Sandbox, tmp_path: Path) -> None:
    rows = json.loads(output_of(tmp_path, "compare", "--land", "inside", "--json", **signed_in(harbor)))
    everything = json.loads(output_of(tmp_path, "compare", "--json", **signed_in(harbor)))
    (inside,) = (row for row in rows if "Harbor" in row["design"])
    (whole,) = (row for row in everything if "Harbor" in row["design"])
    report = harbor.project().costs(design="Harbor", land="inside")
    assert inside["cost"] == pytest.approx(report.total, rel=1e-9) and inside["area_ha"] < whole["area_ha"]


@pytest.mark.slow
def test_a_report_and_a_record_count_land_inside(harbor: Sandbox, tmp_path: Path) -> None:
    output_of(tmp_path, "report", "--land", "inside", "-o", "report.html", **signed_in(harbor))
    output_of(tmp_path, "record", "evening", "--land", "inside", **signed_in(harbor))
    for page in ("report.html", "evening/report.html"):
        assert "Only land inside the study area counts" in (tmp_path / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command", [["costs"], ["compare"], ["report", "-o", "r.html"]], ids=lambda command: command[0]
)
def test_without_boundaries_a_command_says_what_to_do_without_names_of_python(
    command: list[str], tmp_path: Path
) -> None:
    with demo_sandbox() as sandbox:
        sandbox.project().study_area.set_boundaries([], "None")
        ended = run(tmp_path, *command, "--land", "inside", **signed_in(sandbox))
    assert ended.code != 0
    assert "draw or upload its boundaries, or count all land" in ended.messages
    assert "project." not in ended.messages and "set_boundaries" not in ended.messages


def test_other_land_is_refused_with_the_choices(harbor: Sandbox, tmp_path: Path) -> None:
    ended = run(tmp_path, "costs", "--land", "outside", **signed_in(harbor))
    assert ended.code == 2 and "land must be all or inside" in ended.messages
