"""The files around the package name the same version as it does."""

import re
from pathlib import Path

import pygeodesign

ROOT = Path(__file__).parent.parent


def test_the_citation_names_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [pygeodesign.__version__]


def test_the_changelog_tells_of_the_version_first() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[:2] == ["Unreleased", pygeodesign.__version__]
