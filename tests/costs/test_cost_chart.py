"""The chart of a cost report shows costs, budgets and the colours of systems, and all its texts are readable."""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from builders import diagram, line, square
from fake_service import FakeService
from pictures import SIZES, check_texts, figure_of, pixels, texts
from pygeodesign import CostReport, InputError, Project
from pygeodesign._looks import NO_COLOR
from pygeodesign._pictures.style import DARK, LIGHT
from pygeodesign.plots import plot_costs
from small_project import GREEN, SYSTEMS, WATER, Workshop

AREA = square(-9.2, 38.7, 0.01)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def report_of(*systems: dict[str, Any]) -> CostReport:
    """The report of a project with these systems, each with one diagram that costs `cost`."""
    below: dict[str, Any] = {"systems/": [], "diagrams/all/": []}
    for sysid, given in enumerate(systems, 1):
        plain = {"id": sysid, "name": f"System {sysid}", "color": "#336699", "tag": "", "budget": None}
        is_negative = given.get("cost", 0) < 0
        system = plain | {"current_ha": 0, "target_ha": 0} | given | {"cost": given["cost"] if is_negative else 1}
        below["systems/"].append({"id": sysid, "name": system["name"]})
        below[f"systems/{sysid}/"] = system
        # A policy that no override prices costs 0; a hectare at a rate below 0 costs less.
        total = (
            diagram(sysid, sysid=sysid, type="project", area=10_000)
            if is_negative
            else diagram(
                sysid, sysid=sysid, type="policy", cost_override=given.get("cost", 0), cost_override_type="total"
            )
        )
        below["diagrams/all/"].append(total)
    with FakeService(below) as service:
        return service.project().costs()


def bars(axes: Axes) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def marks(axes: Axes) -> list[tuple[float, float]]:
    """The position of each budget mark: the amount, and the index of its system."""
    (collection,) = (artist for artist in axes.collections if isinstance(artist, LineCollection))
    segments = [np.asarray(segment) for segment in collection.get_segments()]
    assert all(segment[0, 0] == segment[1, 0] for segment in segments)
    return [(float(segment[0, 0]), float(segment[:, 1].mean())) for segment in segments]


def amounts(axes: Axes) -> list[Annotation]:
    return [text for text in axes.texts if isinstance(text, Annotation)]


def tick_labels(axes: Axes) -> list[str]:
    """The visible tick labels of the axis of amounts."""
    shown = {id(text) for text in texts(figure_of(axes))}
    return [text.get_text() for text in axes.get_xticklabels() if id(text) in shown]


def test_each_system_is_a_bar_in_its_colour_as_long_as_its_cost(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, AREA, title="Pond")
    workshop.project.add_diagram(GREEN, AREA, title="Park")
    report = workshop.project.costs()
    axes = report.plot()
    assert [bar.get_width() for bar in bars(axes)] == [system["cost"] for system in report.systems]
    assert [bar.get_x() for bar in bars(axes)] == [0, 0]
    assert [to_hex(bar.get_facecolor()) for bar in bars(axes)] == [system["color"].lower() for system in SYSTEMS]


def test_the_first_system_is_at_the_top_and_named_beside_its_bar(project: Project) -> None:
    report = project.costs()
    axes = report.plot()
    labels = axes.get_yticklabels()
    assert [label.get_text() for label in labels] == [system["name"] for system in report.systems]
    heights = [float(axes.transData.transform((0, bar.get_y() + bar.get_height() / 2))[1]) for bar in bars(axes)]
    assert heights == sorted(heights, reverse=True)
    assert [label.get_position()[1] for label in labels] == list(range(9))


def test_a_budget_mark_is_at_the_amount_of_the_budget(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, AREA, title="Pond")
    workshop.project.system(WATER).edit(budget=5e6)
    workshop.project.system(GREEN).edit(budget=2e9)
    axes = workshop.project.costs().plot()
    assert marks(axes) == [(5e6, 0), (2e9, 1)]
    assert axes.get_xlim()[1] > 2e9


def test_a_system_without_a_budget_has_no_budget_mark() -> None:
    axes = plot_costs(report_of({"cost": 5}, {"cost": 5, "budget": 7}))
    assert marks(axes) == [(7, 1)]
    assert [text.get_text() for text in amounts(axes)] == ["5.00, no budget", "5.00 of 7.00"]


def test_without_any_budget_the_legend_does_not_explain_budget_marks() -> None:
    axes = plot_costs(report_of({"cost": 5}))
    assert "budget" not in [text.get_text() for text in texts(figure_of(axes))]


@pytest.mark.parametrize(
    ("cost", "budget", "text"),
    [
        (0.4, 2.5, "0.400 of 2.50"),
        (0, 0, "0, no budget"),
        (0, 2, "0 of 2.00"),
        (3, 2, "3.00 of 2.00, 50 % over"),
        (3, 0, "3.00, no budget"),
        (1_000_001, 1_000_000, "1.00 M of 1.00 M, over"),
        (5, -5, "5.00 of -5.00, over"),
        (999, 999.6, "999 of 1.00 k"),
        (999_499, 999_999, "999 k of 1.00 M"),
        (12_345, 99_950, "12.3 k of 100 k"),
        (5_123_456_789, 1_234_567_890_123, "5.12 bn of 1,235 bn"),
    ],
)
def test_amounts_are_abbreviated(cost: float, budget: float, text: str) -> None:
    assert [label.get_text() for label in amounts(plot_costs(report_of({"cost": cost, "budget": budget})))] == [text]


@pytest.mark.parametrize(
    ("rate", "cost", "in_title"),
    [
        (0, "0", "The diagrams cost 0 in total"),
        (None, "not known", "The cost of the diagrams is not known. 2 diagrams are not priced"),
    ],
)
def test_diagrams_without_a_rate_are_counted(rate: float | None, cost: str, in_title: str) -> None:
    system = {"id": 1, "name": "Water", "color": "#336699", "tag": "", "cost": rate, "budget": 0}
    diagrams = [diagram(number, area=1e4, type="project") for number in (1, 2)]
    with FakeService({"systems/": [system], "systems/1/": system, "diagrams/all/": diagrams}) as service:
        axes = service.project().costs().plot()
    assert [text.get_text() for text in amounts(axes)] == [f"{cost}, no budget\nno rate set: 2 diagrams"]
    assert " ".join(axes.get_title("left").split()) == in_title
    check_texts(figure_of(axes))


def test_diagrams_of_unknown_area_are_counted() -> None:
    system = {"id": 1, "name": "Water", "color": "#336699", "tag": "", "cost": 3, "budget": 5}
    with FakeService({"systems/": [system], "systems/1/": system, "diagrams/all/": [diagram(1)]}) as service:
        axes = service.project().costs().plot()
    assert [text.get_text() for text in amounts(axes)] == ["not known, budget 5.00\nsize not known: 1 diagram"]


def test_diagrams_without_a_rate_are_beside_those_of_unknown_size() -> None:
    system = {"id": 1, "name": "Water", "color": "#336699", "tag": "", "cost": None, "budget": 5}
    per_hectare = diagram(2, cost_override=3, cost_override_type="per hectare")
    diagrams = [diagram(1, area=1e4, type="project"), per_hectare]
    with FakeService({"systems/": [system], "systems/1/": system, "diagrams/all/": diagrams}) as service:
        axes = service.project().costs().plot()
    assert amounts(axes)[0].get_text().split("\n")[1] == "no rate set: 1 diagram, size not known: 1 diagram"


def test_a_system_without_diagrams_has_nothing_planned(workshop: Workshop) -> None:
    workshop.project.system(WATER).edit(budget=5e6)
    assert [text.get_text() for text in amounts(workshop.project.costs().plot())][:2] == [
        "nothing planned, budget 5.00 M",
        "nothing planned, no budget",
    ]


def test_lines_at_the_rate_per_hectare_are_counted(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, line([-9.2, 38.7], [-9.1, 38.7]), title="Canal")
    title = workshop.project.costs().plot().get_title("left")
    assert "1 line: the system's rate per hectare was applied per kilometre" in " ".join(title.split())


def test_the_amount_of_a_system_over_budget_is_red(project: Project) -> None:
    report = project.costs()
    over = [system["budget_left"] is not None and system["budget_left"] < 0 for system in report.systems]
    assert {True, False} == set(over)
    assert [text.get_color() == LIGHT.over for text in amounts(report.plot())] == over


def test_the_bar_of_a_negative_cost_is_visible_left_of_zero() -> None:
    axes = plot_costs(report_of({"cost": -4e6, "budget": -1e6}, {"cost": 2e6}))
    assert [bar.get_width() for bar in bars(axes)] == [-4e6, 2e6]
    low, high = axes.get_xlim()
    assert low < -4e6 and high > 2e6
    assert [text.get_text() for text in amounts(axes)] == ["-4.00 M of -1.00 M", "2.00 M, no budget"]
    check_texts(figure_of(axes))


@pytest.mark.parametrize("color", [None, "", "no colour", "#12", '#fff" onload="alert(1)'])
def test_a_system_without_a_colour_is_grey(color: str | None) -> None:
    (bar,) = bars(plot_costs(report_of({"cost": 5, "color": color})))
    assert to_hex(bar.get_facecolor()) == NO_COLOR


def test_a_white_bar_has_an_edge() -> None:
    (bar,) = bars(plot_costs(report_of({"cost": 5, "color": "#ffffff"})))
    assert to_hex(bar.get_edgecolor()) != "#ffffff" and bar.get_linewidth() > 0


def test_the_name_of_a_system_is_not_interpreted_as_markup() -> None:
    names = ["Parks for $5 or $6", r"$\broken", "_hidden", "Two\nlines"]
    axes = plot_costs(report_of(*({"name": name, "cost": 1} for name in names)))
    check_texts(figure_of(axes))
    assert [label.get_text() for label in axes.get_yticklabels()] == [*names[:3], "Two lines"]
    assert not any(label.get_parse_math() for label in axes.get_yticklabels())


def test_a_long_name_is_truncated() -> None:
    axes = plot_costs(report_of({"name": "A system for all that nobody else thought of", "cost": 1}))
    (label,) = axes.get_yticklabels()
    assert label.get_text() == "A system for all that nobody…"
    check_texts(figure_of(axes))


def test_a_project_without_costs_has_a_readable_axis(workshop: Workshop) -> None:
    axes = workshop.project.costs().plot()
    written = tick_labels(axes)
    assert written[0] == "0" and len(written) == len(set(written)) > 1
    check_texts(figure_of(axes))


def test_a_project_without_systems_has_a_chart_without_bars() -> None:
    axes = plot_costs(report_of())
    assert bars(axes) == []
    assert axes.get_title("left") == "The diagrams cost 0 in total"
    check_texts(figure_of(axes))


@pytest.mark.parametrize("largest", [1, 3, 17, 999, 1_250, 26_000, 4e6, 7.5e8, 3e12])
def test_the_tick_labels_of_amounts_are_unique(largest: float) -> None:
    written = tick_labels(plot_costs(report_of({"cost": largest})))
    assert len(written) == len(set(written)) > 1


@pytest.mark.parametrize("size", [None, (9, 6), (5, 3.2), (12, 4), (6, 10)])
def test_no_text_is_cut_off_or_covered(project: Project, size: tuple[float, float] | None) -> None:
    axes = plt.subplots(figsize=size, layout="constrained")[1] if size else None
    axes = project.costs().plot(axes)
    check_texts(figure_of(axes))
    assert len(bars(axes)) == 9


def test_texts_of_several_charts_in_a_figure_do_not_overlap(project: Project) -> None:
    figure, both = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
    for axes in both:
        assert project.costs().plot(axes) is axes
    check_texts(figure)


def test_amounts_do_not_overlap_bars_and_budget_marks(project: Project) -> None:
    axes = project.costs().plot()
    axes.figure.canvas.draw()
    ends = [float(axes.transData.transform((amount, 0))[0]) for amount, _ in marks(axes)]
    ends += [bar.get_window_extent().x1 for bar in bars(axes)]
    assert max(ends) < min(text.get_window_extent().x0 for text in amounts(axes))


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), SIZES, ids=str)
@pytest.mark.parametrize("content", ["demo", "design", "nothing"])
def test_no_text_is_cut_or_covered_at_any_width(
    content: str, size: tuple[float, float], theme: Any, project: Project
) -> None:
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    design = project.designs(1)[0]["id"]
    title = "What the residents of the whole borough want by 2050, after the second workshop"
    if content == "design":
        plot_costs(project, axes, team=1, design=design, theme=theme, currency="USD")
    else:
        report = project.costs(diagrams=[] if content == "nothing" else None)
        report.plot(axes, title=title, theme=theme, currency="USD")
    check_texts(figure)


def test_the_title_of_a_project_names_it_and_its_design(project: Project) -> None:
    design = project.designs(1)[0]
    axes = plot_costs(project, team=1, design=design["id"])
    name = f"Staten Island 2050: Conservation, {design['description']}"
    summary = "The diagrams cost 1.31 bn in total. 1 line: the system's rate per hectare was applied per kilometre"
    assert axes.get_title("left").replace("\n", " ") == f"{name} {summary}"
    assert plot_costs(project).get_title("left").split("\n")[0] == "Staten Island 2050"


def test_the_title_of_a_report_names_its_project_and_its_design_and_can_be_replaced(project: Project) -> None:
    design = project.designs(1)[0]
    report = project.costs(team=1, design=design["id"])
    axes = report.plot(plt.subplots(figsize=(12, 5), layout="constrained")[1])
    assert axes.get_title("left").split("\n")[0] == f"Staten Island 2050: Conservation, {design['description']}"
    assert report.plot(title="Ours").get_title("left").split("\n")[0] == "Ours"


def test_the_currency_is_named(project: Project) -> None:
    axes = project.costs().plot(currency="USD")
    assert "The diagrams cost 13.1 bn USD in total" in " ".join(axes.get_title("left").split())
    assert "USD" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("color", ["#000000", "#ffffff", "#2b2f33", "#7a8288", "#b3261e", "#f5b800"])
def test_a_budget_mark_is_visible_on_a_bar_of_any_colour(theme: Any, color: str) -> None:
    axes = plot_costs(report_of({"cost": 9, "budget": 5, "color": color}), theme="dark" if theme is DARK else "light")
    picture = pixels(figure_of(axes))
    column, row = axes.transData.transform((5, 0))
    around = picture[len(picture) - 1 - int(row), int(column) - 6 : int(column) + 7, :3].astype(int).sum(axis=1)
    assert around.max() - around.min() > 250


def test_a_figure_with_a_dark_background_gets_light_texts() -> None:
    with plt.style.context("dark_background"):
        axes = plot_costs(report_of({"cost": 5}))
        assert {text.get_color() for text in amounts(axes)} == {DARK.ink}


def test_an_unknown_theme_is_an_error() -> None:
    with pytest.raises(InputError, match='"light" or "dark", not \'sepia\''):
        plot_costs(report_of({"cost": 5}), theme="sepia")  # type: ignore[arg-type]


def test_a_small_chart_has_thinner_budget_marks_so_that_short_bars_are_seen(project: Project) -> None:
    small, large = (report_axes.collections[0] for report_axes in (_sized(project, 4), _sized(project, 9)))
    assert float(np.max(small.get_linewidth())) < 0.6 * float(np.max(large.get_linewidth()))


def _sized(project: Project, width: float) -> Axes:
    figure = plt.figure(figsize=(width, 5), layout="constrained")
    return plot_costs(project.costs(), figure.add_subplot())
