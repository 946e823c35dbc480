"""What belongs to a project is added, replaced and removed as its members say."""

from typing import Any

import pytest

from builders import Json, collection, feature, line, square
from fake_service import FakeService
from pygeodesign import ApiError, InputError, NotFoundError, PermissionDeniedError
from small_project import ADMINISTRATOR, GREEN, MEMBER, STRANGER, WATER, Lisbon

SHADOWS, NOISE = "0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10", "1b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a11"
RELIEF: dict[str, Any] = {"server_type": "other", "layer_type": "XYZ", "layer_name": "relief"}
TILES = "https://tiles.example.org/{z}/{x}/{y}.png"


# Stakeholders


def test_stakeholders_are_added_and_counted(lisbon: Lisbon) -> None:
    message = lisbon.project.add_stakeholders(["Fishers", "Água e Saneamento"])
    assert message == "Stakeholders created and added: 2."
    assert {stakeholder["name"] for stakeholder in lisbon.project.stakeholders()} == {"Fishers", "Água e Saneamento"}


def test_a_stakeholder_who_is_there_is_not_added_again(lisbon: Lisbon) -> None:
    lisbon.project.add_stakeholders(["Fishers"])
    before = lisbon.project.stakeholders()
    assert lisbon.project.add_stakeholders(["Fishers", "Fishers"]) == "Stakeholders created and added: 0."
    assert lisbon.project.stakeholders() == before


def test_any_member_adds_stakeholders(lisbon: Lisbon) -> None:
    lisbon.of(MEMBER).add_stakeholders(["Fishers"])
    assert len(lisbon.project.stakeholders()) == 1


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_stakeholder_without_a_name_is_refused(name: str, lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match="empty"):
        lisbon.project.add_stakeholders(["Fishers", name])
    assert lisbon.project.stakeholders() == []


# Plugins


def test_plugins_replace_those_that_were_there(lisbon: Lisbon) -> None:
    lisbon.sandbox.add_plugin(SHADOWS, "Shadow study")
    lisbon.sandbox.add_plugin(NOISE, "Noise study")
    assert lisbon.project.set_plugins([SHADOWS]) == "Plugins added: 1."
    assert lisbon.project.set_plugins([NOISE, NOISE]) == "Plugins added: 1."
    assert lisbon.project.plugins() == [{"id": NOISE, "description": "Noise study"}]


def test_no_plugins_take_all_away(lisbon: Lisbon) -> None:
    lisbon.project.set_plugins([SHADOWS])
    lisbon.project.set_plugins([])
    assert lisbon.project.plugins() == []


def test_a_plugin_that_is_no_uuid_is_refused(lisbon: Lisbon) -> None:
    lisbon.project.set_plugins([SHADOWS])
    with pytest.raises(InputError, match="shadows"):
        lisbon.project.set_plugins([NOISE, "shadows"])
    assert [plugin["id"] for plugin in lisbon.project.plugins()] == [SHADOWS]


# External layers


def test_a_layer_comes_back_as_it_was_added(lisbon: Lisbon) -> None:
    metadata = {"opacity": 0.5, "legend": ["low", "high"]}
    message = lisbon.project.add_layer(
        TILES, **RELIEF, display_name="Relief", attribution="© City", additional_metadata=metadata
    )
    (layer,) = lisbon.project.layers()
    assert str(layer["id"]) in message
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


def test_a_layer_is_displayed_by_its_name(lisbon: Lisbon) -> None:
    lisbon.project.add_layer(TILES, **RELIEF)
    assert lisbon.project.layers()[0]["display_name"] == "relief"


@pytest.mark.parametrize("written", ["wms", "WMS", "Wms"])
def test_the_case_of_a_layer_type_is_all_the_same(written: str, lisbon: Lisbon) -> None:
    lisbon.project.add_layer(TILES, **(RELIEF | {"layer_type": written}))
    lisbon.send("POST", "data_layers/", RELIEF | {"layer_type": written, "url": TILES}).raise_for_status()
    assert [layer["layer_type"] for layer in lisbon.project.layers()] == ["WMS", "WMS"]


@pytest.mark.parametrize(
    "url", ["http://tiles.example.org", "ftp://tiles.example.org", "tiles.example.org", "", "https://"]
)
def test_a_layer_that_is_not_https_is_refused_here_and_ignored_there(url: str, lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match="https"):
        lisbon.project.add_layer(url, **RELIEF)
    answer = lisbon.send("POST", "data_layers/", RELIEF | {"url": url})
    assert (answer.status_code, list(answer.json())) == (200, ["message"])
    assert lisbon.project.layers() == []


@pytest.mark.parametrize("unfit", [{"server_type": "mine"}, {"layer_type": "WFS"}], ids=str)
def test_another_kind_of_layer_is_refused_with_the_kinds_that_there_are(unfit: Any) -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match=r"mapcentia-gc2|esri-featurelayer"):
            service.project().add_layer(TILES, **(RELIEF | unfit))
        assert service.requests.total() == 0


def test_an_administrator_deletes_a_layer_and_others_stay(lisbon: Lisbon) -> None:
    for name in ("relief", "noise"):
        lisbon.project.add_layer(TILES, **(RELIEF | {"layer_name": name}))
    first, second = lisbon.project.layers()
    assert lisbon.send("DELETE", f"data_layers/{first['id']}/").status_code == 204
    assert lisbon.project.layers() == [second]
    with pytest.raises(NotFoundError):
        lisbon.project.delete_layer(first["id"])


def test_a_member_deletes_no_layer(lisbon: Lisbon) -> None:
    lisbon.of(MEMBER).add_layer(TILES, **RELIEF)
    with pytest.raises(PermissionDeniedError):
        lisbon.of(MEMBER).delete_layer(1)
    assert len(lisbon.project.layers()) == 1


# Tags


def test_tags_are_created_and_counted(lisbon: Lisbon) -> None:
    assert lisbon.project.create_tags([{"tag": "Night", "code": "NI"}, "By hand"]) == "Tags created: 2."
    created = {(tag["tag"], tag["slug"], tag["code"]) for tag in lisbon.project.tags()}
    assert {("Night", "night", "NI"), ("By hand", "by-hand", "")} < created


def test_a_tag_that_is_there_is_not_created_again(lisbon: Lisbon) -> None:
    before = lisbon.project.tags()
    assert lisbon.project.create_tags([{"tag": "Coast", "code": "CO"}, "No code"]) == "Tags created: 0."
    assert lisbon.project.tags() == before


@pytest.mark.parametrize(
    "new", [[{"tag": "Company", "code": "CO"}], [{"tag": "A", "code": "X"}, {"tag": "B", "code": "X"}]]
)
def test_a_code_is_of_one_tag(new: Any, lisbon: Lisbon) -> None:
    before = lisbon.project.tags()
    with pytest.raises(ApiError) as refused:
        lisbon.project.create_tags(["New", *new])
    assert refused.value.status_code == 409
    assert lisbon.project.tags() == before


def test_a_code_may_be_of_another_tag_in_another_project(lisbon: Lisbon) -> None:
    tags: Any = [{"tag": "Company", "code": "CO"}]
    lisbon.client().create_project("FADO", title="Porto", bounds=(0, 0, 1, 1), systems=[], tags=tags)
    assert [tag["tag"] for tag in lisbon.client().project(lisbon.sandbox.project_ids[-1]).tags()] == ["Company"]


@pytest.mark.parametrize("unfit", [{"tag": "A", "code": "A|B"}, {"tag": " "}, "", {"code": "A"}, 7], ids=str)
def test_a_tag_that_cannot_be_is_refused(unfit: Any) -> None:
    with FakeService() as service:
        with pytest.raises(InputError):
            service.project().create_tags(["New", unfit])
        assert service.requests.total() == 0


# Maps of systems


AREA = square(-9.15, 38.71, 0.01)
SUITABLE = ["green3", "green2", "green", "yellow", "red2", "red"]


def evaluation(*areatypes: str, **properties: Any) -> Json:
    return collection(*(feature(AREA, areatype=areatype, **properties) for areatype in areatypes))


def test_an_evaluation_comes_back_with_a_colour_for_each_area(lisbon: Lisbon) -> None:
    assert lisbon.project.set_evaluation(WATER, evaluation(*SUITABLE)) == "The map was set."
    features = lisbon.project.evaluation(WATER)["features"]
    assert [row["properties"]["areatype"] for row in features] == SUITABLE
    assert [row["geometry"] for row in features] == [AREA] * 6
    colors = {row["properties"]["color"] for row in features}
    assert len(colors) == 6
    assert all(len(color) == 7 and color.startswith("#") for color in colors)
    assert len(lisbon.project.evaluation(GREEN)) == 0


def test_an_area_keeps_its_own_colour_and_attributes(lisbon: Lisbon) -> None:
    lisbon.project.set_evaluation(WATER, evaluation("green", color="#ABCDEF", soil="clay"))
    (area,) = lisbon.project.evaluation(WATER)
    assert area["properties"] == {"areatype": "green", "color": "#ABCDEF", "soil": "clay"}


def test_a_map_replaces_the_one_before(lisbon: Lisbon) -> None:
    lisbon.project.set_evaluation(WATER, evaluation("green", "red"))
    lisbon.project.set_evaluation(WATER, evaluation("yellow"))
    assert [area["properties"]["areatype"] for area in lisbon.project.evaluation(WATER)] == ["yellow"]


def test_a_map_may_be_that_of_another_system(lisbon: Lisbon) -> None:
    lisbon.project.set_evaluation(WATER, evaluation("green", "red"))
    lisbon.project.set_evaluation(GREEN, lisbon.project.evaluation(WATER).to_geopandas().to_crs(3763))
    assert lisbon.project.evaluation(GREEN).to_geopandas().areatype.to_list() == ["green", "red"]


def test_an_area_without_a_type_is_refused() -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match=r"feature 1.*areatype"):
            service.project().set_evaluation(WATER, collection(feature(AREA, areatype="red"), feature(AREA)))
        assert service.requests.total() == 0


def test_an_evaluation_is_of_polygons() -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match="feature 0"):
            service.project().set_evaluation(WATER, feature(line([0, 0], [1, 1]), areatype="red"))
        assert service.requests.total() == 0


def test_an_impact_map_keeps_whatever_its_areas_say(lisbon: Lisbon) -> None:
    impact = collection(feature(AREA, score=-2, why={"noise": True}), feature(AREA))
    assert lisbon.project.set_impact(WATER, impact) == "The map was set."
    kept = [area["properties"] for area in lisbon.sandbox.impact(lisbon.id, WATER)["features"]]
    assert [(properties.get("score"), properties.get("why")) for properties in kept] == [
        (-2, {"noise": True}),
        (None, None),
    ]


def test_a_map_is_set_in_the_name_of_a_member(lisbon: Lisbon) -> None:
    lisbon.project.set_evaluation(WATER, evaluation("red"), MEMBER)
    lisbon.of(MEMBER).set_impact(WATER, evaluation("red"), ADMINISTRATOR)
    assert (len(lisbon.project.evaluation(WATER)), len(lisbon.sandbox.impact(lisbon.id, WATER))) == (1, 1)


@pytest.mark.parametrize("username", [STRANGER, "nobody"])
def test_a_map_in_the_name_of_no_member_is_denied(username: str, lisbon: Lisbon) -> None:
    for setting in (lisbon.project.set_evaluation, lisbon.project.set_impact):
        with pytest.raises(PermissionDeniedError, match="not a member"):
            setting(WATER, evaluation("red"), username)
    assert (len(lisbon.project.evaluation(WATER)), len(lisbon.sandbox.impact(lisbon.id, WATER))) == (0, 0)


def test_a_map_of_a_system_that_is_not_there_is_not_found(lisbon: Lisbon) -> None:
    for setting in (lisbon.project.set_evaluation, lisbon.project.set_impact):
        with pytest.raises(NotFoundError, match="system"):
            setting(99, evaluation("red"))
