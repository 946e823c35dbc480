"""Reading a diagram returns its last update, and its change id changes exactly when its content does."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import square
from pygeodesign import BadRequestError, Diagram, InputError, NotFoundError, Project
from small_project import GREEN, MEMBER, WATER, Workshop, running_workshop

AREA = square(-9.15, 38.71, 0.01)
UNKNOWN = "99999999-9999-4999-8999-999999999999"


@pytest.fixture
def with_diagrams(workshop: Workshop) -> Workshop:
    """The workshop with two diagrams, whose ids are 1 and 2."""
    add_two_diagrams(workshop.project)
    return workshop


def add_two_diagrams(project: Project) -> None:
    project.add_diagram(WATER, AREA, title="Rain garden")
    project.add_diagram(GREEN, AREA, title="Park")


def tag_ids(project: Project) -> dict[str, str]:
    """The id of each tag, by its code."""
    return {str(tag["code"]): tag["id"] for tag in project.tags()}


# The bulk update


def test_an_update_sets_the_given_fields(with_diagrams: Workshop) -> None:
    metadata = {"phase": 1, "who": {"names": ["Água", None, True, 1.5]}}
    with_diagrams.project.diagram(1).update(additional_metadata=metadata, title="Pond", tag_codes=["CO", "QW"])
    detail = with_diagrams.details_of(1)
    assert (detail["description"], detail["additional_metadata"], detail["tag_codes"]) == ("Pond", metadata, "CO|QW")


def test_an_update_keeps_the_other_fields(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    project.diagram(1).update(additional_metadata={}, title="Pond", tag_codes=["CO"], start_date="2030-05-01")
    before = with_diagrams.details_of(1)
    project.diagram(1).update(additional_metadata={})
    assert with_diagrams.details_of(1) == before


def test_an_update_without_metadata_keeps_them(with_diagrams: Workshop) -> None:
    metadata = {"phase": 1, "owner": {"names": ["Água"]}}
    with_diagrams.project.diagram(1).update(additional_metadata=metadata)
    with_diagrams.project.diagram(1).update(title="Pond", start_date="2030-05-01", end_date="2031-05-01")
    detail = with_diagrams.details_of(1)
    assert (detail["description"], detail["start_date"]) == ("Pond", "2030-05-01")
    assert detail["additional_metadata"] == metadata


def test_metadata_are_replaced_and_not_merged(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).update(additional_metadata={"phase": 1, "owner": "city"})
    with_diagrams.project.diagram(1).update(additional_metadata={"phase": 2})
    assert with_diagrams.details_of(1)["additional_metadata"] == {"phase": 2}


@pytest.mark.parametrize(
    "invalid",
    [{"a": float("nan")}, {"a": [float("inf")]}, {"a": {1, 2}}, {"a": object()}, [1], "text", 7],
    ids=["nan", "infinity", "set", "object", "list", "text", "number"],
)
def test_metadata_that_are_not_a_json_object_are_rejected(invalid: Any, with_diagrams: Workshop) -> None:
    before = with_diagrams.details_of(1)
    with pytest.raises(InputError, match="additional_metadata"):
        with_diagrams.project.diagram(1).update(additional_metadata=invalid)
    assert with_diagrams.details_of(1) == before


def test_metadata_that_contain_themselves_are_rejected(with_diagrams: Workshop) -> None:
    recursive: dict[str, Any] = {}
    recursive["again"] = [recursive]
    with pytest.raises(InputError, match="nested more than 128 levels deep"):
        with_diagrams.project.diagram(1).update(additional_metadata=recursive)


def test_the_error_for_metadata_names_the_type_that_json_does_not_have(with_diagrams: Workshop) -> None:
    with pytest.raises(InputError, match=r"additional_metadata: JSON has no .*set"):
        with_diagrams.project.diagram(1).update(additional_metadata={"a": {1, 2}})


@pytest.mark.parametrize("title", ["", " ", "\n"])
def test_an_empty_title_is_rejected(title: str, with_diagrams: Workshop) -> None:
    with pytest.raises(InputError, match="title"):
        with_diagrams.project.diagram(1).update(additional_metadata={}, title=title)


def test_an_update_of_an_unknown_diagram_is_not_found(with_diagrams: Workshop) -> None:
    with pytest.raises(NotFoundError, match="diagram"):
        with_diagrams.project.diagram(99).update(additional_metadata={})


# Tags


def test_setting_tags_replaces_the_tags_of_a_diagram(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    ids = tag_ids(project)
    project.diagram(1).set_tags([ids["CO"], ids["QW"]])
    project.diagram(1).set_tags([ids["QW"], ids[""]])
    assert sorted(tag["id"] for tag in project.diagram(1).tags()) == sorted([ids["QW"], ids[""]])
    assert with_diagrams.details_of(1)["tag_codes"] == "QW"


def test_setting_tag_codes_replaces_the_tags_of_a_diagram(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_tag_codes(["CO"])
    with_diagrams.project.diagram(1).set_tag_codes(["QW"])
    assert with_diagrams.project.diagram(1).tag_codes() == ["QW"]


@pytest.mark.parametrize("operation", [Diagram.set_tags, Diagram.set_tag_codes])
def test_an_empty_list_of_tags_removes_all_tags(
    operation: Callable[[Diagram, list[str]], None], with_diagrams: Workshop
) -> None:
    with_diagrams.project.diagram(1).set_tag_codes(["CO", "QW"])
    operation(with_diagrams.project.diagram(1), [])
    assert with_diagrams.project.diagram(1).tags() == []


def test_a_tag_lists_its_diagrams(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(2).set_tag_codes(["CO"])
    with_diagrams.project.diagram(1).set_tag_codes(["CO", "QW"])
    assert {tag["code"]: tag["diagrams"] for tag in with_diagrams.project.tags()} == {"CO": [1, 2], "QW": [1], "": []}


def test_the_case_of_a_tag_id_does_not_matter(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_tags([tag_ids(with_diagrams.project)["CO"].upper()])
    assert with_diagrams.project.diagram(1).tag_codes() == ["CO"]


ASSIGNMENTS: dict[str, Callable[[Project], None]] = {
    "by id": lambda project: project.diagram(1).set_tags([tag_ids(project)["QW"], UNKNOWN]),
    "by code": lambda project: project.diagram(1).set_tag_codes(["QW", "ZZ"]),
    "in an update": lambda project: project.diagram(1).update(
        additional_metadata={"new": True}, title="New", tag_codes=["QW", "ZZ"]
    ),
}


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_an_unknown_tag_is_a_bad_request_and_changes_nothing(assignment: str, with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_tag_codes(["CO"])
    before = with_diagrams.details_of(1), with_diagrams.project.diagram(1).change_id()
    with pytest.raises(BadRequestError, match=r"unsuccessful because the tag .* is not in the project") as refused:
        ASSIGNMENTS[assignment](with_diagrams.project)
    assert refused.value.body.startswith('{"status":')
    assert (with_diagrams.details_of(1), with_diagrams.project.diagram(1).change_id()) == before


def test_a_tag_of_another_project_is_a_bad_request(with_diagrams: Workshop) -> None:
    porto = with_diagrams.client().create_project(
        "FADO", title="Porto", bounds=(-8.7, 41.1, -8.5, 41.2), systems=[], tags=["Bridges"]
    )
    (bridges,) = with_diagrams.client().project(porto).tags()
    with pytest.raises(BadRequestError, match="not in the project"):
        with_diagrams.project.diagram(1).set_tags([bridges["id"]])


# Notes and groups


@pytest.mark.parametrize("note", ["Ask the harbour.", "", "Two\nlines", "Água 😀 <b>"])
def test_notes_are_returned_unchanged(note: str, with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_notes("The one before")
    with_diagrams.project.diagram(1).set_notes(note)
    assert with_diagrams.project.diagram(1).notes() == note
    assert with_diagrams.details_of(1)["notes"] == note


def test_the_response_to_new_notes_has_the_diagram_id_as_text(with_diagrams: Workshop) -> None:
    assert with_diagrams.send("POST", "diagrams/1/notes/", {"notes": "Hm"}).json() == {"id": "1", "notes": "Hm"}


def groups_of(workshop: Workshop) -> dict[str, list[int]]:
    return {group["group_name"]: group["diagrams"] for group in workshop.project.diagram_groups()}


def test_setting_a_group_replaces_its_diagrams_and_keeps_other_groups(with_diagrams: Workshop) -> None:
    with_diagrams.project.group_diagrams({"Shore": [1, 2], "Hills": ["2"]})
    with_diagrams.project.group_diagrams({"Shore": [2, 2]})
    assert groups_of(with_diagrams) == {"Shore": [2], "Hills": [2]}


def test_a_group_without_diagrams_is_deleted(with_diagrams: Workshop) -> None:
    with_diagrams.project.group_diagrams({"Shore": [1]})
    with_diagrams.project.group_diagrams({"Shore": []})
    assert groups_of(with_diagrams) == {}


def test_groups_can_be_set_at_both_paths(with_diagrams: Workshop) -> None:
    for path, name in [("diagrams/group/", "One"), ("diagrams/groups/", "Other")]:
        with_diagrams.send("POST", path, {"diagram_groups": [{"group_name": name, "diagrams": [1]}]}).raise_for_status()
    assert groups_of(with_diagrams) == {"One": [1], "Other": [1]}


@pytest.mark.parametrize("name", ["", " "])
def test_a_group_without_a_name_is_rejected(name: str, with_diagrams: Workshop) -> None:
    with pytest.raises(InputError, match="group"):
        with_diagrams.project.group_diagrams({name: [1]})


# Change ids


CHANGES: dict[str, Callable[[Workshop], Any]] = {
    "a title": lambda workshop: workshop.project.diagram(1).update(additional_metadata={}, title="New"),
    "metadata": lambda workshop: workshop.project.diagram(1).update(additional_metadata={"new": [1, {"deep": 2}]}),
    "a start": lambda workshop: workshop.project.diagram(1).update(additional_metadata={}, start_date="2030-01-01"),
    "an end": lambda workshop: workshop.project.diagram(1).update(additional_metadata={}, end_date="2050-01-01"),
    "tags": lambda workshop: workshop.project.diagram(1).set_tag_codes(["QW", "CO"]),
    "a tag without a code": lambda workshop: workshop.project.diagram(1).set_tags([tag_ids(workshop.project)[""]]),
    "a note": lambda workshop: workshop.project.diagram(1).set_notes("New"),
    "a cost": lambda workshop: workshop.project.diagram(1).edit(cost=7, cost_type="unit"),
    "a building": lambda workshop: workshop.project.diagram(1).edit(building_data={"storeys_above_ground": 3}),
}
NO_CHANGES: dict[str, Callable[[Workshop], Any]] = {
    "reading": lambda workshop: [
        workshop.project.diagram(1).features(),
        workshop.project.diagrams(),
        workshop.project.costs(),
    ],
    "a thumbnail": lambda workshop: workshop.project.thumbnails(),
    "a group": lambda workshop: workshop.project.group_diagrams({"Shore": [1]}),
    "another diagram": lambda workshop: workshop.project.diagram(2).set_notes("Elsewhere"),
    "a new diagram": lambda workshop: workshop.project.add_diagram(WATER, AREA, title="New"),
    "a new tag": lambda workshop: workshop.project.create_tags(["New"]),
    "a selection": lambda workshop: workshop.project.member(MEMBER).set_selection([1]),
    "a map": lambda workshop: workshop.project.study_area.set_boundaries(AREA),
    "a system": lambda workshop: workshop.project.system(WATER).edit(cost=1),
    "the same metadata": lambda workshop: workshop.project.diagram(1).update(additional_metadata={}),
    "the same title": lambda workshop: workshop.project.diagram(1).update(additional_metadata={}, title="Rain garden"),
    "the same note": lambda workshop: workshop.project.diagram(1).set_notes(""),
    "the same tags": lambda workshop: workshop.project.diagram(1).set_tag_codes([]),
}


@pytest.mark.parametrize("action", CHANGES)
def test_the_change_id_of_a_diagram_changes_with(action: str, with_diagrams: Workshop) -> None:
    before = with_diagrams.project.diagram_change_ids()
    CHANGES[action](with_diagrams)
    after = with_diagrams.project.diagram_change_ids()
    assert (before[1] != after[1], before[2] == after[2]) == (True, True)


@pytest.mark.parametrize("action", CHANGES)
def test_the_change_id_stays_the_same_after_repeating_the_change_of(action: str, with_diagrams: Workshop) -> None:
    CHANGES[action](with_diagrams)
    before = with_diagrams.project.diagram_change_ids()
    CHANGES[action](with_diagrams)
    assert with_diagrams.project.diagram_change_ids() == before


@pytest.mark.parametrize("action", NO_CHANGES)
def test_the_change_id_stays_the_same_after(action: str, with_diagrams: Workshop) -> None:
    before = with_diagrams.project.diagram(1).change_id()
    NO_CHANGES[action](with_diagrams)
    assert with_diagrams.project.diagram(1).change_id() == before


def test_the_order_of_tags_does_not_change_the_change_id(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_tag_codes(["CO", "QW"])
    before = with_diagrams.project.diagram(1).change_id()
    with_diagrams.project.diagram(1).set_tag_codes(["QW", "CO", "QW"])
    assert with_diagrams.project.diagram(1).change_id() == before


@pytest.fixture(scope="module")
def edited() -> Iterator[Workshop]:
    with running_workshop() as workshop:
        add_two_diagrams(workshop.project)
        yield workshop


EDITS = st.one_of(
    st.tuples(st.just("title"), st.sampled_from(["Pond", "Park"])),
    st.tuples(st.just("notes"), st.sampled_from(["", "Hm"])),
    st.tuples(st.just("codes"), st.lists(st.sampled_from(["CO", "QW"]), max_size=2)),
    st.tuples(st.just("metadata"), st.dictionaries(st.sampled_from("ab"), st.integers(0, 1))),
    st.tuples(st.just("start"), st.sampled_from(["2030-01-01", "2030-01-01T23:59:59.999Z", "2031-01-01"])),
    st.tuples(st.just("thumbnail"), st.none()),
)


def edit(project: Project, id: int, action: str, value: Any) -> None:
    metadata: Any = next(row for row in project.diagrams(fields="details") if row["id"] == id)["additional_metadata"]
    match action:
        case "title":
            project.diagram(id).update(additional_metadata=metadata, title=value)
        case "start":
            project.diagram(id).update(additional_metadata=metadata, start_date=value)
        case "metadata":
            project.diagram(id).update(additional_metadata=value)
        case "notes":
            project.diagram(id).set_notes(value)
        case "codes":
            project.diagram(id).set_tag_codes(value)
        case "thumbnail":
            project.diagram(id).thumbnail()


@settings(max_examples=25, deadline=None)
@given(edits=st.lists(st.tuples(st.sampled_from([1, 2]), EDITS), min_size=1, max_size=6))
def test_the_change_id_changes_exactly_when_the_content_changes(
    edited: Workshop, edits: list[tuple[int, tuple[str, Any]]]
) -> None:
    project = edited.project

    def change_ids_and_details() -> dict[int, tuple[str, str]]:
        # As text, because the order of the keys of metadata is content too: they are kept as they were sent.
        details = {row["id"]: json.dumps(row) for row in project.diagrams(fields="details")}
        return {number: (change, details[number]) for number, change in project.diagram_change_ids().items()}

    before = change_ids_and_details()
    known = {change for change, _ in before.values()}
    for number, (action, value) in edits:
        edit(project, number, action, value)
        after = change_ids_and_details()
        for diagram, (change, detail) in after.items():
            is_changed = detail != before[diagram][1]
            assert (change != before[diagram][0]) == is_changed
            # A change id never recurs, even if a diagram gets its former content back.
            assert is_changed == (change not in known)
            known.add(change)
        before = after
