"""The HTML page of a `WebMap`: one file with all diagrams and their descriptions, without injected markup."""

from pathlib import Path
from typing import Any

import pytest

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pygeodesign import FeatureCollection, InputError, Project
from pygeodesign._looks import NO_COLOR
from pygeodesign.maps import web_map
from small_project import GREEN, SYSTEMS, WATER, Workshop
from web_pages import MapPage, positions

BLUE, LEAF = (str(system["color"]).lower() for system in SYSTEMS)
NO_BOUNDARY = read_collection(collection())
HARMFUL = '</title></script><script>alert("x")</script><img src=x onerror=alert(1)>'


def read(path: Path) -> MapPage:
    return MapPage(path.read_text(encoding="utf-8"))


@pytest.fixture
def page(tmp_path: Path) -> Any:
    """Writes a page with some diagrams and reads it again."""

    def write(diagrams: Any, boundary: FeatureCollection | None = NO_BOUNDARY, **settings: Any) -> MapPage:
        path = tmp_path / "map.html"
        web_map(diagrams, boundary, **settings).to_html(path)
        return read(path)

    return write


@pytest.fixture(scope="module")
def demo_page(project: Project, tmp_path_factory: pytest.TempPathFactory) -> MapPage:
    path = tmp_path_factory.mktemp("demo") / "map.html"
    web_map(project.diagrams(), project.study_area.boundaries(), title="Staten Island 2050").to_html(path)
    return read(path)


def test_the_page_loads_no_other_file(demo_page: MapPage) -> None:
    assert not [
        (tag, attributes) for tag, attributes in demo_page.tags if "src" in attributes or tag in ("link", "iframe")
    ]
    assert demo_page.data["basemap"] is None


def test_the_title_is_that_of_the_page_and_of_the_map(demo_page: MapPage) -> None:
    assert demo_page.content["title"][0] == demo_page.content["h1"][0] == "Staten Island 2050"


def test_every_shape_of_the_demo_is_on_the_map_once(demo_page: MapPage, project: Project) -> None:
    kinds = project.diagrams().to_geopandas().explode().geometry.geom_type
    assert sum(len(diagram["polygons"]) for diagram in demo_page.diagrams) == (kinds == "Polygon").sum()
    assert sum(len(diagram["lines"]) for diagram in demo_page.diagrams) == (kinds == "LineString").sum()


def test_shapes_are_where_they_were_drawn_with_holes_left_open(page: Any) -> None:
    hole = [[0.2, 0.2], [0.2, 0.8], [0.8, 0.8], [0.8, 0.2], [0.2, 0.2]]
    written = page(read_diagrams(diagram(1, feature(square(0, 0, 1, hole)), feature(line([0, 0], [1, 1])))))
    (drawn,) = written.diagrams
    ((exterior, inner),) = drawn["polygons"]
    assert positions(exterior) == [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    assert positions(inner) == [tuple(position) for position in hole]
    assert [positions(path) for path in drawn["lines"]] == [[(0, 0), (1, 1)]]


def test_projects_and_policies_have_their_systems_colours(page: Any, workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    workshop.project.add_diagram(GREEN, square(-9.16, 38.70, 0.01), title="More parks", kind="policy")
    workshop.project.add_diagram(WATER, line([-9.20, 38.75], [-9.10, 38.76]), title="Canal")
    written = page(workshop.project.diagrams())
    assert written.hue("Pond") == written.hue("Canal") == BLUE
    assert written.hue("More parks") == LEAF
    assert [written.diagram(title)["policy"] for title in ("Pond", "Canal", "More parks")] == [
        False,
        False,
        True,
    ]
    assert written.legend == ["Water", "Green"]


def test_the_tooltip_of_a_shape_describes_its_diagram(page: Any, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    workshop.project.diagram(added.id).update(additional_metadata={}, start_date="2030-04-01", end_date="2035-12-31")
    assert page(workshop.project.diagrams()).diagram("Pond")["facts"] == [
        f"{added.id} · Water · project · ana.sousa",
        "96.6 ha · 2030–2035",
    ]


def test_the_tooltip_of_a_projects_diagram_has_its_cost(page: Any, workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, square(-9.20, 38.70, 0.01), title="Pond")
    workshop.project.add_diagram(GREEN, line([-9.20, 38.75], [-9.10, 38.76]), title="Alley")
    written = page(workshop.project, None, currency="EUR", units="us")
    told = {diagram["title"]: diagram["facts"][1] for diagram in written.diagrams}
    assert told == {"Pond": "239 acres · 12.1 M EUR", "Alley": "5.45 mi · 351 k EUR"}
    assert written.content["h1"] == ["Lisbon"]


def test_evaluations_and_plain_frames_have_maps(page: Any, project: Project) -> None:
    assert page(project.system(1).evaluation()).legend == ["Existing", "Not appropriate", "Capable"]
    plain = page(project.study_area.boundaries().to_geopandas()[["geometry"]])
    assert (len(plain.diagrams), plain.legend) == (1, [])


def test_a_map_has_credits(demo_page: MapPage) -> None:
    assert any("NYC Department of City Planning" in text for text in demo_page.content["p"])


def test_a_map_with_costs_names_their_currency_or_says_that_none_was_given(page: Any, project: Project) -> None:
    said = "No currency is set for these amounts."
    assert said in page(project).content["p"]
    assert said not in page(project, currency="USD").content["p"]
    # Without costs there is nothing to say.
    assert said not in page(project.diagrams()).content["p"]


def test_a_dark_map_has_a_dark_page(page: Any, project: Project) -> None:
    written = page(project.diagram(1001).features(), project.study_area.boundaries(), theme="dark")
    assert ("body", {"class": "dark"}) in written.tags
    with pytest.raises(InputError, match="theme"):
        page(project.diagram(1001).features(), theme="sepia")


@pytest.mark.parametrize(
    ("dates", "facts"),
    [
        ({}, []),
        ({"start_date": "2030-01-01"}, ["2030–?"]),
        ({"end_date": "2031-01-01"}, ["?–2031"]),
        ({"start_date": "2030-01-01", "end_date": "2031-01-01"}, ["2030–2031"]),
    ],
)
def test_the_tooltip_leaves_out_unknown_facts(page: Any, dates: dict[str, str], facts: list[str]) -> None:
    (drawn,) = page(read_diagrams(diagram(1, feature(line([0, 0], [0, 0])), description=None, **dates))).diagrams
    assert (drawn["title"], drawn["facts"]) == ("", ["1 · system 1", *facts])


def test_the_legend_has_the_systems_in_their_order(demo_page: MapPage, project: Project) -> None:
    assert demo_page.legend == [item["name"] for item in project.systems()]


def test_diagrams_designs_and_selections_can_be_drawn(page: Any, project: Project) -> None:
    design = project.designs(1)[0]["id"]
    for chosen in [
        project.diagram(1001).features(),
        project.design(design, 1).features(),
        project.member("jose.villanueva").selection(),
    ]:
        assert page(chosen, project.study_area.boundaries()).diagrams


@pytest.mark.parametrize(
    "boundary", [NO_BOUNDARY, read_collection(collection(feature(square(0, 0, 1)), feature(None)))]
)
def test_a_project_without_diagrams_has_a_map_without_a_legend(page: Any, boundary: FeatureCollection) -> None:
    written = page(read_diagrams(), boundary)
    assert (written.diagrams, written.legend) == ([], [])
    assert len(written.data["boundary"]) == min(len(boundary), 1)


def test_an_empty_selection_is_a_map_without_diagrams(page: Any, workshop: Workshop) -> None:
    assert page(workshop.project.member("bento.reis").selection()).diagrams == []


def test_a_diagram_of_unknown_kind_system_and_colour_is_drawn_as_a_project(page: Any) -> None:
    unknown = feature(square(0, 0, 1), sysid=None, color="no colour")
    written = page(read_diagrams(diagram(1, unknown, sysid=None)))
    (drawn,) = written.diagrams
    assert (written.data["systems"][0]["color"], drawn["policy"]) == (NO_COLOR, False)
    assert written.legend == ["no system"]


def test_text_of_the_service_is_escaped_in_the_page(page: Any, demo_page: MapPage) -> None:
    texts = dict.fromkeys(["description", "author", "sysname", "color"], HARMFUL)
    written = page(read_diagrams(diagram(1, feature(square(0, 0, 1), **texts))), title=HARMFUL, credits=HARMFUL)
    assert [tag for tag, _ in written.tags] == [tag for tag, _ in demo_page.tags]
    assert HARMFUL in written.diagrams[0]["facts"][0]


def test_what_is_no_collection_is_rejected_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give a Project, a FeatureCollection"):
        web_map("parks.gpkg").to_html(tmp_path / "map.html")
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_is_an_error_that_names_it(project: Project, tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "map.html"
    with pytest.raises(FileNotFoundError, match="missing"):
        web_map(project.diagrams(), project.study_area.boundaries()).to_html(str(missing))
