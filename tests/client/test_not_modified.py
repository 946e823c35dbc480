"""Unchanged resources are not sent again: ETags of responses, and 304."""

from typing import Any

import pytest
import requests

from demo import ADMINISTRATOR, STRANGER, Demo, DemoFor
from operations import OPERATIONS, Operation

pytestmark = pytest.mark.early

# The history, presence, and what administrators read, depend on more than the project shows. Drawing all thumbnails
# takes long.
LEFT_OUT = {"history/", "presence/", "diagrams/all/generate_thumbnails/", "diagrams/{diagramid}/generate_thumbnail/"}
READS = [row for row in OPERATIONS if row.method == "GET" and not row.path.startswith("/")]
TAGGED = [row for row in READS if row.path not in LEFT_OUT and row.caller != "administrator"]
WRITES = [row for row in OPERATIONS if row.writes and not row.path.startswith("/")]


# Thousands of requests: a connection for each would take longer than its answer.
SESSION = requests.Session()


def get(demo: Demo, read: Operation, tag: str | None = None, user: str = ADMINISTRATOR, query: str = "") -> Any:
    headers = {"Authorization": demo.authorization(user)} | ({"If-None-Match": tag} if tag else {})
    path = demo.sandbox.url + read.template.format_map(demo.values) + query
    return SESSION.get(path, headers=headers, timeout=20)


@pytest.mark.parametrize("read", TAGGED, ids=str)
def test_an_answer_that_the_client_has_is_not_sent_again(read: Operation, demo: Demo) -> None:
    first = get(demo, read)
    assert first.headers["cache-control"] == "private, no-cache"
    again = get(demo, read, first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    several = get(demo, read, f'"other", {first.headers["etag"].removeprefix("W/")}')
    assert several.status_code == 304
    assert get(demo, read, '"other"').content == first.content


def test_only_a_member_is_told_that_nothing_has_changed(demo: Demo) -> None:
    read = next(row for row in READS if row.path == "tags/")
    tag = get(demo, read).headers["etag"]
    assert get(demo, read, tag, STRANGER).status_code == 404


def test_each_page_of_a_list_has_its_own_tag(demo: Demo) -> None:
    read = next(row for row in READS if row.path == "diagrams/")
    first, second = (get(demo, read, query=f"?page_size=2&page={page}") for page in (1, 2))
    assert first.headers["etag"] != second.headers["etag"]


def test_the_history_has_no_tag(demo: Demo) -> None:
    read = next(row for row in READS if row.path == "history/")
    assert "etag" not in get(demo, read).headers


@pytest.mark.parametrize("write", WRITES, ids=str)
def test_a_write_changes_the_tag_of_every_answer_that_it_changes(write: Operation, demo_for: DemoFor) -> None:
    with demo_for(write) as demo:
        before = {str(read): get(demo, read) for read in TAGGED}
        assert demo.send(write, demo.authorization(ADMINISTRATOR)).status_code == write.status
        after = {str(read): get(demo, read) for read in TAGGED}
    for name, old in before.items():
        new = after[name]
        is_same = (old.status_code, old.content) == (new.status_code, new.content)
        if new.ok:
            assert is_same or old.headers["etag"] != new.headers["etag"], name
