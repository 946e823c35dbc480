"""`Project.map()` and `FeatureCollection.map()`: the map's content, and its visible part in a browser."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
import shapely
from playwright.sync_api import Browser, expect
from xyzservices import providers

import pygeodesign
from builders import diagram, feature, read_diagrams, square
from chromium import opened
from demo import demo_sandbox
from mounted_map import MIDDLE
from pygeodesign import InputError, Project
from pygeodesign._web.data import MAX_POSITIONS
from pygeodesign.maps import MAX_NOTEBOOK_BYTES, WebMap, web_map
from pygeodesign.types import NewSystem
from small_project import BOUNDS, SYSTEMS, Workshop
from web_pages import MapPage

pytestmark = pytest.mark.early

HARMFUL = '</script><script>window.harmed = 1</script><img src=x onerror="window.harmed = 1">&amp;'


@pytest.fixture(scope="module")
def demo() -> Iterator[Project]:
    with demo_sandbox() as sandbox:
        yield sandbox.client().project(sandbox.project_ids[0])


@pytest.fixture(scope="module")
def demo_map(demo: Project) -> WebMap:
    return demo.map(currency="USD")


@pytest.fixture(scope="module")
def designs(demo: Project) -> list[tuple[int, str]]:
    """The latest of each team; some have external diagrams, which are not on the map but cost something."""
    return [(team["id"], demo.designs(team["id"])[-1]["id"]) for team in demo.teams()]


def read(view: WebMap) -> MapPage:
    return MapPage(view.to_html() or "")


def written(view: WebMap, folder: Path) -> Path:
    path = folder / "map.html"
    view.to_html(path)
    return path


def test_a_projects_map_has_its_boundary_constraints_diagrams_and_evaluation_maps(
    demo: Project, demo_map: WebMap
) -> None:
    page = read(demo_map)
    assert page.legend == [system["name"] for system in demo.systems()]
    assert {row["id"] for row in page.diagrams} <= set(demo.costs().to_pandas("diagrams")["diagramid"])
    assert len(page.diagrams) == 178
    assert page.data["boundary"] and page.data["constraints"]
    maps = page.data["evaluations"]
    assert [item["name"] for item in maps] == [system["name"] for system in demo.systems()]
    assert [kind["name"] for kind in maps[0]["classes"]] == ["Existing", "Not appropriate", "Capable"]
    assert len(maps[0]["shapes"]) == len(demo.system(1).evaluation().to_geopandas().explode())
    assert "178" not in repr(demo_map) and "180 diagrams, 2 of them not on the map" in repr(demo_map)
    assert read(demo.map(evaluations=False)).data["evaluations"] == []


def test_positions_in_the_page_are_those_of_the_data_within_a_millionth_of_a_degree(
    demo: Project, demo_map: WebMap
) -> None:
    data = demo.diagrams().to_geopandas().explode()
    drawn = [
        np.cumsum(np.array(ring).reshape(-1, 2), axis=0) / 1e6
        for row in read(demo_map).diagrams
        for ring in [ring for polygon in row["polygons"] for ring in polygon] + row["lines"]
    ]
    bounds = np.vstack([*drawn])
    assert shapely.total_bounds(data.geometry) == pytest.approx([*bounds.min(axis=0), *bounds.max(axis=0)], abs=6e-7)


def test_async_projects_and_archives_have_the_same_map(demo: Project, demo_map: WebMap, tmp_path: Path) -> None:
    demo.archive(tmp_path / "demo.zip")
    archived = pygeodesign.open(tmp_path / "demo.zip")
    assert archived.map(currency="USD").to_html() == demo_map.to_html()

    async def awaited() -> WebMap:
        with demo_sandbox() as sandbox:
            return await sandbox.async_client().project(sandbox.project_ids[0]).map(currency="USD")

    assert asyncio.run(awaited()).to_html() == demo_map.to_html()


def test_members_teams_and_designs_choose_what_is_on_the_map(demo: Project, designs: list[tuple[int, str]]) -> None:
    team, design = designs[0]
    chosen = read(demo.map(team=team, design=design))
    assert {row["id"] for row in chosen.diagrams} <= set(demo.design(design, team).diagram_ids())
    assert any("Conservation" in text for text in chosen.content["p"])
    assert read(demo.map(member="jose.villanueva")).diagrams
    with pytest.raises(InputError, match="side by side"):
        demo.map(designs, team=team, design=design)
    with pytest.raises(InputError, match="12 fit"):
        demo.map([[1001]] * 13)


def test_the_features_of_a_collection_can_be_explored(demo: Project) -> None:
    page = read(
        demo.system("Water").evaluation().map(demo.study_area.boundaries(), title="Water needs room", theme="dark")
    )
    assert page.legend == ["Existing", "Not appropriate", "Capable"] and page.data["legend"] == "Classes"
    assert page.content["h1"] == ["Water needs room"]
    assert all(re.fullmatch(r"Existing|Not appropriate|Capable", row["facts"][0]) for row in page.diagrams)


def test_a_frame_is_drawn_in_the_colours_of_its_rows() -> None:
    boxes = [shapely.box(x, 45, x + 1, 46) for x in (10, 12, 14)]
    frame = geopandas.GeoDataFrame({"color": ["#ff0000", "#00ff00", "#ff0000"]}, geometry=boxes, crs=4326)
    page = read(web_map(frame))
    assert [page.data["systems"][row["system"]]["color"] for row in page.diagrams] == frame["color"].tolist()
    assert page.legend == []


def test_evaluation_maps_of_systems_with_one_name_and_other_classes_are_layers(workshop: Workshop) -> None:
    twin: NewSystem = {"name": "Water", "tag": "WA2", "color": "#112233"}
    area = shapely.box(-9.2, 38.7, -9.1, 38.75)
    client = workshop.client()
    created = client.create_project(
        workshop.sandbox.creation_code("TWINS"), title="Twins", bounds=BOUNDS, systems=[SYSTEMS[0], twin]
    )
    project = client.project(created)
    for item, kind in zip(project.systems(), ("green", "meadow"), strict=True):
        project.system(item["id"]).set_evaluation(
            geopandas.GeoDataFrame({"areatype": [kind]}, geometry=[area], crs=4326)
        )
    maps = read(project.map()).data["evaluations"]
    assert [(item["name"], item["classes"][0]["name"]) for item in maps] == [("Water", "Capable"), ("Water", "meadow")]


def test_a_page_without_a_basemap_may_load_nothing(demo_map: WebMap, browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(demo_map, tmp_path)) as shown:
        refused = shown.page.evaluate("() => fetch('https://example.org').then(() => false, () => true)")
        assert refused and shown.requests == []


def test_a_basemap_is_asked_for_its_tiles_and_credited(demo: Project, browser: Browser, tmp_path: Path) -> None:
    page = demo.map(evaluations=False, basemap=("https://tiles.example.org/{z}/{x}/{y}.png", "© Example <b>maps</b>"))
    with opened(browser, written(page, tmp_path)) as shown:
        assert shown.requests and all(url.startswith("https://tiles.example.org/") for url in shown.requests)
        assert "Basemap: © Example <b>maps</b>" in shown.page.inner_text("footer")


@pytest.mark.parametrize("name", ["streets", "light", "dark", "topography", "satellite"])
def test_named_basemaps_have_credits(name: str, demo: Project) -> None:
    page = read(demo.system(1).evaluation().map(basemap=name))
    assert page.data["basemap"]["url"].startswith("https://")
    assert any("Basemap: " in text for text in page.content["p"])


def test_a_provider_of_xyzservices_is_a_basemap(demo: Project) -> None:
    page = read(demo.system(1).evaluation().map(basemap=providers.Esri.WorldImagery))
    assert page.data["basemap"]["url"].endswith("World_Imagery/MapServer/tile/{z}/{y}/{x}")
    styled = {"url": "https://{s}.example.org/{style}/{z}/{x}/{y}{r}.png", "style": "grey", "attribution": "©"}
    page = read(demo.system(1).evaluation().map(basemap=styled))
    assert page.data["basemap"]["url"] == "https://{s}.example.org/grey/{z}/{x}/{y}.png"


@pytest.mark.parametrize(
    ("basemap", "message"),
    [
        ("roads", "'roads' is not a basemap: basemap must be one of 'streets'"),
        ("https://tiles.example.org/{z}/{x}/{y}.png", "needs the credits"),
        (("http://tiles.example.org/{z}/{x}/{y}.png", "©"), "must begin with https"),
        (("https://tiles.example.org/{z}.png", "©"), "{z}, {x} and {y}"),
        (("https://x; script-src *//{z}/{x}/{y}", "©"), "must begin with https"),
        (("https://tiles.example.org/{key}/{z}/{x}/{y}", "©"), "no value for key"),
        (("https://tiles.example.org/{z}/{x}/{y}", " "), "credits"),
        (providers.CartoDB.Positron, "needs your key"),
        (7, "7 is not a basemap"),
    ],
)
def test_another_basemap_is_an_error_that_says_what_is_one(basemap: Any, message: str, demo: Project) -> None:
    with pytest.raises(InputError) as raised:
        demo.system(1).evaluation().map(basemap=basemap)
    assert message in str(raised.value)


def test_harmful_texts_are_shown_as_texts(browser: Browser, tmp_path: Path) -> None:
    texts = dict.fromkeys(["description", "author", "sysname"], HARMFUL)
    drawn = web_map(read_diagrams(diagram(1, feature(square(10, 45, 1)), **texts)), title=HARMFUL, credits=HARMFUL)
    with opened(browser, written(drawn, tmp_path)) as shown:
        page = shown.page
        page.mouse.move(*page.evaluate(MIDDLE, [HARMFUL, 0]))
        expect(page.locator(".tip b")).to_be_visible()
        assert page.inner_text(".tip b") == HARMFUL
        assert shown.errors == [] and shown.requests == []
        assert page.evaluate("() => window.harmed") is None
        assert page.inner_text("h1") == HARMFUL
        assert HARMFUL in page.inner_text("aside")
        assert page.locator("img, script").count() == 2


def test_a_notebook_shows_the_map_in_a_frame_of_its_own(demo_map: WebMap, browser: Browser, tmp_path: Path) -> None:
    cell = demo_map._repr_html_()
    assert len(cell.encode()) < 1.5 * len((demo_map.to_html() or "").encode())
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{cell}{cell}</body>", encoding="utf-8")
    with opened(browser, path) as shown:
        assert [url for url in shown.requests if url != "about:srcdoc"] == [] and shown.errors == []
        frame = shown.page.frames[1]
        frame.locator("canvas.leaflet-tile").first.wait_for(state="attached")
        assert frame.inner_text("h1") == "Staten Island 2050"
        # The frame reaches nothing of the notebook around it.
        assert frame.evaluate("() => { try { return parent.document.title } catch { return null } }") is None


@pytest.mark.slow
def test_a_map_that_is_too_large_for_a_notebook_or_a_page_says_so() -> None:
    page = "x" * (MAX_NOTEBOOK_BYTES + 1)
    cell = WebMap(page, "Large", "1 diagram", 500)._repr_html_()
    assert len(cell) < 500 and 'to_html("map.html")' in cell
    angles = np.linspace(0, 2 * np.pi, MAX_POSITIONS, endpoint=False)
    circle = shapely.Polygon(np.column_stack([np.cos(angles), np.sin(angles)]))
    with pytest.raises(InputError, match="a page takes at most 3,000,000"):
        web_map(geopandas.GeoDataFrame(geometry=[circle], crs=4326))


def large_project(polygons: int = 5000) -> geopandas.GeoDataFrame:
    """Polygons of 60 positions each in nine colours, all over a city."""
    chance = np.random.default_rng(1)
    centres = chance.uniform([-74.25, 40.5], [-74.05, 40.65], (polygons, 2))
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    radii = chance.uniform(0.0008, 0.004, (polygons, 1)) * chance.uniform(0.8, 1.2, (polygons, 60))
    rings = centres[:, None] + np.stack([radii * np.cos(angles), 0.75 * radii * np.sin(angles)], axis=2)
    systems = np.arange(polygons) % 9
    hues = np.array(["#2b7bba", "#3b8f4e", "#c0392b", "#8e44ad", "#f39c12", "#16a085", "#7f8c8d", "#d35400", "#2c3e50"])
    return geopandas.GeoDataFrame(
        {"diagramid": np.arange(polygons), "sysid": systems, "color": hues[systems], "areatype": "project"},
        geometry=shapely.polygons(rings),
        crs=4326,
    )


def test_a_map_of_5000_polygons_is_smooth(browser: Browser, tmp_path: Path) -> None:
    view = web_map(large_project(), title="Large")
    assert len((view.to_html() or "").encode()) < 4_500_000
    with opened(browser, written(view, tmp_path), 1100, 750) as shown:
        page = shown.page
        page.wait_for_function("() => pygeodesign.views[0].layer.queue.size === 0")
        times = """() => { window.times = []; const next = (time) => { times.push(time); requestAnimationFrame(next); };
            requestAnimationFrame(next); }"""
        page.evaluate(times)
        page.mouse.move(500, 400)
        page.mouse.down()
        for step in range(40):
            page.mouse.move(500 + 5 * step, 400 + 2 * step)
            page.wait_for_timeout(8)
        page.mouse.up()
        gaps = np.diff(page.evaluate("() => window.times"))
        # During other work on two processors, without a graphics card; alone it is 17 ms, 60 frames per second.
        assert np.median(gaps) < 50
        assert shown.errors == []


def test_a_map_says_that_it_is_loading_until_it_is_drawn(demo_map: WebMap, browser: Browser, tmp_path: Path) -> None:
    path, said = written(demo_map, tmp_path), "getComputedStyle(views, '::before').content"
    with opened(browser, path) as shown:
        assert shown.page.evaluate(said) == "none"
    with opened(browser, path, java_script_enabled=False) as shown:
        assert "it needs JavaScript" in shown.page.inner_text("body")
    # The same page before its program runs.
    path.write_text(path.read_text("utf-8").replace("<script>", '<script type="later">'), "utf-8")
    with opened(browser, path) as shown:
        assert shown.page.evaluate(said) == '"Loading the map…"'
