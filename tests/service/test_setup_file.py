"""A setup file creates projects with their study area; applied again, it changes nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas
import pytest
import shapely

from builders import collection, feature, square
from commands import output_of, run
from database import snapshot
from pygeodesign import Client, Sandbox
from serving import error_output, running_service

pytestmark = pytest.mark.unix

AREA = collection(feature(square(-9.2, 38.7, 0.1), name="Alfama"))
SYSTEMS = [
    {"name": "Water", "tag": "WAT", "color": "#2B7BBA", "description": "Rain", "cost": 12.5, "budget": 5e6},
    {
        "name": "Green",
        "color": "#3B8F4E",
        "target_ha": 60,
        "evaluation": collection(feature(square(-9.2, 38.7, 0.1), areatype="red")),
    },
]
PROJECT: dict[str, Any] = {
    "title": "Lisbon",
    "description": "By the river",
    "boundaries": {"file": "area.geojson", "description": "Parishes"},
    "constraints": {"geojson": AREA},
    "systems": SYSTEMS,
    "tags": [{"tag": "Quick win", "code": "QW"}],
    "administrators": ["ana"],
    "members": ["ana", "ben"],
    "teams": [{"title": "Planners", "members": ["ben"], "designs": [{"description": "Empty", "diagrams": []}]}],
}


@pytest.fixture
def write_setup(tmp_path: Path) -> Callable[..., Path]:
    """Writes a setup file with one new project, and the file of its boundaries next to it."""

    def write(**changes: Any) -> Path:
        (tmp_path / "area.geojson").write_text(json.dumps(AREA), encoding="utf-8")
        path = tmp_path / "workshop.json"
        project = {key: value for key, value in (PROJECT | changes).items() if value is not None}
        path.write_text(json.dumps({"new_projects": [project]}), encoding="utf-8")
        return path

    return write


def test_a_new_project_has_what_the_setup_file_says(write_setup: Callable[..., Path]) -> None:
    with running_service("--project", "none", "--setup", write_setup()) as service:
        assert list(service.projects.values()) == ["Lisbon"]
        project = Client(service.tokens["ana"], service.urls[0]).project(next(iter(service.projects)))
        assert project.info()["projectdesc"] == "By the river"
        assert project.study_area.bounds() == pytest.approx((-9.2, 38.7, -9.1, 38.8))
        assert project.study_area.boundaries()["features"][0]["properties"]["bname"] == "Alfama"
        assert project.study_area.boundaries().metadata["description"] == "Parishes"
        assert len(project.study_area.constraints()) == 1
        water, green = (project.system(system["id"]) for system in project.systems())
        assert (water["name"], water["verbose_description"], water["cost"], water["budget"]) == (
            "Water",
            "Rain",
            12.5,
            5e6,
        )
        assert (green["target_ha"], len(project.system(green["id"]).evaluation())) == (60, 1)
        assert [tag["code"] for tag in project.tags()] == ["QW"]
        assert [member["username"] for member in project.members()] == ["ana", "ben"]
        (team,) = project.teams()
        assert (team["title"], project.team(team["id"]).members()) == ("Planners", ["ben"])
        # Ana is an administrator.
        assert {entry["username"] for entry in project.history()} == {None}


@pytest.mark.parametrize("name", ["area.gpkg", "area.geojson"])
def test_maps_are_read_as_files_to_upload_are(name: str, write_setup: Callable[..., Path], tmp_path: Path) -> None:
    """Any of the formats and any CRS works."""
    path = write_setup(boundaries={"file": name})
    area = geopandas.GeoDataFrame.from_features(AREA, crs=4326).to_crs(3763)
    area.to_file(tmp_path / name)
    with running_service("--project", "none", "--setup", path) as service:
        project = Client(service.tokens["ana"], service.urls[0]).project(next(iter(service.projects)))
        assert project.study_area.boundaries().bounds == pytest.approx((-9.2, 38.7, -9.1, 38.8), abs=1e-6)
        assert project.study_area.boundaries()["features"][0]["properties"]["bname"] == "Alfama"


TRACKS = [[-9.2, 38.7], [-9.1, 38.75]]


def context_of(path: Path) -> list[dict[str, Any]]:
    """The context of the only project of a service with this setup file, without geometries."""
    with running_service("--project", "none", "--setup", path) as service:
        project = Client(service.tokens["ana"], service.urls[0]).project(next(iter(service.projects)))
        return [row["properties"] for row in project.study_area.context()]


def test_a_context_is_made_of_files_features_and_places(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    """Columns other than the kind and the name of each feature are left out."""
    streets = {"REF": [7, None], "lanes": [2, 4]}
    tracks = shapely.LineString(TRACKS)
    roads = geopandas.GeoDataFrame(streets, geometry=[tracks, tracks], crs=4326).to_crs(3763)
    roads.to_file(tmp_path / "roads.gpkg")
    land = {"kind": ["park", None], "name": ["Monsanto", None]}
    square_of_land = shapely.box(-9.2, 38.7, -9.1, 38.8)
    geopandas.GeoDataFrame(land, geometry=[square_of_land] * 2, crs=4326).to_file(tmp_path / "land.geojson")
    rail = collection(feature({"type": "LineString", "coordinates": TRACKS}, kind="rail"))
    context = [{"file": "roads.gpkg", "kind": "road", "name": "REF"}, {"file": "land.geojson"}, rail]
    assert context_of(write_setup(context=context, places={"Alfama": [-9.13, 38.712]})) == [
        {"kind": "road", "name": "7"},
        {"kind": "road"},
        {"kind": "park", "name": "Monsanto"},
        {"kind": "district"},
        {"kind": "rail"},
        {"kind": "place", "name": "Alfama"},
    ]


def test_places_may_be_a_file_and_the_context_one_file(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    towns = geopandas.GeoDataFrame(
        {"town": ["Alfama", "Belém"]}, geometry=geopandas.points_from_xy([-9.13, -9.2], [38.7] * 2)
    )
    towns.set_crs(4326).to_file(tmp_path / "towns.gpkg")
    places = {"file": "towns.gpkg", "name": "town"}
    path = write_setup(context={"file": "area.geojson", "kind": "water"}, places=places)
    named = [{"kind": "place", "name": "Alfama"}, {"kind": "place", "name": "Belém"}]
    assert context_of(path) == [{"kind": "water", "name": "Alfama"}, *named]


def test_places_may_be_a_table_with_longitude_and_latitude(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("town;lon;lat\nAlfama;-9,13;38,7\n", encoding="utf-8")
    path = write_setup(context=None, places={"file": "towns.csv", "name": "town"})
    assert context_of(path) == [{"kind": "place", "name": "Alfama"}]
    (tmp_path / "towns.csv").write_text("town;lon;lat\nAlfama;-9,13;\n", encoding="utf-8")
    told = error_output("--project", "none", "--setup", path)
    assert "towns.csv: row 0: 'lat': it is empty" in told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"context": [{"file": "area.geojson", "kind": "river"}]},
            'area.geojson: feature 0 has the unknown kind "river"; use one of',
        ),
        (
            {"context": {"file": "area.geojson", "name": "label"}},
            'feature 1 has no column "label"; its columns are: name',
        ),
        ({"context": {"kind": "road"}}, "a context is a FeatureCollection, or has file"),
        ({"context": "roads.gpkg"}, "expected a FeatureCollection, a file, or a list of them"),
        ({"context": collection(feature(square(0, 0, 1), kind="river"))}, 'feature 0 has the unknown kind "river"'),
        ({"places": {"Alfama": [-9.13, 98.7]}}, "beyond"),
        ({"places": {"file": "area.geojson", "Alfama": [-9.13, 38.7]}}, "places are names with [longitude, latitude]"),
    ],
)
def test_a_context_that_cannot_be_used_is_refused(
    changes: dict[str, Any], told: str, write_setup: Callable[..., Path]
) -> None:
    assert told in error_output("--setup", write_setup(**changes))


EVALUATED = {"name": "Water", "color": "#2B7BBA"}


@pytest.mark.parametrize(
    "classes",
    [
        ["red", "Yellow", "green", "green2", "green3"],
        [1, 2, 3, 4, 5],
        [1.0, 2.0, 3.0, 4.0, 5.0],
        ["existing", "Not appropriate", "capable", "suitable", "FEASIBLE"],
        ["Bestand", "Pas approprié", "possibile", "Adequado", "قابل للتنفيذ"],
    ],
    ids=str,
)
def test_an_evaluation_map_may_be_a_file_with_a_column_for_its_classes(
    classes: list[str | float], write_setup: Callable[..., Path], tmp_path: Path
) -> None:
    areas = [square(-9.2 + 0.01 * place, 38.7, 0.01) for place in range(5)]
    features = [feature(area, suits=suits) for area, suits in zip(areas, classes, strict=True)]
    frame = geopandas.GeoDataFrame.from_features(collection(*features), crs=4326)
    frame.to_crs(3763).to_file(tmp_path / "water.gpkg")
    path = write_setup(systems=[EVALUATED | {"evaluation": {"file": "water.gpkg", "column": "suits"}}])
    with running_service("--project", "none", "--setup", path) as service:
        project = Client(service.tokens["ana"], service.urls[0]).project(next(iter(service.projects)))
        stored = project.system("Water").evaluation()["features"]
    assert [area["properties"]["areatype"] for area in stored] == ["red", "yellow", "green", "green2", "green3"]


@pytest.mark.slow
def test_a_map_leads_nowhere_and_is_not_waited_for(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    path = write_setup(boundaries={"file": "map.geojson"})
    source = f"<SrcDataSource>{tmp_path / 'area.geojson'}</SrcDataSource>"
    recipe = f'<OGRVRTDataSource><OGRVRTLayer name="area">{source}</OGRVRTLayer></OGRVRTDataSource>'
    (tmp_path / "map.geojson").write_text(recipe)
    assert "map.geojson cannot be read as a file with geometries" in error_output("--project", "none", "--setup", path)
    (tmp_path / "map.geojson").write_text('{"type": "FeatureCollection", "names": [' + "[]," * 10_000_000 + "[]]}")
    assert "has about 20000004 values and positions" in error_output("--project", "none", "--setup", path)
    if os.name == "posix":
        (tmp_path / "map.geojson").unlink()
        os.mkfifo(tmp_path / "map.geojson")
        assert "is a folder, a pipe or a device" in error_output("--project", "none", "--setup", path)


def test_a_setup_file_that_is_applied_again_changes_nothing(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    arguments = ("--db", tmp_path / "w.sqlite", "--project", "none", "--setup", write_setup())
    contents = []
    for _ in range(2):
        with running_service(*arguments):
            contents.append(snapshot(tmp_path / "w.sqlite"))
    assert contents[0] == contents[1]


def test_who_was_removed_stays_so_when_the_file_is_applied_again(
    write_setup: Callable[..., Path], tmp_path: Path
) -> None:
    path, setup = tmp_path / "w.sqlite", write_setup()
    arguments = ("--db", path, "--project", "none", "--setup", setup, "--member", "ben", "--member", "cleo")
    with running_service(*arguments):
        pass
    output_of(tmp_path, "users", "--db", path, "--remove", "ben")
    with running_service(*arguments) as service:
        assert set(service.tokens) == {"ana", "cleo"}
        project = Client(service.tokens["ana"], service.urls[0]).project(next(iter(service.projects)))
        assert project.team(project.teams()[0]["id"]).members() == []
        # Adding a user by name brings the user back.
        output_of(tmp_path, "users", "--db", path, "--add", "ben")
        ended = run(tmp_path, "import-project", setup.name, "--db", path)
        assert ended.messages == ""
        assert project.team(project.teams()[0]["id"]).members() == ["ben"]
        output_of(tmp_path, "users", "--db", path, "--remove", "ben")
        assert "not added again: ben" in run(tmp_path, "import-project", setup.name, "--db", path).messages


def test_who_left_a_project_is_not_made_a_member_again(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    path, setup = tmp_path / "w.sqlite", write_setup()
    with Sandbox(path, project=None) as sandbox:
        output_of(tmp_path, "import-project", setup.name, "--db", path)
        project = sandbox.project(username="ana")
        project.member("ben").remove()
        output_of(tmp_path, "import-project", setup.name, "--db", path)
        members = [member["username"] for member in project.members()]
        assert members == ["ana"] and "ben" in sandbox.usernames
        project.add_member("ben")
        output_of(tmp_path, "import-project", setup.name, "--db", path)
        assert len(project.members()) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"boundaries": {"file": "missing.geojson"}}, "missing.geojson cannot be read"),
        ({"boundaries": {"file": "workshop.json"}}, "workshop.json is not GeoJSON: it has neither a type nor features"),
        ({"boundaries": {"description": "Nothing"}}, "a map has either geojson"),
        ({"boundaries": None}, "needs boundaries"),
        ({"systems": SYSTEMS * 7}, "14 systems are too many; a project can have at most 12"),
        ({"systems": [EVALUATED | {"evaluation": {"file": "missing.gpkg"}}]}, "an evaluation map is either"),
        ({"systems": [EVALUATED | {"evaluation": {"file": "area.geojson", "column": "name"}}]}, "which is not a class"),
        ({"systems": [{"name": "Water", "color": "blue"}]}, "color"),
        ({"title": ""}, "title"),
    ],
    ids=str,
)
def test_an_invalid_new_project_is_refused_and_creates_nothing(
    changes: dict[str, Any], message: str, write_setup: Callable[..., Path], tmp_path: Path
) -> None:
    path = tmp_path / "w.sqlite"
    assert message in error_output("--db", path, "--project", "none", "--setup", write_setup(**changes))
    assert not path.exists() or snapshot(path)["projects"] == []


def test_bounds_can_be_given_without_boundaries(write_setup: Callable[..., Path]) -> None:
    setup = write_setup(boundaries=None, bounds="-9.23,38.69,-9.09,38.8")
    with running_service("--project", "none", "--setup", setup) as service:
        project = Client(service.tokens["ana"], service.urls[0]).project(next(iter(service.projects)))
        assert project.study_area.bounds() == (-9.23, 38.69, -9.09, 38.8)


def test_members_and_administrators_get_an_account_where_there_is_no_project() -> None:
    with running_service("--project", "none", "--member", "ben", "--administrator", "ana") as service:
        assert set(service.tokens) == {"ana", "ben"}


def named(count: int) -> list[str]:
    return [f"{number}{'x' * 60}" for number in range(count)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"members": named(15_000), "administrators": named(15_000)},
            "it has 30001 people; a setup file may have at most 20000",
        ),
        (
            {"teams": [{"title": title} for title in named(1001)]},
            "it has 1001 teams; a setup file may have at most 1000",
        ),
        (
            {"tags": [{"tag": name, "code": name} for name in named(50_001)]},
            "it has 50001 tags, codes, ids and settings",
        ),
    ],
    ids=["people", "teams", "tags"],
)
def test_a_setup_file_has_no_more_than_can_be_applied_at_once(
    changes: dict[str, Any], told: str, write_setup: Callable[..., Path]
) -> None:
    assert told in error_output("--setup", write_setup(**changes))


def test_all_maps_of_a_setup_file_together_have_a_limit(write_setup: Callable[..., Path], tmp_path: Path) -> None:
    """A file is read each time that it is named."""
    with (tmp_path / "large.geojson").open("wb") as file:
        file.truncate(100 << 20)
    maps = {role: {"file": "large.geojson"} for role in ("boundaries", "second_boundaries", "constraints")}
    told = error_output("--setup", write_setup(**maps))
    assert "it has 314572800 bytes in maps; a setup file may have at most 268435456" in told
