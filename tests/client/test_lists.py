"""The client returns complete lists, although the service may send them in pages."""

import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from fake_service import PROJECT, FakeService, Response
from pygeodesign import DecodeError, RequestTimeoutError

TEAMS = [{"id": number, "title": f"Team {number}"} for number in range(1, 2501)]


def page(items: list[Any], next_page: str | None) -> Response:
    return Response({"next": next_page, "previous": None, "results": items})


def test_a_complete_array_is_requested_once() -> None:
    with FakeService({"cteams/": TEAMS}) as service:
        assert service.project().teams() == TEAMS
        assert service.requests.total() == 1


def test_a_truncated_array_is_requested_again_with_a_larger_page_size() -> None:
    with FakeService({"cteams/": [Response(TEAMS[:1000]), Response(TEAMS)]}) as service:
        assert service.project().teams() == TEAMS
        # The third was for a second page: this service knows no `page`, and sends the same again.
        assert service.requests[f"projects/{PROJECT}/cteams/"] == 3


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


def test_an_invalid_item_is_named_by_its_index() -> None:
    with FakeService({"cteams/": [*TEAMS[:2], {"id": "third"}, TEAMS[2]]}) as service:
        with pytest.raises(DecodeError, match=r"\[2\]"):
            service.project(strict=True).teams()
        with pytest.warns(UserWarning, match=r"1 bad row: \[2\]: it is left out: id: "):
            assert service.project().teams() == TEAMS[:3]


def test_unknown_fields_are_kept() -> None:
    with FakeService({"cteams/": [{"id": 1, "title": "A", "motto": {"la": "Festina lente"}}]}) as service:
        assert service.project().teams() == [{"id": 1, "title": "A", "motto": {"la": "Festina lente"}}]


# Lists that do not end


def endless(items: Callable[[int], list[Any]]) -> Callable[[Any], Response]:
    """Pages that each have a new `next` link; `items` gives those of a page by its number."""
    numbers = count(1)

    def next_page(_: Any) -> Response:
        number = next(numbers)
        return page(items(number), f"?page={number + 1}")

    return next_page


def test_pages_that_repeat_their_items_are_a_decode_error() -> None:
    with FakeService({"cteams/": endless(lambda _: TEAMS[:2])}) as service:
        with pytest.raises(DecodeError, match="two of its pages have the same items"):
            service.project().teams()
        assert service.requests.total() == 2


def test_pages_that_stay_empty_are_a_decode_error() -> None:
    with FakeService({"cteams/": endless(lambda _: [])}) as service:
        with pytest.raises(DecodeError, match="3 of its pages in succession have no items, but a next page"):
            service.project().teams()
        assert service.requests.total() == 3


def test_single_empty_pages_do_not_end_a_list() -> None:
    pages = [page(TEAMS[:1], "?page=2"), page([], "?page=3"), page([], "?page=4"), page(TEAMS[1:2], None)]
    with FakeService({"cteams/": pages}) as service:
        assert service.project().teams() == TEAMS[:2]


def test_a_list_ends_after_ten_times_the_time_out_of_a_request() -> None:
    slow = endless(lambda number: [{"id": number, "title": "x"}])

    def respond(body: Any) -> Response:
        time.sleep(0.05)
        return slow(body)

    with FakeService({"cteams/": respond}) as service:
        start = time.monotonic()
        with pytest.raises(RequestTimeoutError, match=r"did not end within 2 s, 10 times timeout="):
            service.project(timeout=0.2).teams()
        assert 1.5 < time.monotonic() - start < 10


@pytest.mark.slow
def test_a_list_has_ten_thousand_pages_at_most() -> None:
    with FakeService({"cteams/": endless(lambda number: [{"id": number, "title": "x"}])}) as service:
        with pytest.raises(DecodeError, match="more than 10000 pages"):
            service.project().teams()
        assert service.requests.total() == 10_000


@pytest.mark.slow
def test_a_list_has_a_million_items_at_most() -> None:
    rows = [{"id": number, "title": ""} for number in range(9 * 200_001)]
    pages = [page(rows[200_001 * number :][:200_001], f"?page={number + 2}") for number in range(9)]
    with FakeService({"cteams/": pages}) as service:
        with pytest.raises(DecodeError, match="more than 1000000 items"):
            service.project().teams()
        assert service.requests.total() == 5


def test_all_pages_together_are_limited_like_one_response() -> None:
    with FakeService({"cteams/": endless(lambda number: [{"id": number, "title": "x" * 1000}])}) as service:
        with pytest.raises(DecodeError, match=r"its pages have more than 20000 bytes.*max_response_bytes="):
            service.project(max_response_bytes=20_000).teams()
        assert service.requests.total() < 20
