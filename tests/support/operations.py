"""The operations of the service, with their requests and expected responses, from `operations.json`.

A path is relative to the project, or to the API root if it begins with a slash. A text that is a name in braces is a
placeholder for the value in `PLACEHOLDERS`. `operation` is the method of the client that sends the request, or None.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

TABLE = json.loads(Path(__file__).with_name("operations.json").read_text(encoding="utf-8"))
PLACEHOLDERS: dict[str, Any] = TABLE["given"]


class Operation(NamedTuple):
    method: str
    path: str
    # Senders of the request. "visitor": without a token; "anyone" with one; a "member" of the project; the "author"
    # of {diagramid}; "self": the user {username}; "team": in {cteamid}; "one_of_teams": in team 1 or 4; an
    # "administrator" of the project, who may do all of these; the "operator" of the service, who may do everything.
    caller: str
    status: int
    # The shape of the response, in names of `documented_shapes.py`; None if it has no body.
    shape: Any = None
    # JSON, or the path of a file.
    body: Any = None
    operation: str | None = None
    arguments: Any = None
    # True if it changes anything. Reads change nothing.
    changes: bool = True
    # For a read: true if an archive has the response.
    archived: bool = True
    # True if it shows names of members, which some guests must not see. Every path with a username does.
    names: bool = False
    # The activity that an administrator may close to members: "drawing", "selecting", "designing" or "commenting".
    activity: str | None = None
    # Placeholders of the path that stand for other values than usual.
    path_values: dict[str, str] = {}  # noqa: RUF012

    def __str__(self) -> str:
        return f"{self.method} {self.path or '(project)'}"

    @property
    def template(self) -> str:
        """The path below the API root."""
        return self.path[1:] if self.path.startswith("/") else f"projects/{{projectid}}/{self.path}"

    @property
    def writes(self) -> bool:
        return self.changes and self.method != "GET"


# Groups of operations of a project that are no parts of it.
SIDES = {"workshop", "study_area"}


def call(handle: Any, operation: str, arguments: dict[str, Any]) -> Any:
    """Calls the method of a client or project; `diagram.notes` is a method of the part that an argument names."""
    *path, method = operation.split(".")
    arguments = dict(arguments)
    for name in path:
        if name in SIDES:
            handle = getattr(handle, name)
        elif name == "design":
            handle = handle.design(arguments.pop("design", None), arguments.pop("team"))
        else:
            handle = getattr(handle, name)(arguments.pop(name))
    return getattr(handle, method)(**arguments)


OPERATIONS = [Operation(**row) for row in TABLE["operations"]]


def fill_placeholders(template: Any, values: dict[str, Any]) -> Any:
    """A body, or arguments, with the values instead of the placeholders."""
    if isinstance(template, dict):
        return {key: fill_placeholders(item, values) for key, item in template.items()}
    if isinstance(template, list):
        return [fill_placeholders(item, values) for item in template]
    return (
        values[template[1:-1]]
        if isinstance(template, str) and template[:1] == "{" and template[-1:] == "}"
        else template
    )
