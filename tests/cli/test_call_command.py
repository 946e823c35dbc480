"""`pygeodesign call`: any operation from the command line, by its name."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import output_of, run, signed_in
from operations import OPERATIONS
from small_project import ADMINISTRATOR, MEMBER, WATER, Workshop, running_workshop

SQUARE = {"type": "Polygon", "coordinates": [[[-9.15, 38.72], [-9.14, 38.72], [-9.14, 38.73], [-9.15, 38.72]]]}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with running_workshop() as workshop:
        workshop.project.add_diagram(WATER, SQUARE, title="Rain garden")
        yield workshop


def test_without_a_name_every_operation_is_listed(tmp_path: Path) -> None:
    listed = json.loads(output_of(tmp_path, "call", "--json"))
    described = {(row["method"], row["path"]) for row in listed}
    assert {(row.method, row.template) for row in OPERATIONS if "openapi" not in row.path} <= described


def test_ids_and_fields_are_given_by_their_names(workshop: Workshop, tmp_path: Path) -> None:
    signed = signed_in(workshop.sandbox, MEMBER)
    diagram = workshop.project.diagrams(fields="summary")[0]["id"]
    said = output_of(tmp_path, "call", "set_vote", f"diagramid={diagram}", "vote=2", "comment=Shade & more", **signed)
    assert json.loads(said)["status"]
    (vote,) = json.loads(output_of(tmp_path, "call", "votes", **signed))["votes"]
    assert (vote["vote"], vote["comment"]) == (2, "Shade & more")
    assert output_of(tmp_path, "call", "withdraw_vote", f"diagramid={diagram}", **signed) == ""
    assert workshop.project.votes() == []


def test_a_body_is_given_as_json_or_as_a_file(workshop: Workshop, tmp_path: Path) -> None:
    signed = signed_in(workshop.sandbox, ADMINISTRATOR)
    closed = '{"drawing": {"open": false, "message": "We vote."}}'
    output_of(tmp_path, "call", "set_activities", "--body", closed, **signed)
    assert workshop.project.workshop.activities()["drawing"]["message"] == "We vote."
    (tmp_path / "open.json").write_text(closed.replace("false", "true"))
    output_of(tmp_path, "call", "set_activities", "--file", "open.json", **signed)
    assert workshop.project.workshop.activities()["drawing"]["open"]


def test_an_archive_is_sent_as_a_file_and_fields_become_the_query(workshop: Workshop, tmp_path: Path) -> None:
    signed = signed_in(workshop.sandbox, ADMINISTRATOR)
    workshop.project.archive(tmp_path / "own.zip", progress=False)
    report = json.loads(output_of(tmp_path, "call", "merge", "--file", "own.zip", "dry_run=true", **signed))
    assert report["complete"] and report["dry_run"]


def test_a_picture_is_written_to_a_file(workshop: Workshop, tmp_path: Path) -> None:
    signed = signed_in(workshop.sandbox, MEMBER)
    diagram = workshop.project.diagrams(fields="summary")[0]["id"]
    job = json.loads(output_of(tmp_path, "call", "generate_thumbnail", f"diagramid={diagram}", **signed))
    ids = [f"diagramid={diagram}", f"jobid={job['results_url'].split('/')[-2]}"]
    assert run(tmp_path, "call", "thumbnail", *ids, **signed).code == 2
    output_of(tmp_path, "call", "thumbnail", *ids, "-o", "picture.png", **signed)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "no operation"),
        (["set_vote", "vote=2"], "diagramid="),
        (["set_vote", "vote"], "NAME=VALUE"),
        (["set_vote", "diagramid=1", "vote=9"], "from -2"),
    ],
)
def test_what_is_wrong_is_said(workshop: Workshop, tmp_path: Path, arguments: list[str], message: str) -> None:
    ended = run(tmp_path, "call", *arguments, **signed_in(workshop.sandbox, MEMBER))
    assert ended.code != 0
    assert message in ended.messages
