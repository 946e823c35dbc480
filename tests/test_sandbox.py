"""`Sandbox`, the service inside this process: how it is started, used and stopped."""

import asyncio
import gc
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pygeodesign import (
    AuthenticationError,
    Client,
    ConfigurationError,
    InputError,
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


@pytest.mark.parametrize("method", [Sandbox.token, Sandbox.client, Sandbox.async_client])
def test_the_error_for_an_unknown_user_lists_the_known_ones(
    method: Callable[[Sandbox, str], object], sandbox: Sandbox
) -> None:
    with pytest.raises(InputError, match=r"nobody.*admin.*yusuf\.demir"):
        method(sandbox, "nobody")


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
