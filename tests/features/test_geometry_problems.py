"""Geometries on a service are read and measured as they are; `problems()` lists their faults."""

import pytest
import shapely

import pygeodesign
from builders import Json, collection, diagram, feature, line, read_collection, read_diagrams, ring, square

NESTED: Json = {"type": "MultiPolygon", "coordinates": [[ring(0, 0, 1)], [ring(0.25, 0.25, 0.5)]]}
HOLE_OUTSIDE = square(0, 0, 1, ring(5, 5, 1))


def test_the_problems_of_diagrams_name_diagram_row_part_position_and_reason() -> None:
    diagrams = read_diagrams(
        diagram(7, feature(square(0, 0, 1)), feature(HOLE_OUTSIDE)), diagram(8), diagram(9, feature(NESTED))
    )
    hole, part = diagrams.problems()
    assert (hole["diagramid"], hole["row"], hole["part"], hole["position"]) == (7, 1, 0, [5.0, 5.0])
    assert hole["reason"].startswith("part 0, ring 1 is a hole that lies outside the exterior")
    assert (part["diagramid"], part["row"], part["part"], part["position"]) == (9, 3, 1, [0.25, 0.25])
    assert part["reason"].startswith("part 1 overlaps part 0 at [0.25, 0.25]; ")


def test_problems_are_listed_for_features_that_are_in_no_diagram() -> None:
    (problem,) = read_collection(collection(feature(line([0, 0], [1, 1])), feature(NESTED))).problems()
    assert (problem["diagramid"], problem["row"]) == (None, 1)


def test_features_without_a_geometry_have_no_problem() -> None:
    features = feature(None), feature({"type": "Polygon", "coordinates": []}), feature(line())
    assert read_collection(collection(*features)).problems() == []


def test_problems_are_those_that_shapely_finds() -> None:
    shapes = [square(0, 0, 1), HOLE_OUTSIDE, NESTED, square(0, 0, 3, ring(1, 1, 1)), square(0, 0, 1, ring(0, 0, 1))]
    problems = read_collection(collection(*map(feature, shapes))).problems()
    invalid = [row for row, shape in enumerate(shapes) if not shapely.geometry.shape(shape).is_valid]
    assert [problem["row"] for problem in problems] == invalid


def test_an_invalid_diagram_is_read_and_measured_as_it_is() -> None:
    diagrams = read_diagrams(diagram(9, feature(NESTED)))
    assert diagrams.to_dict()["features"][0]["geometry"] == NESTED
    whole, inner = pygeodesign.measure([square(0, 0, 1), square(0.25, 0.25, 0.5)])["area_ha"]
    assert pygeodesign.measure(diagrams)["area_ha"][0] == pytest.approx(whole + inner, rel=1e-12)
