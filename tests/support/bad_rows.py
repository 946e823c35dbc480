"""Rows that cannot be read, or are wrong."""

from typing import Any

from builders import Json, collection, diagram, feature, square

LAND = square(10, 45, 0.01)
WITH_NULL = {"type": "Polygon", "coordinates": [[[10, 45], [11, None], [11, 46], [10, 45]]]}
LAEA = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3035"}}


def bad(*features: Json, **fields: Any) -> Json:
    return diagram(9, *(features or [feature(LAND)]), **({"type": "project"} | fields))


# A row without a possible cost, and the text that names its fault.
BAD_ROWS: dict[str, tuple[Json, str]] = {
    "a null coordinate": (bad(feature(LAND), feature(WITH_NULL)), r"geometry[.]coordinates\[0\]\[1\]\[1\].*null"),
    "an unknown geometry": (bad(feature({"type": "Circle", "coordinates": [1, 2]})), "Circle"),
    "an empty geojson": (bad(geojson={}), "geojson has no list of features"),
    "no list of features": (bad(geojson={"type": "FeatureCollection", "features": None}), "no list of features"),
    "geojson that is text": (bad(geojson="[]"), "geojson is no FeatureCollection"),
    "a feature that is null": (
        bad(geojson={"type": "FeatureCollection", "features": [None]}),
        "a feature is no object",
    ),
    "an unlisted system": (bad(sysid=77), "sysid is 77, a system that the project does not list; it lists 1"),
    "no system": (bad(sysid=None), "it has no sysid"),
    "a negative override": (bad(cost_override=-5, cost_override_type="total"), "cost_override is -5, less than 0"),
    "another unit": (bad(cost_override=5, cost_override_type="per m2"), 'cost_override_type is "per m2"'),
    "a text for an area": (bad(area="large"), 'area is "large", not a number'),
    "another CRS": (bad(geojson=collection(feature(LAND)) | {"crs": LAEA}), "crs is not WGS 84"),
    "another CRS of a geometry": (bad(feature(LAND | {"crs": LAEA})), "geometry.*its crs is not WGS 84"),
    "the CRS first": (bad(geojson={"crs": LAEA} | collection(feature(LAND))), "crs is not WGS 84"),
}


def without_geojson(rows: Any) -> list[Json]:
    return [{name: value for name, value in row.items() if name != "geojson"} for row in rows]
