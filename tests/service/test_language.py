"""The language of a project, from the setup file to reports, cards, archives and copies."""

import json
from pathlib import Path

import pytest

from pygeodesign import InputError, Project, Sandbox
from small_project import running_workshop


def setup_file(folder: Path, language: str) -> Path:
    path = folder / "workshop.json"
    path.write_text(json.dumps({"projects": {"StatenIsland2050": {"language": language}}}), encoding="utf-8")
    return path


def test_a_setup_file_says_the_language_and_the_report_is_in_it(tmp_path: Path) -> None:
    with Sandbox(setup=setup_file(tmp_path, "de")) as sandbox:
        project = sandbox.project()
        assert project.info()["language"] == "de"
        comparison = project.compare()
        assert '<html lang="de">' in str(comparison.to_html(progress=False))
        assert '<html lang="en">' in str(comparison.to_html(language="en", progress=False))


def test_an_administrator_changes_the_language_and_takes_it_away() -> None:
    with running_workshop() as workshop:
        project: Project = workshop.project
        assert "language" not in project.info()
        assert project.edit(language="pt-BR")["language"] == "pt-BR"
        assert str(project.history()[0]["after"]).endswith(": pt-BR")
        for wrong in ("pt", "DE", "eo"):
            with pytest.raises(InputError, match=f'"{wrong}"; the languages are ar, de, en, es, fr, it, pt-BR'):
                project.edit(language=wrong)
        assert "language" not in project.edit(language="")


def test_an_archive_and_a_copy_keep_the_language(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        workshop.project.edit(language="fr")
        workshop.project.archive(tmp_path / "a.zip", progress=False)
    with Sandbox(project=tmp_path / "a.zip") as copy:
        assert copy.project().info()["language"] == "fr"


def test_a_setup_file_with_an_unknown_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the languages are ar, de"):
        Sandbox(setup=setup_file(tmp_path, "klingon"))
