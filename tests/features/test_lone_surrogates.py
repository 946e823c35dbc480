"""Texts with a lone surrogate, from broken imports: pages show U+FFFD, requests refuse them."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import pygeodesign
from pictures import check_texts, figure_of
from pygeodesign import ArchiveError, Client, InputError, Project, Sandbox
from pygeodesign.plots import plot_map

LONE, SHOWN = "Har\ud800bour", "Har\N{REPLACEMENT CHARACTER}bour"


@pytest.mark.slow
def test_pages_and_pictures_show_another_character(project: Project, tmp_path: Path) -> None:
    compared: Any = project.compare({LONE: [1001, 1002], "B": [1002]})
    assert list(compared.designs) == [SHOWN, "B"]
    compared.to_html(tmp_path / "compared.html", title=LONE, progress=False)
    page = (tmp_path / "compared.html").read_text(encoding="utf-8")
    assert page.count(SHOWN) > 2
    axes = plot_map(project.diagrams(), project.study_area.boundaries(), title=LONE, credits=LONE)
    assert SHOWN in axes.get_title("left")
    check_texts(figure_of(axes))
    plt.close("all")
    from pygeodesign.maps import gallery, web_map

    for make in (gallery, web_map):
        make(project, title=LONE).to_html(tmp_path / "page.html")
        assert SHOWN in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "call",
    [
        lambda client, project: client.create_project("CODE", title=LONE, bounds=(0, 0, 1, 1), systems=[]),
        lambda client, project: project.diagram(1001).set_notes(LONE),
        lambda client, project: project.diagram(1001).update(additional_metadata={LONE: 1}),
        lambda client, project: client.project(LONE),
        lambda client, project: project.costs().to_html(title=LONE),
        lambda client, project: client.archive_all("unused", {project.id: {"region": LONE}}),
        lambda client, project: client.archive_all("unused", {project.id: {LONE: 1}}),
    ],
)
def test_what_is_sent_or_kept_is_refused(call: Any, client: Client, project: Project) -> None:
    with pytest.raises(InputError, match=r"Har\\ud800bour|surrogates not allowed"):
        call(client, project)


def test_a_folder_whose_name_is_not_utf_8_takes_an_archive_that_duckdb_does_not_read(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    folder = tmp_path / "f\udcffolder"
    sandbox.client().archive_all(folder, progress=False)
    projects = pygeodesign.read_archive(folder)
    assert len(projects.costs()) == 9 and projects.open(sandbox.project_ids[0]).costs().total
    with pytest.raises(ArchiveError, match="is not UTF-8, which DuckDB needs; rename it"):
        projects.to_geopandas()
