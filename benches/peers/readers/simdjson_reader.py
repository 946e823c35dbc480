"""pysimdjson: coordinates go from its document to NumPy in bulk, and become shapes all at once."""

from collections.abc import Sequence
from typing import Any

# Columns with the same values as in `to_geopandas()`.
NUMBERS = {"id": "int64", "sysid": "int64", "rank": "int64", "length": "float64", "area": "float64"}
NUMBERS |= {"cost_override": "float64"}
COLUMNS = [*NUMBERS, "description", "type", "fundingtype"]

# The other columns of `to_geopandas()`, by where a response has them.
TEXTS_OF_DIAGRAM = ["cost_override_type", "notes", "tag_codes", "flat_geobuf_url", "external_geometries"]
TIMES_OF_DIAGRAM = ["created_at", "start_date", "end_date"]
OBJECTS_OF_DIAGRAM = ["building_data", "additional_metadata"]
FIELDS_OF_FEATURE = ["diagramid", "areatype", "sysname", "systag", "color", "author"]
# Columns that this project leaves empty, as it has no such fields.
EMPTY = ["volume_information", "position"]


def frame_by_simdjson(body: Any) -> Any:
    """A frame with all columns of `to_geopandas()`."""
    import pandas
    from geopandas import GeoDataFrame
    from simdjson import Parser

    document: Any = Parser().parse(body)
    columns, features, counts = columns_and_features(document)

    def repeated(values: list[Any], dtype: Any) -> Any:
        return pandas.Series(values, dtype=dtype).repeat(counts).array

    for name in TEXTS_OF_DIAGRAM:
        columns[name] = repeated([diagram[name] for diagram in document], "str")
    for name in TIMES_OF_DIAGRAM:
        columns[name] = repeated([diagram[name] for diagram in document], "datetime64[us]")
    for name in OBJECTS_OF_DIAGRAM:
        columns[name] = repeated([diagram[name].mini.decode() for diagram in document], "str")
    properties = [feature["properties"] for feature in features]
    for name in FIELDS_OF_FEATURE:
        columns[name] = [each[name] for each in properties]
    for name in EMPTY:
        columns[name] = pandas.Series([None] * len(features), dtype="str")
    return GeoDataFrame(columns, geometry=polygons(features), crs="EPSG:4326")


def columns_and_features(document: Any) -> tuple[dict[str, Any], list[Any], list[int]]:
    """Nine columns, the features, and the number of features of each diagram."""
    import numpy

    diagrams = list(document)
    features_by_diagram = [list(diagram["geojson"]["features"]) for diagram in diagrams]
    counts = [len(features) for features in features_by_diagram]
    columns = {
        name: numpy.repeat(numpy.array([diagram[name] for diagram in diagrams], dtype=NUMBERS.get(name)), counts)
        for name in COLUMNS
    }
    return columns, [feature for features in features_by_diagram for feature in features], counts


def polygons(features: Sequence[Any]) -> Any:
    """The shapes of features that all are polygons."""
    import numpy
    from shapely import GeometryType, from_ragged_array

    rings, rings_per_polygon = [], [0]
    for feature in features:
        polygon = feature["geometry"]["coordinates"]
        if len(polygon) == 1:
            # The polygon's numbers are those of its only ring.
            rings.append(numpy.frombuffer(polygon.as_buffer(of_type="d")))
        else:
            rings += [numpy.frombuffer(ring.as_buffer(of_type="d")) for ring in polygon]
        rings_per_polygon.append(len(polygon))
    ring_ends = numpy.cumsum([0, *(ring.size // 2 for ring in rings)])
    coordinates = numpy.concatenate(rings).reshape(-1, 2)
    return from_ragged_array(GeometryType.POLYGON, coordinates, (ring_ends, numpy.cumsum(rings_per_polygon)))
