"""The demo project, with everything that the operations of the table need."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from database import snapshot
from operations import GIVEN, Operation, filled
from pygeodesign import Sandbox

ADMINISTRATOR, MEMBER, STRANGER = "admin", "amara.okafor", "noor.haddad"


@dataclass(frozen=True)
class Demo:
    sandbox: Sandbox
    path: Path
    # What stands in the places of the table's braces.
    values: dict[str, Any]

    def authorization(self, user: str) -> str:
        return f"Token {self.sandbox.token(user)}"

    def ask(self, operation: Operation, authorization: str | bytes | None, **others: Any) -> requests.Response:
        """An operation as plain HTTP, with other values in some of its places."""
        values = self.values | others
        return requests.request(
            operation.method,
            self.sandbox.url + operation.template.format_map(values),
            json=filled(operation.body, values),
            headers={"Authorization": authorization} if authorization is not None else {},
            allow_redirects=False,
            timeout=20,
        )

    def content(self) -> dict[str, list[tuple[Any, ...]]]:
        return snapshot(self.path)


@contextmanager
def demo_in(folder: Path) -> Iterator[Demo]:
    """The project in a database of its own; it is served for as long as the block lasts."""
    path = folder / "service.sqlite"
    with Sandbox(path) as sandbox:
        sandbox.add_user(STRANGER)
        sandbox.creation_code(GIVEN["creation_code"])
        sandbox.add_linked_project(GIVEN["gpl_project_id"])
        demo = Demo(sandbox, path, dict(GIVEN))
        generate = Operation("GET", "diagrams/{diagramid}/generate_thumbnail/", "member", 200)
        job = demo.ask(generate, demo.authorization(MEMBER)).json()["results_url"]
        demo.values["jobid"] = job.split("/")[-2]
        yield demo
