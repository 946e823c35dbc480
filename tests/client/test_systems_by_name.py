"""Operations take a system by its id, its name or its tag."""

from typing import Any

import pytest

from builders import square
from fake_service import FakeService
from pygeodesign import InputError, NotFoundError
from small_project import GREEN, MEMBER, Workshop

AREA = square(-9.15, 38.71, 0.01)


@pytest.mark.parametrize("system", [GREEN, str(GREEN), "Green", "green", " GREEN ", "GRN", "grn"])
def test_a_system_is_found_by_id_name_or_tag(system: Any, workshop: Workshop) -> None:
    project = workshop.project
    assert project.system(system)["id"] == GREEN
    diagram = project.add_diagram(system, AREA, title="Park").id
    url = "https://data.example.org/parks.fgb"
    external = project.system(system).add_external(url, title="Parks", layer_type="fgb-layer").id
    assert project.system(system).diagram_ids() == [diagram, external]
    area = {"type": "Feature", "geometry": AREA, "properties": {"areatype": "green"}}
    project.system(system).set_evaluation(area)
    project.system(system).set_impact(area)
    assert project.system(system).evaluation().metadata["sysid"] == GREEN
    assert len(project.member(MEMBER).selection(system)) == 0


def test_an_unknown_name_is_an_input_error_that_lists_the_systems(workshop: Workshop) -> None:
    with pytest.raises(InputError, match=r'no system "Gren".*1 "Water" \(WAT\), 2 "Green" \(GRN\)'):
        workshop.project.system("Gren").evaluation()
    with pytest.raises(NotFoundError):
        workshop.project.system(99).evaluation()


def test_a_name_counts_before_a_tag() -> None:
    systems = [{"id": 1, "name": "Parks", "tag": "GRN"}, {"id": 2, "name": "GRN", "tag": "X"}]
    with FakeService({"systems/": systems, "systems/2/": systems[1]}) as service:
        assert service.project().system("grn")["id"] == 2


def test_a_name_of_several_systems_is_refused_with_their_ids() -> None:
    problem = 'several systems are called "PARKS"; give the id of one: 3 "Parks", 7 "parks"'
    listed = [{"id": 3, "name": "Parks"}, {"id": 7, "name": "parks"}]
    with FakeService({"systems/": listed}) as service, pytest.raises(InputError, match=problem):
        _ = service.project().system("PARKS").name


def test_a_tag_is_found_although_the_list_of_systems_has_no_tags() -> None:
    systems = {
        "systems/": [{"id": 3, "name": "Parks"}],
        "systems/3/": {"id": 3, "name": "Parks", "tag": "PRK", "cost": 1},
    }
    with FakeService(systems) as service:
        assert service.project().system("PRK")["id"] == 3


def test_an_id_needs_no_list_of_systems() -> None:
    with FakeService({"systems/3/": {"id": 3, "name": "Parks"}}) as service:
        assert service.project().system(3)["name"] == "Parks"
        assert service.requests.total() == 1
