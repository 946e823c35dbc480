"""The diagrams in a list of the service."""

from typing import Any


def diagram_ids(collection: Any) -> list[int]:
    return [row["properties"]["diagramid"] for row in collection["features"]]
