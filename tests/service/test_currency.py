"""The currency of a project, from the setup file to pages, pictures, archives and copies."""

import json
from pathlib import Path
from typing import Any

import pytest

from parsed_html import ParsedHtml
from pygeodesign import InputError, Project, Sandbox, options
from small_project import running_workshop


def test_a_setup_file_says_the_currency_and_everything_shows_it(tmp_path: Path) -> None:
    setup = tmp_path / "workshop.json"
    setup.write_text(json.dumps({"projects": {"StatenIsland2050": {"currency": "EUR"}}}), encoding="utf-8")
    with Sandbox(setup=setup) as sandbox:
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


def test_an_administrator_changes_the_currency_and_takes_it_away() -> None:
    with running_workshop() as workshop:
        project: Project = workshop.project
        assert "currency" not in project.info() and project.costs().currency is None
        assert project.edit(currency=" CHF ")["currency"] == "CHF"
        assert str(project.history()[0]["after"]).endswith(": CHF")
        for wrong in ("a" * 21, "US\nD"):
            with pytest.raises(InputError, match="the currency is"):
                project.edit(currency=wrong)
        assert "currency" not in project.edit(currency="")


def test_an_archive_and_a_copy_keep_the_currency(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        workshop.project.edit(currency="EUR")
        workshop.project.archive(tmp_path / "a.zip", progress=False)
    with Sandbox(project=tmp_path / "a.zip") as copy:
        assert copy.project().costs().currency == "EUR"
        copy.project().edit(currency="USD")
        assert copy.project().info()["currency"] == "USD"


def test_a_setup_file_with_a_wrong_currency_is_refused(tmp_path: Path) -> None:
    setup = tmp_path / "workshop.json"
    setup.write_text(json.dumps({"projects": {"StatenIsland2050": {"currency": "x" * 30}}}), encoding="utf-8")
    with pytest.raises(InputError, match="short name on one line, such as USD"):
        Sandbox(setup=setup)
