"""Access for people: accounts and tokens of the operator, guests by a link, walk-ins by a joining code."""

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests

from demo import demo_sandbox
from pygeodesign import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    Client,
    InputError,
    NotFoundError,
    PermissionDeniedError,
    Project,
    RateLimitedError,
    Sandbox,
)
from room import AUTHOR, OTHER, Room, room

__all__ = ["room"]

FUTURE = "2999-06-01"


@pytest.fixture
def operator(room: Room) -> Client:
    return room.sandbox.client()


def with_token(room: Room, token: str) -> Project:
    return Client(token, room.sandbox.url).project(room.administrator.id)


def refuses(attempts: list[Callable[[], object]], message: str) -> None:
    for attempt in attempts:
        with pytest.raises(PermissionDeniedError, match=message):
            attempt()


# The operator


def test_the_operator_adds_withdraws_and_restores_accounts(room: Room, operator: Client) -> None:
    operator.add_user("Zora")
    zora = next(user for user in operator.users() if user["username"] == "Zora")
    assert zora == {"username": "Zora", "projects": [], "administers": [], "withdrawn": False}
    token = operator.add_token("Zora")["token"]
    room.administrator.add_member("Zora")
    assert with_token(room, token).info()["id"] == room.administrator.id
    operator.remove_user("Zora")
    with pytest.raises(AuthenticationError):
        with_token(room, token).info()
    withdrawn = next(user for user in operator.users() if user["username"] == "Zora")
    assert (withdrawn["withdrawn"], withdrawn["projects"]) == (True, [])
    operator.add_user("Zora")
    with pytest.raises(NotFoundError):
        with_token(room, operator.add_token("Zora")["token"]).info()
    changes = [(entry["operation"], entry["subject"]) for entry in operator.service_history()]
    assert changes[:4] == [
        ("add_token", "user Zora"),
        ("add_user", "user Zora"),
        ("remove_user", "user Zora"),
        ("add_token", "user Zora"),
    ]


def test_the_operator_keeps_the_own_account(operator: Client) -> None:
    with pytest.raises(BadRequestError, match="the operator's own account"):
        operator.remove_user("admin")
    with pytest.raises(NotFoundError):
        operator.remove_user("nobody")


def test_a_token_is_told_with_its_last_use_and_end_and_never_itself(room: Room, operator: Client) -> None:
    issued = operator.add_token(AUTHOR, expires_at="2999-06-01T12:30:00")
    listed = next(token for token in operator.tokens() if token["id"] == issued["id"])
    assert (listed["username"], listed["expires_at"], listed["last_used_at"]) == (
        AUTHOR,
        "2999-06-01T12:30:00.000000",
        None,
    )
    assert issued["token"] not in str(operator.tokens())
    before = datetime.now(UTC).replace(tzinfo=None)
    # The second answer is a cached one.
    for _ in range(2):
        with_token(room, issued["token"]).info()
    # The written value equals the noted one.
    room.administrator.diagram(1002).set_notes("Ask the harbour first.")
    used = next(token for token in operator.tokens() if token["id"] == issued["id"])["last_used_at"]
    assert used and before <= datetime.fromisoformat(used) <= datetime.now(UTC).replace(tzinfo=None)
    operator.withdraw_token(issued["id"])
    with pytest.raises(AuthenticationError):
        with_token(room, issued["token"]).info()
    with pytest.raises(NotFoundError, match="No such token"):
        operator.withdraw_token(issued["id"])
    with pytest.raises(BadRequestError, match="expires_at has passed"):
        operator.add_token(AUTHOR, expires_at="2020-01-01")
    with pytest.raises(BadRequestError, match='there is no user "nobody"'):
        operator.add_token("nobody")


def test_a_backup_is_a_database_with_everything_that_only_its_owner_may_read(operator: Client, tmp_path: Path) -> None:
    operator.project("StatenIsland2050").diagram(1002).set_notes("Just before the backup")
    copy = tmp_path / "copy.sqlite"
    copy.write_text("an earlier one")
    operator.backup(copy)
    assert copy.stat().st_mode & 0o077 == 0
    with Sandbox(copy) as sandbox:
        project = sandbox.client().project("StatenIsland2050")
        assert project.diagram(1002).notes() == "Just before the backup"
    assert list(tmp_path.glob(".*")) == []
    with pytest.raises(InputError, match="cannot be written"):
        operator.backup(tmp_path / "no folder" / "copy.sqlite")


# Cards


def test_an_administrator_makes_cards_for_members_of_this_project_alone(room: Room) -> None:
    project = room.administrator
    first = project.member(AUTHOR).add_token()
    second = project.member(AUTHOR).add_token()
    assert with_token(room, second["token"]).info()["id"] == project.id
    with pytest.raises(AuthenticationError):
        with_token(room, first["token"]).info()
    assert [token["id"] for token in project.member(AUTHOR).tokens()] == [second["id"]]
    project.member(AUTHOR).withdraw_tokens()
    with pytest.raises(AuthenticationError):
        with_token(room, second["token"]).info()
    refuses([lambda: project.member("noor.haddad").add_token()], "not a member of the project")
    # The operator's token gives access to everything.
    refuses(
        [lambda: project.member("admin").add_token(), lambda: project.member("admin").tokens()], "in other projects too"
    )


def test_a_card_ends_when_its_user_becomes_a_member_of_another_project(room: Room, operator: Client) -> None:
    card = room.administrator.member(AUTHOR).add_token()["token"]
    own = operator.add_token(AUTHOR)["token"]
    other = operator.create_project(
        creation_code=room.sandbox.creation_code(),
        title="Lisbon",
        description="By the river",
        bounds=(-9.23, 38.69, -9.09, 38.8),
        systems=[{"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 1}],
    )
    operator.project(other).add_member(AUTHOR)
    with pytest.raises(AuthenticationError):
        with_token(room, card).info()
    assert with_token(room, own).info()["id"] == room.administrator.id
    attempts: list[Callable[[], object]] = [
        lambda: room.administrator.member(AUTHOR).add_token(),
        lambda: room.administrator.member(AUTHOR).tokens(),
        lambda: room.administrator.member(AUTHOR).withdraw_tokens(),
        lambda: operator.project(other).member(AUTHOR).add_token(),
    ]
    refuses(attempts, "in other projects too")


# Guests


def test_a_guest_reads_one_project_until_the_link_ends_or_is_withdrawn(room: Room) -> None:
    project = room.administrator
    soon = datetime.now(UTC) + timedelta(seconds=1.5)
    short, long = (project.workshop.add_link("Council", end, names=True) for end in (soon, FUTURE))
    guest = with_token(room, long["token"])
    assert [each["id"] for each in Client(long["token"], room.sandbox.url).projects()] == [project.id]
    assert guest.diagrams().to_dict() == project.diagrams().to_dict()
    assert [member["username"] for member in guest.members()] == [m["username"] for m in project.members()]
    refuses([lambda: guest.diagram(1001).vote(2), lambda: guest.diagram(1001).set_notes("Mine")], "Guests can read")
    refuses([lambda: guest.undo(1), lambda: guest.workshop.links()], "Only an administrator|Guests can read")
    assert {entry["operation"] for entry in guest.history()} <= {entry["operation"] for entry in project.history()}
    assert [link["title"] for link in project.workshop.links() if link["last_used_at"]] == ["Council"]
    with_token(room, short["token"]).info()
    time.sleep(1.6)
    with pytest.raises(AuthenticationError):
        with_token(room, short["token"]).info()
    assert [link["id"] for link in project.workshop.links()] == [long["id"]]
    project.workshop.withdraw_link(long["id"])
    with pytest.raises(AuthenticationError):
        guest.info()
    changes = [(entry["operation"], entry["username"]) for entry in project.history()]
    assert changes[:3] == [("withdraw_link", "admin"), ("add_link", "admin"), ("add_link", "admin")]


def test_a_link_without_names_tells_what_was_drawn_and_not_by_whom(room: Room) -> None:
    guest = with_token(room, room.administrator.workshop.add_link("Press", FUTURE)["token"])
    drawn = guest.diagrams()
    assert len(drawn) == len(room.administrator.diagrams())
    # A diagram in an external file has no features with an author.
    assert {feature["properties"]["author"] for feature in drawn} == {"", None}
    assert {row["author"] for row in guest.diagrams(fields="summary")} == {""}
    # Members get the author from the same paths.
    assert AUTHOR in {feature["properties"]["author"] for feature in room.of(OTHER).diagrams()}
    attempts: list[Callable[[], object]] = [
        guest.members,
        guest.votes,
        guest.history,
        lambda: guest.team(1).members(),
        lambda: guest.member(AUTHOR).selection(),
        lambda: guest.member("nobody.known").selection(),
        lambda: guest.member(AUTHOR).service_costs(),
    ]
    refuses(attempts, "This link shows no names")


def test_a_link_without_names_is_not_told_whose_selection_changed(room: Room) -> None:
    token = room.administrator.workshop.add_link("Press", FUTURE)["token"]
    url = f"{room.sandbox.url}projects/{room.administrator.id}/events/"
    with requests.get(url, headers={"Authorization": f"Token {token}"}, stream=True, timeout=20) as stream:
        events = (line for line in stream.iter_lines(chunk_size=1) if line.startswith(b"event:"))
        assert next(events) == b"event: hello"
        room.of(AUTHOR).member(AUTHOR).set_selection([1001])
        room.administrator.add_member(OTHER, administrator=True)
        room.of(AUTHOR).diagram(1001).vote(1)
        assert next(events) == b"event: vote"


def test_a_link_needs_a_title_and_a_time_to_come_and_there_are_so_many(room: Room) -> None:
    with pytest.raises(InputError, match="title is empty"):
        room.administrator.workshop.add_link(" ", FUTURE)
    with pytest.raises(BadRequestError, match="expires_at has passed"):
        room.administrator.workshop.add_link("Press", "2020-01-01")
    with demo_sandbox(limits={"project_links": 1}) as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        first = project.workshop.add_link("Press", FUTURE)
        with pytest.raises(BadRequestError, match="the limit project_links is 1"):
            project.workshop.add_link("Council", FUTURE)
        project.workshop.withdraw_link(first["id"])
        project.workshop.add_link("Council", FUTURE)


# Walk-ins


def walk_in(room: Room, code: str, name: str) -> requests.Response:
    """Asks to join without a token."""
    return requests.post(f"{room.sandbox.url}walk_ins/", json={"code": code, "username": name}, timeout=20)


def test_who_comes_with_the_code_is_a_member_of_a_team_at_once(room: Room) -> None:
    project = room.administrator
    code = project.workshop.open_walk_ins(FUTURE, team=3)["code"]
    came = walk_in(room, f" {code.upper().replace('-', ' ')}", "Zoe").json()
    assert (came["username"], came["projectid"], came["admitted"]) == ("Zoe", project.id, True)
    zoe = with_token(room, came["token"])
    zoe.diagram(1001).vote(2)
    assert "Zoe" in zoe.team(3).members()
    assert project.workshop.walk_ins()["admitted"] == 1
    changes = [(entry["operation"], entry["username"]) for entry in project.history()]
    assert changes[1:4] == [("set_team_members", "Zoe"), ("add_member", "Zoe"), ("open_walk_ins", "admin")]


def test_a_wrong_code_one_that_ended_and_one_of_a_closed_project_get_the_same_answer(room: Room) -> None:
    project = room.administrator
    first = project.workshop.open_walk_ins(FUTURE)["code"]
    second = project.workshop.open_walk_ins(datetime.now(UTC) + timedelta(seconds=1))["code"]
    time.sleep(1.1)
    ended = walk_in(room, second, "Zoe")
    third = project.workshop.open_walk_ins(FUTURE)["code"]
    project.workshop.close_walk_ins()
    assert not project.workshop.walk_ins()["open"]
    answers = [ended, *(walk_in(room, code, "Zoe") for code in (first, third, "abcde-fghjk", "-"))]
    assert {(answer.status_code, answer.json()["detail"]) for answer in answers} == {
        (403, "The joining code is not valid. Ask the facilitator for the current one.")
    }
    assert "Zoe" not in room.sandbox.usernames
    with pytest.raises(BadRequestError, match="closes_at has passed"):
        project.workshop.open_walk_ins("2020-01-01")
    with pytest.raises(BadRequestError, match="the project has no change team 99"):
        project.workshop.open_walk_ins(FUTURE, team=99)


def test_nobody_takes_over_a_name(room: Room, operator: Client) -> None:
    code = room.administrator.workshop.open_walk_ins(FUTURE)["code"]
    operator.add_user("Gone")
    operator.remove_user("Gone")
    for name in (AUTHOR, "Amara.Okafor", f" {AUTHOR} ", "ADMIN", "gone"):
        taken = walk_in(room, code, name)
        assert taken.status_code == 409, name
        assert "is taken. Choose another name." in taken.json()["detail"]
    for name in ("", "..", "a\x00b", "x" * 151):
        assert walk_in(room, code, name).status_code == 400, name
    assert [user["username"] for user in operator.users() if user["withdrawn"]] == ["Gone"]


def test_who_waits_is_admitted_or_refused_by_an_administrator(room: Room, operator: Client) -> None:
    project = room.administrator
    code = project.workshop.open_walk_ins(FUTURE, by_hand=True, team=1)["code"]
    tokens = {}
    for name in ("Zoe", "Yan", "Xi"):
        came = operator.walk_in(code, name)
        assert not came["admitted"]
        tokens[name] = came["token"]
    with pytest.raises(ApiError, match='The name "zoe" is taken'):
        operator.walk_in(code, "zoe")
    assert [each["username"] for each in project.workshop.walk_ins()["waiting"]] == ["Zoe", "Yan", "Xi"]
    refuses([lambda: with_token(room, tokens["Zoe"]).info()], "has not admitted you yet")
    # Closing ends the code, not the wait.
    project.workshop.close_walk_ins()
    project.workshop.admit_walk_in("Zoe")
    project.workshop.admit_walk_in("Yan", team=2)
    project.workshop.refuse_walk_in("Xi")
    assert "Zoe" in with_token(room, tokens["Zoe"]).team(1).members()
    assert "Yan" in with_token(room, tokens["Yan"]).team(2).members()
    with pytest.raises(AuthenticationError):
        with_token(room, tokens["Xi"]).info()
    assert project.workshop.walk_ins()["waiting"] == []
    for attempt in (project.workshop.admit_walk_in, project.workshop.refuse_walk_in):
        with pytest.raises(NotFoundError, match="No such waiting person"):
            attempt("Xi")


def test_a_name_that_somebody_got_meanwhile_is_not_given_to_who_waits(room: Room, operator: Client) -> None:
    code = room.administrator.workshop.open_walk_ins(FUTURE, by_hand=True)["code"]
    waiting = operator.walk_in(code, "Zoe")["token"]
    operator.add_user("Zoe")
    with pytest.raises(BadRequestError, match='there is already a user "Zoe"'):
        room.administrator.workshop.admit_walk_in("Zoe")
    refuses([lambda: with_token(room, waiting).info()], "has not admitted you yet")


def test_so_many_come_with_a_code_and_so_many_at_the_same_time() -> None:
    with demo_sandbox(limits={"project_walk_ins": 2, "walk_ins_per_second": 1}) as sandbox:
        client = sandbox.client()
        project = client.project(sandbox.project_ids[0])
        code = project.workshop.open_walk_ins(FUTURE)["code"]
        for name in ("Zoe", "Yan"):
            client.walk_in(code, name)
        with pytest.raises(BadRequestError, match="the limit project_walk_ins is 2"):
            client.walk_in(code, "Xi")
        impatient = Client(sandbox.token(), sandbox.url, retries=0)
        with pytest.raises(RateLimitedError, match="the limit walk_ins_per_second is 1"):
            for _ in range(6):
                with pytest.raises(PermissionDeniedError):
                    impatient.walk_in("abcde-fghjk", "Xi")


def test_who_guesses_joining_codes_pays_with_time_and_keeps_nobody_else_out() -> None:
    """All people behind one router have the same address."""
    with demo_sandbox(limits={"walk_ins_per_second": 2}) as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        code = project.workshop.open_walk_ins(FUTURE)["code"]
        url = f"{sandbox.url}walk_ins/"

        def comes(code: str, name: str) -> tuple[int, float]:
            started = time.monotonic()
            answer = requests.post(url, json={"code": code, "username": name}, timeout=20)
            return answer.status_code, time.monotonic() - started

        with ThreadPoolExecutor(30) as pool:
            guesses = [pool.submit(comes, f"abcde-{number:05}", "Xi") for number in range(60)]
            honest = [comes(code, name) for name in ("Zoe", "Yan", "Wim")]
        answers = [guess.result() for guess in guesses]
        statuses = [status for status, _ in answers]
        # Ten at once, and two a second from then on.
        assert 10 <= statuses.count(403) < 30 and statuses.count(429) == 60 - statuses.count(403)
        assert min(seconds for _, seconds in answers) >= 0.1
        assert [status for status, _ in honest] == [201] * 3
        # Also once the guesses of the address are used up.
        assert comes(code, "Val")[0] == 201


def test_no_secret_is_in_the_database_or_in_a_history(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        client = sandbox.client()
        project = client.project(sandbox.project_ids[0])
        code = project.workshop.open_walk_ins(FUTURE, by_hand=True)["code"]
        secrets = [
            code,
            code.replace("-", ""),
            client.add_token(AUTHOR)["token"],
            project.member(OTHER).add_token()["token"],
            project.workshop.add_link("Press", FUTURE)["token"],
            client.walk_in(code, "Zoe")["token"],
        ]
        project.workshop.admit_walk_in("Zoe")
        told = str(project.history()) + str(client.service_history())
        client.backup(tmp_path / "copy.sqlite")
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as database:
        dump = "\n".join(database.iterdump())
    for secret in secrets:
        assert secret not in told
        assert secret not in dump
