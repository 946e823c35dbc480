"""Language and currency of a project, from the setup file to pages, pictures, archives and copies."""

import json
from pathlib import Path
from typing import Any

import pytest

from parsed_html import ParsedHtml
from pygeodesign import InputError, Sandbox, options
from small_project import running_workshop


def setup_file(folder: Path, **settings: str) -> Path:
    path = folder / "workshop.json"
    path.write_text(json.dumps({"projects": {"StatenIsland2050": settings}}), encoding="utf-8")
    return path


def test_a_setup_file_says_the_language_and_the_report_is_in_it(tmp_path: Path) -> None:
    with Sandbox(setup=setup_file(tmp_path, language="de")) as sandbox:
        project = sandbox.project()
        assert project.info()["language"] == "de"
        comparison = project.compare()
        assert '<html lang="de">' in str(comparison.to_html(progress=False))
        assert '<html lang="en">' in str(comparison.to_html(language="en", progress=False))


def test_a_setup_file_says_the_currency_and_everything_shows_it(tmp_path: Path) -> None:
    with Sandbox(setup=setup_file(tmp_path, currency="EUR")) as sandbox:
        project = sandbox.project()
        report, comparison = project.costs(), project.compare()
        assert project.info()["currency"] == report.currency == comparison.currency == "EUR"
        pages: Any = {
            "costs": report.to_html(),
            "report": comparison.to_html(scope=next(iter(comparison.designs))),
            "card": comparison._repr_html_(),
            "map": project.map().to_html(),
            "gallery": project.gallery(limit=2).to_html(),
            "chart": report.plot().get_title("left"),
        }
        assert [name for name, page in pages.items() if "EUR" not in page or "No currency" in page] == []
        # What a call says comes first, then the project, then the options.
        options.currency = "GBP"
        assert "GBP" not in ParsedHtml(report.to_html() or "").text
        assert "13.1 bn USD" in report.plot(currency="USD").get_title("left")


@pytest.mark.parametrize(
    ("field", "given", "kept", "wrong", "reason"),
    [
        ("language", "pt-BR", "pt-BR", ["pt", "DE", "eo"], "the languages are ar, de, en, es, fr, it, pt-BR"),
        ("currency", " CHF ", "CHF", ["a" * 21, "US\nD"], "the currency is"),
    ],
    ids=["language", "currency"],
)
def test_an_administrator_changes_it_and_takes_it_away(
    field: Any, given: str, kept: str, wrong: list[str], reason: str
) -> None:
    with running_workshop() as workshop:
        project: Any = workshop.project
        assert field not in project.info()
        assert project.edit(**{field: given})[field] == kept
        assert str(project.history()[0]["after"]).endswith(f": {kept}")
        for value in wrong:
            with pytest.raises(InputError, match=reason):
                project.edit(**{field: value})
        assert field not in project.edit(**{field: ""})


def test_an_archive_and_a_copy_keep_both(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        workshop.project.edit(language="fr", currency="EUR")
        workshop.project.archive(tmp_path / "a.zip", progress=False)
    with Sandbox(project=tmp_path / "a.zip") as copy:
        assert copy.project().info()["language"] == "fr"
        assert copy.project().costs().currency == "EUR"
        copy.project().edit(currency="USD")
        assert copy.project().info()["currency"] == "USD"


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"language": "klingon"}, "the languages are ar, de"),
        ({"currency": "x" * 30}, "short name on one line, such as USD"),
    ],
    ids=["language", "currency"],
)
def test_a_setup_file_with_a_wrong_value_is_refused(setting: dict[str, str], reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        Sandbox(setup=setup_file(tmp_path, **setting))
