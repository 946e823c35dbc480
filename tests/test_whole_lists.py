"""A list is whole, wherever it stands and however a service cuts it; what is not whole is an error."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from builders import feature, square
from fake_service import FakeService, Response
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
        # A row that moved to the next page meanwhile.
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


# What a design lists


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


def test_a_diagram_of_a_design_that_the_project_does_not_list_is_left_out_everywhere_and_named(
    content: Content, project: Project
) -> None:
    ours = project.design("Design 1 – room")
    gone, *others = ours.diagram_ids()
    without = content._replace(diagrams=[row for row in content.diagrams if row["id"] != gone])
    with ReferenceService(without) as service:
        foreign = Client("token", service.url).project(project.id)
        design = foreign.design(ours["id"], 1)
        for read in (design.diagrams, design.costs, design.to_geopandas):
            with pytest.warns(UserWarning, match=f"diagram {gone} is in the design, and the project does not list it"):
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
