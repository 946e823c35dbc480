"""JSON of features, collections and diagrams, as the service sends it."""

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
    """A diagram of system 1 with these features."""
    return {"geojson": collection(*features), "id": id, "sysid": 1, "description": f"Diagram {id}"} | fields


def read_collection(body: Any, **settings: Any) -> FeatureCollection:
    """The collection that a client with these settings reads from this response for boundaries."""
    with FakeService({"boundaries/": body}) as service:
        return service.project(**settings).study_area.boundaries()


def read_diagrams(*diagrams: Any, strict: bool = False) -> FeatureCollection:
    """The collection that the client reads from a project with these diagrams."""
    with FakeService({"diagrams/all/": list(diagrams)}) as service:
        return service.project().diagrams(strict=strict)
