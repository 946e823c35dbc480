"""Each way to convert a collection gives the same table: to_geopandas, from_features, from_arrow, pyarrow, polars."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import duckdb
import geopandas as gpd
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import geometries
from builders import Json, diagram, feature, read_diagrams, square
from pygeodesign import FeatureCollection, InputError, Project

COLLECTIONS: dict[str, Callable[[Project], FeatureCollection]] = {
    "diagrams": lambda project: project.diagrams(),
    "selection": lambda project: project.member("jose.villanueva").selection(),
    "design": lambda project: project.design(project.designs(1)[0]["id"], 1).features(),
    "boundaries": lambda project: project.study_area.boundaries(),
    "evaluation": lambda project: project.system(1).evaluation(),
    "constraints": lambda project: project.study_area.constraints(),
    "diagram": lambda project: project.diagram(1002).features(),
}
FRAMES: dict[str, Callable[[FeatureCollection], Any]] = {
    "from_features(collection)": lambda fc: gpd.GeoDataFrame.from_features(fc, crs=4326),
    "from_features(dict)": lambda fc: gpd.GeoDataFrame.from_features(fc.to_dict(), crs=4326),
    "to_geopandas": lambda fc: fc.to_geopandas(),
    "from_arrow": lambda fc: gpd.GeoDataFrame.from_arrow(fc),
}


@pytest.fixture(params=COLLECTIONS)
def collection(request: pytest.FixtureRequest, project: Project) -> FeatureCollection:
    return COLLECTIONS[request.param](project)


def plain(value: Any) -> Any:
    """A cell without the differences between the conversions: JSON text is parsed, and a missing value is None."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    if not isinstance(value, dict | list) and pd.isna(value):
        return None
    return value


def rows(frame: pd.DataFrame, timestamps: list[str]) -> list[dict[str, Any]]:
    frame = pd.DataFrame(frame.drop(columns="geometry"))
    for name in timestamps:
        frame[name] = [None if pd.isna(value) else pd.Timestamp(value) for value in frame[name]]
    return [{str(key): plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


@pytest.mark.parametrize("conversion", FRAMES)
def test_a_frame_has_the_properties_of_the_features(conversion: str, collection: FeatureCollection) -> None:
    features = collection["features"]
    frame = FRAMES[conversion](collection)
    timestamps = [field.name for field in collection.to_arrow().schema if pa.types.is_timestamp(field.type)]
    expected = pd.DataFrame([feature["properties"] | {"geometry": None} for feature in features])
    # `from_features` keeps the names of the service.
    frame, expected = (table.rename(columns={"type": "kind", "diagramtype": "kind"}) for table in (frame, expected))
    assert ("kind" in FRAMES[conversion](collection)) == ("kind" in expected and "from_features" not in conversion)
    assert set(frame.columns) == set(expected.columns)
    assert rows(frame, timestamps) == [
        {name: row[name] for name in frame.columns if name != "geometry"} for row in rows(expected, timestamps)
    ]


@pytest.mark.parametrize("conversion", FRAMES)
def test_a_frame_has_exactly_the_geometries_of_the_features(conversion: str, collection: FeatureCollection) -> None:
    frame = FRAMES[conversion](collection)
    expected = [feature["geometry"] and shapely.from_geojson(json.dumps(feature["geometry"])) for feature in collection]
    assert len(frame) == len(expected)
    for geometry, original in zip(frame.geometry, expected, strict=True):
        if original is None or original.is_empty:
            # The service writes an empty geometry for a feature that has none; GeoPandas itself leaves it empty.
            assert geometry is None or geometry.is_empty
            continue
        assert shapely.equals_identical(geometry, original)


@pytest.fixture(scope="module")
def large() -> FeatureCollection:
    """A collection of several chunks, with more rows than are converted to shapes at once."""
    shapes: list[Json | None] = [
        {"type": "Point", "coordinates": [-74.1, 40.6]},
        {"type": "LineString", "coordinates": [[-74.1, 40.6, 3.0], [-74.2, 40.7, 4.0]]},
        {"type": "Polygon", "coordinates": [[[-74.1, 40.6], [-74.0, 40.6], [-74.0, 40.7], [-74.1, 40.6]]]},
        {"type": "GeometryCollection", "geometries": []},
        None,
    ]
    features = [feature(shapes[number % len(shapes)], grid_location=f"{number}") for number in range(9_000)]
    return read_diagrams(*(diagram(1_000 + number, *features[3 * number :][:3]) for number in range(3_000)))


@pytest.mark.parametrize("conversion", FRAMES)
def test_a_collection_of_several_chunks_is_one_frame(conversion: str, large: FeatureCollection) -> None:
    assert large.to_arrow()["geometry"].num_chunks > 1
    frame = FRAMES[conversion](large)
    assert frame["grid_location"].tolist() == [str(number) for number in range(9_000)]
    assert frame["diagramid"].tolist() == [1_000 + number // 3 for number in range(9_000)]
    for shape, sent in zip(frame.geometry, large["features"], strict=True):
        expected = sent["geometry"] and shapely.from_geojson(json.dumps(sent["geometry"]))
        if expected is None or expected.is_empty:
            # The service writes an empty collection for a feature that has none; GeoPandas itself leaves it empty.
            assert shape is None or shape.is_empty
            continue
        assert shapely.equals_identical(shape, expected)


def test_a_frame_is_allocated_outside_of_the_pool_of_pyarrow(large: FeatureCollection) -> None:
    # pyarrow's own allocator gives each new thread large pages: touching them first takes longer than the conversion.
    pool = pa.default_memory_pool()
    before = pool.total_bytes_allocated()
    large.to_geopandas()
    assert pool.total_bytes_allocated() - before < len(large)


def test_an_interrupted_conversion_creates_no_more_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The helping thread finishes its current rows only."""
    points = collection_of([shapely.Point(-74.1, 40.6)] * 9_000)
    finished_by_helper = []

    def create_shapes(*arguments: Any) -> Any:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        finished_by_helper.append(arguments)
        time.sleep(0.2)
        return [None]

    monkeypatch.setattr(shapely, "from_ragged_array", create_shapes)
    with pytest.raises(KeyboardInterrupt):
        points.to_geopandas()
    assert len(finished_by_helper) <= 1


@pytest.mark.parametrize("conversion", FRAMES)
def test_a_frame_is_in_wgs_84(conversion: str, collection: FeatureCollection) -> None:
    assert FRAMES[conversion](collection).crs == "EPSG:4326"


def test_a_frame_has_every_diagram_even_without_geometry(project: Project) -> None:
    frame = project.diagrams().to_geopandas()
    ids = {summary["id"] for summary in project.diagrams(fields="summary")}
    assert len(ids) == 180
    assert set(frame.diagramid) == ids
    assert sorted(frame.diagramid[frame.geometry.isna()]) == [1015, 1055]


# Other readers of Arrow


def test_pyarrow_reads_the_collection(collection: FeatureCollection) -> None:
    assert pa.table(collection) == collection.to_arrow()


def test_polars_reads_the_collection(collection: FeatureCollection) -> None:
    expected = collection.to_arrow().to_pylist()
    assert pl.DataFrame(collection).to_dicts() == expected


def test_duckdb_queries_the_collection(project: Project) -> None:
    diagrams = project.diagrams()
    with duckdb.connect() as connection:
        counted = connection.execute(
            "SELECT sysid, count(DISTINCT diagramid) FROM diagrams GROUP BY sysid ORDER BY sysid"
        ).fetchall()
    summaries = project.diagrams(fields="summary")
    expected = [(sysid, sum(row["sysid"] == sysid for row in summaries)) for sysid in range(1, 10)]
    assert counted == expected
    assert sum(count for _, count in counted) == len({row["properties"]["diagramid"] for row in diagrams})


ODD_SHAPES = [
    None,
    shapely.Point(),
    shapely.Polygon(),
    shapely.LineString(),
    shapely.MultiPolygon(),
    shapely.Point(1, 2),
    shapely.Point(1, 2, 3),
    shapely.MultiPoint([(1, 2), (3, 4)]),
    shapely.GeometryCollection([shapely.Point(1, 2), shapely.LineString([(0, 0), (1, 1)])]),
]


def collection_of(shapes: list[shapely.Geometry | None]) -> FeatureCollection:
    features = [
        {
            "type": "Feature",
            "properties": {"row": row},
            "geometry": None if shape is None else shapely.geometry.mapping(shape),
        }
        for row, shape in enumerate(shapes)
    ]
    body = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    return FeatureCollection._from_body(body, False)


@given(st.lists(st.one_of(geometries.lines(), geometries.polygons(), st.sampled_from(ODD_SHAPES)), max_size=12))
def test_shapes_from_ragged_arrays_equal_shapes_from_wkb(shapes: list[shapely.Geometry | None]) -> None:
    collection = collection_of(shapes)
    frame, expected = collection.to_geopandas(), gpd.GeoDataFrame.from_arrow(collection)
    assert geometries.wkb(frame.geometry) == geometries.wkb(expected.geometry)
    pd.testing.assert_frame_equal(frame.drop(columns="geometry"), expected.drop(columns="geometry"))
    assert (frame.crs, list(frame), frame.active_geometry_name) == (expected.crs, list(expected), "geometry")


@pytest.mark.parametrize("ring", [[[0, 0]], [[0, 0], [1, 1]], [[0, 0], [1, 1], [0, 0]], []])
def test_degenerate_rings_have_the_same_outcome_as_with_from_arrow(ring: list[Any]) -> None:
    geometry = {"type": "Polygon", "coordinates": [ring]}
    body = json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": geometry}]}).encode()
    collection = FeatureCollection._from_body(body, False)

    def outcome(to_frame: Callable[[FeatureCollection], gpd.GeoDataFrame]) -> Any:
        try:
            return geometries.wkb(to_frame(collection).geometry)
        except shapely.errors.GEOSException as refusal:
            return str(refusal)

    assert outcome(FeatureCollection.to_geopandas) == outcome(gpd.GeoDataFrame.from_arrow)


def test_an_arrow_table_of_present_geometries_has_no_nulls() -> None:
    features = read_diagrams(diagram(1, feature(None), feature(square(0, 0, 1))), diagram(2, feature(None)))
    table = features.to_arrow(geometry="present")
    assert table.column("geometry").null_count == 0
    assert not table.schema.field("geometry").nullable
    assert table.schema.field("geometry").metadata == features.to_arrow().schema.field("geometry").metadata
    assert (table.num_rows, features.to_arrow().num_rows) == (1, 3)
    assert len(gpd.GeoDataFrame.from_arrow(table)) == 1
    assert features.to_arrow(geometry="present").schema.names == features.to_arrow().schema.names
    with pytest.raises(InputError, match='geometry must be "all" or "present", not "some"'):
        features.to_arrow(geometry="some")  # type: ignore[arg-type]
