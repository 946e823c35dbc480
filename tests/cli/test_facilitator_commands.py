"""Facilitators' commands, on the database of a service that runs or has stopped."""

import csv
import html
import io
import json
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import requests

from commands import output_of_process as output_of
from commands import run_as_process as run
from commands import signed_in
from pygeodesign import AuthenticationError, Client, Project, Sandbox
from serving import running_service
from small_project import ADMINISTRATOR, BOUNDS, MEMBER, STRANGER, SYSTEMS, Workshop, running_workshop

pytestmark = pytest.mark.unix


@pytest.fixture(params=["running", "stopped"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The database of a small project, while its service runs and after it has stopped."""
    path = tmp_path / "workshop.sqlite"
    with running_workshop(path):
        if request.param == "running":
            yield path
    if request.param == "stopped":
        yield path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_users_are_listed_added_and_removed(database: Path, tmp_path: Path) -> None:
    command = ["users", "lisbon", "--db", database, "--add", "new member", "--administrator", "dora", "--json"]
    added = {row["username"]: row for row in json.loads(output_of(tmp_path, *command))}
    assert added.keys() == {ADMINISTRATOR, MEMBER, "dora", "new member"}
    assert added["dora"]["administers"] == added["dora"]["projects"] and added["new member"]["administers"] == []
    output_of(tmp_path, "users", "--db", database, "--remove", "new member")
    everybody = output_of(tmp_path, "users", "--db", database)
    assert "dora" in everybody and "new member" not in everybody
    unknown = run(tmp_path, "users", "--db", database, "--remove", "nobody")
    assert unknown.code == 2 and "nobody" in unknown.messages


def test_teams_are_listed_added_and_removed(database: Path, tmp_path: Path) -> None:
    command = ["teams", "--db", database, "--team", f"Old town={MEMBER},{ADMINISTRATOR}", "--team", "Empty="]
    assert f"{ADMINISTRATOR}, {MEMBER}" in output_of(tmp_path, *command)
    assert "Old town" not in output_of(tmp_path, "teams", "--db", database, "--remove", "Old town")
    refused = run(tmp_path, "teams", "--db", database, "--team", "Empty=nobody")
    assert refused.code == 2 and "nobody is not a member" in refused.messages


def test_an_administrator_changes_teams_of_a_service_elsewhere(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        administrator, member = (signed_in(workshop.sandbox, name) for name in (ADMINISTRATOR, MEMBER))
        command = ["teams", "--team", f"Old town={MEMBER}", "--team", "Empty="]
        assert MEMBER in output_of(tmp_path, *command, **administrator)
        assert output_of(tmp_path, *command, **administrator) == output_of(tmp_path, "teams", **member)
        assert "Old town" not in output_of(tmp_path, "teams", "--remove", "Old town", **administrator)
        assert run(tmp_path, "teams", "--remove", "Old town", **administrator).code == 4
        assert run(tmp_path, "teams", "--team", "Mine=", **member).code == 3


def test_the_operator_does_the_same_on_a_service_elsewhere(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        workshop.sandbox.add_user("admin")
        operator, member = (signed_in(workshop.sandbox, name) for name in ("admin", MEMBER))
        added = run(tmp_path, "users", "--add", "dora", "--csv", **operator)
        assert [row["projects"] for row in rows(added.output) if row["username"] == "dora"] == [""]
        assert "You are in no project" in added.messages
        (issued,) = rows(output_of(tmp_path, "tokens", "--user", "dora", "--csv", **operator))
        assert issued["address"] == workshop.sandbox.url
        dora = Client(issued["token"], workshop.sandbox.url)
        assert dora.projects() == []
        # The project of others is named by its id.
        of_members = rows(output_of(tmp_path, "tokens", workshop.id, "--csv", "--cards", "cards.html", **operator))
        assert [row["username"] for row in of_members] == [ADMINISTRATOR, MEMBER]
        assert "Copied" in output_of(tmp_path, "backup", "copy.sqlite", **operator)
        output_of(tmp_path, "users", "--remove", "dora", **operator)
        with pytest.raises(AuthenticationError):
            dora.projects()
        for command in (["users"], ["backup", "other.sqlite"]):
            refused = run(tmp_path, *command, **member)
            assert refused.code == 3 and "Only the operator" in refused.messages
    with Sandbox(tmp_path / "copy.sqlite", project=None) as copied:
        assert copied.client("dora").projects() == []
    assert not (tmp_path / "other.sqlite").exists()
    (tmp_path / "notes.txt").write_text("mine")
    refused = run(tmp_path, "backup", "notes.txt", **operator)
    assert refused.code == 1 and "cannot replace" in refused.messages
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_administrator_changes_members_of_a_service_elsewhere(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        administrator, member = (signed_in(workshop.sandbox, name) for name in (ADMINISTRATOR, MEMBER))
        assert STRANGER in output_of(tmp_path, "members", "--add", STRANGER, **administrator)
        output_of(tmp_path, "members", "--administrator", MEMBER, "--remove", STRANGER, **administrator)
        assert output_of(tmp_path, "members", "--csv", **member).split() == ["username", ADMINISTRATOR, MEMBER]
        unknown = run(tmp_path, "members", "--add", STRANGER, "--remove", "nobody", **administrator)
        assert unknown.code == 2 and "nobody" in unknown.messages
        assert STRANGER not in output_of(tmp_path, "members", **administrator)
        without_account = run(tmp_path, "members", "--add", "nobody", **administrator)
        assert without_account.code == 3 and "Its operator adds users" in without_account.messages


def test_an_administrator_makes_cards_for_the_members_of_the_own_project_alone(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        administrator, member = (signed_in(workshop.sandbox, name) for name in (ADMINISTRATOR, MEMBER))
        command = ["tokens", "--cards", "cards.html", "--csv"]
        (first, second), (third, _) = (rows(output_of(tmp_path, *command, **administrator)) for _ in range(2))
        assert [first["username"], second["username"]] == [ADMINISTRATOR, MEMBER]
        with pytest.raises(AuthenticationError):
            Client(first["token"], first["address"]).projects()
        assert Client(third["token"], third["address"]).projects() and workshop.client(MEMBER).projects()
        assert run(tmp_path, *command, **member).code == 3
        refused = run(tmp_path, *command, "--revoke", **administrator)
        assert refused.code == 3 and "withdraw_member_tokens" in refused.messages
        # A member of another project gets no token from this project's administrator.
        client = workshop.client(MEMBER)
        client.create_project(
            workshop.sandbox.creation_code("OTHER"), title="Porto", bounds=BOUNDS, systems=SYSTEMS, tags=[]
        )
        ended = run(tmp_path, *command, **administrator)
        assert ended.code == 1 and f"no token was issued for {MEMBER}" in ended.messages
        assert [row["username"] for row in rows(ended.output)] == [ADMINISTRATOR]


def test_cards_are_in_the_language_of_the_project(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        workshop.project.edit(language="fr")
        output_of(tmp_path, "tokens", "--cards", "cards.html", **signed_in(workshop.sandbox, ADMINISTRATOR))
    page = (tmp_path / "cards.html").read_text(encoding="utf-8")
    assert '<html lang="fr">' in page and "Valable jusqu’au" in page


def test_a_command_over_a_database_leaves_no_token_and_its_changes_are_the_operators(database: Path) -> None:
    # In another process: SQLite here would lose its locks on the file.
    told = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT digest FROM tokens').fetchall())"
    stored_tokens = [sys.executable, "-c", told, str(database)]
    tokens = subprocess.check_output(stored_tokens)
    output_of(database.parent, "users", "--db", database, "--add", "dora")
    assert subprocess.check_output(stored_tokens) == tokens
    with Sandbox(database, project=None) as sandbox:
        sandbox.add_user("admin")
        assert {entry["username"] for entry in sandbox.client().service_history()[:2]} == {None}


def test_a_running_service_knows_of_new_users_and_tokens_at_once(workshop_file: tuple[Workshop, Path]) -> None:
    workshop, path = workshop_file
    output_of(path.parent, "users", "--db", path, "--add", "new.member")
    (issued,) = json.loads(output_of(path.parent, "tokens", "--db", path, "--user", "new.member", "--json"))
    client = Client(issued["token"], workshop.sandbox.url)
    assert [project["projecttitle"] for project in client.projects()] == ["Lisbon"]
    output_of(path.parent, "tokens", "--db", path, "--user", "new.member", "--revoke")
    with pytest.raises(AuthenticationError):
        client.projects()


@pytest.fixture
def workshop_file(tmp_path: Path) -> Iterator[tuple[Workshop, Path]]:
    path = tmp_path / "workshop.sqlite"
    with running_workshop(path) as workshop:
        yield workshop, path


def test_each_member_gets_a_new_token(database: Path, tmp_path: Path) -> None:
    issued = rows(output_of(tmp_path, "tokens", "Lisbon", "--db", database, "--csv"))
    assert [row["username"] for row in issued] == [ADMINISTRATOR, MEMBER]
    with Sandbox(database.parent / "workshop.sqlite") as sandbox:
        for row in issued:
            assert Client(row["token"], sandbox.url).projects()


def test_tokens_can_be_short_lived(workshop_file: tuple[Workshop, Path]) -> None:
    workshop, path = workshop_file
    command = ["tokens", "--db", path, "--user", MEMBER, "--csv", "--lifetime"]
    (issued,) = rows(output_of(path.parent, *command, "1s"))
    time.sleep(1)
    with pytest.raises(AuthenticationError):
        Client(issued["token"], workshop.sandbox.url).projects()
    refused = run(path.parent, *command, "0s")
    assert refused.code == 2 and "--lifetime" in refused.messages


def test_cards_have_name_address_code_and_a_picture_to_scan(workshop_file: tuple[Workshop, Path]) -> None:
    workshop, path = workshop_file
    output_of(path.parent, "users", "--db", path, "--add", "<Ana> & co")
    command = ["tokens", "--db", path, "--url", workshop.sandbox.url, "--cards", "my cards.html", "--csv"]
    issued = rows(output_of(path.parent, *command))
    file = path.parent / "my cards.html"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    cards = re.findall("<article.*?</article>", file.read_text(), re.DOTALL)
    assert len(cards) == len(issued) == 3
    for card, row in zip(cards, issued, strict=True):
        assert f"<h2>{html.escape(row['username'])}</h2>" in card and "<svg" in card
        assert f">{urlsplit(row['address']).netloc}<" in card
        code = re.search(r">(\w{4}-\w{4})<", card)
        assert code is not None
        if row["username"] != "<Ana> & co":
            assert Client("visitor", row["address"]).sign_in(code[1])["token"] == row["token"]


def test_cards_have_lines_for_programs_on_request_alone(workshop_file: tuple[Workshop, Path]) -> None:
    workshop, path = workshop_file
    command = ["tokens", "--db", path, "--url", workshop.sandbox.url, "--cards", "cards.html", "--csv"]
    for option, is_there in ([], False), (["--for-programs"], True):
        (row, *_) = rows(output_of(path.parent, *command, *option))
        page = (path.parent / "cards.html").read_text()
        for line in (row["address"], row["token"], "pygeodesign login"):
            assert (line in page) is is_there


@pytest.mark.parametrize(
    ("url", "is_warned"),
    [
        ("http://127.0.0.1:8443", True),
        ("https://localhost:8443", True),
        ("https://172.17.0.2:8443", True),
        ("https://192.168.1.20:8443", False),
        ("https://plan.example.org", False),
    ],
)
def test_cards_for_an_address_that_phones_cannot_open_are_warned_of(url: str, is_warned: bool, tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with running_workshop(path):
        pass
    printed = run(tmp_path, "tokens", "--db", path, "--url", url, "--cards", "cards.html")
    assert printed.code == 0
    assert ("Phones cannot open" in printed.messages and "--host 0.0.0.0" in printed.messages) is is_warned


def test_new_cards_replace_those_that_were_printed_before_and_no_other_token(
    workshop_file: tuple[Workshop, Path],
) -> None:
    workshop, path = workshop_file
    command = ["tokens", "--db", path, "--url", workshop.sandbox.url, "--cards", "cards.html", "--csv"]
    (first, *_), (second, *_) = (rows(output_of(path.parent, *command)) for _ in range(2))
    assert first["username"] == second["username"] == ADMINISTRATOR and first["token"] != second["token"]
    with pytest.raises(AuthenticationError):
        Client(first["token"], first["address"]).projects()
    assert Client(second["token"], first["address"]).projects() and workshop.client(ADMINISTRATOR).projects()
    # Those of others stay.
    output_of(path.parent, *command, "--user", MEMBER)
    assert Client(second["token"], first["address"]).projects()


def test_cards_that_cannot_be_written_replace_nothing(workshop_file: tuple[Workshop, Path]) -> None:
    workshop, path = workshop_file
    command = ["tokens", "--db", path, "--url", workshop.sandbox.url, "--csv", "--cards"]
    (first, *_) = rows(output_of(path.parent, *command, "cards.html"))
    ended = run(path.parent, *command, "no folder/cards.html")
    assert ended.code == 1 and "cannot be written" in ended.messages
    assert Client(first["token"], first["address"]).projects()


def test_a_card_says_when_its_token_ends(database: Path, tmp_path: Path) -> None:
    command = ["tokens", "--db", database, "--url", "https://a.example", "--cards", "cards.html", "--lifetime", "2h"]
    (issued, *_) = json.loads(output_of(tmp_path, *command, "--json"))
    end = datetime.fromisoformat(issued["expires_at"]).replace(tzinfo=UTC)
    assert timedelta(hours=1.9) < end - datetime.now(UTC) <= timedelta(hours=2)
    assert f"Valid until {end:%Y-%m-%d %H:%M} UTC" in (tmp_path / "cards.html").read_text()


def test_the_lifetime_of_the_service_is_that_of_all_tokens(tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with running_service("--db", path, "--token-lifetime", "3h"):
        pass
    (issued, *_) = json.loads(output_of(tmp_path, "tokens", "--db", path, "--user", "admin", "--json"))
    end = datetime.fromisoformat(issued["expires_at"]).replace(tzinfo=UTC)
    assert timedelta(hours=2.9) < end - datetime.now(UTC) <= timedelta(hours=3)


def test_an_address_with_name_and_token_signs_a_member_in(workshop_file: tuple[Workshop, Path]) -> None:
    workshop, _ = workshop_file
    collections = workshop.sandbox.url.replace("api/v1/", "ogc/collections")
    link = urlsplit(collections.replace("://", f"://{MEMBER}:{workshop.sandbox.token(MEMBER)}@"))
    assert unquote(link.username or "") == MEMBER
    assert requests.get(link.geturl(), timeout=20).json()["collections"]


def test_cards_need_the_address_of_the_service(database: Path, tmp_path: Path) -> None:
    ended = run(tmp_path, "tokens", "--db", database, "--cards", "cards.html")
    assert ended.code == 2 and "--url" in ended.messages
    assert not (tmp_path / "cards.html").exists()


def test_the_project_of_an_archive_is_imported_while_the_service_runs(project: Project, tmp_path: Path) -> None:
    project.archive(tmp_path / "staten island.zip")
    path = tmp_path / "empty.sqlite"
    with Sandbox(path, project=None) as sandbox:
        assert "Staten Island 2050" in output_of(tmp_path, "import-project", "staten island.zip", "--db", path)
        issued = json.loads(output_of(tmp_path, "tokens", "Staten Island 2050", "--db", path, "--json"))
        imported = Client(issued[0]["token"], sandbox.url).project(project.id)
        assert imported.costs().systems == project.costs().systems
    again = run(tmp_path, "import-project", "staten island.zip", "--db", path)
    assert again.code == 1 and "already" in again.messages
    (tmp_path / "other.zip").write_bytes(b"PK")
    assert run(tmp_path, "import-project", "other.zip", "--db", path).code == 1


def test_projects_of_a_setup_file_are_imported(database: Path, tmp_path: Path) -> None:
    system = {"name": "Roofs", "color": "#112233"}
    project = {"title": "Old town", "bounds": "-9.2,38.7,-9.1,38.8", "systems": [system], "members": ["dora"]}
    (tmp_path / "setup.json").write_text(json.dumps({"new_projects": [project]}))
    for _ in range(2):
        listed = output_of(tmp_path, "import-project", "setup.json", "--db", database)
        assert listed.count("Old town") == 1 and "Lisbon" in listed
    assert "dora" in output_of(tmp_path, "users", "Old town", "--db", database)
    (tmp_path / "wrong.json").write_text('{"project": []}')
    wrong = run(tmp_path, "import-project", "wrong.json", "--db", database)
    assert wrong.code == 1 and "unknown field" in wrong.messages


@pytest.mark.parametrize(
    "command",
    [["users"], ["members"], ["tokens"], ["teams"], ["import-project", "setup.json"]],
    ids=lambda command: str(command[0]),
)
def test_no_database_is_created_and_no_other_file_is_changed(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "setup.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "empty.sqlite").touch()
    for name, reason in [
        ("new.sqlite", "does not exist"),
        ("empty.sqlite", "is empty"),
        ("notes.txt", "not a database"),
    ]:
        ended = run(tmp_path, *command, "--db", name)
        assert ended.code in (1, 2) and reason in ended.messages
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "setup.json": "{}",
        "notes.txt": "notes",
        "empty.sqlite": "",
    }
