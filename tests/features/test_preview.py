"""A preview of the effects of adding a drawing; areas compared with shapely and pyproj along geodesics."""

import asyncio
from typing import Any

import pytest
import shapely

from builders import collection, feature, line, square
from overlays import GEOD, along_geodesics, hectares
from pygeodesign import InputError, NotFoundError, Project, Sandbox
from small_project import ADMINISTRATOR, GREEN, MEMBER, STRANGER, WATER, Workshop, running_workshop

# Of edges of the drawing, and of maps: so short that straight ones lie on the geodesic.
PIECES, PIECES_OF_MAPS, PIECES_OF_PROJECTS = 1024, 32, 64
DESIGN = "a023631f09bc2e31"
# Crosses classes, projects and the border of the study area, with edges of some kilometres.
STAR = shapely.Polygon(
    [(-74.2, 40.56), (-74.13, 40.57), (-74.1, 40.52), (-74.12, 40.585), (-74.1, 40.62), (-74.15, 40.6)]
)


def in_common(drawing: Any, shapes: Any, pieces: int) -> float:
    """Hectares of the drawing's land that any of the shapes covers."""
    curved = [along_geodesics(shape, pieces) for shape in shapes]
    return hectares(shapely.intersection(along_geodesics(drawing, PIECES), shapely.union_all(curved)))


def approximately(area: float) -> Any:
    # 20 cm² is the rounding of PROJ, 0.3 cm² for an edge, over some thousand edges of the curved shapes.
    return pytest.approx(area, rel=1e-9, abs=2e-7)


@pytest.mark.parametrize("drawing", [STAR, shapely.box(-74.16, 40.57, -74.15, 40.58)], ids=["star", "square"])
def test_size_and_cost_are_those_that_the_diagram_would_have(project: Project, drawing: Any) -> None:
    preview: Any = project.preview("Water", drawing)
    assert preview["area_ha"] == approximately(hectares(drawing))
    assert preview["rate"] == project.system("Water")["cost"]
    assert preview["cost"] == pytest.approx(preview["rate"] * preview["area_ha"])
    assert (preview["length_km"], preview["faults"]) == (0, [])


@pytest.mark.parametrize("system", [1, 4])
def test_the_land_in_each_class_of_the_evaluation_map_is_that_of_shapely(project: Project, system: int) -> None:
    areas = project.system(system).evaluation().to_geopandas()
    expected = {name: in_common(STAR, own.geometry, PIECES_OF_MAPS) for name, own in areas.groupby("areatype")}
    preview = project.preview(system, STAR)
    assert {part["areatype"]: part["area_ha"] for part in preview["evaluation"]} == {
        name: approximately(area) for name, area in expected.items()
    }
    assert [part["areatype"] for part in preview["evaluation"]] == ["red", "yellow", "green"]


def test_conflicts_are_with_the_projects_of_a_design_each_place_once(project: Project) -> None:
    shapes = project.design(DESIGN, 1).features().to_geopandas()
    projects = shapes[(shapes["areatype"] == "project") & ~shapes.geometry.is_empty]
    areas = {
        diagram: in_common(STAR, own.geometry, PIECES_OF_PROJECTS) for diagram, own in projects.groupby("diagramid")
    }
    preview = project.preview(1, STAR, team=1, design=DESIGN)
    assert {row["diagramid"]: row["area_ha"] for row in preview["conflicts"]} == {
        diagram: approximately(area) for diagram, area in areas.items() if area >= 1e-6
    }
    assert preview["conflicts_ha"] == approximately(in_common(STAR, projects.geometry, PIECES_OF_PROJECTS))
    assert len(preview["conflicts"]) > 2
    policy = project.preview(1, STAR, kind="policy", team=1, design=DESIGN)
    assert (policy["cost"], policy["conflicts_ha"], policy["conflicts"]) == (0, 0, [])


def test_without_a_design_conflicts_are_with_what_the_member_selected(workshop: Workshop) -> None:
    drawn = square(-9.15, 38.72, 0.002)
    pond = workshop.project.add_diagram(WATER, drawn, title="Pond").id
    workshop.project.add_diagram(GREEN, drawn, title="Park")
    workshop.project.member(MEMBER).set_selection([pond])
    (conflict,) = workshop.project_of(MEMBER).preview(GREEN, square(-9.149, 38.72, 0.002))["conflicts"]
    assert (conflict["diagramid"], conflict["sysid"], conflict["description"]) == (pond, WATER, "Pond")
    assert workshop.project.preview(GREEN, drawn)["conflicts"] == []
    # Neighbours only touch.
    assert workshop.project_of(MEMBER).preview(GREEN, square(-9.148, 38.72, 0.002))["conflicts"] == []


def test_the_share_outside_the_study_area_is_that_of_the_area_or_the_length(workshop: Workshop) -> None:
    half = workshop.project.preview(WATER, square(-9.235, 38.72, 0.01))
    assert half["share_outside"] == pytest.approx(0.5)
    leaving = workshop.project.preview(WATER, line([-9.22, 38.72], [-9.24, 38.72]))
    assert leaving["share_outside"] == pytest.approx(0.5)
    assert workshop.project.preview(WATER, square(0, 0, 1))["share_outside"] == 1
    assert workshop.project.preview(WATER, square(-9.2, 38.72, 0.01))["share_outside"] == 0


def test_lines_have_kilometres_also_in_each_class(project: Project) -> None:
    path = shapely.LineString(STAR.exterior.coords)
    preview: Any = project.preview("Transport", path)
    assert preview["area_ha"] == 0
    assert preview["length_km"] == pytest.approx(GEOD.geometry_length(path) / 1_000, rel=1e-9)
    classes = sum(part["length_km"] for part in preview["evaluation"])
    assert 0 < classes <= preview["length_km"] * (1 + 1e-9)
    assert preview["cost"] == pytest.approx(preview["rate"] * preview["length_km"])


BOW_TIE = {"type": "Polygon", "coordinates": [[[-9.2, 38.7], [-9.1, 38.8], [-9.1, 38.7], [-9.2, 38.8], [-9.2, 38.7]]]}
FAULTS: dict[str, tuple[Any, int | None, str]] = {
    "crosses itself": (BOW_TIE, 0, "crosses or touches itself"),
    "no geometry": (collection(feature(square(-9.2, 38.7, 0.01)), feature(None)), 1, "no geometry"),
    "metres": (square(500_000, 4_300_000, 10), 0, "reproject"),
    "lines among polygons": (
        collection(feature(square(-9.2, 38.7, 0.01)), feature(line([-9.2, 38.7], [-9.1, 38.7]))),
        1,
        "with lines or",
    ),
    "land twice": (
        collection(feature(square(-9.2, 38.7, 0.01)), feature(square(-9.195, 38.7, 0.01))),
        1,
        "priced twice",
    ),
    "nothing": (collection(), None, "no features"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told_with_their_feature_and_place(workshop: Workshop, fault: str) -> None:
    geometry, index, reason = FAULTS[fault]
    preview = workshop.project.preview(WATER, geometry)
    (found,) = preview["faults"]
    assert found["feature"] == index
    assert reason in found["reason"]
    assert (preview["area_ha"], preview["cost"], preview["evaluation"], preview["conflicts"]) == (None, None, [], [])
    if fault == "crosses itself":
        assert found["position"] == pytest.approx([-9.15, 38.75])
        with pytest.raises(InputError, match="crosses or touches itself"):
            workshop.project.add_diagram(WATER, geometry, title="Knot")


def test_a_preview_writes_nothing_and_is_for_members(workshop: Workshop) -> None:
    body = {"geometry": collection(feature(square(-9.2, 38.7, 0.01)))}
    before = workshop.project.change_id()
    assert workshop.send("POST", f"systems/{WATER}/preview/", body, user=MEMBER).status_code == 200
    assert workshop.send("POST", f"systems/{WATER}/preview/", body, user=STRANGER).status_code == 404
    assert workshop.send("POST", "systems/77/preview/", body, user=ADMINISTRATOR).status_code == 404
    assert workshop.project.change_id() == before
    assert workshop.project.diagrams(fields="summary") == []
    with pytest.raises(NotFoundError):
        workshop.project.preview(WATER, square(-9.2, 38.7, 0.01), team=7, design="aaaaaaaaaaaaaaaa")
    with pytest.raises(InputError, match='no team "Youth"'):
        workshop.project.preview(WATER, square(-9.2, 38.7, 0.01), team="Youth")


def test_previews_are_limited_in_size() -> None:
    with running_workshop(limits={"preview_vertices": 12}) as workshop:
        path = f"systems/{WATER}/preview/"
        wide = {"geometry": collection(*[feature(square(-9.2 + 0.01 * at, 38.7, 0.005)) for at in range(3)])}
        large = workshop.send("POST", path, wide)
        assert large.status_code == 400
        assert "15 vertices; the limit preview_vertices is 12" in large.json()["detail"]


def test_an_awaited_preview_is_the_same(sandbox: Sandbox, project: Project) -> None:
    async def preview() -> Any:
        async with sandbox.async_client() as client:
            return await client.project(project.id).preview(1, STAR)

    assert asyncio.run(preview()) == project.preview(1, STAR)
