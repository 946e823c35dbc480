"""The room's requests over the wire, for a project and its members."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import requests

from demo import demo_sandbox
from pygeodesign import (
    Client,
    Project,
    Sandbox,
)

AUTHOR, OTHER, OUTSIDER = "amara.okafor", "jose.villanueva", "tom.brennan"


class Room(NamedTuple):
    sandbox: Sandbox
    administrator: Project

    def of(self, username: str) -> Project:
        return Client(self.sandbox.token(username), self.sandbox.url).project(self.administrator.id)

    def request(self, method: str, path: str, username: str, **arguments: Any) -> requests.Response:
        headers = {"Authorization": f"Token {self.sandbox.token(username)}", **arguments.pop("headers", {})}
        url = f"{self.sandbox.url}projects/{self.administrator.id}/{path}"
        return requests.request(method, url, headers=headers, timeout=20, **arguments)


@pytest.fixture
def room() -> Iterator[Room]:
    with demo_sandbox() as sandbox:
        yield Room(sandbox, sandbox.client().project(sandbox.project_ids[0]))
