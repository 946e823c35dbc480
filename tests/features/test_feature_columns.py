"""The columns of a collection: their names, types and values."""

import json
from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

from builders import collection, diagram, feature, read_collection, read_diagrams, square
from pygeodesign import DecodeError, Project

INTEGER, NUMBER, TEXT, TIMESTAMP = pa.int64(), pa.float64(), pa.string(), pa.timestamp("us")
DIAGRAM_COLUMNS = {
    "diagramid": INTEGER,
    "id": INTEGER,
    "description": TEXT,
    "kind": TEXT,
    "areatype": TEXT,
    "sysid": INTEGER,
    "sysname": TEXT,
    "systag": TEXT,
    "color": TEXT,
    "author": TEXT,
    "rank": INTEGER,
    "area": NUMBER,
    "length": NUMBER,
    "fundingtype": TEXT,
    "cost_override": NUMBER,
    "cost_override_type": TEXT,
    "building_data": TEXT,
    "volume_information": TEXT,
    "notes": TEXT,
    "created_at": TIMESTAMP,
    "start_date": TIMESTAMP,
    "end_date": TIMESTAMP,
    "tag_codes": TEXT,
    "additional_metadata": TEXT,
    "flat_geobuf_url": TEXT,
    "external_geometries": TEXT,
    "position": TEXT,
    "geometry": pa.binary(),
}


def column(values: list[Any], name: str = "surplus") -> pa.Array:
    """The column of a property with these values, one for each feature."""
    body = collection(*(feature(**{name: value}) for value in values))
    return read_collection(body).to_arrow()[name].combine_chunks()


def test_the_columns_of_diagrams_have_documented_types(project: Project) -> None:
    schema = project.diagrams().to_arrow().schema
    assert {field.name: field.type for field in schema} == DIAGRAM_COLUMNS


def test_a_field_of_another_service_that_is_called_kind_has_a_column_beside_the_kind() -> None:
    frame = read_diagrams(diagram(1, feature(square(0, 0, 1)), type="policy", kind="wish")).to_geopandas()
    assert (frame["kind"].tolist(), frame["properties.kind"].tolist()) == (["policy"], ["wish"])
    assert frame.type.tolist() == ["Polygon"]


def test_a_project_without_diagrams_has_the_same_columns(project: Project) -> None:
    empty = read_diagrams()
    assert len(empty) == 0
    assert empty.to_arrow().schema.equals(project.diagrams().to_arrow().schema, check_metadata=True)
    assert empty.to_geopandas().crs == "EPSG:4326"


def test_the_geometry_column_has_the_metadata_of_geoarrow(project: Project) -> None:
    metadata = project.diagrams().to_arrow().schema.field("geometry").metadata
    assert metadata[b"ARROW:extension:name"] == b"geoarrow.wkb"
    crs = json.loads(metadata[b"ARROW:extension:metadata"])["crs"]
    assert crs["id"] == {"authority": "EPSG", "code": 4326}


def test_a_field_of_the_diagram_replaces_the_property_of_its_feature() -> None:
    diagram_fields = {"color": "#111111", "description": "the feature's", "notes": None, "sysid": 1}
    feature_fields = diagram_fields | {
        "color": "#222222",
        "notes": "the feature's",
        "areatype": "project",
        "diagramid": 99,
    }
    diagrams = read_diagrams(diagram(7, feature(square(0, 0, 1), **feature_fields), **diagram_fields))
    for row in (diagrams.to_arrow().to_pylist()[0], diagrams["features"][0]["properties"]):
        shown = {name: row[name] for name in (*diagram_fields, "areatype", "diagramid")}
        assert shown == diagram_fields | {"areatype": "project", "diagramid": 7}


def test_each_feature_of_a_diagram_has_a_row_with_the_fields_of_the_diagram() -> None:
    first, second = feature(square(0, 0, 1), areatype="project"), feature(square(2, 0, 1), areatype="policy")
    table = read_diagrams(diagram(7, first, second, notes="both")).to_arrow()
    shown = table.select(["diagramid", "areatype", "notes"]).to_pylist()
    assert shown == [
        {"diagramid": 7, "areatype": "project", "notes": "both"},
        {"diagramid": 7, "areatype": "policy", "notes": "both"},
    ]


@pytest.mark.parametrize("geojson", [collection(), None])
def test_a_diagram_without_features_has_one_row(geojson: Any) -> None:
    rows = read_diagrams(diagram(7, geojson=geojson)).to_arrow().to_pylist()
    assert [(row["diagramid"], row["geometry"]) for row in rows] == [(7, None)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False, None], pa.bool_()),
        ([1, 2, None], INTEGER),
        ([1, 2.5, None], NUMBER),
        (["one", None], TEXT),
        ([1, "two"], TEXT),
        ([None, None], TEXT),
    ],
)
def test_an_unknown_property_has_the_narrowest_type_of_its_values(values: list[Any], kind: pa.DataType) -> None:
    unknown = column(values)
    assert unknown.type == kind
    expected = values if kind != TEXT else [value if value is None else str(value) for value in values]
    assert unknown.to_pylist() == expected


def test_an_unknown_object_is_json_text() -> None:
    values: list[Any] = [{"depth": [1, 2]}, [3]]
    assert [json.loads(text) for text in column(values).to_pylist()] == values


def test_unknown_fields_of_a_diagram_are_columns_too() -> None:
    assert read_diagrams(diagram(7, steward="Ana")).to_arrow()["steward"].to_pylist() == ["Ana"]


def test_a_missing_property_is_null() -> None:
    table = read_collection(collection(feature(depth=1), feature(), feature(depth=3))).to_arrow()
    assert table["depth"].to_pylist() == [1, None, 3]


def test_a_property_named_geometry_is_the_column_properties_geometry() -> None:
    named = {"type": "Feature", "properties": {"geometry": "round"}, "geometry": None}
    table = read_collection(collection(named)).to_arrow()
    assert table["properties.geometry"].to_pylist() == ["round"]
    assert table["geometry"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("diagramid", "17", 17),
        ("sysid", 3.0, 3),
        ("rank", "", None),
        ("cost_override", "12.5", 12.5),
        ("area", 7, 7.0),
        ("start_date", "2026-03-02", datetime(2026, 3, 2)),
        ("start_date", "", None),
        ("created_at", "2026-03-02 09:30:00", datetime(2026, 3, 2, 9, 30)),
        ("created_at", "2026-03-02T09:30:00.250", datetime(2026, 3, 2, 9, 30, 0, 250_000)),
        ("created_at", "2026-03-02T09:30:00+02:00", datetime(2026, 3, 2, 7, 30)),
        ("description", 5, "5"),
    ],
)
def test_a_documented_column_accepts_values_that_can_be_converted_to_its_type(
    name: str, written: Any, value: Any
) -> None:
    assert column([written], name).to_pylist() == [value]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        *[("area", number) for number in ("12.5", " 7 ", "+5", ".5", "5.", "05", "1e3", "-0", "")],
        *[("rank", number) for number in (" 7 ", "+5", "5.0", "05", "1e3", "-0", "")],
    ],
)
def test_a_number_in_text_is_the_same_in_the_table_and_in_the_features(name: str, written: str) -> None:
    diagrams = read_diagrams(diagram(1, **{name: written}))
    assert diagrams["features"][0]["properties"][name] == diagrams.to_arrow()[name].to_pylist()[0]


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("sysid", "north", "an integer"),
        ("rank", 1.5, "an integer"),
        ("area", "large", "a number"),
        ("start_date", "soon", "a date"),
        ("created_at", "2026-13-01T00:00:00", "a date"),
        ("diagramid", True, "an integer"),
    ],
)
def test_the_error_for_a_value_of_the_wrong_type_names_feature_field_and_value(
    name: str, written: Any, expected: str
) -> None:
    with pytest.raises(DecodeError) as raised:
        read_diagrams(diagram(1), diagram(2, feature(**{name: written})), strict=True)
    message = str(raised.value)
    assert "[1].geojson.features[0]" in message
    assert f"{name} is {json.dumps(written)}, not {expected}" in message


def test_a_diagram_without_an_id_is_left_out_with_its_index() -> None:
    without_id = diagram(2)
    del without_id["id"]
    with pytest.warns(UserWarning, match=r"\[1\] is left out: it has no id"):
        assert read_diagrams(diagram(1), without_id).to_arrow()["diagramid"].to_pylist() == [1]


def test_a_null_diagram_id_is_a_decode_error() -> None:
    with pytest.raises(DecodeError, match="id"):
        read_diagrams(diagram(None))


@pytest.mark.parametrize(
    "date",
    [
        "0001-01-01",
        "2200-02-28",
        "9999-12-31",
    ],
)
def test_dates_of_the_years_1_to_9999_are_read(date: str) -> None:
    assert column([date], "end_date").to_pylist() == [datetime.fromisoformat(date)]


def test_the_error_for_a_property_name_with_a_nul_names_the_feature() -> None:
    named = {"type": "Feature", "properties": {"a\0b": 1}, "geometry": None}
    with pytest.raises(DecodeError, match=r"features\[0\].*holds a NUL"):
        read_collection(collection(named), strict=True)
