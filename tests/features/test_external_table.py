"""Diagrams with geometries in files elsewhere, from a table in the format of the public platform's archiver."""

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

from commands import output_of
from pygeodesign import InputError, Sandbox
from small_project import ADMINISTRATOR, Workshop

# The columns and the values of the archiver.
ROWS: list[dict[str, Any]] = [
    {
        "description": f"Diagram {number}",
        "feature_type": feature_type,
        "funding_type": funding,
        "flat_geobuf_url": f"https://data.example.org/{number}.fgb",
        "project_or_policy": kind,
        "system_id": 1 + number % 2,
    }
    for number, (feature_type, funding, kind) in enumerate(
        [("polygon", "pu", "project"), ("line", "pr", "policy"), ("point", "bu", "project")]
    )
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def in_excel(path: Path, rows: list[dict[str, Any]]) -> Path:
    pandas.DataFrame(rows).to_excel(path, index=False)
    return path


def added(workshop: Workshop) -> list[Any]:
    fields = ("description", "sysid", "type", "fundingtype", "flat_geobuf_url")
    rows: list[Any] = list(workshop.project.diagrams(fields="details"))
    return [tuple(row[name] for name in fields) for row in rows]


EXPECTED = [
    ("Diagram 0", 1, "project", "public", "https://data.example.org/0.fgb"),
    ("Diagram 1", 2, "policy", "private", "https://data.example.org/1.fgb"),
    ("Diagram 2", 1, "project", "budgeted", "https://data.example.org/2.fgb"),
]


@pytest.mark.parametrize("form", ["csv", "xlsx", "frame", "dicts"])
def test_all_rows_of_a_table_are_added(form: str, workshop: Workshop, tmp_path: Path) -> None:
    tables: dict[str, Callable[[], Any]] = {
        "csv": lambda: written(tmp_path / "table.csv", ROWS),
        "xlsx": lambda: in_excel(tmp_path / "table.xlsx", ROWS),
        "frame": lambda: pandas.DataFrame(ROWS),
        "dicts": lambda: ROWS,
    }
    table = tables[form]()
    checked = workshop.project.add_external_diagrams(table, dry_run=True)
    assert [row["diagram_id"] for row in checked] == [None] * 3 and added(workshop) == []
    report = workshop.project.add_external_diagrams(table)
    assert [(row["title"], row["error"]) for row in report] == [(row["description"], None) for row in ROWS]
    assert sorted(added(workshop)) == EXPECTED


def test_the_arguments_of_add_external_are_columns_too(workshop: Workshop) -> None:
    system = workshop.project.systems()[0]
    row = {"url": "https://data.example.org/a.tif", "title": "A", "system": system.name.upper(), "layer_type": "cogs"}
    more = {"cost": 12.0, "cost_type": "u", "additional_metadata": json.dumps({"source": "us"}), "kind": float("nan")}
    (told,) = workshop.project.add_external_diagrams(pandas.DataFrame([row | more]))
    assert told["diagram_id"] is not None
    diagram = workshop.project.diagram(told["diagram_id"])
    assert (diagram["cost_override"], diagram["cost_override_type"]) == (12, "per hectare.")
    assert (diagram["additional_metadata"]["source"], diagram["external_geometries"]) == ("us", row["url"])


def test_awaited_it_is_the_same(workshop: Workshop) -> None:
    async def awaited() -> Any:
        return await workshop.sandbox.async_client(ADMINISTRATOR).project(workshop.id).add_external_diagrams(ROWS)

    assert [row["error"] for row in asyncio.run(awaited())] == [None] * 3
    assert sorted(added(workshop)) == EXPECTED


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no title": ({"description": " "}, "it has no title"),
    "another system": ({"system_id": 99}, "no system '99'; it has"),
    "no address": ({"flat_geobuf_url": "parks.fgb"}, "'parks.fgb' is not a file's address"),
    "a space": ({"flat_geobuf_url": "https://data.example.org/my parks.fgb"}, "%20"),
    "another kind": ({"project_or_policy": "plan"}, "kind is 'plan', not one of project, policy"),
    "another type": ({"feature_type": "raster"}, "feature_type is 'raster'"),
    "a cost of no kind": ({"cost": 5}, "cost_type is ''"),
    "a cost that is none": ({"cost": "much", "cost_type": "t"}, "cost is 'much', not a whole number"),
    "a negative cost": ({"cost": -5, "cost_type": "t"}, "cost is -5; it must be 0 or more"),
    "metadata that are none": ({"additional_metadata": "[1]"}, "additional_metadata is not a JSON object"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_rows_are_checked_before_the_first_is_sent(kind: str, workshop: Workshop) -> None:
    fields, problem = WRONG[kind]
    rows = [ROWS[0], ROWS[1] | fields, ROWS[2]]
    with pytest.raises(InputError) as refused:
        workshop.project.add_external_diagrams(rows)
    assert "1 of 3 rows cannot be added: row 1: " in str(refused.value) and problem in str(refused.value)
    assert [row["position"] for row in refused.value.rows] == [1]
    assert added(workshop) == []
    report = workshop.project.add_external_diagrams(rows, on_error="skip")
    assert [row["error"] is None for row in report] == [True, False, True]
    assert sorted(added(workshop)) == [EXPECTED[0], EXPECTED[2]]


def test_a_table_without_its_columns_says_which(workshop: Workshop, tmp_path: Path) -> None:
    rows = [{"url": "https://data.example.org/a.fgb", "name": "A"}]
    for table in (rows, written(tmp_path / "table.csv", rows)):
        with pytest.raises(InputError, match="lacks the columns title or description; system or system_id or sysid"):
            workshop.project.add_external_diagrams(table)
    others: list[Any] = [5, {"a": 1}, ["a"]]
    for other in others:
        with pytest.raises(InputError, match="the path of a CSV or Excel file, a DataFrame or a list of dicts"):
            workshop.project.add_external_diagrams(other)
    assert workshop.project.add_external_diagrams([]) == []


def test_one_command_adds_them_too(sandbox: Sandbox, tmp_path: Path) -> None:
    with Sandbox() as own:
        variables = {"GEODESIGN_URL": own.url, "GEODESIGN_TOKEN": own.token()}
        table = str(written(tmp_path / "table.csv", ROWS))
        before = len(own.project().diagrams(fields="summary"))
        output_of(tmp_path, "upload", table, "--external", "--dry-run", **variables)
        assert len(own.project().diagrams(fields="summary")) == before
        output_of(tmp_path, "upload", table, "--external", **variables)
        assert len(own.project().diagrams(fields="summary")) == before + 3


def test_another_word_for_what_to_do_with_bad_rows_is_refused(workshop: Workshop) -> None:
    with pytest.raises(InputError, match='on_error must be "raise" or "skip", not "ignore"'):
        workshop.project.add_external_diagrams([], on_error="ignore")  # type: ignore[arg-type]
