"""Each operation requested by a stranger, a member and an administrator. A rejected request changes nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import requests

from demo import ADMINISTRATOR, MEMBER, STRANGER, Demo
from documented_shapes import DETAIL, check
from operations import OPERATIONS, Operation

ROLES = {"anyone": 0, "member": 1, "administrator": 2}
USERS = {STRANGER: "anyone", MEMBER: "member", ADMINISTRATOR: "administrator"}
REQUESTS = [(operation, user) for operation in OPERATIONS for user in USERS]
PROJECT_OPERATIONS = [operation for operation in OPERATIONS if not operation.path.startswith("/")]


def is_allowed(operation: Operation, user: str) -> bool:
    return ROLES[USERS[user]] >= ROLES[operation.caller]


def revoked_token(demo: Demo) -> str:
    """The token of an administrator, after all tokens of that user were revoked."""
    demo.sandbox.add_member(demo.values["projectid"], "luca.moretti", administrator=True)
    authorization = demo.authorization("luca.moretti")
    demo.sandbox.revoke_tokens("luca.moretti")
    return authorization


# Authorization headers that identify no user, though some contain the valid token of an administrator.
INVALID_CREDENTIALS: dict[str, Callable[[Demo], str | bytes | None]] = {
    "no header": lambda demo: None,
    "an empty header": lambda demo: "",
    "a token that was never issued": lambda demo: "Token 0123456789abcdef0123456789abcdef01234567",
    "a token that has expired": lambda demo: f"Token {demo.sandbox.token(ADMINISTRATOR, lifetime=-1)}",
    "a token that was revoked": revoked_token,
    "half a token": lambda demo: demo.authorization(ADMINISTRATOR)[:-1],
    "two tokens": lambda demo: f"{demo.authorization(ADMINISTRATOR)} {demo.sandbox.token(MEMBER)}",
    "a scheme alone": lambda demo: "Token",
    "a token without its scheme": lambda demo: demo.sandbox.token(ADMINISTRATOR),
    "another scheme": lambda demo: f"Digest {demo.sandbox.token(ADMINISTRATOR)}",
    "a name and a password": lambda demo: "Basic YWRtaW46YWRtaW4=",
    "bytes that are no text": lambda demo: b"Token \xff\xfe",
}


@pytest.fixture(scope="module")
def invalid_credentials(demo: Demo) -> dict[str, str | bytes | None]:
    return {name: header(demo) for name, header in INVALID_CREDENTIALS.items()}


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_every_operation_without_a_valid_token_is_401(
    operation: Operation, demo: Demo, invalid_credentials: dict[str, Any]
) -> None:
    before = demo.content()
    for name, authorization in invalid_credentials.items():
        response = demo.send(operation, authorization)
        assert (response.status_code, response.headers.get("www-authenticate")) == (401, "Token"), name
        check(response.json(), DETAIL, name)
    assert demo.content() == before


@pytest.mark.parametrize(("operation", "user"), [each for each in REQUESTS if is_allowed(*each)], ids=str)
def test_an_allowed_user_gets_the_documented_status(
    operation: Operation, user: str, demo_for: Callable[[Operation], AbstractContextManager[Demo]]
) -> None:
    with demo_for(operation) as demo:
        assert demo.send(operation, demo.authorization(user)).status_code == operation.status


@pytest.mark.parametrize(("operation", "user"), [each for each in REQUESTS if not is_allowed(*each)], ids=str)
def test_a_user_who_is_not_allowed_gets_403_or_404_and_changes_nothing(
    operation: Operation, user: str, demo: Demo
) -> None:
    before = demo.content()
    response = demo.send(operation, demo.authorization(user))
    # To a stranger the project does not exist.
    assert response.status_code == (404 if user == STRANGER else 403)
    check(response.json(), DETAIL)
    assert demo.content() == before


@pytest.mark.parametrize("operation", PROJECT_OPERATIONS, ids=str)
def test_a_stranger_gets_the_same_response_for_existing_and_unknown_projects(operation: Operation, demo: Demo) -> None:
    def response_to(operation: Operation, **others: str) -> Any:
        response = demo.send(operation, demo.authorization(STRANGER), **others)
        return response.status_code, response.headers.get("content-type"), response.content

    to_unknown_project = response_to(operation, projectid="0000000000000000")
    assert response_to(operation) == to_unknown_project
    for place in ("diagramid", "sysid", "cteamid", "synthesisid", "layer_id", "entry", "jobid", "username"):
        assert response_to(operation, **{place: "no-such-id"}) == to_unknown_project
    if operation.writes:
        assert response_to(operation._replace(body="no such body")) == to_unknown_project


def test_an_invalid_page_number_is_400_for_members_only(demo: Demo) -> None:
    url = f"{demo.sandbox.url}projects/{demo.values['projectid']}/tags/?page=first"
    for user, status in {MEMBER: 400, STRANGER: 404}.items():
        assert requests.get(url, headers={"Authorization": demo.authorization(user)}, timeout=20).status_code == status
    never_issued = "Token 0123456789abcdef0123456789abcdef01234567"
    assert requests.get(url, headers={"Authorization": never_issued}, timeout=20).status_code == 401


def test_a_removed_member_is_rejected_like_a_stranger(demo: Demo) -> None:
    project = demo.values["projectid"]
    demo.sandbox.add_member(project, "karim.saleh")
    authorization = demo.authorization("karim.saleh")
    info = next(operation for operation in PROJECT_OPERATIONS if operation.operation == "info")
    assert demo.send(info, authorization).status_code == 200
    demo.sandbox.remove_member(project, "karim.saleh")
    assert demo.send(info, authorization).status_code == 404


def test_an_administrator_of_one_project_is_rejected_by_another(demo: Demo) -> None:
    own = demo.send(next(row for row in OPERATIONS if row.operation == "create_project"), demo.authorization(STRANGER))
    assert own.status_code == 201
    for operation in PROJECT_OPERATIONS:
        before = demo.content() if operation.writes else None
        assert demo.send(operation, demo.authorization(STRANGER)).status_code == 404, operation
        assert before is None or demo.content() == before, operation


def test_the_case_of_the_authorization_scheme_does_not_matter(demo: Demo) -> None:
    info = next(operation for operation in PROJECT_OPERATIONS if operation.operation == "info")
    for scheme in ("token", "TOKEN"):
        assert demo.send(info, f"{scheme} {demo.sandbox.token(MEMBER)}").status_code == 200
