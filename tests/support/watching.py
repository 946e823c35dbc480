"""Changes in a short form."""

from typing import Any


def in_short(changes: Any) -> list[tuple[str, str, Any]]:
    return [(change["action"], change["kind"], change["id"]) for change in changes]
