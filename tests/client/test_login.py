"""One login: `Client.login()` and `pygeodesign login` save it, and clients, notebooks and the command line use it."""

import asyncio
import getpass
import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import output_of, run
from fake_service import FakeService
from pygeodesign import AsyncClient, AuthenticationError, Client, ConfigurationError, Sandbox, TransportError
from small_project import ADMINISTRATOR, Workshop

MEMBER = "amara.okafor"
TITLE = "Staten Island 2050"
POSIX = pytest.mark.skipif(os.name != "posix", reason="other systems have other rights of files")


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user who has never logged in."""
    for name in ("GEODESIGN_TOKEN", "GEODESIGN_URL", "GEODESIGN_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "pygeodesign"


@pytest.fixture
def enter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what a person enters; returns the prompts."""

    def entering(text: str) -> list[str]:
        prompts: list[str] = []

        def ask(prompt: str = "") -> str:
            prompts.append(prompt)
            return text

        monkeypatch.setattr(getpass, "getpass", ask)
        return prompts

    return entering


def titles(client: Client) -> list[str | None]:
    return [project["projecttitle"] for project in client.projects()]


# Logging in


def test_a_login_in_python_is_for_clients_and_commands(
    sandbox: Sandbox, settings: Path, tmp_path: Path, enter: Any
) -> None:
    prompts = enter(f" {sandbox.token(MEMBER)}\n")
    client = Client.login(sandbox.url)
    assert "Token for" in prompts[0] and "not shown" in prompts[0]
    assert titles(client) == titles(Client()) == [TITLE]
    assert TITLE in output_of(tmp_path, "projects")

    async def awaited() -> int:
        async with AsyncClient() as client:
            return len(await client.projects())

    assert asyncio.run(awaited()) == 1
    if os.name == "posix":
        assert stat.S_IMODE((settings / "login.json").stat().st_mode) == 0o600


def test_a_login_at_the_command_line_is_for_clients(sandbox: Sandbox, tmp_path: Path) -> None:
    assert run(tmp_path, "login", "--url", sandbox.url, stdin=sandbox.token(MEMBER)).code == 0
    assert Client().whoami() == {"service": sandbox.url, "profile": "default", "username": MEMBER}
    assert run(tmp_path, "logout").code == 0
    with pytest.raises(ConfigurationError, match="no token"):
        Client()


def test_without_an_address_the_link_of_a_card_is_asked_for(sandbox: Sandbox, enter: Any) -> None:
    prompts = enter(f"{sandbox.url.removesuffix('api/v1/')}join/#{MEMBER}:{sandbox.token(MEMBER)}")
    assert Client.login().whoami()["username"] == MEMBER
    assert "Link of your card" in prompts[0]
    assert Client().base_url == sandbox.url


def test_a_login_may_be_awaited(sandbox: Sandbox, enter: Any) -> None:
    async def awaited(*address: str) -> Any:
        async with await AsyncClient.login(*address) as client:
            return await client.whoami()

    enter(sandbox.token(MEMBER))
    assert asyncio.run(awaited(sandbox.url))["username"] == Client().whoami()["username"] == MEMBER
    enter(f"{sandbox.url.removesuffix('api/v1/')}join/#admin:{sandbox.token('admin')}")
    assert asyncio.run(awaited())["username"] == Client().whoami()["username"] == "admin"


def test_a_token_that_the_service_does_not_accept_is_not_saved(sandbox: Sandbox, settings: Path, enter: Any) -> None:
    enter("s3cr3t")
    with pytest.raises(AuthenticationError) as refused:
        Client.login(sandbox.url)
    assert "s3cr3t" not in str(refused.value) and not settings.exists()


def test_a_service_that_does_not_answer_saves_nothing(settings: Path, enter: Any) -> None:
    enter("token")
    with pytest.raises(TransportError):
        Client.login("http://127.0.0.1:9", retries=0)
    assert not settings.exists()


def test_settings_of_a_login_are_those_of_its_client(sandbox: Sandbox, enter: Any) -> None:
    enter(sandbox.token())
    with pytest.raises(ConfigurationError, match="timeout"):
        Client.login(sandbox.url, timeout=0)
    assert titles(Client.login(sandbox.url, timeout=20)) == [TITLE]


@pytest.mark.parametrize("error", [EOFError(), NotImplementedError("no frontend")])
def test_where_nobody_can_be_asked_the_error_says_what_to_set(
    error: Exception, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_prompt: str) -> str:
        raise error

    monkeypatch.setattr(getpass, "getpass", refuse)
    with pytest.raises(ConfigurationError, match="set GEODESIGN_URL and GEODESIGN_TOKEN"):
        Client.login(sandbox.url)


def test_nothing_shows_the_token_of_a_login(sandbox: Sandbox, enter: Any, capfd: pytest.CaptureFixture[str]) -> None:
    enter(sandbox.token(MEMBER))
    client = Client.login(sandbox.url)
    shown = repr(client) + client._repr_html_() + str(client.whoami()) + "".join(capfd.readouterr())
    assert sandbox.token(MEMBER) not in shown


# Profiles


def test_profiles_are_logins_beside_each_other(
    sandbox: Sandbox, workshop: Workshop, tmp_path: Path, enter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(sandbox.token(MEMBER))
    Client.login(sandbox.url)
    other = workshop.sandbox
    assert (
        run(tmp_path, "login", "--url", other.url, "--profile", "teaching", stdin=other.token(ADMINISTRATOR)).code == 0
    )
    assert Client().whoami()["username"] == MEMBER
    assert Client(profile="teaching").whoami() == {
        "service": other.url,
        "profile": "teaching",
        "username": ADMINISTRATOR,
    }
    assert TITLE in output_of(tmp_path, "projects")
    assert TITLE not in output_of(tmp_path, "projects", "--profile", "teaching")
    assert TITLE not in output_of(tmp_path, "projects", GEODESIGN_PROFILE="teaching")
    monkeypatch.setenv("GEODESIGN_PROFILE", "teaching")
    assert Client().base_url == other.url
    assert run(tmp_path, "logout", "--profile", "teaching").code == 0
    for given in (None, "teaching"):
        with pytest.raises(ConfigurationError, match="no login with the profile teaching"):
            Client(profile=given)
    monkeypatch.delenv("GEODESIGN_PROFILE")
    assert Client().base_url == sandbox.url


@pytest.mark.parametrize("name", ["", "../other", "a b", "a" * 65])
def test_a_profile_is_no_path(name: str) -> None:
    with pytest.raises(ConfigurationError, match="letters, digits"):
        Client(profile=name)


def test_a_profile_stands_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="leave them out"):
        Client(sandbox.token(), profile="teaching")
    assert run(tmp_path, "projects", "--url", sandbox.url, "--profile", "teaching").code == 2


def test_a_pickled_client_needs_no_file(sandbox: Sandbox, settings: Path, enter: Any) -> None:
    enter(sandbox.token())
    pickled = pickle.dumps(Client.login(sandbox.url))
    (settings / "login.json").unlink()
    assert titles(pickle.loads(pickled)) == [TITLE]


# What comes first


def test_arguments_come_before_the_environment_and_the_environment_before_the_login(
    sandbox: Sandbox, workshop: Workshop, enter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(sandbox.token(MEMBER))
    Client.login(sandbox.url, profile="mine")
    Client.login(sandbox.url)
    monkeypatch.setenv("GEODESIGN_URL", workshop.sandbox.url)
    monkeypatch.setenv("GEODESIGN_TOKEN", workshop.sandbox.token(ADMINISTRATOR))
    assert Client().whoami() == {"service": workshop.sandbox.url, "profile": None, "username": ADMINISTRATOR}
    assert Client(sandbox.token("admin"), sandbox.url).whoami()["username"] == "admin"
    assert Client(profile="mine").whoami()["username"] == MEMBER


def test_a_saved_token_goes_to_its_own_service_only(
    sandbox: Sandbox, enter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(sandbox.token(MEMBER))
    Client.login(sandbox.url)
    assert titles(Client(base_url=sandbox.url.removesuffix("/api/v1/"))) == [TITLE]
    with FakeService(root={"projects/": []}) as other:
        with pytest.raises(ConfigurationError, match="no token"):
            Client(base_url=other.url)
        monkeypatch.setenv("GEODESIGN_URL", other.url)
        with pytest.raises(ConfigurationError, match="no token"):
            Client()
        assert run(tmp_path, "projects", GEODESIGN_URL=other.url).code == 3
        assert not other.requests


def test_another_token_does_not_go_to_the_saved_service(
    sandbox: Sandbox, enter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(sandbox.token(MEMBER))
    Client.login(sandbox.url)
    with pytest.raises(ConfigurationError, match="no base_url"):
        Client("token")
    ended = run(tmp_path, "projects", GEODESIGN_TOKEN="token")
    assert ended.code == 2 and "unset GEODESIGN_TOKEN to use the login" in ended.messages


def test_the_error_without_a_token_names_all_ways_to_give_one() -> None:
    with pytest.raises(ConfigurationError) as refused:
        Client()
    for way in ("pygeodesign login", "Client.login()", "token=", "GEODESIGN_TOKEN", "API page", "Client.join"):
        assert way in str(refused.value)


# Files


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(mode: int, sandbox: Sandbox, settings: Path, enter: Any) -> None:
    enter(sandbox.token())
    Client.login(sandbox.url)
    (settings / "login.json").chmod(mode)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        Client()
    # It is not needed here.
    assert titles(Client(sandbox.token(), sandbox.url)) == [TITLE]


def test_a_damaged_file_is_named_and_not_shown(settings: Path) -> None:
    settings.mkdir(parents=True)
    (settings / "login.json").write_text('{"url": "https://a.org", "token": "s3cr3t"')
    (settings / "login.json").chmod(0o600)
    with pytest.raises(ConfigurationError, match=r"login\.json is damaged") as refused:
        Client()
    assert "s3cr3t" not in str(refused.value)


def test_a_file_of_an_earlier_version_is_the_default_profile(sandbox: Sandbox, settings: Path) -> None:
    settings.mkdir(parents=True)
    file = settings / "login.json"
    file.write_text(json.dumps({"url": sandbox.url, "token": sandbox.token(MEMBER)}))
    file.chmod(0o600)
    assert Client().whoami()["profile"] == "default"


@POSIX
def test_where_no_file_can_be_written_the_error_says_what_to_set(
    sandbox: Sandbox, enter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    enter(sandbox.token())
    with pytest.raises(ConfigurationError, match=r"cannot be written.*XDG_CONFIG_HOME.*GEODESIGN_TOKEN"):
        Client.login(sandbox.url)
    assert titles(Client(sandbox.token(), sandbox.url)) == [TITLE]
    with pytest.raises(ConfigurationError, match="no token"):
        Client()


@POSIX
def test_a_container_without_a_home_a_name_and_a_folder_for_drafts_needs_no_file(sandbox: Sandbox) -> None:
    script = (
        "import getpass, os\n"
        "from pygeodesign import Client, errors\n"
        "Client().projects()  # imports, which another user may not read\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(54321); os.setuid(54321)\n"
        "print(len(Client().projects()))\n"
        "getpass.getpass = lambda prompt: os.environ['GEODESIGN_TOKEN']\n"
        "try: Client.login()\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    path = os.environ["PATH"]
    variables = {
        "PATH": path,
        "GEODESIGN_URL": sandbox.url,
        "GEODESIGN_TOKEN": sandbox.token(),
        "TMPDIR": "/nonexistent",
    }
    homes: list[dict[str, str]] = [{"HOME": "/"}, {"HOME": "/nonexistent"}, {"HOME": ""}]
    if os.getuid() == 0:
        # The user of the test has a home; one without a name has none.
        homes.append({})
    for home in homes:
        ended = subprocess.run(
            [sys.executable, "-c", script], env=variables | home, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == 0, ended.stderr
        count, told = ended.stdout.splitlines()
        assert count == "1" and told.startswith("ConfigurationError") and "XDG_CONFIG_HOME" in told, (home, told)


# Who


def test_whoami_names_the_member(sandbox: Sandbox, tmp_path: Path) -> None:
    assert sandbox.client(MEMBER).whoami() == {"service": sandbox.url, "profile": None, "username": MEMBER}

    async def awaited() -> Any:
        async with sandbox.async_client(MEMBER) as client:
            return await client.whoami()

    assert asyncio.run(awaited())["username"] == MEMBER


def test_a_guest_and_a_user_of_a_foreign_service_have_no_name(workshop: Workshop) -> None:
    project = workshop.sandbox.client(ADMINISTRATOR).project(workshop.id)
    token = project.workshop.add_link("City council", "2999-06-01")["path"].rpartition(":")[2]
    assert Client(token, workshop.sandbox.url).whoami()["username"] is None
    with FakeService(root={"projects/": []}) as foreign:
        assert foreign.client().whoami() == {"service": foreign.url, "profile": None, "username": None}


def test_whoami_accepts_no_wrong_token(sandbox: Sandbox) -> None:
    with pytest.raises(AuthenticationError):
        Client("wrong", sandbox.url).whoami()
