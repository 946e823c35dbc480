"""Properties that few features have share a column, so that memory stays in proportion to the bytes received."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from builders import Json, collection, diagram, feature, read_collection, read_diagrams
from fake_service import FakeService
from pygeodesign import DecodeError

pytestmark = pytest.mark.alone("memory")

FEATURES = 10_000
# Times the bytes of the body. Columns for each property took 2,000 times as much.
MAX_GROWTH = 100


def with_own_properties(count: int = FEATURES, **shared: Any) -> list[Json]:
    """Features with a property each that no other feature has, and properties that all have."""
    return [feature(None, **{f"own{number}": number}, **shared) for number in range(count)]


def own(row: Json) -> Any:
    """The properties of a row that share the column."""
    return json.loads(row["properties"]) if row["properties"] is not None else {}


def test_properties_of_one_feature_each_share_a_column() -> None:
    body = collection(*with_own_properties(kind="tree"))
    features = read_collection(body)
    table = features.to_arrow()
    assert table.column_names == ["kind", "properties", "geometry"]
    assert table.schema.field("properties").type == pa.string()
    rows = table.to_pylist()
    assert [own(row) | {"kind": row["kind"]} for row in rows] == [each["properties"] for each in body["features"]]
    assert features.to_dict() == body
    assert list(features.to_geopandas().columns) == table.column_names


def test_fields_and_properties_of_one_diagram_each_share_a_column() -> None:
    # At the second name, the field of the diagram replaces the property of the feature.
    fields = [{f"field{number}": [number], f"both{number}": None} for number in range(2_000)]
    diagrams = read_diagrams(
        *(
            diagram(number, feature(None, **{f"own{number}": number, f"both{number}": 1}), **fields[number])
            for number in range(2_000)
        )
    )
    rows = diagrams.to_arrow().to_pylist()
    expected = [{f"own{number}": number} | fields[number] for number in range(2_000)]
    assert [own(row) for row in rows] == expected
    for row, each, rare in zip(rows, diagrams["features"], expected, strict=True):
        assert each["properties"].items() >= rare.items()
        columns = {"type" if name == "kind" else name for name in row}
        assert set(each["properties"]) == columns - {"geometry", "properties"} | set(rare)


def test_a_value_that_is_repeated_is_the_last_one() -> None:
    text = json.dumps(collection(*with_own_properties())).replace('"own7": 7', '"own7": 1, "own7": 2')
    features = read_collection(text.encode())
    assert own(features.to_arrow().to_pylist()[7]) == {"own7": 2} == features["features"][7]["properties"]


def test_a_property_that_many_features_have_keeps_its_column() -> None:
    common = [{"rare": number} if number % 30 == 0 else {} for number in range(FEATURES)]
    features = [feature(None, **{f"own{number}": 1} | more) for number, more in enumerate(common)]
    table = read_collection(collection(*features)).to_arrow()
    assert table.column_names == ["rare", "properties", "geometry"]
    assert table["rare"].to_pylist() == [more.get("rare") for more in common]


def test_a_property_with_the_name_of_the_shared_column_is_in_it() -> None:
    table = read_collection(collection(*with_own_properties(properties="mine", kind="tree"))).to_arrow()
    assert table.column_names == ["kind", "properties", "geometry"]
    assert own(table.to_pylist()[3]) == {"own3": 3, "properties": "mine"}


@pytest.mark.parametrize(
    ("body", "columns"),
    [
        (collection(*with_own_properties(1_000)), 1_000),
        (collection(*(feature(None, **{f"p{number}": None for number in range(100)}) for _ in range(11_000))), 100),
        (collection(feature(properties="mine")), 1),
    ],
    ids=["fewer than a million cells", "properties that every feature has", "the name of the shared column"],
)
def test_in_an_ordinary_collection_each_property_has_a_column(body: Json, columns: int) -> None:
    names = {name for each in body["features"] for name in each["properties"]}
    assert set(read_collection(body).to_arrow().column_names) == names | {"geometry"}
    assert len(names) == columns


def test_a_feature_of_very_many_properties_has_some_thousand_columns() -> None:
    properties = {f"p{number}": number for number in range(20_000)}
    features = read_collection(collection(feature(None, **properties)))
    [row] = features.to_arrow().to_pylist()
    assert len(row) == 4_096 + 2
    assert {name: row[name] for name in list(row)[:4_096]} | own(row) == properties
    assert features["features"][0]["properties"] == properties


def test_fields_that_many_features_would_repeat_are_an_error() -> None:
    fields = {f"field{number}": "x" * 10 for number in range(10_000)}
    with pytest.raises(DecodeError, match="column properties: its texts take more than 64 MiB, because every feature"):
        read_diagrams(diagram(1, *[feature()] * 10_000, **fields))


def test_a_long_text_that_many_features_would_repeat_is_an_error() -> None:
    with pytest.raises(DecodeError, match="column notes: its texts take more than 256 MiB, because every feature"):
        read_diagrams(diagram(1, *[feature()] * 1_000, notes="x" * 500_000))


def test_a_pickled_collection_has_the_same_columns() -> None:
    features = read_collection(collection(*with_own_properties()))
    twin = pickle.loads(pickle.dumps(features))
    assert twin.to_arrow().equals(features.to_arrow())


MEASURE = """
import json, sys
from pygeodesign import Client

def peak():
    return 1024 * int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])

import geopandas, pyarrow, shapely
project = Client("token", sys.argv[1]).project("FakeProject00001")
project.study_area.boundaries().to_geopandas()
before = peak()
features = project.diagrams() if sys.argv[2] == "diagrams" else project.study_area.constraints()
features.to_geopandas()
features.to_arrow()
features.to_dict()
features._repr_html_()
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("operation", ["constraints", "diagrams"])
def test_memory_stays_in_proportion_to_the_body(operation: str) -> None:
    features = with_own_properties()
    bodies = {
        "boundaries/": collection(feature()),
        "constraints/": collection(*features),
        "diagrams/all/": [diagram(number, feature(None, **{f"own{number}": 1})) for number in range(FEATURES)],
        "systems/": [],
    }
    with FakeService(bodies) as service:
        measured = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", MEASURE, service.url, operation],
            env=os.environ | {"MALLOC_ARENA_MAX": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
    path = {"constraints": "constraints/", "diagrams": "diagrams/all/"}[operation]
    assert int(measured.stdout) < MAX_GROWTH * len(json.dumps(bodies[path]))
