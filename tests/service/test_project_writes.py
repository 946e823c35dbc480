"""Members add, replace and remove stakeholders, plugins, layers, tags and maps of a project."""

from typing import Any

import pytest

from builders import Json, collection, feature, line, square
from fake_service import FakeService
from pygeodesign import ApiError, BadRequestError, InputError, NotFoundError, PermissionDeniedError
from small_project import ADMINISTRATOR, GREEN, MEMBER, NOISE, SHADOWS, STRANGER, WATER, Workshop

UNKNOWN_PLUGIN = "1b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a11"
RELIEF: dict[str, Any] = {"server_type": "other", "layer_type": "XYZ", "layer_name": "relief"}
TILES = "https://tiles.example.org/{z}/{x}/{y}.png"


# The service's responses, for programs that read them


def test_the_answer_to_what_is_added_or_set_counts_it(workshop: Workshop) -> None:
    pond = workshop.project.add_diagram(WATER, square(-9.2, 38.7, 0.02), title="Pond").id
    tags = {"tags": [{"tag": "Night", "code": "NI"}, {"tag": "By hand", "code": ""}]}
    evaluated, impact = evaluation("red"), collection(feature(AREA, score=-2))
    groups = {"diagram_groups": [{"group_name": "Shore", "diagrams": [pond, pond]}]}
    for path, body, answer in [
        ("stakeholders/", ["Fishers", "Água e Saneamento"], "Stakeholders created and added: 2."),
        ("stakeholders/", ["Fishers", "Fishers"], "Stakeholders created and added: 0."),
        ("plugins/", [SHADOWS], "Plugins added: 1."),
        ("plugins/", [NOISE, NOISE], "Plugins added: 1."),
        ("tags/create/", tags, "Tags created: 2."),
        ("tags/create/", tags, "Tags created: 0."),
        ("diagrams/group/", groups, "Diagram groups set: 1."),
        (f"diagrams/{pond}/", {"additional_metadata": {}}, "The diagram was updated."),
        (f"systems/{WATER}/e/map/json/", evaluated, "The map was set."),
        (f"systems/{WATER}/i/map/json/", impact, "The map was set."),
    ]:
        sent = workshop.send("POST", path, body).json()
        assert sent.get("message", sent.get("status")) == answer, path
    layer = RELIEF | {"url": TILES, "display_name": "Relief", "attribution": "© City", "additional_metadata": {}}
    message = workshop.send("POST", "data_layers/", layer).json()["message"]
    assert str(workshop.project.study_area.layers()[0]["id"]) in message


# Stakeholders


def test_stakeholders_are_added(workshop: Workshop) -> None:
    workshop.project.workshop.add_stakeholders(["Fishers", "Água e Saneamento"])
    assert {stakeholder["name"] for stakeholder in workshop.project.workshop.stakeholders()} == {
        "Fishers",
        "Água e Saneamento",
    }


def test_an_existing_stakeholder_is_not_added_again(workshop: Workshop) -> None:
    workshop.project.workshop.add_stakeholders(["Fishers"])
    before = workshop.project.workshop.stakeholders()
    workshop.project.workshop.add_stakeholders(["Fishers", "Fishers"])
    assert workshop.project.workshop.stakeholders() == before


def test_a_member_who_is_not_administrator_can_add_stakeholders(workshop: Workshop) -> None:
    workshop.project_of(MEMBER).workshop.add_stakeholders(["Fishers"])
    assert len(workshop.project.workshop.stakeholders()) == 1


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_stakeholder_without_a_name_is_rejected(name: str, workshop: Workshop) -> None:
    with pytest.raises(InputError, match="empty"):
        workshop.project.workshop.add_stakeholders(["Fishers", name])
    assert workshop.project.workshop.stakeholders() == []


# Plugins


def test_setting_plugins_replaces_the_plugins_of_a_project(workshop: Workshop) -> None:
    workshop.project.workshop.set_plugins([SHADOWS])
    workshop.project.workshop.set_plugins([NOISE, NOISE])
    assert workshop.project.workshop.plugins() == [{"id": NOISE, "description": "Noise study"}]


def test_an_empty_list_of_plugins_removes_all_plugins(workshop: Workshop) -> None:
    workshop.project.workshop.set_plugins([SHADOWS])
    workshop.project.workshop.set_plugins([])
    assert workshop.project.workshop.plugins() == []


def test_a_plugin_id_that_is_not_a_uuid_is_rejected(workshop: Workshop) -> None:
    workshop.project.workshop.set_plugins([SHADOWS])
    with pytest.raises(InputError, match="shadows"):
        workshop.project.workshop.set_plugins([NOISE, "shadows"])
    assert [plugin["id"] for plugin in workshop.project.workshop.plugins()] == [SHADOWS]


def test_a_plugin_that_the_service_does_not_have_is_refused(workshop: Workshop) -> None:
    workshop.project.workshop.set_plugins([SHADOWS])
    with pytest.raises(BadRequestError, match=f"the service has no plugin {UNKNOWN_PLUGIN}"):
        workshop.project.workshop.set_plugins([SHADOWS, UNKNOWN_PLUGIN])
    assert [plugin["id"] for plugin in workshop.project.workshop.plugins()] == [SHADOWS]


# External layers


def test_a_layer_has_the_given_fields(workshop: Workshop) -> None:
    metadata = {"opacity": 0.5, "legend": ["low", "high"]}
    workshop.project.study_area.add_layer(
        TILES, **RELIEF, display_name="Relief", attribution="© City", additional_metadata=metadata
    )
    (layer,) = workshop.project.study_area.layers()
    assert layer == {
        "id": layer["id"],
        "server_type": "other",
        "layer_type": "XYZ",
        "url": TILES,
        "layer_name": "relief",
        "attribution": "© City",
        "display_name": "Relief",
        "additional_metadata": metadata,
    }


def test_the_default_display_name_of_a_layer_is_its_name(workshop: Workshop) -> None:
    workshop.project.study_area.add_layer(TILES, **RELIEF)
    assert workshop.project.study_area.layers()[0]["display_name"] == "relief"


@pytest.mark.parametrize("written", ["wms", "WMS", "Wms"])
def test_the_case_of_a_layer_type_does_not_matter(written: str, workshop: Workshop) -> None:
    workshop.project.study_area.add_layer(TILES, **(RELIEF | {"layer_type": written}))
    workshop.send("POST", "data_layers/", RELIEF | {"layer_type": written, "url": TILES}).raise_for_status()
    assert [layer["layer_type"] for layer in workshop.project.study_area.layers()] == ["WMS", "WMS"]


@pytest.mark.parametrize(
    "url", ["http://tiles.example.org", "ftp://tiles.example.org", "tiles.example.org", "", "https://"]
)
def test_a_layer_without_https_is_rejected_by_the_client_and_ignored_by_the_service(
    url: str, workshop: Workshop
) -> None:
    with pytest.raises(InputError, match="https"):
        workshop.project.study_area.add_layer(url, **RELIEF)
    response = workshop.send("POST", "data_layers/", RELIEF | {"url": url})
    assert (response.status_code, list(response.json())) == (200, ["message"])
    assert workshop.project.study_area.layers() == []


@pytest.mark.parametrize("invalid", [{"server_type": "mine"}, {"layer_type": "WFS"}], ids=str)
def test_the_error_for_an_unknown_server_or_layer_type_lists_the_known_ones(invalid: Any) -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match=r"mapcentia-gc2|esri-featurelayer"):
            service.project().study_area.add_layer(TILES, **(RELIEF | invalid))
        assert service.requests.total() == 0


def test_an_administrator_can_delete_a_layer(workshop: Workshop) -> None:
    for name in ("relief", "noise"):
        workshop.project.study_area.add_layer(TILES, **(RELIEF | {"layer_name": name}))
    first, second = workshop.project.study_area.layers()
    assert workshop.send("DELETE", f"data_layers/{first['id']}/").status_code == 204
    assert workshop.project.study_area.layers() == [second]
    with pytest.raises(NotFoundError):
        workshop.project.study_area.delete_layer(first["id"])


def test_a_member_who_is_not_administrator_cannot_delete_a_layer(workshop: Workshop) -> None:
    workshop.project_of(MEMBER).study_area.add_layer(TILES, **RELIEF)
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).study_area.delete_layer(1)
    assert len(workshop.project.study_area.layers()) == 1


# Tags


def test_tags_are_created(workshop: Workshop) -> None:
    workshop.project.create_tags([{"tag": "Night", "code": "NI"}, "By hand"])
    created = {(tag["tag"], tag["slug"], tag["code"]) for tag in workshop.project.tags()}
    assert {("Night", "night", "NI"), ("By hand", "by-hand", "")} < created


def test_an_existing_tag_is_not_created_again(workshop: Workshop) -> None:
    before = workshop.project.tags()
    workshop.project.create_tags([{"tag": "Coast", "code": "CO"}, "No code"])
    assert workshop.project.tags() == before


@pytest.mark.parametrize(
    "new", [[{"tag": "Company", "code": "CO"}], [{"tag": "A", "code": "X"}, {"tag": "B", "code": "X"}]]
)
def test_two_tags_of_a_project_cannot_have_the_same_code(new: Any, workshop: Workshop) -> None:
    before = workshop.project.tags()
    with pytest.raises(ApiError) as refused:
        workshop.project.create_tags(["New", *new])
    assert refused.value.status_code == 409
    assert workshop.project.tags() == before


def test_tags_of_two_projects_may_have_the_same_code(workshop: Workshop) -> None:
    tags: Any = [{"tag": "Company", "code": "CO"}]
    workshop.client().create_project("FADO", title="Porto", bounds=(0, 0, 1, 1), systems=[], tags=tags)
    assert [tag["tag"] for tag in workshop.client().project(workshop.sandbox.project_ids[-1]).tags()] == ["Company"]


@pytest.mark.parametrize("invalid", [{"tag": "A", "code": "A|B"}, {"tag": " "}, "", {"code": "A"}, 7], ids=str)
def test_an_invalid_tag_is_rejected(invalid: Any) -> None:
    with FakeService() as service:
        with pytest.raises(InputError):
            service.project().create_tags(["New", invalid])
        assert service.requests.total() == 0


# Evaluation and impact maps


AREA = square(-9.15, 38.71, 0.01)
SUITABLE = ["green3", "green2", "green", "yellow", "red2", "red"]


def evaluation(*areatypes: str, **properties: Any) -> Json:
    return collection(*(feature(AREA, areatype=areatype, **properties) for areatype in areatypes))


def test_an_evaluation_map_gets_a_colour_for_each_area_type(workshop: Workshop) -> None:
    workshop.project.system(WATER).set_evaluation(evaluation(*SUITABLE))
    features = workshop.project.system(WATER).evaluation()["features"]
    assert [row["properties"]["areatype"] for row in features] == SUITABLE
    assert [row["geometry"] for row in features] == [AREA] * 6
    colors = {row["properties"]["color"] for row in features}
    assert len(colors) == 6
    assert all(len(color) == 7 and color.startswith("#") for color in colors)
    assert len(workshop.project.system(GREEN).evaluation()) == 0


def test_a_class_in_words_has_its_colour_and_counts_as_that_class(workshop: Workshop) -> None:
    water = workshop.project.system(WATER)
    water.set_evaluation(evaluation("green2", "Suitable", "geeignet"))
    areas = water.evaluation()
    assert [area["properties"]["areatype"] for area in areas] == ["green2", "Suitable", "geeignet"]
    assert len({area["properties"]["color"] for area in areas}) == 1
    found = workshop.project.preview(WATER, AREA)["evaluation"]
    assert [row["areatype"] for row in found] == ["green2"]


def test_an_area_keeps_its_given_colour_and_properties(workshop: Workshop) -> None:
    workshop.project.system(WATER).set_evaluation(evaluation("green", color="#ABCDEF", soil="clay"))
    (area,) = workshop.project.system(WATER).evaluation()
    assert area["properties"] == {"areatype": "green", "color": "#ABCDEF", "soil": "clay"}


def test_setting_a_map_replaces_the_former_one(workshop: Workshop) -> None:
    workshop.project.system(WATER).set_evaluation(evaluation("green", "red"))
    workshop.project.system(WATER).set_evaluation(evaluation("yellow"))
    assert [area["properties"]["areatype"] for area in workshop.project.system(WATER).evaluation()] == ["yellow"]


def test_the_map_of_one_system_can_be_set_for_another(workshop: Workshop) -> None:
    workshop.project.system(WATER).set_evaluation(evaluation("green", "red"))
    workshop.project.system(GREEN).set_evaluation(
        workshop.project.system(WATER).evaluation().to_geopandas().to_crs(3763)
    )
    assert workshop.project.system(GREEN).evaluation().to_geopandas().areatype.to_list() == ["green", "red"]


def test_an_area_without_an_areatype_is_rejected() -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match=r"feature 1.*areatype"):
            service.project().system(WATER).set_evaluation(collection(feature(AREA, areatype="red"), feature(AREA)))
        assert service.requests.total() == 0


def test_an_evaluation_map_must_have_polygons() -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match="feature 0"):
            service.project().system(WATER).set_evaluation(feature(line([0, 0], [1, 1]), areatype="red"))
        assert service.requests.total() == 0


def test_an_impact_map_keeps_all_properties(workshop: Workshop) -> None:
    impact = collection(feature(AREA, score=-2, why={"noise": True}), feature(AREA))
    workshop.project.system(WATER).set_impact(impact)
    kept = [area["properties"] for area in workshop.project.system(WATER).impact()["features"]]
    assert [(properties.get("score"), properties.get("why")) for properties in kept] == [
        (-2, {"noise": True}),
        (None, None),
    ]


def test_a_member_sets_a_map_and_an_administrator_sets_one_in_a_members_name(workshop: Workshop) -> None:
    workshop.project.system(WATER).set_evaluation(evaluation("red"), MEMBER)
    entry = workshop.project.history()[0]
    assert entry["username"] == ADMINISTRATOR and str(entry["after"]).endswith(f"in the name of {MEMBER}")
    workshop.project_of(MEMBER).system(WATER).set_impact(evaluation("red"), MEMBER)
    assert (len(workshop.project.system(WATER).evaluation()), len(workshop.project.system(WATER).impact())) == (1, 1)


def test_a_member_cannot_set_a_map_in_the_name_of_another(workshop: Workshop) -> None:
    member = workshop.project_of(MEMBER)
    for setting in (member.system(WATER).set_evaluation, member.system(WATER).set_impact):
        with pytest.raises(PermissionDeniedError, match="in the name of another member"):
            setting(evaluation("red"), ADMINISTRATOR)
    assert (len(workshop.project.system(WATER).evaluation()), len(workshop.project.system(WATER).impact())) == (0, 0)


@pytest.mark.parametrize("username", [STRANGER, "nobody"])
def test_a_map_in_the_name_of_a_user_who_is_not_a_member_is_denied(username: str, workshop: Workshop) -> None:
    water = workshop.project.system(WATER)
    for setting in (water.set_evaluation, water.set_impact):
        with pytest.raises(PermissionDeniedError, match="not a member"):
            setting(evaluation("red"), username)
    assert (len(workshop.project.system(WATER).evaluation()), len(workshop.project.system(WATER).impact())) == (0, 0)


def test_a_map_of_an_unknown_system_is_not_found(workshop: Workshop) -> None:
    unknown = workshop.project.system(99)
    for setting in (unknown.set_evaluation, unknown.set_impact):
        with pytest.raises(NotFoundError, match="system"):
            setting(evaluation("red"))
