"""The demo project, with all values that the requests of `operations.json` need."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from database import snapshot
from operations import PLACEHOLDERS, Operation, fill_placeholders
from pygeodesign import Sandbox

ADMINISTRATOR, MEMBER, STRANGER = "admin", "amara.okafor", "noor.haddad"


@dataclass(frozen=True)
class Demo:
    sandbox: Sandbox
    path: Path
    # The values for the placeholders in braces in `operations.json`.
    values: dict[str, Any]

    def authorization(self, user: str) -> str:
        return f"Token {self.sandbox.token(user)}"

    def send(self, operation: Operation, authorization: str | bytes | None, **others: Any) -> requests.Response:
        """Sends the request of an operation, with other values for some placeholders."""
        values = self.values | others
        return requests.request(
            operation.method,
            self.sandbox.url + operation.template.format_map(values),
            json=fill_placeholders(operation.body, values),
            headers={"Authorization": authorization} if authorization is not None else {},
            allow_redirects=False,
            timeout=20,
        )

    def content(self) -> dict[str, list[tuple[Any, ...]]]:
        return snapshot(self.path)


@contextmanager
def running_demo(folder: Path) -> Iterator[Demo]:
    """A service with the demo project, in a new database in this folder, that runs during the `with` block."""
    path = folder / "service.sqlite"
    with Sandbox(path) as sandbox:
        sandbox.add_user(STRANGER)
        sandbox.creation_code(PLACEHOLDERS["creation_code"])
        sandbox.add_linked_project(PLACEHOLDERS["gpl_project_id"])
        demo = Demo(sandbox, path, dict(PLACEHOLDERS))
        generate = Operation("GET", "diagrams/{diagramid}/generate_thumbnail/", "member", 200)
        job = demo.send(generate, demo.authorization(MEMBER)).json()["results_url"]
        demo.values["jobid"] = job.split("/")[-2]
        # An entry of the history, to read and to undo.
        note = Operation("POST", "diagrams/1003/notes/", "member", 200, body={"notes": "Ask the harbour first."})
        demo.send(note, demo.authorization(MEMBER)).raise_for_status()
        yield demo
