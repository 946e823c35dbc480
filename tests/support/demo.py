"""The demo project, with all values that the requests of `operations.json` need."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import requests

from database import snapshot
from operations import OPERATIONS, PLACEHOLDERS, Operation, fill_placeholders
from prepared import temporary_folder
from pygeodesign import Sandbox

# The administrator is also the operator of the service. `OWN_ADMINISTRATOR` administers only this project, and
# `OTHER_ADMINISTRATOR` another project with the same members, except the first one and the one that requests name.
ADMINISTRATOR, MEMBER, STRANGER = "admin", "amara.okafor", "noor.haddad"
OWN_ADMINISTRATOR, OTHER_ADMINISTRATOR = "ines.faria", "hugo.lind"
# The author of the diagram in the requests, the user in the requests, and a user in none of their teams.
AUTHOR, NAMED, OTHER_TEAM = "hannah.lindqvist", "jose.villanueva", "rosa.delgado"
# Guests by a link, with and without names.
GUEST, NAMELESS_GUEST = "guest", "nameless guest"

SENDERS = {"author": AUTHOR, "self": NAMED, "administrator": ADMINISTRATOR, "operator": ADMINISTRATOR}


def sender(operation: Operation) -> str:
    """A user who may send a request."""
    return SENDERS.get(operation.caller, MEMBER)


@dataclass(frozen=True)
class Demo:
    sandbox: Sandbox
    path: Path
    # The values for the placeholders in braces in `operations.json`.
    values: dict[str, Any]

    def authorization(self, user: str) -> str:
        return f"Token {self.values[user] if user in (GUEST, NAMELESS_GUEST) else self.sandbox.token(user)}"

    def send(self, operation: Operation, authorization: str | bytes | None, **others: Any) -> requests.Response:
        """Sends the request of an operation, with other values for some placeholders."""
        values = self.values_of(operation) | others
        body = fill_placeholders(operation.body, values)
        is_file = isinstance(body, Path)
        return requests.request(
            operation.method,
            self.sandbox.url + operation.template.format_map(values),
            data=body.read_bytes() if is_file else None,
            json=None if is_file else body,
            headers={"Authorization": authorization} if authorization is not None else {},
            allow_redirects=False,
            timeout=20,
        )

    def values_of(self, operation: Operation) -> dict[str, Any]:
        return self.values | {name: self.values[value] for name, value in operation.path_values.items()}

    def content(self) -> dict[str, list[tuple[Any, ...]]]:
        return snapshot(self.path)


@cache
def demo_database() -> bytes:
    """A database with the demo project, as a new `Sandbox` makes it."""
    with temporary_folder() as folder:
        with Sandbox(folder / "service.sqlite"):
            pass
        return (folder / "service.sqlite").read_bytes()


@contextmanager
def demo_sandbox(**settings: Any) -> Iterator[Sandbox]:
    """A service with the demo project, to write to: the same as `Sandbox()`, in a tenth of its time."""
    with temporary_folder() as folder:
        path = folder / "service.sqlite"
        path.write_bytes(demo_database())
        with Sandbox(path, **settings) as sandbox:
            yield sandbox


@cache
def prepared_demo() -> tuple[bytes, bytes, dict[str, Any]]:
    """A database with the demo project and all that the requests of `operations.json` need, an archive of a copy of
    it, and the values of the requests.
    """
    with temporary_folder() as folder:
        path = folder / "service.sqlite"
        path.write_bytes(demo_database())
        setup = {
            "users": [STRANGER, OWN_ADMINISTRATOR, OTHER_ADMINISTRATOR],
            "creation_codes": [PLACEHOLDERS["creation_code"]],
            "linked_projects": [PLACEHOLDERS["gpl_project_id"]],
        }
        with Sandbox(path, setup=setup) as sandbox:
            demo = Demo(sandbox, path, dict(PLACEHOLDERS))
            generate = Operation("GET", "diagrams/{diagramid}/generate_thumbnail/", "member", 200)
            job = demo.send(generate, demo.authorization(MEMBER)).json()["results_url"]
            demo.values["jobid"] = job.split("/")[-2]
            # An entry of the history, to read and to undo.
            note = Operation("POST", "diagrams/1003/notes/", "member", 200, body={"notes": "Ask the harbour first."})
            demo.send(note, demo.authorization(MEMBER)).raise_for_status()
            group = {"diagram_groups": [{"group_name": "Harbour", "diagrams": [1003, 1004]}]}
            grouping = Operation("POST", "diagrams/group/", "member", 200, body=group)
            demo.send(grouping, demo.authorization(MEMBER)).raise_for_status()
            add_people(demo)
            # Votes, to read and to withdraw.
            vote = Operation("PUT", "diagrams/{diagramid}/vote/", "member", 200, body={"vote": 2, "comment": "Shade."})
            for voter in (MEMBER, OTHER_TEAM, OWN_ADMINISTRATOR, ADMINISTRATOR):
                demo.send(vote, demo.authorization(voter)).raise_for_status()
            # A comment of the author, to change and to remove.
            author = sandbox.client(AUTHOR).project(PLACEHOLDERS["projectid"])
            demo.values["commentid"] = author.diagram(PLACEHOLDERS["diagramid"]).comment("Why now?")["id"]
            project = sandbox.project(PLACEHOLDERS["projectid"])
            # An impact map, to read.
            project.system(PLACEHOLDERS["sysid"]).set_impact(PLACEHOLDERS["square"])
            # A system without diagrams, to remove.
            demo.values["unused"] = project.add_system("Unused", "#808080").id
            copy = folder / "copy.zip"
            project.archive(copy, progress=False)
        database = path.read_bytes()
        with Sandbox(project=copy) as sandbox:
            project = sandbox.project()
            for changed in (sandbox.client(MEMBER).project(project.id), project):
                changed.add_diagram(1, PLACEHOLDERS["square"], title="Drawn offline")
            project.archive(copy, progress=False)
        return database, copy.read_bytes(), demo.values


def add_people(demo: Demo) -> None:
    """Administrators, guests, tokens, and a walk-in who waits to be admitted."""
    sandbox, values = demo.sandbox, demo.values
    client = sandbox.client()
    project = client.project(values["projectid"])
    project.add_member(OWN_ADMINISTRATOR, administrator=True)
    create = next(row for row in OPERATIONS if row.operation == "create_project")
    demo.send(create, demo.authorization(OTHER_ADMINISTRATOR)).raise_for_status()
    other = sandbox.project(username=OTHER_ADMINISTRATOR)
    for member in project.members():
        if member["username"] not in (OWN_ADMINISTRATOR, NAMED):
            other.add_member(member["username"])
    for guest, names in ((GUEST, True), (NAMELESS_GUEST, False)):
        link = project.workshop.add_link(guest, "2999-06-01", names=names)
        values |= {guest: link["token"], "linkid": link["id"]}
    values["tokenid"] = client.add_token(NAMED)["id"]
    values["card_code"] = project.member(NAMED).add_token()["code"]
    values["joining_code"] = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
    client.walk_in(values["joining_code"], values["name"])


@contextmanager
def running_demo() -> Iterator[Demo]:
    """A service with the demo project in its own database, running during the `with` block."""
    database, copy, values = prepared_demo()
    with temporary_folder() as folder:
        path = folder / "service.sqlite"
        path.write_bytes(database)
        (folder / "copy.zip").write_bytes(copy)
        with Sandbox(path) as sandbox:
            yield Demo(sandbox, path, values | {"copy": folder / "copy.zip", "file": str(folder / "copy.sqlite")})


DemoFor = Callable[[Operation], AbstractContextManager[Demo]]
