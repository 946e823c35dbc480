"""Removing a participant's name, while their drawings stay."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pygeodesign import (
    AuthenticationError,
    BadRequestError,
    Client,
    PermissionDeniedError,
    Project,
    Sandbox,
)
from pygeodesign import open as open_archive
from pygeodesign.types import NewSystem

NAME = "zora.quill"
SQUARE = {"type": "Polygon", "coordinates": [[[-74.16, 40.57], [-74.15, 40.57], [-74.15, 40.58], [-74.16, 40.57]]]}


BESIDE = {"type": "Polygon", "coordinates": [[[-74.17, 40.57], [-74.16, 40.57], [-74.16, 40.58], [-74.17, 40.57]]]}


def author_of(project: Project, title: str) -> str | None:
    return next(row["author"] for row in project.diagrams(fields="summary") if row["worlddescription"] == title)


def texts_of(database: Path) -> list[str]:
    """Every text in every table."""
    with closing(sqlite3.connect(database)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for table in tables for row in connection.execute(f'SELECT * FROM "{table}"')]
    values = [value.decode(errors="replace") if isinstance(value, bytes) else value for row in rows for value in row]
    return [value for value in values if isinstance(value, str)]


@pytest.fixture
def took_part(tmp_path: Path) -> Path:
    """A database in which a member drew, chose, voted, negotiated, saved a design, and left traces in the history."""
    path = tmp_path / "evening.sqlite"
    with Sandbox(path) as sandbox:
        project = sandbox.project()
        sandbox.add_user(NAME)
        project.add_member(NAME)
        team = project.add_team("Shore", members=[NAME, "amara.okafor"])
        other = project.add_team("Hill", members=["amara.okafor"])
        project.member(NAME).add_token()
        own = sandbox.project(username=NAME)
        diagram = own.add_diagram("Water", SQUARE, title="Pond by the benches")
        gone = own.add_diagram("Water", SQUARE, title="Second pond")
        own.member(NAME).set_selection([diagram])
        diagram.vote(2, "For all of us.")
        own.team(team.id).save("Ours", [diagram])
        session = own.workshop.begin_negotiation([team, other])
        own.workshop.add_move(session["session_id"], diagram, "accept")
        gone.delete()
        project.team(team.id).edit(members=["amara.okafor"])
    return path


def test_no_text_of_the_service_has_the_name_any_more_and_the_diagrams_stay(took_part: Path) -> None:
    assert any(NAME in text for text in texts_of(took_part))
    with Sandbox(took_part) as sandbox:
        project = sandbox.project()
        token = sandbox.token(NAME)
        before = project.costs().total
        project.workshop.remove_name(NAME)
        assert project.costs().total == before
        assert author_of(project, "Pond by the benches") == "former member 1"
        assert project.design("Ours").costs().total is not None
        assert NAME not in {row["username"] for row in project.members()} and NAME not in sandbox.usernames
        with pytest.raises(AuthenticationError):
            Client(token, sandbox.url).projects()
        history = project.history()
        assert history[0]["operation"] == "remove_name" and history[0]["subject"] == "member former member 1"
        assert {entry["username"] for entry in history if entry["operation"] == "add_project"} == {"former member 1"}
    assert [text for text in texts_of(took_part) if NAME in text] == []


def test_whoever_watches_is_told_of_the_diagrams_that_have_another_author(took_part: Path) -> None:
    with Sandbox(took_part) as sandbox:
        project = sandbox.project()
        diagram = project.diagram("Pond by the benches").id
        last = project.change_id()
        changes = project.watch()
        project.workshop.remove_name(NAME)
        told = next(change for change in changes if change["kind"] == "diagram")
        assert (told["action"], told["id"]) == ("changed", diagram)
        assert project.change_id() != last


def test_names_are_counted_and_who_left_before_can_be_removed_too(took_part: Path) -> None:
    with Sandbox(took_part) as sandbox:
        project = sandbox.project()
        sandbox.add_user("second")
        project.add_member("second").remove()
        project.workshop.remove_name("second")
        project.workshop.remove_name(NAME)
        assert author_of(project, "Pond by the benches") == "former member 2"
        with pytest.raises(PermissionDeniedError, match="No current or former member"):
            project.workshop.remove_name(NAME)


@pytest.mark.parametrize("name", ["title", "1", "state", "74"])
def test_a_name_that_is_a_common_word_or_a_number_is_no_name_elsewhere(name: str) -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        sandbox.add_user(name)
        project.add_member(name)
        own = sandbox.project(username=name)
        diagram = own.add_diagram("Water", SQUARE, title=name)
        before = diagram.features().to_geopandas().geometry[0]
        diagram.edit(geometry=BESIDE)
        edited = project.history()[0]["id"]
        project.workshop.remove_name(name)
        # What is to be undone, and what somebody wrote, is as it was.
        project.undo(edited)
        kept = project.diagram(diagram.id)
        assert kept.features().to_geopandas().geometry[0].equals(before)
        assert author_of(project, name) == "former member 1"


def test_nobody_can_take_the_name_that_comes_next(took_part: Path) -> None:
    with Sandbox(took_part) as sandbox:
        for name in ("former member 1", "former member 9223372036854775807"):
            sandbox.add_user(name)
        project = sandbox.project()
        project.workshop.remove_name(NAME)
        assert author_of(project, "Pond by the benches") == "former member 2"


def test_a_project_from_an_archive_forgets_the_name_that_it_was_loaded_with(took_part: Path, tmp_path: Path) -> None:
    with Sandbox(took_part) as sandbox:
        sandbox.project().archive(tmp_path / "project.zip", progress=False)
    copy = tmp_path / "copy.sqlite"
    with Sandbox(copy, project=tmp_path / "project.zip") as sandbox:
        project = sandbox.project()
        project.workshop.remove_name(NAME)
        project.archive(tmp_path / "without.zip", progress=False)
    assert [text for text in texts_of(copy) if NAME in text] == []
    authors = {row["author"] for row in open_archive(tmp_path / "without.zip").diagrams(fields="summary")}
    assert "former member 1" in authors and NAME not in authors


def test_nobody_else_may_and_nobody_who_is_elsewhere_or_needed_is_removed(took_part: Path) -> None:
    with Sandbox(took_part) as sandbox:
        project = sandbox.project()
        with pytest.raises(PermissionDeniedError):
            sandbox.project(username=NAME).workshop.remove_name("amara.okafor")
        with pytest.raises(PermissionDeniedError, match="runs the service"):
            project.workshop.remove_name("admin")
        bounds, systems = (-74.2, 40.5, -74.1, 40.6), [NewSystem(name="Water", color="#2B7BBA")]
        sandbox.add_user("founder")
        founder = sandbox.client("founder")
        created = founder.create_project(sandbox.creation_code(), title="Elsewhere", bounds=bounds, systems=systems)
        other = founder.project(created)
        project.member(NAME).withdraw_tokens()
        other.add_member(NAME)
        with pytest.raises(PermissionDeniedError, match="other projects too"):
            project.workshop.remove_name(NAME)
        with pytest.raises(BadRequestError, match="no administrator"):
            other.workshop.remove_name("founder")
