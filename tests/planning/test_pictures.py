"""Pictures of a comparison: the content for each design. Nothing is 0, alike or left out without a reason."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import pytest
import shapely
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

import comparisons
from builders import diagram, feature, square
from comparisons import comparison
from pictures import check_texts, figure_of, texts
from pygeodesign import InputError, Project

HECTARES_PER_ACRE = 0.40468564224


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def two_squares() -> list[Any]:
    """Water and Housing on the same half of two squares, and a square of Water elsewhere."""
    return [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project"),
        diagram(2, feature(square(0.01, 0, 0.02)), sysid=2, type="project"),
        diagram(3, feature(square(1, 0, 0.02)), sysid=1, type="project"),
    ]


def cells(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def fills(axes: Axes) -> list[str]:
    return [str(to_hex(patch.get_facecolor())) for patch in axes.patches]


def title_of(axes: Axes) -> str:
    return " ".join(axes.get_title("left").split())


@pytest.fixture
def same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both systems are called Water."""
    named = [system | {"name": "Water"} for system in comparisons.SYSTEMS]
    monkeypatch.setattr(comparisons, "SYSTEMS", named)


def test_systems_that_may_share_land_have_no_0_in_the_picture_of_conflicts() -> None:
    compared = comparison(two_squares(), {"A": [1, 2]})
    shared = compared.conflicts().loc[0, "area_ha"]
    assert cells(compared.plot_conflicts()) == [f"{shared:,.0f}"]
    assert cells(compared.plot_conflicts(compatible=[("Housing", "Water")])) == ["may\nshare"]


@pytest.mark.usefixtures("same_name")
def test_two_systems_of_one_name_have_cells_of_their_own() -> None:
    compared = comparison([*two_squares(), diagram(4, feature(square(5, 5, 0.02)), sysid=2)], {"A": [1, 2, 4]})
    shared = compared.conflicts().loc[0, "area_ha"]
    axes = compared.plot_conflicts()
    assert cells(axes) == [f"{shared:,.0f}"]
    assert [label.get_text() for label in [*axes.get_yticklabels(), *axes.get_xticklabels()]] == ["Water", "Water"]
    impact = compared.plot_impact({1: {2: 1}, 2: {1: -1}})
    assert len(cells(impact)) == 2 and cells(impact)[1].startswith("-")


def test_a_system_that_no_rate_brings_back_is_marked() -> None:
    total = {"cost_override": 50, "cost_override_type": "total"}
    diagrams = [*two_squares()[:2], diagram(4, feature(square(5, 5, 0.02)), type="project", **total)]
    axes = comparison(diagrams, {"A": [1, 2, 4]}, Water={"budget": 40}).plot_sensitivity()
    marked = [text.get_text().split("\n")[1] for text in axes.texts if "\n" in text.get_text()]
    assert marked == ["over budget at any rate"]


@pytest.mark.parametrize(("units", "unit"), [("metric", "ha"), ("us", "acres")])
def test_a_picture_is_in_the_units_of_the_tables(units: Any, unit: str) -> None:
    figures: Any = {"target_ha": 1000, "cost": 0, "budget": 1}
    compared = comparison(two_squares(), {"A": [1, 2]}, Water=figures)
    per_hectare = 1 if units == "metric" else 1 / HECTARES_PER_ACRE
    shared = compared.conflicts().loc[0, "area_ha"] * per_hectare
    conflicts = compared.plot_conflicts(units=units)
    assert f"in {unit}" in title_of(conflicts) and cells(conflicts) == [f"{shared:,.0f}"]
    land = compared.diagrams.loc[1, "area_ha"] * per_hectare
    assert cells(compared.plot_suitability(units=units))[0] == f"{land:,.0f} {unit}\nno map"
    assert title_of(compared.plot_consensus(units=units)) == f"P Land changed by the design: {land * 1.5:,.0f} {unit}"
    missing = 1000 * per_hectare - land
    assert cells(compared.plot_targets(units=units))[0].endswith(f"\n-{missing:,.0f} {unit}")
    optimum = compared.plot_optimum(compared.optimum(), units=units)
    wanted = 1000 * per_hectare - 2 * land
    assert cells(optimum)[0].startswith(f"{wanted:.1f} {unit} missing") and unit in optimum.get_xlabel()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_number_of_designs_has_a_colour_of_its_own(theme: Any) -> None:
    shapes = [shapely.box(number / 100, 0, (number + 1) / 100, 0.01) for number in range(9)]
    diagrams = [diagram(number, feature(shape.__geo_interface__)) for number, shape in enumerate(shapes, 1)]
    designs = {f"Design {number}": list(range(number, 10)) for number in range(1, 10)}
    axes = comparison(diagrams, designs).plot_consensus(theme=theme)
    legend: Any = axes.get_legend()
    hues = [to_rgb(patch.get_facecolor()) for patch in legend.get_patches()]
    distances = [max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in itertools.pairwise(hues)]
    assert len(set(hues)) == 9 and min(distances) > 0.04


def test_the_colours_of_similarity_are_from_0_to_1() -> None:
    (half,), (whole,), (none,) = (
        fills(comparison(two_squares(), {"A": [1, 2], "B": ids}).plot_similarity()) for ids in ([1], [1, 2], [3])
    )
    # The only figure of a picture is not the darkest one for that.
    assert sum(to_rgb(whole)) < sum(to_rgb(half)) < sum(to_rgb(none))


def test_designs_have_panels_with_the_same_scale() -> None:
    compared = comparison(two_squares(), {"All": [1, 2, 3], "One": [1], "None": []})
    for name, arguments in {
        "conflicts": {},
        "suitability": {},
        "impact": {"matrix": {"Water": {"Housing": 1}}},
        "sensitivity": {},
    }.items():
        axes = getattr(compared, f"plot_{name}")(**arguments)
        panels = axes.figure.axes
        assert [panel.get_title("left").split("\n")[0] for panel in panels] == ["P: All", "P: One", "P: None"]
        assert len({panel.get_xlim() for panel in panels}) == 1
        check_texts(figure_of(axes))
    large, small = (fills(panel)[0] for panel in compared.plot_impact({"Water": {"Housing": 1}}).figure.axes[:2])
    assert sum(to_rgb(large)) < sum(to_rgb(small))


def test_schedules_of_designs_share_years_and_scales_also_one_without_diagrams() -> None:
    dates = [("2030-01-01", "2031-12-31"), ("2040-01-01", "2040-12-31")]
    diagrams = [
        diagram(number, feature(square(number, 0, 0.02)), type="project", start_date=start, end_date=end)
        for number, (start, end) in enumerate(dates, 1)
    ]
    axes = comparison(diagrams, {"A": [1], "B": [2], "None": []}).plot_schedule()
    bars = [panel for panel in axes.figure.axes if panel.get_title("left")]
    assert [len(panel.patches) for panel in bars] == [2, 1, 0]
    assert len({(panel.get_xlim(), panel.get_ylim()) for panel in bars}) == 1
    assert "The diagrams cost 0 in total" in title_of(bars[2])
    check_texts(figure_of(axes))


def test_a_picture_of_too_many_designs_names_those_that_it_leaves_out() -> None:
    designs = {f"Design {number}": [1, 2] for number in range(1, 12)}
    axes = comparison(two_squares(), designs).plot_conflicts()
    assert len(axes.figure.axes) == 8
    shown = " ".join(" ".join(text.get_text().split()) for text in texts(figure_of(axes)))
    assert "at most 8 designs" in shown and "Design 9, Design 10, Design 11" in shown
    check_texts(figure_of(axes))


def test_panels_share_the_place_of_the_axes_that_are_given() -> None:
    compared = comparison(two_squares(), {"A": [1, 2], "B": [3]})
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 8), layout="constrained")
    compared.plot_conflicts(ax=left)
    compared.plot_similarity(ax=right)
    assert len(figure.axes) == 3
    check_texts(figure)
    alone = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    with pytest.raises(InputError, match="ax= has no place in a grid, which 2 designs could share"):
        compared.plot_conflicts(ax=alone)


def test_the_picture_of_targets_says_what_is_missing_and_where_nothing_is_planned() -> None:
    compared = comparison(
        two_squares(),
        {"A": [1, 3], "B": [2]},
        Water={"target_ha": 600, "budget": 4000},
        Housing={"cost": None, "budget": 7},
    )
    land = compared.diagrams.loc[1, "area_ha"]
    assert cells(compared.plot_targets()) == ["met", "nothing\nplanned", "no\ntarget", "no\ntarget"]
    over = f"{math.ceil(100 * 20 * land / 4000)} %\n+{(20 * land - 4000) / 1000:.2f} k"
    assert cells(compared.plot_targets("cost")) == [over, "nothing\nplanned", "nothing\nplanned", "not\nknown"]
    assert title_of(compared.plot_targets("cost", currency="EUR")).endswith("beyond it in EUR")
    with pytest.raises(InputError, match='by must be "area" or "cost"'):
        compared.plot_targets("length")


def test_all_that_is_met_has_one_colour_and_what_is_missed_is_redder_the_more_is_missing() -> None:
    land = comparison(two_squares(), {"A": [1]}).diagrams.loc[1, "area_ha"]
    for by, wanted, of in (("area", "target_ha", land), ("cost", "budget", 10 * land)):
        met, met_by_more, narrow, wide = (
            to_rgb(fills(comparison(two_squares(), {"A": [1]}, Water={wanted: share * of}).plot_targets(by))[0])
            for share in ((0.9, 0.5, 1.01, 3) if by == "area" else (1.1, 5, 0.99, 0.4))
        )
        assert met == met_by_more and met[2] > met[0]
        assert narrow[0] > narrow[2] and wide[0] > wide[2] and sum(wide) < sum(narrow)


def test_names_of_columns_are_turned_only_if_they_do_not_fit() -> None:
    names = {"short": "North", "two words": "Residents northside", "long": "Donaudampfschifffahrtsgesellschaftskapitän"}
    turned = {
        name: comparison(two_squares(), {f"{title} {number}": [1] for number in range(9)}).plot_targets()
        for name, title in names.items()
    }
    rotations = {name: {label.get_rotation() for label in axes.get_xticklabels()} for name, axes in turned.items()}
    assert rotations == {"short": {0}, "two words": {0}, "long": {90}}
    for axes in turned.values():
        check_texts(figure_of(axes))


def test_half_a_table_has_the_name_of_each_column_on_its_diagonal() -> None:
    designs = {name: [1, 2] for name in ("First", "Second", "Third", "Fourth with a name that is long")}
    axes = comparison(two_squares(), designs).plot_similarity()
    check_texts(figure_of(axes))
    labels = axes.get_xticklabels()
    assert [label.get_text() for label in labels] == ["First", "Second", "Third"]
    for column, label in enumerate(labels):
        x, y = axes.transData.inverted().transform(label.get_window_extent().get_points().mean(axis=0))
        assert column < x and y == pytest.approx(column - 0.5, abs=0.2)


def test_what_is_missed_by_little_is_not_rounded_to_all() -> None:
    land = comparison(two_squares(), {"A": [1]}).diagrams.loc[1, "area_ha"]
    figures = {"target_ha": 1.001 * land, "budget": 9.99 * land}
    compared = comparison(two_squares(), {"A": [1]}, Water=figures)
    assert cells(compared.plot_targets())[0].startswith("99 %\n-0.")
    assert cells(compared.plot_targets("cost"))[0].startswith("101 %\n+")


def test_the_picture_of_agreement_has_the_diagrams_that_most_designs_have() -> None:
    compared = comparison(two_squares(), {"A": [1, 2], "B": [1], "C": [1]})
    axes = compared.plot_agreement()
    assert cells(axes) == ["3 of 3: 1", "1 of 3: 2"]
    assert [bar.get_width() for bar in axes.patches] == [1, 0, 0, 1, 1, 0]
    assert title_of(axes) == "P 3 designs choose from 3 diagrams: 1 is in several designs, 1 in none"


def test_the_picture_of_an_optimum_has_targets_and_what_is_missing() -> None:
    compared = comparison(two_squares(), {"A": [1, 2]}, Water={"target_ha": 300, "current_ha": 100})
    best = compared.optimum(budget=1e6)
    axes = compared.plot_optimum(best, currency="EUR")
    assert cells(axes)[0].startswith("target met\n1 diagram, cost ") and cells(axes)[1] == "no target\nnothing chosen"
    (mark,) = axes.collections[0].get_segments()
    assert mark[0][0] == 300
    assert "The best choice for 1.00 M EUR: 1 diagram, cost " in title_of(axes) and "polic" not in title_of(axes)
    assert title_of(axes).endswith("It is proven to leave the least missing")
    rule = diagram(4, feature(square(5, 5, 0.02)), sysid=2, type="policy")
    kept = comparison([*two_squares(), rule], [], Water={"target_ha": 300})
    assert "1 of them is a policy, with 49" in title_of(kept.plot_optimum(kept.optimum(budget=1e6, keep=[4])))
    with pytest.raises(InputError, match="give what optimum\\(\\) returned"):
        compared.plot_optimum(1e6)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(4, "dark"), (6, "light"), (12, "light")])
@pytest.mark.parametrize("picture", ["targets", "agreement", "optimum"])
def test_the_texts_of_new_pictures_can_be_read(project: Project, picture: str, width: float, theme: Any) -> None:
    compared: Any = project.compare()
    given = {"best": compared.optimum(1e9)} if picture == "optimum" else {}
    figure, ax = plt.subplots(figsize=(width, 0.75 * width), layout="constrained")
    getattr(compared, f"plot_{picture}")(ax=ax, theme=theme, **given)
    check_texts(figure)
