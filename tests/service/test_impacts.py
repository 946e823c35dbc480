"""The matrix of impacts of systems on each other is a part of the project: written, refused, kept and brought along."""

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from archives import members_of, with_member, write_zip
from builders import collection, feature, square
from pygeodesign import ArchiveError, BadRequestError, InputError, PermissionDeniedError, Sandbox
from small_project import GREEN, MEMBER, WATER, Workshop

SCALE = range(-2, 3)


def test_a_new_project_has_no_impacts(workshop: Workshop) -> None:
    assert workshop.project.impacts() == {}
    assert all("impacts" not in row for row in workshop.send("GET", "systems/").json())


@pytest.mark.parametrize("impact", SCALE)
def test_what_is_set_is_read_and_zero_is_no_impact(impact: int, workshop: Workshop) -> None:
    workshop.project.set_impacts({"Green": {"Water": 1}})
    workshop.project.set_impacts({"Green": {"Water": impact}, "Water": {"Green": impact}})
    expected = {"Green": {"Water": impact}, "Water": {"Green": impact}} if impact else {}
    assert workshop.project.impacts() == expected
    assert dict(workshop.project.system(WATER)).get("impacts", {}) == ({GREEN: impact} if impact else {})


def test_random_cells_in_any_order_leave_the_last_value_of_each_pair(workshop: Workshop) -> None:
    names = ["Water", "Green", "Energy", "Transport"]
    for name in names[2:]:
        workshop.project.add_system(name, "#4FB3A9")
    chance, expected = random.Random(3), dict.fromkeys(itertools.permutations(names, 2), 0)
    for _ in range(40):
        (acting, affected), impact = chance.choice(list(expected)), chance.choice(SCALE)
        expected[acting, affected] = impact
        workshop.project.set_impacts({acting: {affected: impact}})
    read = workshop.project.impacts()
    assert {pair: read.get(pair[0], {}).get(pair[1], 0) for pair in expected} == expected


def test_systems_are_named_by_name_id_or_tag_and_a_table_has_a_row_for_each_acting_system(workshop: Workshop) -> None:
    workshop.project.set_impacts({"WAT": {GREEN: 2}, "green": {"Water": -1}})
    table = pd.DataFrame.from_dict(workshop.project.impacts(), orient="index")
    assert table.loc["Water", "Green"] == 2
    table.loc["Water", "Green"] = -2
    workshop.project.set_impacts(table)
    assert workshop.project.impacts() == {"Water": {"Green": -2}, "Green": {"Water": -1}}


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ({"Water": {"Green": 3}}, "the impact of system 1 on system 2 is 3; it must be a whole number from -2"),
        ({"Water": {"Green": -3}}, "the impact of system 1 on system 2 is -3"),
        ({"Water": {"Green": 0.5}}, "the impact of Water on Green is 0.5"),
        ({"Water": {"Green": "much"}}, "the impact of Water on Green is much"),
        ({"Water": {"Water": 1}}, "an impact of system 1 on itself"),
        ({"Water": {"Moon": 1}}, 'there is no system "Moon"'),
        ({"Moon": {"Water": 1}}, 'there is no system "Moon"'),
        ([[0, 1], [1, 0]], "give a dict of dicts"),
        ({"Water": -2}, "give a dict of dicts"),
    ],
)
def test_a_wrong_matrix_names_its_pair_and_nothing_is_sent(matrix: Any, reason: str, workshop: Workshop) -> None:
    given: Any = matrix if isinstance(matrix, list) else {"Green": {"Water": 1}} | matrix
    with pytest.raises(InputError, match=reason.replace(".", r"\.")):
        workshop.project.set_impacts(given)
    assert workshop.project.impacts() == {}


@pytest.mark.parametrize(
    ("impacts", "reason"),
    [
        ({"2": 3}, "the impact of system 1 on system 2 is 3"),
        ({"1": 1}, "an impact of system 1 on itself"),
        ({"99": 1}, "the project has no system 99"),
        ({"2": 0.5}, "impacts"),
        ({"Green": 1}, "impacts"),
        ([1], "impacts"),
    ],
)
def test_the_service_checks_a_row_itself(impacts: Any, reason: str, workshop: Workshop) -> None:
    response = workshop.send("PATCH", "systems/1/", {"impacts": impacts})
    assert response.status_code == 400 and reason in response.text
    assert workshop.project.impacts() == {}


def test_a_row_goes_over_the_wire_by_ids_and_cells_left_out_stay(workshop: Workshop) -> None:
    energy = workshop.project.add_system("Energy", "#F28E2B").id
    assert workshop.send("PATCH", "systems/1/", {"impacts": {"2": -2}}).json()["impacts"] == {"2": -2}
    row = workshop.send("PATCH", "systems/1/", {"impacts": {str(energy): 1}}).json()["impacts"]
    assert row == {"2": -2, str(energy): 1}
    assert workshop.send("PATCH", "systems/1/", {"impacts": {"2": 0}}).json()["impacts"] == {str(energy): 1}


def test_only_administrators_set_impacts_and_every_member_reads_them(workshop: Workshop) -> None:
    workshop.project.set_impacts({"Water": {"Green": -1}})
    assert workshop.project_of(MEMBER).impacts() == {"Water": {"Green": -1}}
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).set_impacts({"Water": {"Green": 2}})


def test_a_system_with_other_impacts_has_another_etag(workshop: Workshop) -> None:
    before = workshop.send("GET", "systems/1/").headers["etag"]
    workshop.project.set_impacts({"Water": {"Green": -1}})
    assert workshop.send("GET", "systems/1/").headers["etag"] != before


def test_impacts_follow_a_renamed_system_and_go_with_a_removed_one(workshop: Workshop) -> None:
    energy = workshop.project.add_system("Energy", "#F28E2B")
    workshop.project.set_impacts({"Water": {"Green": 1, "Energy": -1}, "Energy": {"Water": 2}})
    workshop.project.system(GREEN).edit(name="Woods")
    energy.delete()
    assert workshop.project.impacts() == {"Water": {"Woods": 1}}


def test_the_history_and_the_changes_of_a_project_show_an_impact(workshop: Workshop) -> None:
    before = workshop.send("GET", "changeid/").json()
    workshop.project.set_impacts({"Water": {"Green": -2}})
    (entry, *_) = workshop.project.history()
    assert (entry["operation"], entry["subject"]) == ("edit_system", "system 1")
    assert "impact on system 2: -2" in str(entry["after"]) and "impact" not in str(entry["before"])
    assert workshop.send("GET", "changeid/").json() != before


def test_an_archive_has_the_impacts_and_may_lack_them(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.archive(tmp_path / "without.zip", progress=False)
    workshop.project.set_impacts({"Water": {"Green": -2}})
    workshop.project.archive(tmp_path / "with.zip", progress=False)
    for name, impacts in {"with": {"Water": {"Green": -2}}, "without": {}}.items():
        with Sandbox(project=tmp_path / f"{name}.zip") as copy:
            assert copy.client().project(workshop.id).impacts() == impacts


def test_a_copy_brings_its_impacts_home_also_between_systems_that_it_added(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.set_impacts({"Water": {"Green": -2}, "Green": {"Water": 1}})
    path = tmp_path / "copy.zip"
    workshop.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(workshop.id)
        copy.add_system("Energy", "#F28E2B")
        copy.add_system("Transport", "#7A7A7A")
        expected = {
            "Water": {"Energy": 1},
            "Green": {"Water": 1},
            "Energy": {"Transport": -1, "Water": 2},
            "Transport": {"Energy": -2},
        }
        copy.set_impacts({"Water": {"Green": 0}})
        copy.set_impacts(expected)
        # At home, another system gets the id of one of the copy's.
        workshop.project.add_system("Culture", "#C77CB0")
        copy.archive(path, progress=False)
        assert workshop.project.merge(path)["complete"]
    assert workshop.project.impacts() == expected


def test_rows_that_both_sides_changed_are_a_conflict(workshop: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "copy.zip"
    workshop.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(workshop.id)
        copy.set_impacts({"Water": {"Green": 2}})
        copy.archive(path, progress=False)
    workshop.project.set_impacts({"Water": {"Green": -2}})
    (conflict,) = workshop.project.merge(path)["conflicts"]
    assert conflict["kind"] == "system" and conflict["fields"]["impacts"]["archive"] == {"2": 2}
    workshop.project.merge(path, prefer="archive")
    assert workshop.project.impacts() == {"Water": {"Green": 2}}


NEW_PROJECT: dict[str, Any] = {
    "title": "Lisbon",
    "boundaries": {"geojson": collection(feature(square(-9.2, 38.7, 0.1)))},
    "systems": [{"name": "Water", "color": "#2B7BBA"}, {"name": "Green", "color": "#3B8F4E"}],
}


@pytest.fixture
def served(tmp_path: Path) -> Callable[[dict[str, Any]], Any]:
    """Impacts of a project that a setup with this matrix makes."""

    def impacts_after(matrix: dict[str, Any]) -> Any:
        setup = {"users": ["ana"], "new_projects": [NEW_PROJECT | {"administrators": ["ana"], "impacts": matrix}]}
        path = tmp_path / "setup.json"
        path.write_text(json.dumps(setup), encoding="utf-8")
        with Sandbox(project=None, setup=path) as sandbox:
            return sandbox.client("ana").project(sandbox.project_ids[0]).impacts()

    return impacts_after


def test_a_setup_file_has_the_matrix_by_names(served: Callable[[dict[str, Any]], Any]) -> None:
    assert served({"Water": {"Green": -2}, "Green": {"Water": 1}}) == {"Water": {"Green": -2}, "Green": {"Water": 1}}


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ({"Water": {"Moon": 1}}, 'impacts: there is no system "Moon"; the systems are Water, Green'),
        ({"Water": {"Green": 3}}, "the impact of system 1 on system 2 is 3"),
        ({"Water": {"Green": 1.5}}, "impacts"),
        ({"Water": {"Water": 1}}, "an impact of system 1 on itself"),
    ],
)
def test_a_setup_file_with_a_wrong_matrix_is_refused(
    matrix: dict[str, Any], reason: str, served: Callable[[dict[str, Any]], Any]
) -> None:
    with pytest.raises((InputError, BadRequestError), match=reason):
        served(matrix)


def test_a_setup_file_sets_the_impacts_of_a_project_that_is_there(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.archive(tmp_path / "lisbon.zip", progress=False)
    setup = {"projects": {workshop.id: {"impacts": {"Water": {"Green": 2}}}}}
    with Sandbox(project=tmp_path / "lisbon.zip", setup=setup) as sandbox:
        assert sandbox.client().project(workshop.id).impacts() == {"Water": {"Green": 2}}


def test_archived_impacts_that_fit_no_project_are_refused(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.set_impacts({"Water": {"Green": 2}})
    path = tmp_path / "lisbon.zip"
    workshop.project.archive(path, progress=False)
    for text, reason in {'"impacts":{"2":9}': "is 9", '"impacts":{"7":2}': "impact on the system 7"}.items():
        with pytest.raises(ArchiveError, match=reason):
            Sandbox(project=altered(path, '"impacts":{"2":2}', text))


def altered(path: Path, old: str, new: str) -> Path:
    """A copy of an archive whose members have another text."""
    members = members_of(path)
    for name in members.keys() - {"manifest.json"}:
        if old.encode() in members[name]:
            members = with_member(members, name, members[name].replace(old.encode(), new.encode()))
    return write_zip(path.with_name(f"altered{len(list(path.parent.iterdir()))}.zip"), members)
