"""A diagram says what was last said of it, and its change id moves just when it changes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import square
from pygeodesign import BadRequestError, InputError, NotFoundError, Project
from small_project import GREEN, MEMBER, WATER, Lisbon, lisbon_in

AREA = square(-9.15, 38.71, 0.01)
UNKNOWN = "99999999-9999-4999-8999-999999999999"


@pytest.fixture
def drawn(lisbon: Lisbon) -> Lisbon:
    """With the diagrams 1 and 2."""
    draw(lisbon.project)
    return lisbon


def draw(project: Project) -> None:
    project.add_diagram(WATER, AREA, title="Rain garden")
    project.add_diagram(GREEN, AREA, title="Park")


def codes(project: Project) -> dict[str, str]:
    """The ids of the tags by their codes."""
    return {str(tag["code"]): tag["id"] for tag in project.tags()}


# The bulk update


def test_an_update_says_so(drawn: Lisbon) -> None:
    assert drawn.project.update_diagram(1, additional_metadata={}) == "The diagram was updated."


def test_what_is_given_is_set(drawn: Lisbon) -> None:
    metadata = {"phase": 1, "who": {"names": ["Água", None, True, 1.5]}}
    drawn.project.update_diagram(1, additional_metadata=metadata, title="Pond", tag_codes=["CO", "QW"])
    detail = drawn.detail(1)
    assert (detail["description"], detail["additional_metadata"], detail["tag_codes"]) == ("Pond", metadata, "CO|QW")


def test_what_is_not_given_stays(drawn: Lisbon) -> None:
    project = drawn.project
    project.update_diagram(1, additional_metadata={}, title="Pond", tag_codes=["CO"], start_date="2030-05-01")
    before = drawn.detail(1)
    project.update_diagram(1, additional_metadata={})
    assert drawn.detail(1) == before


def test_metadata_are_replaced_not_merged(drawn: Lisbon) -> None:
    drawn.project.update_diagram(1, additional_metadata={"phase": 1, "owner": "city"})
    drawn.project.update_diagram(1, additional_metadata={"phase": 2})
    assert drawn.detail(1)["additional_metadata"] == {"phase": 2}


@pytest.mark.parametrize(
    "unfit",
    [{"a": float("nan")}, {"a": [float("inf")]}, {"a": {1, 2}}, {"a": object()}, [1], "text", 7, None],
    ids=str,
)
def test_metadata_that_are_no_json_object_are_refused(unfit: Any, drawn: Lisbon) -> None:
    before = drawn.detail(1)
    with pytest.raises(InputError, match="additional_metadata"):
        drawn.project.update_diagram(1, additional_metadata=unfit)
    assert drawn.detail(1) == before


def test_metadata_that_hold_themselves_are_refused(drawn: Lisbon) -> None:
    endless: dict[str, Any] = {}
    endless["again"] = [endless]
    with pytest.raises(InputError, match="nested more than 128 levels deep"):
        drawn.project.update_diagram(1, additional_metadata=endless)


def test_metadata_name_the_value_that_json_does_not_have(drawn: Lisbon) -> None:
    with pytest.raises(InputError, match=r"additional_metadata: JSON has no .*set"):
        drawn.project.update_diagram(1, additional_metadata={"a": {1, 2}})


@pytest.mark.parametrize("title", ["", " ", "\n"])
def test_an_empty_title_is_refused(title: str, drawn: Lisbon) -> None:
    with pytest.raises(InputError, match="title"):
        drawn.project.update_diagram(1, additional_metadata={}, title=title)


def test_a_diagram_that_is_not_there_is_not_found(drawn: Lisbon) -> None:
    with pytest.raises(NotFoundError, match="diagram"):
        drawn.project.update_diagram(99, additional_metadata={})


# Tags


def test_tags_replace_those_that_were_there(drawn: Lisbon) -> None:
    project = drawn.project
    ids = codes(project)
    project.set_diagram_tags(1, [ids["CO"], ids["QW"]])
    project.set_diagram_tags(1, [ids["QW"], ids[""]])
    assert sorted(tag["id"] for tag in project.diagram_tags(1)) == sorted([ids["QW"], ids[""]])
    assert drawn.detail(1)["tag_codes"] == "QW"


def test_codes_replace_those_that_were_there(drawn: Lisbon) -> None:
    drawn.project.set_diagram_tag_codes(1, ["CO"])
    drawn.project.set_diagram_tag_codes(1, ["QW"])
    assert drawn.project.diagram_tag_codes(1) == ["QW"]


@pytest.mark.parametrize("operation", [Project.set_diagram_tags, Project.set_diagram_tag_codes])
def test_no_tags_take_all_away(operation: Callable[[Project, int, list[str]], str], drawn: Lisbon) -> None:
    drawn.project.set_diagram_tag_codes(1, ["CO", "QW"])
    operation(drawn.project, 1, [])
    assert drawn.project.diagram_tags(1) == []


def test_a_tag_says_which_diagrams_carry_it(drawn: Lisbon) -> None:
    drawn.project.set_diagram_tag_codes(2, ["CO"])
    drawn.project.set_diagram_tag_codes(1, ["CO", "QW"])
    assert {tag["code"]: tag["diagrams"] for tag in drawn.project.tags()} == {"CO": [1, 2], "QW": [1], "": []}


def test_the_id_of_a_tag_may_be_in_capitals(drawn: Lisbon) -> None:
    drawn.project.set_diagram_tags(1, [codes(drawn.project)["CO"].upper()])
    assert drawn.project.diagram_tag_codes(1) == ["CO"]


ASSIGNMENTS: dict[str, Callable[[Project], str]] = {
    "by id": lambda project: project.set_diagram_tags(1, [codes(project)["QW"], UNKNOWN]),
    "by code": lambda project: project.set_diagram_tag_codes(1, ["QW", "ZZ"]),
    "in an update": lambda project: project.update_diagram(
        1, additional_metadata={"new": True}, title="New", tag_codes=["QW", "ZZ"]
    ),
}


@pytest.mark.parametrize("way", ASSIGNMENTS)
def test_a_tag_that_is_not_in_the_project_is_a_bad_request_and_nothing_is_assigned(way: str, drawn: Lisbon) -> None:
    drawn.project.set_diagram_tag_codes(1, ["CO"])
    before = drawn.detail(1), drawn.project.diagram_change_id(1)
    with pytest.raises(BadRequestError, match=r"unsuccessful because the tag .* is not in the project") as refused:
        ASSIGNMENTS[way](drawn.project)
    assert refused.value.body.startswith('{"status":')
    assert (drawn.detail(1), drawn.project.diagram_change_id(1)) == before


def test_a_tag_of_another_project_is_not_in_this_one(drawn: Lisbon) -> None:
    drawn.client().create_project("FADO", title="Porto", bounds=(-8.7, 41.1, -8.5, 41.2), systems=[], tags=["Bridges"])
    latest = drawn.client().latest_project()
    assert latest is not None
    (bridges,) = drawn.client().project(latest["id"]).tags()
    with pytest.raises(BadRequestError, match="not in the project"):
        drawn.project.set_diagram_tags(1, [bridges["id"]])


# Notes and groups


@pytest.mark.parametrize("note", ["Ask the harbour.", "", "Two\nlines", "Água 😀 <b>"])
def test_a_note_comes_back_as_it_was_written(note: str, drawn: Lisbon) -> None:
    drawn.project.set_diagram_notes(1, "The one before")
    assert drawn.project.set_diagram_notes(1, note) == note
    assert drawn.project.diagram_notes(1) == note
    assert drawn.detail(1)["notes"] == note


def test_a_note_is_read_with_the_id_of_its_diagram(drawn: Lisbon) -> None:
    assert drawn.send("POST", "diagrams/1/notes/", {"notes": "Hm"}).json() == {"id": "1", "notes": "Hm"}


def test_a_group_has_exactly_its_diagrams_and_others_stay(drawn: Lisbon) -> None:
    drawn.project.group_diagrams({"Shore": [1, 2], "Hills": ["2"]})
    assert drawn.project.group_diagrams({"Shore": [2, 2]}) == "Diagram groups set: 1."
    assert drawn.sandbox.diagram_groups(drawn.id) == {"Shore": [2], "Hills": [2]}


def test_a_group_of_nothing_is_gone(drawn: Lisbon) -> None:
    drawn.project.group_diagrams({"Shore": [1]})
    drawn.project.group_diagrams({"Shore": []})
    assert drawn.sandbox.diagram_groups(drawn.id) == {}


def test_groups_are_set_under_either_address(drawn: Lisbon) -> None:
    for path, name in [("diagrams/group/", "One"), ("diagrams/groups/", "Other")]:
        drawn.send("POST", path, {"diagram_groups": [{"group_name": name, "diagrams": [1]}]}).raise_for_status()
    assert drawn.sandbox.diagram_groups(drawn.id) == {"One": [1], "Other": [1]}


@pytest.mark.parametrize("name", ["", " "])
def test_a_group_without_a_name_is_refused(name: str, drawn: Lisbon) -> None:
    with pytest.raises(InputError, match="group"):
        drawn.project.group_diagrams({name: [1]})


# Change ids


CHANGES: dict[str, Callable[[Lisbon], Any]] = {
    "a title": lambda lisbon: lisbon.project.update_diagram(1, additional_metadata={}, title="New"),
    "metadata": lambda lisbon: lisbon.project.update_diagram(1, additional_metadata={"new": [1, {"deep": 2}]}),
    "a start": lambda lisbon: lisbon.project.update_diagram(1, additional_metadata={}, start_date="2030-01-01"),
    "an end": lambda lisbon: lisbon.project.update_diagram(1, additional_metadata={}, end_date="2050-01-01"),
    "tags": lambda lisbon: lisbon.project.set_diagram_tag_codes(1, ["QW", "CO"]),
    "a tag without a code": lambda lisbon: lisbon.project.set_diagram_tags(1, [codes(lisbon.project)[""]]),
    "a note": lambda lisbon: lisbon.project.set_diagram_notes(1, "New"),
    "a cost": lambda lisbon: lisbon.sandbox.set_diagram(lisbon.id, 1, cost_override=7),
    "a building": lambda lisbon: lisbon.sandbox.set_diagram(lisbon.id, 1, building_data={"storeys_above_ground": 3}),
}
NO_CHANGES: dict[str, Callable[[Lisbon], Any]] = {
    "reading": lambda lisbon: [lisbon.project.diagram(1), lisbon.project.diagrams(), lisbon.project.costs()],
    "a thumbnail": lambda lisbon: lisbon.project.thumbnails(),
    "a group": lambda lisbon: lisbon.project.group_diagrams({"Shore": [1]}),
    "another diagram": lambda lisbon: lisbon.project.set_diagram_notes(2, "Elsewhere"),
    "a new diagram": lambda lisbon: lisbon.project.add_diagram(WATER, AREA, title="New"),
    "a new tag": lambda lisbon: lisbon.project.create_tags(["New"]),
    "a selection": lambda lisbon: lisbon.sandbox.set_selection(lisbon.id, MEMBER, [1]),
    "a map": lambda lisbon: lisbon.sandbox.set_boundaries(lisbon.id, AREA),
    "a system": lambda lisbon: lisbon.sandbox.set_system(lisbon.id, WATER, cost=1),
    "the same metadata": lambda lisbon: lisbon.project.update_diagram(1, additional_metadata={}),
    "the same title": lambda lisbon: lisbon.project.update_diagram(1, additional_metadata={}, title="Rain garden"),
    "the same note": lambda lisbon: lisbon.project.set_diagram_notes(1, ""),
    "the same tags": lambda lisbon: lisbon.project.set_diagram_tag_codes(1, []),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_change_id_moves_with(what: str, drawn: Lisbon) -> None:
    before = drawn.project.diagram_change_ids()
    CHANGES[what](drawn)
    after = drawn.project.diagram_change_ids()
    assert (before[1] != after[1], before[2] == after[2]) == (True, True)


@pytest.mark.parametrize("what", CHANGES)
def test_the_change_id_stays_when_the_same_is_said_again_of(what: str, drawn: Lisbon) -> None:
    CHANGES[what](drawn)
    before = drawn.project.diagram_change_ids()
    CHANGES[what](drawn)
    assert drawn.project.diagram_change_ids() == before


@pytest.mark.parametrize("what", NO_CHANGES)
def test_the_change_id_stays_with(what: str, drawn: Lisbon) -> None:
    before = drawn.project.diagram_change_id(1)
    NO_CHANGES[what](drawn)
    assert drawn.project.diagram_change_id(1) == before


def test_the_order_of_tags_is_no_change(drawn: Lisbon) -> None:
    drawn.project.set_diagram_tag_codes(1, ["CO", "QW"])
    before = drawn.project.diagram_change_id(1)
    drawn.project.set_diagram_tag_codes(1, ["QW", "CO", "QW"])
    assert drawn.project.diagram_change_id(1) == before


@pytest.fixture(scope="module")
def restless() -> Iterator[Lisbon]:
    with lisbon_in() as lisbon:
        draw(lisbon.project)
        yield lisbon


SAYINGS = st.one_of(
    st.tuples(st.just("title"), st.sampled_from(["Pond", "Park"])),
    st.tuples(st.just("notes"), st.sampled_from(["", "Hm"])),
    st.tuples(st.just("codes"), st.lists(st.sampled_from(["CO", "QW"]), max_size=2)),
    st.tuples(st.just("metadata"), st.dictionaries(st.sampled_from("ab"), st.integers(0, 1))),
    st.tuples(st.just("start"), st.sampled_from(["2030-01-01", "2030-01-01T23:59:59.999Z", "2031-01-01"])),
    st.tuples(st.just("thumbnail"), st.none()),
)


def say(project: Project, id: int, what: str, value: Any) -> None:
    metadata: Any = next(row for row in project.diagram_details() if row["id"] == id)["additional_metadata"]
    match what:
        case "title":
            project.update_diagram(id, additional_metadata=metadata, title=value)
        case "start":
            project.update_diagram(id, additional_metadata=metadata, start_date=value)
        case "metadata":
            project.update_diagram(id, additional_metadata=value)
        case "notes":
            project.set_diagram_notes(id, value)
        case "codes":
            project.set_diagram_tag_codes(id, value)
        case "thumbnail":
            project.thumbnail(id)


@settings(max_examples=25, deadline=None)
@given(sayings=st.lists(st.tuples(st.sampled_from([1, 2]), SAYINGS), min_size=1, max_size=6))
def test_the_change_id_moves_just_when_the_diagram_is_another(
    restless: Lisbon, sayings: list[tuple[int, tuple[str, Any]]]
) -> None:
    project = restless.project

    def seen() -> dict[int, tuple[str, Any]]:
        details = {row["id"]: row for row in project.diagram_details()}
        return {number: (change, details[number]) for number, change in project.diagram_change_ids().items()}

    before = seen()
    known = {change for change, _ in before.values()}
    for number, (what, value) in sayings:
        say(project, number, what, value)
        after = seen()
        for diagram, (change, detail) in after.items():
            is_another = detail != before[diagram][1]
            assert (change != before[diagram][0]) == is_another
            # An old id never comes back, though the diagram may look as it did.
            assert is_another == (change not in known)
            known.add(change)
        before = after
