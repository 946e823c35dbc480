"""Small worlds: features, diagrams and systems as the service sends them."""

from typing import Any

from fake_service import FakeService
from pygeodesign import FeatureCollection

Json = dict[str, Any]


def square(west: float, south: float, size: float, *holes: list[list[float]]) -> Json:
    """A square polygon, counter-clockwise, in degrees."""
    return {"type": "Polygon", "coordinates": [ring(west, south, size), *holes]}


def ring(west: float, south: float, size: float) -> list[list[float]]:
    east, north = west + size, south + size
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def line(*positions: list[float]) -> Json:
    return {"type": "LineString", "coordinates": list(positions)}


def feature(geometry: Json | None = None, **properties: Any) -> Json:
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: Json) -> Json:
    return {"type": "FeatureCollection", "features": list(features)}


def diagram(id: Any, *features: Json, **fields: Any) -> Json:
    """A diagram of system 1 with its features."""
    return {"geojson": collection(*features), "id": id, "sysid": 1, "description": f"Diagram {id}"} | fields


def read_collection(body: Any) -> FeatureCollection:
    """A FeatureCollection out of what the service answers for boundaries."""
    with FakeService({"boundaries/": body}) as service:
        return service.project().boundaries()


def read_diagrams(*diagrams: Any) -> FeatureCollection:
    """A FeatureCollection out of a project with these diagrams."""
    with FakeService({"diagrams/all/": list(diagrams)}) as service:
        return service.project().diagrams()
