"""Services that refuse a list in the middle of an archive, and projects that get another name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from fake_service import PROJECT, FakeService, Response
from pygeodesign import ApiError, DecodeError, PermissionDeniedError

EMPTY_PROJECT: Mapping[str, Any] = {
    "": {"id": PROJECT, "projecttitle": "Harbour"},
    "systems/": [],
    "members/": {"members": []},
    "cteams/": [],
    "diagrams/": [],
    "diagrams/all/": [],
    "boundaries/": {"geojson": {"type": "FeatureCollection", "features": []}, "description": ""},
}
LISTS = ["systems/", "members/", "cteams/", "diagrams/"]
REFUSED = Response({"detail": "You are no member any more."}, 403)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_is_refused_is_the_error_of_the_archive(name: str, tmp_path: Path) -> None:
    with FakeService({**EMPTY_PROJECT, name: REFUSED}) as service:
        with pytest.raises(
            PermissionDeniedError, match=rf"/projects/{PROJECT}/{name} answered 403.*no member any more"
        ):
            service.project().archive(tmp_path / "a.zip")
        with pytest.warns(UserWarning, match=rf"{PROJECT}: GET /projects/{PROJECT}/{name} answered 403"):
            report = service.client().archive_all(tmp_path / "many", [PROJECT], progress=False)
    assert isinstance(report["failures"][PROJECT], PermissionDeniedError)
    assert not list(tmp_path.rglob("*.zip"))


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_is_refused_when_it_is_compared_at_the_end_is_named_too(name: str, tmp_path: Path) -> None:
    answers = {**EMPTY_PROJECT, name: [Response(EMPTY_PROJECT[name]), REFUSED]}
    with FakeService(answers) as service, pytest.raises(PermissionDeniedError, match=name):
        service.project().archive(tmp_path / "a.zip")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_is_refused_leaves_the_archive_as_it_was(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with FakeService(EMPTY_PROJECT) as service:
        service.project().archive(path)
    before = path.read_bytes()
    with FakeService({**EMPTY_PROJECT, name: REFUSED}) as service, pytest.raises(ApiError, match=name):
        service.project().sync(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_cannot_be_read_is_named(name: str, tmp_path: Path) -> None:
    with FakeService({**EMPTY_PROJECT, name: "no list"}) as service, pytest.raises(DecodeError, match=f"/{name}"):
        service.project().archive(tmp_path / "a.zip")


def test_a_project_that_was_renamed_has_its_new_name(tmp_path: Path) -> None:
    state = {"title": "Harbour", "changeid": "1"}
    answers = {
        **EMPTY_PROJECT,
        "": lambda _: Response({"id": PROJECT, "projecttitle": state["title"]}),
        "changeid/": lambda _: Response({"changeid": state["changeid"]}),
    }
    with FakeService(answers) as service:
        client = service.client()
        client.archive_all(tmp_path, {PROJECT: {"region": "North"}}, progress=False)
        state |= {"title": "Old harbour", "changeid": "2"}
        assert client.archive_all(tmp_path, [PROJECT], progress=False)["archived"] == [PROJECT]
    projects = pygeodesign.read_archive(tmp_path)
    told = projects.projects[PROJECT]
    assert (told["projecttitle"], told["region"]) == ("Old harbour", "North")
    assert projects.open(PROJECT).info()["projecttitle"] == "Old harbour"
    assert len(projects.costs()) == len(projects.to_geopandas()) == 0
