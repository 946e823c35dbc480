"""A list is complete, wherever it is and however a service cuts it; an incomplete list is an error."""

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import feature, square
from fake_service import FakeService, Response
from foreign_service import of_reference
from pygeodesign import Client, DecodeError, FeatureCollection, Project, Sandbox, ServerError
from recording_proxy import RecordingProxy
from reference_service import Content, ReferenceService, content_of

MEMBERS = [{"username": f"member.{number}"} for number in range(27)]


@pytest.fixture(scope="module")
def content(sandbox: Sandbox) -> Content:
    return content_of(sandbox)


def in_turn(answers: list[Any]) -> list[Response]:
    return [answer if isinstance(answer, Response) else Response(answer) for answer in answers]


def names(answers: list[Any]) -> list[str]:
    with FakeService({"members/": in_turn(answers)}) as service:
        return [member["username"] for member in service.project().members()]


ALL = [member["username"] for member in MEMBERS]
PAGES = [MEMBERS[:10], MEMBERS[10:20], MEMBERS[20:]]
NOT_FOUND = Response({"detail": "Invalid page."}, 404)


@pytest.mark.parametrize(
    "answers",
    [
        [{"members": page} for page in PAGES] + [NOT_FOUND],
        [{"members": page} for page in PAGES] + [{"members": []}],
        [{"members": page} for page in PAGES] + [Response({"message": "there is no page 4"}, 400)],
        [{"results": {"members": page}} for page in PAGES] + [NOT_FOUND],
        [{"members": page, "count": "27"} for page in PAGES],
        [{"members": page, "next": number, "previous": None} for page, number in zip(PAGES, [2, 3, ""], strict=True)],
        # A row that moved to the next page in the meantime.
        [{"members": PAGES[0]}, {"members": MEMBERS[9:20]}, {"members": PAGES[2]}, NOT_FOUND],
        [Response({"members": MEMBERS}, headers={"x-total-count": "27"})],
        [{"members": page, "count": 27} for page in PAGES],
        [
            {"members": page, "count": 27, "next": link}
            for page, link in zip(PAGES, ["?page=2", "?page=3", None], strict=True)
        ],
        [
            {"count": 27, "next": link, "results": {"members": page}}
            for page, link in zip(PAGES, ["?page=2", "?page=3", None], strict=True)
        ],
        [
            {"count": 27, "next": link, "results": page}
            for page, link in zip(PAGES, ["?page=2", "?page=3", None], strict=True)
        ],
        [
            Response({"members": page}, headers=headers)
            for page, headers in zip(
                PAGES,
                [{"link": '<?page=2>; rel="next"'}, {"link": "<?page=1>; rel=prev, <?page=3>; rel=next"}, {}],
                strict=True,
            )
        ],
    ],
    ids=[
        "pages",
        "an empty page at the end",
        "a page after the last that is refused",
        "results alone",
        "a count that is a text",
        "numbers of pages beside",
        "rows that move",
        "a total",
        "a count",
        "links beside",
        "links around",
        "links around the list",
        "Link",
    ],
)
def test_a_list_in_an_object_is_read_to_its_end(answers: list[Any]) -> None:
    assert names(answers) == ALL


def test_a_list_in_an_object_that_is_shorter_than_its_length_is_an_error() -> None:
    for answer in (
        {"members": MEMBERS[:10], "count": 27},
        {"members": MEMBERS[:10], "count": "27"},
        Response({"members": PAGES[0]}, headers={"x-total-count": "27"}),
    ):
        with pytest.raises(DecodeError, match="has 27 items in the list, and sent 10"):
            names([answer])


def test_nothing_more_is_asked_of_our_service_for_lists_in_objects(sandbox: Sandbox) -> None:
    with RecordingProxy(sandbox.url) as proxy:
        project = Client(sandbox.token(), proxy.url).project(sandbox.project_ids[0])
        team, system, diagram = project.team(1), project.system(1), project.diagram(1001)
        design = project.design("a023631f09bc2e31", 1)
        reads: list[Callable[[], Any]] = [
            *(project.members, project.workshop.stakeholders, project.workshop.negotiation_logs),
            *(team.members, team.designs, system.diagram_ids, design.diagram_ids, design.features, design.esri),
            *(project.member("amara.okafor").selection, diagram.tags, diagram.tag_codes),
        ]
        for read in reads:
            proxy.requests.clear()
            assert read()
            assert len(proxy.requests) == 1, proxy.requests


def selection_of(service: FakeService) -> list[int]:
    return [one["properties"]["diagramid"] for one in service.project().member("ana").selection()]


def test_features_of_a_selection_are_read_to_their_end_and_none_of_them_twice() -> None:
    # Two features of a diagram may be the same.
    rows = [feature(square(10, 45, 0.01)) | {"properties": {"diagramid": 1 + number // 2}} for number in range(24)]
    pages = [{"type": "FeatureCollection", "features": rows[start : start + 10]} for start in (0, 10, 20)]
    for answers in ([*pages, NOT_FOUND], [{"type": "FeatureCollection", "features": rows}]):
        with FakeService({"members/ana/diagrams/": in_turn(answers)}) as service:
            assert selection_of(service) == [1 + number // 2 for number in range(24)]


# A service that knows no pages, and cuts its lists


def ids_in(diagrams: FeatureCollection) -> list[int]:
    return sorted(set(diagrams.to_arrow()["diagramid"].to_pylist()))


@pytest.fixture(scope="module")
def cut(content: Content) -> Iterator[ReferenceService]:
    with ReferenceService(content, "cut array", 100) as service:
        yield service


def test_diagrams_that_a_list_lacks_are_asked_for_one_by_one(cut: ReferenceService, project: Project) -> None:
    foreign = Client("token", cut.url).project(project.id)
    assert ids_in(foreign.diagrams()) == ids_in(project.diagrams())
    assert foreign.costs().total == project.costs().total
    ours = sorted(row["id"] for row in project.diagrams(fields="details"))
    assert sorted(row["id"] for row in foreign.diagrams(fields="details")) == ours


def test_a_list_that_cannot_be_completed_is_an_error(cut: ReferenceService, project: Project) -> None:
    foreign = Client("token", cut.url).project(project.id)
    with pytest.raises(DecodeError, match=r"sent 100 diagrams and knows no further page, but names diagram \d+"):
        foreign.diagrams(fields="summary")


@pytest.mark.parametrize("cap", [10, 25])
def test_lists_that_a_service_cuts_where_it_cuts_that_of_diagrams_are_errors(
    cap: int, content: Content, project: Project, tmp_path: Path
) -> None:
    def reads(asked: Project) -> dict[str, Callable[[], Any]]:
        design = asked.design("a023631f09bc2e31", 1)
        return {
            **{"members": asked.members, "tags": asked.tags, "teams": asked.teams, "systems": asked.systems},
            "stakeholders": asked.workshop.stakeholders,
            "members of a team": asked.team(1).members,
            "designs": lambda: [dict(one) for one in asked.team(1).designs()],
            "ids of a system": asked.system(1).diagram_ids,
            "feature-JSON": design.esri,
            "costs of a design": lambda: round(design.costs().total),
            "selection": lambda: ids_in(asked.member("amara.okafor").selection()),
            "diagrams of a member": lambda: ids_in(asked.diagrams(member="amara.okafor")),
        }

    with ReferenceService(content, "cut array", cap) as service:
        foreign, cut = Client("token", service.url).project(project.id), set()
        theirs = reads(foreign)
        for name, read in reads(project).items():
            ours = as_rows(read())
            try:
                assert list(map(of_reference, as_rows(theirs[name]()))) == list(map(of_reference, ours)), name
            except DecodeError as problem:
                assert f"the service sent {cap} items and knows no further page" in str(problem), name
                cut.add(name)
            else:
                assert len(ours) <= cap, name
        assert {"feature-JSON", "costs of a design"} <= cut
        with pytest.raises(DecodeError, match="it cuts lists"):
            foreign.archive(tmp_path / "cut.zip", progress=False)


def as_rows(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_a_list_of_the_length_of_all_diagrams_is_whole(content: Content, project: Project) -> None:
    diagrams = content.diagrams[:10]
    ten = content._replace(diagrams=diagrams, objects=content.objects | {"members/": {"members": MEMBERS[:10]}})
    with ReferenceService(ten, "deaf array") as service:
        assert len(Client("token", service.url).project(project.id).members()) == 10


def test_designs_that_lack_the_latest_are_an_error(content: Content, project: Project) -> None:
    with ReferenceService(content, "cut array", 2) as service:
        foreign = Client("token", service.url).project(project.id)
        for read in (lambda: foreign.designs(1), foreign.team(1).latest, foreign.team(1).designs):
            with pytest.raises(DecodeError, match="sent 2 designs of the team"):
                read()


# The latest design


def test_the_latest_design_is_that_of_the_last_date(content: Content, project: Project) -> None:
    path = "cteams/1/"
    turned = {"synthesis": content.objects[path]["synthesis"][::-1]}
    with ReferenceService(content._replace(objects=content.objects | {path: turned})) as service:
        foreign = Client("token", service.url).project(project.id)
        team, ours = foreign.team(1), project.team(1)
        assert [dict(design) for design in team.designs()] == [dict(design) for design in ours.designs()]
        assert dict(team.latest()) == dict(ours.latest())
        assert team.latest().details() == ours.latest().details() == foreign.design(team=1).details()
        assert foreign.costs(team=1).total == project.costs(team=1).total


@pytest.mark.parametrize("date", ["02.03.2026", "", None])
def test_designs_without_a_readable_date_stay_and_the_service_names_the_latest(
    date: Any, content: Content, project: Project
) -> None:
    path, ours = "cteams/1/", [design["id"] for design in project.team(1).designs()]
    undated = {"synthesis": [row | {"creationdate": date} for row in content.objects[path]["synthesis"]]}
    latest = {"id": ours[0], "creationdate": date, "description": "The latest"}
    told = content.objects | {path: undated, "cteams/1/details/": latest}
    with ReferenceService(content._replace(objects=told)) as service:
        team = Client("token", service.url).project(project.id).team(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            assert {design["id"] for design in team.designs()} == set(ours)
            assert team.latest()["id"] == ours[0]


# A design's list


def test_features_with_an_id_alone_are_in_the_design(content: Content, project: Project) -> None:
    (team, design), features = next(iter(content.designs.items()))
    bare = [
        row | {"attributes": {"id": row["attributes"]["diagramid"]}} if place % 2 else row
        for place, row in enumerate(features)
    ]
    with ReferenceService(content._replace(designs=content.designs | {(team, design): bare})) as service:
        foreign = Client("token", service.url).project(project.id).design(design, int(team))
        ours = project.design(design, int(team))
        assert sorted(foreign.diagram_ids()) == sorted(ours.diagram_ids())
        assert foreign.costs().total == ours.costs().total


def test_an_unlisted_diagram_of_a_design_is_left_out_everywhere_and_named(content: Content, project: Project) -> None:
    ours = project.design("Design 1 – room")
    gone, *others = ours.diagram_ids()
    without = content._replace(diagrams=[row for row in content.diagrams if row["id"] != gone])
    with ReferenceService(without) as service:
        foreign = Client("token", service.url).project(project.id)
        design = foreign.design(ours["id"], 1)
        for read in (design.diagrams, design.costs, design.to_geopandas):
            with pytest.warns(UserWarning, match=f"diagram {gone} of the design is not in the project"):
                read()
        for compare in (foreign.compare, foreign.map):
            with pytest.warns(UserWarning, match=f"diagrams that the project does not have: {gone}"):
                compare({"a": design})
        with pytest.warns(UserWarning, match="left out"):
            assert [row["diagramid"] for row in design.costs().diagrams] == others


# Waiting


@pytest.mark.parametrize("after", ["3600", "18446744073709551615"])
def test_a_wait_that_is_longer_than_the_time_left_is_an_error_at_once(after: str) -> None:
    with FakeService({"": Response({"detail": "Later."}, 503, headers={"retry-after": after})}) as service:
        begun = time.monotonic()
        with pytest.raises(ServerError, match="Later"):
            service.project(timeout=30).info()
        assert time.monotonic() - begun < 5
