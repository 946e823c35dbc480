"""`Sandbox`, the service inside this process: starting, using and stopping it."""

import asyncio
import gc
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders import collection, feature, square
from database import snapshot
from pygeodesign import (
    AuthenticationError,
    Client,
    ConfigurationError,
    InputError,
    PermissionDeniedError,
    Project,
    Sandbox,
    TransportError,
)


def test_a_sandbox_has_a_url_users_project_ids_and_a_repr(sandbox: Sandbox) -> None:
    assert sandbox.url.startswith("http://127.0.0.1:")
    assert sandbox.url.endswith("/api/v1/")
    assert sandbox.usernames == sorted(sandbox.usernames)
    assert sandbox.project_ids == ["StatenIsland2050"]
    assert repr(sandbox) == f"<Sandbox running at {sandbox.url}>"


def test_each_user_has_one_token_which_stays_the_same(sandbox: Sandbox) -> None:
    tokens = [sandbox.token(user) for user in sandbox.usernames]
    assert len(set(tokens)) == len(sandbox.usernames)
    assert tokens == [sandbox.token(user) for user in sandbox.usernames]
    assert sandbox.token() == sandbox.token("admin")


def test_a_client_can_use_the_token_of_a_user(sandbox: Sandbox) -> None:
    assert len(Client(sandbox.token("tom.brennan"), sandbox.url).projects()) == 1


def test_two_sandboxes_have_different_tokens(sandbox: Sandbox) -> None:
    with Sandbox() as other:
        assert other.token() != sandbox.token()


def test_both_clients_of_a_sandbox_have_the_token_of_the_user(sandbox: Sandbox) -> None:
    async def titles() -> list[str | None]:
        return [project["projecttitle"] for project in await sandbox.async_client("tom.brennan").projects()]

    assert [project["projecttitle"] for project in sandbox.client("tom.brennan").projects()] == asyncio.run(titles())


def project_of(sandbox: Sandbox, username: str) -> Project:
    return sandbox.project(username=username)


@pytest.mark.parametrize(
    "method", [Sandbox.token, Sandbox.client, Sandbox.async_client, project_of, Sandbox.remove_user]
)
def test_the_error_for_an_unknown_user_lists_the_known_ones(
    method: Callable[[Sandbox, str], object], sandbox: Sandbox
) -> None:
    with pytest.raises(InputError, match=r"nobody.*admin.*yusuf\.demir"):
        method(sandbox, "nobody")


def test_a_token_that_was_withdrawn_is_replaced_by_a_new_one() -> None:
    with Sandbox() as sandbox:
        operator, before = sandbox.client(), sandbox.token("tom.brennan")
        for token in operator.tokens():
            if token["username"] == "tom.brennan":
                operator.withdraw_token(token["id"])
        assert sandbox.token("tom.brennan") != before
        assert sandbox.client("tom.brennan").projects()


def test_the_project_of_a_sandbox_is_the_newest_one_unless_another_is_named() -> None:
    area: Any = {"bounds": (-9.23, 38.69, -9.09, 38.80), "systems": [{"name": "Water", "color": "#2B7BBA"}]}
    with Sandbox() as sandbox:
        assert sandbox.project().id == "StatenIsland2050"
        lisbon = sandbox.client().create_project(sandbox.creation_code(), title="Lisbon", **area)
        assert (sandbox.project().id, sandbox.project("StatenIsland2050").id) == (lisbon, "StatenIsland2050")
        sandbox.project().add_member("tom.brennan")
        member = sandbox.project(lisbon, username="tom.brennan")
        assert member.info()["projecttitle"] == "Lisbon"
        with pytest.raises(PermissionDeniedError):
            member.undo(1)


def test_the_error_for_an_unknown_project_lists_the_known_ones(sandbox: Sandbox) -> None:
    with pytest.raises(InputError, match=r"Nowhere000000000.*StatenIsland2050"):
        sandbox.project("Nowhere000000000")
    with pytest.raises(InputError, match="Lisbon"):
        sandbox.project("Lisbon")


def test_a_sandbox_without_a_project_says_how_to_get_one() -> None:
    with Sandbox(project=None) as sandbox, pytest.raises(InputError, match=r"has no project.*setup="):
        sandbox.project()


# Setups


LISBON: dict[str, Any] = {
    "title": "Lisbon",
    "bounds": "-9.23,38.69,-9.09,38.80",
    "systems": [{"name": "Water", "color": "#2B7BBA", "budget": 5e6}],
    "administrators": ["ana"],
    "teams": [{"title": "Planners", "members": ["ana"]}],
}


@pytest.mark.parametrize("is_file", [True, False])
def test_a_setup_is_a_dict_or_a_file_with_its_maps_beside_it(is_file: bool, tmp_path: Path) -> None:
    area = collection(feature(square(-9.2, 38.7, 0.1), bname="Parish"))
    (tmp_path / "area.geojson").write_text(json.dumps(area), encoding="utf-8")
    boundaries = {"file": "area.geojson"} if is_file else {"geojson": area}
    content = {"new_projects": [LISBON | {"boundaries": boundaries}], "limits": {"connections": 30}}
    file = tmp_path / "setup.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    setup: Any = file if is_file else content
    with Sandbox(project=None, setup=setup) as sandbox:
        project = sandbox.project(username="ana")
        assert project.system("Water")["budget"] == 5e6
        assert project.team(project.teams()[0]["id"]).members() == ["ana"]
        assert [row["properties"]["bname"] for row in project.study_area.boundaries()] == ["Parish"]
        assert {limit["value"] for limit in sandbox.client("ana").limits() if limit["name"] == "connections"} == {30}
    with Sandbox(project=None, setup=setup, limits={"connections": 40}) as sandbox:
        assert {limit["value"] for limit in sandbox.client("ana").limits() if limit["name"] == "connections"} == {40}


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ({"user": ["ana"]}, 'setup.*there is no field "user"'),
        ({"users": [7]}, r"setup\.users\[0\]"),
        ({"users": {"ana"}}, "setup: .*set is not JSON serializable"),
        (
            {"projects": {"StatenIsland2050": {"systems": {1: {"evaluation": 3}}}}},
            r"setup\.projects\S*\.evaluation: 3 is not",
        ),
        ({"limits": {"conections": 3}}, "conections"),
        ({"projects": {"Nowhere000000000": {}}}, "Nowhere000000000.*StatenIsland2050"),
        ({"projects": {"StatenIsland2050": {"systems": {1: {"budget": -5}}}}}, "budget of system 1 .* not -5"),
        ({"projects": {"StatenIsland2050": {"systems": {1: {"cost": float("nan")}}}}}, "setup: "),
        ({"projects": {"StatenIsland2050": {"teams": [{"title": "T", "members": ["nobody"]}]}}}, "nobody"),
        ("missing.json", "missing.json"),
    ],
    ids=str,
)
def test_a_setup_that_is_impossible_is_named_and_nothing_of_it_is_done(
    setup: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path):
        pass
    before = snapshot(path)
    with pytest.raises(InputError, match=message):
        Sandbox(path, setup={"users": ["dora"]} | setup if isinstance(setup, dict) else tmp_path / setup)
    assert snapshot(path) == before


def test_who_was_removed_is_not_brought_back_by_a_setup(tmp_path: Path) -> None:
    path, setup = tmp_path / "service.sqlite", {"users": ["ana", "ben"]}
    with Sandbox(path, setup=setup) as sandbox:
        sandbox.remove_user("ben")
    with pytest.warns(UserWarning, match="not added again: ben"), Sandbox(path, setup=setup) as sandbox:
        assert "ana" in sandbox.usernames and "ben" not in sandbox.usernames


# Databases and addresses


def test_several_sandboxes_run_side_by_side(sandbox: Sandbox) -> None:
    with Sandbox() as one, Sandbox(project=None) as other:
        assert len({sandbox.url, one.url, other.url}) == 3
        assert one.client().projects() == sandbox.client().projects()


def test_a_sandbox_without_a_project_is_empty() -> None:
    with Sandbox(project=None) as empty:
        assert (empty.project_ids, empty.usernames) == ([], [])


def test_an_unknown_demo_project_is_an_input_error() -> None:
    with pytest.raises(InputError, match="Atlantis"):
        Sandbox(project="Atlantis")


@pytest.mark.parametrize("as_text", [True, False])
def test_a_sandbox_with_a_file_keeps_its_content_and_tokens(as_text: bool, tmp_path: Path) -> None:
    path: str | Path = f"{tmp_path}/service.sqlite" if as_text else tmp_path / "service.sqlite"
    with Sandbox(path) as first:
        token, projects = first.token("tom.brennan"), first.client().projects()
    assert (tmp_path / "service.sqlite").exists()
    with Sandbox(path, project=None) as second:
        assert second.client().projects() == projects
        assert Client(token, second.url).projects() == projects


def test_reopening_a_file_does_not_add_the_demo_project_again(tmp_path: Path) -> None:
    for _ in range(2):
        with Sandbox(tmp_path / "service.sqlite") as sandbox:
            assert sandbox.project_ids == ["StatenIsland2050"]


def test_a_file_that_cannot_be_opened_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"missing.*service\.sqlite"):
        Sandbox(tmp_path / "missing" / "service.sqlite")


def test_a_file_that_is_not_a_database_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam, " * 100, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"letter\.txt"):
        Sandbox(tmp_path / "letter.txt")


def test_a_file_that_is_not_a_database_is_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam, " * 100, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        Sandbox(path)
    assert path.read_text(encoding="utf-8") == "Dear Sir or Madam, " * 100


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_sandbox_listens_on_loopback_addresses_only(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1"):
        Sandbox(host=host)


def test_a_port_in_use_is_named_in_the_error(sandbox: Sandbox) -> None:
    port = int(sandbox.url.split(":")[2].partition("/")[0])
    with pytest.raises(ConfigurationError, match=str(port)):
        Sandbox(port=port)


def test_a_sandbox_listens_on_the_given_host_and_port() -> None:
    with Sandbox() as first:
        port = int(first.url.split(":")[2].partition("/")[0])
    with Sandbox(host="localhost", port=port) as second:
        assert second.url.endswith(f":{port}/api/v1/")
        assert second.client().projects()


def test_a_request_to_a_stopped_sandbox_fails_at_once() -> None:
    sandbox = Sandbox()
    client = Client(sandbox.token(), sandbox.url, retries=0)
    assert client.projects()
    sandbox.stop()
    start = time.perf_counter()
    with pytest.raises(TransportError):
        client.projects()
    assert time.perf_counter() - start < 2
    assert repr(sandbox) == f"<Sandbox stopped at {sandbox.url}>"


def test_a_sandbox_can_be_stopped_twice() -> None:
    sandbox = Sandbox()
    sandbox.stop()
    sandbox.stop()


def test_leaving_the_context_stops_the_sandbox() -> None:
    with Sandbox() as sandbox:
        client = Client(sandbox.token(), sandbox.url, retries=0)
    with pytest.raises(TransportError):
        client.projects()


def client_alone() -> Client:
    sandbox = Sandbox(project=None)
    sandbox.add_user("ana.sousa")
    return sandbox.client("ana.sousa")


def project_alone() -> Project:
    return Sandbox().client().project("StatenIsland2050")


def is_running(url: str) -> bool:
    try:
        Client("token", url, retries=0).projects()
    except TransportError:
        return False
    except AuthenticationError:
        return True
    raise AssertionError("nobody has that token")


def test_a_sandbox_runs_as_long_as_a_client_or_a_project_of_it_lives() -> None:
    client, project = client_alone(), project_alone()
    gc.collect()
    assert client.projects() == []
    assert project.info()["projecttitle"] == "Staten Island 2050"
    url = client.base_url
    assert is_running(url)
    del client
    gc.collect()
    assert not is_running(url)


def test_a_sandbox_runs_as_long_as_an_async_client_of_it_lives() -> None:
    sandbox = Sandbox(project=None)
    sandbox.add_user("ana.sousa")
    client = sandbox.async_client("ana.sousa")
    del sandbox
    gc.collect()
    assert asyncio.run(client.projects()) == []


def test_a_sandbox_that_is_stopped_does_not_wait_for_its_clients() -> None:
    with Sandbox() as sandbox:
        client = sandbox.client()
    assert not is_running(client.base_url)


def test_the_project_of_a_setup_without_the_member_admin_is_that_of_an_administrator() -> None:
    area = collection(feature(square(-9.2, 38.7, 0.1)))
    new = {"title": "Lisbon", "members": ["ana", "ben"], "administrators": ["ben"], "boundaries": {"geojson": area}}
    system = {"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 1}
    with Sandbox(project=None, setup={"new_projects": [new | {"systems": [system]}]}) as sandbox:
        project = sandbox.project()
        assert project.system("Water").edit(budget=5).budget == 5
        assert project.history()[0]["username"] == "ben"
        with pytest.raises(InputError, match="nobody"):
            sandbox.project(username="nobody")
