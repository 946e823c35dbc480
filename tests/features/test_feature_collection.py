"""A `FeatureCollection` as a Python object: length, items, copies, bounds, repr."""

import copy
import gc
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import shapely

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pygeodesign import DecodeError, FeatureCollection, Project

COPIES: dict[str, Callable[[FeatureCollection], FeatureCollection]] = {
    "pickle": lambda fc: pickle.loads(pickle.dumps(fc)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def test_a_collection_is_as_long_as_its_rows(project: Project) -> None:
    diagrams = project.diagrams()
    assert len(diagrams) == len(list(diagrams)) == len(diagrams["features"]) == diagrams.to_arrow().num_rows


def test_iterating_gives_the_features() -> None:
    features = [feature(square(0, 0, 1), name="a"), feature(None, name="b")]
    assert list(read_collection(collection(*features))) == features


def test_the_dict_of_a_collection_is_the_json_of_the_service() -> None:
    body = collection(feature(square(0, 0, 1), depth=None)) | {"name": "kept", "bbox": [0, 0, 1, 1]}
    assert read_collection(body).to_dict() == body


def test_the_fields_around_a_geojson_collection_are_metadata() -> None:
    geojson = collection(feature(square(0, 0, 1)))
    wrapped = read_collection({"description": "An outline", "geojson": geojson})
    assert wrapped.to_dict() == geojson
    assert wrapped.metadata == {"description": "An outline"}


@pytest.fixture(params=[True, False], ids=["collecting", "not-collecting"])
def gc_enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    """True if the garbage collector is enabled, which the test must not change."""
    (gc.enable if request.param else gc.disable)()
    yield request.param
    gc.enable()


@pytest.mark.parametrize("fails", [False, True], ids=["well", "failing"])
def test_the_garbage_collector_is_paused_while_shapes_are_created(
    fails: bool, gc_enabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shapes are in no reference cycles, so collecting would only take time."""
    enabled_during_call = []

    def make_shapes(*arguments: Any) -> Any:
        enabled_during_call.append(gc.isenabled())
        if fails:
            raise MemoryError
        return [None]

    monkeypatch.setattr(shapely, "from_ragged_array", make_shapes)
    one = read_collection(collection(feature(square(0, 0, 1))))
    with pytest.raises(MemoryError) if fails else nullcontext():
        one.to_geopandas()
    assert enabled_during_call == [False]
    assert gc.isenabled() == gc_enabled


@pytest.mark.parametrize("name", ["a", {"lone": "\ud800"}], ids=["well", "failing"])
def test_the_garbage_collector_is_in_its_former_state_after_to_dict(name: Any, gc_enabled: bool) -> None:
    one = read_collection(collection(feature(None, name=name)))
    with pytest.raises(DecodeError) if name != "a" else nullcontext():
        one.to_dict()
    assert gc.isenabled() == gc_enabled


def test_the_geo_interface_is_the_dict(project: Project) -> None:
    diagrams = project.diagrams()
    assert diagrams.__geo_interface__ == diagrams.to_dict()


def test_the_features_of_diagrams_have_the_same_properties_in_the_same_order(project: Project) -> None:
    document = project.diagrams().to_dict()
    assert set(document) == {"type", "features"}
    keys = {(tuple(feature), tuple(feature["properties"])) for feature in document["features"]}
    assert len(keys) == 1
    assert json.loads(json.dumps(document)) == document


def test_changing_a_returned_dict_does_not_change_the_collection() -> None:
    original = read_collection(collection(feature(square(0, 0, 1), name="a")))
    original["features"].clear()
    original.metadata["note"] = "mine"
    assert len(original["features"]) == 1
    assert original.metadata == {}


def test_an_unknown_key_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nothing"):
        read_collection(collection())["nothing"]


def test_the_metadata_of_a_diagram_are_its_details(project: Project) -> None:
    details = {row["id"]: row for row in project.diagrams(fields="details")}
    assert project.diagram(1002).features().metadata == details[1002]


def test_the_bounds_contain_all_geometries() -> None:
    features = [feature(square(-1, 40, 0.5)), feature(None), feature(line([3, 39], [2, 41]))]
    assert read_collection(collection(*features)).bounds == (-1, 39, 3, 41)


@pytest.mark.parametrize("features", [[], [feature(None)]])
def test_the_bounds_of_a_collection_without_geometries_are_none(features: list[dict[str, object]]) -> None:
    assert read_collection(collection(*features)).bounds is None


def test_the_bounds_of_the_boundaries_are_those_of_the_project(project: Project) -> None:
    assert project.study_area.boundaries().bounds == project.study_area.bounds()


def test_the_repr_is_one_line_with_counts() -> None:
    assert repr(read_collection(collection(feature()))) == "<FeatureCollection: 1 feature>"
    two = diagram(7, feature(square(0, 0, 1)), feature(square(2, 0, 1)))
    assert repr(read_diagrams(two, diagram(8))) == "<FeatureCollection: 3 features, 2 diagrams>"


@pytest.mark.parametrize("copy_method", COPIES)
@pytest.mark.parametrize(
    "read", [Project.diagrams, lambda project: project.study_area.boundaries()], ids=["diagrams", "boundaries"]
)
def test_a_copy_equals_its_original(
    read: Callable[[Project], FeatureCollection], copy_method: str, project: Project
) -> None:
    original = read(project)
    twin = COPIES[copy_method](original)
    assert twin.to_dict() == original.to_dict()
    assert twin.metadata == original.metadata
    assert twin.bounds == original.bounds
    assert twin.to_arrow() == original.to_arrow()


def test_a_collection_cannot_be_changed(project: Project) -> None:
    with pytest.raises(AttributeError):
        project.study_area.boundaries().bounds = (0, 0, 1, 1)  # type: ignore[misc]


def test_a_null_geojson_field_is_an_empty_collection() -> None:
    without_geojson = read_collection({"geojson": None, "description": "later"})
    assert without_geojson.to_dict() == {"type": "FeatureCollection", "features": []}


def test_text_with_half_a_surrogate_pair_is_a_decode_error() -> None:
    body = json.dumps(collection(feature(name="\ud800"))).encode()
    with pytest.raises(DecodeError):
        read_collection(body)
