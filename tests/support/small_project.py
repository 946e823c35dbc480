"""A service with one small project to write to, "Lisbon": two systems, three tags, three users, no diagrams."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import requests

from prepared import temporary_folder
from pygeodesign import Client, Project, Sandbox
from pygeodesign.types import NewSystem, NewTag

ADMINISTRATOR, MEMBER, STRANGER = "ana.sousa", "bento.reis", "carla.dias"
WATER, GREEN = 1, 2
BOUNDS = (-9.23, 38.69, -9.09, 38.80)
SYSTEMS: list[NewSystem] = [
    {"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 125_000, "description": "Rain and river"},
    {"name": "Green", "tag": "GRN", "color": "#3B8F4E", "cost": 40_000},
]
TAGS: list[NewTag] = [{"tag": "Quick win", "code": "QW"}, {"tag": "Coast", "code": "CO"}, {"tag": "No code"}]
CREATION_CODE, LINKED_PROJECT = "FADO", "GPL-7"
SHADOWS, NOISE = "0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10", "3fbe6934-407a-443d-9478-e2c5702fa13f"
SETUP = {
    "users": [ADMINISTRATOR, MEMBER, STRANGER],
    "creation_codes": [CREATION_CODE],
    "linked_projects": [LINKED_PROJECT],
    "plugins": {SHADOWS: "Shadow study", NOISE: "Noise study"},
}


@dataclass(frozen=True)
class Workshop:
    sandbox: Sandbox
    id: str

    @property
    def project(self) -> Project:
        """The project, with the token of its administrator."""
        return self.project_of(ADMINISTRATOR)

    def project_of(self, username: str) -> Project:
        return self.client(username).project(self.id)

    def client(self, username: str = ADMINISTRATOR) -> Client:
        return self.sandbox.client(username)

    def send(self, method: str, below_project: str, body: Any = None, user: str = ADMINISTRATOR) -> requests.Response:
        """Sends a plain HTTP request, without the client, to a path of the project."""
        return self.send_to(method, f"projects/{self.id}/{below_project}", body, user)

    def send_to(self, method: str, path: str, body: Any = None, user: str = ADMINISTRATOR) -> requests.Response:
        headers = {"Authorization": f"Token {self.sandbox.token(user)}"}
        return requests.request(method, self.sandbox.url + path, json=body, headers=headers, timeout=20)

    def add_member(self, username: str, *, administrator: bool = False) -> None:
        """Makes a user a member; adds the user if necessary."""
        self.sandbox.add_user(username)
        self.project.add_member(username, administrator=administrator)

    def operator(self) -> Client:
        """The service's operator, who is not a member of the project."""
        self.sandbox.add_user("admin")
        return self.client("admin")

    def withdraw_tokens(self, username: str) -> None:
        withdraw_tokens(self.operator(), username)

    def details_of(self, diagram: int | str) -> Any:
        """All fields of a diagram except for its features."""
        return next(row for row in self.project.diagrams(fields="details") if row["id"] == int(diagram))


def withdraw_tokens(operator: Client, username: str) -> None:
    """Ends all tokens of a user."""
    for token in operator.tokens():
        if token["username"] == username:
            operator.withdraw_token(token["id"])


@cache
def prepared_workshop() -> bytes:
    """The database of a service with the project."""
    with temporary_folder() as folder:
        path = folder / "service.sqlite"
        with Sandbox(path, project=None, setup=SETUP) as sandbox:
            client = sandbox.client(ADMINISTRATOR)
            project_id = client.create_project(CREATION_CODE, title="Lisbon", bounds=BOUNDS, systems=SYSTEMS, tags=TAGS)
            client.project(project_id).add_member(MEMBER)
        return path.read_bytes()


@contextmanager
def running_workshop(path: Path | None = None, limits: dict[str, int] | None = None) -> Iterator[Workshop]:
    """A service with the project, in this new database file or a temporary one, that runs during the `with` block."""
    with nullcontext(path.parent) if path else temporary_folder() as folder:
        path = path or folder / "service.sqlite"
        path.write_bytes(prepared_workshop())
        with Sandbox(path, project=None, limits=limits) as sandbox:
            for user in (ADMINISTRATOR, MEMBER, STRANGER):
                # Issued now, so that a later call of `token` writes nothing.
                sandbox.token(user)
            yield Workshop(sandbox, sandbox.project_ids[0])
