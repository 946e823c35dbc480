"""Each operation requested by all: strangers, guests, members, administrators of two projects, the operator.

A rejected request changes nothing."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from demo import (
    ADMINISTRATOR,
    AUTHOR,
    GUEST,
    MEMBER,
    NAMED,
    NAMELESS_GUEST,
    OTHER_ADMINISTRATOR,
    OTHER_TEAM,
    OWN_ADMINISTRATOR,
    STRANGER,
    Demo,
    running_demo,
    sender,
)
from documented_shapes import DETAIL, SECURITY_HEADERS, check
from operations import OPERATIONS, Operation
from small_project import withdraw_tokens

USERS = [
    STRANGER,
    OTHER_ADMINISTRATOR,
    GUEST,
    NAMELESS_GUEST,
    MEMBER,
    OTHER_TEAM,
    AUTHOR,
    NAMED,
    OWN_ADMINISTRATOR,
    ADMINISTRATOR,
]
OUTSIDERS, GUESTS = {STRANGER, OTHER_ADMINISTRATOR}, {GUEST, NAMELESS_GUEST}
MEMBERS = set(USERS) - OUTSIDERS - GUESTS
ADMINISTRATORS = {OWN_ADMINISTRATOR, ADMINISTRATOR}
# The users who may send the requests for each `caller`. Three members try the members' requests.
ALLOWED = {
    "visitor": set(USERS),
    "anyone": set(USERS) - GUESTS,
    # Guests have no account.
    "account": set(USERS) - GUESTS,
    "member": MEMBERS,
    "author": {AUTHOR, *ADMINISTRATORS},
    "self": {NAMED, *ADMINISTRATORS},
    "team": {MEMBER, *ADMINISTRATORS},
    "one_of_teams": {MEMBER, AUTHOR, NAMED, *ADMINISTRATORS},
    "administrator": ADMINISTRATORS,
    "operator": {ADMINISTRATOR},
}
PROJECT_OPERATIONS = [operation for operation in OPERATIONS if not operation.path.startswith("/")]


def is_allowed(operation: Operation, user: str) -> bool:
    # Guests take part in no activity.
    if user in GUESTS and not operation.writes and not operation.activity:
        tells_names = operation.names or "{username}" in operation.path
        return operation.caller in ("visitor", "anyone", "member") and not (tells_names and user == NAMELESS_GUEST)
    return user in ALLOWED[operation.caller]


def users(operation: Operation, *, allowed: bool) -> list[str]:
    """The users who may send a request, or those who may not."""
    trying = [user for user in USERS if operation.caller != "member" or user not in (AUTHOR, NAMED)]
    return [user for user in trying if is_allowed(operation, user) == allowed]


def revoked_token(demo: Demo) -> str:
    """The token of an administrator, after all tokens of that user were revoked."""
    demo.sandbox.project(demo.values["projectid"]).add_member("luca.moretti", administrator=True)
    authorization = demo.authorization("luca.moretti")
    withdraw_tokens(demo.sandbox.client(), "luca.moretti")
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


def check_refused(response: requests.Response, status: int) -> None:
    assert response.status_code == status
    assert response.headers.get("www-authenticate") == ("Token" if status == 401 else None)
    assert response.headers.items() >= SECURITY_HEADERS.items()
    check(response.json(), DETAIL)


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.caller != "visitor"], ids=str)
def test_every_operation_without_a_valid_token_is_401(
    operation: Operation, demo: Demo, invalid_credentials: dict[str, Any]
) -> None:
    """With two of the invalid credentials, because the same code reads the header for all operations."""
    before = demo.content()
    for name in ("no header", "a token that has expired"):
        check_refused(demo.send(operation, invalid_credentials[name]), 401)
    assert demo.content() == before


@pytest.mark.parametrize("credentials", INVALID_CREDENTIALS)
@pytest.mark.parametrize("name", ["info", "workshop.add_stakeholders"])
def test_credentials_that_identify_no_user_are_401(
    name: str, credentials: str, demo: Demo, invalid_credentials: dict[str, Any]
) -> None:
    operation = next(operation for operation in OPERATIONS if operation.operation == name)
    before = demo.content()
    check_refused(demo.send(operation, invalid_credentials[credentials]), 401)
    assert demo.content() == before


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if not row.writes], ids=str)
def test_allowed_users_get_the_documented_status(operation: Operation, demo: Demo) -> None:
    for user in users(operation, allowed=True):
        assert demo.send(operation, demo.authorization(user)).status_code == operation.status, user


@pytest.mark.parametrize(
    ("operation", "user"),
    [(operation, user) for operation in OPERATIONS if operation.writes for user in users(operation, allowed=True)],
    ids=str,
)
def test_an_allowed_user_may_write(operation: Operation, user: str) -> None:
    with running_demo() as demo:
        assert demo.send(operation, demo.authorization(user)).status_code == operation.status


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if users(row, allowed=False)], ids=str)
def test_users_who_are_not_allowed_get_403_or_404_and_change_nothing(operation: Operation, demo: Demo) -> None:
    refused = users(operation, allowed=False)
    authorizations = {user: demo.authorization(user) for user in refused}
    before = demo.content()
    for user in refused:
        # To outsiders the project does not exist.
        is_hidden = user in OUTSIDERS and operation in PROJECT_OPERATIONS
        check_refused(demo.send(operation, authorizations[user]), 404 if is_hidden else 403)
    assert demo.content() == before


@pytest.fixture(scope="module")
def closed_demo() -> Iterator[Demo]:
    """The demo project after an administrator has closed all activities."""
    with running_demo() as demo:
        project = demo.sandbox.client().project(demo.values["projectid"])
        project.workshop.set_activities(
            drawing=False, selecting=False, designing=False, commenting=False, message="We compare now."
        )
        yield demo


def test_whatever_members_write_is_closed_with_an_activity() -> None:
    """Evaluation and impact maps, tags, stakeholders, plugins and layers too: the others draw and compare by them."""
    by_members = ("member", "author", "self", "team", "one_of_teams")
    writes = [row for row in OPERATIONS if row.writes and row.caller in by_members]
    assert [str(row) for row in writes if not row.activity] == []
    assert {row.activity for row in writes} == {"drawing", "selecting", "designing", "commenting"}


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.activity], ids=str)
def test_what_is_closed_is_refused_to_members_on_every_path_and_the_refusal_says_why(
    operation: Operation, closed_demo: Demo
) -> None:
    assert operation.activity
    authorization = closed_demo.authorization(sender(operation))
    before = closed_demo.content()
    refused = closed_demo.send(operation, authorization)
    check_refused(refused, 403)
    assert refused.json()["detail"] == f"{operation.activity.capitalize()} is closed. We compare now."
    assert closed_demo.content() == before


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.activity], ids=str)
def test_an_administrator_may_do_what_is_closed(operation: Operation) -> None:
    with running_demo() as demo:
        project = demo.sandbox.client(OWN_ADMINISTRATOR).project(demo.values["projectid"])
        project.workshop.set_activities(drawing=False, selecting=False, designing=False, commenting=False)
        response = demo.send(operation, demo.authorization(OWN_ADMINISTRATOR))
        assert response.status_code == operation.status, response.text


def names_in(demo: Demo, operation: Operation, user: str) -> set[str]:
    """The names of users that a response has; those that no other text has."""
    text = demo.send(operation, demo.authorization(user)).text
    return {name for name in demo.sandbox.usernames if "." in name and name in text}


READS_OF_GUESTS = [
    row for row in OPERATIONS if row.method == "GET" and row.shape != "PNG" and is_allowed(row, NAMELESS_GUEST)
]


@pytest.mark.parametrize("operation", READS_OF_GUESTS, ids=str)
def test_no_answer_to_a_guest_without_names_has_the_name_of_a_member(operation: Operation, demo: Demo) -> None:
    assert names_in(demo, operation, NAMELESS_GUEST) == set()


def test_a_guest_with_names_is_told_what_members_are(demo: Demo) -> None:
    telling = {operation.path for operation in READS_OF_GUESTS if names_in(demo, operation, GUEST)}
    assert {"diagrams/", "diagrams/all/", "cteams/{cteamid}/{synthesisid}/"} <= telling
    assert telling == {operation.path for operation in READS_OF_GUESTS if names_in(demo, operation, MEMBER)}


@pytest.mark.parametrize("operation", PROJECT_OPERATIONS, ids=str)
def test_a_stranger_gets_the_same_response_for_existing_and_unknown_projects(operation: Operation, demo: Demo) -> None:
    def response_to(operation: Operation, **others: str) -> Any:
        response = demo.send(operation, demo.authorization(STRANGER), **others)
        return response.status_code, response.headers.get("content-type"), response.content

    to_unknown_project = response_to(operation, projectid="0000000000000000")
    assert response_to(operation) == to_unknown_project
    assert response_to(operation, projectid="x") == to_unknown_project
    for place in re.findall(r"\{(\w+)\}", operation.path):
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
    project = demo.sandbox.project(demo.values["projectid"])
    demo.sandbox.add_user("karim.saleh")
    project.add_member("karim.saleh")
    authorization = demo.authorization("karim.saleh")
    info = next(operation for operation in PROJECT_OPERATIONS if operation.operation == "info")
    assert demo.send(info, authorization).status_code == 200
    project.member("karim.saleh").remove()
    assert demo.send(info, authorization).status_code == 404


def test_an_administrator_of_one_project_is_rejected_by_another(demo: Demo) -> None:
    own = demo.send(next(row for row in OPERATIONS if row.operation == "create_project"), demo.authorization(STRANGER))
    assert own.status_code == 201
    for operation in PROJECT_OPERATIONS:
        before = demo.content() if operation.writes else None
        assert demo.send(operation, demo.authorization(STRANGER)).status_code == 404, operation
        assert before is None or demo.content() == before, operation
