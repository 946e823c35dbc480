"""An id of nothing, or of something elsewhere, is not found, whatever is asked of it; nothing is changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from demo import ADMINISTRATOR, STRANGER, Demo, demo_in
from documented_shapes import DETAIL, check
from operations import OPERATIONS

NO_NUMBER = ["no-such-id", "-1", "1.5", "1e3", "99999999999999999999", "1%2F2", "%C3%A9", "%00"]
NO_TEXT = ["no-such-id", "%2E%2E", "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9", "%00"]
# For each place in a path: what is nothing there.
NOTHING = {
    "projectid": ["0000000000000000", "statenisland2050", "StatenIsland20500", *NO_TEXT],
    "diagramid": ["999999", *NO_NUMBER],
    "sysid": ["999999", *NO_NUMBER],
    "cteamid": ["999999", *NO_NUMBER],
    "layer_id": ["999999", *NO_NUMBER],
    "synthesisid": ["0000000000000000", "A023631F09BC2E31", *NO_TEXT],
    "jobid": ["7c9e6679-7425-40de-944b-e07fc1f90ae7", *NO_TEXT],
    "username": ["nobody.known", "Jose.Villanueva", "%C3%A9", "%20", "%00"],
}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Demo, dict[str, Any]]]:
    """The demo project, and the ids of a second one that has the same administrator."""
    with demo_in(tmp_path_factory.mktemp("elsewhere")) as demo:
        sandbox, administrator = demo.sandbox, demo.authorization(ADMINISTRATOR)
        client = sandbox.client(ADMINISTRATOR)
        creates = {row.operation: row for row in OPERATIONS if row.writes}
        demo.ask(creates["create_project"], administrator)
        other = sandbox.project_ids[1]
        project = client.project(other)
        system = project.systems()[0]["id"]
        diagram = int(project.add_diagram(system, demo.values["square"], title="Elsewhere")["diagram_id"])
        demo.ask(creates["add_layer"], administrator, projectid=other)
        team = sandbox.add_team(other, "Elsewhere")
        sandbox.add_member(other, STRANGER)
        generate = next(row for row in OPERATIONS if row.shape == "THUMBNAIL_JOB")
        job = demo.ask(generate, administrator, projectid=other, diagramid=diagram).json()["results_url"]
        yield (
            demo,
            {
                "diagramid": diagram,
                "sysid": system,
                "cteamid": team,
                "layer_id": project.layers()[0]["id"],
                "synthesisid": sandbox.add_design(other, team, "Elsewhere", [diagram]),
                "jobid": job.split("/")[-2],
                "username": STRANGER,
            },
        )


@pytest.mark.parametrize("place", NOTHING)
def test_what_does_not_exist_is_not_found(place: str, demo: Demo) -> None:
    assert_not_found(demo, place, NOTHING[place])


@pytest.mark.parametrize("place", [place for place in NOTHING if place != "projectid"])
def test_what_belongs_to_another_project_is_not_found(place: str, elsewhere: tuple[Demo, dict[str, Any]]) -> None:
    demo, ids = elsewhere
    assert_not_found(demo, place, [ids[place]])


def test_a_design_is_found_below_its_own_team_only(demo: Demo) -> None:
    assert_not_found(demo, "cteamid", [2], "synthesisid")


def test_a_thumbnail_is_found_below_its_own_diagram_only(demo: Demo) -> None:
    assert_not_found(demo, "diagramid", [1001], "jobid")


def assert_not_found(demo: Demo, place: str, ids: list[Any], beside: str = "") -> None:
    """Asks every operation that has the place, and the one beside it, in its path."""
    operations = [row for row in OPERATIONS if f"{{{place}}}" in row.template and f"{{{beside}" in row.template]
    assert operations
    for operation in operations:
        before = demo.content()
        for each in ids:
            answer = demo.ask(operation, demo.authorization(ADMINISTRATOR), **{place: each})
            # A selection is asked of a member; nobody else has one.
            assert answer.status_code == (403 if place == "username" else 404), (str(operation), each)
            check(answer.json(), DETAIL, f"{operation} of {each}")
        assert demo.content() == before, str(operation)
