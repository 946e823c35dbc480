"""The operations of the service, from `operations.json`.

A path stands below the project unless it begins with a slash. A text that is one name in braces stands for what `GIVEN`
has under that name. Where `operation` is None, no method of the client makes that request.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

TABLE = json.loads(Path(__file__).with_name("operations.json").read_text(encoding="utf-8"))
GIVEN: dict[str, Any] = TABLE["given"]


class Operation(NamedTuple):
    method: str
    path: str
    # Who may: "anyone" with a token, a "member" of the project, or an "administrator" of it.
    caller: str
    status: int
    # None: no body.
    shape: str | None = None
    body: Any = None
    operation: str | None = None
    arguments: Any = None

    def __str__(self) -> str:
        return f"{self.method} {self.path or '(project)'}"

    @property
    def template(self) -> str:
        """The path below the API root."""
        return self.path[1:] if self.path.startswith("/") else f"projects/{{projectid}}/{self.path}"

    @property
    def writes(self) -> bool:
        return self.method != "GET"


OPERATIONS = [Operation(**row) for row in TABLE["operations"]]


def filled(part: Any, values: dict[str, Any]) -> Any:
    """A body, or arguments, with the values in their places."""
    if isinstance(part, dict):
        return {key: filled(inner, values) for key, inner in part.items()}
    if isinstance(part, list):
        return [filled(inner, values) for inner in part]
    return values[part[1:-1]] if isinstance(part, str) and part[:1] == "{" and part[-1:] == "}" else part
