"""Choices that leave out the diagrams on constraints."""

from typing import Any

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import shape

from builders import collection, diagram, feature, line, square
from comparisons import with_maps
from pygeodesign import InputError
from pygeodesign.planning import Comparison

FLOOD_PLAIN = square(10, 45, 0.01)
TARGETS = {"Water": 10_000, "Housing": 10_000}
BUDGET = 1e9


def compared(shapes: list[Any], constraints: list[Any], policies: tuple[int, ...] = ()) -> Comparison:
    diagrams = [
        diagram(number, feature(geometry), type="policy" if number in policies else "project", sysid=1 + number % 2)
        for number, geometry in enumerate(shapes, 1)
    ]
    closed = collection(*(feature(geometry) for geometry in constraints))
    made: Comparison = with_maps(diagrams, {"A": list(range(1, len(shapes) + 1))}, **{"constraints/": closed})
    return made


def test_what_lies_on_constraints_is_not_chosen_but_what_touches_them_is() -> None:
    within, beside, policy = square(10.002, 45.002, 0.002), square(10.01, 45, 0.01), square(10.002, 45.002, 0.002)
    across, along = line([9.99, 45.005], [10.02, 45.005]), line([10.02, 45.0], [10.02, 45.01])
    comparison = compared([within, beside, policy, across, along], [FLOOD_PLAIN], policies=(3,))
    best = comparison.optimum(BUDGET, TARGETS, constraints="exclude", policies=True)
    assert best.locked_out == [1, 4]
    assert set(best.chosen) == {2, 3}
    assert 1 in comparison.optimum(BUDGET, TARGETS).chosen
    found = comparison.negotiate(budget=BUDGET, constraints="exclude")
    assert found.locked_out == [1, 4] and found.chosen == [2, 3, 5]
    assert found.diagrams["reason"].to_dict() == {1: "constraints", 2: "", 3: "", 4: "constraints", 5: ""}
    front = comparison.pareto(targets=TARGETS, constraints="exclude")
    assert front.locked_out == [1, 4]
    assert not {1, 4} & {number for chosen in front.points["chosen"] for number in chosen}


def test_points_on_constraints_are_not_chosen_but_one_on_their_border_is() -> None:
    trees = {"type": "MultiPoint", "coordinates": [[10.005, 45.005], [10.5, 45.5]]}
    within, border, far = ({"type": "Point", "coordinates": at} for at in ([10.009, 45.009], [10.01, 45.005], [11, 45]))
    best = compared([trees, within, border, far], [FLOOD_PLAIN]).optimum(BUDGET, TARGETS, constraints="exclude")
    assert best.locked_out == [1, 2]


def test_without_constraints_nothing_is_locked_out() -> None:
    best = compared([square(10, 45, 0.01)], []).optimum(BUDGET, TARGETS, constraints="exclude")
    assert best.locked_out == [] and best.chosen == [1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"constraints": "exclude", "keep": [1]}, "diagrams to keep lie on constraints: 1"),
        ({"constraints": "avoid"}, "constraints is 'avoid': give \"exclude\""),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said(options: Any, told: str) -> None:
    comparison = compared([square(10, 45, 0.001)], [FLOOD_PLAIN])
    for ask in (comparison.optimum, comparison.pareto):
        with pytest.raises(InputError, match=told):
            ask(budget=BUDGET, targets=TARGETS, **options)
    with pytest.raises(InputError, match=told):
        comparison.negotiate(budget=BUDGET, **options)


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_the_best_choice_is_that_among_the_diagrams_off_constraints(data: st.DataObject) -> None:
    places = st.builds(
        lambda x, y, side: square(10 + 0.001 * x, 45 + 0.001 * y, 0.001 * side),
        st.integers(0, 12),
        st.integers(0, 12),
        st.integers(1, 4),
    )
    shapes = data.draw(st.lists(places, min_size=1, max_size=8))
    closed = data.draw(st.lists(places, min_size=1, max_size=3))
    land = shapely.union_all([shape(geometry) for geometry in closed])
    on_them = [number for number, own in enumerate(shapes, 1) if shape(own).intersection(land).area > 1e-12]
    comparison = compared(shapes, closed)
    budget = data.draw(st.sampled_from([500.0, 3_000.0, BUDGET]))
    excluded = comparison.optimum(budget, TARGETS, constraints="exclude")
    assert excluded.locked_out == on_them
    assert excluded.chosen == comparison.optimum(budget, TARGETS, drop=on_them).chosen
