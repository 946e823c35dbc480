"""Evaluation maps made from several weighted maps."""

from typing import Any

import geopandas
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon, box

from pygeodesign import InputError, Sandbox
from pygeodesign.planning import weigh_maps

CLASSES = ["red", "red2", "yellow", "green", "green2", "green3"]


def a_map(*areas: tuple[str, Polygon]) -> geopandas.GeoDataFrame:
    names, shapes = zip(*areas, strict=True)
    return geopandas.GeoDataFrame({"areatype": names}, geometry=list(shapes), crs=4326)


LEFT, RIGHT = box(0, 0, 1, 1), box(1, 0, 2, 1)


def test_the_mean_is_of_the_maps_that_have_a_class_at_a_place() -> None:
    weighed = weigh_maps({"slope": a_map(("yellow", LEFT)), "soil": a_map(("green3", LEFT), ("green", RIGHT))})
    found = dict(zip(weighed["why"], weighed["areatype"], strict=True))
    # 3.5 is between green and green2: the worse one.
    assert found == {"slope ×1: yellow, soil ×1: green3": "green", "soil ×1: green": "green"}


def test_existing_is_no_degree_of_suitability_and_is_left_out_of_means_unless_it_is_counted() -> None:
    maps = {"built": a_map(("existing", LEFT.union(RIGHT))), "soil": a_map(("Suitable", LEFT))}
    found = dict(zip(*(weigh_maps(maps)[column] for column in ("why", "areatype")), strict=True))
    assert found == {"built ×1: red (not counted), soil ×1: green2": "green2", "built ×1: red": "red"}
    counted = weigh_maps(maps, count_existing=True)
    # (0 + 4) / 2 is yellow.
    assert dict(zip(counted["why"], counted["areatype"], strict=True)) == {
        "built ×1: red, soil ×1: green2": "yellow",
        "built ×1: red": "red",
    }


def test_red_of_a_map_that_excludes_is_red_whatever_the_others_say() -> None:
    maps = {"built": a_map(("red", LEFT)), "soil": a_map(("green3", LEFT))}
    (row,) = weigh_maps(maps, {"soil": 99}, excluding=["built"]).itertuples()
    assert (row.areatype, row.score) == ("red", 0.0)


def test_a_map_without_weight_excludes_all_the_same_and_does_nothing_else() -> None:
    maps = {"built": a_map(("red", LEFT), ("yellow", RIGHT)), "soil": a_map(("green3", LEFT.union(RIGHT)))}
    weighed = weigh_maps(maps, {"built": 0}, excluding=["built"])
    found = {row.areatype: row.geometry for row in weighed.itertuples()}
    assert found["red"].equals(LEFT) and found["green3"].equals(RIGHT)


def test_where_features_of_one_map_overlap_the_worst_counts_once() -> None:
    (row,) = weigh_maps({"soil": a_map(("green3", LEFT), ("red2", LEFT))}).itertuples()
    assert (row.areatype, row.score) == ("red2", 1.0)


def test_the_result_ends_with_the_study_area_and_a_map_without_weight_says_nothing() -> None:
    half = geopandas.GeoDataFrame(geometry=[box(0, 0, 0.5, 1)], crs=4326)
    weighed = weigh_maps({"a": a_map(("red", LEFT)), "b": a_map(("green", RIGHT))}, {"b": 0}, area=half)
    (row,) = weighed.itertuples()
    assert row.geometry.symmetric_difference(half.geometry[0]).area < 1e-12


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_each_place_has_the_class_that_a_calculation_by_hand_gives(data: st.DataObject) -> None:
    corner, side = st.integers(0, 9), st.integers(1, 11)
    boxes = st.builds(lambda x, y, width, height: box(x, y, x + width, y + height), corner, corner, side, side)
    areas = st.tuples(st.sampled_from(CLASSES), boxes)
    given_maps = data.draw(st.dictionaries(st.sampled_from("abc"), st.lists(areas, min_size=1, max_size=4), min_size=1))
    weights = {name: data.draw(st.sampled_from([0.5, 1, 3])) for name in given_maps}
    counts_existing = data.draw(st.booleans())
    maps = {name: a_map(*rows) for name, rows in given_maps.items()}
    weighed = weigh_maps(maps, weights, count_existing=counts_existing)
    for x, y in np.random.default_rng(0).uniform(0, 20, size=(40, 2)):
        place = Point(x, y)
        ranks = {
            name: min((CLASSES.index(kind) for kind, shape in rows if shape.contains(place)), default=None)
            for name, rows in given_maps.items()
        }
        told = {name: rank for name, rank in ranks.items() if rank is not None}
        here = weighed[weighed.geometry.contains(place)]
        if not told:
            assert here.empty
            continue
        counted = {name: rank for name, rank in told.items() if rank > 0 or counts_existing}
        weight = sum(weights[name] for name in counted)
        mean = sum(weights[name] * rank for name, rank in counted.items()) / weight if counted else 0
        (row,) = here.itertuples()
        assert row.score == pytest.approx(mean)
        assert abs(CLASSES.index(row.areatype) - mean) <= 0.5 + 1e-9
    assert shapely.is_valid(weighed.geometry).all()


def test_a_system_takes_what_was_weighed_as_it_is() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        maps = {name: project.system(name).evaluation().to_geopandas() for name in ("Water", "Energy")}
        weighed = weigh_maps(maps, {"Water": 2}, area=project.study_area.boundaries().to_geopandas())
        project.system("Transport").set_evaluation(weighed)
        kept = project.system("Transport").evaluation().to_geopandas()
        assert kept["areatype"].tolist() == weighed["areatype"].tolist()
        assert kept["why"].tolist() == weighed["why"].tolist()


@pytest.mark.parametrize(
    ("maps", "options", "problem"),
    [
        ({}, {}, "maps is empty"),
        ({"a": a_map(("blue", LEFT))}, {}, "'blue'; the classes are red, red2"),
        ({"a": a_map(("red", LEFT)).drop(columns="areatype")}, {}, "'a' has no column areatype"),
        ({"a": a_map(("red", LEFT)).set_crs(None, allow_override=True)}, {}, "'a' has no CRS"),
        ({"a": a_map(("red", LEFT))}, {"weights": {"b": 1}}, "'b', which is not a map; the maps are 'a'"),
        ({"a": a_map(("red", LEFT))}, {"weights": {"a": -1}}, "the weight of 'a' is -1"),
        ({"a": a_map(("red", LEFT))}, {"weights": {"a": 0}}, "all weights are 0"),
        ({"a": a_map(("red", LEFT))}, {"excluding": ["b"]}, "excluding names 'b'"),
    ],
)
def test_what_is_wrong_is_named(maps: dict[str, geopandas.GeoDataFrame], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        weigh_maps(maps, **options)
