"""The HTML page of `interactive_map`: one file with all diagrams and their descriptions, without injected markup."""

import json
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from bokeh.document import Document
from bokeh.models.annotations import Legend, Title
from bokeh.models.glyphs import MultiLine, MultiPolygons
from bokeh.models.renderers import GlyphRenderer, TileRenderer
from bokeh.models.tools import HoverTool
from pyproj import Transformer

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pygeodesign import FeatureCollection, InputError, Project
from pygeodesign._picture_parts import NO_COLOR
from pygeodesign.plots import interactive_map
from small_project import GREEN, SYSTEMS, WATER, Workshop

BLUE, LEAF = (str(system["color"]).lower() for system in SYSTEMS)
NO_BOUNDARY = read_collection(collection())
HARMFUL = '</title></script><script>alert("x")</script><img src=x onerror=alert(1)>'
TO_MERCATOR = Transformer.from_crs(4326, 3857, always_xy=True)


class Page(HTMLParser):
    """A parsed page: its tags, its title, and the bokeh models in its script."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.content: dict[str, list[str]] = {}
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        (drawn,) = json.loads(unescape("".join(self.content["application/json"]))).values()
        self.map: Any = Document.from_json(drawn)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        self.content.setdefault(attributes.get("type") or tag, []).append(data)

    def models(self, kind: type[Any]) -> list[Any]:
        return list(self.map.select({"type": kind}))

    def shapes(self, glyph: type[Any]) -> list[tuple[Any, dict[str, Any]]]:
        """The glyph and the data of areas or of lines: a pair for each system and kind of diagram, in any order."""
        found = [renderer for renderer in self.models(GlyphRenderer) if isinstance(renderer.glyph, glyph)]
        return [(renderer.glyph, renderer.data_source.data) for renderer in found]

    def areas(self) -> list[tuple[Any, dict[str, Any]]]:
        return [(glyph, data) for glyph, data in self.shapes(MultiPolygons) if "description" in data]

    def study_area(self) -> dict[str, Any]:
        (data,) = (data for _, data in self.shapes(MultiPolygons) if "description" not in data)
        return data

    def legend(self) -> list[str]:
        return [item.label.value for legend in self.models(Legend) for item in legend.items]


@pytest.fixture
def page(tmp_path: Path) -> Any:
    """Writes the page of some diagrams and reads it again."""

    def write(diagrams: FeatureCollection, boundary: FeatureCollection = NO_BOUNDARY, **settings: Any) -> Page:
        path = tmp_path / "map.html"
        interactive_map(diagrams, boundary, path, **settings)
        return Page(path)

    return write


@pytest.fixture(scope="module")
def demo_page(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Page:
    path = tmp_path_factory.mktemp("demo") / "map.html"
    interactive_map(project.diagrams(), project.boundaries(), path, title="Staten Island 2050")
    return Page(path)


def test_the_page_loads_no_other_file(demo_page: Page) -> None:
    assert not [
        (tag, attributes) for tag, attributes in demo_page.tags if "src" in attributes or tag in ("link", "iframe")
    ]
    assert len(demo_page.models(TileRenderer)) == 1


def test_the_title_is_that_of_the_page_and_of_the_map(demo_page: Page) -> None:
    assert demo_page.content["title"][0] == "Staten Island 2050"
    assert [title.text for title in demo_page.models(Title)] == ["Staten Island 2050"]


def test_every_shape_of_the_demo_is_on_the_map_once(demo_page: Page, project: Project) -> None:
    kinds = project.diagrams().to_geopandas().explode().geometry.geom_type
    assert sum(len(data["xs"]) for _, data in demo_page.areas()) == (kinds == "Polygon").sum()
    assert sum(len(data["xs"]) for _, data in demo_page.shapes(MultiLine)) == (kinds == "LineString").sum()


def test_shapes_are_where_they_were_drawn_with_holes_left_open(page: Any) -> None:
    hole = [[0.2, 0.2], [0.2, 0.8], [0.8, 0.8], [0.8, 0.2], [0.2, 0.2]]
    written = page(read_diagrams(diagram(1, feature(square(0, 0, 1, hole)), feature(line([0, 0], [1, 1])))))
    ((_, areas),), ((_, lines),) = written.areas(), written.shapes(MultiLine)
    (((exterior_x, hole_x),),), (((exterior_y, hole_y),),) = areas["xs"], areas["ys"]
    east, north = TO_MERCATOR.transform(1, 1)
    assert (min(exterior_x), max(exterior_x)) == pytest.approx((0, east), abs=1e-6)
    assert (min(exterior_y), max(exterior_y)) == pytest.approx((0, north), abs=1e-6)
    assert 0 < min(hole_x) < max(hole_x) < east and 0 < min(hole_y) < max(hole_y) < north
    assert lines["xs"] == [pytest.approx([0, east], abs=1e-6)]
    assert lines["ys"] == [pytest.approx([0, north], abs=1e-6)]


def test_projects_are_filled_and_policies_faint_and_dashed_in_their_systems_colours(
    page: Any, workshop: Workshop
) -> None:
    workshop.project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    workshop.project.add_diagram(GREEN, square(-9.16, 38.70, 0.01), title="More parks", kind="policy")
    workshop.project.add_diagram(WATER, line([-9.20, 38.75], [-9.10, 38.76]), title="Canal")
    written = page(workshop.project.diagrams())
    looks = {data["description"][0]: glyph for glyph, data in written.areas() + written.shapes(MultiLine)}
    pond, parks, canal = looks["Pond"], looks["More parks"], looks["Canal"]
    assert pond.fill_color.value == pond.line_color.value == canal.line_color.value == BLUE
    assert parks.fill_color.value == parks.line_color.value == LEAF
    assert (pond.line_dash.value, canal.line_dash.value, parks.line_dash.value) == ("solid", "solid", "dashed")
    assert 0 < parks.fill_alpha.value < 0.2 < pond.fill_alpha.value
    assert written.legend() == ["Water", "Green"]


def test_the_tooltip_of_a_shape_describes_its_diagram(page: Any, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    workshop.project.update_diagram(
        added["diagram_id"], additional_metadata={}, start_date="2030-04-01", end_date="2035-12-31"
    )
    written = page(workshop.project.diagrams())
    ((_, areas),), (hover,) = written.areas(), written.models(HoverTool)
    shown = {label: areas[column.removeprefix("@")] for label, column in hover.tooltips}
    assert shown == {
        "": ["Pond"],
        "system": ["Water"],
        "kind": ["project"],
        "by": ["ana.sousa"],
        "years": ["2030–2035"],
    }


@pytest.mark.parametrize(
    ("dates", "years"),
    [
        ({}, ""),
        ({"start_date": "2030-01-01"}, "2030–?"),
        ({"end_date": "2031-01-01"}, "?–2031"),
        ({"start_date": "2030-01-01", "end_date": "2031-01-01"}, "2030–2031"),
    ],
)
def test_the_tooltip_leaves_out_unknown_years(page: Any, dates: dict[str, str], years: str) -> None:
    ((_, areas),) = page(read_diagrams(diagram(1, feature(square(0, 0, 1)), description=None, **dates))).areas()
    assert (areas["description"], areas["by"], areas["years"]) == ([""], [""], [years])


def test_a_click_on_the_legend_hides_a_system(demo_page: Page, project: Project) -> None:
    (legend,) = demo_page.models(Legend)
    assert legend.click_policy == "hide"
    assert [item.label.value for item in legend.items] == [item["name"] for item in project.systems()]
    renderers = [renderer for item in legend.items for renderer in item.renderers]
    assert len(renderers) == len({renderer.id for renderer in renderers})


def test_diagrams_designs_and_selections_can_be_drawn(page: Any, project: Project) -> None:
    design = project.designs(1)[0]["id"]
    for chosen in [project.diagram(1001), project.design(1, design), project.selection("jose.villanueva")]:
        assert page(chosen, project.boundaries()).areas()


@pytest.mark.parametrize(
    "boundary", [NO_BOUNDARY, read_collection(collection(feature(square(0, 0, 1)), feature(None)))]
)
def test_a_project_without_diagrams_has_a_map_without_a_legend(page: Any, boundary: FeatureCollection) -> None:
    written = page(read_diagrams(), boundary)
    assert (written.areas(), written.shapes(MultiLine), written.legend()) == ([], [], [])
    assert len(written.study_area()["xs"]) == min(len(boundary), 1)


def test_an_empty_selection_is_a_map_without_diagrams(page: Any, workshop: Workshop) -> None:
    assert page(workshop.project.selection("bento.reis")).areas() == []


def test_a_diagram_of_unknown_kind_system_and_colour_is_drawn(page: Any) -> None:
    unknown = feature(square(0, 0, 1), sysid=None, color="no colour")
    written = page(read_diagrams(diagram(1, unknown, sysid=None)))
    ((look, _),) = written.areas()
    assert look.fill_color.value == NO_COLOR and look.fill_alpha.value > 0.5
    assert written.legend() == ["no system"]


def test_text_of_the_service_is_escaped_in_the_page(page: Any, demo_page: Page) -> None:
    texts = dict.fromkeys(["description", "author", "sysname", "color"], HARMFUL)
    written = page(read_diagrams(diagram(1, feature(square(0, 0, 1), **texts))), title=HARMFUL)
    assert [tag for tag, _ in written.tags] == [tag for tag, _ in demo_page.tags]
    assert written.areas()[0][1]["by"] == [HARMFUL]
    # With `safe`, bokeh would show a text as HTML.
    (hover,) = written.models(HoverTool)
    assert not [column for _, column in hover.tooltips if "{" in column]


def test_features_that_are_not_diagrams_are_rejected_and_nothing_is_written(project: Project, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="belong to no system"):
        interactive_map(project.boundaries(), project.boundaries(), tmp_path / "map.html")
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_is_an_error_that_names_it(project: Project, tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "map.html"
    with pytest.raises(FileNotFoundError, match="missing"):
        interactive_map(project.diagrams(), project.boundaries(), str(missing))
