"""Every operation with an unknown id, or an id of another project, is not found and changes nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from demo import ADMINISTRATOR, STRANGER, Demo, running_demo
from documented_shapes import DETAIL, check
from operations import OPERATIONS, Operation
from pygeodesign import Client, Project

NOT_NUMBERS = ["no-such-id", "-1", "1.5", "1e3", "99999999999999999999", "1%2F2", "%C3%A9", "%00"]
NOT_IDS = ["no-such-id", "%2E%2E", "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9", "%00"]
# Unknown ids for each parameter of a path.
UNKNOWN_IDS = {
    "projectid": ["0000000000000000", "statenisland2050", "StatenIsland20500", *NOT_IDS],
    "diagramid": ["999999", *NOT_NUMBERS],
    "sysid": ["999999", *NOT_NUMBERS],
    "cteamid": ["999999", *NOT_NUMBERS],
    "layer_id": ["999999", *NOT_NUMBERS],
    "entry": ["999999", *NOT_NUMBERS],
    "synthesisid": ["0000000000000000", "A023631F09BC2E31", *NOT_IDS],
    "linkid": ["0000000000000000", *NOT_IDS],
    "tokenid": ["0000000000000000", *NOT_IDS],
    "name": ["nobody.known", "zoe", "%C3%A9", "%20", "%00"],
    "jobid": ["7c9e6679-7425-40de-944b-e07fc1f90ae7", *NOT_IDS],
    "username": ["nobody.known", "Jose.Villanueva", "%C3%A9", "%20", "%00"],
}


@pytest.fixture(scope="module")
def other_project() -> Iterator[tuple[Demo, dict[str, Any]]]:
    """The demo project, and ids of a second project that has the same administrator."""
    with running_demo() as demo:
        sandbox, administrator = demo.sandbox, demo.authorization(ADMINISTRATOR)
        client = sandbox.client(ADMINISTRATOR)
        creates = {row.operation: row for row in OPERATIONS if row.writes}
        demo.send(creates["create_project"], administrator)
        other = sandbox.project_ids[-1]
        project = client.project(other)
        system = project.systems()[0]["id"]
        diagram = project.add_diagram(system, demo.values["square"], title="Elsewhere", outside="allow").id
        demo.send(creates["study_area.add_layer"], administrator, projectid=other)
        # The history of this project is longer than that of the demo: its last entry has a number of its own.
        for number in range(30):
            project.diagram(diagram).set_notes(f"Note {number}")
        team = project.add_team("Elsewhere")["id"]
        project.add_member(STRANGER)
        generate = next(row for row in OPERATIONS if row.shape == "THUMBNAIL_JOB")
        job = demo.send(generate, administrator, projectid=other, diagramid=diagram).json()["results_url"]
        yield (
            demo,
            {
                "diagramid": diagram,
                "sysid": system,
                "cteamid": team,
                "layer_id": project.study_area.layers()[0]["id"],
                "entry": project.history()[0]["id"],
                "synthesisid": project.team(team).save("Elsewhere", [diagram])["id"],
                "jobid": job.split("/")[-2],
                "username": STRANGER,
                "linkid": project.workshop.add_link("Elsewhere", "2999-06-01")["id"],
                "name": waiting(client, project),
            },
        )


def waiting(client: Client, project: Project) -> str:
    """The name of a walk-in who waits to be admitted to a project."""
    code = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
    return client.walk_in(code, "Elsewhere")["username"]


# A token belongs to no project.
NOT_OF_A_PROJECT = {"projectid", "tokenid"}


@pytest.mark.slow
@pytest.mark.parametrize("parameter", UNKNOWN_IDS)
def test_an_unknown_id_is_not_found(parameter: str, demo: Demo) -> None:
    assert_not_found(demo, parameter, UNKNOWN_IDS[parameter])


@pytest.mark.parametrize("parameter", sorted(UNKNOWN_IDS.keys() - NOT_OF_A_PROJECT))
def test_an_id_of_another_project_is_not_found(parameter: str, other_project: tuple[Demo, dict[str, Any]]) -> None:
    demo, ids = other_project
    assert_not_found(demo, parameter, [ids[parameter]], operations=PROJECT_OPERATIONS)


def test_a_design_of_another_team_is_not_found(demo: Demo) -> None:
    assert_not_found(demo, "cteamid", [2], "synthesisid")


def test_a_thumbnail_of_another_diagram_is_not_found(demo: Demo) -> None:
    assert_not_found(demo, "diagramid", [1001], "jobid")


PROJECT_OPERATIONS = [operation for operation in OPERATIONS if not operation.path.startswith("/")]


def assert_not_found(
    demo: Demo, parameter: str, ids: list[Any], other_parameter: str = "", operations: list[Operation] = OPERATIONS
) -> None:
    """Requests every operation whose path has the parameter, and the other one if given, with each of the ids."""
    # One makes a user of the service a member.
    adds_members = ("PUT", "members/{username}/")
    operations = [
        row
        for row in operations
        if f"{{{parameter}}}" in row.template and f"{{{other_parameter}" in row.template and row[:2] != adds_members
    ]
    assert operations
    for operation in operations:
        before = demo.content()
        for unknown_id in ids:
            response = demo.send(operation, demo.authorization(ADMINISTRATOR), **{parameter: unknown_id})
            # The selection of a user who is not a member is denied.
            is_denied = parameter == "username" and not operation.path.startswith("/")
            assert response.status_code == (403 if is_denied else 404), (str(operation), unknown_id)
            check(response.json(), DETAIL, f"{operation} of {unknown_id}")
        assert demo.content() == before, str(operation)
