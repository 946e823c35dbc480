"""The map of diagrams shows each in its system's colour, and a legend that can be read."""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pictures import check_texts, color_at, figure_of
from pygeodesign import InputError, Project
from pygeodesign._picture_parts import NO_COLOR
from pygeodesign.plots import LAND, plot_map
from small_project import GREEN, MEMBER, SYSTEMS, WATER, Lisbon

BLUE, LEAF = (str(system["color"]).lower() for system in SYSTEMS)
NOWHERE = read_collection(collection())


@pytest.fixture(autouse=True)
def pictures() -> Iterator[None]:
    yield
    plt.close("all")


def filled(axes: Axes) -> list[str]:
    """The colour of each area that is filled."""
    areas = [artist for artist in axes.collections if isinstance(artist, PatchCollection)]
    return [to_hex(color) for artist in areas for color in np.asarray(artist.get_facecolor())]


def lines(axes: Axes, *, dashed: bool) -> list[str]:
    """The colour of each line that is solid, or dashed."""
    drawn = [artist for artist in axes.collections if isinstance(artist, LineCollection)]
    styles: list[Any] = [artist.get_linestyle()[0] for artist in drawn]
    chosen = [artist for artist, (_, dashes) in zip(drawn, styles, strict=True) if (dashes is not None) is dashed]
    return [to_hex(color) for artist in chosen for color in np.asarray(artist.get_colors())]


def legend(axes: Axes) -> dict[str, str]:
    """The colour beside each name of the legend."""
    shown = axes.get_legend()
    assert shown is not None
    colors = [
        to_hex(handle.get_facecolor() if isinstance(handle, Patch) else handle.get_color())
        for handle in shown.legend_handles
        if isinstance(handle, (Patch, Line2D))
    ]
    return dict(zip([text.get_text() for text in shown.get_texts()], colors, strict=True))


def test_projects_are_filled_and_policies_are_dashed_outlines_in_their_systems_colours(lisbon: Lisbon) -> None:
    project = lisbon.project
    project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    project.add_diagram(GREEN, square(-9.18, 38.70, 0.01), title="Park")
    project.add_diagram(GREEN, square(-9.16, 38.70, 0.01), title="More parks", kind="policy")
    project.add_diagram(WATER, line([-9.20, 38.75], [-9.10, 38.76]), title="Canal")
    axes = plot_map(project.diagrams())
    assert filled(axes) == [BLUE, LEAF]
    assert lines(axes, dashed=True) == [LEAF]
    assert lines(axes, dashed=False) == [BLUE]
    check_texts(figure_of(axes))


def test_the_study_area_lies_under_the_diagrams(project: Project) -> None:
    axes = plot_map(project.diagrams(), project.boundaries())
    assert filled(axes)[0] == LAND
    west, south, east, north = project.boundaries().bounds or (0, 0, 0, 0)
    assert axes.get_xlim()[0] < west and east < axes.get_xlim()[1]
    assert axes.get_ylim()[0] < south and north < axes.get_ylim()[1]


def test_a_degree_of_longitude_is_narrower_than_one_of_latitude_as_on_the_ground(project: Project) -> None:
    axes = plot_map(project.diagrams())
    assert axes.get_aspect() == pytest.approx(1 / np.cos(np.radians(np.mean(axes.get_ylim()))), rel=1e-3)


def test_every_feature_of_the_demo_is_drawn_once(project: Project) -> None:
    frame = project.diagrams().to_geopandas().explode()
    policies, kinds = frame["areatype"] == "policy", frame.geometry.geom_type
    axes = plot_map(project.diagrams())
    assert len(filled(axes)) == ((kinds == "Polygon") & ~policies).sum()
    assert len(lines(axes, dashed=False)) == (kinds == "LineString").sum()
    assert len(lines(axes, dashed=True)) == len(frame[policies].boundary.explode())


def test_the_legend_names_the_systems_in_order_with_their_colours(project: Project) -> None:
    shown = legend(plot_map(project.diagrams()))
    systems = [project.system(item["id"]) for item in project.systems()]
    assert list(shown) == [*(system["name"] for system in systems), "policy"]
    assert list(shown.values())[:-1] == [str(system["color"]).lower() for system in systems]


def test_the_legend_explains_what_is_there_and_nothing_else() -> None:
    axes = plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1)), sysname="Water"), diagram(2, sysid=2)))
    assert list(legend(axes)) == ["Water"]


@pytest.mark.parametrize("size", [None, (9, 6.6), (9, 8.2), (12, 4), (6, 9)])
def test_the_legend_is_whole_and_beside_the_map(project: Project, size: tuple[float, float] | None) -> None:
    given = plt.subplots(figsize=size, layout="constrained")[1] if size else None
    axes = plot_map(project.diagrams(), project.boundaries(), given)
    assert given is None or axes is given
    axes.set_title("Staten Island 2050", loc="left")
    check_texts(figure_of(axes))
    shown = axes.get_legend()
    assert shown is not None
    assert not shown.get_window_extent().overlaps(axes.get_window_extent())


def test_maps_beside_each_other_may_share_their_axes(project: Project) -> None:
    figure, both = plt.subplots(1, 2, figsize=(14, 6), sharex=True, sharey=True, layout="constrained")
    for axes, team in zip(both, project.teams(), strict=False):
        design = project.designs(team["id"])[0]["id"]
        plot_map(project.design(team["id"], design), project.boundaries(), axes)
    check_texts(figure)


def test_a_project_without_diagrams_has_an_empty_map(lisbon: Lisbon) -> None:
    axes = plot_map(lisbon.project.diagrams(), lisbon.project.boundaries())
    assert (filled(axes), legend(axes)) == ([], {})
    check_texts(figure_of(axes))


def test_a_boundary_of_nothing_is_left_out() -> None:
    assert filled(plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1)))), NOWHERE)) == [NO_COLOR]


def test_diagrams_designs_and_selections_can_be_drawn(project: Project) -> None:
    design = project.designs(1)[0]["id"]
    for chosen in [project.diagram(1001), project.design(1, design), project.selection("jose.villanueva")]:
        axes = plot_map(chosen)
        assert filled(axes) + lines(axes, dashed=True) + lines(axes, dashed=False)


def test_a_selection_of_nothing_is_an_empty_map(lisbon: Lisbon) -> None:
    assert legend(plot_map(lisbon.project.selection(MEMBER))) == {}


def test_features_that_are_no_diagrams_are_refused_before_a_figure_is_made(project: Project) -> None:
    with pytest.raises(InputError, match=r"belong to no system; give what Project\.diagrams"):
        plot_map(project.boundaries())
    assert plt.get_fignums() == []


def drawn(geometry: Any, **fields: Any) -> Axes:
    """The map of one diagram."""
    properties = {"areatype": fields.pop("areatype", None), "sysname": "Water", "color": "#2B7BBA"}
    return plot_map(read_diagrams(diagram(1, feature(geometry, **properties), **fields)))


@pytest.mark.parametrize("color", [None, "", "no colour", '#fff" onload="alert(1)'])
def test_a_diagram_without_a_colour_is_grey(color: str | None) -> None:
    axes = plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1), sysname="Water", color=color))))
    assert filled(axes) == [NO_COLOR]
    assert legend(axes) == {"Water": NO_COLOR}


def test_a_diagram_of_unknown_kind_is_drawn_as_a_project() -> None:
    assert filled(drawn(square(0, 0, 1))) == [BLUE]


def test_a_policy_that_is_a_line_is_a_dashed_line() -> None:
    axes = drawn(line([0, 0], [1, 1]), areatype="policy")
    assert lines(axes, dashed=True) == [BLUE]
    assert lines(axes, dashed=False) == filled(axes) == []


def test_parts_of_a_geometry_are_drawn_each_and_holes_stay_open() -> None:
    hole = [[0.2, 0.2], [0.2, 0.8], [0.8, 0.8], [0.8, 0.2], [0.2, 0.2]]
    several = {
        "type": "GeometryCollection",
        "geometries": [square(0, 0, 1, hole), square(2, 0, 1), line([0, 0], [3, 3])],
    }
    axes = drawn(several)
    assert filled(axes) == [BLUE, BLUE]
    assert lines(axes, dashed=False) == [BLUE]
    assert color_at(axes, 0.7, 0.1) == color_at(axes, 2.9, 0.1) != "#ffffff"
    assert color_at(axes, 0.7, 0.4) == color_at(axes, 1.7, 0.1) == "#ffffff"


@pytest.mark.parametrize("geometry", [None, {"type": "Point", "coordinates": [1, 1]}])
def test_what_has_no_shape_is_left_out(geometry: Any) -> None:
    axes = drawn(geometry)
    assert (list(axes.collections), legend(axes)) == ([], {})


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (None, "system 1"),
        ("Parks for $5 or $6", "Parks for $5 or $6"),
        (r"$\broken", r"$\broken"),
        ("_hidden", "_hidden"),
        ("A system for all that nobody else thought of", "A system for all that nobody…"),
    ],
)
def test_names_are_written_as_they_are_and_cut_where_they_are_long(name: str | None, shown: str) -> None:
    axes = plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1), sysname=name))))
    check_texts(figure_of(axes))
    assert list(legend(axes)) == [shown]
