"""Administrators of one project: their rights end at their project."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from pygeodesign import Client, PermissionDeniedError, Project, Sandbox
from pygeodesign.types import NewSystem

BOUNDS = (-74.2, 40.5, -74.1, 40.6)
SYSTEMS = [NewSystem(name="Water", color="#2B7BBA")]


class Two(NamedTuple):
    """Two projects of one service, each with an administrator who is not its operator."""

    sandbox: Sandbox
    own: Project
    other: Project

    def project_with(self, token: str) -> Project:
        return Client(token, self.sandbox.url).project(self.own.id)


@pytest.fixture
def two() -> Iterator[Two]:
    with Sandbox(project=None) as sandbox:
        projects = []
        for name in ("ana", "ben"):
            sandbox.add_user(name)
            code = sandbox.creation_code()
            made = sandbox.client(name).create_project(code, title=name, bounds=BOUNDS, systems=SYSTEMS)
            projects.append(sandbox.project(made, username=name))
        yield Two(sandbox, *projects)


def test_the_operator_is_removed_by_nobody_else(two: Two) -> None:
    two.sandbox.add_user("admin")
    two.own.add_member("admin", administrator=True)
    for attempt in (
        lambda: two.own.member("admin").remove(),
        lambda: two.own.add_member("admin", administrator=False),
        lambda: two.own.workshop.remove_name("admin"),
    ):
        with pytest.raises(PermissionDeniedError, match="operator"):
            attempt()
    operator = two.sandbox.project(two.own.id, username="admin")
    assert operator.info()["projecttitle"] == "ana"
    # The operator leaves without being removed.
    operator.add_member("admin", administrator=False)


def test_who_makes_an_account_a_member_does_not_take_it_over(two: Two) -> None:
    """An account in no project yet could be added to any other project first."""
    two.sandbox.add_user("carla")
    token = two.sandbox.token("carla")
    two.own.add_member("carla")
    for attempt in (
        lambda: two.own.member("carla").add_token(),
        lambda: two.own.member("carla").tokens(),
        lambda: two.own.member("carla").withdraw_tokens(),
        lambda: two.own.workshop.remove_name("carla"),
    ):
        with pytest.raises(PermissionDeniedError, match="did not come with yours"):
            attempt()
    # Nor by adding it again.
    two.own.member("carla").remove()
    with pytest.raises(PermissionDeniedError):
        two.own.workshop.remove_name("carla")
    two.own.add_member("carla")
    with pytest.raises(PermissionDeniedError):
        two.own.member("carla").add_token()
    assert two.project_with(token).info()["projecttitle"] == "ana"


def test_administrators_answer_for_accounts_from_the_operator_or_a_joining_code(two: Two) -> None:
    two.sandbox.add_user("admin")
    two.own.add_member("admin", administrator=True)
    two.sandbox.add_user("dora")
    two.sandbox.project(two.own.id, username="admin").add_member("dora")
    assert two.project_with(two.own.member("dora").add_token()["token"]).info()["id"] == two.own.id
    # A membership that ended by mistake.
    two.own.member("dora").remove()
    two.own.add_member("dora")
    assert two.own.member("dora").add_token()["token"]

    code = two.own.workshop.open_walk_ins("2999-06-01")["code"]
    Client("nobody", two.sandbox.url).walk_in(code, "Zoe")
    assert two.own.member("Zoe").add_token()["token"]
    two.own.workshop.remove_name("Zoe")


def test_no_administrator_ends_the_cards_of_another_project(two: Two) -> None:
    code = two.own.workshop.open_walk_ins("2999-06-01")["code"]
    Client("nobody", two.sandbox.url).walk_in(code, "Zoe")
    card = two.own.member("Zoe").add_token()["token"]
    with pytest.raises(PermissionDeniedError, match="operator of the service to add"):
        two.other.add_member("Zoe")
    assert two.project_with(card).info()["id"] == two.own.id
