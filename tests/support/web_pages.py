"""The parsed page of a map: its tags, its texts and its data."""

import json
from html.parser import HTMLParser
from typing import Any


class MapPage(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.content: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        self.data: dict[str, Any] = json.loads("".join(self.content["application/json"]))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        self.content.setdefault(attributes.get("type") or tag, []).append(data)

    @property
    def diagrams(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.data["diagrams"]
        return found

    @property
    def legend(self) -> list[str]:
        return [system["name"] for system in self.data["systems"] if system["name"]]

    def diagram(self, title: str) -> dict[str, Any]:
        (found,) = (diagram for diagram in self.diagrams if diagram["title"] == title)
        return found

    def hue(self, title: str) -> str:
        return str(self.data["systems"][self.diagram(title)["system"]]["color"])


def positions(deltas: list[int]) -> list[tuple[float, float]]:
    """The longitudes and latitudes of a ring or line."""
    found, lon, lat = [], 0, 0
    for east, north in zip(deltas[::2], deltas[1::2], strict=True):
        lon, lat = lon + east, lat + north
        found.append((lon / 1e6, lat / 1e6))
    return found
