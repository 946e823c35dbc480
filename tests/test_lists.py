"""The client returns complete lists, although the service may send them in pages."""

from typing import Any

import pytest

from fake_service import PROJECT, FakeService, Response
from pygeodesign import DecodeError

TEAMS = [{"id": number, "title": f"Team {number}"} for number in range(1, 2501)]


def page(items: list[Any], next_page: str | None) -> Response:
    return Response({"count": len(TEAMS), "next": next_page, "previous": None, "results": items})


def test_a_complete_array_is_requested_once() -> None:
    with FakeService({"cteams/": TEAMS}) as service:
        assert service.project().teams() == TEAMS
        assert service.requests.total() == 1


def test_a_truncated_array_is_requested_again_with_a_larger_page_size() -> None:
    with FakeService({"cteams/": [Response(TEAMS[:1000]), Response(TEAMS)]}) as service:
        assert service.project().teams() == TEAMS
        assert service.requests.total() == 2


@pytest.mark.parametrize("root", ["", f"/api/v1/projects/{PROJECT}/cteams/"])
def test_next_links_are_followed_to_the_last_page(root: str) -> None:
    pages = [page(TEAMS[:1000], f"{root}?page=2"), page(TEAMS[1000:2000], f"{root}?page=3"), page(TEAMS[2000:], None)]
    with FakeService({"cteams/": pages}) as service:
        assert service.project().teams() == TEAMS


def test_pages_in_a_circle_are_a_decode_error() -> None:
    with FakeService({"cteams/": page([], "?page=2")}) as service, pytest.raises(DecodeError, match="circle"):
        service.project().teams()


def test_an_object_that_is_not_a_page_is_a_decode_error() -> None:
    with FakeService({"cteams/": {"teams": TEAMS}}) as service, pytest.raises(DecodeError, match="results"):
        service.project().teams()


def test_the_error_for_an_invalid_item_has_its_index() -> None:
    with FakeService({"cteams/": [*TEAMS[:2], {"id": "third"}]}) as service, pytest.raises(DecodeError, match=r"\[2\]"):
        service.project().teams()


def test_unknown_fields_are_kept() -> None:
    with FakeService({"cteams/": [{"id": 1, "title": "A", "motto": {"la": "Festina lente"}}]}) as service:
        assert service.project().teams() == [{"id": 1, "title": "A", "motto": {"la": "Festina lente"}}]
