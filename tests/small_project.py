"""A small project of one's own to write to: two systems, three users, nothing drawn yet."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

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
class Lisbon:
    sandbox: Sandbox
    id: str

    @property
    def project(self) -> Project:
        """The project, as its administrator sees it."""
        return self.of(ADMINISTRATOR)

    def of(self, username: str) -> Project:
        return self.client(username).project(self.id)

    def client(self, username: str = ADMINISTRATOR) -> Client:
        return self.sandbox.client(username)

    def send(self, method: str, below_project: str, body: Any = None, user: str = ADMINISTRATOR) -> requests.Response:
        """A request as plain HTTP, without this package's client."""
        return self.send_to(method, f"projects/{self.id}/{below_project}", body, user)

    def send_to(self, method: str, path: str, body: Any = None, user: str = ADMINISTRATOR) -> requests.Response:
        headers = {"Authorization": f"Token {self.sandbox.token(user)}"}
        return requests.request(method, self.sandbox.url + path, json=body, headers=headers, timeout=20)

    def detail(self, diagram: int | str) -> Any:
        """What the service says of a diagram beside its features."""
        return next(row for row in self.project.diagram_details() if row["id"] == int(diagram))


@contextmanager
def lisbon_in(path: Path | None = None) -> Iterator[Lisbon]:
    """The project in a database file, or in a temporary one; it is served for as long as the block lasts."""
    with Sandbox(path, project=None) as sandbox:
        for user in (ADMINISTRATOR, MEMBER, STRANGER):
            sandbox.add_user(user)
            # Issued now, so that asking for it later writes nothing.
            sandbox.token(user)
        client = sandbox.client(ADMINISTRATOR)
        client.create_project(sandbox.creation_code("FADO"), title="Lisbon", bounds=BOUNDS, systems=SYSTEMS, tags=TAGS)
        (project,) = sandbox.project_ids
        sandbox.add_member(project, MEMBER)
        yield Lisbon(sandbox, project)
