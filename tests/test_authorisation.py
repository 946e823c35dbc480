"""Who may do what: every operation, asked by everyone. Whoever is refused leaves the database as it was."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import requests

from demo import ADMINISTRATOR, MEMBER, STRANGER, Demo
from documented_shapes import DETAIL, check
from operations import OPERATIONS, Operation

RANKS = {"anyone": 0, "member": 1, "administrator": 2}
USERS = {STRANGER: "anyone", MEMBER: "member", ADMINISTRATOR: "administrator"}
EVERYONE = [(operation, user) for operation in OPERATIONS for user in USERS]
BELOW_A_PROJECT = [operation for operation in OPERATIONS if not operation.path.startswith("/")]


def may(operation: Operation, user: str) -> bool:
    return RANKS[USERS[user]] >= RANKS[operation.caller]


def revoked(demo: Demo) -> str:
    """The token of an administrator, after all tokens of that user were revoked."""
    demo.sandbox.add_member(demo.values["projectid"], "luca.moretti", administrator=True)
    authorization = demo.authorization("luca.moretti")
    demo.sandbox.revoke_tokens("luca.moretti")
    return authorization


# Headers that name nobody. Where they hold a token, it is an administrator's.
NOBODY: dict[str, Callable[[Demo], str | bytes | None]] = {
    "no header": lambda demo: None,
    "an empty header": lambda demo: "",
    "a token that was never issued": lambda demo: "Token 0123456789abcdef0123456789abcdef01234567",
    "a token that has expired": lambda demo: f"Token {demo.sandbox.token(ADMINISTRATOR, lifetime=-1)}",
    "a token that was revoked": revoked,
    "half a token": lambda demo: demo.authorization(ADMINISTRATOR)[:-1],
    "two tokens": lambda demo: f"{demo.authorization(ADMINISTRATOR)} {demo.sandbox.token(MEMBER)}",
    "a scheme alone": lambda demo: "Token",
    "a token without its scheme": lambda demo: demo.sandbox.token(ADMINISTRATOR),
    "another scheme": lambda demo: f"Bearer {demo.sandbox.token(ADMINISTRATOR)}",
    "a name and a password": lambda demo: "Basic YWRtaW46YWRtaW4=",
    "bytes that are no text": lambda demo: b"Token \xff\xfe",
}


@pytest.fixture(scope="module")
def nobody(demo: Demo) -> dict[str, str | bytes | None]:
    return {name: header(demo) for name, header in NOBODY.items()}


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_nobody_is_served_without_a_valid_token(operation: Operation, demo: Demo, nobody: dict[str, Any]) -> None:
    before = demo.content()
    for name, authorization in nobody.items():
        answer = demo.ask(operation, authorization)
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (401, "Token"), name
        check(answer.json(), DETAIL, name)
    assert demo.content() == before


@pytest.mark.parametrize(("operation", "user"), [each for each in EVERYONE if may(*each)], ids=str)
def test_whoever_may_is_served(
    operation: Operation, user: str, demo_for: Callable[[Operation], AbstractContextManager[Demo]]
) -> None:
    with demo_for(operation) as demo:
        assert demo.ask(operation, demo.authorization(user)).status_code == operation.status


@pytest.mark.parametrize(("operation", "user"), [each for each in EVERYONE if not may(*each)], ids=str)
def test_whoever_may_not_is_refused(operation: Operation, user: str, demo: Demo) -> None:
    before = demo.content()
    answer = demo.ask(operation, demo.authorization(user))
    # To a stranger the project does not exist.
    assert answer.status_code == (404 if user == STRANGER else 403)
    check(answer.json(), DETAIL)
    assert demo.content() == before


@pytest.mark.parametrize("operation", BELOW_A_PROJECT, ids=str)
def test_a_stranger_cannot_tell_a_project_from_nothing(operation: Operation, demo: Demo) -> None:
    def told(operation: Operation, **others: str) -> Any:
        answer = demo.ask(operation, demo.authorization(STRANGER), **others)
        return answer.status_code, answer.headers.get("content-type"), answer.content

    unknown = told(operation, projectid="0000000000000000")
    assert told(operation) == unknown
    for place in ("diagramid", "sysid", "cteamid", "synthesisid", "layer_id", "jobid", "username"):
        assert told(operation, **{place: "no-such-id"}) == unknown
    if operation.writes:
        assert told(operation._replace(body="no such body")) == unknown


def test_a_page_that_cannot_be_is_an_error_for_members_only(demo: Demo) -> None:
    url = f"{demo.sandbox.url}projects/{demo.values['projectid']}/tags/?page=first"
    for user, status in {MEMBER: 400, STRANGER: 404}.items():
        assert requests.get(url, headers={"Authorization": demo.authorization(user)}, timeout=20).status_code == status
    never_issued = "Token 0123456789abcdef0123456789abcdef01234567"
    assert requests.get(url, headers={"Authorization": never_issued}, timeout=20).status_code == 401


def test_a_member_who_was_removed_is_a_stranger(demo: Demo) -> None:
    project = demo.values["projectid"]
    demo.sandbox.add_member(project, "karim.saleh")
    authorization = demo.authorization("karim.saleh")
    info = next(operation for operation in BELOW_A_PROJECT if operation.operation == "info")
    assert demo.ask(info, authorization).status_code == 200
    demo.sandbox.remove_member(project, "karim.saleh")
    assert demo.ask(info, authorization).status_code == 404


def test_an_administrator_of_one_project_is_a_stranger_to_another(demo: Demo) -> None:
    own = demo.ask(next(row for row in OPERATIONS if row.operation == "create_project"), demo.authorization(STRANGER))
    assert own.status_code == 201
    for operation in BELOW_A_PROJECT:
        before = demo.content() if operation.writes else None
        assert demo.ask(operation, demo.authorization(STRANGER)).status_code == 404, operation
        assert before is None or demo.content() == before, operation


def test_the_scheme_of_a_token_is_written_in_any_case(demo: Demo) -> None:
    info = next(operation for operation in BELOW_A_PROJECT if operation.operation == "info")
    for scheme in ("token", "TOKEN"):
        assert demo.ask(info, f"{scheme} {demo.sandbox.token(MEMBER)}").status_code == 200
