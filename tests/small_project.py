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

    def details_of(self, diagram: int | str) -> Any:
        """All fields of a diagram except for its features."""
        return next(row for row in self.project.diagram_details() if row["id"] == int(diagram))


@cache
def prepared_workshop() -> bytes:
    """The database of a service with the project."""
    with temporary_folder() as folder:
        path = folder / "service.sqlite"
        with Sandbox(path, project=None) as sandbox:
            for user in (ADMINISTRATOR, MEMBER, STRANGER):
                sandbox.add_user(user)
            creation_code = sandbox.creation_code("FADO")
            client = sandbox.client(ADMINISTRATOR)
            client.create_project(creation_code, title="Lisbon", bounds=BOUNDS, systems=SYSTEMS, tags=TAGS)
            sandbox.add_member(sandbox.project_ids[0], MEMBER)
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
