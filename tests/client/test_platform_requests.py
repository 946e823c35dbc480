"""Requests of programs for the public platform, header by header, and their reading of the responses."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import shapely

import pygeodesign
from pygeodesign import FeatureCollection, Sandbox
from small_project import ADMINISTRATOR, GREEN, LINKED_PROJECT, SHADOWS, WATER, Workshop
from wire import Wire

# They send it with every request, also where there is no body.
CONTENT_TYPE = {"Content-Type": "application/json; charset=utf-8"}


@pytest.fixture(scope="module")
def platform() -> Iterator[Wire]:
    """The demo project for programs that take each list for the complete one."""
    with Sandbox(paging="off") as sandbox:
        wire = Wire(sandbox)
        wire.headers |= CONTENT_TYPE
        yield wire


@pytest.fixture(scope="module")
def designs(platform: Wire) -> list[str]:
    """The paths of all designs of all teams, found as the programs find them."""
    teams = platform.json("cteams/")
    return [
        f"cteams/{team['id']}/{design['id']}/"
        for team in teams
        for design in platform.json(f"cteams/{team['id']}/")["synthesis"]
    ]


def send(workshop: Workshop, path: str, body: Any) -> Any:
    headers = {"Authorization": f"Token {workshop.sandbox.token(ADMINISTRATOR)}"} | CONTENT_TYPE
    answer = requests.post(workshop.sandbox.url + path, data=json.dumps(body), headers=headers, timeout=20)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def send_below(workshop: Workshop, path: str, body: Any) -> Any:
    return send(workshop, f"projects/{workshop.id}/{path}", body)


# The client in Python

READS = [
    "",
    "systems/",
    "systems/1/",
    "center/",
    "bounds/",
    "constraints/",
    "boundaries/",
    "secondboundaries/",
    "negotiation_logs/",
    "tags/",
    "plugins/",
    "cteams/",
    "cteams/1/",
    "cteams/1/members/",
    "diagrams/",
    "diagrams/all/",
    "diagrams/1001/",
    "diagrams/1001/changeid/",
]
READS_OF_A_DESIGN = ["", "details/", "esri/", "diagrams/", "timeline/", "systems/1/projects/"]


@pytest.mark.parametrize("path", READS)
def test_a_read_needs_no_query_and_may_name_a_content_type(path: str, platform: Wire) -> None:
    answer = platform.request("GET", platform.project + path)
    assert answer.status_code == 200
    assert answer.json()


@pytest.mark.parametrize("path", READS_OF_A_DESIGN)
def test_a_read_of_a_design_needs_no_query(path: str, designs: list[str], platform: Wire) -> None:
    assert platform.json(designs[0] + path)


POLYGON = {"type": "Polygon", "coordinates": [[[-9.2, 38.7], [-9.1, 38.7], [-9.1, 38.8], [-9.2, 38.7]]]}
LINE = {"type": "LineString", "coordinates": [[-9.2, 38.7], [-9.1, 38.8]]}


def collection(geometry: Any, **properties: Any) -> Any:
    feature = {"type": "Feature", "properties": properties, "geometry": geometry}
    return {"type": "FeatureCollection", "features": [feature]}


def drawn(geometry: Any, feature_type: str, **fields: Any) -> Any:
    return {"geometry": collection(geometry), "description": "Drawn", "featuretype": feature_type} | fields


def external(feature_type: str, **fields: Any) -> Any:
    return {
        "url": "https://data.example.org/parks.fgb",
        "description": "Parks",
        "layer_type": "fgb-layer",
        "featuretype": feature_type,
        "fundingtype": "pu",
        "cost": 0,
        "cost_type": "t",
        "additional_metadata": {},
    } | fields


@pytest.mark.parametrize("kind", ["project", "policy"])
@pytest.mark.parametrize(("feature_type", "geometry"), [("polygon", POLYGON), ("polyline", LINE), ("linestring", LINE)])
def test_a_drawn_diagram_is_added_by_the_path_of_its_kind(
    kind: str, feature_type: str, geometry: Any, workshop: Workshop
) -> None:
    added = send_below(workshop, f"systems/{WATER}/add/{kind}/", drawn(geometry, feature_type, fundingtype="pu"))
    assert workshop.details_of(int(added["diagram_id"]))["type"] == kind


@pytest.mark.parametrize(
    ("code", "funding"), [("pu", "public"), ("pp", "public_private"), ("pr", "private"), ("bu", "budgeted")]
)
def test_a_funding_is_sent_as_its_code(code: str, funding: str, workshop: Workshop) -> None:
    added = send_below(workshop, f"systems/{WATER}/add/project/", drawn(POLYGON, "polygon", fundingtype=code))
    assert workshop.details_of(added["diagram_id"])["fundingtype"] == funding


@pytest.mark.parametrize("layer_type", ["fgb-layer", "pmtiles-layer", "esri-org-featurelayer"])
def test_an_external_diagram_may_be_of_any_kind_of_layer(layer_type: str, workshop: Workshop) -> None:
    body = external("polygon", layer_type=layer_type, additional_metadata={"agol_item_id": "3f5a"})
    added = send_below(workshop, f"systems/{WATER}/add/external/policy/", body)
    detail = workshop.details_of(added["diagram_id"])
    assert (detail["description"], detail["type"]) == ("Parks", "policy")
    assert detail["additional_metadata"]["agol_item_id"] == "3f5a"


@pytest.mark.parametrize("user", ["", f"{ADMINISTRATOR}/"])
def test_an_evaluation_map_is_set_with_and_without_a_user_in_the_path(user: str, workshop: Workshop) -> None:
    send_below(workshop, f"systems/{GREEN}/e/map/json/{user}", collection(POLYGON, areatype="red"))
    (area,) = workshop.project.system(GREEN).evaluation()
    assert area["properties"]["areatype"] == "red"


@pytest.mark.parametrize("user", ["", f"{ADMINISTRATOR}/"])
def test_an_impact_map_is_set_with_and_without_a_user_in_the_path(user: str, workshop: Workshop) -> None:
    send_below(workshop, f"systems/{GREEN}/i/map/json/{user}", collection(POLYGON))
    assert len(workshop.project.system(GREEN).impact()) == 1


def test_diagrams_are_grouped_at_the_path_in_the_plural(workshop: Workshop) -> None:
    added = send_below(workshop, f"systems/{WATER}/add/project/", drawn(POLYGON, "polygon", fundingtype="pu"))
    groups = [{"group_name": "Harbour", "diagrams": [int(added["diagram_id"])]}]
    send_below(workshop, "diagrams/groups/", {"diagram_groups": groups})
    assert workshop.project.diagram_groups() == [{"group_name": "Harbour", "diagrams": [int(added["diagram_id"])]}]


def test_tags_are_added_at_the_path_that_lists_them(workshop: Workshop) -> None:
    send_below(workshop, "tags/", {"tags": [{"tag": "Harbour", "code": "HB"}]})
    assert "HB" in [tag["code"] for tag in workshop.project.tags()]


def test_the_plugins_of_a_project_are_replaced(workshop: Workshop) -> None:
    send_below(workshop, "plugins/", [SHADOWS])
    assert [row["id"] for row in workshop.project.workshop.plugins()] == [SHADOWS]


NEW_PROJECT = {
    "project_title": "Porto",
    "project_description": "The river front",
    "map_bounds": "-8.7,41.1,-8.5,41.2",
    "map_center": "-8.6,41.15",
    "zoom_level": 12,
    "systems": [{"name": "Water", "tag": "WAT", "verbose_description": "Rain", "color": "#2B7BBA", "cost": 125000}],
    "tags": [{"tag": "Coast", "code": "CO"}],
    "plugins": [],
}


@pytest.mark.parametrize(
    ("path", "permit"),
    [("create", {"creation_code": "FADO"}), ("create-igc-project", {"gpl_project_id": LINKED_PROJECT})],
)
def test_a_project_is_created(path: str, permit: dict[str, str], workshop: Workshop) -> None:
    assert send(workshop, f"projects/{path}/", NEW_PROJECT | permit)["message"]
    created = workshop.client().latest_project()
    assert created and created["projecttitle"] == "Porto"


# The dashboard

ALL_DIAGRAMS = 180


def test_the_grid_has_every_diagram_in_the_column_of_its_system(platform: Wire) -> None:
    columns = {system["id"] for system in platform.json("systems/")}
    diagrams = platform.json("diagrams/")
    assert len(diagrams) == ALL_DIAGRAMS
    for diagram in diagrams:
        assert diagram["sysid"] in columns
        assert isinstance(diagram["rank"], int) and isinstance(diagram["id"], int)
        assert diagram["worlddescription"] and diagram["author"]


def test_the_table_has_every_diagram_with_its_notes(platform: Wire) -> None:
    names = {system["id"]: system["name"] for system in platform.json("systems/")}
    diagrams = platform.json("diagrams/all/details/")
    assert len(diagrams) == ALL_DIAGRAMS
    for diagram in diagrams:
        assert names[diagram["sysid"]] and diagram["description"]
        assert diagram["type"] in ("project", "policy")
        assert isinstance(diagram["rank"], int) and isinstance(diagram["notes"], str)


# Ids for the dashboard: UUIDs of the versions in RFC 4122.
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.mark.parametrize("path", ["all/generate_thumbnails/", "1001/generate_thumbnail/"])
def test_the_job_of_a_thumbnail_is_a_uuid_of_version_1_to_5(path: str, platform: Wire) -> None:
    paths = platform.json(f"diagrams/{path}")["results_url"]
    for result in [paths] if isinstance(paths, str) else paths:
        assert UUID.fullmatch(result.split("/")[-2]), result


# The archiver


def test_each_design_has_the_id_of_its_team_and_a_list_of_its_diagrams(platform: Wire) -> None:
    known = {diagram["id"] for diagram in platform.json("diagrams/all/")}
    teams = [platform.json(f"cteams/{team['id']}/") for team in platform.json("cteams/")]
    designs = [design for team in teams for design in team["synthesis"]]
    assert len(designs) > len(teams)
    for design in designs:
        assert len(design["id"]) == 16 and design["description"]
        path = f"cteams/{int(design['cteamid'])}/{design['id']}/diagrams/"
        assert set(platform.json(path)["diagrams"]) <= known


def test_the_negotiations_list_their_moves(platform: Wire) -> None:
    sessions = platform.json("negotiation_logs/")["all_negotiations"]
    moves = [move for session in sessions for move in session["moves"]]
    assert all(session["session_id"] for session in sessions)
    assert moves and all(move["diagram"] and move["move"] and move["timestamp"] for move in moves)


# The data downloader and the bridge

DESIGN_PROPERTIES = {
    "diagramid": int,
    "author": str,
    "description": str,
    "sysname": str,
    "areatype": str,
    "color": str,
    "tag_codes": str,
    "notes": str,
    "start_date": str,
    "end_date": str,
    "grid_location": str,
}


def test_a_design_has_the_properties_of_its_diagrams_in_their_types(designs: list[str], platform: Wire) -> None:
    for design in designs:
        for feature in platform.json(design)["features"]:
            types = {name: type(feature["properties"][name]) for name in DESIGN_PROPERTIES}
            assert types == DESIGN_PROPERTIES
            assert len(bytes.fromhex(feature["properties"]["color"].removeprefix("#"))) == 3


def test_a_tag_has_its_fields_in_their_types(platform: Wire) -> None:
    for tag in platform.json("tags/"):
        assert {name: type(value) for name, value in tag.items()} == {
            "id": str,
            "tag": str,
            "slug": str,
            "code": str,
            "diagrams": list,
        }
        assert all(isinstance(diagram, int) for diagram in tag["diagrams"])


def test_bounds_and_center_are_text(platform: Wire) -> None:
    west, south, east, north = map(float, platform.json("bounds/")["bounds"].split(","))
    longitude, latitude = map(float, platform.json("center/")["center"].split(","))
    assert west < longitude < east
    assert south < latitude < north


def test_an_imported_feature_gets_its_tags_and_dates(workshop: Workshop) -> None:
    """Does the same as the bridge in the browser: attributes in the feature, then an update."""
    body = {
        "featuretype": "polygon",
        "fundingtype": "pu",
        "description": "Bank",
        "geometry": collection(POLYGON, name="Bank", system="Water"),
    }
    diagram = send_below(workshop, f"systems/{WATER}/add/policy/", body)["diagram_id"]
    update = {
        "additional_metadata": {"globalid": ""},
        "tag_codes": ["QW", "CO"],
        "title": "River bank",
        "start_date": "2030-01-01T00:00:00.000Z",
        "end_date": "2040-01-01T00:00:00.000Z",
    }
    send_below(workshop, f"diagrams/{diagram}/", update)
    detail = workshop.details_of(diagram)
    assert detail["description"] == "River bank"
    assert set(detail["tag_codes"].split("|")) == {"QW", "CO"}
    assert (detail["start_date"], detail["end_date"]) == ("2030-01-01", "2040-01-01")
    assert detail["additional_metadata"] == {"globalid": ""}


# The manager of climate actions


def test_actions_that_are_chosen_replace_the_tags_of_a_diagram(workshop: Workshop) -> None:
    added = send_below(workshop, f"systems/{WATER}/add/project/", drawn(POLYGON, "polygon", fundingtype="pu"))
    diagram = int(added["diagram_id"])
    tags = {tag["code"]: tag["id"] for tag in workshop.send("GET", "tags/").json()}
    for code in ("QW", "CO"):
        send_below(workshop, f"diagrams/{diagram}/tags/", [tags[code]])
        assert workshop.details_of(diagram)["tag_codes"].split("|") == [code]
        tagged = [tag["code"] for tag in workshop.send("GET", "tags/").json() if diagram in tag["diagrams"]]
        assert tagged == [code]


# The analyses of investment and cash flow


def test_the_timeline_of_a_design_has_each_of_its_diagrams(designs: list[str], platform: Wire) -> None:
    timeline = platform.json(f"{designs[0]}timeline/")["timeline"]
    assert {int(diagram) for diagram in timeline} == set(platform.json(f"{designs[0]}diagrams/")["diagrams"])
    assert all(period["start"] <= period["end"] for period in timeline.values())


@pytest.mark.parametrize("board", ["1", "4fd1e2ab", "Board of all teams"])
def test_the_timeline_of_a_board_has_the_years_of_the_diagrams(board: str, designs: list[str], platform: Wire) -> None:
    """The analysis of cash flow asks for it on each of its pages and looks up the diagrams of a design."""
    rows = platform.json(f"boards/{board}/timeline/")["timeline_data"]
    years = {row["id"]: (int(row["start"][:4]), int(row["end"][:4])) for row in rows}
    assert years.keys() >= set(platform.json(f"{designs[0]}diagrams/")["diagrams"])
    assert all(2000 < start <= end for start, end in years.values())


def test_a_project_has_a_start_date_and_a_type(platform: Wire) -> None:
    project = platform.json("")
    assert int(project["startdate"][:4]) > 2000
    assert project["projecttype"]


def test_each_boundary_has_its_name(platform: Wire) -> None:
    features = platform.json("boundaries/")["geojson"]["features"]
    assert features and all(feature["properties"]["bname"] for feature in features)


def test_the_features_of_a_design_have_a_funding_and_a_cost_override(designs: list[str], platform: Wire) -> None:
    for feature in platform.json(designs[0])["features"]:
        properties = feature["properties"]
        assert properties["fundingtype"] in ("public", "public_private", "private", "budgeted")
        assert properties["cost_override"] >= 0
        assert isinstance(properties["cost_override_type"], str)
        assert properties["systag"]


def test_the_job_of_the_first_thumbnail_is_that_of_all(platform: Wire) -> None:
    """The dashboard takes it from the first path and asks for every thumbnail with it."""
    paths = platform.json("diagrams/all/generate_thumbnails/")["results_url"]
    assert len(paths) == ALL_DIAGRAMS
    job = paths[0].split("/")[-2]
    for diagram in (1001, 1002, 1180):
        image = platform.request("GET", f"{platform.project}diagrams/{diagram}/thumbnail/{job}/")
        assert (image.status_code, image.headers["content-type"]) == (200, "image/png")


def test_every_feature_of_a_design_has_a_type_of_geometry(designs: list[str], platform: Wire) -> None:
    """The downloader and the bridge read it without a look."""
    types = {feature["geometry"]["type"] for design in designs for feature in platform.json(design)["features"]}
    # An external diagram has no geometry, and an empty collection stands for it.
    assert types <= {"Polygon", "MultiPolygon", "LineString", "MultiLineString", "GeometryCollection"}


def test_every_feature_in_feature_json_has_rings_or_paths(designs: list[str], platform: Wire) -> None:
    for design in designs:
        for feature in platform.json(f"{design}esri/"):
            geometry = feature["geometry"]
            assert geometry["spatialReference"]["wkid"] == 4326
            assert len(geometry.keys() & {"rings", "paths"}) == 1


def test_a_system_has_its_figures_in_whole_numbers(platform: Wire) -> None:
    """The bridge refuses a cost or a budget that is written with a fraction."""
    for listed in platform.json("systems/"):
        system = platform.json(f"systems/{listed['id']}/")
        assert {type(system["cost"]), type(system["budget"])} == {int}


def test_a_system_has_its_name_and_color_with_prefix_too(platform: Wire) -> None:
    """The bridge, the dashboard and the archiver read `name`, the analysis of investment `sysname` and `syscolor`."""
    for listed in platform.json("systems/"):
        system = platform.json(f"systems/{listed['id']}/")
        assert system["sysname"] == listed["sysname"] == system["name"] == listed["name"]
        assert system["syscolor"] == listed["syscolor"] == system["color"] == listed["color"]


def test_the_diagrams_of_a_design_name_it(designs: list[str], platform: Wire) -> None:
    """The archiver writes the answer into a table of all designs."""
    for design in designs:
        assert platform.json(f"{design}diagrams/")["synthesisid"] == design.split("/")[-2]


@pytest.mark.parametrize("code", ["o", "b", "u"])
def test_a_funding_code_of_other_programs_is_taken(code: str, workshop: Workshop) -> None:
    added = send_below(workshop, f"systems/{WATER}/add/project/", drawn(POLYGON, "polygon", fundingtype=code))
    assert workshop.details_of(added["diagram_id"])["fundingtype"] == code
    send_below(workshop, f"systems/{WATER}/add/external/project/", external("polygon", fundingtype=code))


def test_a_funding_that_is_not_sent_is_public(workshop: Workshop) -> None:
    """The bridge in the browser sends none."""
    added = send_below(workshop, f"systems/{WATER}/add/policy/", drawn(POLYGON, "polygon"))
    assert workshop.details_of(added["diagram_id"])["fundingtype"] == "public"


@pytest.mark.parametrize(
    ("feature_type", "geometry"),
    [
        ("multipolygon", {"type": "MultiPolygon", "coordinates": [POLYGON["coordinates"]]}),
        ("multilinestring", {"type": "MultiLineString", "coordinates": [LINE["coordinates"]]}),
        ("point", {"type": "Point", "coordinates": [-9.15, 38.75]}),
        ("multipoint", {"type": "MultiPoint", "coordinates": [[-9.15, 38.75], [-9.14, 38.75]]}),
    ],
)
def test_a_feature_type_may_be_the_type_of_the_geometry(feature_type: str, geometry: Any, workshop: Workshop) -> None:
    """The bridge in the browser sends the type of the GeoJSON geometry in small letters."""
    added = send_below(workshop, f"systems/{WATER}/add/project/", drawn(geometry, feature_type, fundingtype="pu"))
    (feature,) = workshop.project.diagram(added["diagram_id"]).features()
    assert feature["geometry"]["type"].lower() == feature_type


@pytest.mark.parametrize("path", ["systems/", "systems/1/add/project/"])
def test_a_page_of_another_origin_may_send_requests(path: str, platform: Wire) -> None:
    asked = {
        "Origin": "https://bridge.example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    answer = platform.request("OPTIONS", platform.project + path, headers=asked)
    assert answer.ok
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()


# Parts of geometries

EAST = {"type": "Polygon", "coordinates": [[[-9.1, 38.7], [-9.0, 38.7], [-9.0, 38.8], [-9.1, 38.7]]]}
TWO_AREAS = {"type": "MultiPolygon", "coordinates": [POLYGON["coordinates"], EAST["coordinates"]]}
TWO_LINES = {"type": "MultiLineString", "coordinates": [LINE["coordinates"], [[-9.2, 38.75], [-9.15, 38.75]]]}


@dataclass(frozen=True)
class InParts:
    """A workshop with a design of a polygon in two parts and a line in two parts."""

    workshop: Workshop
    diagrams: list[int]
    team: int
    design: str

    @property
    def path(self) -> str:
        return f"cteams/{self.team}/{self.design}/"


@pytest.fixture
def in_parts(workshop: Workshop) -> InParts:
    bodies = [drawn(TWO_AREAS, "polygon", fundingtype="pu"), drawn(TWO_LINES, "line", fundingtype="pu")]
    added = [send_below(workshop, f"systems/{WATER}/add/project/", body) for body in bodies]
    assert all("same land" not in answer["status"] for answer in added)
    diagrams = [int(answer["diagram_id"]) for answer in added]
    team = workshop.project.add_team("Team")["id"]
    return InParts(workshop, diagrams, team, workshop.project.team(team).save("Design", diagrams)["id"])


@pytest.mark.parametrize("below", ["", f"systems/{WATER}/projects/"])
def test_a_design_has_a_feature_for_each_part(below: str, in_parts: InParts) -> None:
    """The data downloader knows Polygon, LineString and Point, and the bridge stops at any other type."""
    features = in_parts.workshop.send("GET", in_parts.path + below).json()["features"]
    assert [feature["geometry"] for feature in features] == [
        POLYGON,
        EAST,
        *({"type": "LineString", "coordinates": line} for line in TWO_LINES["coordinates"]),
    ]
    assert [feature["properties"]["diagramid"] for feature in features] == [1, 1, 2, 2]
    assert features[0]["properties"] == features[1]["properties"]


def test_a_diagram_itself_and_feature_json_have_it_whole(in_parts: InParts) -> None:
    for path in ("diagrams/all/", "diagrams/1/"):
        answer = in_parts.workshop.send("GET", path).json()
        (feature,) = (answer[0] if isinstance(answer, list) else answer)["geojson"]["features"]
        assert feature["geometry"] == TWO_AREAS
    areas, lines = in_parts.workshop.send("GET", f"{in_parts.path}esri/").json()
    assert (len(areas["geometry"]["rings"]), len(lines["geometry"]["paths"])) == (2, 2)


def test_the_client_counts_and_prices_a_diagram_in_parts_once(in_parts: InParts, tmp_path: Path) -> None:
    project = in_parts.workshop.project
    features = project.design(in_parts.design, in_parts.team).features()
    assert {feature["properties"]["diagramid"] for feature in features} == set(in_parts.diagrams)
    assert features.problems() == []
    assert pygeodesign.measure(features)["area_ha"].sum() == pytest.approx(project.costs().diagrams[0]["area_ha"])
    project.archive(tmp_path / "lisbon.zip")
    for opened in (project, pygeodesign.open(tmp_path / "lisbon.zip")):
        of_design, of_all = opened.costs(team=in_parts.team, design=in_parts.design), opened.costs()
        assert of_design.total == of_all.total > 0
        assert of_design.diagrams == of_all.diagrams
        frame = of_design.to_geopandas()
        assert list(frame.geom_type) == ["MultiPolygon", "MultiLineString"]
        assert len(opened.compare().diagrams) == len(in_parts.diagrams)


# Points

TREES = [[-9.15, 38.75], [-9.14, 38.75], [-9.13, 38.76]]


def planted(workshop: Workshop) -> int:
    """A diagram as the planner of trees sends it: a feature for each tree, and the type of areas."""
    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": tree}} for tree in TREES
    ]
    body = {
        "geometry": {"type": "FeatureCollection", "features": features},
        "description": "Trees",
        "featuretype": "polygon",
        "fundingtype": "pu",
    }
    return int(send_below(workshop, f"systems/{WATER}/add/project/", body)["diagram_id"])


def test_points_that_are_called_polygons_are_taken_as_points(workshop: Workshop) -> None:
    diagram = planted(workshop)
    details = workshop.send("GET", f"diagrams/{diagram}/").json()
    places = [feature["geometry"] for feature in details["geojson"]["features"]]
    assert places == [{"type": "Point", "coordinates": tree} for tree in TREES]
    (row,) = workshop.project.costs().diagrams
    assert (row["pieces"], row["cost"]) == (3, 3 * workshop.project.system(WATER)["cost"])


def test_lines_that_are_called_polygons_are_refused(workshop: Workshop) -> None:
    answer = workshop.send("POST", f"systems/{WATER}/add/project/", drawn(LINE, "polygon"))
    assert answer.status_code == 400 and "drawn with a line" in answer.text


def test_a_design_has_a_point_for_each_tree_with_the_fields_of_its_diagram(workshop: Workshop) -> None:
    """The planner of trees finds them by their type, and reads author and title; the bridge makes a layer of points."""
    diagrams = [planted(workshop)]
    grove = {"type": "MultiPoint", "coordinates": [[-9.12, 38.72], [-9.11, 38.72]]}
    diagrams.append(send_below(workshop, f"systems/{WATER}/add/project/", drawn(grove, "point"))["diagram_id"])
    team = workshop.project.add_team("Team")["id"]
    path = f"cteams/{team}/{workshop.project.team(team).save('Design', diagrams)['id']}/"
    features = workshop.send("GET", path).json()["features"]
    found = [feature["geometry"]["coordinates"] for feature in features if feature["geometry"]["type"] == "Point"]
    assert found == [*TREES, *grove["coordinates"]]
    assert {feature["properties"]["author"] for feature in features} == {ADMINISTRATOR}
    assert [feature["properties"]["description"] for feature in features] == ["Trees"] * 3 + ["Drawn"] * 2
    esri = [feature["geometry"] for feature in workshop.send("GET", f"{path}esri/").json()]
    degrees = {"spatialReference": {"wkid": 4326}}
    assert esri == [*({"x": x, "y": y} | degrees for x, y in TREES), {"points": grove["coordinates"]} | degrees]
    # The bridge sends what it read back to another project.
    returned = FeatureCollection.from_esri(workshop.project.team(team).designs()[0].esri())
    again = workshop.project.add_diagram(GREEN, returned, title="Again")
    assert workshop.project.costs(diagrams=[again]).diagrams[0]["pieces"] == 5


# Refusals

UNKNOWN = "1b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a11"
WRONG = [
    ("plugins/", [UNKNOWN], "message", "the service has no plugin 1b0e5f6c"),
    ("plugins/", {}, "message", "The body: it is an object, and must be a list"),
    ("stakeholders/", [7], "message", "[0]: it is the number 7, and must be text"),
    ("data_layers/", {"server_type": "other"}, "message", "the field layer_type is missing"),
    ("tags/", {"tags": 7}, "status", "tags: it is the number 7, and must be a list"),
    ("diagrams/1/", {"additional_metadata": []}, "status", "additional_metadata: it is a list, and must be an object"),
    ("diagrams/1/tags/codes/", ["ZZ"], "status", 'because the tag "ZZ" is not in the project'),
    ("diagrams/1/notes/", {}, "status", "the field notes is missing"),
    ("diagrams/99/notes/", {"notes": ""}, "status", "No such diagram: 99"),
    (f"systems/{WATER}/add/project/", [], "status", "The body: it is a list, and must be an object"),
    (
        f"systems/{WATER}/add/project/",
        drawn(None, "polygon"),
        "status",
        "geometry.features[0].geometry: the geometry is null",
    ),
    (
        f"systems/{WATER}/add/project/",
        drawn({"type": "Polygon", "coordinates": [[["west", 1]]]}, "polygon"),
        "status",
        'geometry.features[0].geometry: it is the text "west", and must be a number',
    ),
    (
        f"systems/{WATER}/e/map/json/",
        collection(POLYGON),
        "status",
        "features[0].properties: the field areatype is missing",
    ),
    (
        f"systems/{WATER}/add/external/project/",
        external("polygon", url="https://data.example.org/my parks.fgb"),
        "status",
        "has a space; write it as %20",
    ),
]
# Words of the programming language and of its parser.
INTERNAL = re.compile(r"struct|sequence|invalid type|expected|\bmap\b|`|line \d+ column|f64|i64|EOF|ident")


@pytest.mark.parametrize(("path", "body", "field", "text"), WRONG)
def test_a_refusal_is_told_in_the_field_of_the_operation(
    path: str, body: Any, field: str, text: str, workshop: Workshop
) -> None:
    workshop.project.add_diagram(WATER, shapely.geometry.shape(POLYGON), title="Pond")
    answer = workshop.send("POST", path, body)
    assert 400 <= answer.status_code < 500
    refusal = answer.json()
    # The reference has one field in the body of a 400, and shows no other one.
    assert refusal.keys() == ({field} if answer.status_code == 400 else {"detail", field})
    assert answer.status_code == 400 or refusal["detail"] == refusal[field]
    assert text in refusal[field]
    assert not INTERNAL.search(refusal[field]), refusal


@pytest.mark.parametrize(
    "project", [NEW_PROJECT | {"plugins": [UNKNOWN]}, NEW_PROJECT | {"zoom_level": "12"}, NEW_PROJECT]
)
def test_a_project_that_is_not_created_says_why_in_the_message(project: Any, workshop: Workshop) -> None:
    code = "no" if project is NEW_PROJECT else "FADO"
    answer = workshop.send_to("POST", "projects/create/", project | {"creation_code": code})
    assert answer.json().keys() == ({"detail", "message"} if code == "no" else {"message"})
    assert not INTERNAL.search(answer.json()["message"]), answer.text
    assert [created["projecttitle"] for created in workshop.client().projects()] == ["Lisbon"]


def test_an_error_of_a_read_is_a_detail(workshop: Workshop) -> None:
    assert workshop.send("GET", "diagrams/99/").json() == {"detail": "No such diagram: 99."}


def test_a_layer_whose_address_has_a_space_says_so(workshop: Workshop) -> None:
    layer = {"server_type": "other", "layer_type": "wms", "url": "https://tiles.example.org/my map"}
    answer = send_below(workshop, "data_layers/", layer)
    assert answer == {"message": "External layers added: 0; the url has a space; write it as %20."}


def test_properties_that_are_not_kept_are_told(workshop: Workshop) -> None:
    """The bridge in the browser sends the attributes of its features."""
    body = drawn(POLYGON, "polygon")
    body["geometry"] = collection(
        POLYGON, name="Bank", volume_information={"min_height": 0, "max_height": 3}, system="Water"
    )
    answer = send_below(workshop, f"systems/{WATER}/add/project/", body)
    assert 'only the property volume_information; not kept: "name", "system".' in answer["status"]
    body = drawn(POLYGON, "polygon")
    assert "kept" not in send_below(workshop, f"systems/{WATER}/add/project/", body)["status"]
