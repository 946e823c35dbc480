"""`plot_map` draws each diagram in its system's colour, with a readable legend."""

from collections.abc import Iterator
from typing import Any

import geopandas as gpd
import matplotlib.pyplot as plt
import numpy as np
import pytest
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from pyproj import Geod

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pictures import SIZES, check_texts, color_at, figure_of
from pygeodesign import InputError, Project
from pygeodesign._looks import NO_COLOR
from pygeodesign._pictures.style import LIGHT
from pygeodesign.plots import plot_map
from small_project import GREEN, MEMBER, SYSTEMS, WATER, Workshop, running_workshop

pytestmark = pytest.mark.early

BLUE, LEAF = (str(system["color"]).lower() for system in SYSTEMS)
NO_BOUNDARY = read_collection(collection())


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def fill_colors(axes: Axes) -> list[str]:
    """The colour of each area that is filled."""
    areas = [artist for artist in axes.collections if isinstance(artist, PatchCollection)]
    return [to_hex(color) for artist in areas for color in np.asarray(artist.get_facecolor())]


def line_colors(axes: Axes, *, dashed: bool) -> list[str]:
    """The colour of each line that is solid, or dashed."""
    map_of = [artist for artist in axes.collections if isinstance(artist, LineCollection)]
    styles: list[Any] = [artist.get_linestyle()[0] for artist in map_of]
    chosen = [artist for artist, (_, dashes) in zip(map_of, styles, strict=True) if (dashes is not None) is dashed]
    return [to_hex(color) for artist in chosen for color in np.asarray(artist.get_colors())]


def legend(axes: Axes) -> dict[str, str]:
    """The colour next to each name in the legend."""
    shown = axes.get_legend()
    assert shown is not None
    colors = [
        to_hex(handle.get_facecolor() if isinstance(handle, Patch) else handle.get_color())
        for handle in shown.legend_handles
        if isinstance(handle, (Patch, Line2D))
    ]
    return dict(zip([text.get_text() for text in shown.get_texts()], colors, strict=True))


def test_projects_are_filled_and_policies_dashed_outlines_in_their_systems_colours(workshop: Workshop) -> None:
    project = workshop.project
    project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    project.add_diagram(GREEN, square(-9.18, 38.70, 0.01), title="Park")
    project.add_diagram(GREEN, square(-9.16, 38.70, 0.01), title="More parks", kind="policy")
    project.add_diagram(WATER, line([-9.20, 38.75], [-9.10, 38.76]), title="Canal")
    axes = plot_map(project.diagrams())
    assert fill_colors(axes) == [BLUE, LEAF]
    assert line_colors(axes, dashed=True) == [LEAF]
    assert line_colors(axes, dashed=False) == [BLUE]
    check_texts(figure_of(axes))


def test_the_boundary_is_drawn_under_the_diagrams(project: Project) -> None:
    axes = plot_map(project.diagrams(), project.study_area.boundaries())
    assert fill_colors(axes)[0] == LIGHT.land
    west, south, east, north = project.study_area.boundaries().bounds or (0, 0, 0, 0)
    assert axes.get_xlim()[0] < west and east < axes.get_xlim()[1]
    assert axes.get_ylim()[0] < south and north < axes.get_ylim()[1]


def test_a_degree_of_longitude_is_narrower_than_one_of_latitude_as_on_the_ground(project: Project) -> None:
    axes = plot_map(project.diagrams())
    assert axes.get_aspect() == pytest.approx(1 / np.cos(np.radians(np.mean(axes.get_ylim()))), rel=1e-3)


def test_every_feature_of_the_demo_is_drawn_once(project: Project) -> None:
    frame = project.diagrams().to_geopandas().explode()
    policies, kinds = frame["areatype"] == "policy", frame.geometry.geom_type
    axes = plot_map(project.diagrams())
    assert len(fill_colors(axes)) == ((kinds == "Polygon") & ~policies).sum()
    assert len(line_colors(axes, dashed=False)) == (kinds == "LineString").sum()
    assert len(line_colors(axes, dashed=True)) == len(frame[policies].boundary.explode())


def test_the_legend_names_the_systems_in_order_with_their_colours(project: Project) -> None:
    shown = legend(plot_map(project.diagrams()))
    systems = [project.system(item["id"]) for item in project.systems()]
    assert list(shown) == [*(system["name"] for system in systems), "policy", "line"]
    assert list(shown.values())[:-2] == [str(system["color"]).lower() for system in systems]


def test_the_legend_has_only_what_is_on_the_map() -> None:
    axes = plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1)), sysname="Water"), diagram(2, sysid=2)))
    assert list(legend(axes)) == ["Water"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [None, (9, 6.6), (9, 8.2), (12, 4), (6, 9)])
def test_the_legend_is_not_cut_off_and_beside_the_map(project: Project, size: tuple[float, float] | None) -> None:
    given = plt.subplots(figsize=size, layout="constrained")[1] if size else None
    axes = plot_map(project.diagrams(), project.study_area.boundaries(), given)
    assert given is None or axes is given
    axes.set_title("Staten Island 2050", loc="left")
    check_texts(figure_of(axes))
    shown = axes.get_legend()
    assert shown is not None
    assert not shown.get_window_extent().overlaps(axes.get_window_extent())


@pytest.mark.slow
def test_maps_in_one_figure_may_share_their_axes(project: Project) -> None:
    figure, both = plt.subplots(1, 2, figsize=(14, 6), sharex=True, sharey=True, layout="constrained")
    for axes, team in zip(both, project.teams(), strict=False):
        design = project.designs(team["id"])[0]["id"]
        plot_map(project.design(design, team["id"]).features(), project.study_area.boundaries(), axes)
    check_texts(figure)


def test_a_project_without_diagrams_has_an_empty_map(workshop: Workshop) -> None:
    axes = plot_map(workshop.project.diagrams(), workshop.project.study_area.boundaries())
    assert (fill_colors(axes), legend(axes)) == ([], {})
    check_texts(figure_of(axes))


def test_an_empty_boundary_is_not_drawn() -> None:
    assert fill_colors(plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1)))), NO_BOUNDARY)) == [NO_COLOR]


def test_diagrams_designs_and_selections_can_be_drawn(project: Project) -> None:
    design = project.designs(1)[0]["id"]
    for chosen in [
        project.diagram(1001).features(),
        project.design(design, 1).features(),
        project.member("jose.villanueva").selection(),
    ]:
        axes = plot_map(chosen)
        assert fill_colors(axes) + line_colors(axes, dashed=True) + line_colors(axes, dashed=False)


def test_an_empty_selection_is_an_empty_map(workshop: Workshop) -> None:
    assert legend(plot_map(workshop.project.member(MEMBER).selection())) == {}


def test_what_is_no_collection_is_rejected_before_a_figure_is_created() -> None:
    with pytest.raises(InputError, match=r"give a Project, a FeatureCollection"):
        plot_map("parks.gpkg")
    assert plt.get_fignums() == []


def test_a_frame_without_a_crs_is_rejected() -> None:
    with pytest.raises(InputError, match=r"set_crs\(4326\)"):
        plot_map(gpd.GeoDataFrame(geometry=[shapely.box(0, 0, 1, 1)]))


def test_a_project_is_drawn_with_its_name_and_those_of_team_and_design(project: Project) -> None:
    design = project.designs(1)[0]
    axes = plot_map(project, team=1, design=design["id"])
    assert title(axes) == f"Staten Island 2050 Conservation, {design['description']}: 34 diagrams"
    selected = plot_map(project, member="jose.villanueva")
    assert title(selected) == "Staten Island 2050 Selection of jose.villanueva: 25 diagrams, 1 of them not on the map"


def test_a_part_of_a_collection_cannot_be_chosen_by_name(project: Project) -> None:
    with pytest.raises(InputError, match="give the Project"):
        plot_map(project.diagrams(), member="jose.villanueva")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], "no diagrams"),
        ([{"description": "Pond"}], "Pond"),
        ([{"sysname": "Water"}, {"sysname": "Water"}], "2 diagrams of Water"),
        ([{"author": "ana"}, {"author": "ana"}], "2 diagrams by ana"),
        ([{}, {}], "2 diagrams"),
    ],
)
def test_the_line_below_the_title_says_what_is_shown(rows: list[dict[str, Any]], expected: str) -> None:
    drawn = [diagram(number, feature(square(number, 0, 1)), **row) for number, row in enumerate(rows)]
    assert title(plot_map(read_diagrams(*drawn))) == expected


def title(axes: Axes) -> str:
    """The title on one line."""
    return " ".join(axes.get_title("left").split())


@pytest.mark.slow
def test_the_title_can_be_set_and_is_else_the_name_of_the_boundary(project: Project) -> None:
    shown = "180 diagrams, 2 of them not on the map"
    assert title(plot_map(project.diagrams(), project.study_area.boundaries())) == f"Staten Island {shown}"
    assert title(project.diagrams().plot(title="Our island")) == f"Our island {shown}"


def test_an_evaluation_map_has_its_classes_in_order_and_their_colours(project: Project) -> None:
    assert legend(plot_map(project.system(1).evaluation())) == {
        "Existing": "#e07a6b",
        "Not appropriate": "#f2d479",
        "Capable": "#86bf8c",
    }
    classes = ["green3", "green2", "green", "yellow", "red2", "red"]
    areas = [feature(square(place, 0, 1), areatype=name) for place, name in enumerate(classes)]
    assert list(legend(plot_map(read_collection(collection(*areas))))) == [
        "Existing",
        "Not at all appropriate",
        "Not appropriate",
        "Capable",
        "Suitable",
        "Feasible",
    ]


def test_a_frame_in_any_crs_is_drawn_where_it_lies(project: Project) -> None:
    boundary = project.study_area.boundaries().to_geopandas()[["geometry"]]
    axes = plot_map(boundary.to_crs(32118).assign(color="#2B7BBA"))
    assert fill_colors(axes) == [BLUE]
    assert legend(axes) == {}
    west, _, east, _ = boundary.total_bounds
    assert axes.get_xlim()[0] < west < east < axes.get_xlim()[1]


@pytest.mark.parametrize(
    ("units", "label", "kilometres"), [("metric", "2 km", 2), ("us", "2 mi", 2 * 1.609344)], ids=["metric", "us"]
)
def test_the_scale_bar_is_as_long_as_it_says(units: Any, label: str, kilometres: float, project: Project) -> None:
    axes = plot_map(project.study_area.boundaries(), units=units)
    assert label in [text.get_text() for text in axes.texts]
    (bar,) = (artist for artist in axes.lines if artist.get_marker() == "|")
    (start, end), middle = np.asarray(bar.get_xdata()), 40.57
    assert Geod(ellps="WGS84").inv(start, middle, end, middle)[2] / 1000 == pytest.approx(kilometres, rel=2e-3)


def test_a_map_has_an_arrow_to_the_north_and_says_where_the_boundary_is_from(project: Project) -> None:
    written = " ".join(text.get_text() for text in plot_map(project.diagrams(), project.study_area.boundaries()).texts)
    assert " N " in f" {written} "
    assert "NYC Department of City Planning" in " ".join(written.split())


@pytest.mark.parametrize("wrong", [{"units": "imperial"}, {"theme": "sepia"}])
def test_unknown_units_and_themes_are_errors_that_name_the_known_ones(project: Project, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"metric|light"):
        plot_map(project.study_area.boundaries(), **wrong)


CONTENTS = ["demo", "design", "system", "diagram", "empty", "evaluation", "frame"]


def content(name: str, project: Project) -> Any:
    match name:
        case "design":
            return project.design(project.designs(1)[0]["id"], 1).features()
        case "system":
            return project.diagrams().to_geopandas().query("sysid == 5")
        case "diagram":
            return project.diagram(1001).features()
        case "empty":
            return read_diagrams()
        case "evaluation":
            return project.system(1).evaluation()
        case "frame":
            return project.study_area.boundaries().to_geopandas()
    return project.diagrams()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), SIZES, ids=str)
@pytest.mark.parametrize("name", CONTENTS)
def test_no_text_is_cut_or_covered_at_any_width(
    name: str, size: tuple[float, float], theme: Any, project: Project
) -> None:
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    long = "What the residents of the whole borough want by 2050, after the second workshop"
    plot_map(content(name, project), project.study_area.boundaries(), axes, title=long, theme=theme)
    check_texts(figure)


@pytest.mark.slow
def test_the_texts_of_a_map_fit_beside_each_other_in_one_figure(project: Project) -> None:
    figure, both = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    for axes in both:
        plot_map(project.diagrams(), project.study_area.boundaries(), axes)
    check_texts(figure)


def map_of(geometry: Any, **fields: Any) -> Axes:
    """The map of one diagram."""
    properties = {"areatype": fields.pop("areatype", None), "sysname": "Water", "color": "#2B7BBA"}
    return plot_map(read_diagrams(diagram(1, feature(geometry, **properties), **fields)))


@pytest.mark.parametrize("color", [None, "", "no colour", '#fff" onload="alert(1)'])
def test_a_diagram_without_a_colour_is_grey(color: str | None) -> None:
    axes = plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1), sysname="Water", color=color))))
    assert fill_colors(axes) == [NO_COLOR]
    assert legend(axes) == {"Water": NO_COLOR}


def test_a_diagram_of_unknown_kind_is_drawn_as_a_project() -> None:
    assert fill_colors(map_of(square(0, 0, 1))) == [BLUE]


def test_a_policy_that_is_a_line_is_a_dashed_line() -> None:
    axes = map_of(line([0, 0], [1, 1]), areatype="policy")
    assert line_colors(axes, dashed=True) == [BLUE]
    assert line_colors(axes, dashed=False) == fill_colors(axes) == []


def test_all_polygons_of_a_multipolygon_are_drawn_with_their_holes() -> None:
    hole = [[0.2, 0.2], [0.2, 0.8], [0.8, 0.8], [0.8, 0.2], [0.2, 0.2]]
    several = {
        "type": "GeometryCollection",
        "geometries": [square(0, 0, 1, hole), square(2, 0, 1), line([0, 0], [3, 3])],
    }
    axes = map_of(several)
    assert fill_colors(axes) == [BLUE, BLUE]
    assert line_colors(axes, dashed=False) == [BLUE]
    # Pixels are of the colour or of the pattern on it.
    assert "#ffffff" not in (color_at(axes, 0.7, 0.1), color_at(axes, 2.9, 0.1))
    assert color_at(axes, 0.7, 0.4) == color_at(axes, 1.7, 0.1) == "#ffffff"


def test_a_diagram_without_a_geometry_is_not_drawn() -> None:
    axes = map_of(None)
    assert (list(axes.collections), legend(axes)) == ([], {})


def test_points_are_round_symbols_in_the_colour_of_their_system() -> None:
    axes = map_of({"type": "MultiPoint", "coordinates": [[1, 1], [2, 1]]})
    (marks,) = axes.collections
    assert np.asarray(marks.get_offsets()).tolist() == [[1, 1], [2, 1]] and "point" in legend(axes)


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
def test_names_are_not_interpreted_as_markup_and_long_ones_are_truncated(name: str | None, shown: str) -> None:
    axes = plot_map(read_diagrams(diagram(1, feature(square(0, 0, 1), sysname=name))))
    check_texts(figure_of(axes))
    assert list(legend(axes)) == [shown]


def test_a_project_without_boundaries_and_diagrams_is_drawn_as_its_bounds() -> None:
    with running_workshop() as workshop:
        axes = plot_map(workshop.project)
        west, south, east, north = workshop.project.study_area.bounds() or pytest.fail("no bounds")
    shown = [path.get_extents().extents for drawn in axes.collections for path in drawn.get_paths()]
    assert [tuple(extents) for extents in shown] == [(west, south, east, north)]
    assert any("km" in text.get_text() for text in axes.texts)
