"""The TypedDicts have the keys that operations return."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, is_typeddict

import pytest

from builders import collection, feature, read_collection
from demo import demo_sandbox
from pygeodesign import ArchiveChanges, Client, Project, compare_archives, types

BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
Rows = Callable[[Client, Project], Any]


def design(project: Project) -> str:
    return project.designs(1)[0].id


def changed(project: Project) -> Project:
    project.diagram(1001).set_notes("A change for the history.")
    return project


def renamed(project: Project) -> ArchiveChanges:
    """The changes after a change of a title."""
    with tempfile.TemporaryDirectory() as folder:
        project.archive(f"{folder}/before.zip", progress=False)
        diagram = project.diagram(1001)
        title = diagram.title or ""
        diagram.edit(title=f"{title}, raised")
        project.archive(f"{folder}/after.zip", progress=False)
        # Other tests read the same project.
        diagram.edit(title=title)
        return compare_archives(f"{folder}/before.zip", f"{folder}/after.zip")


def voted(project: Project) -> Project:
    project.diagram(1002).vote(1, "Shade.")
    return project


def commented(project: Project) -> Project:
    project.reply(project.diagram(1002).comment("Why here?"), "It is low.")
    project.comment("The bus turns here.", place=(-74.1, 40.6))
    return project


def grouped(project: Project) -> Project:
    project.group_diagrams({"Harbour": [1003, 1004]})
    return project


def linked(project: Project) -> Project:
    project.workshop.add_link("Press", "2999-06-01")
    return project


def card_holder(client: Client, project: Project) -> Any:
    return client.sign_in(project.member("jose.villanueva").add_token()["code"])


def walked_in(client: Client, project: Project) -> Any:
    code = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
    return client.walk_in(code, f"Zoe {len(project.workshop.walk_ins()['waiting'])}")


def waited_for(client: Client, project: Project) -> Project:
    walked_in(client, project)
    return project


ROWS: list[Any] = [
    ("ProjectInfo", "projects", lambda client, project: client.projects()),
    ("ProjectInfo", "latest_project", lambda client, project: [client.latest_project()]),
    ("Limit", "limits", lambda client, project: client.limits()),
    ("HistoryEntry", "history", lambda client, project: changed(project).history()),
    ("ProjectInfo", "info", lambda client, project: [project.info()]),
    ("MemberFields", "members", lambda client, project: project.members()),
    ("Stakeholder", "stakeholders", lambda client, project: project.workshop.stakeholders()),
    ("Plugin", "plugins", lambda client, project: project.workshop.plugins()),
    ("Layer", "layers", lambda client, project: project.study_area.layers()),
    ("Tag", "tags", lambda client, project: project.tags()),
    ("Tag", "diagram_tags", lambda client, project: project.diagram(1002).tags()),
    ("SystemDetail", "systems", lambda client, project: project.systems()),
    ("SystemDetail", "system", lambda client, project: [project.system(1)]),
    ("DiagramSummary", "diagram_summaries", lambda client, project: project.diagrams(fields="summary")),
    ("DiagramDetails", "diagram_details", lambda client, project: project.diagrams(fields="details")),
    ("DiagramDetails", "diagram", lambda client, project: [project.diagram(1002)]),
    ("ChangeTeam", "teams", lambda client, project: project.teams()),
    ("TeamDesign", "designs", lambda client, project: project.designs(1)),
    ("DesignDetails", "design_details", lambda client, project: [project.design(team=1).details()]),
    ("Period", "design_timeline", lambda client, project: project.design(design(project), 1).timeline().values()),
    ("NegotiationSession", "negotiation_logs", lambda client, project: project.workshop.negotiation_logs()),
    ("Vote", "votes", lambda client, project: voted(project).votes()),
    ("Comment", "comments", lambda client, project: commented(project).comments()),
    ("DiagramGroup", "diagram_groups", lambda client, project: grouped(project).diagram_groups()),
    ("UserAccount", "users", lambda client, project: client.users()),
    ("TokenInfo", "tokens", lambda client, project: client.tokens()),
    ("IssuedToken", "add_token", lambda client, project: [client.add_token("amara.okafor")]),
    ("NewGuest", "add_link", lambda client, project: [project.workshop.add_link("Press", "2999-06-01")]),
    ("GuestLink", "links", lambda client, project: linked(project).workshop.links()),
    (
        "JoiningCode",
        "open_walk_ins",
        lambda client, project: [project.workshop.open_walk_ins("2999-06-01", by_hand=True)],
    ),
    ("CardHolder", "sign_in", lambda client, project: [card_holder(client, project)]),
    ("WalkedIn", "walk_in", lambda client, project: [walked_in(client, project)]),
    ("WalkIns", "walk_ins", lambda client, project: [project.workshop.walk_ins()]),
    ("WaitingWalkIn", "waiting", lambda client, project: waited_for(client, project).workshop.walk_ins()["waiting"]),
    ("Activities", "activities", lambda client, project: [project.workshop.activities()]),
    ("ActivityState", "activity", lambda client, project: [project.workshop.activities()["drawing"]]),
    (
        "Move",
        "moves",
        lambda client, project: [move for log in project.workshop.negotiation_logs() for move in log["moves"]],
    ),
    ("EsriFeature", "design_esri", lambda client, project: project.design(design(project), 1).esri()),
    ("GeometryProblem", "problems", lambda client, project: read_collection(collection(feature(BOW_TIE))).problems()),
    ("SystemCost", "costs.systems", lambda client, project: project.costs().systems),
    ("SystemChange", "compare_archives", lambda client, project: compare_archives(project, project).systems),
    ("DiagramChange", "compare_archives.diagrams", lambda client, project: renamed(project).diagrams),
    ("FieldChange", "compare_archives.fields", lambda client, project: renamed(project).diagrams[0]["fields"]),
    ("DiagramCost", "costs.diagrams", lambda client, project: project.costs().diagrams),
]


@pytest.mark.parametrize(("shape", "operation", "rows"), ROWS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_dict_has_the_keys_of_its_type(
    shape: str, operation: str, rows: Rows, client: Client, project: Project
) -> None:
    kind = getattr(types, shape)
    declared, required = set(kind.__annotations__), kind.__required_keys__
    returned: list[Mapping[str, Any]] = list(rows(client, project))
    assert returned, operation
    assert all(required <= set(row) <= declared for row in returned), declared ^ set().union(*returned)


def test_add_diagrams_returns_the_keys_of_its_type() -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        with pytest.warns(UserWarning, match="on constraints"):
            report = project.add_diagrams(1, project.study_area.boundaries(), title="bname")
        assert set(report[0]) == set(types.UploadedRow.__annotations__)


def test_sync_watch_and_presence_return_the_keys_of_their_types(tmp_path: Path) -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        assert set(project.sync(tmp_path / "staten.zip")) == set(types.SyncReport.__annotations__)
        changes = project.watch(interval=0.1, timeout=10)
        project.diagram(1001).set_notes("new")
        assert set(next(changes)) == set(types.ProjectChange.__annotations__)
        (present,) = project.presence()
        assert set(present) == set(types.PresentMember.__annotations__)


def test_every_type_is_that_of_an_argument_or_a_result() -> None:
    declared = {name for name, value in vars(types).items() if is_typeddict(value)}
    returned = {getattr(row, "values", row)[0] for row in ROWS} | {
        "ArchiveAllReport",
        # Compared with the responses in test_preview.py, test_land_of_diagrams.py,
        # test_service_costs.py and test_homes_and_storeys.py.
        "ClassedLand",
        "LandInClass",
        "LandOfDiagrams",
        "CostFigures",
        "DrawingFault",
        "EvaluatedPart",
        "GoodLand",
        "Quantity",
        "SystemAmount",
        "LandConflict",
        "OnConstraints",
        "Preview",
        # Compared with the responses in test_merging.py.
        "ConflictingValues",
        "LeftThing",
        "MergeConflict",
        "MergeReport",
        "MergedThing",
        # Compared with the response in test_administration.py.
        "AddedMembers",
        # Compared with the answers in test_login.py.
        "Identity",
        "WorkState",
        "UploadedRow",
        "SyncReport",
        "ProjectChange",
        "PresentMember",
    }
    assert declared == returned | {"NewTag", "NewSystem", "NewMember"}
