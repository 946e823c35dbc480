"""A project in one file is served again with everything in its archive, and takes changes."""

import hashlib
import json
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archives import members_of, write_zip
from builders import collection, diagram, feature, line, square
from commands import arguments_of, environment
from demo import ADMINISTRATOR, MEMBER
from fake_service import PROJECT, FakeService, Response
from interrupting import seconds_until_interrupt
from operations import PLACEHOLDERS
from pygeodesign import ApiError, ArchiveError, InputError, NotFoundError, Project, Sandbox
from small_project import GREEN, SHADOWS, STRANGER, WATER, Workshop, running_workshop

pytestmark = pytest.mark.early

DEMO = PLACEHOLDERS["projectid"]


def archived(project: Project, path: Path, **options: Any) -> Path:
    project.archive(path, progress=False, **options)
    return path


def content(path: Path) -> dict[str, bytes]:
    """All members of an archive; the manifest without its time, its source and how the source reports changes."""
    members = members_of(path)
    # A copy began with its archive.
    members.pop("origins.json", None)
    manifest = json.loads(members["manifest.json"])
    of_the_source = {"created_at", "source", "etags", "changeid"}
    manifest = {name: value for name, value in manifest.items() if name not in of_the_source}
    # The service that draws a picture gives it its job.
    members = {re.sub(r"/thumbnail/.*", "/thumbnail.png", name): content for name, content in members.items()}
    del manifest["members"]
    return members | {"manifest.json": json.dumps(manifest, sort_keys=True).encode()}


# Made by a service itself: jobs of pictures; and not in any archive: digests of when diagrams last changed,
# and whether a change can be undone.
OF_THE_SERVICE = {"changehash", "results_url", "can_be_undone"}


def assert_same(path: Path, other: Path) -> None:
    """Same members, with the same ids, dates, authors, orders, fields and figures."""
    one, two = content(path), content(other)
    assert one.keys() == two.keys()
    for name in one.keys() - {"manifest.json"}:
        if name.endswith(".json"):
            first, second = (without(json.loads(members[name]), OF_THE_SERVICE) for members in (one, two))
            assert second == first, name
        else:
            assert two[name] == one[name], name


def assert_told(told: Any, found: Any, where: str) -> None:
    """Everything from the origin is in the response: the same things in the same order, the same fields and figures,
    and null where it sent null. A number that was written as text is a number here."""
    if isinstance(told, list) and isinstance(found, list):
        assert len(told) == len(found), where
        for one, other in zip(told, found, strict=True):
            assert_told(one, other, where)
    elif isinstance(told, dict) and isinstance(found, dict):
        for name, value in told.items():
            assert name in found, f"{where}: {name}"
            assert_told(value, found[name], f"{where}: {name}")
    elif isinstance(told, str) and isinstance(found, int | float):
        assert float(told) == found, where
    else:
        assert (found, isinstance(found, bool)) == (told, isinstance(told, bool)), where


def assert_untold_is_null(told: dict[str, Any], found: dict[str, Any], where: str) -> None:
    """Fields that the origin did not send are null, not 0, an empty text or a date of 1970."""
    assert {name: value for name, value in found.items() if name not in told and value is not None} == {}, where


def archive_again(path: Path, folder: Path, **options: Any) -> Path:
    """An archive of the project in an archive, served."""
    with Sandbox(project=path) as sandbox:
        (project,) = sandbox.project_ids
        return archived(sandbox.client().project(project), folder / "again.zip", **options)


@pytest.fixture(scope="session")
def demo_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Of a sandbox of its own, because other tests change the shared one.
    with Sandbox() as sandbox:
        project = sandbox.client().project(DEMO)
        return archived(project, tmp_path_factory.mktemp("archive") / "staten.zip", thumbnails=True)


def test_the_demo_is_archived_again_with_the_same_content(demo_archive: Path, tmp_path: Path) -> None:
    assert_same(demo_archive, archive_again(demo_archive, tmp_path, thumbnails=True))


def fill(workshop: Workshop) -> None:
    """Every kind of resource, and changes of most of them."""
    project = workshop.project
    area = square(-9.15, 38.71, 0.01)
    heights = collection(
        feature(area, volume_information={"min_height": 2, "max_height": 14.5}), feature(square(-9.13, 38.71, 0.01))
    )
    project.add_diagram(WATER, heights, title='Café "Pond" 💧')
    project.add_diagram(GREEN, area, title="Rule", kind="policy", funding="private")
    project.add_diagram(GREEN, line([-9.15, 38.71, 0], [-9.14, 38.72, 12.5]), title="Path")
    project.system(WATER).add_external(
        "https://x.example/a.fgb",
        title="Far",
        layer_type="fgb-layer",
        feature_type="line",
        cost=12,
        cost_type="unit",
    )
    project.add_diagram(WATER, area, title="Removed")
    project.diagram(5).delete()
    workshop.project_of("bento.reis").add_diagram(WATER, area, title="By a member who left")
    project.diagram(1).set_notes("Wet.\n\tAsk first.")
    project.diagram(1).set_tag_codes(["QW", "CO"])
    metadata = {"steps": [1, 2.50, None], "ü": {"deep": True}}
    project.diagram(2).update(additional_metadata=metadata, title="Rule 2", start_date="2030-01-05")
    project.diagram(3).edit(cost=2e6, cost_type="total", building_data={"storeys": 4})
    project.system(WATER).edit(cost=1.25, budget=6e8, current_ha=8, target_ha=12.5)
    areas = collection(feature(area, areatype="red"), feature(square(-9.2, 38.75, 0.01), areatype="green2", note=1.0))
    project.system(WATER).set_evaluation(areas)
    project.system(WATER).set_impact(collection(feature(area)))
    project.study_area.set_boundaries(collection(feature(square(-9.23, 38.69, 0.1), bname="City")), description="City")
    project.study_area.set_boundaries(collection(feature(square(-9.3, 38.6, 0.3), name="Around")), second=True)
    project.study_area.set_constraints(collection(feature(area, owner="State")), description="Harbour")
    place = feature({"type": "Point", "coordinates": [-9.13, 38.71]}, name="Alfama", since=1147.0)
    project.study_area.set_context(collection(place, feature(area, kind="park")), description="Around")
    project.workshop.set_plugins([SHADOWS])
    project.workshop.add_stakeholders(["Anglers", "Zoë's club"])
    layer = {"server_type": "other", "layer_type": "XYZ", "layer_name": "Relief"}
    project.study_area.add_layer("https://tiles.example.org/{z}/{x}/{y}.png", **layer, additional_metadata={"a": [1.0]})
    project.group_diagrams({"North": [1, 2]})
    workshop.add_member("a/b c?é")
    project.member("a/b c?é").set_selection([1, 2, 4])
    first = project.add_team("Youth", ["a/b c?é"])["id"]
    second = project.add_team("Without a design")["id"]
    design = project.team(first).save("First", [1, 2, 3, 4])["id"]
    project.team(first).save("Empty", [1], remove=[1])
    assert project.design(design, first).features()
    session = project.workshop.begin_negotiation([first, second])
    project.workshop.add_move(session["session_id"], 1, "accept", "Both need it.")
    project.member("bento.reis").remove()


def test_a_project_with_every_kind_of_resource_is_archived_again_unchanged(workshop: Workshop, tmp_path: Path) -> None:
    fill(workshop)
    first = archived(workshop.project, tmp_path / "lisbon.zip", thumbnails=True)
    assert_same(first, archive_again(first, tmp_path, thumbnails=True))


FOREIGN: dict[str, Any] = {
    "": {"id": PROJECT, "projecttitle": "Elsewhere", "startdate": "2031-01-01", "unknown": {"of": ["project", 1.0]}},
    "members/": {"members": [{"username": "kim", "role": "chair"}, {"username": "ada", "role": None}], "total": 2},
    "systems/": [
        {"id": "12", "sysname": "Water", "syscolor": "#00F", "steward": "kim"},
        {"id": 31, "name": "Green", "color": "green", "verbose_description": None},
    ],
    "systems/12/": {"id": 12, "sysname": "Water", "syscost": "1250.50", "sysbudget": 3, "unknown": None},
    "systems/31/": {"id": 31, "name": "Green", "cost": 10, "current_ha": 1e3},
    "systems/12/diagrams/": {"diagrams": [70, 7], "sorted": False},
    "systems/31/diagrams/": {"diagrams": []},
    "systems/12/evaluation/": {"sysid": 12, "geojson": collection(feature(square(1, 1, 1), areatype="red")), "by": 1},
    "tags/": [{"id": "t-1", "tag": "Quick", "slug": "QUICK", "code": "Q", "diagrams": [70], "hue": 3}],
    "stakeholders/": {"stakeholders": [{"id": "s-1", "name": "Zed", "weight": 0.10}, {"id": "s-2", "name": "Abe"}]},
    "plugins/": [{"id": "p-1", "description": None, "version": "1.0"}],
    "bounds/": {"bounds": "0.0, 0.0, 20.0, 20.0", "crs": "WGS 84"},
    "center/": {"center": "10,10"},
    "boundaries/": {"geojson": collection(feature(square(0, 0, 20), bname="All")), "description": "All", "unknown": 1},
    "secondboundaries/": Response({"detail": "No."}, 403),
    "data_layers/": [{"id": 50, "server_type": "Other", "layer_type": "wms", "url": "http://x.example", "order": 1}],
    "diagrams/": [
        {"id": 70, "worlddescription": "Pond", "author": "kim", "created_at": "2031-02-03T04:05:06", "rank": 2,
         "sysid": 12},
        {"id": 7, "worlddescription": "Rule", "author": "left", "created_at": None, "rank": 1, "sysid": 12, "likes": 9},
    ],
    "diagrams/all/": [
        diagram(70, feature(square(1, 1, 1), volume_information={"min_height": 0, "max_height": 3.0}, likes=1),
                sysid=12, type="PROJECT", area=12345.678, length=9, likes=[1]),
        diagram(7, sysid=12, type="policy", area=None, cost_override="5"),
    ],
    "diagrams/all/details/": [
        {"id": 70, "sysid": 12, "description": "Pond", "type": "PROJECT", "area": 12345.678, "length": 9, "likes": [1],
         "notes": "Old", "additional_metadata": None, "created_at": "2031-02-03 04:05:06", "start_date": "2031-02-03"},
        {"id": 7, "sysid": 12, "description": "Rule", "type": "policy", "building_data": {"a": 1.50}},
    ],
    "diagrams/70/": diagram(70, feature(square(1, 1, 1)), sysid=12, area=12345.678, likes=[1]),
    "diagrams/70/notes/": {"id": 70, "notes": "Old", "language": "en"},
    "diagrams/70/changeid/": {"changehash": "origin-70"},
    "diagrams/70/tags/": [{"id": "t-1", "tag": "Quick", "hue": 3}],
    "members/kim/diagrams/": collection(feature(square(1, 1, 1), diagramid=70, fresh=True)),
    "members/ada/diagrams/": Response({"detail": "No."}, 403),
    "cteams/": [{"id": 90, "title": "Two", "color": "red"}, {"id": 80, "title": None}],
    "cteams/90/": {"synthesis": [
        {"cteamid": 90, "id": "abcdefghijklmnop", "description": "D", "creationdate": "2031-05-05 10:00", "votes": 3},
    ]},
    "cteams/90/members/": {"members": ["kim", "nobody"]},
    "cteams/90/details/": {"id": "abcdefghijklmnop", "creationdate": None, "description": "D", "votes": 3},
    "cteams/90/abcdefghijklmnop/": collection(feature(square(1, 1, 1), diagramid=70, grid_location="L2", votes=3)),
    "cteams/90/abcdefghijklmnop/details/": {"id": "abcdefghijklmnop", "votes": 3},
    "cteams/90/abcdefghijklmnop/diagrams/": {"synthesisid": "abcdefghijklmnop", "diagrams": [70, 999]},
    "cteams/90/abcdefghijklmnop/timeline/": {"timeline": {"70": {"start": "2031-02-03", "end": None, "x": 1}}},
    "negotiation_logs/": {"all_negotiations": [{"session_id": "s", "cteams": None, "moves": [], "room": 1.0}], "n": 1},
}  # fmt: skip


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of a server with fields, orders and values of its own."""
    with FakeService(FOREIGN) as service:
        return archived(service.project(), tmp_path_factory.mktemp("foreign") / "elsewhere.zip")


@pytest.mark.parametrize("paging", ["plain", "enveloped", "on-request"])
def test_a_project_of_another_server_is_archived_again_with_all_that_was_told(
    foreign: Path, tmp_path: Path, paging: str
) -> None:
    with Sandbox(project=foreign, paging=paging) as sandbox:  # type: ignore[arg-type]
        again = content(archived(sandbox.client().project(PROJECT), tmp_path / "again.zip"))
    told = content(foreign)

    def both(name: str) -> tuple[Any, Any]:
        return json.loads(told[f"{name}.json"]), json.loads(again[f"{name}.json"])

    for name in ("project", "systems", "systems/12", "systems/31", "tags", "plugins", "data_layers", "diagrams",
                 "diagrams/all/details", "boundaries", "center", "cteams", "cteams/90", "stakeholders",
                 "diagrams/70/tags", "cteams/90/abcdefghijklmnop/details"):  # fmt: skip
        assert_told(*both(name), name)
    for name in ("project", "diagrams/all/details", "diagrams", "plugins", "data_layers", "cteams"):
        one, other = both(name)
        for row, found in zip(
            *((value if isinstance(value, list) else [value]) for value in (one, other)), strict=True
        ):
            # Its cost comes from the list with geometries.
            elsewhere = {"cost_override"} if row["id"] == 7 else set()
            assert_untold_is_null(row | dict.fromkeys(elsewhere), found, name)
    for name in ("diagrams/all", "diagrams/70"):
        one, other = both(name)
        # The list of details has another title for them, which counts.
        assert_told(without(one, {"description"}), other, name)
    # Fields next to lists and other values, and those of features in designs and selections, are not kept.
    for name, lost in (("members", {"total"}), ("bounds", {"crs", "bounds"}), ("systems/12/diagrams", {"sorted"}),
                       ("diagrams/70/notes", {"language", "id"}), ("systems/12/evaluation", {"by"}),
                       ("negotiation_logs", {"n"}), ("members/kim/diagrams", {"fresh"}),
                       ("cteams/90/abcdefghijklmnop", {"votes"}),
                       ("cteams/90/abcdefghijklmnop/timeline", {"x"})):  # fmt: skip
        one, other = both(name)
        assert_told(without(one, lost), other, name)
    # A diagram outside of the archive is in no design; a user who is not a member is in no team.
    assert both("cteams/90/abcdefghijklmnop/diagrams")[1] == {"synthesisid": "abcdefghijklmnop", "diagrams": [70]}
    assert both("cteams/90/members")[1] == {"members": ["kim"]}


ORDERED: dict[str, Any] = FOREIGN | {
    "systems/12/": {"id": 12, "sysname": "Water", "cost": None, "tag": None},
    "diagrams/all/": [
        diagram(70, feature(square(1, 1, 1), likes=1), feature(square(3, 1, 1)), sysid=12, type="project"),
        diagram(7, feature(square(2, 1, 1), likes=2), sysid=31, type="project"),
    ],
    "diagrams/all/details/": [{"id": 70, "sysid": 12, "type": "project"}, {"id": 7, "sysid": 31, "type": "project"}],
    "members/kim/diagrams/": collection(
        feature(square(1, 1, 1), diagramid=70), feature(square(3, 1, 1), diagramid=70),
        feature(square(2, 1, 1), diagramid=7)),
    "cteams/90/members/": {"members": ["kim", "ada"]},
    "cteams/90/abcdefghijklmnop/diagrams/": {"synthesisid": "abcdefghijklmnop", "diagrams": [70, 7]},
}  # fmt: skip


@pytest.fixture(scope="session")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive in which a cost is not known, and lists are in no order of ours."""
    with FakeService(ORDERED) as service:
        return archived(service.project(), tmp_path_factory.mktemp("ordered") / "ordered.zip")


def test_designs_selections_and_teams_have_the_orders_of_the_origin(ordered: Path) -> None:
    with Sandbox(project=ordered) as sandbox:
        project = sandbox.client().project(PROJECT)
        design = project.design("abcdefghijklmnop", 90).features().to_dict()["features"]
        assert [row["properties"]["diagramid"] for row in design] == [70, 70, 7]
        assert project.design("abcdefghijklmnop", 90).diagram_ids() == [70, 7]
        selected = project.member("kim").selection().to_dict()["features"]
        assert [row["properties"]["diagramid"] for row in selected] == [70, 70, 7]
        assert project.team(90).members() == ["kim", "ada"]
        features = project.diagram(70).features().to_dict()["features"]
        assert [row["properties"].get("likes") for row in features] == [1, None]
        project.member("kim").set_selection([70, 7])
        selected = project.member("kim").selection().to_dict()["features"]
        assert [row["properties"]["diagramid"] for row in selected] == [7, 70, 70]


def test_a_diagram_of_a_system_without_a_cost_stays_without_a_price(ordered: Path) -> None:
    with Sandbox(project=ordered) as sandbox:
        project = sandbox.client().project(PROJECT)
        costs = project.costs()
        assert {row["diagramid"]: row["cost"] is None for row in costs.diagrams} == {70: True, 7: False}
        assert costs.unpriced == 1
        # Until a cost is set, be it 0.
        changeid = project.change_id()
        project.system(12).edit(cost=0)
        assert project.change_id() != changeid
        assert project.system(12)["cost"] == 0
        assert project.system(12)["tag"] is None
        costs = project.costs()
        assert costs.unpriced == 0
        assert {row["diagramid"]: row["cost"] for row in costs.diagrams}[70] == 0


def test_what_changes_replaces_the_values_of_the_origin_and_nothing_else(foreign: Path) -> None:
    with Sandbox(project=foreign) as sandbox:
        project = sandbox.client().project(PROJECT)
        before = {row["id"]: row for row in project.diagrams(fields="details")}
        change = project.diagram(70).change_id()
        project.diagram(70).update(additional_metadata={"new": True}, title="Lake")
        project.diagram(70).set_notes("New")
        after = {row["id"]: row for row in project.diagrams(fields="details")}
        changed = {"description": "Lake", "notes": "New", "additional_metadata": {"new": True}}
        assert after == before | {70: before[70] | changed}
        assert project.diagram(70).change_id() != change
        assert project.diagram(70).notes() == "New"
        assert_told(
            FOREIGN["diagrams/"][0] | {"worlddescription": "Lake"}, project.diagrams(fields="summary")[0], "summary"
        )
        assert project.diagram(70).features().metadata["area"] == 12345.678
        assert project.diagram(70).features().metadata["likes"] == [1]


FREE_JSON = {"geometry", "additional_metadata", "building_data", "timeline"}
UNKNOWN = "field_of_the_origin"


def with_unknown_fields(value: Any) -> Any:
    if isinstance(value, list):
        return [with_unknown_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {name: item if name in FREE_JSON else with_unknown_fields(item) for name, item in value.items()}
    return {UNKNOWN: len(fields), **fields}


def without(value: Any, names: set[str]) -> Any:
    if isinstance(value, list):
        return [without(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: without(item, names) for name, item in value.items() if name not in names}


def edit(sandbox: Sandbox, choose: random.Random) -> None:
    """One change, which the choices determine."""
    project = sandbox.client().project(DEMO)
    ids = sorted(row["id"] for row in project.diagrams(fields="summary"))
    members = sorted(member["username"] for member in project.members())
    some = sorted(choose.sample(ids, 12))
    one, member, system = some[0], choose.choice(members), choose.randint(1, 9)
    place = square(-74.15 + choose.random() / 100, 40.57, 0.01)
    edits: list[Callable[[], object]] = [
        lambda: project.diagram(one).update(title=f"Title {one}", start_date="2031-01-01", end_date="2032-01-01"),
        lambda: project.diagram(one).update(additional_metadata={"edited": True}),
        lambda: project.diagram(one).set_notes(f"Note {one}"),
        lambda: project.diagram(one).set_tags([tag["id"] for tag in project.tags()[:2]]),
        lambda: project.diagram(one).delete(),
        lambda: project.add_diagram(system, place, title="Added"),
        lambda: project.study_area.add_layer(
            "https://x.example/", server_type="other", layer_type="XYZ", layer_name=f"Layer {one}"
        ),
        lambda: project.system(system).set_evaluation(collection(feature(place, areatype="red"))),
        lambda: project.member(member).set_selection(some),
        lambda: project.diagram(one).edit(cost=float(one), cost_type="total"),
        lambda: project.system(system).edit(cost=float(one), target_ha=1.5),
        lambda: project.team(project.teams()[0]["id"]).edit(members=sorted(choose.sample(members, 2))),
        lambda: project.team(project.teams()[-1]["id"]).delete() if choose.random() < 0.2 else None,
        lambda: project.study_area.set_boundaries(collection(feature(place, bname=f"Name {one}")), second=True),
        lambda: project.member(member).remove() if member != ADMINISTRATOR and choose.random() < 0.2 else None,
    ]
    choose.choice(edits)()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_edits_of_a_project_with_unknown_fields_have_the_same_results_as_its_origin(
    seed: int, demo_archive: Path, tmp_path: Path
) -> None:
    members = members_of(demo_archive)
    manifest = json.loads(members.pop("manifest.json"))
    for name in members:
        if name.endswith(".json"):
            content = json.dumps(with_unknown_fields(json.loads(members[name]))).encode()
            members[name] = content
            manifest["members"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    foreign = write_zip(tmp_path / "foreign.zip", members | {"manifest.json": json.dumps(manifest).encode()})

    with Sandbox() as origin, Sandbox(project=foreign) as loaded:
        for sandbox in (origin, loaded):
            choose = random.Random(seed)
            for _ in range(30):
                edit(sandbox, choose)
        paths = [
            archived(sandbox.client().project(DEMO), tmp_path / f"{name}.zip")
            for name, sandbox in (("origin", origin), ("loaded", loaded))
        ]
    expected, found = (members_of(path) for path in paths)
    assert expected.keys() == found.keys()
    # The history counts the bytes of a map, in which unknown fields count.
    others = {"created_at", "changehash", "time", "before"}
    for name in sorted(expected.keys() - {"manifest.json", "origins.json"}):
        one, other = (json.loads(answers[name]) for answers in (expected, found))
        assert without(other, {UNKNOWN, *others}) == without(one, others), name
    known = {row["id"] for row in json.loads(members["diagrams.json"])}
    assert all(UNKNOWN in row for row in json.loads(found["diagrams/all.json"]) if row["id"] in known)


def test_what_is_added_follows_and_what_is_removed_is_gone(foreign: Path) -> None:
    with Sandbox(project=foreign) as sandbox:
        project = sandbox.client().project(PROJECT)
        added = project.add_diagram("Water", square(2, 2, 1), title="New").id
        assert [row["id"] for row in project.diagrams(fields="details")] == [70, 7, added]
        assert [row["id"] for row in project.diagrams(fields="summary")] == [70, 7, added]
        project.diagram(70).delete()
        assert [row["id"] for row in project.diagrams(fields="details")] == [7, added]
        with pytest.raises(NotFoundError):
            project.diagram(70).features()
        assert project.design("abcdefghijklmnop", 90).features().to_dict()["features"] == []
        project.workshop.add_stakeholders(["Mia"])
        stakeholders = project.workshop.stakeholders()
        assert [stakeholder["name"] for stakeholder in stakeholders] == ["Zed", "Abe", "Mia"]
        assert stakeholders[:2] == FOREIGN["stakeholders/"]["stakeholders"]


def test_changes_survive_a_restart(demo_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "served.sqlite"
    with Sandbox(path, project=demo_archive) as sandbox:
        sandbox.client().project(DEMO).diagram(1001).set_notes("After loading")
    with Sandbox(path, project=None) as sandbox:
        project = sandbox.client().project(DEMO)
        assert project.diagram(1001).features().metadata["notes"] == "After loading"
        archived(project, tmp_path / "changed.zip")
    first, second = members_of(demo_archive), members_of(tmp_path / "changed.zip")
    different = {name for name in second if name != "manifest.json" and first[name] != second[name]}
    about_it = {"diagrams/all.json", "diagrams/all/details.json", "history.json", "origins.json"}
    assert about_it <= different
    others = [name for name in different - about_it if "1001" not in name]
    # Designs and selections show the notes of their diagrams.
    assert all(re.match(r"cteams/|members/|systems/\d+/", name) for name in others)


def test_the_operator_reads_and_writes_without_being_listed(foreign: Path) -> None:
    with Sandbox(project=foreign) as sandbox:
        project = sandbox.client(ADMINISTRATOR).project(PROJECT)
        assert [member["username"] for member in project.members()] == ["kim", "ada"]
        project.diagram(7).delete()
        assert {"kim", "ada", ADMINISTRATOR} == set(sandbox.usernames)
        project.add_member(ADMINISTRATOR, administrator=True)
        assert ADMINISTRATOR in [member["username"] for member in project.members()]


def test_the_list_of_projects_has_the_fields_of_the_origin(foreign: Path) -> None:
    with Sandbox(project=foreign) as sandbox:
        client = sandbox.client()
        (listed,) = client.projects()
        assert listed["unknown"] == FOREIGN[""]["unknown"]  # type: ignore[typeddict-item]
        assert client.latest_project() == client.project(PROJECT).info()


def test_members_of_the_origin_get_tokens_from_the_operator(demo_archive: Path) -> None:
    with Sandbox(project=demo_archive) as sandbox:
        assert sandbox.client(MEMBER).project(DEMO).info()["id"] == DEMO
        with pytest.raises(NotFoundError):
            sandbox.add_user(STRANGER)
            sandbox.client(STRANGER).project(DEMO).info()


def test_costs_are_those_of_the_origin(demo_archive: Path) -> None:
    with Sandbox() as origin, Sandbox(project=demo_archive) as loaded:
        costs, expected = (sandbox.client().project(DEMO).costs() for sandbox in (loaded, origin))
        assert costs.diagrams == expected.diagrams


def test_an_archive_is_loaded_into_a_database_that_has_other_projects(foreign: Path, tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with Sandbox(path):
        pass
    with Sandbox(path, project=foreign) as sandbox:
        assert sandbox.project_ids == [DEMO, PROJECT]
        details = sandbox.client().project(PROJECT).diagrams(fields="details")
        assert_told(FOREIGN["diagrams/all/details/"], details, "details")


def test_a_database_that_has_the_project_already_stays_as_it_was(demo_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with Sandbox(path) as sandbox:
        sandbox.client().project(DEMO).diagram(1001).set_notes("Kept")
    with pytest.raises(ArchiveError, match=f"staten.zip cannot be loaded: the database already has the project {DEMO}"):
        Sandbox(path, project=demo_archive)
    with Sandbox(path) as sandbox:
        assert sandbox.client().project(DEMO).diagram(1001).features().metadata["notes"] == "Kept"


def test_an_id_of_another_project_refuses_an_archive(demo_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with running_workshop(path):
        pass
    with pytest.raises(ArchiveError, match=r"the database already has a system 1, in another project"):
        Sandbox(path, project=demo_archive)
    with Sandbox(path) as sandbox:
        assert len(sandbox.project_ids) == 1


def test_what_was_changed_at_the_origin_cannot_be_undone(workshop: Workshop, tmp_path: Path) -> None:
    fill(workshop)
    path = archived(workshop.project, tmp_path / "lisbon.zip")
    with Sandbox(project=path) as sandbox:
        project = sandbox.client().project(workshop.id)
        newest = project.history()[0]["id"]
        with pytest.raises(ApiError, match="undo"):
            project.undo(newest)
        project.diagram(1).set_notes("After loading")
        assert project.history()[0]["id"] == newest + 1
        project.undo(newest + 1)
        assert project.diagram(1).notes() == workshop.project.diagram(1).notes()


def test_a_limit_refuses_an_archive_and_leaves_no_database(demo_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    limits = {"project_diagrams": 10, "project_bytes": 1000, "title_characters": 3, "project_origin_bytes": 99}
    limits |= {"metadata_values": 1, "diagram_vertices": 10, "metadata_bytes": 1}
    for limit, value in limits.items():
        with pytest.raises(ArchiveError, match=rf"staten\.zip cannot be loaded: .*the limit {limit} is"):
            Sandbox(path, project=demo_archive, limits={limit: value})
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_archive_leaves_no_database(demo_archive: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(demo_archive.read_bytes()[:-100])
    with pytest.raises(ArchiveError, match=r"damaged\.zip"):
        Sandbox(tmp_path / "new.sqlite", project=damaged)
    assert [child.name for child in tmp_path.iterdir()] == ["damaged.zip"]


def test_a_missing_archive_is_named() -> None:
    with pytest.raises(InputError, match=r"there is no file missing\.zip"):
        Sandbox(project="missing.zip")


@pytest.fixture(scope="module")
def large_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a project of 2,000 diagrams."""
    rows = [
        diagram(number, feature(square(1, 1, 0.01 + number / 1e5)), sysid=1, type="project", unknown=number)
        for number in range(1, 2001)
    ]
    summaries = [{"id": row["id"], "sysid": 1, "author": "kim", "worlddescription": row["description"]} for row in rows]
    details = [{name: row[name] for name in row if name != "geojson"} for row in rows]
    answers: dict[str, Any] = {
        "": {"id": PROJECT}, "members/": {"members": [{"username": "kim"}]}, "systems/": [{"id": 1, "name": "Water"}],
        "cteams/": [], "diagrams/": summaries, "diagrams/all/": rows, "diagrams/all/details/": details,
        **{f"diagrams/{row['id']}/": row for row in rows},
    }  # fmt: skip
    with FakeService(answers) as service:
        return archived(service.project(), tmp_path_factory.mktemp("large") / "large.zip")


def test_a_project_of_2000_diagrams_loads_in_seconds(large_archive: Path) -> None:
    started = time.monotonic()
    with Sandbox(project=large_archive) as sandbox:
        assert time.monotonic() - started < 20
        assert sandbox.client().project(PROJECT).diagrams().to_dict()["features"]


def test_ctrl_c_ends_loading_and_leaves_no_database(large_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    assert seconds_until_interrupt(lambda: True, lambda: Sandbox(path, project=large_archive)) < 2
    started = time.monotonic()
    while list(tmp_path.iterdir()) and time.monotonic() - started < 10:
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process there cannot be sent SIGINT alone")
@pytest.mark.parametrize("command", [["import-project", "large.zip"], ["serve", "--port", "0", "--load", "large.zip"]])
def test_ctrl_c_ends_a_command_that_loads_a_project(command: list[str], large_archive: Path, tmp_path: Path) -> None:
    # How long importing and loading take depends on the machine.
    delay = 0.3
    for number in range(8):
        path = tmp_path / f"empty {number}.sqlite"
        with Sandbox(path, project=None):
            pass
        process = subprocess.Popen(
            arguments_of((*command, "--db", path)),
            cwd=large_archive.parent,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        output = process.communicate(timeout=20)
        assert time.monotonic() - sent < 2
        if b"KeyboardInterrupt" in output[1]:
            # The command had not begun.
            delay *= 1.5
            continue
        # Nothing is there, or everything: the signal may come after the transaction.
        with Sandbox(path, project=None) as sandbox:
            assert [len(sandbox.client().project(project).diagrams()) for project in sandbox.project_ids] in (
                [],
                [2000],
            )
        if output[0]:
            # All was loaded before the signal came.
            delay /= 1.5
            continue
        assert (output, process.returncode) == ((b"", b""), 130)
        return
    pytest.fail("loading is too fast to be interrupted")
