"""A notebook session with forty typical mistakes: each message says what to do, in a planner's words."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from pygeodesign import AsyncClient, Client, FeatureCollection, Project, Sandbox, measure
from small_project import BOUNDS, Workshop, running_workshop

PARK = shapely.box(-9.15, 38.71, -9.14, 38.72)
PARKS = gpd.GeoDataFrame({"name": ["Alfama"]}, geometry=[PARK], crs=4326)
BOW_TIE = shapely.Polygon([(-9.2, 38.7), (-9.1, 38.8), (-9.1, 38.7), (-9.2, 38.8)])
NEW: dict[str, Any] = {"title": "Porto", "bounds": (-8.7, 41.1, -8.5, 41.2), "systems": []}
# Names of libraries and of Rust's types, which a message must not show.
LEAKS = re.compile(
    r"serde|pyo3|_new\b|integral|Traceback|KeyError|pandas\.|bokeh|Option<|Vec\b|\b[iuf](32|64)\b|usize|NoneType"
    r"|JSON number"
)


@pytest.fixture(scope="module")
def session() -> Iterator[Workshop]:
    """The project with one diagram, whose id is 1. No mistake changes it."""
    with running_workshop() as workshop:
        workshop.project.add_diagram("Water", PARK, title="Rain garden")
        yield workshop


def create(client: Client, **wrong: Any) -> str:
    return client.create_project("FADO", **(NEW | wrong))


Call = Callable[[Any, Any], Any]
MISTAKES: dict[str, tuple[Call, str]] = {
    "a mistyped keyword": (lambda client, project: project.costs(teams=1), "did you mean 'team'?"),
    "a keyword that does not exist": (lambda client, project: project.costs(year=1), "its arguments are member, team"),
    "another mistyped keyword": (
        lambda client, project: project.add_diagrams(1, PARKS, titel="name"),
        "did you mean 'title'?",
    ),
    "a dict for a project": (
        lambda client, project: client.project(client.projects()[0]),
        "The dict has it as its 'id'",
    ),
    "a title for a project": (
        lambda client, project: client.project("Porto").info(),
        'there is no project "Porto"; the projects are',
    ),
    "a dict for a diagram": (
        lambda client, project: project.diagram({"id": 1}).features(),
        "diagram cannot be a dict. Expected: Its id, its title",
    ),
    "a list for one diagram": (
        lambda client, project: project.diagram([1]).features(),
        "diagram cannot be a list. Expected: Its id, its title",
    ),
    "a float for a diagram": (lambda client, project: project.diagram(1.0).features(), "diagram cannot be a float"),
    "a title for a diagram": (
        lambda client, project: project.diagram("Rain gardens").features(),
        'there is no diagram "Rain gardens"',
    ),
    "a diagram that is not there": (lambda client, project: project.diagram(99).features(), "Check the ids"),
    "a system that is not there": (
        lambda client, project: project.system("Wind").evaluation(),
        '1 "Water" (WAT), 2 "Green" (GRN)',
    ),
    "a member who is not there": (
        lambda client, project: project.member("nobody").selection(),
        "not a member of the project",
    ),
    "a kind without a system": (
        lambda client, project: project.member("ana.sousa").selection(kind="policy"),
        "give system= too",
    ),
    "a team that is not there": (lambda client, project: project.costs(team="Youth"), "there are no teams"),
    "an unknown kind": (
        lambda client, project: project.add_diagram(1, PARK, title="A", kind="plan"),
        '"project" nor "policy"',
    ),
    "no CRS": (
        lambda client, project: project.add_diagrams(1, PARKS.set_crs(None, allow_override=True), title="name"),
        ".set_crs(4326)",
    ),
    "swapped axes": (
        lambda client, project: project.add_diagram(1, shapely.box(38.71, -9.15, 38.72, -9.14), title="A"),
        "longitude and latitude are swapped",
    ),
    "metres": (
        lambda client, project: project.add_diagram(1, shapely.box(485000, 4285000, 485100, 4285100), title="A"),
        "reproject other coordinates to WGS 84",
    ),
    "another city": (
        lambda client, project: project.add_diagram(1, shapely.box(12, 41, 13, 42), title="A"),
        'outside="allow"',
    ),
    "two points at one place": (
        lambda client, project: project.add_diagram(1, shapely.MultiPoint([(-9.1, 38.7), (-9.1, 38.7)]), title="A"),
        "leave one of them out",
    ),
    "a bow tie": (lambda client, project: project.add_diagram(1, BOW_TIE, title="A"), "shapely.make_valid"),
    "no geometry": (
        lambda client, project: project.add_diagrams(
            1, gpd.GeoDataFrame({"name": ["A"]}, geometry=[None], crs=4326), title="name"
        ),
        "row 0 has no geometry; leave it out",
    ),
    "a table without geometry": (
        lambda client, project: project.add_diagrams(1, pd.DataFrame({"name": ["A"]}), title="name"),
        "no geometries",
    ),
    "a number for a geometry": (
        lambda client, project: project.add_diagram(1, 7, title="A"),
        "no geometry can be made of an int; give a GeoDataFrame",
    ),
    "None for a geometry": (
        lambda client, project: project.add_diagram(1, None, title="A"),
        "no geometry can be made of None; give a GeoDataFrame",
    ),
    "a column that is not there": (
        lambda client, project: project.add_diagrams(1, PARKS, title="nmae"),
        "the columns are ['name']",
    ),
    "a file that is not there": (
        lambda client, project: project.add_diagrams(1, "praks.gpkg", title="name"),
        f"the working folder is {Path.cwd()}",
    ),
    "a layer of a frame": (
        lambda client, project: project.add_diagrams(1, PARKS, title="name", layer="parks"),
        "leave layer= out",
    ),
    "an empty title": (lambda client, project: project.add_diagram(1, PARK, title=" "), "the diagram's title"),
    "an evaluation without areatype": (
        lambda client, project: project.system(1).set_evaluation(PARKS),
        'has an areatype, such as "green"',
    ),
    "names alone for systems": (
        lambda client, project: create(client, systems=["A"]),
        'dicts with name and color, such as [{"name": "Water", "color": "#2B7BBA"}]',
    ),
    "a system without a colour": (lambda client, project: create(client, systems=[{"name": "A"}]), 'it has no "color"'),
    "a colour by name": (
        lambda client, project: create(client, systems=[{"name": "A", "color": "blue"}]),
        "not of the form #RRGGBB",
    ),
    "one text for tags": (lambda client, project: create(client, tags="Coast"), "give a list of dicts"),
    "a number for bounds": (
        lambda client, project: create(client, bounds=7),
        "such as (-9.3, 38.6, -9.0, 38.9), not 7",
    ),
    "a dict for bounds": (lambda client, project: create(client, bounds={"west": 1}), "not a dict"),
    "three numbers for bounds": (lambda client, project: create(client, bounds=(1, 2, 3)), "not (1, 2, 3)"),
    "None for bounds": (lambda client, project: create(client, bounds=None), "not None"),
    "three numbers for a center": (
        lambda client, project: create(client, center=(1, 2, 3)),
        "center must be a longitude and a latitude in degrees, such as (-9.1, 38.7), not (1, 2, 3)",
    ),
    "a rate as text": (
        lambda client, project: create(client, systems=[{"name": "A", "color": "#000000", "cost": "7"}]),
        'systems[0]: cost: the text "7" is not a number',
    ),
    "a number for a name": (
        lambda client, project: create(client, systems=[{"name": 7, "color": "#000000"}]),
        "systems[0]: name: 7 is not text",
    ),
    "a number for systems": (lambda client, project: create(client, systems=7), "systems cannot be an int"),
    "a number for a tag": (lambda client, project: create(client, tags=[7]), "tags[0] is 7, not a dict"),
    "a number for metadata": (
        lambda client, project: project.diagram(1).update(additional_metadata=7),
        'additional_metadata must be a dict, such as {"phase": 2}, not 7',
    ),
    "None for a diagram": (
        lambda client, project: project.diagram(None).features(),
        "diagram cannot be None. Expected: Its id, its title",
    ),
    "a very large number for a diagram": (
        lambda client, project: project.diagram(2**70).features(),
        "diagram is out of range",
    ),
    "a mistyped setting": (
        lambda client, project: Client(tokn="a"),  # type: ignore[call-arg]
        "Client() has no argument 'tokn'; did you mean 'token'?",
    ),
    "a mistyped setting for asyncio": (
        lambda client, project: AsyncClient(url="http://127.0.0.1"),  # type: ignore[call-arg]
        "AsyncClient() has no argument 'url'; did you mean 'base_url'?",
    ),
    "a mistyped setting of a sandbox": (
        lambda client, project: Sandbox(proj=None),  # type: ignore[call-arg]
        "Sandbox() has no argument 'proj'; did you mean 'project'?",
    ),
    "a number for a token": (
        lambda client, project: Client(7),  # type: ignore[arg-type]
        "Client(): token cannot be an int. Expected: The API token",
    ),
    "one setting too many": (
        lambda client, project: Client("a" * 40, client.base_url, 5),  # type: ignore[arg-type, call-arg]
        "Client() takes from 0 to 2 positional arguments but 3 were given",
    ),
    "fewer than no retries": (
        lambda client, project: Client("a" * 40, client.base_url, retries=-1),
        "retries is out of range. Expected: Retries of a read after",
    ),
    "a port that does not exist": (lambda client, project: Sandbox(port=99_999), "port is out of range"),
    "a mistyped option of a picture": (
        lambda client, project: project.costs().plot(curency="EUR"),
        "did you mean 'currency'?",
    ),
    "unknown units in a report": (
        lambda client, project: project.costs().to_html(units="imperial"),
        '"metric" (hectares, kilometres) or "us" (acres, miles)',
    ),
    "bounds in another order": (lambda client, project: create(client, bounds=(0, 10, 10, 0)), "west,south,east,north"),
    "a wrong creation code": (
        lambda client, project: client.create_project("no", **NEW),
        "The creation code is not valid",
    ),
    "a date in words": (
        lambda client, project: project.diagram(1).update(start_date="tomorrow"),
        "write 2030-05-01 or 2030-05-01T12:30:00",
    ),
    "an end before the start": (
        lambda client, project: project.diagram(1).update(start_date="2031-01-01", end_date="2030-01-01"),
        "is after end_date",
    ),
    "ids for groups": (lambda client, project: project.group_diagrams([1]), "a dict from name to diagrams"),
    "an unknown tag": (lambda client, project: project.diagram(1).set_tag_codes(["ZZ"]), "is not in the project"),
    "the wrong token": (lambda client, project: Client("a" * 40, client.base_url).projects(), "Check the token"),
    "token and address swapped": (
        lambda client, project: Client(client.base_url, "a" * 40),
        "The token comes first",
    ),
    "plain http": (lambda client, project: Client("a" * 40, "http://example.org"), "use https://"),
    "a word for a geometry": (lambda client, project: measure("parks"), "not GeoJSON"),
    "feature-JSON without attributes": (
        lambda client, project: FeatureCollection.from_esri([{"a": 1}]),  # type: ignore[typeddict-item, typeddict-unknown-key]
        'it has no "attributes"',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_to_do_after(mistake: str, session: Workshop) -> None:
    call, advice = MISTAKES[mistake]
    project: Project = session.project
    with pytest.raises(Exception) as raised:
        call(session.client(), project)
    message = str(raised.value)
    assert advice in message
    assert LEAKS.search(message) is None, message
    assert len(project.diagrams(fields="summary")) == 1
    assert len(session.sandbox.project_ids) == 1


def test_the_session_has_forty_mistakes_at_least() -> None:
    assert len(MISTAKES) >= 40
    assert project_bounds_hold(PARK)


def project_bounds_hold(shape: shapely.Geometry) -> bool:
    """The right geometry of the session is in the study area, so that only the mistakes are refused."""
    return bool(shapely.box(*BOUNDS).contains(shape))
