"""The HTML page of `interactive_map`: one file with all diagrams and their descriptions, without injected markup."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from bokeh.document import Document
from bokeh.models.annotations import Label, Legend, ScaleBar, Title
from bokeh.models.glyphs import MultiLine, MultiPolygons
from bokeh.models.renderers import GlyphRenderer, TileRenderer
from bokeh.models.tools import HoverTool
from bokeh.models.widgets import Div
from matplotlib.colors import to_rgb
from pyproj import Transformer

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pygeodesign import FeatureCollection, InputError, Project
from pygeodesign._pictures.theme import NO_COLOR
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
        return [(glyph, data) for glyph, data in self.shapes(MultiPolygons) if "id" in data and "title" not in data]

    def study_area(self) -> dict[str, Any]:
        (data,) = (data for _, data in self.shapes(MultiPolygons) if "id" not in data)
        return data

    def facts(self) -> dict[str, Any]:
        """What the tooltips tell, a list for each fact."""
        (data,) = (data for _, data in self.shapes(MultiPolygons) if "title" in data)
        return data

    def texts(self) -> list[str]:
        return [shown.text for kind in (Title, Div) for shown in self.models(kind)]

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
    assert demo_page.texts()[:1] == ["Staten Island 2050"] or "Staten Island 2050" in demo_page.texts()


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
    titles = dict(zip(written.facts()["id"], written.facts()["title"], strict=True))
    looks = {titles[data["id"][0]]: glyph for glyph, data in written.areas() + written.shapes(MultiLine)}
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
    (hover,) = written.models(HoverTool)
    shown = [written.facts()[column] for column in re.findall(r"@(\w+)", hover.tooltips)]
    assert shown == [
        ["Pond"],
        [f"{added['diagram_id']} · Water · project · ana.sousa"],
        ["96.6 ha · 2030–2035"],
    ]


def test_the_tooltip_of_a_projects_diagram_has_its_cost(page: Any, workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    workshop.project.add_diagram(GREEN, line([-9.20, 38.75], [-9.10, 38.76]), title="Alley")
    written = page(workshop.project, currency="EUR", units="us")
    facts = written.facts()
    told = {title: (facts["size"][row], facts["cost"][row]) for row, title in enumerate(facts["title"])}
    assert told == {"Pond": ("239 acres", "12.1 M EUR"), "Alley": ("5.45 mi", "351 k EUR")}
    assert "Lisbon" in written.texts()


def test_where_diagrams_overlap_one_tooltip_lists_them(demo_page: Page) -> None:
    (hover,) = demo_page.models(HoverTool)
    (layer,) = hover.renderers
    assert layer.data_source.data is demo_page.facts() and hover.limit == 4
    assert layer.glyph.fill_alpha.value == layer.glyph.line_alpha.value == 0


def test_systems_that_are_hidden_have_no_tooltip(demo_page: Page) -> None:
    (legend,) = demo_page.models(Legend)
    facts = demo_page.facts()
    for item in legend.items:
        for renderer in item.renderers:
            (callback,) = renderer.js_property_callbacks["change:visible"]
            place = callback.args["places"][callback.args["renderers"].index(renderer)]
            assert {facts["system"][row] for row, of in enumerate(facts["place"]) if of == place} == {item.label.value}


def test_evaluations_and_plain_frames_have_maps(page: Any, project: Project) -> None:
    assert page(project.evaluation(1)).legend() == ["red", "yellow", "green"]
    plain = page(project.boundaries().to_geopandas()[["geometry"]])
    assert (len(plain.areas()), plain.legend()) == (1, [])


def test_a_map_has_a_scale_bar_an_arrow_to_the_north_and_credits(demo_page: Page) -> None:
    assert len(demo_page.models(ScaleBar)) == 1
    assert [label.text for label in demo_page.models(Label)] == ["▲ N"]
    assert any("NYC Department of City Planning" in text for text in demo_page.texts())


def test_a_dark_map_has_light_texts_on_dark_paper(page: Any, project: Project) -> None:
    written = page(project.diagram(1001), project.boundaries(), theme="dark")
    assert {to_rgb(title.text_color) < (0.5,) for title in written.models(Title)} == {False}
    with pytest.raises(InputError, match="theme"):
        page(project.diagram(1001), theme="sepia")


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
    facts = page(read_diagrams(diagram(1, feature(square(0, 0, 1)), description=None, **dates))).facts()
    assert (facts["title"], facts["by"], facts["years"]) == ([""], [""], [years])


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
    written = page(read_diagrams(diagram(1, feature(square(0, 0, 1), **texts))), title=HARMFUL, credits=HARMFUL)
    assert [tag for tag, _ in written.tags] == [tag for tag, _ in demo_page.tags]
    assert written.facts()["by"] == [HARMFUL]
    assert all(shown.render_as_text for shown in written.models(Div))
    # With `safe`, bokeh would show a text as HTML.
    (hover,) = written.models(HoverTool)
    assert "@title" in hover.tooltips and "{" not in hover.tooltips


def test_what_is_no_collection_is_rejected_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give a Project, a FeatureCollection"):
        interactive_map("parks.gpkg", None, tmp_path / "map.html")
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_is_an_error_that_names_it(project: Project, tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "map.html"
    with pytest.raises(FileNotFoundError, match="missing"):
        interactive_map(project.diagrams(), project.boundaries(), str(missing))
