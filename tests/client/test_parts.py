"""Handles on a project and its parts: found by their names, and requested only when needed."""

import asyncio
import json
import pickle
from collections.abc import Mapping
from typing import Any

import pandas
import pytest

import pygeodesign
from builders import square
from demo import demo_sandbox
from fake_service import PROJECT, FakeService
from pygeodesign import AsyncProject, Design, InputError, NotFoundError, Project, Team
from small_project import MEMBER, WATER, Workshop

ROOM = "Design 1 – room for the water"
MEMBER_OF_DEMO = "amara.okafor"


def selection(project: Project) -> Any:
    return project.member(MEMBER_OF_DEMO).selection()


@pytest.fixture(scope="module")
def demo() -> Any:
    with demo_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def project(demo: Any) -> Project:
    project: Project = demo.client().project(demo.project_ids[0])
    return project


@pytest.fixture
def awaited(demo: Any) -> AsyncProject:
    project: AsyncProject = demo.async_client().project(demo.project_ids[0])
    return project


@pytest.mark.parametrize("given", [1, "1", "Conservation", "conservation", " CONSERVATION ", "Cons", "c"])
def test_a_team_is_found_by_its_id_its_title_or_the_unique_start_of_one(given: Any, project: Project) -> None:
    team = project.team(given)
    assert (team.id, team.title) == (1, "Conservation")


@pytest.mark.parametrize("given", [ROOM, ROOM.upper(), "Design 1 – room"])
def test_a_design_is_found_among_those_of_all_teams(given: str, project: Project) -> None:
    design = project.design(given)
    assert (design.title, design.team.title, design.created) == (ROOM, "Conservation", design["creationdate"])
    assert project.design(design.id) == design == project.design(design.id, team="Conservation")


def test_several_of_one_title_are_an_error_that_lists_them(project: Project) -> None:
    with pytest.raises(
        InputError, match=r'several designs begin with "Design 1"; give the id of one: .*"Design 1 – two new'
    ):
        project.design("Design 1").costs()
    assert project.design("Design 1", team="Mobility").title == "Design 1 – two new lines"


def test_what_is_not_there_is_an_error_that_lists_what_is(project: Project) -> None:
    with pytest.raises(InputError, match=r'there is no team "Youth"; the teams are 1 "Conservation", 2 "Developers"'):
        project.team("Youth").members()
    with pytest.raises(InputError, match='there is no team 9; the teams are 1 "Conservation"'):
        _ = project.team(9).title
    with pytest.raises(InputError, match=r'there is no design "Round 2"; the designs are [0-9a-f]{16} "Design 1'):
        project.design("Round 2").costs()
    with pytest.raises(NotFoundError):
        _ = project.system(99).name


def test_the_latest_design_is_that_of_no_name(project: Project) -> None:
    assert project.design(team="Mobility") == project.team("Mobility").designs()[-1]
    assert project.design() == project.designs()[-1]
    moments = [design.created or "" for design in project.designs()]
    assert moments == sorted(moments) and len(moments) == 10


def test_the_latest_design_has_the_latest_date_in_any_order_of_the_list() -> None:
    saved = {"a" * 16: "2031-03-02", "b" * 16: "2031-03-01"}
    designs = [
        {"cteamid": 1, "id": key, "creationdate": f"{day}T09:00:00", "description": day} for key, day in saved.items()
    ]
    responses = {"cteams/": [{"id": 1, "title": "Youth"}], "cteams/1/": {"synthesis": designs}}
    with FakeService(responses) as service:
        assert service.project().design(team="Youth").title == service.project().design().title == "2031-03-02"


def test_arguments_that_are_passed_on_are_told_by_their_names(project: Project) -> None:
    with pytest.raises(TypeError, match="no argument 'currncy'; did you mean 'currency'"):
        project.design(ROOM).map(currncy="USD")
    with pytest.raises(InputError, match="design= is set by the object of the method"):
        project.design(ROOM).map(design="another")
    with pytest.raises(TypeError, match="no argument 'dryrun'; did you mean 'dry_run'"):
        project.system("Water").add(project.study_area.boundaries(), title="bname", dryrun=True)


def test_a_handle_sends_nothing_until_something_is_asked_and_asks_once() -> None:
    with FakeService({"systems/3/": {"id": 3, "name": "Parks", "cost": 5}}) as service:
        system = service.project().system(3)
        assert repr(system).startswith("<System 3 of ")
        assert service.requests.total() == 0
        assert (system.name, system.cost, system.tag) == ("Parks", 5, None)
        assert service.requests.total() == 1


def test_a_handle_reads_like_the_dict_of_its_fields(project: Project) -> None:
    water = project.system("Water")
    fields = {name: water[name] for name in water}
    assert fields == dict(water) == water and json.loads(json.dumps(dict(water))) == fields
    assert [*water.keys()] == [*fields] and [*water.values()] == [*fields.values()] and len(water) == len(fields)
    anything: Any = water
    assert isinstance(anything, Mapping) and "cost" in water and "costs" not in water
    assert water.get("costs", 7) == 7 and water.get("cost") == water.cost == water["cost"]
    with pytest.raises(KeyError, match="costs"):
        _ = water["costs"]  # type: ignore[index]
    frame = pandas.DataFrame(project.systems())
    assert [*frame["name"]] == [system.name for system in project.systems()]


def test_handles_on_the_same_part_are_equal_and_in_sets_one(project: Project) -> None:
    by_id, by_title = project.team(1), project.team("Conservation")
    assert by_id == by_title == project.teams()[0] and len({by_id, by_title, project.teams()[0]}) == 1
    assert by_id != project.team(2) and by_id != 1 and project.design(ROOM) in project.team(1).designs()


def test_a_handle_is_pickled_with_its_project(project: Project) -> None:
    for part in (project.team("Conservation"), project.design(ROOM), project.system("WAT"), project.design(team=3)):
        assert pickle.loads(pickle.dumps(part)) == part


def test_everything_that_takes_a_part_takes_the_handle_the_id_and_the_title(project: Project) -> None:
    design = project.design(ROOM)
    total = design.costs().total
    assert total == project.costs(design=design).total == project.costs(design=ROOM).total
    assert (
        total == project.costs(team=1, design=design.id).total == project.costs(team="Conservation", design=ROOM).total
    )
    assert project.costs(team="Mobility").total == project.team("Mobility").designs()[-1].costs().total
    assert (
        project.compare([design, design.id, ROOM, (1, design.id)]).designs[f"Conservation – {ROOM}"]
        == design.diagram_ids()
    )
    assert (
        project.team(project.team(1)).members() == project.team("Conservation").members() == project.team(1).members()
    )
    water = project.system("Water")
    assert project.system(water).diagram_ids() == project.system("Wat").diagram_ids() == water.diagram_ids()


def test_a_part_of_another_project_is_refused(project: Project, workshop: Workshop) -> None:
    other = workshop.project
    with pytest.raises(InputError, match=f"the system {WATER} belongs to the project {other.id}, not to {project.id}"):
        project.system(other.systems()[0]).evaluation()


def test_the_diagrams_of_a_design_are_whole(project: Project) -> None:
    design = project.design(ROOM)
    frame = design.to_geopandas()
    assert sorted({*frame["diagramid"]}) == design.diagram_ids() == sorted(design.timeline())
    everything = project.diagrams().to_geopandas()
    expected = everything[everything["diagramid"].isin(design.diagram_ids())].reset_index(drop=True)
    assert frame.geometry.geom_equals(expected.geometry).all() and [*frame["sysname"]] == [*expected["sysname"]]
    assert design.service_costs()["total"] == pytest.approx(design.costs().total)
    assert len(design.esri()) > 0


def test_a_team_saves_renames_and_removes_designs(workshop: Workshop) -> None:
    project = workshop.project
    diagram = int(project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="Basin").id)
    project.member(MEMBER).set_selection([diagram])
    project.add_team("Youth", [MEMBER])
    team = workshop.project_of(MEMBER).team("Youth")
    first = team.save("Round 1", members=[MEMBER])
    assert isinstance(first, Design) and first.diagram_ids() == [diagram] and first.team == team
    second = team.save("Round 2", design="Round 1", remove=[diagram])
    assert [design.title for design in team.designs()] == ["Round 1", "Round 2"] and second.diagram_ids() == []
    assert second.rename("Empty").title == "Empty"
    second.delete()
    assert team.designs() == [first]
    changed = project.team("Youth").edit(title="Young people", color="#112233")
    assert isinstance(changed, Team) and dict(changed) == {"id": team.id, "title": "Young people", "color": "#112233"}
    project.team("Young").delete()
    assert project.teams() == [] and project.designs() == []


def test_a_system_takes_the_rows_of_a_frame(workshop: Workshop) -> None:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    frame = geopandas.GeoDataFrame({"name": ["One"]}, geometry=[shapely.box(-9.15, 38.71, -9.14, 38.72)], crs=4326)
    water = workshop.project.system("Water")
    (row,) = water.add(frame, title="name", progress=False)
    assert water.diagram_ids() == [row["diagram_id"]]


def test_a_title_of_sixteen_letters_is_no_id(workshop: Workshop) -> None:
    project = workshop.project
    diagram = int(project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="Basin").id)
    project.add_team("Youth")
    saved = project.team("Youth").save("ConservationPlan", [diagram])
    assert project.design("ConservationPlan") == saved
    assert project.costs(design="ConservationPlan").total == saved.costs().total


def test_the_async_twins_are_awaited(awaited: AsyncProject, project: Project) -> None:
    async def ask() -> None:
        team = awaited.team("Conservation")
        with pytest.raises(TypeError, match="await it once"):
            _ = team.title
        assert (await team).title == team.title == "Conservation"
        assert await team.members() == project.team(1).members()
        latest = (await team.designs())[-1]
        assert (await latest.costs()).total == project.costs(team=1, design=latest.id).total
        assert [design.title for design in await awaited.designs()] == [design.title for design in project.designs()]
        assert (await awaited.system("Water")).cost == project.system("Water").cost
        assert (await latest.to_geopandas()).crs.to_epsg() == 4326
        assert (await latest.team).title == "Conservation"

    asyncio.run(ask())


def test_an_archive_has_the_same_handles(project: Project, tmp_path: Any) -> None:
    project.archive(tmp_path / "project.zip", progress=False)
    offline = pygeodesign.open(tmp_path / "project.zip")
    assert offline.design(ROOM).costs().total == project.design(ROOM).costs().total
    assert [dict(team) for team in offline.teams()] == [dict(team) for team in project.teams()]


def test_a_project_is_found_by_its_title_or_the_unique_start_of_it(demo: Any) -> None:
    client = demo.client()
    for given in ("Staten Island 2050", "staten island", "StatenIsland2050"):
        assert client.project(given).id == "StatenIsland2050"
    by_title = client.project("Staten")
    assert by_title.team("Conservation").designs() == client.project("StatenIsland2050").team(1).designs()
    assert pickle.loads(pickle.dumps(by_title)).costs().total == by_title.costs().total
    assert client.project(by_title).id == by_title.id


def test_an_unknown_project_is_an_error_that_lists_those_of_the_user(demo: Any) -> None:
    unknown = demo.client().project("Lisbon")
    assert repr(unknown).startswith('<Project "Lisbon" of ')
    expected = 'there is no project "Lisbon"; the projects are StatenIsland2050 "Staten Island 2050"'
    for asked in (unknown.info, unknown.team("Conservation").members, unknown.diagrams, lambda: unknown.id):
        with pytest.raises(InputError, match=expected):
            asked()
    with pytest.raises(InputError, match=r"client\.projects\(\) lists those"):
        demo.client().project(" ")
    with pytest.raises(InputError, match="by its id, its title or as a Project, not by an int"):
        demo.client().project(7)


def test_a_project_by_its_title_is_awaited(demo: Any) -> None:
    async def found() -> tuple[str, int]:
        project = demo.async_client().project("Staten Island")
        with pytest.raises(TypeError, match="await the project once"):
            _ = project.id
        return (await project).id, len(await project.teams())

    assert asyncio.run(found()) == ("StatenIsland2050", 4)


def test_a_project_by_its_title_sends_nothing_until_something_is_asked() -> None:
    projects = [{"id": "A" * 16, "projecttitle": "Lisbon 2050"}]
    with FakeService(root={"projects/": projects, f"projects/{'A' * 16}/": projects[0]}) as service:
        team = service.client().project("Lisbon").team("Youth")
        assert service.requests.total() == 0
        assert service.client().project("lisbon").info()["projecttitle"] == "Lisbon 2050"
        assert team.project.id == "A" * 16


def test_parts_of_two_projects_by_their_titles_are_not_the_same_whatever_their_ids() -> None:
    ids = {"Lisbon": "A" * 16, "Porto": "B" * 16}
    responses: dict[str, Any] = {f"projects/{key}/cteams/": [{"id": 1, "title": "Youth"}] for key in ids.values()}
    responses["projects/"] = [{"id": key, "projecttitle": title} for title, key in ids.items()]
    with FakeService(root=responses) as service:
        client = service.client()
        assert client.project("Lisbon").team(1) != client.project("Porto").team(1)
        assert client.project("Lisbon").team(1) == client.project("A" * 16).team("Youth")


def test_a_diagram_is_found_by_its_id_its_title_or_the_unique_start_of_one(project: Project) -> None:
    for given in (1001, "1001", "Oakwood Beach tidal marsh restoration", "oakwood beach tidal"):
        assert project.diagram(given).id == 1001
    diagram = project.diagram("Oakwood Beach t")
    assert (diagram.title, diagram.system.name, diagram.kind) == (diagram["description"], "Water", "project")
    assert (diagram.start_date, diagram.end_date) == ("2037-10-01", "2044-12-01")
    assert len({diagram, project.diagram(1001)}) == 1 and pickle.loads(pickle.dumps(diagram)) == diagram
    assert diagram.features().metadata["id"] == 1001
    with pytest.raises(
        InputError, match=r'there is no diagram "Nowhere"; the diagrams are 1001 "Oakwood .* and 150 more'
    ):
        project.diagram("Nowhere").notes()


def test_whatever_takes_diagrams_takes_objects_ids_and_titles(workshop: Workshop) -> None:
    project = workshop.project
    pond = project.add_diagram(WATER, square(-9.2, 38.7, 0.02), title="Pond")
    lake = project.add_diagram(WATER, square(-9.15, 38.7, 0.02), title="Lake")
    team = project.add_team("Youth")
    assert team.save("Round 1", [pond, "Lake"]).diagram_ids() == [pond.id, lake.id]
    assert project.costs(diagrams=["pond", lake.id]).total == project.costs(diagrams=[pond.id, lake]).total
    member = project.member(MEMBER)
    assert member.set_selection([lake]) == [lake.id] and member.change_selection(add=["Pond"]) == [pond.id, lake.id]
    project.group_diagrams({"Wet": [pond, "Lake"]})
    assert project.diagram_groups() == [{"group_name": "Wet", "diagrams": [pond.id, lake.id]}]
    with pytest.raises(InputError, match="diagrams must be a list of diagrams or ids, not 'Pond'"):
        project.costs(diagrams="Pond")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, lambda demo: {row["id"] for row in demo.diagrams(fields="summary")}),
        ({"system": "Water"}, lambda demo: {*demo.system("Water").diagram_ids()}),
        ({"design": ROOM}, lambda demo: {*demo.design(ROOM).diagram_ids()}),
        ({"team": "Mobility"}, lambda demo: {*demo.team("Mobility").designs()[-1].diagram_ids()}),
        ({"member": MEMBER_OF_DEMO}, lambda demo: {row["properties"]["diagramid"] for row in selection(demo)}),
        ({"ids": [1002, "Oakwood Beach tidal"]}, lambda demo: {1001, 1002}),
        (
            {"system": 1, "design": ROOM},
            lambda demo: {*demo.system(1).diagram_ids()} & {*demo.design(ROOM).diagram_ids()},
        ),
    ],
    ids=lambda given: str(given) if isinstance(given, dict) else "",
)
def test_diagrams_are_those_that_all_arguments_have_in_common(
    filters: dict[str, Any], expected: Any, project: Project
) -> None:
    chosen: Any = project.diagrams
    wanted = expected(project)
    assert {row["properties"]["diagramid"] for row in chosen(**filters)} == wanted
    assert {row["id"] for row in chosen(fields="details", **filters)} == wanted
    assert {row["id"] for row in chosen(fields="summary", **filters)} == wanted


def test_a_diagram_that_the_project_does_not_have_is_an_error_whatever_is_read_of_it(project: Project) -> None:
    chosen: Any = project.diagrams
    for fields in ("all", "details", "summary"):
        with pytest.raises(InputError, match="the project has no diagram 99"):
            chosen(fields=fields, ids=[1001, 99])
    with pytest.raises(InputError, match='fields must be "all", "details" or "summary", not "title"'):
        chosen(fields="title")


def test_an_unknown_system_is_an_error_and_a_systems_diagrams_need_no_second_list(project: Project) -> None:
    with pytest.raises(NotFoundError, match="No such system"):
        project.diagrams(fields="summary", system=99)
    responses = {"diagrams/": [{"id": 1, "sysid": 3}, {"id": 2, "sysid": 4}], "systems/3/diagrams/": {"diagrams": [1]}}
    with FakeService(responses) as service:
        assert [row["id"] for row in service.project().diagrams(fields="summary", system=3)] == [1]
        path = f"projects/{PROJECT}"
        # The second request for the ids is for further ones: the service does not say that there are none.
        assert service.requests == {f"{path}/diagrams/": 1, f"{path}/systems/3/diagrams/": 2}


def test_a_member_is_named_and_priced(project: Project) -> None:
    member = project.member(MEMBER_OF_DEMO)
    assert member in project.members() and member == {"username": MEMBER_OF_DEMO} and member.username == MEMBER_OF_DEMO
    assert member.costs().total == project.costs(member=member).total == member.service_costs()["total"]
    with pytest.raises(InputError, match=r"there is no member Nobody; the members are admin, amara\.okafor"):
        dict(project.member("Nobody"))


def test_the_card_of_a_project_tells_what_is_in_it(project: Project) -> None:
    card = project._repr_html_()
    for told in ("Staten Island 2050", "180 diagrams", "Conservation, Developers, Mobility, Residents", "Water"):
        assert told in card
