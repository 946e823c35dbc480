"""Changes of a project between two archives."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from archives import members_of, with_manifest, with_member, write_zip
from builders import square
from parsed_html import ParsedHtml
from pygeodesign import ArchiveChanges, InputError, Project, Sandbox, compare_archives
from small_project import ADMINISTRATOR, GREEN, MEMBER, WATER, Workshop


@pytest.fixture
def project(workshop: Workshop) -> Project:
    return workshop.project


@pytest.fixture
def monday(project: Project, tmp_path: Path) -> Path:
    """An archive of a project with two diagrams."""
    for title in ("Pond", "Canal"):
        project.add_diagram(WATER, square(-9.2, 38.7, 0.01), title=title)
    project.archive(tmp_path / "monday.zip", progress=False)
    return tmp_path / "monday.zip"


def test_an_archive_is_like_itself(monday: Path) -> None:
    changes = compare_archives(monday, monday)
    assert (changes.added, changes.removed, changes.moved, changes.retitled, changes.repriced) == ([], [], [], [], [])
    assert changes.total_before == changes.total_after


def test_new_and_retitled_diagrams_are_named(monday: Path, project: Project) -> None:
    pond = min(row["id"] for row in project.diagrams(fields="details"))
    project.diagram(pond).update(additional_metadata={}, title="Lake")
    added = project.add_diagram(WATER, square(-9.15, 38.72, 0.01), title="Reservoir")
    changes = compare_archives(monday, project)
    assert changes.retitled == [pond]
    assert changes.added == [int(added.id)]
    assert compare_archives(project, monday).added == changes.added


def test_a_diagram_with_another_geometry_is_moved_and_repriced(monday: Path, tmp_path: Path) -> None:
    members = members_of(monday)
    diagrams = json.loads(members["diagrams/all.json"])
    diagrams[0]["geojson"]["features"][0]["geometry"] = square(-9.1, 38.7, 0.02)
    moved = with_member(members, "diagrams/all.json", json.dumps(diagrams).encode())
    changes = compare_archives(monday, write_zip(tmp_path / "tuesday.zip", moved))
    assert changes.moved == changes.repriced == [diagrams[0]["id"]]


def test_another_rate_reprices_the_diagrams_of_the_system(monday: Path, project: Project, workshop: Workshop) -> None:
    rate = project.system(WATER)["cost"]
    assert rate
    project.system(WATER).edit(cost=2 * rate)
    changes = compare_archives(monday, project)
    assert len(changes.repriced) == 2
    water = next(system for system in changes.systems if system["sysid"] == WATER)
    assert water["cost_before"] and water["cost_after"] == pytest.approx(2 * water["cost_before"], rel=1e-12)
    assert (changes.total_before, changes.total_after) == (water["cost_before"], water["cost_after"])


def test_two_projects_are_not_compared(monday: Path) -> None:
    with Sandbox() as sandbox, pytest.raises(InputError, match="different projects"):
        compare_archives(monday, sandbox.client().project(sandbox.project_ids[0]))


# Which is earlier


@pytest.mark.parametrize(
    ("times", "is_turned"),
    [
        (("2026-11-23T09:00:00Z", "2026-11-24T09:00:00Z"), False),
        (("2026-11-24T09:00:00Z", "2026-11-23T09:00:00Z"), True),
        (("2026-11-24T09:00:00+02:00", "2026-11-24T08:00:00Z"), False),
        (("2026-11-24T09:00:00", "2026-11-24T08:59:59.999999999Z"), True),
        (("2026-11-24T09:00:00Z", "2026-11-24T09:00:00Z"), False),
        (("", "2026-11-23T09:00:00Z"), False),
        (("2026-11-24T09:00:00Z", "some day"), False),
    ],
)
def test_the_times_in_the_manifests_tell_which_is_earlier(
    times: tuple[str, str], is_turned: bool, monday: Path, project: Project, tmp_path: Path
) -> None:
    project.add_diagram(WATER, square(-9.15, 38.72, 0.01), title="Reservoir")
    project.archive(tmp_path / "plain.zip", progress=False)
    first = with_manifest(monday, tmp_path / "first.zip", created_at=times[0])
    second = with_manifest(tmp_path / "plain.zip", tmp_path / "second.zip", created_at=times[1])
    changes = compare_archives(first, second)
    assert (len(changes.added), len(changes.removed)) == ((0, 1) if is_turned else (1, 0))


def test_a_project_of_a_service_is_later_than_its_archives(monday: Path, project: Project) -> None:
    project.diagram("Canal").delete()
    for changes in (compare_archives(monday, project), compare_archives(project, monday)):
        assert len(changes.removed) == 1
        assert changes.time_before is not None and changes.time_after is not None
        assert changes.time_before < changes.time_after


# Changes, and their reasons


def change_of(changes: ArchiveChanges) -> Any:
    """The only diagram that changed."""
    (change,) = changes.diagrams
    return change


def test_each_field_is_told_with_what_it_was_and_is(monday: Path, project: Project) -> None:
    pond = project.diagram(project.diagram("Pond").id)
    pond.edit(title="Lake", system=GREEN, start_date="2030-01-01", end_date="2031-01-01", funding="private")
    pond.set_notes("Deep")
    pond.set_tag_codes(["QW"])
    pond.update(additional_metadata={"phase": 2})
    change = change_of(compare_archives(monday, project))
    assert (change["title"], change["author"], change["change"]) == ("Lake", ADMINISTRATOR, "changed")
    fields = {field["field"]: (field["before"], field["after"]) for field in change["fields"]}
    names = {system["id"]: system["name"] for system in project.systems()}
    assert fields.pop("start_date")[1] == "2030-01-01" and fields.pop("end_date")[1] == "2031-01-01"
    assert fields == {
        "title": ("Pond", "Lake"),
        "system": (names[WATER], names[GREEN]),
        "funding": ("public", "private"),
        "notes": (None, "Deep"),
        "tags": (None, "QW"),
        "additional_metadata": (None, '{"phase": 2}'),
    }


def test_added_and_removed_diagrams_have_their_title_system_author_and_cost(
    monday: Path, project: Project, workshop: Workshop
) -> None:
    workshop.project_of(MEMBER).add_diagram(WATER, square(-9.15, 38.72, 0.01), title="Reservoir")
    project.diagram("Pond").delete()
    removed, added = compare_archives(monday, project).diagrams
    water = project.system(WATER)["name"]
    assert [removed[key] for key in ("title", "system", "author", "change")] == [
        "Pond",
        water,
        ADMINISTRATOR,
        "removed",
    ]
    assert [added[key] for key in ("title", "system", "author", "change")] == ["Reservoir", water, MEMBER, "added"]
    assert (removed["cost_after"], added["cost_before"], removed["fields"], added["why"]) == (None, None, [], "")
    assert removed["cost_before"] and added["cost_after"]


@pytest.mark.parametrize(
    ("edit", "reasons", "why"),
    [
        (
            lambda project: project.diagram("Pond").edit(cost=5_000, cost_type="total"),
            ["own_cost"],
            "from none to 5,000",
        ),
        (lambda project: project.diagram("Pond").edit(kind="policy"), ["kind"], "from project to policy"),
        (lambda project: project.diagram("Pond").edit(system=GREEN), ["system"], r"from Water \(.*\) to Green"),
        (
            lambda project: project.diagram("Pond").edit(geometry=square(-9.2, 38.7, 0.02)),
            ["geometry"],
            r"its geometry went from [\d.]+ ha to [\d.]+ ha",
        ),
        (
            lambda project: project.diagram("Pond").edit(geometry=square(-9.2, 38.7, 0.02), cost=7, cost_type="unit"),
            ["own_cost", "geometry"],
            "its own cost went from none to 7 per hectare.; its geometry",
        ),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, list) else "",
)
def test_what_changed_the_cost_of_a_diagram_is_told(
    edit: Any, reasons: list[str], why: str, monday: Path, project: Project
) -> None:
    edit(project)
    change = change_of(compare_archives(monday, project))
    assert change["reasons"] == reasons
    assert re.search(why, change["why"])


def test_another_rate_is_why_and_a_total_of_its_own_is_not_concerned(monday: Path, project: Project) -> None:
    project.diagram("Canal").edit(cost=5_000, cost_type="total")
    project.archive(monday, progress=False)
    system = project.system(WATER)
    name, rate = system["name"], system["cost"]
    system.edit(cost=2 * rate)
    changes = compare_archives(monday, project)
    change = change_of(changes)
    assert (change["title"], change["fields"], change["reasons"]) == ("Pond", [], ["rate"])
    assert change["why"] == f"the rate of {name} went from {rate:,.0f} to {2 * rate:,.0f}"
    water = next(row for row in changes.systems if row["sysid"] == WATER)
    assert (water["rate_before"], water["rate_after"]) == (rate, 2 * rate)
    assert water["fields"] == [{"field": "rate", "before": rate, "after": 2 * rate}]


def test_a_geometry_that_only_moved_is_told_by_its_place(monday: Path, project: Project) -> None:
    project.diagram("Pond").edit(geometry=square(-9.2, 38.71, 0.01))
    changes = compare_archives(monday, project)
    (field,) = change_of(changes)["fields"]
    assert changes.moved == [change_of(changes)["diagramid"]]
    assert field["field"] == "geometry" and field["before"].split(" at ")[1] != field["after"].split(" at ")[1]


def test_who_changed_it_is_told_by_the_history(monday: Path, project: Project, workshop: Workshop) -> None:
    workshop.project_of(MEMBER).add_diagram(WATER, square(-9.15, 38.72, 0.01), title="Reservoir")
    project.diagram("Reservoir").set_notes("Deep")
    project.diagram("Pond").set_notes("Shallow")
    users = {row["title"]: row["users"] for row in compare_archives(monday, project).diagrams}
    assert users == {"Pond": [ADMINISTRATOR], "Reservoir": [MEMBER, ADMINISTRATOR]}


def test_without_the_history_nobody_is_named(monday: Path, project: Project, tmp_path: Path) -> None:
    members = members_of(monday)
    manifest = json.loads(members["manifest.json"])
    del manifest["members"]["history.json"], members["history.json"]
    manifest["refused"]["history.json"] = 403
    without = write_zip(tmp_path / "w.zip", members | {"manifest.json": json.dumps(manifest).encode()})
    project.diagram("Pond").set_notes("Shallow")
    assert change_of(compare_archives(without, project))["users"] == []


# As a frame, a card and a page


@pytest.fixture
def changes(monday: Path, project: Project) -> ArchiveChanges:
    """A diagram with a title that is HTML and another cost, and a new one."""
    project.diagram("Pond").edit(title="<b>Lake</b>", cost=5_000, cost_type="total")
    project.add_diagram(WATER, square(-9.15, 38.72, 0.01), title="Reservoir")
    return compare_archives(monday, project)


def test_the_frames_have_a_row_for_each_diagram_field_or_system(changes: ArchiveChanges, project: Project) -> None:
    diagrams, fields, systems = (changes.to_pandas(rows) for rows in ("diagrams", "fields", "systems"))
    assert diagrams["title"].tolist() == ["<b>Lake</b>", "Reservoir"]
    assert diagrams["fields"].tolist() == ["title, own_cost", ""]
    assert diagrams["users"].tolist() == [ADMINISTRATOR, ADMINISTRATOR]
    assert diagrams["cost_before"].isna().tolist() == [False, True]
    assert fields[["field", "before", "after"]].values.tolist()[0] == ["title", "Pond", "<b>Lake</b>"]
    assert systems["name"].tolist() == [row["name"] for row in changes.systems]
    same = compare_archives(project, project)
    for rows, frame in (("diagrams", diagrams), ("fields", fields), ("systems", systems)):
        assert same.to_pandas(rows).dtypes.equals(frame.dtypes)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rows must be"):
        changes.to_pandas("teams")  # type: ignore[arg-type]


def test_the_page_tells_all_of_it_and_loads_nothing(changes: ArchiveChanges, tmp_path: Path) -> None:
    page = changes.to_html(currency="EUR")
    assert page is not None
    text = ParsedHtml(page).text
    for told in ("Lisbon", "<b>Lake</b> (1)", "Reservoir", "its own cost went from none to 5,000 in total", "Cost EUR"):
        assert told in text
    assert "<b>Lake" not in page and "http://" not in page and "https://" not in page
    assert changes.to_html(tmp_path / "changes.html", title="Round 3") is None
    assert "<h1>Round 3</h1>" in (tmp_path / "changes.html").read_text(encoding="utf-8")


def test_the_card_names_what_changed_as_text(changes: ArchiveChanges) -> None:
    card = changes._repr_html_()
    assert "&lt;b&gt;Lake&lt;/b&gt;" in card and "Reservoir" in card and "<b>Lake" not in card
    assert "Lisbon: from 20" in card and "1 added, 0 removed" in card
