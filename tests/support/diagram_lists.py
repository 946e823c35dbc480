"""Which diagrams a list of the service has."""

from typing import Any


def diagram_ids(collection: Any) -> list[int]:
    return [row["properties"]["diagramid"] for row in collection["features"]]
